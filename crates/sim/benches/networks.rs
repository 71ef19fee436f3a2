//! Packet-hops per CPU second on a line and on dumbbells: `cargo bench -p weir-sim`.
//!
//! One packet that crosses one link is one packet-hop. Each network runs once to warm up and five times for the figure;
//! the fastest counts, because a shared machine only ever makes a run slower. Prints one line of JSON for each network.

use std::time::{Duration, Instant};
use weir_scenario::Study;
use weir_sim::build;

/// One ICP consumer, two routers with tables, one producer, three links.
const LINEAR: &str = r#"
[topology]
linear = { nodes = ["consumer", "r1", "r2", "producer"], rate = ["100Mbps", "50Mbps", "100Mbps"], delay = ["1ms", "10ms", "1ms"], queue = "100p" }
[[workload]]
fetch = { consumer = "consumer", producer = "producer", name = "/video", segments = 500_000 }
[scheme]
name = "icp"
control = { slow_start = false, initial_window = 2 }
[tables]
cs = 100
"#;

fn dumbbell(flows: u64) -> String {
    let (rate, segments) = (50 * flows, 500_000 / flows);
    format!(
        r#"
[topology]
dumbbell = {{ flows = {flows}, bottleneck = "{rate}Mbps", delay = "10ms", queue = "{}p", access = "100Mbps", access_delay = "1ms", access_queue = "100p" }}
[[workload]]
fetch = {{ name = "/video", segments = {segments} }}
[scheme]
name = "icp"
control = {{ slow_start = false, initial_window = 2 }}
[tables]
cs = 100
"#,
        100 * flows
    )
}

fn main() {
    for (name, text) in
        [("linear", LINEAR.to_owned()), ("dumbbell-100", dumbbell(100)), ("dumbbell-1000", dumbbell(1000))]
    {
        measure(name, &text);
    }
}

fn measure(name: &str, text: &str) {
    let study = match Study::parse(name, text, &[]) {
        Ok(study) => study,
        Err(problems) => panic!("{problems}"),
    };
    let runs: Vec<(Duration, u64, u64)> = (0..6).map(|_| once(&study)).collect();
    let (time, hops, digest) = runs[1..].iter().min().copied().unwrap_or_default();
    let rate = hops as f64 / time.as_secs_f64();
    println!(
        r#"{{"network":"{name}","packet_hops":{hops},"seconds":{:.3},"hops_per_second":{rate:.0},"digest":"{digest:016x}"}}"#,
        time.as_secs_f64()
    );
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is the one place in this crate that looks at a real clock")]
fn once(study: &Study) -> (Duration, u64, u64) {
    let mut built = build(&study.points()[0].scenario, 1).unwrap_or_else(|error| panic!("{error}"));
    let start = Instant::now();
    built.world.run(built.end);
    (start.elapsed(), built.world.packet_hops(), built.world.digest())
}
