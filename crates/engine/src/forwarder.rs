//! The forwarder: Content Store, Pending Interest Table, Forwarding Information Base, strategies and faces.
//!
//! A packet's way is a straight line: `receive_packet` -> tables -> strategy -> face queue -> `pull_packet`. The
//! pipelines of Interest, Data and Nack stand in a file each.

mod data;
mod faces;
mod interest;
mod nack;

use crate::cs::ContentStore;
use crate::dead_nonces::DeadNonces;
use crate::face::{Egress, FaceKind, NO_LIMIT};
use crate::fib::{Fib, StrategyId};
use crate::pit::{Pit, PitId};
use crate::stems::Stems;
use crate::wakes::Wakes;
use smallvec::SmallVec;
use std::collections::{BTreeSet, VecDeque};
use weir_core::ahead::Ahead;
use weir_core::{
    Backlog, Context, DropReason, Event, FaceId, Failure, FailureKind, ForwardingStrategy, LinkFacts, NextHop,
    NodeMonitor, OutRecord, PathFacts, PitView, PrefixId, Pull, QueueDiscipline, Reading, Span, Time,
};
use weir_wire::{Kind, Name, Packet};

/// First interval within which a repeated Interest is not sent on, and its bound (NFD).
const SUPPRESSION: (Span, Span) = (Span::from_millis(10), Span::from_millis(250));

/// Sizes and rules of a forwarder.
#[derive(Clone, Copy, Debug)]
pub struct ForwarderRules {
    /// Packets in the Content Store; 0: off.
    pub cs_capacity: usize,
    /// Entries in the Pending Interest Table.
    pub pit_capacity: usize,
}

impl Default for ForwarderRules {
    fn default() -> Self {
        ForwarderRules { cs_capacity: 0, pit_capacity: usize::MAX }
    }
}

/// What a forwarder has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForwarderCounters {
    /// Interests received.
    pub interests: u64,
    /// Data received.
    pub data: u64,
    /// Nacks received.
    pub nacks: u64,
    /// Interests that joined a pending one.
    pub aggregated: u64,
    /// Pending Interests that expired.
    pub expired: u64,
}

/// An NDN forwarder. See [`Router`](crate::Router) for a node that also has applications.
pub struct Forwarder {
    faces: Vec<Face>,
    /// Numbers of faces that have closed and may still stand in PIT entries.
    closed: BTreeSet<FaceId>,
    /// Numbers that stand nowhere any more.
    unused: Vec<FaceId>,
    /// The names of all tables.
    stems: Stems,
    pit: Pit,
    cs: ContentStore,
    fib: Fib,
    strategies: Vec<Box<dyn ForwardingStrategy>>,
    /// Whether each of them wants to be told of Data.
    learns: Vec<bool>,
    /// What strategies were told of faces and routes, for one that comes later.
    links: Vec<(FaceId, LinkFacts)>,
    paths: Vec<(PrefixId, FaceId, PathFacts)>,
    monitor: Option<Box<dyn NodeMonitor>>,
    dead_nonces: DeadNonces,
    /// Packets for applications.
    local: VecDeque<(FaceId, Packet)>,
    wakes: Wakes,
    /// A face has a burst to go on with.
    unfinished: bool,
    counters: ForwarderCounters,
    pit_entries: usize,
    pit_peak: usize,
    /// Entry-nanoseconds until `pit_changed_at`.
    pit_area: u128,
    pit_changed_at: Time,
    /// Eligible next hops of the Interest at hand.
    eligible: Vec<NextHop>,
    /// Out-records of the entry at hand, so that a strategy sees them while the table is free to change.
    sent: Vec<OutRecord>,
}

struct Face {
    kind: FaceKind,
    up: bool,
    /// `None` for local faces.
    egress: Option<Egress>,
}

impl Forwarder {
    /// A forwarder without faces; `strategy` is in charge wherever no other is chosen.
    pub fn new(rules: ForwarderRules, strategy: Box<dyn ForwardingStrategy>) -> Forwarder {
        Forwarder {
            faces: Vec::new(),
            closed: BTreeSet::new(),
            unused: Vec::new(),
            stems: Stems::default(),
            pit: Pit::new(rules.pit_capacity),
            cs: ContentStore::new(rules.cs_capacity),
            fib: Fib::default(),
            learns: vec![strategy.learns_from_data()],
            strategies: vec![strategy],
            links: Vec::new(),
            paths: Vec::new(),
            monitor: None,
            dead_nonces: DeadNonces::default(),
            local: VecDeque::new(),
            wakes: Wakes::default(),
            unfinished: false,
            counters: ForwarderCounters::default(),
            pit_entries: 0,
            pit_peak: 0,
            pit_area: 0,
            pit_changed_at: Time::ZERO,
            eligible: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Empties all tables and queues, and begins with other plug-ins; routes stay. Whoever waits here for a Data has to
    /// ask again.
    pub fn restart(
        &mut self,
        strategy: Option<Box<dyn ForwardingStrategy>>,
        monitor: Option<Box<dyn NodeMonitor>>,
        queues: Vec<Box<dyn QueueDiscipline>>,
        cx: &mut Context<'_>,
    ) {
        if monitor.is_some() {
            self.monitor = monitor;
        }
        self.pit.clear();
        self.pit_changed(cx);
        self.cs.clear();
        self.dead_nonces = DeadNonces::default();
        if let Some(strategy) = strategy {
            self.replace_strategy(strategy);
        }
        for (face, queue) in queues.into_iter().enumerate() {
            self.exchange_queue(FaceId(face as u32), queue, true, cx);
        }
    }

    /// Puts another strategy in charge of all that no other is chosen for.
    pub fn replace_strategy(&mut self, strategy: Box<dyn ForwardingStrategy>) {
        self.learns[0] = strategy.learns_from_data();
        self.strategies[0] = strategy;
        self.links.iter().for_each(|(face, link)| self.strategies[0].on_face(*face, link));
        self.paths.iter().for_each(|(prefix, face, path)| self.strategies[0].on_route(*prefix, *face, path));
    }

    /// Puts another queue in front of a link; what waits moves into it.
    pub fn replace_queue(&mut self, face: FaceId, queue: Box<dyn QueueDiscipline>, cx: &mut Context<'_>) {
        self.exchange_queue(face, queue, false, cx);
    }

    fn exchange_queue(&mut self, face: FaceId, queue: Box<dyn QueueDiscipline>, restart: bool, cx: &mut Context<'_>) {
        if let Some(egress) = self.faces.get_mut(face.index()).and_then(|f| f.egress.as_mut()) {
            cx.face = face;
            egress.replace(queue, restart, cx);
            self.wakes.set(face.index(), egress.next_wake());
        }
    }

    /// Puts `strategy` in charge of a prefix and what lies below it.
    pub fn choose_strategy(&mut self, prefix: &Name, strategy: Box<dyn ForwardingStrategy>) {
        // One that was chosen for the prefix before, or for none any more, makes room.
        let place = self.fib.choice(prefix).or_else(|| self.fib.take_unused_strategy());
        let learns = strategy.learns_from_data();
        let place = match place {
            Some(place) => {
                (self.learns[place.0 as usize], self.strategies[place.0 as usize]) = (learns, strategy);
                place
            }
            None => {
                self.learns.push(learns);
                self.strategies.push(strategy);
                StrategyId(self.strategies.len() as u32 - 1)
            }
        };
        let chosen = &mut self.strategies[place.0 as usize];
        self.links.iter().for_each(|(face, link)| chosen.on_face(*face, link));
        self.paths.iter().for_each(|(prefix, face, path)| chosen.on_route(*prefix, *face, path));
        self.fib.choose_strategy(prefix, place);
    }

    /// Leaves a prefix to the strategy that is in charge above it. False if none was chosen for it.
    pub fn forget_strategy(&mut self, prefix: &Name) -> bool {
        self.fib.forget_strategy(prefix)
    }

    /// Tells the strategies what the link of a face is like.
    pub fn describe_face(&mut self, face: FaceId, link: &LinkFacts) {
        match self.links.iter_mut().find(|(known, _)| *known == face) {
            Some((_, known)) => *known = *link,
            None => self.links.push((face, *link)),
        }
        self.strategies.iter_mut().for_each(|strategy| strategy.on_face(face, link));
    }

    /// Tells the strategies what the way of a prefix over one of its next hops is like.
    pub fn describe_route(&mut self, prefix: PrefixId, face: FaceId, path: &PathFacts) {
        self.paths.push((prefix, face, *path));
        self.strategies.iter_mut().for_each(|strategy| strategy.on_route(prefix, face, path));
    }

    /// Lets `monitor` watch the node.
    pub fn watch(&mut self, monitor: Box<dyn NodeMonitor>) {
        self.monitor = Some(monitor);
    }

    /// Routes.
    pub fn fib_mut(&mut self) -> &mut Fib {
        &mut self.fib
    }

    /// Routes, to read.
    pub fn fib(&self) -> &Fib {
        &self.fib
    }

    /// Pending Interests.
    pub fn pit(&self) -> &Pit {
        &self.pit
    }

    /// Cached Data.
    pub fn cs(&self) -> &ContentStore {
        &self.cs
    }

    /// Lets the Content Store hold so many Data; what is more than that leaves.
    pub fn set_cs_capacity(&mut self, packets: usize) {
        self.cs.set_capacity(packets, &self.stems);
    }

    /// Takes the Data below a prefix out of the Content Store, at most so many; says how many there were.
    pub fn erase_from_cs(&mut self, prefix: &Name, most: usize) -> usize {
        self.cs.erase(prefix, most, &self.stems)
    }

    /// What has been done so far.
    pub fn counters(&self) -> ForwarderCounters {
        self.counters
    }

    /// Takes a packet that came in over `face`.
    #[inline(always)]
    pub fn receive_packet(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        self.expire(cx);
        cx.face = face;
        if let Some(egress) = &mut self.faces[face.index()].egress {
            self.wakes.set(face.index(), egress.observe(&packet, cx));
            packet.hop_mut().count_link();
        }
        match &packet.kind {
            Kind::Interest(_) => self.on_interest(face, packet, cx),
            Kind::Data(_) if packet.hop.loss_notice => self.on_loss_notice(face, packet, cx),
            Kind::Data(_) => self.on_data(face, packet, cx),
            Kind::Nack(_) => self.on_nack(face, packet, cx),
        }
    }

    /// Asks for what `receive_packet` will need, as [`Machine::foresee`](weir_core::Machine::foresee).
    #[inline]
    pub fn foresee(&self, step: u32, packet: &Packet, ahead: &mut Ahead) {
        match step {
            0 => {
                ahead.hash = packet.name().hash64();
                self.pit.foresee(ahead.hash);
            }
            1 => match self.pit.foresee_probable(ahead.hash) {
                Some(place) => ahead.place = place,
                // A new Interest takes the first next hop of its content's route.
                None => self.foresee_route(packet, ahead),
            },
            _ => {
                if let Some(face) = self.pit.foresee_downstream(ahead.place) {
                    ahead.to = Some(face);
                    self.foresee_face(face);
                }
            }
        }
    }

    #[inline]
    fn foresee_route(&self, packet: &Packet, ahead: &mut Ahead) {
        let route = self.stems.probable_route(packet.name());
        if let Some(hop) = route.and_then(|prefix| self.fib.next_hops(prefix).first()) {
            ahead.to = Some(hop.face);
            self.foresee_face(hop.face);
        }
    }

    #[inline]
    fn foresee_face(&self, face: FaceId) {
        if let Some(Face { egress: Some(egress), .. }) = self.faces.get(face.index()) {
            egress.foresee();
        }
    }

    /// The next packet for the link of `face`.
    pub fn pull_packet(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        cx.face = face;
        let Some(egress) = &mut self.faces[face.index()].egress else { return Pull::Idle };
        let mut pull = egress.pull(cx);
        self.wakes.set(face.index(), egress.next_wake());
        if let Pull::Packet(packet) = &mut pull
            && packet.hop.congestion_mark > 0
            && let Kind::Interest(interest) = &packet.kind
        {
            // A mark on an Interest says that this egress queue is congested: its Data will carry it back.
            if let Some(id) = self.stems.find(&interest.name).and_then(|key| self.pit.find(key, interest)) {
                self.pit.mark(id, true);
            }
            packet.hop_mut().congestion_mark = 0;
        }
        pull
    }

    /// The link of `face` did not take what it was offered.
    pub fn keep_packet(&mut self, face: FaceId, packet: Packet) {
        if let Some(egress) = &mut self.faces[face.index()].egress {
            egress.keep(packet);
        }
    }

    /// True if there is a packet for an application.
    #[inline(always)]
    pub fn has_local(&self) -> bool {
        !self.local.is_empty()
    }

    /// A packet for an application.
    pub fn take_local(&mut self) -> Option<(FaceId, Packet)> {
        self.local.pop_front()
    }

    /// Goes on with bursts, now that the driver has offered their first packets to the links.
    pub fn resume(&mut self, cx: &mut Context<'_>) {
        if std::mem::take(&mut self.unfinished) {
            for (i, face) in self.faces.iter_mut().enumerate() {
                if let Some(egress) = &mut face.egress {
                    cx.face = FaceId(i as u32);
                    egress.resume(cx);
                    self.wakes.set(i, egress.next_wake());
                }
            }
        }
    }

    /// Does what is due in queues and tables.
    pub fn wake_due(&mut self, cx: &mut Context<'_>) {
        self.expire(cx);
        while let Some(face) = self.wakes.pop_due(cx.now) {
            let Some(egress) = self.faces.get_mut(face).and_then(|f| f.egress.as_mut()) else { continue };
            cx.face = FaceId(face as u32);
            egress.wake(cx);
            self.wakes.set(face, egress.next_wake());
        }
    }

    /// When `wake_due` wants to be called.
    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        let next = self.pit.next_expiry().min(self.wakes.next());
        (next != Time::NEVER).then_some(next)
    }

    /// Tells `report` the state of tables and queues at `now`.
    pub fn report(&self, now: Time, report: &mut dyn FnMut(Reading)) {
        report(Reading::Pit {
            entries: self.pit.len(),
            capacity: self.pit.capacity(),
            peak: self.pit_peak,
            area: self.pit_area(now) as f64 / 1e9,
        });
        let (hits, misses) = self.cs.hits_and_misses();
        report(Reading::Cs { entries: self.cs.len(), hits, misses });
        for (i, face) in self.faces.iter().enumerate() {
            if let Some(egress) = &face.egress {
                egress.report(FaceId(i as u32), report);
            }
        }
        self.strategies[0].inspect(&mut |face, reading| report(Reading::Hop { face, reading }));
    }

    /// Hands a packet to a face: into its queue, or to its application.
    #[inline(always)]
    fn send(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        let Face { egress, kind, .. } = &mut self.faces[face.index()];
        match egress {
            Some(egress) => {
                cx.face = face;
                self.unfinished |= egress.send(packet, cx);
                self.wakes.set(face.index(), egress.next_wake());
            }
            None => {
                let kind = *kind;
                self.send_local(face, kind, packet, cx);
            }
        }
    }

    #[inline(never)]
    fn send_local(&mut self, face: FaceId, kind: FaceKind, packet: Packet, cx: &mut Context<'_>) {
        if kind == FaceKind::Closed {
            cx.face = face;
            cx.discard(packet, DropReason::LinkDown);
        } else {
            self.local.push_back((face, packet));
        }
    }

    /// Next hops of the entry's route that an Interest from `from` may take, into `self.eligible`.
    #[inline(always)]
    fn find_eligible(&mut self, id: PitId, from: Option<FaceId>, local_only: bool) {
        self.eligible.clear();
        let Some(prefix) = self.pit.get(id).prefix() else { return };
        for hop in self.fib.next_hops(prefix) {
            let face = &self.faces[hop.face.index()];
            if face.up && Some(hop.face) != from && (!local_only || face.kind == FaceKind::Local) {
                self.eligible.push(*hop);
            }
        }
    }

    /// Ends entries whose last downstream has stopped waiting.
    #[inline(always)]
    fn expire(&mut self, cx: &mut Context<'_>) {
        if self.pit.may_expire(cx.now) {
            self.expire_due(cx);
        }
    }

    #[cold]
    fn expire_due(&mut self, cx: &mut Context<'_>) {
        while let Some(id) = self.pit.expired(cx.now) {
            self.expire_entry(id, cx);
        }
    }

    fn expire_entry(&mut self, id: PitId, cx: &mut Context<'_>) {
        self.counters.expired += 1;
        self.remember_nonces(id, cx.now);
        self.copy_sent(id);
        let entry = self.pit.get(id);
        let name = entry.name(&self.stems);
        if cx.watched {
            let downstreams = &self.waiting(id);
            cx.tell(|| Event::PitExpired { name: &name, downstreams, sent: &self.sent });
        }
        if let Some(prefix) = entry.prefix() {
            let strategy = &mut self.strategies[entry.strategy().0 as usize];
            // An upstream that refused has been heard of already.
            for record in self.sent.iter().filter(|record| record.nacked.is_none()) {
                let failure = Failure {
                    prefix,
                    name: &name,
                    kind: FailureKind::Expired,
                    face: record.face,
                    sent: &self.sent,
                    next_hops: &[],
                };
                strategy.on_failure(&failure, cx);
            }
        }
        self.pit.remove(id, &self.stems);
        self.pit_changed(cx);
    }

    /// The faces of those who wait.
    fn waiting(&self, id: PitId) -> SmallVec<[FaceId; 4]> {
        self.pit.downstreams(id).iter().map(|record| record.face).collect()
    }

    /// Forgets the contents that stand in no table any more.
    #[cold]
    fn sweep_stems(&mut self) {
        self.stems.sweep(self.pit.stems().chain(self.cs.stems()));
    }

    /// An Interest that ended without Data may still loop: its nonces stay known.
    fn remember_nonces(&mut self, id: PitId, now: Time) {
        let name = self.pit.get(id).hash(&self.stems);
        for upstream in self.pit.upstreams(id) {
            self.dead_nonces.insert(name, upstream.record.nonce, now);
        }
    }

    fn copy_sent(&mut self, id: PitId) {
        self.sent.clear();
        match self.pit.get(id).only_upstream() {
            Some(record) => self.sent.push(record),
            None => self.sent.extend(self.pit.upstreams(id).iter().map(|upstream| upstream.record)),
        }
    }

    /// Called after each change, so the count that held since the last one is `pit_entries`.
    #[inline]
    fn pit_changed(&mut self, cx: &mut Context<'_>) {
        self.pit_area = self.pit_area(cx.now);
        self.pit_changed_at = cx.now;
        self.pit_entries = self.pit.len();
        self.pit_peak = self.pit_peak.max(self.pit_entries);
        if let Some(monitor) = &mut self.monitor {
            monitor.on_pit_change(PitView { entries: self.pit.len(), capacity: self.pit.capacity() }, cx);
        }
    }

    /// The number of entries, summed over time, in entry-nanoseconds.
    #[inline]
    fn pit_area(&self, now: Time) -> u128 {
        self.pit_area + self.pit_entries as u128 * u128::from(now.since(self.pit_changed_at).0)
    }

    /// Tells the monitor of an Interest that no table could answer.
    #[inline]
    fn interest_missed(&mut self, face: FaceId, cx: &mut Context<'_>) {
        if let Some(monitor) = &mut self.monitor {
            let (backlog, limit) = match &self.faces[face.index()].egress {
                Some(egress) => (egress.backlog(), egress.limit()),
                None => (Backlog::default(), NO_LIMIT),
            };
            monitor.on_interest(face, backlog, limit, cx);
        }
    }
}

impl std::fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forwarder")
            .field("faces", &self.faces.len())
            .field("pit", &self.pit.len())
            .field("cs", &self.cs.len())
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}
