//! Defects that are planted in a world: the checks must notice each, or they would notice nothing.

use std::collections::VecDeque;
use weir_core::{
    Backlog, Choice, Context, FaceId, ForwardingStrategy, Limit, Order, Pull, Query, QueueDiscipline, Span, Time,
};
use weir_sim::{Change, World};
use weir_wire::Packet;
use weir_worlds::{Kind, Limits, check_prepared};

/// Consumer, router, producer; Data wait at the router. The Interests live for longer than anything takes.
const WORLD: &str = "[topology]\nlinear = { routers = 1, rate = [\"1Mbps\", \"10Mbps\"], delay = \"1ms\" }\n\
    [[workload]]\nfetch = { segments = 200, control = { name = \"fixed-window\", window = 20 } }\n\
    [consumer]\nlifetime = \"60s\"\n";
const ROUTER: u32 = 1;
const TO_CONSUMER: FaceId = FaceId(0);

/// What is wrong with a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    None,
    /// It says that three may wait, and lets all wait.
    Overfull,
    /// The tenth packet is gone without a note.
    Swallows,
    /// The tenth packet leaves twice.
    Doubles,
    /// The tenth packet never leaves.
    Keeps,
    /// One packet fewer waits than it has.
    Miscounts,
}

struct Planted {
    defect: Defect,
    waiting: VecDeque<Packet>,
    kept: Option<Packet>,
    came: usize,
    left: usize,
}

impl Planted {
    fn new(defect: Defect) -> Box<Planted> {
        Box::new(Planted { defect, waiting: VecDeque::new(), kept: None, came: 0, left: 0 })
    }
}

impl QueueDiscipline for Planted {
    fn enqueue(&mut self, packet: Packet, _: &mut Context<'_>) {
        self.came += 1;
        match (self.defect, self.came) {
            (Defect::Swallows, 10) => {}
            (Defect::Keeps, 10) => self.kept = Some(packet),
            _ => self.waiting.push_back(packet),
        }
    }

    fn dequeue(&mut self, _: &mut Context<'_>) -> Pull {
        let Some(packet) = self.waiting.pop_front() else { return Pull::Idle };
        self.left += 1;
        if (self.defect, self.left) == (Defect::Doubles, 10) {
            self.waiting.push_front(packet.clone());
        }
        Pull::Packet(packet)
    }

    fn backlog(&self) -> Backlog {
        let packets = self.waiting.len() + usize::from(self.kept.is_some());
        let hidden = usize::from(self.defect == Defect::Miscounts && packets > 1);
        Backlog { packets: packets - hidden, bytes: 0, frames: packets - hidden }
    }

    fn limit(&self) -> Limit {
        Limit::Packets(if self.defect == Defect::Overfull { 3 } else { 1000 })
    }
}

/// Gives the router an order at the beginning, or in the midst of the run.
fn order(world: &mut World, at: Span, order: Order) {
    world.schedule([(Time::ZERO + at, Change::Node { node: ROUTER, order })]);
}

fn found(prepare: &dyn Fn(&mut World)) -> Option<Kind> {
    check_prepared(WORLD, 1, &Limits { events: 100_000 }, prepare).err().map(|failure| failure.kind)
}

fn queue(defect: Defect) -> Option<Kind> {
    found(&|world| order(world, Span::ZERO, Order::Queue { face: TO_CONSUMER, queue: Planted::new(defect) }))
}

#[test]
fn a_queue_without_a_defect_passes() {
    assert_eq!(queue(Defect::None), None);
}

#[test]
fn a_queue_over_its_bound_is_noticed() {
    assert_eq!(queue(Defect::Overfull), Some(Kind::Bound));
}

#[test]
fn a_packet_that_is_dropped_without_a_reason_is_noticed() {
    assert_eq!(queue(Defect::Swallows), Some(Kind::Books));
}

#[test]
fn a_packet_that_comes_out_twice_is_noticed() {
    assert_eq!(queue(Defect::Doubles), Some(Kind::Books));
}

#[test]
fn a_packet_that_is_left_behind_is_noticed() {
    assert_eq!(queue(Defect::Keeps), Some(Kind::Leak));
}

#[test]
fn a_queue_that_counts_wrongly_is_noticed() {
    assert_eq!(queue(Defect::Miscounts), Some(Kind::Books));
}

/// A restart that is not in the file, while the first Interests are on their way to the producer: they are gone from
/// the table, and nobody has said so.
#[test]
fn pending_interests_that_vanish_are_noticed() {
    let restart = |world: &mut World| {
        order(world, Span::from_millis(3), Order::Restart { strategy: None, monitor: None, queues: vec![] })
    };
    assert_eq!(found(&restart), Some(Kind::Books));
}

/// A strategy that sends nothing on.
struct Lazy;

impl ForwardingStrategy for Lazy {
    fn choose(&mut self, _: &Query<'_>, _: &mut Context<'_>) -> Choice {
        Choice::Drop
    }
}

#[test]
fn a_fetch_that_gets_nothing_is_noticed() {
    let lazy = |world: &mut World| order(world, Span::from_millis(500), Order::Strategy(Box::new(Lazy)));
    assert_eq!(found(&lazy), Some(Kind::Endless), "the consumer asks for ever");
}

/// The second run is another one: only the first of the two worlds has it.
#[test]
fn a_run_that_cannot_be_repeated_is_noticed() {
    let times = std::cell::Cell::new(0);
    let first_only = |world: &mut World| {
        times.set(times.get() + 1);
        if times.get() == 1 {
            world.schedule([(
                Time::ZERO + Span::from_millis(500),
                Change::Link { link: 0, rate: None, delay: Some(Span::from_millis(2)), loss: None },
            )]);
        }
    };
    assert_eq!(found(&first_only), Some(Kind::Unrepeatable));
}
