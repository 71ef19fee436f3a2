//! One face of a forwarder or host: a queue towards a link, or an application.

use weir_core::{Context, DropReason, Event, FaceId, Limit, Needs, Pull, QueueDiscipline, Reading, Span, Time};
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
    head: Head,
    /// Packets that came right behind the first one into an empty queue. A link that is idle takes the first before the
    /// others need a place, so they wait here until the driver has been asked.
    burst: Vec<Packet>,
}

/// What is known of the packet in front of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    /// None waits, or the link has just taken one.
    Taken,
    /// It came into an empty queue at this time, and the link has not asked for it yet.
    Offered(Time),
    /// The link did not take it at once: it is busy.
    Waits,
}

impl Egress {
    pub fn new(queue: Box<dyn QueueDiscipline>) -> Egress {
        Egress { needs: queue.needs(), queue, waiting: 0, peak: 0, head: Head::Taken, burst: Vec::new() }
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

    /// Hands a packet to the queue and tells the driver; `cx.face` names the face. True if it has to wait until the
    /// driver has offered the packet before it to the link: then `resume` is due.
    #[inline]
    pub fn send(&mut self, mut packet: Packet, cx: &mut Context<'_>) -> bool {
        packet.set_queued_at(cx.now.0);
        if self.head == Head::Offered(cx.now) && self.queue.backlog().packets > 0 {
            self.burst.push(packet);
            cx.ready.unfinished();
            return true;
        }
        if self.head == Head::Taken && self.waiting == 0 {
            self.head = Head::Offered(cx.now);
        }
        enqueue(&mut *self.queue, packet, cx);
        false
    }

    /// The driver has offered what is ready: if the rest of a burst still waits, the link is busy, and the queue must
    /// have room for all of it.
    #[inline]
    pub fn resume(&mut self, cx: &mut Context<'_>) {
        if !self.burst.is_empty() {
            self.head = Head::Waits;
            self.enqueue_burst(cx);
        }
    }

    #[cold]
    fn enqueue_burst(&mut self, cx: &mut Context<'_>) {
        for packet in self.burst.drain(..) {
            enqueue(&mut *self.queue, packet, cx);
        }
    }

    /// Takes the next packet for the link.
    #[inline]
    pub fn pull(&mut self, cx: &mut Context<'_>) -> Pull {
        if self.needs.length {
            self.peak = self.peak.max(self.queue.backlog().packets);
        }
        let pull = self.queue.dequeue(cx);
        if !matches!(pull, Pull::Later(_)) {
            self.head = Head::Taken;
        }
        if let Pull::Packet(packet) = &pull {
            let sojourn = cx.now.since(Time(packet.queued_at));
            cx.sink.dequeued(cx.now, cx.node, cx.face, packet, sojourn);
            let behind = self.queue.backlog();
            self.waiting = behind.packets;
            self.peak = self.peak.max(self.waiting + 1);
            cx.tell(|| Event::Dequeued { packet, sojourn, behind });
            if !self.burst.is_empty() {
                self.enqueue_burst(cx);
                self.waiting = self.queue.backlog().packets;
            }
        }
        pull
    }

    /// Puts another queue in the place of this one. What waits moves into it, or, at a restart, is dropped.
    pub fn replace(&mut self, queue: Box<dyn QueueDiscipline>, restart: bool, cx: &mut Context<'_>) {
        let waiting: Vec<Packet> = self.queue.drain(cx).into_iter().chain(self.burst.drain(..)).collect();
        (self.needs, self.queue) = (queue.needs(), queue);
        (self.head, self.waiting) = (Head::Waits, 0);
        for packet in waiting {
            if restart {
                cx.discard(packet, DropReason::NodeRestart);
            } else {
                // It has waited since it came: its time stamp stays, and it is not told to have come again.
                self.queue.enqueue(packet, cx);
            }
        }
        match self.queue.backlog().packets {
            0 => self.head = Head::Taken,
            waiting => {
                self.waiting = waiting;
                cx.ready.add(cx.face);
            }
        }
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

/// Hands a packet to `queue` and tells those who watch, and the driver.
#[inline]
fn enqueue(queue: &mut dyn QueueDiscipline, packet: Packet, cx: &mut Context<'_>) {
    cx.tell(|| {
        let (ahead, held, limit) = (queue.backlog(), queue.held(), queue.limit());
        Event::Queued { packet: &packet, ahead, held, limit }
    });
    queue.enqueue(packet, cx);
    cx.ready.add(cx.face);
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
