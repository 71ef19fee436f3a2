//! The least that a simulator of such a network has to do: numbered packets of 16 bytes, a binary heap for a calendar,
//! drop-tail queues, one hash table in each router, a window and a timeout in each consumer. No names, no cache, no
//! routes, no strategies, no metrics, no digest. What it does in a second is what this machine has to give in that
//! minute, and what Weir is measured against.

use hashbrown::HashTable;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const INTEREST_BYTES: u32 = 40;
const DATA_BYTES: u32 = 1100;
const TIMEOUT: u64 = 200_000_000;

#[derive(Clone, Copy)]
struct Packet {
    /// The flow in the upper half, the segment in the lower.
    name: u64,
    bytes: u32,
    is_data: bool,
}

/// One direction.
struct Link {
    to: Node,
    picos_per_byte: u64,
    delay: u64,
    room: usize,
    idle: bool,
    waiting: VecDeque<Packet>,
    flying: VecDeque<(u64, Packet)>,
}

#[derive(Clone, Copy)]
enum Node {
    Consumer(u32),
    Near,
    Far,
    Producer(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Free(u32),
    Arrival(u32),
    Timer(u32),
}

/// A router: by which link the Data of a pending Interest goes back.
#[derive(Default)]
struct Router(HashTable<(u64, u32)>);

impl Router {
    fn expect(&mut self, name: u64, back: u32) {
        let entry = self.0.entry(spread(name), |(known, _)| *known == name, |(known, _)| spread(*known));
        entry.insert((name, back));
    }

    fn satisfy(&mut self, name: u64) -> Option<u32> {
        let found = self.0.find_entry(spread(name), |(known, _)| *known == name).ok()?;
        Some(found.remove().0.1)
    }
}

/// A hash of two instructions.
fn spread(name: u64) -> u64 {
    name.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26)
}

/// One segment more for each round trip, half the window at a loss, once in a round trip.
struct Consumer {
    segments: u64,
    window: f64,
    in_flight: u32,
    /// All below are there.
    lowest: u64,
    /// When the segments from `lowest` on were last asked for; `LOST`, `THERE`.
    sent: VecDeque<u64>,
    timers: VecDeque<(u64, u64)>,
    lost: VecDeque<u64>,
    cut_at: u64,
    alarmed: bool,
}

const LOST: u64 = u64::MAX;
const THERE: u64 = u64::MAX - 1;

impl Consumer {
    /// The next segment to ask for, lost ones first, if the window has room for one.
    fn next(&mut self, now: u64) -> Option<u64> {
        if f64::from(self.in_flight) >= self.window {
            return None;
        }
        let segment = loop {
            match self.lost.pop_front() {
                Some(lost) if self.slot(lost).is_some_and(|slot| *slot == LOST) => break lost,
                Some(_) => {}
                None => {
                    let new = self.lowest + self.sent.len() as u64;
                    if new >= self.segments {
                        return None;
                    }
                    self.sent.push_back(now);
                    break new;
                }
            }
        };
        self.put(segment, now);
        self.timers.push_back((now, segment));
        self.in_flight += 1;
        Some(segment)
    }

    fn slot(&mut self, segment: u64) -> Option<&mut u64> {
        self.sent.get_mut(segment.checked_sub(self.lowest)? as usize)
    }

    fn put(&mut self, segment: u64, time: u64) {
        if let Some(slot) = self.slot(segment) {
            *slot = time;
        }
    }

    /// A segment has come; true if it was the last one missing.
    fn take(&mut self, segment: u64) -> bool {
        let Some(slot) = self.slot(segment) else { return false };
        match std::mem::replace(slot, THERE) {
            THERE => return false,
            LOST => {}
            _ => self.in_flight -= 1,
        }
        self.window += 1.0 / self.window;
        while self.sent.front() == Some(&THERE) {
            self.sent.pop_front();
            self.lowest += 1;
        }
        self.lowest == self.segments
    }

    fn expire(&mut self, now: u64) {
        while let Some((sent, segment)) = self.timers.front().copied() {
            let running = self.slot(segment).is_some_and(|slot| *slot == sent);
            if running && sent + TIMEOUT > now {
                break;
            }
            self.timers.pop_front();
            if running {
                self.put(segment, LOST);
                self.lost.push_back(segment);
                self.in_flight -= 1;
                if sent >= self.cut_at {
                    self.window = (self.window / 2.0).max(1.0);
                    self.cut_at = now;
                }
            }
        }
    }
}

/// Consumers, two routers, producers: one pair for each flow. With one flow it is a line.
pub struct Bare {
    now: u64,
    count: u64,
    calendar: BinaryHeap<Reverse<(u64, u64, Due)>>,
    links: Vec<Link>,
    near: Router,
    far: Router,
    consumers: Vec<Consumer>,
    unfinished: usize,
    hops: u64,
}

/// Links of the bottleneck; behind them stand four for each flow, in the order of the constants below.
const OVER: u32 = 0;
const BACK: u32 = 1;
const FROM_CONSUMER: u32 = 2;
const TO_CONSUMER: u32 = 3;
const TO_PRODUCER: u32 = 4;
const FROM_PRODUCER: u32 = 5;

impl Bare {
    /// The networks of `weir bench linear` (one flow) and `weir bench dumbbell`: 100 Mbit/s and 1 ms at the edges,
    /// 50 Mbit/s for each flow and 10 ms in the middle.
    pub fn new(flows: u32, segments: u64) -> Bare {
        let link = |to, mbps: u64, delay_ms: u64, room| Link {
            to,
            picos_per_byte: 8_000_000 / mbps,
            delay: delay_ms * 1_000_000,
            room,
            idle: true,
            waiting: VecDeque::new(),
            flying: VecDeque::new(),
        };
        let middle = |to| link(to, 50 * u64::from(flows), 10, 100 * flows as usize);
        let edges = (0..flows).flat_map(|flow| {
            let ends = [Node::Near, Node::Consumer(flow), Node::Producer(flow), Node::Far];
            ends.map(|to| link(to, 100, 1, 100))
        });
        let consumer = |_| Consumer {
            segments,
            window: 2.0,
            in_flight: 0,
            lowest: 0,
            sent: VecDeque::new(),
            timers: VecDeque::new(),
            lost: VecDeque::new(),
            cut_at: 0,
            alarmed: false,
        };
        Bare {
            now: 0,
            count: 0,
            calendar: BinaryHeap::new(),
            links: [middle(Node::Far), middle(Node::Near)].into_iter().chain(edges).collect(),
            near: Router::default(),
            far: Router::default(),
            consumers: (0..flows).map(consumer).collect(),
            unfinished: flows as usize,
            hops: 0,
        }
    }

    /// Runs until every consumer has everything; returns how many packets have crossed a link.
    pub fn run(&mut self) -> u64 {
        for flow in 0..self.consumers.len() {
            self.pump(flow as u32);
        }
        while self.unfinished > 0
            && let Some(Reverse((time, _, due))) = self.calendar.pop()
        {
            self.now = time;
            match due {
                Due::Free(link) => match self.links[link as usize].waiting.pop_front() {
                    Some(packet) => self.transmit(link, packet),
                    None => self.links[link as usize].idle = true,
                },
                Due::Arrival(link) => self.arrive(link),
                Due::Timer(flow) => {
                    self.consumers[flow as usize].expire(time);
                    self.consumers[flow as usize].alarmed = false;
                    self.pump(flow);
                }
            }
        }
        self.hops
    }

    fn schedule(&mut self, time: u64, due: Due) {
        self.count += 1;
        self.calendar.push(Reverse((time, self.count, due)));
    }

    fn send(&mut self, link: u32, packet: Packet) {
        let at = &mut self.links[link as usize];
        if at.idle {
            at.idle = false;
            self.transmit(link, packet);
        } else if at.waiting.len() < at.room {
            at.waiting.push_back(packet);
        }
    }

    fn transmit(&mut self, link: u32, packet: Packet) {
        let at = &mut self.links[link as usize];
        let sent = self.now + u64::from(packet.bytes) * at.picos_per_byte / 1000;
        let (arrival, first) = (sent + at.delay, at.flying.is_empty());
        at.flying.push_back((arrival, packet));
        self.schedule(sent, Due::Free(link));
        if first {
            self.schedule(arrival, Due::Arrival(link));
        }
    }

    fn arrive(&mut self, link: u32) {
        let at = &mut self.links[link as usize];
        let to = at.to;
        let Some((_, packet)) = at.flying.pop_front() else { return };
        if let Some((next, _)) = at.flying.front().copied() {
            self.schedule(next, Due::Arrival(link));
        }
        self.hops += 1;
        let flow = (packet.name >> 32) as u32;
        match (to, packet.is_data) {
            (Node::Near, false) => {
                self.near.expect(packet.name, TO_CONSUMER + 4 * flow);
                self.send(OVER, packet);
            }
            (Node::Far, false) => {
                self.far.expect(packet.name, BACK);
                self.send(TO_PRODUCER + 4 * flow, packet);
            }
            (Node::Near, true) => {
                if let Some(back) = self.near.satisfy(packet.name) {
                    self.send(back, packet);
                }
            }
            (Node::Far, true) => {
                if let Some(back) = self.far.satisfy(packet.name) {
                    self.send(back, packet);
                }
            }
            (Node::Producer(flow), _) => {
                self.send(FROM_PRODUCER + 4 * flow, Packet { bytes: DATA_BYTES, is_data: true, ..packet });
            }
            (Node::Consumer(flow), _) => {
                let complete = self.consumers[flow as usize].take(packet.name & 0xffff_ffff);
                self.unfinished -= usize::from(complete);
                self.pump(flow);
            }
        }
    }

    fn pump(&mut self, flow: u32) {
        while let Some(segment) = self.consumers[flow as usize].next(self.now) {
            let packet = Packet { name: u64::from(flow) << 32 | segment, bytes: INTEREST_BYTES, is_data: false };
            self.send(FROM_CONSUMER + 4 * flow, packet);
        }
        let consumer = &mut self.consumers[flow as usize];
        if let (false, Some((sent, _))) = (consumer.alarmed, consumer.timers.front()) {
            consumer.alarmed = true;
            let at = sent + TIMEOUT;
            self.schedule(at, Due::Timer(flow));
        }
    }
}
