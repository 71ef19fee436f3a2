//! One direction of a link: serialisation, propagation, loss.

use crate::conditions::{Conditions, Lateness, LinkState};
use std::collections::VecDeque;
use weir_core::{Chance, DropReason, Event, FaceId, Rate, Seed, Span, Time};
use weir_scenario::plan::Impairment;
use weir_wire::Packet;

/// Where a link direction leads and how.
#[derive(Clone, Copy, Debug)]
pub struct LinkSpec {
    /// Sending node.
    pub from: u32,
    /// Its face.
    pub from_face: FaceId,
    /// Receiving node.
    pub to: u32,
    /// Its face.
    pub to_face: FaceId,
    /// Bit rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Probability that a packet is lost on the way.
    pub loss: f64,
}

/// What has crossed a link direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets sent.
    pub packets: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Packets lost on the way.
    pub lost: u64,
    /// Copies that came into being on the way.
    pub duplicated: u64,
    /// Packets that arrived.
    pub arrived: u64,
    /// Time spent sending.
    pub busy: Span,
}

/// A link direction at work. Its packets are kept in the order in which they arrive, so only the first one stands in the
/// calendar. An event for a packet that is not the first any more (it was overtaken, or lost when the link went down)
/// finds another time at the front and is passed over.
#[derive(Debug)]
pub(crate) struct Link {
    pub spec: LinkSpec,
    pub free_at: Time,
    /// When the queue is to be asked next: a "link is free" event stands in the calendar for it. Events for other times
    /// have been overtaken.
    pub awaited: Time,
    pub flying: VecDeque<(Time, Packet)>,
    pub counters: LinkCounters,
    pub chance: Chance,
    /// Last size and its transmission time: most packets of a direction have one size.
    last: (usize, Span),
    /// Nothing arrives before this: packets stay in order when the delay gets shorter.
    floor: Time,
    /// The latest arrival among the packets that keep their order.
    ordered: Time,
    /// What ordinary links do not have.
    conditions: Option<Box<Conditions>>,
}

/// What became of a packet that was put on a link.
pub(crate) enum Sent {
    /// It flies, and is the first in the air: it arrives at this time.
    First(Time),
    /// It flies behind others.
    Behind,
    /// It is lost.
    Lost(Packet, DropReason),
}

impl Link {
    pub fn new(spec: LinkSpec, chance: Chance) -> Link {
        let counters = LinkCounters::default();
        let last = (0, Span::ZERO);
        let flying = VecDeque::new();
        let (floor, ordered, conditions) = (Time::ZERO, Time::ZERO, None);
        Link {
            spec,
            free_at: Time::ZERO,
            awaited: Time::NEVER,
            flying,
            counters,
            chance,
            last,
            floor,
            ordered,
            conditions,
        }
    }

    /// Makes the link worse.
    pub fn impair(&mut self, impairment: Impairment, seed: Seed) {
        self.conditions = Some(Box::new(Conditions::new(impairment, seed)));
    }

    /// The counters at `now`: a packet that is being sent has been sent for a part of its time only.
    pub fn counters_at(&self, now: Time) -> LinkCounters {
        LinkCounters { busy: self.counters.busy - self.unsent(now), ..self.counters }
    }

    /// What is left of the transmission under way.
    fn unsent(&self, now: Time) -> Span {
        if self.free_at == Time::NEVER { Span::ZERO } else { self.free_at.since(now) }
    }

    /// Whether it carries packets.
    pub fn state(&self) -> LinkState {
        self.conditions.as_ref().map_or(LinkState::Up, |conditions| conditions.state)
    }

    /// Carries packets from now on, or does not.
    pub fn set_state(&mut self, state: LinkState, now: Time) {
        let ordinary = || Box::new(Conditions::new(Impairment::default(), Seed(0)));
        self.conditions.get_or_insert_with(ordinary).state = state;
        if state == LinkState::Waiting {
            // It is never free, so nobody asks the queue.
            (self.free_at, self.awaited) = (Time::NEVER, Time::NEVER);
        } else if self.free_at == Time::NEVER {
            self.free_at = now;
        }
    }

    /// Loses everything that is in the air or being sent.
    pub fn cut(&mut self, now: Time) -> Vec<Packet> {
        let unsent = self.unsent(now);
        self.counters.busy = self.counters.busy - unsent;
        self.free_at = self.free_at.min(now);
        self.counters.lost += self.flying.len() as u64;
        self.flying.drain(..).map(|(_, packet)| packet).collect()
    }

    /// Has other properties from now on.
    pub fn change(&mut self, rate: Option<Rate>, delay: Option<Span>, loss: Option<f64>) {
        // The time kept for the last size was for the old rate.
        self.last = (0, Span::ZERO);
        self.spec.rate = rate.unwrap_or(self.spec.rate);
        self.spec.loss = loss.unwrap_or(self.spec.loss);
        if let Some(delay) = delay {
            self.spec.delay = delay;
            self.floor = self.flying.back().map_or(self.floor, |(last, _)| self.floor.max(*last));
        }
    }

    /// What a watcher sees of a packet that is about to be put on the link.
    pub fn sending<'a>(&self, packet: &'a Packet, now: Time) -> Event<'a> {
        Event::Sent { packet, until: now + self.spec.rate.transmission(packet.wire_len()) }
    }

    /// Puts a packet on the link, which must be free.
    #[inline(always)]
    pub fn transmit(&mut self, packet: Packet, now: Time) -> Sent {
        if self.state() == LinkState::Dropping {
            self.free_at = now;
            return Sent::Lost(packet, DropReason::LinkDown);
        }
        let bytes = packet.wire_len();
        if bytes != self.last.0 {
            self.last = (bytes, self.spec.rate.transmission(bytes));
        }
        let time = self.last.1;
        self.free_at = now + time;
        self.counters.packets += 1;
        self.counters.bytes += bytes as u64;
        self.counters.busy += time;
        if self.chance.happens(self.spec.loss) {
            self.counters.lost += 1;
            return Sent::Lost(packet, DropReason::LinkLoss);
        }
        let arrival = (self.free_at + self.spec.delay).max(self.floor);
        if self.conditions.is_some() {
            return self.send_on(packet, arrival);
        }
        self.flying.push_back((arrival, packet));
        if self.flying.len() == 1 { Sent::First(arrival) } else { Sent::Behind }
    }

    /// The way over a link with conditions of its own.
    fn send_on(&mut self, packet: Packet, arrival: Time) -> Sent {
        let Some(conditions) = &mut self.conditions else { return Sent::Lost(packet, DropReason::LinkLoss) };
        if conditions.state == LinkState::Silent {
            self.counters.lost += 1;
            return Sent::Lost(packet, DropReason::LinkDown);
        }
        if conditions.loses() {
            self.counters.lost += 1;
            return Sent::Lost(packet, DropReason::LinkLoss);
        }
        let own = conditions.lateness(self.spec.delay);
        let copy = conditions.duplicates().then(|| (packet.clone(), conditions.lateness(self.spec.delay)));
        let mut first = self.let_fly(packet, arrival, own);
        if let Some((copy, late)) = copy {
            self.counters.duplicated += 1;
            first |= self.let_fly(copy, arrival, late);
        }
        match self.flying.front() {
            Some((earliest, _)) if first => Sent::First(*earliest),
            _ => Sent::Behind,
        }
    }

    /// Puts a packet among those in the air; true if it is the first.
    fn let_fly(&mut self, packet: Packet, arrival: Time, (late, in_order): (Lateness, bool)) -> bool {
        let mut arrival = Time(arrival.0.saturating_add_signed(late.0));
        if in_order {
            arrival = arrival.max(self.ordered);
            self.ordered = arrival;
        }
        let place = self.flying.partition_point(|(other, _)| *other <= arrival);
        self.flying.insert(place, (arrival, packet));
        place == 0
    }
}
