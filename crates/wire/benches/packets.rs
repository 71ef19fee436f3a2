//! Names and packets: `cargo bench -p weir-wire --bench packets`.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use std::time::Duration;
use weir_wire::{Content, Data, Interest, Kind, Nack, NackReason, Name, Packet, PitToken, VirtualData};

const URI: &str = "/example/video/2026/holiday.mp4/v=7";

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    names(&mut criterion);
    packets(&mut criterion);
    criterion.final_summary();
}

fn content() -> Name {
    URI.parse().expect("a name")
}

fn names(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("name");
    let (content, other) = (content(), content().with_segment(17));
    let wire = {
        let mut wire = Vec::new();
        other.encode_into(&mut wire);
        wire
    };
    group.bench_function("parse", |b| b.iter(|| black_box(URI).parse::<Name>()));
    // A name computes its hash when it is made; each segment mixes its number into that of its content.
    group.bench_function("decode and hash", |b| b.iter(|| Name::decode(black_box(&wire)).map(|name| name.hash64())));
    let mut segment = 0;
    group.bench_function("segment and hash", |b| {
        b.iter(|| {
            segment += 1;
            black_box(&content).with_segment(segment).hash64()
        });
    });
    group.bench_function("equal", |b| b.iter(|| black_box(&other) == black_box(&content.with_segment(17))));
    group.bench_function("prefix", |b| b.iter(|| black_box(&other).prefix(3)));
    group.finish();
}

fn packets(criterion: &mut Criterion) {
    let name = content().with_segment(1234);
    let interest = Interest::new(name.clone(), 0x1234_5678);
    let data = Data {
        name,
        content: Content::Virtual(VirtualData { payload: 1000, freshness_ms: 4000, final_segment: Some(99_999) }),
    };
    let nack = Nack { reason: NackReason::Congestion, interest: interest.clone() };
    let mut labelled = Packet::from(data.clone());
    labelled.hop_mut().congestion_mark = 1;
    labelled.hop_mut().pit_token = PitToken::new(&[1, 2, 3, 4]);
    let all = [
        ("interest", Packet::from(interest)),
        ("data", Packet::from(data)),
        ("nack", Packet::from(nack)),
        ("data with link header", labelled),
    ];
    for (what, packet) in &all {
        let frame = packet.encode();
        let mut group = criterion.benchmark_group("packet");
        group.throughput(Throughput::Bytes(frame.len() as u64));
        let mut out = Vec::with_capacity(frame.len());
        group.bench_function(BenchmarkId::new("encode", what), |b| {
            b.iter(|| {
                out.clear();
                black_box(packet).encode_into(&mut out);
                out.len()
            });
        });
        group.bench_function(BenchmarkId::new("decode", what), |b| b.iter(|| Packet::decode(frame.clone())));
        group.finish();
    }
    // A packet remembers its length; these add it up.
    let mut group = criterion.benchmark_group("wire_len");
    for (what, packet) in &all[..2] {
        group.bench_function(*what, |b| {
            b.iter(|| match &black_box(packet).kind {
                Kind::Interest(interest) => interest.wire_len(),
                Kind::Data(data) => data.wire_len(),
                Kind::Nack(_) => 0,
            });
        });
    }
    group.finish();
}
