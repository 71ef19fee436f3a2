//! Tables, forwarder and consumer: `cargo bench -p weir-engine --bench tables`.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;
use weir_core::{
    Bytes, Context, FaceId, FlowId, Lifetime, Limit, Machine, NoSink, NodeId, Ready, Seed, Settings, Site, Span, Time,
    Value,
};
use weir_engine::{
    Application, ContentStore, Fetcher, FetcherRules, Fib, Forwarder, ForwarderRules, InRecord, Match, NoticeTimer,
    Outbox, Pit, RateChange, Router, Stems, StrategyId, What,
};
use weir_schemes::registry;
use weir_wire::{Content, Data, Interest, Kind, Name, Packet, VirtualData};

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    pit(&mut criterion);
    content_store(&mut criterion);
    fib(&mut criterion);
    forwarder(&mut criterion);
    fetcher(&mut criterion);
    criterion.final_summary();
}

fn content(number: u64) -> Name {
    format!("/example/content/{number}").parse().expect("a name")
}

fn data(name: Name) -> Data {
    Data { name, content: Content::Virtual(VirtualData { payload: 1000, freshness_ms: 0, final_segment: None }) }
}

/// An Interest comes and its Data, while others are pending: a look for the name, a new entry, its end.
fn pit(criterion: &mut Criterion) {
    const LIFETIME_MS: u32 = 4000;
    let mut group = criterion.benchmark_group("pit insert and satisfy");
    for pending in [100_u64, 10_000, 100_000] {
        let content = content(0);
        let mut pit = Pit::new(usize::MAX);
        let route = Match { prefix: None, strategy: StrategyId(0) };
        let mut stems = Stems::default();
        let insert = |pit: &mut Pit, stems: &mut Stems, segment: u64| {
            let (interest, now) =
                (Interest::new(content.with_segment(segment), segment as u32), Time(segment * 100_000));
            let key = stems.key(&interest.name);
            assert!(pit.find(key, &interest).is_none());
            let id = pit.insert(key, &interest, route, Span::from_millis(10));
            let expiry = now + Span::from_millis(u64::from(LIFETIME_MS));
            pit.wait(id, InRecord { face: FaceId(0), nonce: interest.nonce, expiry, token: None }, LIFETIME_MS);
        };
        (0..pending).for_each(|segment| insert(&mut pit, &mut stems, segment));
        let mut next = pending;
        group.bench_function(BenchmarkId::from_parameter(pending), |b| {
            b.iter(|| {
                insert(&mut pit, &mut stems, next);
                let answered = content.with_segment(next - pending);
                next += 1;
                pit.remove_answered(&answered, stems.find(&answered), &stems)
            });
        });
    }
    group.finish();
}

/// A store that is full: each insertion puts out the least recently used Data.
fn content_store(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("content store");
    for capacity in [1000_u64, 100_000] {
        let content = content(1);
        let (mut store, mut stems) = (ContentStore::new(capacity as usize), Stems::default());
        let mut next = 0;
        let mut insert = |store: &mut ContentStore| {
            let data = data(content.with_segment(next));
            let key = stems.key(&data.name);
            store.insert(key, &data, &stems, Time(next));
            next += 1;
        };
        (0..2 * capacity).for_each(|_| insert(&mut store));
        group.bench_function(BenchmarkId::new("insert and evict", capacity), |b| b.iter(|| insert(&mut store)));
        // In an order that the store has not been filled in; every third name is there.
        let first = store.len() as u64;
        let (mut chance, mut found) = (Seed(1).stream(), 0_u64);
        let stored = data(content.with_segment(0));
        let mut store = ContentStore::new(capacity as usize);
        for segment in 0..first {
            let data = Data { name: content.with_segment(3 * segment), ..stored.clone() };
            let key = stems.key(&data.name);
            store.insert(key, &data, &stems, Time(0));
        }
        group.bench_function(BenchmarkId::new("lookup", capacity), |b| {
            b.iter(|| {
                let interest = Interest::new(content.with_segment(chance.below(3 * first)), 7);
                let key = stems.key(&interest.name);
                found += u64::from(store.find(key, &interest, &stems, Time(0)).is_some());
            });
        });
        black_box(found);
    }
    group.finish();
}

fn fib(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fib lookup");
    let mut fib = Fib::default();
    for number in 0..10_000 {
        fib.add_route(&content(number), FaceId((number % 7) as u32), 1);
    }
    // The same content again and again, as in a fetch, and a content that has never been asked for.
    let known = content(17);
    let mut stems = Stems::default();
    group.bench_function("of a known content", |b| {
        b.iter(|| {
            let name = black_box(&known).with_segment(5);
            let key = stems.key(&name);
            stems.route(key, &name, &fib)
        });
    });
    let mut chance = Seed(1).stream();
    let names: Vec<Name> = (0..100_000).map(|_| content(chance.below(10_000)).with_segment(0)).collect();
    let mut names = names.iter().cycle();
    group.bench_function("of any content", |b| b.iter(|| names.next().map(|name| fib.lookup(name))));
    group.finish();
}

fn plugin<B>(entries: &[weir_core::Entry<B>], name: &str) -> B {
    let site = Site { limit: Limit::Packets(100), data_size: Bytes(1100), ..Site::default() };
    let entry = registry::find("plug-in", entries, name).expect("an entry");
    (entry.build)(&Settings::new(), &site).expect("its defaults")
}

/// Interest in, Interest out, Data in, Data out: two packet-hops through all tables and two queues.
fn forwarder(criterion: &mut Criterion) {
    let mut forwarder = Forwarder::new(
        ForwarderRules { cs_capacity: 100, ..ForwarderRules::default() },
        plugin(registry::STRATEGIES, "best-route"),
    );
    let (down, up) = (
        forwarder.add_face(plugin(registry::QUEUES, "droptail")),
        forwarder.add_face(plugin(registry::QUEUES, "droptail")),
    );
    let content = content(2);
    forwarder.fib_mut().add_route(&content, up, 1);
    let mut router = Router::new(forwarder);
    let (mut sink, mut ready, mut segment) = (NoSink, Ready::default(), 0);
    let mut group = criterion.benchmark_group("forwarder");
    group.throughput(Throughput::Elements(2));
    group.bench_function("an Interest and its Data", |b| {
        b.iter(|| {
            segment += 1;
            let (now, name) = (Time(segment * 100_000), content.with_segment(segment));
            let (node, face) = (NodeId(0), down);
            let mut cx = Context { now, node, face, sink: &mut sink, watched: false, ready: &mut ready };
            router.receive(down, Interest::new(name.clone(), segment as u32).into(), &mut cx);
            let asked = cx.ready.take_offer().is_some_and(|(face, _)| face == up);
            router.receive(up, data(name).into(), &mut cx);
            let answered = cx.ready.take_offer().is_some_and(|(face, _)| face == down);
            assert!(asked && answered);
        });
    });
    group.finish();
}

/// A Data comes and the next Interest leaves, with as many in flight as the window says.
fn fetcher(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fetcher step");
    for (window, control) in [(100, "fixed-window"), (100, "icp"), (10_000, "fixed-window")] {
        let rules = FetcherRules {
            lifetime: Lifetime::Fixed(Span::from_millis(4000)),
            guard: 0.0,
            notice_timer: NoticeTimer::Keep,
            jitter: 0.0,
            rate_change: RateChange::Next,
            nack_pause: Span::from_millis(1),
            learn_from_late: false,
        };
        let what = What { flow: FlowId(0), name: content(3), segments: None, start: Time::ZERO, stop: None };
        let settings = match control {
            "fixed-window" => vec![("window".into(), Value::Integer(window))],
            _ => Settings::new(),
        };
        let entry = registry::find("control", registry::CONTROLS, control).expect("an entry");
        let control_at_work = (entry.build)(&settings, &Site::default()).expect("its settings");
        let timeout = plugin(registry::TIMEOUTS, "rfc6298");
        let mut fetcher = Fetcher::new(what, rules, control_at_work, timeout, Seed(1).stream());
        let (mut sink, mut ready, mut out) = (NoSink, Ready::default(), Outbox::new());
        let (mut now, mut waiting) = (Time::ZERO, VecDeque::new());
        let mut step = |answer: Option<Packet>, waiting: &mut VecDeque<Name>| {
            now += Span(100_000);
            let (node, face) = (NodeId(0), FaceId(0));
            let mut cx = Context { now, node, face, sink: &mut sink, watched: false, ready: &mut ready };
            match answer {
                Some(data) => fetcher.receive(data, &mut out, &mut cx),
                None => fetcher.wake(&mut out, &mut cx),
            }
            for packet in out.drain(..) {
                if let Kind::Interest(interest) = packet.into_kind() {
                    waiting.push_back(interest.name);
                }
            }
        };
        step(None, &mut waiting);
        group.bench_function(BenchmarkId::new(control, window), |b| {
            b.iter(|| {
                let name = waiting.pop_front().expect("something is in flight");
                step(Some(data(name).into()), &mut waiting);
            });
        });
    }
    group.finish();
}
