//! A consumer of single Data: many requests, each for one object of one segment, without congestion control.
//!
//! A request costs a slot in a table and a timer in a list; there is no plug-in for each. One timeout rule serves all.

mod waiting;

use crate::application::{Application, Outbox};
use crate::requests::{Demand, Requests};
use std::collections::VecDeque;
use waiting::{Waiting, Wanted};
use weir_core::{
    Allowance, Chance, Context, Delivery, DropReason, Event, FlowId, Lifetime, Parts, Reading, Seed, Span, Standing,
    Time, Timeout, TimeoutSignal,
};
use weir_wire::{Data, HopFields, Interest, Kind, Name, Packet};

/// What to request, and how.
#[derive(Clone, Debug)]
pub struct RequesterRules {
    /// Number of the flow that all requests belong to.
    pub flow: FlowId,
    /// The catalogue: object `n` is the Data `<content>/seg=<n>`.
    pub content: Name,
    /// InterestLifetime.
    pub lifetime: Lifetime,
    /// How often an Interest is sent again before the request is given up.
    pub retries: u32,
}

/// A consumer that makes requests as a [`Demand`] says, each for one Data.
///
/// Two requests for one object at one time share an Interest, as two programs on one host do behind its forwarder: the
/// second joins the first and waits for the same Data. Repetitions leave when the timeout rule says so. A Nack does not
/// hurry them, for whoever is refused at once would be refused again at once.
pub struct Requester {
    rules: RequesterRules,
    requests: Requests,
    timeout: Box<dyn Timeout>,
    nonces: Chance,
    waiting: Waiting,
    /// Interests in the order in which they were sent; stale where the object has arrived or its Interest was repeated.
    timers: VecDeque<(Time, u64)>,
    /// When the last loss event began: what was sent before it belongs to it.
    timeout_event: Time,
    check: Span,
    /// When timeouts are looked for next, with a check interval.
    next_check: Time,
    done: bool,
}

impl Requester {
    /// A consumer whose chance comes from `seed`.
    pub fn new(rules: RequesterRules, demand: Demand, timeout: Box<dyn Timeout>, seed: Seed) -> Requester {
        Requester {
            rules,
            requests: Requests::new(demand, seed),
            check: timeout.check_interval(),
            next_check: Time::NEVER,
            timeout_event: Time::ZERO,
            timeout,
            nonces: seed.of("consumer").stream(),
            waiting: Waiting::default(),
            timers: VecDeque::new(),
            done: false,
        }
    }

    /// Objects that are waited for.
    pub fn in_flight(&self) -> usize {
        self.waiting.len()
    }

    fn request(&mut self, object: u64, out: &mut Outbox, cx: &mut Context<'_>) {
        cx.sink.began(cx.now, self.rules.flow);
        match self.waiting.get_mut(object) {
            Some(wanted) => wanted.joined.push(cx.now),
            None => {
                self.waiting.insert(Wanted::new(object, cx.now));
                self.send(object, out, cx);
            }
        }
    }

    fn send(&mut self, object: u64, out: &mut Outbox, cx: &mut Context<'_>) {
        let Some(wanted) = self.waiting.get_mut(object) else { return };
        wanted.transmissions += 1;
        wanted.last_sent = cx.now;
        cx.sink.requested(cx.now, self.rules.flow, object, wanted.transmissions);
        self.timers.push_back((cx.now, object));
        let transmission = wanted.transmissions;
        let interest = Interest::new(self.rules.content.with_segment(object), self.nonces.bits() as u32);
        let interest = Interest { lifetime_ms: self.rules.lifetime.millis(self.timeout.timeout()), ..interest };
        cx.tell(|| {
            let (flow, standing) = (self.rules.flow, self.standing());
            Event::Asked { flow, interest: &interest, transmission, standing }
        });
        out.push(interest.into());
    }

    /// No control holds requests back.
    fn standing(&self) -> Standing {
        let allowance = Allowance { window: f64::INFINITY, gap: None };
        Standing { allowance, in_flight: self.waiting.len(), rto: self.timeout.timeout() }
    }

    fn on_data(&mut self, data: &Data, hop: &HopFields, cx: &mut Context<'_>) -> bool {
        let object = data.name.segment().filter(|_| self.rules.content.same_stem(&data.name));
        let were_out = self.waiting.len();
        let Some(wanted) = object.and_then(|object| self.waiting.take(object)) else { return false };
        self.drop_stale_timers();
        let last_delay = cx.now.since(wanted.last_sent);
        if wanted.transmissions == 1 {
            self.timeout.on_sample(last_delay, were_out, cx.now);
        }
        let delivery = Delivery {
            segment: wanted.object,
            payload: data.payload_len(),
            full_delay: cx.now.since(wanted.asked),
            last_delay,
            transmissions: wanted.transmissions,
            hops: hop.hop_count,
            marked: hop.congestion_mark > 0,
        };
        cx.sink.delivered(cx.now, self.rules.flow, &delivery);
        for asked in wanted.all() {
            cx.sink.fetched(cx.now, self.rules.flow, cx.now.since(asked));
        }
        true
    }

    /// Repeats or gives up what is overdue.
    fn expire(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        if self.check > Span::ZERO {
            if cx.now < self.next_check {
                return;
            }
            self.next_check = Time::NEVER;
        }
        // With a check interval the timeout is read once a check, as ndnSIM does; otherwise at each Interest.
        let at_check = self.timeout.timeout();
        loop {
            let rto = if self.check > Span::ZERO { at_check } else { self.timeout.timeout() };
            let Some((sent, object)) = self.timers.front().copied().filter(|(sent, _)| *sent + rto <= cx.now) else {
                break;
            };
            cx.sink.timed_out(cx.now, self.rules.flow, object);
            let first_of_event = sent >= self.timeout_event;
            if first_of_event {
                self.timeout_event = cx.now;
            }
            self.timeout.on_timeout(&TimeoutSignal { now: cx.now, first_of_event });
            self.timers.pop_front();
            let repeated = self.waiting.get_mut(object).is_some_and(|w| w.transmissions <= self.rules.retries);
            if repeated {
                self.send(object, out, cx);
            } else if let Some(wanted) = self.waiting.take(object) {
                wanted.all().for_each(|_| cx.sink.abandoned(cx.now, self.rules.flow));
            }
            self.drop_stale_timers();
        }
    }

    /// Keeps the front of `timers` true, so that the next timeout is a look at one element.
    #[inline]
    fn drop_stale_timers(&mut self) {
        while let Some((sent, object)) = self.timers.front() {
            if self.waiting.get(*object).is_some_and(|wanted| wanted.last_sent == *sent) {
                break;
            }
            self.timers.pop_front();
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        self.timers.front().map(|(sent, _)| *sent + self.timeout.timeout())
    }

    /// With a check interval: the first check from now on that will find a timeout.
    fn plan_check(&mut self, now: Time) {
        if self.check > Span::ZERO && self.next_check > now {
            let checks = |due: Time| due.0.div_ceil(self.check.0).max(now.0 / self.check.0 + 1);
            self.next_check =
                self.next_timeout().map_or(Time::NEVER, |due| Time(self.check.0.saturating_mul(checks(due))));
        }
    }

    /// Says once that nothing will come any more.
    fn note_end(&mut self, cx: &mut Context<'_>) {
        if !self.done && self.waiting.len() == 0 && self.requests.next().is_none() {
            self.done = true;
            cx.sink.completed(cx.now, self.rules.flow);
        }
    }
}

impl Application for Requester {
    fn receive(&mut self, packet: Packet, _out: &mut Outbox, cx: &mut Context<'_>) {
        let used = match &packet.kind {
            // A notice says that the Data comes later: the timer runs on.
            Kind::Data(data) if packet.hop.loss_notice => {
                data.name.segment().is_some_and(|object| self.waiting.get(object).is_some())
            }
            Kind::Data(data) => self.on_data(data, &packet.hop, cx),
            Kind::Nack(_) | Kind::Interest(_) => false,
        };
        if !used {
            cx.discard(packet, DropReason::Unwanted);
        }
        self.plan_check(cx.now);
        self.note_end(cx);
    }

    fn wake(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        self.expire(out, cx);
        while let Some(object) = self.requests.take(cx.now) {
            self.request(object, out, cx);
        }
        self.plan_check(cx.now);
        self.note_end(cx);
    }

    fn next_wake(&self) -> Option<Time> {
        let timeout = match self.check {
            Span::ZERO => self.next_timeout(),
            _ => Some(self.next_check).filter(|at| *at != Time::NEVER),
        };
        [timeout, self.requests.next()].into_iter().flatten().min()
    }

    fn name(&self) -> &Name {
        &self.rules.content
    }

    fn serves(&self) -> bool {
        false
    }

    fn flow(&self) -> Option<FlowId> {
        Some(self.rules.flow)
    }

    fn set_running(&mut self, run: bool, cx: &mut Context<'_>) {
        self.requests.set_running(run, cx.now);
        self.note_end(cx);
    }

    fn adopt(&mut self, mut parts: Parts, _control: bool, timeout: bool, cx: &mut Context<'_>) {
        if timeout {
            self.timeout = parts(0).1;
            self.check = self.timeout.check_interval();
            self.next_check = Time::NEVER;
            self.plan_check(cx.now);
        }
    }

    fn inspect(&self, report: &mut dyn FnMut(Reading)) {
        report(Reading::Flow {
            flow: self.rules.flow,
            window: f64::INFINITY,
            rate: None,
            in_flight: self.waiting.len(),
            rto: self.timeout.timeout(),
        });
    }
}

impl std::fmt::Debug for Requester {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Requester")
            .field("rules", &self.rules)
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}
