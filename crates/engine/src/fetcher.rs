//! The consumer: fetches the segments of one content under a control and a timeout rule.
//!
//! What exists once, here, and in no scheme: counting Interests in flight, the order of retransmissions (lowest segment
//! first, before new ones), round-trip samples by Karn's rule, finding timeouts, "at most one decrease per round trip",
//! pacing, and the end of the content.

mod pending;

use crate::application::{Application, Outbox};
use pending::{Pending, Slot, State};
use std::collections::BTreeSet;
use weir_core::{
    Allowance, Chance, ConsumerControl, Context, DataSignal, Delivery, DropReason, Event, FlowId, Loss, LossSignal,
    Parts, Reaction, Reading, SentSignal, Signal, Span, Standing, Time, Timeout, TimeoutSignal,
};
use weir_wire::{Data, HopFields, Interest, Kind, Nack, NackReason, Name, Packet};

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
    pub lifetime: Span,
    /// Conservative Window Adaptation: after a cut no other until a segment beyond `next + guard * (next - highest
    /// received)` arrives. ndnSIM 0.5 (one cut in about 1.5 round trips), ndn-tools 0.
    pub guard: f64,
    /// The timer of a segment that a loss notice announces.
    pub notice_timer: NoticeTimer,
    /// Random extra time before a paced Interest, as a share of the gap: senders of equal rate do not lock in step.
    pub jitter: f64,
    /// What a change of the rate does to the gap that is running.
    pub rate_change: RateChange,
}

/// What a paced consumer does about the gap that is running when its control changes the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateChange {
    /// It ends as it began: the new rate holds from the next Interest on.
    Next,
    /// It becomes as long as if the new rate had held since the last Interest.
    Now,
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
    /// Segments whose timer a notice has stopped, by the end of their Interest's life.
    stopped: BTreeSet<(Time, u64)>,
    /// When the next Interest leaves, if it waits for its time only.
    departure: Option<Time>,
    /// The window, not the lack of work or pacing, held back the last Interest.
    window_limited: bool,
    check: Span,
    /// When timeouts are looked for next, with a check interval.
    next_check: Time,
    smoothed_rtt: Span,
    counters: FetcherCounters,
    done: bool,
    /// Its end is not that of its flow.
    one_of_many: bool,
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
            stopped: BTreeSet::new(),
            smoothed_rtt: Span::ZERO,
            counters: FetcherCounters::default(),
            done: false,
            one_of_many: false,
        }
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
    pub(crate) fn awaits(&self, packet: &Packet) -> bool {
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

    /// Sends what the control allows, and notes what it waits for then.
    fn pump(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        self.departure = loop {
            if self.done || self.what.stop.is_some_and(|stop| cx.now >= stop) {
                break None;
            }
            self.follow_rate();
            if cx.now < self.next_send {
                break Some(self.next_send);
            }
            let allowance = self.control.allowance();
            self.window_limited = self.in_flight as f64 >= allowance.window;
            if self.window_limited {
                break None;
            }
            let Some(segment) = self.pending.next_to_send(self.what.segments) else { break None };
            self.send(segment, out, cx);
            if let Some(gap) = allowance.gap {
                self.pace(gap, cx.now);
            }
        };
        self.plan_check(cx.now);
    }

    /// Moves the next Interest if the rate has changed and that counts at once.
    fn follow_rate(&mut self) {
        if self.rules.rate_change == RateChange::Now
            && let (Some((begun, factor)), Some(gap)) = (self.paced, self.control.allowance().gap)
        {
            self.next_send = begun + gap.scaled(factor);
        }
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

    fn send(&mut self, segment: u64, out: &mut Outbox, cx: &mut Context<'_>) {
        let nonce = self.chance.bits() as u32;
        let transmission = self.pending.sent(segment, nonce, cx.now);
        self.in_flight += 1;
        self.counters.sent += 1;
        self.counters.retransmitted += u64::from(transmission > 1);
        let signal = SentSignal { now: cx.now, segment, transmission, in_flight: self.in_flight };
        self.control.on_sent(&signal);
        cx.sink.requested(cx.now, self.what.flow, segment, transmission);
        let lifetime_ms = (self.rules.lifetime.0 / 1_000_000).clamp(1, u64::from(u32::MAX)) as u32;
        let interest = Interest::new(self.what.name.with_segment(segment), nonce);
        let interest = Interest { lifetime_ms, ..interest };
        cx.tell(|| {
            let (flow, standing) = (self.what.flow, self.standing());
            Event::Asked { flow, interest: &interest, transmission, standing }
        });
        out.push(interest.into());
    }

    fn on_data(&mut self, data: &Data, hop: &HopFields, cx: &mut Context<'_>) -> bool {
        let Some(segment) = data.name.segment() else { return false };
        let Some(slot) = self.pending.take(segment) else { return false };
        let before = self.watched_standing(cx);
        let were_out = self.in_flight.max(1);
        if slot.state == State::InFlight {
            self.in_flight -= 1;
        }
        if let (None, Some(last)) = (self.what.segments, data.final_segment()) {
            self.what.segments = Some(last + 1);
            self.in_flight -= self.pending.end_at(last + 1);
        }
        self.highest = self.highest.max(segment);
        self.counters.received += 1;
        let rtt = cx.now.since(slot.last_sent);
        if slot.transmissions == 1 {
            self.timeout.on_sample(rtt, were_out, cx.now);
            self.smooth(rtt);
        }
        cx.sink.delivered(
            cx.now,
            self.what.flow,
            &Delivery {
                segment,
                payload: data.payload_len(),
                full_delay: cx.now.since(slot.first_sent),
                last_delay: rtt,
                transmissions: slot.transmissions,
                hops: hop.hop_count,
                marked: hop.congestion_mark > 0,
            },
        );
        let fresh = self.is_fresh();
        let reaction = self.control.on_data(&DataSignal {
            now: cx.now,
            flow: self.what.flow,
            segment,
            payload: data.payload_len(),
            rtt,
            sent_at: slot.last_sent,
            retransmitted: slot.transmissions > 1,
            marked: hop.congestion_mark > 0,
            fresh,
            feedback: hop.feedback,
            hops: hop.hop_count,
            in_flight: self.in_flight,
            smoothed_rtt: self.smoothed_rtt,
            app_limited: !self.window_limited,
        });
        let (transmissions, marked) = (slot.transmissions, hop.congestion_mark > 0);
        self.tell_signal(segment, Signal::Data { rtt, transmissions, marked, fresh }, before, reaction, cx);
        self.react(reaction, cx);
        self.note_completion(cx);
        true
    }

    fn note_completion(&mut self, cx: &mut Context<'_>) {
        if self.what.segments.is_some_and(|n| self.pending.all_received(n)) && !self.done {
            self.done = true;
            if !self.one_of_many {
                cx.sink.completed(cx.now, self.what.flow);
            }
        }
    }

    /// RFC 6298's smoothing, for controls that want a round-trip time.
    fn smooth(&mut self, rtt: Span) {
        let old = self.smoothed_rtt.0;
        self.smoothed_rtt = if old == 0 { rtt } else { Span(old - old / 8 + rtt.0 / 8) };
    }

    /// No cut has been made for this round trip yet.
    fn is_fresh(&self) -> bool {
        self.highest as f64 > self.recovery_point
    }

    fn react(&mut self, reaction: Reaction, cx: &mut Context<'_>) {
        match reaction {
            Reaction::None => {}
            Reaction::Held => cx.sink.held(cx.now, self.what.flow),
            Reaction::Decreased => {
                let next = self.pending.next() as f64;
                self.recovery_point = next + self.rules.guard * (next - self.highest as f64);
                self.counters.decreases += 1;
                cx.sink.decreased(cx.now, self.what.flow, &self.control.allowance());
            }
        }
    }

    /// Tells the control of a loss; `before` is the consumer before anything was done about it.
    fn lose(&mut self, lost: &Slot, segment: u64, kind: Loss, before: Option<Standing>, cx: &mut Context<'_>) {
        let sent_at = lost.last_sent;
        let fresh = self.is_fresh();
        let signal = LossSignal { now: cx.now, kind, segment, sent_at, fresh, in_flight: self.in_flight };
        let reaction = self.control.on_loss(&signal);
        self.tell_signal(segment, Signal::Loss { kind, since: cx.now.since(sent_at), fresh }, before, reaction, cx);
        self.react(reaction, cx);
    }

    /// A router has stored (or lost) the Data and says so. The segment stays pending; it is not sent again.
    fn on_notice(&mut self, name: &Name, cx: &mut Context<'_>) -> bool {
        let Some(segment) = name.segment() else { return false };
        let Some(slot) = self.pending.get(segment).filter(|s| s.state == State::InFlight).copied() else {
            return false;
        };
        let before = self.watched_standing(cx);
        self.counters.notices += 1;
        match self.rules.notice_timer {
            NoticeTimer::Keep => {}
            NoticeTimer::Restart => self.pending.restart_timer(segment, cx.now),
            NoticeTimer::Stop => {
                self.pending.stop_timer(segment);
                self.stopped.insert((slot.last_sent + self.rules.lifetime, segment));
            }
        }
        self.lose(&slot, segment, Loss::Notice, before, cx);
        true
    }

    fn on_nack(&mut self, nack: &Nack, cx: &mut Context<'_>) -> bool {
        let Some(segment) = nack.interest.name.segment() else { return false };
        let refused = |s: &&Slot| s.state == State::InFlight && s.nonce == nack.interest.nonce;
        let Some(slot) = self.pending.get(segment).filter(refused).copied() else { return false };
        let before = self.watched_standing(cx);
        cx.sink.refused(cx.now, self.what.flow, segment, nack.reason);
        // Only congestion passes soon; other refusals are tried again when the timeout says so.
        if nack.reason == NackReason::Congestion {
            self.in_flight -= 1;
            self.pending.lost(segment);
            if slot.last_sent == cx.now {
                // Refused by this very node: without a pause the same instant would repeat for ever.
                self.next_send = self.next_send.max(cx.now + Span::from_millis(1));
                self.paced = None;
            }
        }
        self.lose(&slot, segment, Loss::Nack(nack.reason), before, cx);
        true
    }

    fn expire(&mut self, cx: &mut Context<'_>) {
        let check = self.check;
        if check > Span::ZERO {
            if cx.now < self.next_check {
                return;
            }
            self.next_check = Time::NEVER;
        }
        // With a check interval the timeout is read once a check, as ndnSIM does; otherwise at each segment.
        let at_check = self.timeout.timeout();
        loop {
            let rto = if check > Span::ZERO { at_check } else { self.timeout.timeout() };
            let Some(segment) = self.pending.oldest().filter(|(sent, _)| *sent + rto <= cx.now).map(|(_, s)| s) else {
                break;
            };
            self.time_out(segment, cx);
        }
        while let Some((end, segment)) = self.stopped.first().copied().filter(|(end, _)| *end <= cx.now) {
            self.stopped.remove(&(end, segment));
            let waiting = self
                .pending
                .get(segment)
                .is_some_and(|s| s.state == State::InFlight && s.last_sent + self.rules.lifetime == end);
            if waiting {
                self.time_out(segment, cx);
            }
        }
    }

    fn time_out(&mut self, segment: u64, cx: &mut Context<'_>) {
        let Some(slot) = self.pending.get(segment).copied() else { return };
        let before = self.watched_standing(cx);
        self.in_flight -= 1;
        self.pending.lost(segment);
        self.counters.timeouts += 1;
        cx.sink.timed_out(cx.now, self.what.flow, segment);
        let first_of_event = slot.last_sent >= self.timeout_event;
        if first_of_event {
            self.timeout_event = cx.now;
        }
        self.timeout.on_timeout(&TimeoutSignal { now: cx.now, first_of_event });
        self.lose(&slot, segment, Loss::Timeout, before, cx);
    }

    /// When the first Interest times out.
    fn next_timeout(&self) -> Option<Time> {
        let oldest = self.pending.oldest().map(|(sent, _)| sent + self.timeout.timeout());
        let stopped = self.stopped.first().map(|(end, _)| *end);
        earlier(oldest, stopped)
    }

    /// With a check interval: the first check from now on that will find a timeout. One whose time has come already
    /// waits for the driver to wake us, be it late.
    fn plan_check(&mut self, now: Time) {
        if self.check > Span::ZERO && self.next_check > now {
            let start = self.what.start;
            let passed = now.since(start).0 / self.check.0;
            let checks = |due: Time| due.since(start).0.div_ceil(self.check.0).max(passed + 1);
            self.next_check = self.next_timeout().map_or(Time::NEVER, |due| start + self.check * checks(due));
        }
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
        if !used {
            cx.discard(packet, DropReason::Unwanted);
        }
        self.pump(out, cx);
    }

    fn wake(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        if !self.done && cx.now >= self.what.start {
            self.expire(cx);
            // Nothing will come for a content without segments.
            self.note_completion(cx);
        }
        self.pump(out, cx);
    }

    fn foresee(&self, packet: &Packet) {
        let sent = packet.name().segment().and_then(|segment| self.pending.get(segment));
        std::hint::black_box(sent.map(|slot| slot.last_sent));
        std::hint::black_box((self.control.allowance(), self.timeout.timeout()));
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
            self.what.stop = Some(cx.now);
            self.departure = None;
            return;
        }
        let stopped = self.what.stop.is_some_and(|stop| stop <= cx.now);
        if stopped || self.what.start > cx.now {
            self.what.stop = self.what.stop.filter(|stop| *stop > cx.now);
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

/// The earlier of two times, either of which may never come.
fn earlier(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher").field("what", &self.what).field("counters", &self.counters).finish_non_exhaustive()
    }
}
