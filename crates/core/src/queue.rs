//! Router-side plug-in: one direction of one link.

use crate::{Bytes, Context, Pull, Span, Time};
use weir_wire::{Mtu, Packet};

/// One direction of one link: order, mark, drop, hold back, recover.
///
/// Every packet that enters leaves again, through `dequeue` or through [`Context::discard`]; `backlog` and `held`
/// count those in between. The engine writes [`queued_at`](weir_wire::Parts::queued_at) before `enqueue`; a discipline that moves a packet
/// from a store of its own into the queue writes it again.
pub trait QueueDiscipline: Send {
    /// Takes a packet, or discards one.
    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>);
    /// The next packet to send. May mark, may discard others, may say [`Pull::Later`].
    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull;
    /// Which calls of the engine it needs besides `enqueue` and `dequeue`; asked once.
    fn needs(&self) -> Needs {
        Needs::default()
    }
    /// What waits to be sent.
    fn backlog(&self) -> Backlog;
    /// How much may wait.
    fn limit(&self) -> Limit;
    /// Packets kept apart for later recovery; not part of `backlog`.
    fn held(&self) -> usize {
        0
    }
    /// Takes out all that waits and all that is held, oldest first: the queue is about to be replaced, or its node is
    /// restarted. By default, what `dequeue` gives; a queue that holds packets back says it in its own way.
    fn drain(&mut self, cx: &mut Context<'_>) -> Vec<Packet> {
        let next = || match self.dequeue(cx) {
            Pull::Packet(packet) => Some(packet),
            Pull::Later(_) | Pull::Idle => None,
        };
        std::iter::from_fn(next).collect()
    }
    /// A packet came in over the other direction of the same link. Called if [`Needs::observe`].
    fn observe(&mut self, _arrived: &Packet, _cx: &mut Context<'_>) {}
    /// Does what is due. Called if [`Needs::wake`].
    fn wake(&mut self, _cx: &mut Context<'_>) {}
    /// When `wake` wants to be called.
    fn next_wake(&self) -> Option<Time> {
        None
    }
}

/// Which calls a queue needs: most need none, and a call at every packet that does nothing still costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// `observe` at every packet that comes in.
    pub observe: bool,
    /// `next_wake` after every packet, and `wake` when it is due.
    pub wake: bool,
    /// `backlog` before every `dequeue`: for a queue that drops there, and so is longer before than what leaves and what
    /// stays afterwards.
    pub length: bool,
    /// None for a packet that finds nothing waiting and leaves again before the next one comes: the queue would have
    /// given it back as it was, whatever the time, and would not have remembered it. Most packets of most links spare
    /// their node two calls by this. (Only where the limit is in packets and admits one.)
    pub only_if_waiting: bool,
}

impl Needs {
    /// What either of two queues needs: for one that wraps another.
    pub fn or(self, other: Needs) -> Needs {
        Needs {
            observe: self.observe || other.observe,
            wake: self.wake || other.wake,
            length: self.length || other.length,
            only_if_waiting: self.only_if_waiting && other.only_if_waiting,
        }
    }
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: usize,
    /// Bytes on the wire, without the headers of fragments.
    pub bytes: usize,
    /// Frames in which they will cross the link; as many as packets unless the queue is limited in frames.
    pub frames: usize,
}

/// Capacity of a queue: packets that wait, the one in transmission not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many packets.
    Packets(usize),
    /// So many bytes on the wire.
    Bytes(Bytes),
    /// So many frames of a link that carries no longer ones than `mtu`. A packet is let in whole or not at all.
    Frames {
        /// Frames that wait.
        most: usize,
        /// The longest frame.
        mtu: Mtu,
    },
}

impl Limit {
    /// True if `packet` fits behind `backlog`.
    #[inline]
    pub fn admits(self, backlog: Backlog, packet: &Packet) -> bool {
        match self {
            Limit::Packets(n) => backlog.packets < n,
            Limit::Bytes(b) => (backlog.bytes + packet.wire_len()) as u64 <= b.0,
            Limit::Frames { most, mtu } => backlog.frames + packet.frame_count(mtu) <= most,
        }
    }

    /// How many packets of this size fit, and the part of one that is left over.
    pub fn in_packets(self, size: Bytes) -> f64 {
        match self {
            Limit::Packets(n) => n as f64,
            Limit::Bytes(b) => b.0 as f64 / size.0.max(1) as f64,
            Limit::Frames { most, mtu } => most as f64 / mtu.frames_of(size.0 as usize) as f64,
        }
    }
}

/// A marking law: asked at each dequeue; when the queue is found empty, with no sojourn and no backlog.
pub trait MarkLaw: Send {
    /// A packet that waited `sojourn` leaves, `backlog` stays. True: signal congestion once.
    fn signal(&mut self, sojourn: Span, backlog: Backlog, now: Time) -> bool;
    /// Is there still congestion? When not, a mark that waits for its packet is forgotten.
    fn persists(&self) -> bool {
        true
    }
}
