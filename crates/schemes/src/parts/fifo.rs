//! The store behind most queue disciplines.

use std::collections::VecDeque;
use weir_core::ahead::ask_for;
use weir_core::{Backlog, Bytes, Context, DropReason, Limit, Rate, Span, Time};
use weir_wire::Packet;

weir_core::words! {
    /// How a queue that is limited in frames takes those of one packet.
    pub enum Taken {
        /// All or none.
        Together = "together",
        /// Those for which there is room. The packet is lost with any of them; the others cross the link in vain.
        Singly = "singly",
    }
}

/// First in, first out, up to a limit. Allocates nothing once it has been at its longest.
#[derive(Debug)]
pub struct Fifo {
    packets: VecDeque<Waiting>,
    bytes: usize,
    frames: usize,
    limit: Limit,
    singly: Option<Singly>,
}

/// What a queue must know that takes frames one by one: how long the packet that left last keeps some of its own here.
#[derive(Debug)]
struct Singly {
    /// What the longest frame takes on the link.
    frame_time: Span,
    /// Frames of the packet that left last, and when it did.
    leaving: (usize, Time),
}

impl Singly {
    /// Frames of the packet that left last that still wait: the one that is being sent does not.
    fn unsent(&self, now: Time) -> usize {
        let (frames, since) = self.leaving;
        let begun = now.since(since).0 / self.frame_time.0.max(1) + 1;
        frames.saturating_sub(usize::try_from(begun).unwrap_or(usize::MAX))
    }
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
        Fifo { packets: VecDeque::new(), bytes: 0, frames: 0, limit, singly: None }
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
        let frames = if let Limit::Frames { mtu, .. } = self.limit { packet.frame_count(mtu) } else { 1 };
        self.keep(packet, frames);
        None
    }

    /// Takes the frames of a packet so, for a link of this rate. Without a limit in frames it takes packets.
    pub fn taking_frames(self, taken: Taken, rate: Rate) -> Fifo {
        match (self.limit, taken) {
            (Limit::Frames { mtu, .. }, Taken::Singly) => {
                let singly = Singly { frame_time: rate.transmission(mtu.bytes()), leaving: (0, Time::ZERO) };
                Fifo { singly: Some(singly), ..self }
            }
            _ => self,
        }
    }

    /// Takes those frames of a packet for which there is room; discards it if there is room for none.
    fn push_frames(&mut self, mut packet: Packet, cx: &mut Context<'_>) {
        let (Some(singly), Limit::Frames { most, mtu }) = (&self.singly, self.limit) else { return };
        let count = packet.frame_count(mtu);
        let room = most.saturating_sub(self.frames + singly.unsent(cx.now));
        if room == 0 {
            return cx.discard(packet, DropReason::QueueFull);
        }
        let frames = count.min(room);
        if frames < count {
            packet.hop_mut().frames_lost = u16::try_from(count - frames).unwrap_or(u16::MAX);
        }
        self.keep(packet, frames);
    }

    fn keep(&mut self, packet: Packet, frames: usize) {
        let bytes = packet.wire_len();
        self.bytes += bytes;
        self.frames += frames;
        self.packets.push_back(Waiting { packet, bytes: bytes as u32, frames: frames as u32 });
    }

    /// Takes a packet if it fits, else discards it.
    #[inline]
    pub fn push_or_discard(&mut self, packet: Packet, cx: &mut Context<'_>) {
        if self.singly.is_some() {
            return self.push_frames(packet, cx);
        }
        if let Some(refused) = self.push(packet) {
            cx.discard(refused, DropReason::QueueFull);
        }
    }

    /// Takes all packets out, oldest first.
    pub fn drain(&mut self) -> Vec<Packet> {
        std::iter::from_fn(|| self.pop()).collect()
    }

    /// Takes the oldest packet out, for a link that begins to send it now.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<Packet> {
        if let (Some(singly), Some(first)) = (&mut self.singly, self.packets.front()) {
            singly.leaving = (first.frames as usize, now);
        }
        self.pop()
    }

    /// Takes the oldest packet out.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        let Waiting { packet, bytes, frames } = self.packets.pop_front()?;
        self.bytes -= bytes as usize;
        self.frames -= frames as usize;
        // It has been waiting for long, so it has left the processor's caches; it leaves when this one has been sent.
        if let Some(next) = self.packets.front() {
            ask_for(&next.packet.queued_at);
            ask_for(&next.packet.hop.congestion_mark);
        }
        Some(packet)
    }
}

/// How long a packet has been in the queue that it stands in.
#[inline]
pub fn sojourn(packet: &Packet, now: Time) -> Span {
    now.since(Time(packet.queued_at))
}
