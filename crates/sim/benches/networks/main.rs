//! Packet-hops in a CPU second: `cargo bench -p weir-sim --bench networks`.
//!
//! One packet that crosses one link is one packet-hop. The networks are those of `weir bench`; beside each that it knows
//! runs the bare loop, in the same minute, and in the end stands how much of its speed Weir reaches. The fastest run
//! counts there, because other work on a machine only ever makes a run slower.

mod bare;

use bare::Bare;
use cpu_time::ProcessTime;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use std::time::Duration;
use weir_scenario::Study;
use weir_sim::build;

/// A network, and how long it runs.
struct Network {
    name: &'static str,
    text: String,
    /// Flows and segments of each, for the bare loop.
    bare: Option<(u32, u64)>,
}

/// As in docs/performance.md: long enough that queues are full and start-up is a small part.
fn networks() -> [Network; 4] {
    const LINEAR: &str = include_str!("../../../cli/src/bench/linear.toml");
    const ABILENE: &str = include_str!("../../../cli/src/bench/abilene.toml");
    let dumbbell = |name, flows: u32, segments: u64| {
        let text = include_str!("../../../cli/src/bench/dumbbell.toml")
            .replace("FLOWS", &flows.to_string())
            .replace("SEGMENTS", &segments.to_string())
            .replace("RATE", &(50 * flows).to_string())
            .replace("QUEUE", &(100 * flows).to_string());
        Network { name, text, bare: Some((flows, segments)) }
    };
    [
        Network { name: "linear", text: LINEAR.replace("SEGMENTS", "1_000_000"), bare: Some((1, 1_000_000)) },
        dumbbell("dumbbell-100", 100, 8000),
        dumbbell("dumbbell-1000", 1000, 2000),
        Network { name: "abilene", text: ABILENE.replace("SECONDS", "20"), bare: None },
    ]
}

/// Packet-hops and CPU time of one run; making the network is not counted.
type Run = (u64, Duration);

fn weir(study: &Study) -> Run {
    let mut built = build(&study.points()[0].scenario, 1).unwrap_or_else(|error| panic!("{error}"));
    let start = ProcessTime::now();
    built.world.run(built.end);
    (built.world.packet_hops(), start.elapsed())
}

fn bare(flows: u32, segments: u64) -> Run {
    let mut network = Bare::new(flows, segments);
    let start = ProcessTime::now();
    let hops = network.run();
    (hops, start.elapsed())
}

/// Measures `run`; returns packet-hops a second of its fastest run, or nothing if the command line leaves it out.
fn measure(criterion: &mut Criterion, network: &str, who: &str, mut run: impl FnMut() -> Run) -> Option<f64> {
    // As many in every run; criterion wants to know before it begins.
    let (hops, once) = run();
    let mut best = None;
    let mut group = criterion.benchmark_group("networks");
    group.sampling_mode(SamplingMode::Flat).sample_size(10).throughput(Throughput::Elements(hops));
    group.warm_up_time(Duration::from_millis(1)).measurement_time(12 * once);
    group.bench_function(BenchmarkId::new(network, who), |bencher| {
        bencher.iter_custom(|times| {
            let runs = (0..times).map(|_| run().1);
            runs.inspect(|time| best = Some(best.map_or(*time, |best: Duration| best.min(*time)))).sum()
        });
    });
    group.finish();
    best.map(|time| hops as f64 / time.as_secs_f64())
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut lines = Vec::new();
    for Network { name, text, bare: size } in networks() {
        let study = Study::parse(name, &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let ours = measure(&mut criterion, name, "weir", || weir(&study));
        let theirs =
            size.and_then(|(flows, segments)| measure(&mut criterion, name, "bare-loop", || bare(flows, segments)));
        lines.extend(ours.map(|ours| line(name, ours, theirs)));
    }
    criterion.final_summary();
    if !lines.is_empty() {
        println!("Packet-hops a CPU second, fastest run (M: millions)\n{}", lines.concat());
    }
}

fn line(name: &str, ours: f64, theirs: Option<f64>) -> String {
    let million = 1e6;
    let against =
        theirs.map(|theirs| format!("{:4.0} % of {:.1} M of the bare loop", 100.0 * ours / theirs, theirs / million));
    format!("{name:14}{:5.1} M {}\n", ours / million, against.unwrap_or_default())
}
