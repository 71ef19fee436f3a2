//! A bench for machines: plays the driver by hand and writes down what happens.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(unused_imports, reason = "each test file uses its own part")]

mod consumer;
mod packets;
mod plugins;

pub use consumer::{Consumer, Setup, rules};
pub use packets::*;
pub use plugins::*;

use weir_core::{
    Allowance, Context, Delivery, DropReason, FaceId, FlowId, Machine, NodeId, Order, Pull, Reading, Ready, Sink, Span,
    Time,
};
use weir_engine::{Forwarder, ForwarderRules, Router};
use weir_wire::Packet;

/// What the sink was told.
#[derive(Default)]
pub struct Log {
    /// Discarded packets, as `text` shows them, with the face and the reason.
    pub dropped: Vec<(String, u32, DropReason)>,
    /// Faces of the marks.
    pub marked: Vec<u32>,
    /// Transmissions as (flow, segment, how many so far).
    pub requested: Vec<(u32, u64, u32)>,
    /// Segments that arrived, by flow.
    pub delivered: Vec<(u32, u64)>,
    pub deliveries: Vec<Delivery>,
    pub timed_out: Vec<(Time, u64)>,
    pub decreased: Vec<Time>,
    pub completed: Vec<u32>,
}

impl Log {
    pub fn drops(&self, reason: DropReason) -> usize {
        self.dropped.iter().filter(|(_, _, why)| *why == reason).count()
    }
}

impl Sink for Log {
    fn dropped(&mut self, _: Time, _: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {
        self.dropped.push((text(packet), face.0, reason));
    }
    fn marked(&mut self, _: Time, _: NodeId, face: FaceId) {
        self.marked.push(face.0);
    }
    fn requested(&mut self, _: Time, flow: FlowId, segment: u64, transmission: u32) {
        self.requested.push((flow.0, segment, transmission));
    }
    fn delivered(&mut self, _: Time, flow: FlowId, delivery: &Delivery) {
        self.delivered.push((flow.0, delivery.segment));
        self.deliveries.push(*delivery);
    }
    fn timed_out(&mut self, now: Time, _: FlowId, segment: u64) {
        self.timed_out.push((now, segment));
    }
    fn decreased(&mut self, now: Time, _: FlowId, _: &Allowance) {
        self.decreased.push(now);
    }
    fn completed(&mut self, _: Time, flow: FlowId) {
        self.completed.push(flow.0);
    }
}

/// A machine on the bench.
pub struct Bench<M> {
    pub machine: M,
    pub now: Time,
    pub log: Log,
    ready: Ready,
    /// The test pulls by itself, before a machine goes on that wants to know what the links take.
    pub links_are_idle: bool,
}

impl<M: Machine> Bench<M> {
    pub fn new(machine: M) -> Bench<M> {
        Bench { machine, now: Time::ZERO, log: Log::default(), ready: Ready::default(), links_are_idle: false }
    }

    fn call<R>(&mut self, work: impl FnOnce(&mut M, &mut Context<'_>) -> R) -> R {
        let face = FaceId(u32::MAX);
        let mut cx = Context {
            now: self.now,
            node: NodeId(0),
            face,
            sink: &mut self.log,
            watched: false,
            ready: &mut self.ready,
        };
        let result = work(&mut self.machine, &mut cx);
        if !self.links_are_idle {
            self.keep_offered();
        }
        result
    }

    /// No link takes what it is offered.
    fn keep_offered(&mut self) {
        if let Some((face, packet)) = self.ready.take_offer() {
            self.machine.keep(face, packet);
            self.ready.add(face);
        }
    }

    /// Gives the machine an order.
    pub fn obey(&mut self, order: Order) {
        self.call(|machine, cx| machine.obey(order, cx));
        self.finish();
    }

    /// Lets a packet arrive.
    pub fn push(&mut self, face: u32, packet: impl Into<Packet>) {
        let packet = packet.into();
        self.call(|machine, cx| machine.receive(FaceId(face), packet, cx));
        self.finish();
    }

    /// No link is idle, so a machine that wants to know goes on at once.
    fn finish(&mut self) {
        while !self.links_are_idle && self.ready.take_unfinished() {
            self.call(|machine, cx| machine.wake(cx));
        }
    }

    /// The next packet for a link.
    pub fn pull(&mut self, face: u32) -> Option<Packet> {
        if self.ready.offered() == Some(FaceId(face)) {
            let offered = self.ready.take_offer().map(|(_, packet)| packet);
            while self.ready.take_unfinished() {
                self.call(|machine, cx| machine.wake(cx));
            }
            return offered;
        }
        match self.call(|machine, cx| machine.pull(FaceId(face), cx)) {
            Pull::Packet(packet) => Some(packet),
            Pull::Later(time) => {
                assert!(time > self.now, "a queue that says `later` must mean it");
                None
            }
            Pull::Idle => None,
        }
    }

    /// All packets that wait for a link.
    pub fn take(&mut self, face: u32) -> Vec<Packet> {
        let mut packets = Vec::new();
        while let Some(packet) = self.pull(face) {
            packets.push(packet);
        }
        packets
    }

    /// The same as text.
    pub fn out(&mut self, face: u32) -> Vec<String> {
        self.take(face).iter().map(text).collect()
    }

    /// The faces that a driver would now pull.
    pub fn take_ready(&mut self) -> Vec<u32> {
        let offered = self.ready.offered().map(|face| face.0);
        let mut faces: Vec<u32> = std::iter::from_fn(|| self.ready.pop()).map(|face| face.0).chain(offered).collect();
        faces.sort_unstable();
        faces.dedup();
        faces
    }

    pub fn wake(&mut self) {
        self.call(|machine, cx| machine.wake(cx));
        self.finish();
        let next = self.machine.next_wake();
        assert!(next.is_none_or(|next| next > self.now), "woken at {}, it wants to be woken at {next:?}", self.now);
    }

    /// Goes to `to`, waking the machine whenever it wants, at `to` as well.
    pub fn go(&mut self, to: Time) {
        while let Some(at) = self.machine.next_wake().filter(|at| *at <= to) {
            self.now = at.max(self.now);
            self.wake();
        }
        self.now = to;
    }

    pub fn go_ms(&mut self, to: f64) {
        self.go(ms(to));
    }

    pub fn drops(&self, reason: DropReason) -> usize {
        self.log.drops(reason)
    }

    pub fn readings(&self) -> Vec<Reading> {
        let mut readings = Vec::new();
        self.machine.inspect(self.now, &mut |reading| readings.push(reading));
        readings
    }
}

impl Bench<Router> {
    pub fn close(&mut self, face: u32) {
        self.call(|machine, cx| machine.forwarder_mut().close_face(FaceId(face), cx));
        self.finish();
    }

    pub fn pending(&self) -> usize {
        self.machine.forwarder().pit().len()
    }

    /// Entries now, most so far, and their sum over time.
    pub fn pit_reading(&self) -> (usize, usize, f64) {
        let pit = self.readings().into_iter().find_map(|reading| match reading {
            Reading::Pit { entries, peak, area, .. } => Some((entries, peak, area)),
            _ => None,
        });
        pit.expect("a router reports its PIT")
    }
}

/// A router of best-route with `faces` links and these routes: prefix, face, cost.
pub fn router(faces: u32, routes: &[(&str, u32, u64)]) -> Bench<Router> {
    router_with(ForwarderRules::default(), "best-route", faces, routes)
}

pub fn router_with(rules: ForwarderRules, name: &str, faces: u32, routes: &[(&str, u32, u64)]) -> Bench<Router> {
    let mut forwarder = Forwarder::new(rules, strategy(name));
    for _ in 0..faces {
        forwarder.add_face(droptail(1000));
    }
    add_routes(&mut forwarder, routes);
    Bench::new(Router::new(forwarder))
}

pub fn add_routes(forwarder: &mut Forwarder, routes: &[(&str, u32, u64)]) {
    for (prefix, face, cost) in routes {
        forwarder.fib_mut().add_route(&name(prefix), FaceId(*face), *cost);
    }
}

/// So many milliseconds after the start.
pub fn ms(ms: f64) -> Time {
    Time::ZERO + Span::from_seconds(ms / 1000.0)
}

pub fn span_ms(ms: f64) -> Span {
    Span::from_seconds(ms / 1000.0)
}
