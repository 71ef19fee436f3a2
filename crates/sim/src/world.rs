//! Nodes, links and the loop that moves packets between them.

use crate::calendar::{Calendar, MANY_EVENTS};
use crate::collect::Collector;
use crate::link::{Link, LinkCounters, LinkSpec, Sent};
use crate::timeline::Change;
use crate::watch::Watch;
use smallvec::SmallVec;
use std::collections::VecDeque;
use weir_core::ahead::{Ahead, STEPS, ask_for};
use weir_core::{Chance, Context, Event, FaceId, Machine, NodeId, Pull, Ready, Seed, Sink, Span, Time};
use weir_scenario::plan::Impairment;
use weir_wire::{Kind, Packet};

/// Kinds of events, in the order in which they happen at one instant: the timeline changes something, machines do what is
/// due, links become free, packets arrive, and then somebody looks.
const CHANGE: u64 = 0;
const WAKE: u64 = 1;
const FREE: u64 = 2;
const ARRIVE: u64 = 3;
const SAMPLE: u64 = 4;

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At this time.
    At(Time),
    /// When every fetch is complete, or nothing happens any more.
    Complete,
    /// The same, but at this time at the latest.
    CompleteOrAt(Time),
    /// When nothing happens any more: every queue, table and link is empty.
    Quiet,
}

/// A network at work.
pub struct World {
    now: Time,
    calendar: Calendar,
    nodes: Vec<Node>,
    links: Vec<Link>,
    /// The link directions that leave each node, by face, one node's behind the other's: made at the start of the run.
    exits: Vec<u32>,
    watch: Watch,
    ready: Ready,
    sample: Option<Span>,
    /// What is still to happen, by time.
    pub(crate) timeline: VecDeque<(Time, Change)>,
    digest: u64,
    hops: u64,
    events: u64,
}

struct Node {
    machine: Box<dyn Machine>,
    /// Link directions by face.
    out: Vec<u32>,
    /// Where they stand in [`World::exits`].
    first_exit: u32,
    /// The wake event that stands in the calendar.
    awaited: Time,
}

impl World {
    /// An empty network, watched by `collector`, looked at every `sample`.
    pub fn new(collector: Collector, sample: Option<Span>) -> World {
        World {
            now: Time::ZERO,
            calendar: Calendar::default(),
            nodes: Vec::new(),
            links: Vec::new(),
            exits: Vec::new(),
            watch: Watch::new(collector),
            ready: Ready::default(),
            sample,
            timeline: VecDeque::new(),
            digest: 0,
            hops: 0,
            events: 0,
        }
    }

    /// Adds a node; its face `i` will stand on the `i`-th link direction that leaves it.
    pub fn add_node(&mut self, machine: Box<dyn Machine>) -> u32 {
        self.nodes.push(Node { machine, out: Vec::new(), first_exit: 0, awaited: Time::NEVER });
        self.nodes.len() as u32 - 1
    }

    /// Adds a link direction. Directions that leave a node must be added in the order of its faces.
    pub fn add_link(&mut self, spec: LinkSpec, chance: Chance) -> u32 {
        let id = self.links.len() as u32;
        let out = &mut self.nodes[spec.from as usize].out;
        assert_eq!(out.len(), spec.from_face.index(), "faces and link directions of a node go in step");
        out.push(id);
        self.links.push(Link::new(spec, chance));
        id
    }

    /// Lets `watcher` see everything from now on: all that the collector is told, and [`Sink::detail`].
    ///
    /// Nobody gets it back: share what it finds, as in `Rc<RefCell<..>>`.
    pub fn watch(&mut self, watcher: Box<dyn Sink>) {
        self.watch.add(watcher);
    }

    /// Runs until `end`. May be called again with a later end.
    pub fn run(&mut self, end: End) {
        let reached = self.run_within(end, u64::MAX);
        debug_assert!(reached, "no run has so many events");
    }

    /// As `run`, but gives up after `events` events, counted from the beginning of the world: false if it did. For those
    /// who cannot know whether a scenario ever ends.
    pub fn run_within(&mut self, end: End, events: u64) -> bool {
        if self.now == Time::ZERO && self.events == 0 {
            self.start();
        }
        let limit = if let End::At(limit) | End::CompleteOrAt(limit) = end { limit } else { Time::NEVER };
        let completes = matches!(end, End::Complete | End::CompleteOrAt(_));
        while !(completes && self.watch.collector.all_complete()) {
            if self.events >= events {
                return self.calendar.is_empty();
            }
            match self.calendar.take_until(limit.0) {
                Some((time, what)) => self.step(Time(time), what),
                None if self.calendar.turn() => self.unfold(),
                None => break,
            }
        }
        let expired = matches!(end, End::CompleteOrAt(_)) && !self.watch.collector.all_complete();
        if expired || matches!(end, End::At(_)) {
            self.now = limit.max(self.now);
        }
        true
    }

    /// True if nothing will ever happen again.
    pub fn is_quiet(&self) -> bool {
        self.calendar.is_empty()
    }

    fn start(&mut self) {
        self.exits.clear();
        for node in &mut self.nodes {
            node.first_exit = self.exits.len() as u32;
            self.exits.extend(&node.out);
        }
        for node in 0..self.nodes.len() {
            self.await_wake(node);
        }
        self.await_change();
        if self.sample.is_some() {
            self.calendar.push(0, SAMPLE << 32);
        }
    }

    /// Prepares the bucket that the calendar has turned to.
    ///
    /// Of the packets in the air of a link only the first stands in the calendar; those that arrive before the bucket ends
    /// are added now, so that each finds its place as the bucket is sorted.
    fn unfold(&mut self) {
        let World { calendar, links, .. } = self;
        let end = Time(calendar.turn_end());
        let events = calendar.turn_len();
        for number in 0..events {
            let what = calendar.in_turn(number);
            if what >> 32 == ARRIVE {
                links[what as u32 as usize].announce_until(end, |arrival| calendar.add_to_turn(arrival.0, what));
            }
        }
        if calendar.len() >= MANY_EVENTS {
            self.foresee(events);
        }
        self.calendar.sort_turn();
    }

    /// Asks for what the arrivals of the bucket will need, of which these are the first of each link; see
    /// [`weir_core::ahead`].
    fn foresee(&self, events: usize) {
        struct Soon<'a> {
            packet: &'a Packet,
            machine: &'a dyn Machine,
            first_exit: u32,
            ahead: Ahead,
        }
        let World { calendar, links, nodes, exits, watch, .. } = self;
        let mut soon: SmallVec<[Soon<'_>; 64]> = SmallVec::new();
        for place in (0..events).map(|number| calendar.in_turn(number)).filter(|what| what >> 32 == ARRIVE) {
            let link = &links[place as u32 as usize];
            let Node { machine, first_exit, .. } = &nodes[link.to as usize];
            ask_for(&link.arrived);
            for packet in link.announced() {
                // It lies in two lines, and these are at its beginning and near its end.
                ask_for(&packet.queued_at);
                ask_for(&packet.hop.congestion_mark);
                let ahead = Ahead::of(link.to_face);
                soon.push(Soon { packet, machine: &**machine, first_exit: *first_exit, ahead });
            }
        }
        for step in 0..STEPS {
            for Soon { packet, machine, ahead, .. } in &mut soon {
                machine.foresee(step, packet, ahead);
            }
        }
        for Soon { first_exit, ahead, .. } in &soon {
            if let Some(face) = ahead.to {
                links[exits[*first_exit as usize + face.index()] as usize].foresee();
            }
            if let Some(flow) = ahead.flow {
                watch.collector.foresee(flow);
            }
        }
    }

    #[inline(always)]
    fn step(&mut self, now: Time, what: u64) {
        self.now = now;
        self.events += 1;
        let place = what as u32 as usize;
        match what >> 32 {
            ARRIVE => self.arrive(place),
            FREE => self.free(place),
            WAKE => self.wake(place),
            CHANGE => self.change(),
            _ => self.look(),
        }
    }

    #[inline(always)]
    fn arrive(&mut self, place: usize) {
        let link = &mut self.links[place];
        // A stale event: its packet was overtaken, or lost when the link went down.
        if link.flying.front().is_none_or(|(arrival, _)| *arrival != self.now) {
            return;
        }
        let Some((_, packet)) = link.flying.pop_front() else { return };
        link.arrived += 1;
        if let Some(next) = link.announce_next() {
            self.calendar.push(next.0, ARRIVE << 32 | place as u64);
        }
        let (node, face) = (link.to as usize, link.to_face);
        self.hops += 1;
        self.digest = mix(self.digest, self.now.0, place as u64, &packet);
        self.watch.tell(self.now, node as u32, face, || Event::Arrived { packet: &packet });
        self.call(node, |machine, cx| machine.receive(face, packet, cx));
    }

    #[inline(never)]
    fn wake(&mut self, node: usize) {
        // A stale event: the node has asked for an earlier one since, which has come.
        if self.nodes[node].awaited != self.now {
            return;
        }
        self.nodes[node].awaited = Time::NEVER;
        self.call(node, |machine, cx| machine.wake(cx));
    }

    #[inline(never)]
    fn free(&mut self, place: usize) {
        // A stale event: the queue had said `later`, and something urgent came before that.
        if self.links[place].awaited != self.now {
            return;
        }
        self.links[place].awaited = Time::NEVER;
        self.pull(place);
        let node = self.links[place].from as usize;
        self.offer_ready(node);
        self.await_wake(node);
    }

    /// Lets a machine work, then sees to its faces and its next wake.
    #[inline(always)]
    pub(crate) fn call(&mut self, node: usize, work: impl FnOnce(&mut dyn Machine, &mut Context<'_>)) {
        let mut cx = Context {
            now: self.now,
            node: NodeId(node as u32),
            face: FaceId(0),
            watched: self.watch.is_watched(),
            sink: self.watch.sink(),
            ready: &mut self.ready,
        };
        work(&mut *self.nodes[node].machine, &mut cx);
        self.offer_ready(node);
        while self.ready.take_unfinished() {
            self.go_on(node);
        }
        self.await_wake(node);
    }

    /// Wakes a machine that wanted to see first what the idle links take.
    #[inline(never)]
    fn go_on(&mut self, node: usize) {
        let mut cx = Context {
            now: self.now,
            node: NodeId(node as u32),
            face: FaceId(0),
            watched: self.watch.is_watched(),
            sink: self.watch.sink(),
            ready: &mut self.ready,
        };
        self.nodes[node].machine.wake(&mut cx);
        self.offer_ready(node);
    }

    #[inline(always)]
    fn offer_ready(&mut self, node: usize) {
        if let Some((face, packet)) = self.ready.take_offer() {
            self.send_or_keep(node, face, packet);
        }
        if self.ready.has_faces() {
            self.pull_ready(node);
        }
    }

    #[inline(never)]
    fn pull_ready(&mut self, node: usize) {
        while let Some(face) = self.ready.pop() {
            let place = self.exit(node, face);
            let link = &self.links[place];
            // The event of this very instant is about to ask.
            if link.awaited == self.now {
                continue;
            }
            if link.free_at <= self.now {
                self.pull(place);
            } else {
                self.await_free(place, link.free_at);
            }
        }
    }

    /// The link direction that leaves a node by this face.
    #[inline(always)]
    fn exit(&self, node: usize, face: FaceId) -> usize {
        self.exits[self.nodes[node].first_exit as usize + face.index()] as usize
    }

    /// Sends a packet if its link is free; otherwise the machine keeps it until the link is.
    #[inline(always)]
    fn send_or_keep(&mut self, node: usize, face: FaceId, packet: Packet) {
        let place = self.exit(node, face);
        let link = &mut self.links[place];
        if link.free_at <= self.now && link.awaited != self.now {
            link.awaited = Time::NEVER;
            self.transmit(place, packet);
        } else {
            self.keep(node, face, packet, place);
        }
    }

    #[inline(never)]
    fn keep(&mut self, node: usize, face: FaceId, packet: Packet, place: usize) {
        let free_at = self.links[place].free_at;
        self.nodes[node].machine.keep(face, packet);
        // The event of this very instant is about to ask.
        if self.links[place].awaited != self.now {
            self.await_free(place, free_at);
        }
    }

    /// Puts a packet on a free link.
    #[inline(always)]
    fn transmit(&mut self, place: usize, packet: Packet) {
        let link = &mut self.links[place];
        let (node, face) = (link.from, link.from_face);
        self.watch.tell(self.now, node, face, || link.sending(&packet, self.now));
        match link.transmit(packet, self.now) {
            Sent::First(arrival) => self.plan(arrival, ARRIVE, place),
            Sent::Behind => {}
            other => self.note_sent(other, place),
        }
    }

    /// What has become of a packet on a link that is not plain.
    #[cold]
    fn note_sent(&mut self, sent: Sent, place: usize) {
        let link = &mut self.links[place];
        let (node, face) = (link.from, link.from_face);
        match sent {
            Sent::First(_) | Sent::Behind => {}
            Sent::Twice(copy, first) => {
                if let Some((_, packet)) = link.flying.get(copy) {
                    self.watch.tell(self.now, node, face, || Event::Duplicated { packet });
                }
                if let Some(arrival) = first {
                    self.plan(arrival, ARRIVE, place);
                }
            }
            Sent::Lost(packet, reason) => {
                self.watch.sink().dropped(self.now, NodeId(node), face, &packet, reason);
            }
        }
    }

    /// Takes the next packet for a free link and sends it; and the one after it, if the link is free again at once because
    /// it loses whatever it is given.
    fn pull(&mut self, place: usize) {
        let link = &self.links[place];
        let (node, face) = (link.from, link.from_face);
        let again = loop {
            let mut cx = Context {
                now: self.now,
                node: NodeId(node),
                face,
                watched: self.watch.is_watched(),
                sink: self.watch.sink(),
                ready: &mut self.ready,
            };
            let machine = &mut self.nodes[node as usize].machine;
            match machine.pull(face, &mut cx) {
                Pull::Idle => {
                    self.links[place].awaited = Time::NEVER;
                    return;
                }
                Pull::Later(time) => {
                    assert!(time > self.now, "a queue that says `later` must mean it");
                    break time;
                }
                Pull::Packet(packet) => {
                    let more = self.ready.take_more();
                    self.transmit(place, packet);
                    let link = &mut self.links[place];
                    if !more {
                        link.awaited = Time::NEVER;
                        return;
                    }
                    if link.free_at > self.now {
                        break link.free_at;
                    }
                }
            }
        };
        self.await_free(place, again);
    }

    /// Puts a rare event into the calendar: not inlined, so that the ways that hardly ever lead here stay short.
    #[inline(never)]
    fn plan(&mut self, time: Time, kind: u64, place: usize) {
        self.calendar.push(time.0, kind << 32 | place as u64);
    }

    /// Asks the queue of a link at `time`, and not before.
    #[inline]
    fn await_free(&mut self, place: usize, time: Time) {
        if self.links[place].awaited != time {
            self.links[place].awaited = time;
            self.plan(time, FREE, place);
        }
    }

    #[inline]
    fn await_wake(&mut self, node: usize) {
        let node_state = &mut self.nodes[node];
        if let Some(at) = node_state.machine.next_wake()
            && at < node_state.awaited
        {
            let at = at.max(self.now);
            node_state.awaited = at;
            self.plan(at, WAKE, node);
        }
    }

    /// Asks the queue of a link whose state has changed.
    pub(crate) fn offer(&mut self, place: usize) {
        if self.links[place].free_at <= self.now {
            self.pull(place);
        }
        let node = self.links[place].spec.from as usize;
        self.offer_ready(node);
        self.await_wake(node);
    }

    /// Waits for the next change of the timeline.
    pub(crate) fn await_change(&mut self) {
        if let Some((time, _)) = self.timeline.front() {
            self.calendar.push(time.0.max(self.now.0), CHANGE << 32);
        }
    }

    /// A link direction, to change.
    pub(crate) fn link_mut(&mut self, place: usize) -> &mut Link {
        &mut self.links[place]
    }

    /// Whoever is told of what happens.
    pub(crate) fn sink(&mut self) -> &mut dyn Sink {
        self.watch.sink()
    }

    /// Makes a link direction worse.
    pub(crate) fn impair(&mut self, link: u32, impairment: Impairment, seed: Seed) {
        self.links[link as usize].impair(impairment, seed);
    }

    /// Takes a sample of every machine.
    #[inline(never)]
    fn look(&mut self) {
        for (i, node) in self.nodes.iter().enumerate() {
            let collector = &mut self.watch.collector;
            node.machine.inspect(self.now, &mut |reading| collector.sample(self.now, NodeId(i as u32), reading));
        }
        for link in &self.links {
            let (node, face) = (NodeId(link.spec.from), link.spec.from_face);
            self.watch.collector.sample_link(self.now, node, face, link.in_air(self.now));
        }
        self.watch.collector.sample_flows(self.now);
        let sent = self.links.iter().map(|link| (NodeId(link.from), link.from_face, link.bytes));
        self.watch.collector.sample_links(self.now, sent);
        // The last sample is the one after which nothing else is due.
        if let Some(sample) = self.sample
            && !self.calendar.is_empty()
        {
            self.calendar.push((self.now + sample).0, SAMPLE << 32);
        }
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Hash of every packet that has arrived anywhere, when, and where.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Packets that have crossed a link.
    pub fn packet_hops(&self) -> u64 {
        self.hops
    }

    /// Events handled.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What has been watched.
    pub fn collector(&self) -> &Collector {
        &self.watch.collector
    }

    /// Counters and packets in the air of each link direction, in the order of `add_link`.
    pub fn links(&self) -> impl Iterator<Item = (&LinkSpec, LinkCounters, usize)> {
        self.links.iter().map(|l| (&l.spec, l.counters_at(self.now), l.flying.len()))
    }

    /// A node's machine.
    pub fn machine(&self, node: u32) -> &dyn Machine {
        &*self.nodes[node as usize].machine
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("now", &self.now).field("digest", &self.digest).finish_non_exhaustive()
    }
}

#[inline]
fn mix(digest: u64, time: u64, place: u64, packet: &Packet) -> u64 {
    let kind = match &packet.kind {
        Kind::Interest(i) => 1 ^ u64::from(i.nonce) << 8,
        Kind::Data(_) => 2 ^ u64::from(packet.hop.congestion_mark) << 8 ^ u64::from(packet.hop.loss_notice) << 16,
        Kind::Nack(_) => 3,
    };
    let word = packet.name().hash64() ^ time.rotate_left(20) ^ kind ^ place.rotate_left(48);
    (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
