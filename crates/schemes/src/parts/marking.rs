//! Queues that only mark: a FIFO and a law.

use super::fifo::{Fifo, Taken, sojourn};
use weir_core::{Backlog, Context, Event, Limit, MarkLaw, Pull, QueueDiscipline, Rate, Span};
use weir_wire::{Kind, Packet};

weir_core::words! {
    /// Which packet carries a signal of the law.
    pub enum MarkPlace {
        /// The next one that is handed to the queue.
        Next = "next",
        /// The very one that is being dequeued.
        This = "this",
    }
}

/// A FIFO whose law is asked at each dequeue and whose answers become congestion marks.
#[derive(Debug)]
pub struct Marking<L> {
    fifo: Fifo,
    law: L,
    place: MarkPlace,
    /// A signal that no packet carries yet.
    pending: bool,
    /// Marks tell how far they have come.
    tells_distance: bool,
}

impl<L: MarkLaw> Marking<L> {
    /// An empty queue.
    pub fn new(limit: Limit, law: L, place: MarkPlace) -> Marking<L> {
        Marking { fifo: Fifo::new(limit), law, place, pending: false, tells_distance: false }
    }

    /// Takes the frames of a packet so, for a link of this rate.
    pub fn taking_frames(self, taken: Taken, rate: Rate) -> Marking<L> {
        Marking { fifo: self.fifo.taking_frames(taken, rate), ..self }
    }

    /// Lets marks tell the hops that they have come (1 at the next node).
    pub fn telling_distance(self, tells_distance: bool) -> Marking<L> {
        Marking { tells_distance, ..self }
    }

    /// Puts a pending signal on `packet`, if it can carry one.
    #[inline]
    fn settle(&mut self, packet: &mut Packet, cx: &mut Context<'_>) {
        if self.pending && carries_marks(packet) {
            self.pending = false;
            mark(packet, cx);
            if self.tells_distance && packet.is_content() {
                // The nearest congested link counts, whichever marked first.
                packet.hop_mut().mark_distance = 1;
            }
        }
    }
}

impl<L: MarkLaw> QueueDiscipline for Marking<L> {
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Context<'_>) {
        // A packet that is about to be dropped would take the signal with it.
        if self.place == MarkPlace::Next && self.pending && self.limit().admits(self.backlog(), &packet) {
            self.settle(&mut packet, cx);
        }
        self.fifo.push_or_discard(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        let mut next = self.fifo.pop_at(cx.now);
        let waited = next.as_ref().map_or(Span::ZERO, |packet| sojourn(packet, cx.now));
        self.pending |= self.law.signal(waited, self.fifo.backlog(), cx.now);
        self.pending &= self.law.persists();
        if let (MarkPlace::This, Some(packet)) = (self.place, &mut next) {
            self.settle(packet, cx);
        }
        next.map_or(Pull::Idle, Pull::Packet)
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

/// True for the packets whose marks reach a consumer: Data, and Interests by way of the Data that answers them.
#[inline]
pub fn carries_marks(packet: &Packet) -> bool {
    packet.is_content() || matches!(packet.kind, Kind::Interest(_))
}

/// Marks a packet, unless it is marked already.
#[inline]
pub fn mark(packet: &mut Packet, cx: &mut Context<'_>) {
    if packet.hop.congestion_mark == 0 {
        packet.hop.congestion_mark = 1;
        cx.sink.marked(cx.now, cx.node, cx.face);
        cx.tell(|| Event::Marked { packet });
    }
}
