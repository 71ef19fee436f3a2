//! One face of a forwarder or host: a queue towards a link, or an application.

use weir_core::ahead::ask_for;
use weir_core::{
    Backlog, Context, Departed, DropReason, Event, FaceId, Limit, Needs, Pull, QueueDiscipline, Reading, Span, Time,
};
use weir_wire::Packet;

/// Where a face leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceKind {
    /// To an application on this node.
    Local,
    /// To another node.
    Link,
    /// Nowhere any more.
    Closed,
}

/// The queue of a link face, and the stamping of sojourn times that every discipline shares.
pub(crate) struct Egress {
    queue: Box<dyn QueueDiscipline>,
    needs: Needs,
    /// A packet that found nothing waiting, for as long as it is alone: most links are idle most of the time, and then
    /// the queue is spared ([`Needs::only_if_waiting`]).
    alone: Option<Packet>,
    /// Packets that waited after the last `pull`.
    waiting: usize,
    /// Most packets that have waited at once. A queue is longest just before a `pull`.
    peak: usize,
    head: Head,
    /// Packets that came right behind the first one into an empty queue. A link that is idle takes the first before the
    /// others need a place, so they wait here until the driver has been asked.
    burst: Vec<Packet>,
    departed: Departed,
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
        Egress {
            needs: needs_of(&*queue),
            queue,
            alone: None,
            waiting: 0,
            peak: 0,
            head: Head::Taken,
            burst: Vec::new(),
            departed: Departed::default(),
        }
    }

    /// Shows the queue a packet that came in over the other direction; says when that makes it want to be woken.
    #[inline]
    pub fn observe(&mut self, packet: &Packet, cx: &mut Context<'_>) -> Option<Time> {
        if !self.observes() {
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

    /// What waits.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        match &self.alone {
            Some(packet) => Backlog { packets: 1, bytes: packet.wire_len(), frames: 1 },
            None => self.queue.backlog(),
        }
    }

    /// True if the queue wants to see what comes in.
    #[inline]
    pub fn observes(&self) -> bool {
        self.needs.observe
    }

    /// Asks for what `send` needs of a face at which nothing waits.
    #[inline]
    pub fn foresee(&self) {
        ask_for(&self.needs);
        ask_for(&self.waiting);
        ask_for(&self.head);
        ask_for(&self.departed);
    }

    /// How much may wait.
    pub fn limit(&self) -> Limit {
        self.queue.limit()
    }

    /// Hands a packet to the queue and tells the driver; `cx.face` names the face. True if it has to wait until the
    /// driver has offered the packet before it to the link: then `resume` is due.
    #[inline(always)]
    pub fn send(&mut self, mut packet: Packet, cx: &mut Context<'_>) -> bool {
        packet.set_queued_at(cx.now.0);
        // Those who watch want to see it wait and leave.
        let is_alone = self.head == Head::Taken && self.waiting == 0 && self.needs.only_if_waiting;
        if is_alone && !cx.watched && cx.ready.offered().is_none() {
            self.peak = self.peak.max(1);
            self.departed.data += u64::from(packet.is_content());
            cx.ready.offer(cx.face, packet);
            return false;
        }
        self.let_wait(packet, cx)
    }

    /// Takes a packet that cannot go past the queue to the link.
    #[inline(never)]
    fn let_wait(&mut self, packet: Packet, cx: &mut Context<'_>) -> bool {
        if self.head == Head::Taken && self.waiting == 0 {
            if self.needs.only_if_waiting {
                return self.send_alone(packet, cx);
            }
            self.head = Head::Offered(cx.now);
        } else if self.head == Head::Offered(cx.now) && self.backlog().packets > 0 {
            return self.hold_back(packet, cx);
        }
        self.enqueue(packet, cx);
        false
    }

    /// Keeps a packet that finds nothing waiting. If it is still there when the next one comes, it joins the queue then.
    fn send_alone(&mut self, packet: Packet, cx: &mut Context<'_>) -> bool {
        if cx.ready.offered() == Some(cx.face) {
            return self.hold_back(packet, cx);
        }
        self.head = Head::Offered(cx.now);
        tell_queued(&*self.queue, &packet, cx);
        self.alone = Some(packet);
        cx.ready.add(cx.face);
        false
    }

    /// The link did not take the packet that it was offered.
    pub fn keep(&mut self, packet: Packet) {
        self.departed.data -= u64::from(packet.is_content());
        self.head = Head::Waits;
        self.alone = Some(packet);
    }

    /// Holds back a packet until the driver has offered the one before it to the link.
    fn hold_back(&mut self, packet: Packet, cx: &mut Context<'_>) -> bool {
        self.burst.push(packet);
        cx.ready.unfinished();
        true
    }

    /// Hands a packet to the queue, behind the one that was alone so far.
    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>) {
        self.join(cx);
        tell_queued(&*self.queue, &packet, cx);
        self.queue.enqueue(packet, cx);
        cx.ready.add(cx.face);
    }

    /// The packet that was alone waits like others from now on. It had been told to have come.
    #[inline]
    fn join(&mut self, cx: &mut Context<'_>) {
        if let Some(first) = self.alone.take() {
            self.queue.enqueue(first, cx);
        }
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
        let mut burst = std::mem::take(&mut self.burst);
        burst.drain(..).for_each(|packet| self.enqueue(packet, cx));
        self.burst = burst;
    }

    /// Takes the next packet for the link.
    #[inline]
    pub fn pull(&mut self, cx: &mut Context<'_>) -> Pull {
        let Some(packet) = self.alone.take() else { return self.pull_from_queue(cx) };
        self.head = Head::Taken;
        self.depart(&packet, Backlog::default(), cx);
        Pull::Packet(packet)
    }

    fn pull_from_queue(&mut self, cx: &mut Context<'_>) -> Pull {
        if self.needs.length {
            self.peak = self.peak.max(self.queue.backlog().packets);
        }
        let pull = self.queue.dequeue(cx);
        if !matches!(pull, Pull::Later(_)) {
            self.head = Head::Taken;
        }
        if let Pull::Packet(packet) = &pull {
            let behind = self.queue.backlog();
            self.depart(packet, behind, cx);
        }
        pull
    }

    /// Notes that a packet leaves for the link, and what stays.
    #[inline]
    fn depart(&mut self, packet: &Packet, behind: Backlog, cx: &mut Context<'_>) {
        let sojourn = cx.now.since(Time(packet.queued_at));
        self.departed.sojourn += u128::from(sojourn.0);
        if packet.is_content() {
            self.departed.data += 1;
            self.departed.data_sojourn += u128::from(sojourn.0);
        }
        self.waiting = behind.packets;
        self.peak = self.peak.max(self.waiting + 1);
        cx.tell(|| Event::Dequeued { packet, sojourn, behind });
        if !self.burst.is_empty() {
            self.enqueue_burst(cx);
            self.waiting = self.queue.backlog().packets;
        }
        if self.waiting > 0 {
            cx.ready.more();
        }
    }

    /// Puts another queue in the place of this one. What waits moves into it, or, at a restart, is dropped.
    pub fn replace(&mut self, queue: Box<dyn QueueDiscipline>, restart: bool, cx: &mut Context<'_>) {
        self.join(cx);
        let waiting: Vec<Packet> = self.queue.drain(cx).into_iter().chain(self.burst.drain(..)).collect();
        (self.needs, self.queue) = (needs_of(&*queue), queue);
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

    /// Drops all that waits: the face has closed.
    pub fn discard_all(mut self, cx: &mut Context<'_>) {
        self.join(cx);
        let held_back = std::mem::take(&mut self.burst);
        let waiting = self.queue.drain(cx).into_iter().chain(held_back);
        waiting.for_each(|packet| cx.discard(packet, DropReason::LinkDown));
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
        let (backlog, held, limit) = (self.backlog(), self.queue.held(), self.queue.limit());
        let (peak, departed) = (self.peak.max(backlog.packets), self.departed);
        let Backlog { packets, bytes, frames } = backlog;
        report(Reading::Queue { face, packets, bytes, frames, limit, held, peak, departed });
    }
}

/// What a queue needs. One that admits no packet at all, or perhaps not this one, has to be asked.
fn needs_of(queue: &dyn QueueDiscipline) -> Needs {
    let needs = queue.needs();
    let admits_one = matches!(queue.limit(), Limit::Packets(1..));
    Needs { only_if_waiting: needs.only_if_waiting && admits_one, ..needs }
}

/// Tells those who watch that `packet` is handed to `queue`.
#[inline]
fn tell_queued(queue: &dyn QueueDiscipline, packet: &Packet, cx: &mut Context<'_>) {
    cx.tell(|| {
        let (ahead, held, limit) = (queue.backlog(), queue.held(), queue.limit());
        Event::Queued { packet, ahead, held, limit }
    });
}

impl std::fmt::Debug for Egress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Egress").field("backlog", &self.backlog()).finish_non_exhaustive()
    }
}

/// What a local face's queue would say if it had one.
pub(crate) const NO_LIMIT: Limit = Limit::Packets(usize::MAX);

/// Sojourn times travel in microseconds (`HopFields::queue_delay`).
pub(crate) fn queue_delay(field: u32) -> Span {
    Span::from_micros(u64::from(field))
}
