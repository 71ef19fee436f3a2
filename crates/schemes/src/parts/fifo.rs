//! The store behind most queue disciplines.

use std::collections::VecDeque;
use weir_core::{Backlog, Bytes, Context, DropReason, Limit, Span, Time};
use weir_wire::Packet;

/// First in, first out, up to a limit. Allocates nothing once it has been at its longest.
#[derive(Debug)]
pub struct Fifo {
    packets: VecDeque<Waiting>,
    bytes: usize,
    frames: usize,
    limit: Limit,
}

/// A packet with its length and frames as it came: a mark set while it waits must not upset the sums.
#[derive(Debug)]
struct Waiting {
    packet: Packet,
    bytes: u32,
    frames: u32,
}

impl Fifo {
    /// An empty queue.
    pub fn new(limit: Limit) -> Fifo {
        Fifo { packets: VecDeque::new(), bytes: 0, frames: 0, limit }
    }

    /// An empty queue without a limit.
    pub fn unbounded() -> Fifo {
        Fifo::new(Limit::Bytes(Bytes(u64::MAX)))
    }

    /// What waits.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len(), bytes: self.bytes, frames: self.frames }
    }

    /// How much may wait.
    #[inline]
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Takes a packet if it fits, else gives it back.
    #[inline]
    pub fn push(&mut self, packet: Packet) -> Option<Packet> {
        if !self.limit.admits(self.backlog(), &packet) {
            return Some(packet);
        }
        let bytes = packet.wire_len();
        let frames = if let Limit::Frames { mtu, .. } = self.limit { packet.frame_count(mtu) } else { 1 };
        self.bytes += bytes;
        self.frames += frames;
        self.packets.push_back(Waiting { packet, bytes: bytes as u32, frames: frames as u32 });
        None
    }

    /// Takes a packet if it fits, else discards it.
    #[inline]
    pub fn push_or_discard(&mut self, packet: Packet, cx: &mut Context<'_>) {
        if let Some(refused) = self.push(packet) {
            cx.discard(refused, DropReason::QueueFull);
        }
    }

    /// Takes all packets out, oldest first.
    pub fn drain(&mut self) -> Vec<Packet> {
        std::iter::from_fn(|| self.pop()).collect()
    }

    /// Takes the oldest packet out.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        let Waiting { packet, bytes, frames } = self.packets.pop_front()?;
        self.bytes -= bytes as usize;
        self.frames -= frames as usize;
        Some(packet)
    }
}

/// How long a packet has been in the queue that it stands in.
#[inline]
pub fn sojourn(packet: &Packet, now: Time) -> Span {
    now.since(Time(packet.queued_at))
}
