//! One direction of a link: serialisation, propagation, loss.

use crate::conditions::{Conditions, Lateness, LinkState};
use std::collections::VecDeque;
use weir_core::{Chance, DropReason, Event, FaceId, Rate, Seed, Span, Time};
use weir_scenario::plan::Impairment;
use weir_wire::{Mtu, Packet};

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
    /// Probability that a frame is lost on the way; a packet is lost with any of its frames.
    pub loss: f64,
    /// The longest frame, if longer packets cross in fragments.
    pub mtu: Option<Mtu>,
}

/// What has crossed a link direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets sent.
    pub packets: u64,
    /// Bytes sent, headers of fragments included.
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
    /// What the last packet took: most packets of a direction have one size.
    last: Crossing,
    /// Nothing arrives before this: packets stay in order when the delay gets shorter.
    floor: Time,
    /// The latest arrival among the packets that keep their order.
    ordered: Time,
    /// What ordinary links do not have.
    conditions: Option<Box<Conditions>>,
}

/// What it takes to send a packet.
#[derive(Clone, Copy, Debug, Default)]
struct Crossing {
    /// Length of the packets for which this holds; 0 if it has to be computed anew for each: fragments carry fields that
    /// the length does not show.
    len: usize,
    bytes: u64,
    frames: usize,
    time: Span,
    loss: f64,
}

/// What became of a packet that was put on a link.
pub(crate) enum Sent {
    /// It flies, and is the first in the air: it arrives at this time.
    First(Time),
    /// It flies behind others.
    Behind,
    /// It flies, and a copy of it, which has this place among those in the air; if one of them is the first, with the
    /// time when that arrives.
    Twice(usize, Option<Time>),
    /// It is lost.
    Lost(Packet, DropReason),
}

impl Link {
    pub fn new(spec: LinkSpec, chance: Chance) -> Link {
        let counters = LinkCounters::default();
        let last = Crossing::default();
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

    /// Packets that have left and not arrived.
    pub fn in_air(&self, now: Time) -> usize {
        self.flying.len().saturating_sub(usize::from(self.unsent(now) > Span::ZERO))
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
        // What is kept for the last size was for the old rate and loss.
        self.last = Crossing::default();
        self.spec.rate = rate.unwrap_or(self.spec.rate);
        self.spec.loss = loss.unwrap_or(self.spec.loss);
        if let Some(delay) = delay {
            self.spec.delay = delay;
            self.floor = self.flying.back().map_or(self.floor, |(last, _)| self.floor.max(*last));
        }
    }

    /// What a watcher sees of a packet that is about to be put on the link.
    pub fn sending<'a>(&self, packet: &'a Packet, now: Time) -> Event<'a> {
        Event::Sent { packet, until: now + self.crossing(packet).time }
    }

    /// What it takes to send this packet.
    fn crossing(&self, packet: &Packet) -> Crossing {
        let LinkSpec { rate, loss, .. } = self.spec;
        let Some(mtu) = self.spec.mtu else {
            let len = packet.wire_len();
            return Crossing { len, bytes: len as u64, frames: 1, time: rate.transmission(len), loss };
        };
        let frames = packet.frames(mtu);
        let all_survive = (0..frames.count).fold(1.0, |survive, _| survive * (1.0 - loss));
        let loss = if frames.count == 1 { loss } else { 1.0 - all_survive };
        let time = rate.transmission(frames.bytes);
        Crossing { len: 0, bytes: frames.bytes as u64, frames: frames.count, time, loss }
    }

    /// Puts a packet on the link, which must be free.
    #[inline(always)]
    pub fn transmit(&mut self, packet: Packet, now: Time) -> Sent {
        if self.state() == LinkState::Dropping {
            self.free_at = now;
            return Sent::Lost(packet, DropReason::LinkDown);
        }
        if packet.wire_len() != self.last.len {
            self.last = self.crossing(&packet);
        }
        let time = self.last.time;
        self.free_at = now + time;
        self.counters.packets += 1;
        self.counters.bytes += self.last.bytes;
        self.counters.busy += time;
        if self.chance.happens(self.last.loss) {
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
        // Each frame moves the chain on.
        if (0..self.last.frames).fold(false, |lost, _| lost | conditions.loses()) {
            self.counters.lost += 1;
            return Sent::Lost(packet, DropReason::LinkLoss);
        }
        let own = conditions.lateness(self.spec.delay);
        let copy = conditions.duplicates().then(|| (packet.clone(), conditions.lateness(self.spec.delay)));
        let first = self.let_fly(packet, arrival, own) == 0;
        if let Some((copy, late)) = copy {
            self.counters.duplicated += 1;
            let place = self.let_fly(copy, arrival, late);
            return Sent::Twice(place, self.earliest().filter(|_| first || place == 0));
        }
        self.earliest().filter(|_| first).map_or(Sent::Behind, Sent::First)
    }

    /// When the first packet in the air arrives.
    fn earliest(&self) -> Option<Time> {
        self.flying.front().map(|(time, _)| *time)
    }

    /// Puts a packet among those in the air, and says at which place.
    fn let_fly(&mut self, packet: Packet, arrival: Time, (late, in_order): (Lateness, bool)) -> usize {
        let mut arrival = Time(arrival.0.saturating_add_signed(late.0));
        if in_order {
            arrival = arrival.max(self.ordered);
            self.ordered = arrival;
        }
        let place = self.flying.partition_point(|(other, _)| *other <= arrival);
        self.flying.insert(place, (arrival, packet));
        place
    }
}
