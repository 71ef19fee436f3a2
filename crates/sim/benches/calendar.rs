//! The calendar against the binary heap of the standard library: `cargo bench -p weir-sim --bench calendar`.
//!
//! One event is taken out and another put in, as in a run: most within the time of a packet or of a link, some a timeout
//! away. So the number of events stays, and what is measured is a pair of `pop` and `push`.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Duration;
use weir_core::{Chance, Seed};
use weir_sim::Calendar;

/// Events that wait: a line, a hundred flows, a thousand, and far more than any network of today.
const SIZES: [u64; 4] = [8, 500, 5000, 100_000];
/// Delays are drawn before the clock starts.
const DELAYS: usize = 1 << 16;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    let mut group = criterion.benchmark_group("calendar");
    group.throughput(Throughput::Elements(1));
    for size in SIZES {
        let delays = delays();
        group.bench_function(BenchmarkId::new("calendar", size), |bencher| {
            let mut calendar = Calendar::default();
            let mut next = delays.iter().cycle();
            for (what, delay) in (0..size).zip(&mut next) {
                calendar.push(*delay, what);
            }
            bencher.iter(|| {
                if let (Some((now, what)), Some(delay)) = (calendar.pop(), next.next()) {
                    calendar.push(now + delay, black_box(what));
                }
            });
        });
        group.bench_function(BenchmarkId::new("binary heap", size), |bencher| {
            let mut heap = BinaryHeap::new();
            let mut next = delays.iter().cycle();
            for (what, delay) in (0..size).zip(&mut next) {
                heap.push(Reverse((*delay, what)));
            }
            bencher.iter(|| {
                if let (Some(Reverse((now, what))), Some(delay)) = (heap.pop(), next.next()) {
                    heap.push(Reverse((now + delay, black_box(what))));
                }
            });
        });
    }
    group.finish();
    criterion.final_summary();
}

/// Nanoseconds: 80 % at most the time of a packet on a link of 100 Mbit/s, 19 % across a link, 1 % a timeout.
fn delays() -> Vec<u64> {
    let mut chance = Seed(1).stream();
    let draw = |chance: &mut Chance| match chance.below(100) {
        0..80 => 1 + chance.below(90_000),
        80..99 => 1_000_000 + chance.below(10_000_000),
        _ => 200_000_000 + chance.below(50_000_000),
    };
    (0..DELAYS).map(|_| draw(&mut chance)).collect()
}
