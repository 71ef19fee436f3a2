//! What every queue, strategy and control of the registry costs: `cargo bench -p weir-schemes --bench plugins`. A new
//! entry is measured as soon as it is there.

use criterion::{BenchmarkId, Criterion};
use std::hint::black_box;
use std::time::Duration;
use weir_core::{
    Context, DataOutcome, DataSignal, FaceId, FlowId, Limit, LinkFacts, NextHop, NoSink, NodeId, OutRecord, PathFacts,
    PrefixId, Pull, Query, QueueDiscipline, Rate, Ready, SentSignal, Settings, Site, Span, Time,
};
use weir_schemes::registry::{CONTROLS, QUEUES, RECOVERIES, STRATEGIES};
use weir_wire::{Content, Data, Feedback, Interest, Name, Packet, VirtualData};

/// Between two packets: those of a link of 100 Mbit/s.
const STEP: Span = Span(88_000);

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    queues(&mut criterion);
    strategies(&mut criterion);
    controls(&mut criterion);
    criterion.final_summary();
}

/// Lends a context to one call after another.
#[derive(Default)]
struct Lender {
    now: Time,
    ready: Ready,
}

impl Lender {
    fn lend<R>(&mut self, call: impl FnOnce(&mut Context<'_>) -> R) -> R {
        let (node, face) = (NodeId(0), FaceId(0));
        let cx = &mut Context { now: self.now, node, face, sink: &mut NoSink, watched: false, ready: &mut self.ready };
        call(cx)
    }
}

fn name() -> Name {
    "/example/content".parse().expect("a name")
}

/// One packet comes, one leaves, and ten wait in between: no queue has a reason to drop.
fn queues(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("queue, in and out");
    let site = Site::default();
    let alone = QUEUES.iter().map(|entry| (entry.name.to_owned(), entry, None));
    let wrapped = RECOVERIES
        .iter()
        .map(|around| (format!("{} around {}", around.name, QUEUES[0].name), &QUEUES[0], Some(around)));
    for (label, entry, recovery) in alone.chain(wrapped) {
        let mut queue = (entry.build)(&Settings::new(), &site).expect("defaults");
        if let Some(recovery) = recovery {
            queue = (recovery.build)(&Settings::new(), &site).expect("defaults")(queue);
        }
        let content = Content::Virtual(VirtualData { payload: 1000, freshness_ms: 0, final_segment: None });
        let mut spare = Vec::from_iter(
            (0..11).map(|s| Packet::from(Data { name: name().with_segment(s), content: content.clone() })),
        );
        let mut lender = Lender::default();
        for _ in 0..10 {
            put(&mut queue, &mut spare, &mut lender);
        }
        group.bench_function(BenchmarkId::from_parameter(label), |b| {
            b.iter(|| {
                put(&mut queue, &mut spare, &mut lender);
                match lender.lend(|cx| queue.dequeue(cx)) {
                    Pull::Packet(packet) => spare.push(packet),
                    Pull::Later(_) | Pull::Idle => panic!("packets wait, and the link is free"),
                }
            });
        });
    }
    group.finish();
}

fn put(queue: &mut Box<dyn QueueDiscipline>, spare: &mut Vec<Packet>, lender: &mut Lender) {
    let Some(mut packet) = spare.pop() else { return };
    lender.now += STEP;
    packet.set_queued_at(lender.now.0);
    lender.lend(|cx| queue.enqueue(packet, cx));
}

/// A choice among four next hops, and the Data that comes back from there.
fn strategies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("strategy, choice and data");
    let next_hops = [1, 2, 3, 4].map(|face| NextHop { face: FaceId(face), cost: u64::from(face) });
    let (prefix, content) = (PrefixId(0), name());
    for entry in STRATEGIES {
        let mut strategy = (entry.build)(&Settings::new(), &Site::default()).expect("defaults");
        for hop in next_hops {
            // Fast enough that a strategy which limits rates has no reason to refuse.
            let link = LinkFacts { rate: Rate(1_000_000_000), delay: Span::from_millis(1), queue: Limit::Packets(100) };
            strategy.on_face(hop.face, &link);
            strategy.on_route(prefix, hop.face, &PathFacts { round_trip: Span::from_millis(20) });
        }
        let (mut lender, mut segment) = (Lender::default(), 0);
        group.bench_function(BenchmarkId::from_parameter(entry.name), |b| {
            b.iter(|| {
                segment += 1;
                lender.now += STEP;
                let interest = Interest::new(content.with_segment(segment), segment as u32);
                let query = Query { interest: &interest, from: FaceId(0), prefix, next_hops: &next_hops, sent: &[] };
                let choice = lender.lend(|cx| strategy.choose(&query, cx));
                let face = match &choice {
                    weir_core::Choice::To(face) => *face,
                    weir_core::Choice::Each(faces) => faces[0],
                    weir_core::Choice::Nack(_) | weir_core::Choice::Drop => return choice,
                };
                let record = OutRecord { face, sent_at: lender.now, nonce: interest.nonce, nacked: None };
                let outcome = DataOutcome {
                    prefix,
                    face,
                    rtt: Some(Span::from_millis(20)),
                    marked: false,
                    mark_distance: 0,
                    queue_delay: Span::ZERO,
                    sent: &[record],
                };
                lender.lend(|cx| strategy.on_data(&outcome, cx));
                choice
            });
        });
    }
    group.finish();
}

/// An Interest leaves, its Data comes back, and the consumer asks what is allowed now.
fn controls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("control, one exchange");
    for entry in CONTROLS {
        let mut control = (entry.build)(&Settings::new(), &Site::default()).expect("defaults");
        let (mut now, mut segment) = (Time::ZERO, 0_u64);
        group.bench_function(BenchmarkId::from_parameter(entry.name), |b| {
            b.iter(|| {
                segment += 1;
                now += STEP;
                control.on_sent(&SentSignal { now, segment, transmission: 1, in_flight: 20 });
                // A mark now and then, so that a window stays finite.
                let marked = segment.is_multiple_of(500);
                let reaction = control.on_data(&DataSignal {
                    now,
                    flow: FlowId(0),
                    segment,
                    payload: 1000,
                    rtt: Span::from_millis(20),
                    sent_at: Time(now.0.saturating_sub(20_000_000)),
                    retransmitted: false,
                    marked,
                    fresh: marked,
                    feedback: Feedback::default(),
                    hops: 2,
                    in_flight: 19,
                    smoothed_rtt: Span::from_millis(20),
                    app_limited: false,
                });
                black_box((reaction, control.allowance()))
            });
        });
    }
    group.finish();
}
