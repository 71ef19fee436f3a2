//! One face of a forwarder or host: a queue towards a link, or an application.

use weir_core::{Context, Event, FaceId, Limit, Needs, Pull, QueueDiscipline, Reading, Span, Time};
use weir_wire::Packet;

/// Where a face leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceKind {
    /// To an application on this node.
    Local,
    /// To another node.
    Link,
}

/// The queue of a link face, and the stamping of sojourn times that every discipline shares.
pub(crate) struct Egress {
    pub queue: Box<dyn QueueDiscipline>,
    needs: Needs,
    /// Packets that waited after the last `pull`.
    waiting: usize,
    /// Most packets that have waited at once. A queue is longest just before a `pull`.
    peak: usize,
}

impl Egress {
    pub fn new(queue: Box<dyn QueueDiscipline>) -> Egress {
        Egress { needs: queue.needs(), queue, waiting: 0, peak: 0 }
    }

    /// Shows the queue a packet that came in over the other direction; says when that makes it want to be woken.
    #[inline]
    pub fn observe(&mut self, packet: &Packet, cx: &mut Context<'_>) -> Option<Time> {
        if !self.needs.observe {
            return None;
        }
        self.queue.observe(packet, cx);
        self.next_wake()
    }

    /// When the queue wants to be woken.
    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        if self.needs.wake { self.queue.next_wake() } else { None }
    }

    /// Hands a packet to the queue and tells the driver; `cx.face` names the face.
    #[inline]
    pub fn send(&mut self, mut packet: Packet, cx: &mut Context<'_>) {
        packet.queued_at = cx.now.0;
        cx.tell(|| {
            let (ahead, held, limit) = (self.queue.backlog(), self.queue.held(), self.queue.limit());
            Event::Queued { packet: &packet, ahead, held, limit }
        });
        self.queue.enqueue(packet, cx);
        cx.ready.add(cx.face);
    }

    /// Takes the next packet for the link.
    #[inline]
    pub fn pull(&mut self, cx: &mut Context<'_>) -> Pull {
        let pull = self.queue.dequeue(cx);
        if let Pull::Packet(packet) = &pull {
            let sojourn = cx.now.since(Time(packet.queued_at));
            cx.sink.dequeued(cx.now, cx.node, cx.face, packet, sojourn);
            let behind = self.queue.backlog();
            self.waiting = behind.packets;
            self.peak = self.peak.max(self.waiting + 1);
            cx.tell(|| Event::Dequeued { packet, sojourn, behind });
        }
        pull
    }

    /// True if something waited after the last `pull`.
    #[inline]
    pub fn has_backlog(&self) -> bool {
        self.waiting > 0
    }

    /// Does what is due in the queue; it may have moved packets from a store to the link.
    pub fn wake(&mut self, cx: &mut Context<'_>) {
        self.queue.wake(cx);
        if self.queue.backlog().packets > 0 {
            cx.ready.add(cx.face);
        }
    }

    /// Tells what waits.
    pub fn report(&self, face: FaceId, report: &mut dyn FnMut(Reading)) {
        let backlog = self.queue.backlog();
        let held = self.queue.held();
        let peak = self.peak.max(backlog.packets);
        report(Reading::Queue { face, packets: backlog.packets, bytes: backlog.bytes, held, peak });
    }
}

impl std::fmt::Debug for Egress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Egress").field("backlog", &self.queue.backlog()).finish_non_exhaustive()
    }
}

/// What a local face's queue would say if it had one.
pub(crate) const NO_LIMIT: Limit = Limit::Packets(usize::MAX);

/// Sojourn times travel in microseconds (`HopFields::queue_delay`).
pub(crate) fn queue_delay(field: u32) -> Span {
    Span::from_micros(u64::from(field))
}
