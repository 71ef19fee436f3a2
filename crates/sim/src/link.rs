//! One direction of a link: serialisation, propagation, loss.

use std::collections::VecDeque;
use weir_core::{Chance, Event, FaceId, Rate, Span, Time};
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
    /// Packets that arrived.
    pub arrived: u64,
    /// Time spent sending.
    pub busy: Span,
}

/// A link direction at work. It delivers in order, so only the packet that arrives first stands in the calendar.
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
}

/// What became of a packet that was put on a link.
pub(crate) enum Sent {
    /// It flies, and is the first in the air: it arrives at this time.
    First(Time),
    /// It flies behind others.
    Behind,
    /// It is lost.
    Lost(Packet),
}

impl Link {
    pub fn new(spec: LinkSpec, chance: Chance) -> Link {
        let counters = LinkCounters::default();
        let last = (0, Span::ZERO);
        Link { spec, free_at: Time::ZERO, awaited: Time::NEVER, flying: VecDeque::new(), counters, chance, last }
    }

    /// The counters at `now`: a packet that is being sent has been sent for a part of its time only.
    pub fn counters_at(&self, now: Time) -> LinkCounters {
        LinkCounters { busy: self.counters.busy - self.free_at.since(now), ..self.counters }
    }

    /// What a watcher sees of a packet that is about to be put on the link.
    pub fn sending<'a>(&self, packet: &'a Packet, now: Time) -> Event<'a> {
        Event::Sent { packet, until: now + self.spec.rate.transmission(packet.wire_len()) }
    }

    /// Puts a packet on the link, which must be free.
    #[inline]
    pub fn transmit(&mut self, packet: Packet, now: Time) -> Sent {
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
            return Sent::Lost(packet);
        }
        let arrival = self.free_at + self.spec.delay;
        self.flying.push_back((arrival, packet));
        if self.flying.len() == 1 { Sent::First(arrival) } else { Sent::Behind }
    }
}
