//! The producer: answers Interests for the segments of one content.

use crate::application::{Application, Outbox};
use weir_core::ahead::ask_for;
use weir_core::{Bytes, Context, DropReason, Span, Time};
use weir_wire::{Content, Data, HopFields, Interest, Kind, Name, Packet, VirtualData};

/// Serves one content of virtual segments at once, without a window or a clock.
#[derive(Debug)]
pub struct Producer {
    prefix: Name,
    segments: Option<u64>,
    data: VirtualData,
    served: u64,
}

impl Producer {
    /// Serves `prefix` in segments of `payload` bytes; `segments` = `None`: without end.
    pub fn new(prefix: Name, segments: Option<u64>, payload: Bytes, freshness: Span) -> Producer {
        let final_segment = segments.and_then(|n| u32::try_from(n.saturating_sub(1)).ok());
        let freshness_ms = (freshness.0 / 1_000_000).min(u64::from(u32::MAX)) as u32;
        let data = VirtualData { payload: payload.0.min(u64::from(u32::MAX)) as u32, freshness_ms, final_segment };
        Producer { prefix, segments, data, served: 0 }
    }

    /// Data packets sent.
    pub fn served(&self) -> u64 {
        self.served
    }

    /// The Data of this name.
    pub fn data(&self, name: Name) -> Data {
        Data { name, content: Content::Virtual(self.data) }
    }

    /// True for a segment's name below the prefix. Mostly one look is enough: content and prefix share a stem.
    #[inline]
    fn is_content_of(&self, name: &Name) -> bool {
        let alike = self.prefix.segment().is_none() && self.prefix.same_stem(name);
        alike || self.prefix.len() < name.len() && self.prefix.is_prefix_of(name)
    }

    fn holds(&self, interest: &Interest) -> bool {
        let within = |segment| self.segments.is_none_or(|n| segment < n);
        interest.name.segment().is_some_and(within) && self.is_content_of(&interest.name)
    }
}

impl Application for Producer {
    fn receive(&mut self, mut packet: Packet, out: &mut Outbox, cx: &mut Context<'_>) {
        if !matches!(&packet.kind, Kind::Interest(interest) if self.holds(interest)) {
            return cx.discard(packet, DropReason::Unwanted);
        }
        self.served += 1;
        let HopFields { pit_token, congestion_mark, .. } = std::mem::take(packet.hop_mut());
        // A queue on the way here was congested: its mark returns with the Data.
        let hop = HopFields { pit_token, congestion_mark, ..HopFields::default() };
        out.push(packet.renewed_with_name(hop, |name| Kind::Data(self.data(name))));
    }

    fn foresee(&self, step: u32, _packet: &Packet) {
        if step == 0 {
            ask_for(&self.prefix);
            ask_for(&self.served);
        }
    }

    fn wake(&mut self, _out: &mut Outbox, _cx: &mut Context<'_>) {}

    fn next_wake(&self) -> Option<Time> {
        None
    }

    fn name(&self) -> &Name {
        &self.prefix
    }

    fn serves(&self) -> bool {
        true
    }
}
