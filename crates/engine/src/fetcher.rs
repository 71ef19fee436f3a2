//! The consumer: fetches the segments of one content under a control and a timeout rule.
//!
//! What exists once, here, and in no scheme: counting Interests in flight, the order of retransmissions (lowest segment
//! first, before new ones), round-trip samples by Karn's rule, finding timeouts, "at most one decrease per round trip",
//! pacing, and the end of the content.

mod pending;
mod refused;
mod signals;

use crate::application::{Application, Outbox};
use crate::wakes::earlier;
use pending::{Pending, State};
use refused::Refused;
use std::collections::BTreeSet;
use std::ops::Range;
use weir_core::ahead::ask_for;
use weir_core::{
    Allowance, Chance, ConsumerControl, Context, DropReason, Event, FlowId, Lifetime, Parts, Reaction, Reading,
    SentSignal, Signal, Span, Standing, Time, Timeout,
};
use weir_wire::{HopFields, Interest, Kind, Name, Packet};

/// A paced sender that is woken late catches up with its plan, but not with more than this: a burst is no pace.
const CATCH_UP: Span = Span::from_millis(10);

/// What to fetch.
#[derive(Clone, Debug)]
pub struct What {
    /// Number of this fetch in its run.
    pub flow: FlowId,
    /// The content, without segment number.
    pub name: Name,
    /// Segments; `None`: until a Data says which is the last, or without end.
    pub segments: Option<u64>,
    /// First Interest.
    pub start: Time,
    /// No Interest from here on; `None`: until all is there.
    pub stop: Option<Time>,
}

/// Rules of the consumer engine that belong to no scheme.
#[derive(Clone, Copy, Debug)]
pub struct FetcherRules {
    /// InterestLifetime.
    pub lifetime: Lifetime,
    /// Conservative Window Adaptation: after a cut no other until a segment beyond `next + guard * (next - highest
    /// received)` arrives. ndnSIM 0.5 (one cut in about 1.5 round trips), ndn-tools 0.
    pub guard: f64,
    /// The timer of a segment that a loss notice announces.
    pub notice_timer: NoticeTimer,
    /// Random extra time before a paced Interest, as a share of the gap: senders of equal rate do not lock in step.
    pub jitter: f64,
    /// What a change of the rate does to the gap that is running.
    pub rate_change: RateChange,
    /// How long a consumer without pacing waits before it repeats an Interest that was refused for congestion: so long
    /// after the first refusal, twice as long after each further one of the same segment, 10 s at most (ndn-tools: 1
    /// ms). Meanwhile the segment keeps its place in the window. 0: not at all.
    pub nack_pause: Span,
    /// Learn from a Data that comes less than half a smoothed round trip after its Interest was repeated: it answers the
    /// first Interest, the timeout was too early, and its round trip counts from there (after Eifel, RFC 3522, which
    /// tells by a time stamp). Without it a round trip that has grown beyond the timeout is never measured (Karn).
    pub learn_from_late: bool,
}

/// What a paced consumer does about the gap that is running when its control changes the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateChange {
    /// It ends as it began: the new rate holds from the next Interest on.
    Next,
    /// It becomes as long as if the new rate had held since the last Interest.
    Now,
    /// A lower rate counts since the last Interest, so that no Interest leaves sooner than the new rate allows; a higher
    /// one holds from the next Interest on.
    Cut,
}

/// What happens to the timer of a segment that a loss notice announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeTimer {
    /// It runs on.
    Keep,
    /// It starts again at the notice.
    Restart,
    /// It stops; the Interest lifetime ends the wait.
    Stop,
}

/// What a fetch has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetcherCounters {
    /// Segments received.
    pub received: u64,
    /// Interests sent, retransmissions included.
    pub sent: u64,
    /// Interests sent again.
    pub retransmitted: u64,
    /// Timeouts.
    pub timeouts: u64,
    /// Loss notices taken.
    pub notices: u64,
    /// Cuts of the allowance.
    pub decreases: u64,
}

/// Sums over the segments' full delays, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Delays {
    sum: f64,
    squares: f64,
}

impl Delays {
    #[inline]
    fn add(&mut self, delay: Span) {
        let seconds = delay.0 as f64 * 1e-9;
        self.sum += seconds;
        self.squares += seconds * seconds;
    }

    /// Mean and squared coefficient of variation (population variance) of `n` delays.
    fn moments(self, n: u64) -> (f64, f64) {
        let mean = self.sum / n.max(1) as f64;
        let scv = if self.sum > 0.0 { (self.squares / n as f64 / (mean * mean) - 1.0).max(0.0) } else { 0.0 };
        (mean, scv)
    }
}

/// A consumer that fetches one content.
pub struct Fetcher {
    what: What,
    rules: FetcherRules,
    control: Box<dyn ConsumerControl>,
    timeout: Box<dyn Timeout>,
    chance: Chance,
    pending: Pending,
    in_flight: usize,
    highest: u64,
    recovery_point: f64,
    /// When the last loss event began for the timeout rule: what was sent before it belongs to it.
    timeout_event: Time,
    /// No Interest before this: pacing, or the pause after an immediate refusal.
    next_send: Time,
    /// When the gap that is running began, and its jitter as a factor.
    paced: Option<(Time, f64)>,
    /// Segments that pause after a refusal; made when the first one comes.
    refused: Option<Box<Refused>>,
    /// Segments whose timer a notice has stopped, by the end of their Interest's life; with the time when it was sent.
    stopped: BTreeSet<(Time, u64, Time)>,
    /// When the next Interest leaves, if it waits for its time only.
    departure: Option<Time>,
    /// The window, not the lack of work or pacing, held back the last Interest.
    window_limited: bool,
    check: Span,
    /// InterestLifetime in milliseconds, if it is always the same.
    fixed_lifetime_ms: u32,
    /// When timeouts are looked for next, with a check interval.
    next_check: Time,
    smoothed_rtt: Span,
    counters: FetcherCounters,
    delays: Delays,
    done: bool,
    /// It sends nothing until it is told to go on; its own end stays in force.
    stopped_by_order: bool,
    /// Its end is not that of its flow.
    one_of_many: bool,
    /// No new segment from here on, for now.
    ceiling: u64,
}

impl Fetcher {
    /// A fetch that begins at `what.start`. `chance` gives nonces and jitter.
    pub fn new(
        what: What,
        rules: FetcherRules,
        control: Box<dyn ConsumerControl>,
        timeout: Box<dyn Timeout>,
        chance: Chance,
    ) -> Fetcher {
        Fetcher {
            next_send: what.start,
            paced: None,
            departure: Some(what.start),
            window_limited: false,
            check: timeout.check_interval(),
            fixed_lifetime_ms: rules.lifetime.millis(Span::ZERO),
            next_check: Time::NEVER,
            what,
            rules,
            control,
            timeout,
            chance,
            pending: Pending::default(),
            in_flight: 0,
            highest: 0,
            recovery_point: 0.0,
            timeout_event: Time::ZERO,
            refused: None,
            stopped: BTreeSet::new(),
            smoothed_rtt: Span::ZERO,
            counters: FetcherCounters::default(),
            delays: Delays::default(),
            done: false,
            stopped_by_order: false,
            one_of_many: false,
            ceiling: u64::MAX,
        }
    }

    /// The same, with the segments of this range already there, from an earlier fetch: they are not asked for. To be said
    /// before the first Interest leaves.
    pub fn with_segments(mut self, there: Range<u64>) -> Fetcher {
        self.pending.add_there(there);
        self
    }

    /// Asks for no new segment from `segment` on until it is told of a higher one: what takes the content in order has
    /// no room for more. What is lost below is sent again all the same. Whoever raises it wakes the fetcher.
    pub fn set_ceiling(&mut self, segment: u64) {
        if segment > self.ceiling && !self.done {
            // There may be something to send at the next wake.
            self.departure = Some(self.next_send);
        }
        self.ceiling = segment;
    }

    /// All segments below this one are there.
    pub fn complete_below(&self) -> u64 {
        self.pending.base()
    }

    /// Segments of the content, once they are known.
    pub fn segments(&self) -> Option<u64> {
        self.what.segments
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub fn smoothed_rtt(&self) -> Span {
        self.smoothed_rtt
    }

    /// What has been done so far.
    pub fn counters(&self) -> FetcherCounters {
        self.counters
    }

    /// The same as one of many fetches of its flow: whoever made it says when it is complete.
    pub(crate) fn one_of_many(self) -> Fetcher {
        Fetcher { one_of_many: true, ..self }
    }

    /// True if the packet is of use: a Data or a notice for a segment that is missing, a refusal of an Interest that is
    /// out.
    pub fn awaits(&self, packet: &Packet) -> bool {
        let slot = packet.name().segment().and_then(|segment| self.pending.get(segment));
        slot.is_some_and(|slot| match &packet.kind {
            Kind::Data(_) => true,
            Kind::Nack(nack) => slot.state == State::InFlight && slot.nonce == nack.interest.nonce,
            Kind::Interest(_) => false,
        })
    }

    /// Puts other plug-ins in the place of those given.
    pub(crate) fn exchange(
        &mut self,
        control: Option<Box<dyn ConsumerControl>>,
        timeout: Option<Box<dyn Timeout>>,
        cx: &mut Context<'_>,
    ) {
        if let Some(mut control) = control {
            control.take_over(self.control.allowance());
            self.control = control;
            // It may allow more than the old one did.
            if self.what.start <= cx.now && !self.done {
                self.departure = Some(self.next_send.max(cx.now));
            }
        }
        if let Some(mut timeout) = timeout {
            if self.smoothed_rtt > Span::ZERO {
                timeout.on_sample(self.smoothed_rtt, self.in_flight.max(1), cx.now);
            }
            self.timeout = timeout;
            self.check = self.timeout.check_interval();
            self.next_check = Time::NEVER;
            self.plan_check(cx.now);
        }
    }

    /// True once every segment is there.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Interests in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// What the control allows now.
    pub fn allowance(&self) -> Allowance {
        self.control.allowance()
    }

    /// Where the consumer stands.
    fn standing(&self) -> Standing {
        Standing { allowance: self.control.allowance(), in_flight: self.in_flight, rto: self.timeout.timeout() }
    }

    /// The same, if anybody wants to know.
    #[inline]
    fn watched_standing(&self, cx: &Context<'_>) -> Option<Standing> {
        cx.watched.then(|| self.standing())
    }

    #[inline]
    fn tell_signal(
        &self,
        segment: u64,
        signal: Signal,
        before: Option<Standing>,
        reaction: Reaction,
        cx: &mut Context<'_>,
    ) {
        if let Some(before) = before {
            let (flow, content, after) = (self.what.flow, &self.what.name, self.standing());
            cx.tell(|| Event::Signalled { flow, content, segment, signal, before, after, reaction });
        }
    }

    /// Sends what the control allows, and notes what it waits for then. The first Interest takes the memory of `spent`.
    fn pump(&mut self, mut spent: Option<Packet>, out: &mut Outbox, cx: &mut Context<'_>) {
        self.end_pauses(cx.now);
        self.departure = loop {
            if self.done || self.stopped_by_order || self.what.stop.is_some_and(|stop| cx.now >= stop) {
                break None;
            }
            self.follow_rate();
            if cx.now < self.next_send {
                break Some(self.next_send);
            }
            let allowance = self.control.allowance();
            self.window_limited = (self.in_flight + self.pausing()) as f64 >= allowance.window;
            if self.window_limited {
                break self.next_pause_end();
            }
            let end = self.what.segments.map_or(self.ceiling, |n| n.min(self.ceiling));
            let Some(segment) = self.pending.next_to_send(Some(end)) else { break self.next_pause_end() };
            self.send(segment, spent.take(), out, cx);
            if let Some(gap) = allowance.gap {
                self.pace(gap, cx.now);
            }
        };
        self.plan_check(cx.now);
    }

    /// Moves the next Interest if the rate has changed and that counts at once.
    fn follow_rate(&mut self) {
        if self.rules.rate_change == RateChange::Next {
            return;
        }
        let (Some((begun, factor)), Some(gap)) = (self.paced, self.control.allowance().gap) else { return };
        let anew = begun + gap.scaled(factor);
        self.next_send = match self.rules.rate_change {
            RateChange::Cut => self.next_send.max(anew),
            RateChange::Next | RateChange::Now => anew,
        };
    }

    /// Begins the gap after an Interest that has just left.
    fn pace(&mut self, gap: Span, now: Time) {
        let jitter = self.rules.jitter;
        let factor = if jitter > 0.0 { 1.0 + jitter * (self.chance.unit() - 0.5) } else { 1.0 };
        let gap = if jitter > 0.0 { gap.scaled(factor) } else { gap };
        let late = now.since(self.next_send);
        // From the planned time, so that a driver that wakes late does not lower the rate. Time that passed for want of
        // something to send, or of a window, is gone.
        let waited = self.departure.is_some();
        let planned = match late {
            late if late <= gap => self.next_send,
            late if waited => Time(now.0 - late.min(CATCH_UP).0),
            _ => now,
        };
        self.paced = Some((planned, factor));
        self.next_send = planned + gap;
    }

    fn send(&mut self, segment: u64, spent: Option<Packet>, out: &mut Outbox, cx: &mut Context<'_>) {
        let nonce = self.chance.bits() as u32;
        let transmission = self.pending.sent(segment, nonce, cx.now);
        self.in_flight += 1;
        self.counters.sent += 1;
        self.counters.retransmitted += u64::from(transmission > 1);
        let signal = SentSignal { now: cx.now, segment, transmission, in_flight: self.in_flight };
        self.control.on_sent(&signal);
        cx.sink.requested(cx.now, self.what.flow, segment, transmission);
        let lifetime_ms = match self.rules.lifetime {
            Lifetime::Fixed(_) => self.fixed_lifetime_ms,
            Lifetime::Timeout => Lifetime::Timeout.millis(self.timeout.timeout()),
        };
        let ask = |name| Kind::Interest(Interest { lifetime_ms, ..Interest::new(name, nonce) });
        let packet = match spent {
            Some(packet) => packet.renewed_with_name(HopFields::default(), |mut name| {
                name.become_segment(&self.what.name, segment);
                ask(name)
            }),
            None => Packet::new(ask(self.what.name.with_segment(segment))),
        };
        if let Kind::Interest(interest) = &packet.kind {
            cx.tell(|| {
                let (flow, standing) = (self.what.flow, self.standing());
                Event::Asked { flow, interest, transmission, standing }
            });
        }
        out.push(packet);
    }
}

impl Application for Fetcher {
    fn receive(&mut self, packet: Packet, out: &mut Outbox, cx: &mut Context<'_>) {
        let used = match &packet.kind {
            Kind::Data(data) if packet.hop.loss_notice => self.on_notice(&data.name, cx),
            Kind::Data(data) => self.on_data(data, &packet.hop, cx),
            Kind::Nack(nack) => self.on_nack(nack, cx),
            Kind::Interest(_) => false,
        };
        let spent = if used {
            Some(packet)
        } else {
            cx.discard(packet, DropReason::Unwanted);
            None
        };
        // Mostly a Data lets one Interest go, which needs no memory of its own then.
        self.pump(spent, out, cx);
    }

    fn wake(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        if !self.done && cx.now >= self.what.start {
            self.expire(cx);
            // Nothing will come for a content without segments.
            self.note_completion(cx);
        }
        self.pump(None, out, cx);
    }

    fn foresee(&self, step: u32, packet: &Packet) {
        match step {
            0 => {
                ask_for(&self.what);
                ask_for(&self.rules);
                ask_for(&self.control);
                ask_for(&self.chance);
                ask_for(&self.pending);
                ask_for(&self.highest);
                ask_for(&self.next_send);
                ask_for(&self.counters);
                ask_for(&self.delays);
                ask_for(&self.ceiling);
            }
            1 => {
                self.pending.foresee(packet.name().segment());
                std::hint::black_box((self.control.allowance(), self.timeout.timeout()));
            }
            _ => {}
        }
    }

    fn next_wake(&self) -> Option<Time> {
        if self.done {
            return None;
        }
        let timeout = match self.check {
            Span::ZERO => self.next_timeout(),
            _ => Some(self.next_check).filter(|at| *at != Time::NEVER),
        };
        earlier(timeout, self.departure)
    }

    fn name(&self) -> &Name {
        &self.what.name
    }

    fn serves(&self) -> bool {
        false
    }

    fn flow(&self) -> Option<FlowId> {
        Some(self.what.flow)
    }

    fn set_running(&mut self, run: bool, cx: &mut Context<'_>) {
        if !run {
            self.stopped_by_order = true;
            self.departure = None;
        } else if self.stopped_by_order || self.what.start > cx.now {
            self.stopped_by_order = false;
            self.what.start = self.what.start.min(cx.now);
            self.next_send = cx.now;
            self.departure = (!self.done).then_some(cx.now);
        }
    }

    fn adopt(&mut self, mut parts: Parts, control: bool, timeout: bool, cx: &mut Context<'_>) {
        let (new_control, new_timeout) = parts(0);
        self.exchange(control.then_some(new_control), timeout.then_some(new_timeout), cx);
    }

    fn inspect(&self, report: &mut dyn FnMut(Reading)) {
        let allowance = self.control.allowance();
        report(Reading::Flow {
            flow: self.what.flow,
            window: allowance.window,
            rate: allowance.gap.map(|g| 1.0 / g.seconds()),
            in_flight: self.in_flight,
            rto: self.timeout.timeout(),
        });
    }
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher").field("what", &self.what).field("counters", &self.counters).finish_non_exhaustive()
    }
}
