//! The marking of NFD's link service, which ndnSIM has switched on by default since 2.6: a threshold in bytes.

use crate::parts::fifo::Fifo;
use crate::parts::marking::{carries_marks, mark};
use weir_core::{Backlog, Bytes, Context, Entry, Limit, MarkLaw, Pull, QueueDiscipline, Site, Span, Time};
use weir_wire::Packet;

weir_core::parameters! {
    /// Parameters of NFD's marking.
    pub struct NfdBytesParameters {
        /// A queue of more bytes than this is congested.
        threshold: Bytes = Bytes(65_536), None, "NFD, generic link service";
        /// Congestion must last for this long before the first mark; marks follow at interval / sqrt(n + 1).
        interval: Span = Span::from_millis(100), Some((0.0, 100.0)), "NFD, generic link service";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn QueueDiscipline>> = weir_core::entry!(
    "nfd-bytes",
    "Marks, at a growing rate, while more than 64 KiB wait",
    NfdBytesParameters,
    |p, site| Box::new(NfdBytes::new(&p, site)),
    "../../../../docs/schemes/queue-nfd-bytes.md"
);

/// A FIFO that marks packets as they are handed to it.
#[derive(Debug)]
pub struct NfdBytes {
    fifo: Fifo,
    law: NfdLaw,
}

impl NfdBytes {
    fn new(p: &NfdBytesParameters, site: &Site) -> NfdBytes {
        let law = NfdLaw { threshold: p.threshold, interval: p.interval, next_mark: None, marks: 0 };
        NfdBytes { fifo: Fifo::new(site.limit), law }
    }
}

impl QueueDiscipline for NfdBytes {
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Context<'_>) {
        let before = self.fifo.backlog();
        // Neither a packet about to be dropped nor one that cannot carry a mark uses one up.
        let admitted = self.limit().admits(before, &packet);
        if admitted && carries_marks(&packet) && self.law.signal(Span::ZERO, before, cx.now) {
            mark(&mut packet, cx);
        }
        self.fifo.push_or_discard(packet, cx);
    }

    fn dequeue(&mut self, _cx: &mut Context<'_>) -> Pull {
        self.fifo.pop().map_or(Pull::Idle, Pull::Packet)
    }

    fn drain(&mut self, _cx: &mut Context<'_>) -> Vec<Packet> {
        self.fifo.drain()
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn limit(&self) -> Limit {
        self.fifo.limit()
    }
}

/// When is a packet to be marked?
#[derive(Debug)]
struct NfdLaw {
    threshold: Bytes,
    interval: Span,
    /// `None` while there is no congestion.
    next_mark: Option<Time>,
    marks: u32,
}

impl MarkLaw for NfdLaw {
    fn signal(&mut self, _sojourn: Span, backlog: Backlog, now: Time) -> bool {
        if backlog.bytes as u64 <= self.threshold.0 {
            self.next_mark = None;
            self.marks = 0;
            return false;
        }
        let next = *self.next_mark.get_or_insert(now + self.interval);
        if now < next {
            return false;
        }
        self.marks += 1;
        self.next_mark = Some(next + self.interval.scaled(1.0 / f64::from(self.marks + 1).sqrt()));
        true
    }
}
