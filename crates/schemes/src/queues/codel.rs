//! CoDel (RFC 8289): answers queues that stand, leaves bursts alone.

use crate::parts::codel::Codel;
use crate::parts::fifo::{Fifo, sojourn};
use crate::parts::marking::{MarkPlace, Marking};
use weir_core::{Backlog, Bytes, Context, DropReason, Entry, Limit, Needs, Pull, QueueDiscipline, Site, Span};
use weir_wire::Packet;

weir_core::words! {
    /// How CoDel answers congestion.
    pub enum Action {
        /// Drop the packet.
        Drop = "drop",
        /// Mark the packet.
        Mark = "mark",
    }
}

weir_core::parameters! {
    /// Parameters of CoDel.
    pub struct CodelParameters {
        /// What happens to the packets that CoDel picks: they are dropped or marked.
        action: Action = Action::Drop, None, "RFC 8289, section 5.5";
        /// Sojourn time that a standing queue may have.
        target: Span = Span::from_millis(5), Some((0.0, 10.0)), "RFC 8289, section 4";
        /// Time that the queue may need to come down by itself, of the order of a round trip.
        interval: Span = Span::from_millis(100), Some((1e-6, 100.0)), "RFC 8289, section 4";
        /// A queue of no more bytes than this is never congested.
        mtu: Bytes = Bytes(1500), None, "RFC 8289, section 4: one largest frame, here Ethernet's";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn QueueDiscipline>> = weir_core::entry!(
    "codel",
    "Drops or marks, at a growing rate, while the queue stands",
    CodelParameters,
    make,
    "../../../../docs/schemes/queue-codel.md"
);

fn make(p: CodelParameters, site: &Site) -> Box<dyn QueueDiscipline> {
    let law = Codel::new(p.target, p.interval, p.mtu);
    match p.action {
        Action::Drop => Box::new(CodelDrop { fifo: Fifo::new(site.limit), law }),
        Action::Mark => Box::new(Marking::new(site.limit, law, MarkPlace::This)),
    }
}

/// A FIFO from which CoDel drops at dequeue.
#[derive(Debug)]
struct CodelDrop {
    fifo: Fifo,
    law: Codel,
}

impl CodelDrop {
    /// The next packet, and whether the law lets it be dropped.
    fn pop(&mut self, cx: &Context<'_>) -> (Option<Packet>, bool) {
        let packet = self.fifo.pop();
        let waited = packet.as_ref().map_or(Span::ZERO, |packet| sojourn(packet, cx.now));
        let late = self.law.is_late(waited, self.fifo.backlog(), cx.now);
        (packet, late)
    }

    /// Drops the packet and takes the next.
    fn replace(&mut self, packet: Option<Packet>, cx: &mut Context<'_>) -> (Option<Packet>, bool) {
        if let Some(packet) = packet {
            cx.discard(packet, DropReason::QueueManagement);
        }
        self.pop(cx)
    }
}

impl QueueDiscipline for CodelDrop {
    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>) {
        self.fifo.push_or_discard(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        let (mut next, mut late) = self.pop(cx);
        if !late {
            self.law.leave();
        } else if !self.law.is_dropping() {
            (next, _) = self.replace(next, cx);
            self.law.enter(cx.now);
        }
        while self.law.is_due(cx.now) {
            self.law.count();
            (next, late) = self.replace(next, cx);
            if late { self.law.go_on() } else { self.law.leave() }
        }
        next.map_or(Pull::Idle, Pull::Packet)
    }

    fn needs(&self) -> Needs {
        Needs { length: true, ..Needs::default() }
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
