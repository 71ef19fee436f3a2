//! One direction of a link: serialisation, propagation, loss.

use crate::conditions::{Conditions, Lateness, LinkState};
use std::collections::VecDeque;
use weir_core::ahead::ask_for;
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
///
/// In a large network each link that a packet crosses has to be read from memory, so what every packet needs comes first
/// and fills two lines of the processor's cache: one for the arrival, one for the transmission.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Link {
    pub flying: VecDeque<(Time, Packet)>,
    pub free_at: Time,
    /// When the queue is to be asked next: a "link is free" event stands in the calendar for it. Events for other times
    /// have been overtaken.
    pub awaited: Time,
    /// The ends, as in `spec`.
    pub from: u32,
    pub from_face: FaceId,
    pub to: u32,
    pub to_face: FaceId,
    /// What the last packet took: most packets of a direction have one size.
    last: Crossing,
    /// As in `spec`.
    delay: Span,
    pub arrived: u64,
    packets: u64,
    pub bytes: u64,
    busy: Span,
    /// So many of the first packets in the air have an event in the calendar: one at least, if there are any.
    announced: u32,
    /// It loses nothing, has no conditions, and its delay has never changed.
    plain: bool,
    pub spec: LinkSpec,
    /// With what is counted apart left out.
    rest: LinkCounters,
    pub chance: Chance,
    /// Of the last packet: the probability that one of its frames is lost, and how many it has.
    last_loss: f64,
    last_frames: usize,
    /// Nothing arrives before this: packets stay in order when the delay gets shorter.
    floor: Time,
    /// The latest arrival among the packets that keep their order.
    ordered: Time,
    /// What ordinary links do not have.
    conditions: Option<Box<Conditions>>,
}

const _: () =
    assert!(std::mem::offset_of!(Link, spec) == 128, "what each packet needs is to be two lines of the cache");

/// What it takes to send a packet.
#[derive(Clone, Copy, Debug, Default)]
struct Crossing {
    time: Span,
    /// Length of the packets for which this holds; 0 if it has to be computed anew for each: fragments carry fields that
    /// the length does not show.
    len: u32,
    bytes: u32,
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
        let LinkSpec { from, from_face, to, to_face, delay, .. } = spec;
        let mut link = Link {
            flying: VecDeque::new(),
            free_at: Time::ZERO,
            awaited: Time::NEVER,
            from,
            from_face,
            to,
            to_face,
            announced: 0,
            last: Crossing::default(),
            delay,
            arrived: 0,
            packets: 0,
            bytes: 0,
            busy: Span::ZERO,
            plain: false,
            spec,
            rest: LinkCounters::default(),
            chance,
            last_loss: 0.0,
            last_frames: 0,
            floor: Time::ZERO,
            ordered: Time::ZERO,
            conditions: None,
        };
        link.note_kind();
        link
    }

    /// Sees whether packets can go the short way.
    fn note_kind(&mut self) {
        self.plain =
            self.conditions.is_none() && self.spec.mtu.is_none() && self.floor == Time::ZERO && self.spec.loss <= 0.0;
    }

    /// Makes the link worse.
    pub fn impair(&mut self, impairment: Impairment, seed: Seed) {
        self.conditions = Some(Box::new(Conditions::new(impairment, seed)));
        self.note_kind();
    }

    /// The counters at `now`: a packet that is being sent has been sent for a part of its time only.
    pub fn counters_at(&self, now: Time) -> LinkCounters {
        let Link { packets, bytes, arrived, .. } = *self;
        LinkCounters { packets, bytes, arrived, busy: self.busy - self.unsent(now), ..self.rest }
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
    #[inline]
    pub fn state(&self) -> LinkState {
        if self.plain {
            return LinkState::Up;
        }
        self.conditions.as_ref().map_or(LinkState::Up, |conditions| conditions.state)
    }

    /// Asks for what a transmission needs.
    #[inline]
    pub fn foresee(&self) {
        ask_for(self);
        ask_for(&self.packets);
    }

    /// Carries packets from now on, or does not.
    pub fn set_state(&mut self, state: LinkState, now: Time) {
        let ordinary = || Box::new(Conditions::new(Impairment::default(), Seed(0)));
        self.conditions.get_or_insert_with(ordinary).state = state;
        self.note_kind();
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
        self.busy = self.busy - unsent;
        self.free_at = self.free_at.min(now);
        self.rest.lost += self.flying.len() as u64;
        self.announced = 0;
        self.flying.drain(..).map(|(_, packet)| packet).collect()
    }

    /// Has other properties from now on.
    pub fn change(&mut self, rate: Option<Rate>, delay: Option<Span>, loss: Option<f64>) {
        // What is kept for the last size was for the old rate and loss.
        self.last = Crossing::default();
        self.spec.rate = rate.unwrap_or(self.spec.rate);
        self.spec.loss = loss.unwrap_or(self.spec.loss);
        if let Some(delay) = delay {
            (self.spec.delay, self.delay) = (delay, delay);
            self.floor = self.flying.back().map_or(self.floor, |(last, _)| self.floor.max(*last));
        }
        self.note_kind();
    }

    /// What a watcher sees of a packet that is about to be put on the link.
    pub fn sending<'a>(&self, packet: &'a Packet, now: Time) -> Event<'a> {
        Event::Sent { packet, until: now + self.crossing(packet).0.time }
    }

    /// What it takes to send this packet, in how many frames, and how probably one of them is lost.
    fn crossing(&self, packet: &Packet) -> (Crossing, usize, f64) {
        let LinkSpec { rate, loss, .. } = self.spec;
        let Some(mtu) = self.spec.mtu else {
            let len = packet.wire_len();
            return (Crossing { len: len as u32, bytes: len as u32, time: rate.transmission(len) }, 1, loss);
        };
        let frames = packet.frames_but(mtu, usize::from(packet.hop.frames_lost));
        let all_survive = (0..frames.count).fold(1.0, |survive, _| survive * (1.0 - loss));
        let loss = if frames.count == 1 { loss } else { 1.0 - all_survive };
        let time = rate.transmission(frames.bytes);
        (Crossing { len: 0, bytes: frames.bytes as u32, time }, frames.count, loss)
    }

    /// Puts a packet on the link, which must be free.
    #[inline(always)]
    pub fn transmit(&mut self, packet: Packet, now: Time) -> Sent {
        if self.state() == LinkState::Dropping {
            self.free_at = now;
            return Sent::Lost(packet, DropReason::LinkDown);
        }
        if packet.wire_len() != self.last.len as usize {
            (self.last, self.last_frames, self.last_loss) = self.crossing(&packet);
        }
        let time = self.last.time;
        self.free_at = now + time;
        self.packets += 1;
        self.bytes += u64::from(self.last.bytes);
        self.busy += time;
        let arrival = self.free_at + self.delay;
        if !self.plain {
            return self.send_carefully(packet, arrival);
        }
        self.fly(packet, arrival)
    }

    #[inline(always)]
    fn fly(&mut self, packet: Packet, arrival: Time) -> Sent {
        self.flying.push_back((arrival, packet));
        if self.flying.len() > 1 {
            return Sent::Behind;
        }
        self.announced = 1;
        Sent::First(arrival)
    }

    /// The first packet in the air has arrived: says when the next one does, if that has no event yet.
    #[inline]
    pub fn announce_next(&mut self) -> Option<Time> {
        self.announced = self.announced.saturating_sub(1);
        if self.announced > 0 {
            return None;
        }
        let next = self.flying.front()?.0;
        self.announced = 1;
        Some(next)
    }

    /// Says when the packets without an event arrive before `end`, for which there will be one. Where packets may overtake
    /// each other, only the first has one.
    #[inline]
    pub fn announce_until(&mut self, end: Time, mut announce: impl FnMut(Time)) {
        if self.plain {
            while let Some((arrival, _)) =
                self.flying.get(self.announced as usize).filter(|(arrival, _)| *arrival < end)
            {
                announce(*arrival);
                self.announced += 1;
            }
        }
    }

    /// The packets that have an event in the calendar.
    #[inline]
    pub fn announced(&self) -> impl Iterator<Item = &Packet> {
        self.flying.iter().take(self.announced as usize).map(|(_, packet)| packet)
    }

    /// The way over a link that may lose packets, or keep them in order when its delay has changed.
    #[inline(never)]
    fn send_carefully(&mut self, packet: Packet, arrival: Time) -> Sent {
        // It took its time, but is not whole.
        if packet.hop.frames_lost > 0 {
            self.rest.lost += 1;
            return Sent::Lost(packet, DropReason::LinkLoss);
        }
        if self.chance.happens(self.last_loss) {
            self.rest.lost += 1;
            return Sent::Lost(packet, DropReason::LinkLoss);
        }
        let arrival = arrival.max(self.floor);
        if self.conditions.is_some() { self.send_on(packet, arrival) } else { self.fly(packet, arrival) }
    }

    /// The way over a link with conditions of its own.
    fn send_on(&mut self, packet: Packet, arrival: Time) -> Sent {
        let Some(conditions) = &mut self.conditions else { return Sent::Lost(packet, DropReason::LinkLoss) };
        if conditions.state == LinkState::Silent {
            self.rest.lost += 1;
            return Sent::Lost(packet, DropReason::LinkDown);
        }
        // Each frame moves the chain on.
        if (0..self.last_frames).fold(false, |lost, _| lost | conditions.loses()) {
            self.rest.lost += 1;
            return Sent::Lost(packet, DropReason::LinkLoss);
        }
        let own = conditions.lateness(self.delay);
        let copy = conditions.duplicates().then(|| (packet.clone(), conditions.lateness(self.delay)));
        let first = self.let_fly(packet, arrival, own) == 0;
        if let Some((copy, late)) = copy {
            self.rest.duplicated += 1;
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
        // What comes behind it will be announced when it has arrived; whoever is told that it is the first announces it.
        self.announced = self.announced.min(place as u32).max(1);
        place
    }
}
