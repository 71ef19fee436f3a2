//! The simulator under machines made for the purpose: links, order of events, ends.

mod common;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use weir_core::{Context, FaceId, Machine, Pull, Rate, Reading, Seed, Span, Time};
use weir_sim::{Collector, End, LinkSpec, Outcome, Scope, World};
use weir_wire::{Content, Data, Packet, VirtualData};

/// What arrived anywhere: when, at which node, segment.
type Log = Rc<RefCell<Vec<(u64, u32, u64)>>>;

/// A machine that sends what it was told to, and passes on what it gets.
#[derive(Default)]
struct Station {
    /// Times, faces and segments of what to send.
    plan: VecDeque<(Time, FaceId, u64)>,
    queues: Vec<VecDeque<Packet>>,
    /// Where everything goes that comes in; `None`: it ends here.
    onward: Option<FaceId>,
    /// Packets that may wait at a face; more are thrown away.
    limit: usize,
    dropped: Rc<RefCell<u64>>,
    /// A face that is pulled before this says `later`, unless the newest packet is urgent.
    not_before: Time,
    log: Log,
}

impl Station {
    fn put(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        if self.queues.len() <= face.index() {
            self.queues.resize_with(face.index() + 1, VecDeque::new);
        }
        let queue = &mut self.queues[face.index()];
        if queue.len() == self.limit {
            *self.dropped.borrow_mut() += 1;
            return;
        }
        queue.push_back(packet);
        cx.ready.add(face);
    }
}

impl Machine for Station {
    fn receive(&mut self, _face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        let segment = packet.name().segment().unwrap_or(u64::MAX);
        self.log.borrow_mut().push((cx.now.0, cx.node.0, segment));
        if let Some(face) = self.onward {
            self.put(face, packet, cx);
        }
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        if cx.now < self.not_before {
            let queue = &mut self.queues[face.index()];
            let urgent = queue.back().is_some_and(|packet| packet.name().segment() >= Some(URGENT));
            let packet = if urgent { queue.pop_back() } else { None };
            if packet.is_some() && !queue.is_empty() {
                cx.ready.more();
            }
            return packet.map_or(Pull::Later(self.not_before), Pull::Packet);
        }
        let Some(packet) = self.queues[face.index()].pop_front() else { return Pull::Idle };
        if !self.queues[face.index()].is_empty() {
            cx.ready.more();
        }
        Pull::Packet(packet)
    }

    fn keep(&mut self, _face: FaceId, _packet: Packet) {
        unreachable!("a station offers nothing");
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        while let Some((_, face, segment)) = self.plan.front().copied().filter(|(time, ..)| *time <= cx.now) {
            self.plan.pop_front();
            self.put(face, packet(segment), cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.plan.front().map(|(time, ..)| *time)
    }

    fn inspect(&self, _now: Time, report: &mut dyn FnMut(Reading)) {
        report(Reading::Pit { entries: self.log.borrow().len(), capacity: usize::MAX, peak: 0, area: 0.0 });
    }
}

/// A Data of exactly 1250 bytes on the wire: 10 000 bits.
fn packet(segment: u64) -> Packet {
    let of = |payload| {
        let content = VirtualData { payload, freshness_ms: 0, final_segment: None };
        let name = "/t".parse::<weir_wire::Name>().unwrap().with_segment(segment);
        Packet::from(Data { name, content: Content::Virtual(content) })
    };
    let packet = (1150..1250).map(of).find(|p| p.wire_len() == 1250);
    packet.expect("some payload makes 1250 bytes")
}

/// A network under construction.
struct Network {
    world: World,
    log: Log,
    faces: Vec<u32>,
}

/// Segments from here on are urgent.
const URGENT: u64 = 1000;
const MBIT: u64 = 1_000_000;
const MS: u64 = 1_000_000;

impl Network {
    fn new() -> Network {
        Network::sampled(None)
    }

    fn sampled(sample: Option<Span>) -> Network {
        Network { world: World::new(Collector::new(Vec::new(), 4), sample), log: Log::default(), faces: Vec::new() }
    }

    /// A node that sends the segments of `plan` over its first face at these times.
    fn sender(&mut self, plan: &[(u64, u64)]) -> u32 {
        let plan = plan.iter().map(|(time, segment)| (Time(*time), FaceId(0), *segment)).collect();
        self.station(Station { plan, ..Station::default() })
    }

    fn receiver(&mut self) -> u32 {
        self.station(Station::default())
    }

    fn station(&mut self, station: Station) -> u32 {
        let limit = if station.limit == 0 { usize::MAX } else { station.limit };
        self.faces.push(0);
        self.world.add_node(Box::new(Station { log: Rc::clone(&self.log), limit, ..station }))
    }

    fn link(&mut self, from: u32, to: u32, rate: u64, delay: u64) -> u32 {
        self.lossy_link(from, to, rate, delay, 0.0)
    }

    /// A link direction from the next face of `from`.
    fn lossy_link(&mut self, from: u32, to: u32, rate: u64, delay: u64, loss: f64) -> u32 {
        let from_face = FaceId(self.faces[from as usize]);
        self.faces[from as usize] += 1;
        let spec =
            LinkSpec { from, from_face, to, to_face: FaceId(0), rate: Rate(rate), delay: Span(delay), loss, mtu: None };
        self.world.add_link(spec, Seed(7).of(&format!("{from}>{to}")).stream())
    }

    fn arrivals(&mut self, end: End) -> Vec<(u64, u32, u64)> {
        self.world.run(end);
        self.log.borrow().clone()
    }
}

/// One sender, one receiver, 10 Mbit/s and 5 ms.
fn pair(plan: &[(u64, u64)]) -> Network {
    let mut network = Network::new();
    let (a, b) = (network.sender(plan), network.receiver());
    network.link(a, b, 10 * MBIT, 5 * MS);
    network
}

#[test]
fn a_packet_arrives_after_its_transmission_and_the_delay_to_the_nanosecond() {
    assert_eq!(pair(&[(3, 0)]).arrivals(End::Quiet), [(3 + MS + 5 * MS, 1, 0)]);
    let mut odd = Network::new();
    let (a, b) = (odd.sender(&[(0, 0)]), odd.receiver());
    odd.link(a, b, 3 * MBIT, 1);
    // 10 000 bits at 3 Mbit/s are 3 333 333.3 ns.
    assert_eq!(odd.arrivals(End::Quiet), [(3_333_334, 1, 0)]);
}

#[test]
fn the_packets_of_a_burst_follow_each_other_at_the_rate_of_the_link() {
    let mut network = pair(&[(0, 0), (0, 1), (0, 2), (10 * MS, 3)]);
    let arrivals = network.arrivals(End::Quiet);
    assert_eq!(arrivals, [(6 * MS, 1, 0), (7 * MS, 1, 1), (8 * MS, 1, 2), (16 * MS, 1, 3)]);
    let (_, counters, _) = network.world.links().next().unwrap();
    assert_eq!((counters.packets, counters.bytes, counters.busy), (4, 5000, Span::from_millis(4)));
}

#[test]
fn a_link_carries_more_than_one_packet_at_a_time() {
    let mut network = pair(&[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7)]);
    network.world.run(End::At(Time(5 * MS + MS / 2)));
    let (_, counters, flying) = network.world.links().next().unwrap();
    // Six have been put on the link, the sixth only to the half; none has come out yet.
    assert_eq!((counters.packets, counters.arrived, flying), (6, 0, 6));
    assert_eq!(counters.busy, Span::from_micros(5500));
}

#[test]
fn an_idle_link_needs_no_event_to_become_free() {
    let events = |plan: &[(u64, u64)]| {
        let mut network = pair(plan);
        network.arrivals(End::Quiet);
        network.world.events()
    };
    // A wake and an arrival each; packets that wait add one event each: the link becomes free for them.
    assert_eq!(events(&[(0, 0)]), 2);
    assert_eq!(events(&[(0, 0), (20 * MS, 1)]), 4);
    assert_eq!(events(&[(0, 0), (0, 1), (0, 2)]), 1 + 3 + 2);
}

#[test]
fn a_packet_that_comes_as_the_link_becomes_free_finds_the_queue_served() {
    // Two packets, then one whenever the last has been sent: with room for one, the order of events decides.
    let mut network = Network::new();
    let plan: Vec<(u64, u64)> = (0..50).map(|n| (n * MS, n)).collect();
    let (a, b) = (network.sender(&plan), network.sender(&[(0, 100)]));
    let dropped = Rc::default();
    let relay = Station { onward: Some(FaceId(0)), limit: 1, dropped: Rc::clone(&dropped), ..Station::default() };
    let relay = network.station(relay);
    let end = network.receiver();
    network.link(a, relay, 1000 * MBIT, MS);
    network.link(b, relay, 1000 * MBIT, MS);
    network.link(relay, end, 10 * MBIT, MS);
    let arrived = network.arrivals(End::Quiet).iter().filter(|(_, node, _)| *node == end).count();
    assert_eq!((*dropped.borrow(), arrived), (0, 51));
}

#[test]
fn the_packet_in_transmission_takes_no_place_in_the_queue() {
    // 30 packets reach the relay within 0.3 ms, while it sends one: that one and the 20 that may wait survive.
    let mut network = Network::new();
    let plan: Vec<(u64, u64)> = (0..30).map(|n| (0, n)).collect();
    let a = network.sender(&plan);
    let dropped = Rc::default();
    let relay = Station { onward: Some(FaceId(0)), limit: 20, dropped: Rc::clone(&dropped), ..Station::default() };
    let relay = network.station(relay);
    let end = network.receiver();
    network.link(a, relay, 1000 * MBIT, MS);
    network.link(relay, end, 10 * MBIT, MS);
    let arrivals = network.arrivals(End::Quiet);
    let through: Vec<u64> = arrivals.iter().filter(|(_, node, _)| *node == end).map(|(_, _, n)| *n).collect();
    assert_eq!(through, (0..21).collect::<Vec<u64>>());
    assert_eq!(*dropped.borrow(), 9);
}

#[test]
fn a_burst_into_an_idle_link_leaves_one_more_than_the_queue_holds() {
    // Thirty consumers ask at one instant; their Interests meet at r1, in front of a queue of 20.
    let mut built = common::built(
        r#"
[topology]
dumbbell = { flows = 30, bottleneck = "100kbps", delay = "10ms", access = "10Mbps", queue = "20p" }
[[workload]]
fetch = { segments = 1 }
[scheme]
queue = "droptail"
"#,
        1,
    );
    built.world.run(End::At(common::at(0.1)));
    let outcome = common::outcome(&built);
    assert_eq!(common::of_link(&outcome, "drops_queue_full", "r1>r2"), 9.0);
    assert_eq!(common::of_link(&outcome, "queue_max", "r1>r2"), 20.0);
}

#[test]
fn at_one_instant_the_order_is_that_of_the_links() {
    // The same arrival time over four links, whose packets left in another order than that of the links.
    let mut network = Network::new();
    let senders: Vec<u32> = (0..4).map(|n| network.sender(&[(n * MS, n)])).collect();
    let end = network.receiver();
    for (n, sender) in senders.iter().enumerate().rev() {
        network.link(*sender, end, 10 * MBIT, (10 - n as u64) * MS);
    }
    let order: Vec<u64> = network.arrivals(End::Quiet).iter().map(|(_, _, segment)| *segment).collect();
    assert_eq!(order, [3, 2, 1, 0]);
    assert_eq!(network.world.now(), Time(11 * MS));
}

#[test]
fn a_packet_arrives_behind_those_that_left_before_it() {
    // A lossy link too delivers in order, and what was lost leaves its gap.
    let plan: Vec<(u64, u64)> = (0..500).map(|n| (0, n)).collect();
    let mut network = Network::new();
    let (a, b) = (network.sender(&plan), network.receiver());
    network.lossy_link(a, b, 10 * MBIT, 5 * MS, 0.3);
    let arrivals = network.arrivals(End::Quiet);
    assert!(arrivals.len() < 400);
    for (time, _, segment) in arrivals {
        assert_eq!(time, (segment + 1) * MS + 5 * MS, "a lost packet takes its time on the link, too");
    }
}

#[test]
fn a_lossy_link_loses_its_share() {
    let plan: Vec<(u64, u64)> = (0..20_000).map(|n| (0, n)).collect();
    for loss in [0.01, 0.1, 0.5] {
        let mut network = Network::new();
        let (a, b) = (network.sender(&plan), network.receiver());
        network.lossy_link(a, b, 1000 * MBIT, MS, loss);
        network.arrivals(End::Quiet);
        let (_, counters, _) = network.world.links().next().unwrap();
        let (expected, deviation) = (20_000.0 * loss, (20_000.0 * loss * (1.0 - loss)).sqrt());
        let distance = (counters.lost as f64 - expected).abs();
        assert!(distance < 4.0 * deviation, "{} lost of 20 000 at {loss}", counters.lost);
        assert_eq!(counters.arrived + counters.lost, counters.packets);
    }
}

#[test]
fn what_one_direction_loses_does_not_depend_on_the_other() {
    let lost = |backward: u64| {
        let plan: Vec<(u64, u64)> = (0..300).map(|n| (0, n)).collect();
        let mut network = Network::new();
        let (a, b) = (network.sender(&plan), network.sender(&plan[..backward as usize]));
        network.lossy_link(a, b, 10 * MBIT, MS, 0.2);
        network.lossy_link(b, a, 10 * MBIT, MS, 0.2);
        let arrivals = network.arrivals(End::Quiet);
        arrivals.into_iter().filter(|(_, node, _)| *node == b).map(|(_, _, n)| n).collect::<Vec<u64>>()
    };
    assert_eq!(lost(0), lost(300));
}

#[test]
fn a_queue_that_says_later_is_asked_again_then() {
    let mut network = Network::new();
    let plan = VecDeque::from([(Time(0), FaceId(0), 0), (Time(0), FaceId(0), 1)]);
    let a = network.station(Station { plan, not_before: Time(9 * MS), ..Station::default() });
    let b = network.receiver();
    network.link(a, b, 10 * MBIT, 5 * MS);
    assert_eq!(network.arrivals(End::Quiet), [(15 * MS, 1, 0), (16 * MS, 1, 1)]);
}

#[test]
fn a_queue_that_says_later_is_asked_early_when_something_comes() {
    let mut network = Network::new();
    let (first, second) = (URGENT, URGENT + 1);
    let plan = [(0, 0), (3 * MS, first), (3 * MS + 1, second), (8 * MS + 1, first)];
    let plan = plan.map(|(time, segment)| (Time(time), FaceId(0), segment)).into();
    let a = network.station(Station { plan, not_before: Time(9 * MS), ..Station::default() });
    let b = network.receiver();
    network.link(a, b, 10 * MBIT, 5 * MS);
    // The last urgent one holds the link beyond the time at which the one that waits may go.
    let expected = [(9 * MS, 1, first), (10 * MS, 1, second), (14 * MS + 1, 1, first), (15 * MS + 1, 1, 0)];
    assert_eq!(network.arrivals(End::Quiet), expected);
}

#[test]
fn a_run_ends_at_its_time_and_can_go_on() {
    let plan: Vec<(u64, u64)> = (0..100).map(|n| (n * n * 1000, n)).collect();
    let mut whole = pair(&plan);
    let arrivals = whole.arrivals(End::Quiet);
    let mut pieces = pair(&plan);
    for ms in 0..200 {
        pieces.world.run(End::At(Time(ms * MS)));
        assert_eq!(pieces.world.now(), Time(ms * MS));
        let seen = pieces.log.borrow().len();
        assert_eq!(seen, arrivals.iter().filter(|(time, ..)| *time <= ms * MS).count(), "at {ms} ms");
    }
    assert_eq!(pieces.world.digest(), whole.world.digest());
    assert_eq!((pieces.world.events(), pieces.world.packet_hops()), (whole.world.events(), 100));
}

#[test]
fn a_sample_sees_all_that_happens_at_its_instant_and_the_last_one_everything() {
    let mut network = Network::sampled(Some(Span::from_millis(2)));
    let (a, b) = (network.sender(&[(0, 0), (0, 1), (3 * MS, 2)]), network.receiver());
    network.link(a, b, 10 * MBIT, 5 * MS);
    network.arrivals(End::Quiet);
    let names = ["a", "b"].map(String::from);
    let outcome = Outcome::of(&network.world, &names, &["a>b".to_string()]);
    let of_b = outcome.series.iter().filter(|s| s.scope == Scope::Node("b".into()) && s.metric == "pit");
    let seen = of_b.map(|s| (s.time, s.value));
    // The last packet arrives at 9 ms; the sample after it finds nothing that is still to come.
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [(0.0, 0.0), (0.002, 0.0), (0.004, 0.0), (0.006, 1.0), (0.008, 2.0), (0.01, 3.0)]
    );
}

#[test]
fn the_digest_depends_on_time_place_and_packet() {
    let digest = |from: u64, segment: u64, delay: u64, swapped: bool| {
        let mut network = Network::new();
        let (a, b) = (network.sender(&[(from, segment)]), network.receiver());
        if swapped {
            network.link(b, a, MBIT, MS);
        }
        network.link(a, b, 10 * MBIT, delay);
        network.arrivals(End::Quiet);
        network.world.digest()
    };
    let first = digest(0, 0, MS, false);
    assert_eq!(first, digest(0, 0, MS, false));
    for other in [digest(1, 0, MS, false), digest(0, 1, MS, false), digest(0, 0, MS + 1, false), digest(0, 0, MS, true)]
    {
        assert_ne!(first, other);
    }
    assert_eq!(digest(1, 0, MS, false), digest(0, 0, MS + 1, false), "only arrivals count");
}
