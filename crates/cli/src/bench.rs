//! `weir bench`: how many packets cross a link in a second of one core.

mod live;

use crate::Failure;
use crate::args::{BenchArgs, BenchNetwork};
use crate::output::print;
use cpu_time::ProcessTime;
use weir_scenario::Study;
use weir_sim::{Built, build};

/// A chain of one consumer, two routers and one producer.
const LINEAR: &str = include_str!("bench/linear.toml");
/// Consumers and producers in pairs, and one link that all share.
const DUMBBELL: &str = include_str!("bench/dumbbell.toml");
/// Eleven routers, fifty consumers, one catalogue.
const ABILENE: &str = include_str!("bench/abilene.toml");

/// Segments of a default run, over all flows: start-up is a small part of it then.
const SEGMENTS: u64 = 2_000_000;
/// Size of the file of a default live run, in millions of bytes.
const MEGABYTES: u64 = 200;
/// Simulated seconds of a default run of Abilene.
const SECONDS: u64 = 60;

pub(crate) fn bench(args: &BenchArgs) -> Result<(), Failure> {
    if args.network == BenchNetwork::Live {
        if args.flows.is_some() || args.segments.is_some() || args.seconds.is_some() {
            return Err(Failure::Input("`live` is one file: say `--megabytes`".into()));
        }
        if args.bottleneck {
            return bottleneck(args);
        }
        return live::live(args.megabytes.unwrap_or(MEGABYTES), args.repeat, args.control.as_deref());
    }
    if args.megabytes.is_some() || args.control.is_some() || args.bottleneck {
        return Err(Failure::Input("`--megabytes`, `--control` and `--bottleneck` are for `live`".into()));
    }
    let (name, text) = network(args)?;
    let study = Study::parse(&name, &text, &[]).map_err(|problems| {
        Failure::Other(format!("the network of the bench is wrong:\n{}", problems.render(false)))
    })?;
    let mut best: Option<Measured> = None;
    for _ in 0..args.repeat {
        let measured = measure(&study)?;
        if best.as_ref().is_none_or(|best| measured.cpu_seconds < best.cpu_seconds) {
            best = Some(measured);
        }
    }
    let Some(best) = best else { return Ok(()) };
    print(&(json(&name, &best) + "\n"))
}

/// Size of the file before the bottleneck, in millions of bytes: eight seconds.
#[cfg(target_os = "linux")]
const SLOW_MEGABYTES: u64 = 50;

#[cfg(target_os = "linux")]
fn bottleneck(args: &BenchArgs) -> Result<(), Failure> {
    if args.control.is_some() || args.repeat > 1 {
        return Err(Failure::Input("`--bottleneck` has controls of its own, each once: say `--scheme`".into()));
    }
    live::bottleneck(args.megabytes.unwrap_or(SLOW_MEGABYTES), args.scheme.as_deref(), args.markdown)
}

#[cfg(not(target_os = "linux"))]
fn bottleneck(_: &BenchArgs) -> Result<(), Failure> {
    Err(Failure::Input("`--bottleneck` needs Linux".into()))
}

/// The scenario, as a user would write it, and its name.
fn network(args: &BenchArgs) -> Result<(String, String), Failure> {
    let wrong = |option: &str, network: &str, has: &str| {
        Err(Failure::Input(format!("`{option}` is not for `{network}`, which has {has}")))
    };
    match (args.network, args.flows, args.segments, args.seconds) {
        (BenchNetwork::Live, ..) => Err(Failure::Other("`live` is no simulation".into())),
        (BenchNetwork::Linear, Some(_), ..) => wrong("--flows", "linear", "one flow; take `dumbbell` for more"),
        (BenchNetwork::Linear | BenchNetwork::Dumbbell, .., Some(_)) => {
            wrong("--seconds", "linear` and `dumbbell", "an end of their own: `--segments`")
        }
        (BenchNetwork::Abilene, Some(_), ..) => wrong("--flows", "abilene", "50 consumers"),
        (BenchNetwork::Abilene, _, Some(_), _) => wrong("--segments", "abilene", "a length in time: `--seconds`"),
        (BenchNetwork::Linear, None, segments, None) => {
            let segments = segments.unwrap_or(SEGMENTS);
            Ok(("linear".into(), LINEAR.replace("SEGMENTS", &segments.to_string())))
        }
        (BenchNetwork::Dumbbell, flows, segments, None) => {
            let flows = flows.unwrap_or(100);
            let segments = segments.unwrap_or((SEGMENTS / flows).max(1));
            let text = DUMBBELL
                .replace("FLOWS", &flows.to_string())
                .replace("SEGMENTS", &segments.to_string())
                .replace("RATE", &(50 * flows).to_string())
                .replace("QUEUE", &(100 * flows).to_string());
            Ok((format!("dumbbell-{flows}"), text))
        }
        (BenchNetwork::Abilene, None, None, seconds) => {
            Ok(("abilene".into(), ABILENE.replace("SECONDS", &seconds.unwrap_or(SECONDS).to_string())))
        }
    }
}

/// What one run has taken and done.
struct Measured {
    cpu_seconds: f64,
    built: Built,
}

/// Runs the only point of a study with seed 1. Building the network is not counted.
fn measure(study: &Study) -> Result<Measured, Failure> {
    let mut built = build(&study.points()[0].scenario, 1).map_err(|error| Failure::Other(error.to_string()))?;
    let start = ProcessTime::now();
    built.world.run(built.end);
    Ok(Measured { cpu_seconds: start.elapsed().as_secs_f64(), built })
}

fn json(name: &str, measured: &Measured) -> String {
    let Measured { cpu_seconds, built } = measured;
    let world = &built.world;
    let rate = world.packet_hops() as f64 / cpu_seconds.max(1e-9);
    let memory = peak_memory().map_or("null".into(), |bytes| bytes.to_string());
    format!(
        r#"{{"network":"{name}","packet_hops":{},"cpu_seconds":{cpu_seconds:.3},"hops_per_cpu_second":{rate:.0},"events":{},"simulated_seconds":{:.3},"peak_memory_bytes":{memory},"digest":"{:016x}","version":"{}"}}"#,
        world.packet_hops(),
        world.events(),
        world.now().seconds(),
        world.digest(),
        env!("CARGO_PKG_VERSION"),
    )
}

/// The most memory that this process has had at once (the kernel's `VmHWM`); nothing where there is no such file.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(kilobytes.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
}
