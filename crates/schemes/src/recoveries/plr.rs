//! PLR (Chen et al.): a router keeps the packets that its queue has no room for, says so to the consumer, and sends
//! them on when the queue has room again.

use crate::parts::fifo::Fifo;
use crate::registry::Wrap;
use std::collections::VecDeque;
use weir_core::{Backlog, Context, DropReason, Entry, Event, Limit, Needs, Pull, QueueDiscipline, Span, Time};
use weir_wire::{Content, Data, Packet, VirtualData};

weir_core::words! {
    /// How much estimated room it takes to send stored packets on.
    pub enum Threshold {
        /// More than one packet (the paper's Algorithm 1).
        Above = "above-one",
        /// One packet (the paper's text).
        Reaches = "reaches-one",
    }
}

weir_core::parameters! {
    /// Parameters of [`Plr`].
    pub struct PlrParameters {
        /// Capacity of the store as a share of the queue's; 0: no recovery at all.
        alpha: f64 = 0.5, Some((0.0, 16.0)), "PLR, evaluation (0 to 1 tested)";
        /// Stored packets go on only while the queue is filled to less than this share.
        tau: f64 = 0.75, Some((0.0, 1.0)), "PLR, evaluation";
        /// Time between two rounds of recovery.
        interval: Span = Span::from_millis(1), Some((1e-6, 3600.0)), "PLR, evaluation";
        /// A packet stored for so long is given up.
        residence: Span = Span(1_000_000_000), Some((1e-6, 3600.0)), "our choice: the paper names no value";
        /// The estimated room never exceeds the queue's free places.
        cap_r: bool = true, None, "our choice: Algorithm 1 has no bound";
        /// Stored packets go on when the estimated room is above one packet, or when it reaches one.
        threshold: Threshold = Threshold::Above, None, "PLR, Algorithm 1";
        /// Send a loss notice for each Data stored.
        notice: bool = true, None, "PLR, packet loss scheduling";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Wrap> = weir_core::entry!(
    "plr",
    "Keeps what the queue has no room for, announces it, sends it on later",
    PlrParameters,
    |p, _site| Box::new(move |inner| Plr::wrap(p, inner)),
    "../../../../docs/schemes/recovery-plr.md"
);

/// Packet loss scheduling (PLSM) and recovery (LRM) around a queue.
pub struct Plr {
    p: PlrParameters,
    /// The ordinary queue.
    inner: Box<dyn QueueDiscipline>,
    /// Loss notices, which go before everything else. Each stands for a packet in the store, hence no limit.
    notices: Fifo,
    store: VecDeque<Stored>,
    room: Room,
    next_round: Time,
    /// Packets that the forwarder handed to the ordinary queue.
    sent: u64,
    /// All packets that the forwarder handed over, for their mean size.
    seen: Backlog,
}

struct Stored {
    packet: Packet,
    until: Time,
}

impl Plr {
    /// Puts PLR around `inner`; with a store of no size, nothing.
    pub fn wrap(p: PlrParameters, inner: Box<dyn QueueDiscipline>) -> Box<dyn QueueDiscipline> {
        if p.alpha == 0.0 {
            return inner;
        }
        Box::new(Plr {
            p,
            inner,
            notices: Fifo::unbounded(),
            store: VecDeque::new(),
            room: Room::default(),
            next_round: Time::ZERO,
            sent: 0,
            seen: Backlog::default(),
        })
    }

    /// Capacity of the ordinary queue in packets; a limit in bytes or frames is divided by the mean size seen.
    fn capacity(&self) -> usize {
        let seen = self.seen.packets.max(1);
        match self.inner.limit() {
            Limit::Packets(packets) => packets,
            Limit::Bytes(bytes) => bytes.0 as usize / (self.seen.bytes / seen).max(1),
            Limit::Frames { most, .. } => most * seen / self.seen.frames.max(1),
        }
    }

    /// Frames of a packet, where these are counted.
    fn frames_of(&self, packet: &Packet) -> usize {
        if let Limit::Frames { mtu, .. } = self.inner.limit() { packet.frame_count(mtu) } else { 1 }
    }

    /// PLSM: stores a packet that the queue has no room for.
    fn divert(&mut self, packet: Packet, cx: &mut Context<'_>) {
        // The small term takes back what a product such as 0.29 * 100 loses.
        if self.store.len() >= (self.p.alpha * self.capacity() as f64 + 1e-9) as usize {
            return cx.discard(packet, DropReason::StoreFull);
        }
        if self.p.notice && packet.is_content() {
            let notice = notice_of(&packet, cx.now);
            cx.sink.loss_notice(cx.now, cx.node, cx.face);
            cx.tell(|| Event::Announced { notice: &notice });
            self.notices.push(notice);
        }
        cx.tell(|| Event::Stored { packet: &packet, held: self.store.len() + 1 });
        self.store.push_back(Stored { packet, until: cx.now + self.p.residence });
    }

    /// Does what is due up to now, in the order of time. Whoever is about to change the queue calls this first, so
    /// a round sees what happened strictly before it, and rounds of which nothing can come need no event.
    #[inline]
    fn catch_up(&mut self, cx: &mut Context<'_>) {
        while let Some(oldest) = self.store.front() {
            if oldest.until.min(self.next_round) > cx.now {
                return;
            }
            if oldest.until > self.next_round {
                self.round(cx);
            } else if let Some(oldest) = self.store.pop_front() {
                cx.discard(oldest.packet, DropReason::StoreExpired);
            }
        }
        if self.next_round <= cx.now {
            self.idle_rounds(cx.now);
        }
    }

    /// All rounds up to `now`, which find nothing in the store.
    fn idle_rounds(&mut self, now: Time) {
        let rounds = now.since(self.next_round).0 / self.p.interval.0 + 1;
        self.next_round += self.p.interval * rounds;
        self.measure(rounds);
    }

    /// One round with packets in the store.
    fn round(&mut self, cx: &mut Context<'_>) {
        self.next_round += self.p.interval;
        if self.measure(1) {
            let mut moved = 0;
            while moved < self.room.packets(self.p.threshold) && self.recover(cx) {
                moved += 1;
            }
            self.room.fill(moved, self.inner.backlog().packets);
        }
    }

    /// Tells the estimate what `rounds` rounds see.
    fn measure(&mut self, rounds: u64) -> bool {
        let capacity = self.capacity();
        let queued = self.inner.backlog().packets;
        let is_light = (queued as f64) < self.p.tau * capacity as f64;
        let free = if self.p.cap_r { capacity.saturating_sub(queued) } else { usize::MAX };
        self.room.observe(rounds, View { queued: queued as i64, sent: self.sent as i64, is_light, free });
        is_light
    }

    /// Moves the oldest stored packet to the queue's tail, if there is one and it fits.
    fn recover(&mut self, cx: &mut Context<'_>) -> bool {
        let fits = |s: &Stored| self.inner.limit().admits(self.inner.backlog(), &s.packet);
        if !self.store.front().is_some_and(fits) {
            return false;
        }
        if let Some(Stored { mut packet, .. }) = self.store.pop_front() {
            // Until here it says when the packet came; from here on it waits in the ordinary queue.
            let stored = cx.now.since(Time(packet.queued_at));
            packet.queued_at = cx.now.0;
            cx.sink.recovered(cx.now, cx.node, cx.face, stored);
            cx.tell(|| Event::Recovered { packet: &packet, stored });
            self.inner.enqueue(packet, cx);
        }
        true
    }
}

impl QueueDiscipline for Plr {
    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>) {
        self.catch_up(cx);
        if packet.hop.loss_notice {
            self.notices.push(packet);
            return;
        }
        self.seen.packets += 1;
        self.seen.bytes += packet.wire_len();
        self.seen.frames += self.frames_of(&packet);
        if self.inner.limit().admits(self.inner.backlog(), &packet) {
            self.sent += 1;
            self.inner.enqueue(packet, cx);
        } else {
            self.divert(packet, cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        self.catch_up(cx);
        match self.notices.pop() {
            Some(notice) => Pull::Packet(notice),
            None => self.inner.dequeue(cx),
        }
    }

    fn backlog(&self) -> Backlog {
        let (queued, notices) = (self.inner.backlog(), self.notices.backlog());
        Backlog {
            packets: queued.packets + notices.packets,
            bytes: queued.bytes + notices.bytes,
            frames: queued.frames + notices.frames,
        }
    }

    fn limit(&self) -> Limit {
        self.inner.limit()
    }

    fn drain(&mut self, cx: &mut Context<'_>) -> Vec<Packet> {
        let mut packets = self.notices.drain();
        packets.extend(self.inner.drain(cx));
        packets.extend(self.store.drain(..).map(|stored| stored.packet));
        packets
    }

    fn needs(&self) -> Needs {
        Needs { wake: true, ..Needs::default() }.or(self.inner.needs())
    }

    fn held(&self) -> usize {
        self.store.len() + self.inner.held()
    }

    fn observe(&mut self, arrived: &Packet, cx: &mut Context<'_>) {
        self.inner.observe(arrived, cx);
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        self.catch_up(cx);
        self.inner.wake(cx);
    }

    fn next_wake(&self) -> Option<Time> {
        let own = self.store.front().map(|oldest| oldest.until.min(self.next_round));
        own.into_iter().chain(self.inner.next_wake()).min()
    }
}

/// Explicit Loss Notice: a Data of the same name without content, returned as the Data would be.
fn notice_of(data: &Packet, now: Time) -> Packet {
    let content = Content::Virtual(VirtualData { payload: 0, freshness_ms: 0, final_segment: None });
    let mut notice = Packet::from(Data { name: data.name().clone(), content });
    notice.hop.loss_notice = true;
    notice.hop.pit_token = data.hop.pit_token.clone();
    notice.queued_at = now.0;
    notice
}

/// R of Algorithm 1, the room estimated for stored packets. All its terms are halves of whole numbers, so counting in
/// halves keeps them exact.
#[derive(Debug, Default)]
struct Room {
    halves: i64,
    /// Nbw: packets that the link took in the last round in which it was busy.
    bandwidth: i64,
    /// q and s of the round before.
    queued: i64,
    sent: i64,
}

/// What a round sees.
struct View {
    queued: i64,
    sent: i64,
    is_light: bool,
    free: usize,
}

impl Room {
    /// Takes in what `rounds` rounds see, all of them the same.
    fn observe(&mut self, rounds: u64, view: View) {
        if view.is_light {
            let arrived = view.sent - self.sent;
            let shrunk = self.queued - view.queued;
            if self.queued > 0 || view.queued > 0 {
                self.grow(shrunk, view.free);
                self.bandwidth = arrived + shrunk;
            } else {
                self.grow(self.bandwidth - arrived, view.free);
            }
            // From the second round on nothing has changed: the link idles at an empty queue or stands still.
            if rounds > 1 {
                self.bandwidth = if view.queued > 0 { 0 } else { self.bandwidth };
                let more = i64::try_from(rounds - 1).unwrap_or(i64::MAX);
                self.grow(self.bandwidth.saturating_mul(more), view.free);
            }
        }
        (self.queued, self.sent) = (view.queued, view.sent);
    }

    fn grow(&mut self, halves: i64, free: usize) {
        let most = i64::try_from(free).unwrap_or(i64::MAX).saturating_mul(2);
        self.halves = self.halves.saturating_add(halves).max(0).min(most);
    }

    /// Packets that may go on in this round.
    fn packets(&self, threshold: Threshold) -> i64 {
        let least = if threshold == Threshold::Above { 3 } else { 2 };
        if self.halves < least { 0 } else { self.halves / 2 }
    }

    /// `packets` went on; the queue now holds `queued`.
    fn fill(&mut self, packets: i64, queued: usize) {
        self.halves -= 2 * packets;
        self.queued = queued as i64;
    }
}
