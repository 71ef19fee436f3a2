//! What holds for every queue, alone and behind every recovery.

mod queues_support;

use queues_support::entries::check_entry;
use queues_support::{Bench, is_notice};
use std::collections::BTreeSet;
use weir_core::{Bytes, Chance, Entry, Limit, QueueDiscipline, Seed, Settings, Site, Span, Time};
use weir_schemes::registry::{QUEUES, RECOVERIES};
use weir_wire::Mtu;

const STEPS: u64 = 40_000;

/// A queue under test.
struct Case {
    name: String,
    limit: Limit,
    queue: &'static Entry<Box<dyn QueueDiscipline>>,
    recovery: Option<usize>,
}

impl Case {
    fn build(&self) -> Box<dyn QueueDiscipline> {
        let site = Site { limit: self.limit, ..Site::default() };
        let queue = (self.queue.build)(&Settings::new(), &site).unwrap();
        match self.recovery {
            Some(i) => (RECOVERIES[i].build)(&Settings::new(), &site).unwrap()(queue),
            None => queue,
        }
    }
}

/// Every queue, alone and behind every recovery, with limits in packets, bytes and frames.
fn cases() -> impl Iterator<Item = Case> {
    let limits = [Limit::Packets(1), Limit::Packets(24), Limit::Bytes(Bytes(30_000)), Limit::Bytes(Bytes(90_000))];
    let frames = Limit::Frames { most: 100, mtu: Mtu::new(300).unwrap() };
    cases_of(limits).chain(cases_of([frames]))
}

fn cases_of<const N: usize>(limits: [Limit; N]) -> impl Iterator<Item = Case> {
    let recoveries = || std::iter::once(None).chain((0..RECOVERIES.len()).map(Some));
    QUEUES.iter().flat_map(move |queue| {
        recoveries().flat_map(move |recovery| {
            limits.map(|limit| {
                let around = recovery.map_or("alone", |i| RECOVERIES[i].name);
                Case { name: format!("{} ({around}, {limit:?})", queue.name), limit, queue, recovery }
            })
        })
    })
}

/// A storm on a queue, and what has been seen of it.
struct Storm {
    bench: Bench,
    recovers: bool,
    chance: Chance,
    next_segment: u64,
    offered: usize,
    out: usize,
    notices_out: usize,
    notices_in: usize,
    /// Held back at first, so out of order later.
    diverted: BTreeSet<u64>,
    last_in_order: Option<u64>,
    digest: u64,
}

impl Storm {
    fn new(case: &Case, seed: u64) -> Storm {
        Storm {
            bench: Bench::new(case.build()),
            recovers: case.recovery.is_some(),
            chance: Seed(seed).stream(),
            next_segment: 0,
            offered: 0,
            out: 0,
            notices_out: 0,
            notices_in: 0,
            diverted: BTreeSet::new(),
            last_in_order: None,
            digest: 0,
        }
    }

    /// Time passes, then a packet comes or goes; phases of overload and of rest take turns.
    fn step(&mut self, n: u64) {
        let rush = (n / 1000).is_multiple_of(2);
        let pause = Span(self.chance.below(if n.is_multiple_of(977) { 3_000_000_000 } else { 800_000 }));
        self.bench.go(self.bench.now + pause);
        if self.chance.happens(if rush { 0.6 } else { 0.35 }) {
            self.put()
        } else {
            self.take()
        }
        self.check();
    }

    fn put(&mut self) {
        let segment = self.next_segment;
        self.next_segment += 1;
        let mut packet = match self.chance.below(10) {
            0 => self.bench.interest(segment),
            1 => self.bench.nack(segment),
            _ => self.bench.data(segment),
        };
        packet.hop.loss_notice = self.chance.happens(0.02) && packet.is_content();
        self.notices_in += usize::from(packet.hop.loss_notice);
        self.offered += 1;
        let held = self.bench.queue.held();
        self.bench.put(packet);
        if self.bench.queue.held() > held {
            self.diverted.insert(segment);
        }
    }

    fn take(&mut self) {
        let Some(packet) = self.bench.take() else { return };
        self.out += 1;
        self.notices_out += usize::from(is_notice(&packet));
        let segment = packet.name().segment().unwrap();
        let mark = u64::from(packet.hop.congestion_mark);
        self.digest = self.digest.rotate_left(5) ^ segment ^ (mark << 32) ^ self.bench.now.0;
        assert!(packet.queued_at <= self.bench.now.0);
        if !is_notice(&packet) && !self.diverted.contains(&segment) {
            assert!(self.last_in_order.is_none_or(|last| last < segment), "{segment} out of order");
            self.last_in_order = Some(segment);
        }
    }

    /// The books balance and the limit holds.
    fn check(&mut self) {
        let queue = &self.bench.queue;
        let (backlog, tally) = (queue.backlog(), &self.bench.tally);
        let came = self.offered + tally.notices;
        assert_eq!(came, self.out + tally.dropped.len() + backlog.packets + queue.held(), "packets got lost");
        // A recovery's notices wait beside the queue and take no place in it.
        let beside = if self.recovers { self.notices_in + tally.notices - self.notices_out } else { 0 };
        match queue.limit() {
            Limit::Packets(most) => assert!(backlog.packets <= most + beside, "too many packets"),
            Limit::Bytes(most) => assert!(backlog.bytes <= most.0 as usize + beside * 1200, "too many bytes"),
            Limit::Frames { most, .. } => assert!(backlog.frames <= most + beside * 5, "too many frames"),
        }
        assert!(queue.next_wake().is_none_or(|wake| wake > self.bench.now), "something is left undone");
        assert_eq!(backlog.packets == 0, backlog.bytes == 0);
        assert_eq!(backlog.packets == 0, backlog.frames == 0);
    }

    fn drain(&mut self) {
        for _ in 0..20_000 {
            self.take();
            self.check();
            let queue = &self.bench.queue;
            if queue.backlog().packets == 0 && queue.held() == 0 && queue.next_wake().is_none() {
                return;
            }
            self.bench.go(self.bench.now + Span::from_micros(500));
        }
        panic!("does not drain: {:?}, {} held", self.bench.queue.backlog(), self.bench.queue.held());
    }
}

#[test]
fn a_storm_neither_loses_nor_reorders_and_drains() {
    for (seed, case) in cases().enumerate() {
        println!("{}, seed {seed}", case.name);
        let mut storm = Storm::new(&case, seed as u64);
        (0..STEPS).for_each(|n| storm.step(n));
        assert!(storm.out > STEPS as usize / 10, "hardly anything came through");
        assert!(!storm.bench.tally.dropped.is_empty(), "the storm was too weak to test anything");
        assert_eq!(case.recovery.is_some() && case.limit != Limit::Packets(1), storm.bench.tally.recovered > 0);
        storm.drain();
    }
}

#[test]
fn the_same_seed_gives_the_same_output() {
    for case in cases() {
        println!("{}", case.name);
        let run = |seed| {
            let mut storm = Storm::new(&case, seed);
            (0..10_000).for_each(|n| storm.step(n));
            (storm.digest, storm.out, storm.bench.tally.marked, storm.bench.tally.dropped.len())
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5).0, run(6).0);
    }
}

#[test]
fn an_idle_queue_asks_for_nothing() {
    for case in cases() {
        let mut bench = Bench::new(case.build());
        assert_eq!(bench.queue.next_wake(), None, "{}", case.name);
        assert!(bench.take().is_none());
        bench.put_data(0..1);
        bench.go(Time(7_000_000_000));
        assert_eq!(bench.take_segment(), Some(0));
        assert!(bench.take().is_none());
        assert_eq!((bench.queue.next_wake(), bench.queue.backlog().packets), (None, 0), "{}", case.name);
    }
}

#[test]
fn entries_are_well_formed() {
    QUEUES.iter().for_each(check_entry);
    RECOVERIES.iter().for_each(check_entry);
}
