//! Instructions per packet-hop, which do not depend on what else a machine does, and the memory of a thousand flows.
//! `make test` runs these in the release build: `cargo test --release -p weir --test limits -- --ignored`.
//!
//! A bench runs under callgrind in two lengths; the difference is what its steady state costs. `WEIR_BLESS=1` writes the
//! limits anew: look at the difference first.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const LIMITS: &str = "tests/limits.txt";
/// Compilers and C libraries differ a little, and one compiler inlines otherwise when code changes that has nothing to do with it.
const TOLERANCE: f64 = 0.03;
/// With so much less the limit guards nothing any more.
const STALE: f64 = 0.10;

/// Arguments of `weir bench`, a short and a long run.
const BENCHES: [(&str, &[&str], &str, &str); 3] = [
    ("linear", &["linear", "--segments"], "5000", "20000"),
    ("dumbbell-100", &["dumbbell", "--flows", "100", "--segments"], "100", "250"),
    ("abilene", &["abilene", "--seconds"], "2", "4"),
];

/// Instructions and packet-hops of a run.
fn counted(network: &[&str], length: &str) -> (f64, f64) {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_weir"), "bench"])
        .args(network)
        .arg(length)
        .output()
        .expect("valgrind, which tools/debian.sh installs");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    let instructions = said.lines().find_map(|line| line.split_once("Collected :")).expect("a sum").1.trim();
    let printed: Value = serde_json::from_slice(&run.stdout).expect("one JSON object");
    (instructions.parse().expect("a number"), printed["packet_hops"].as_f64().expect("a number"))
}

fn per_hop((_, network, short, long): &(&str, &[&str], &str, &str)) -> f64 {
    let ((few, fewer_hops), (many, more_hops)) = (counted(network, short), counted(network, long));
    (many - few) / (more_hops - fewer_hops)
}

#[test]
#[ignore = "needs the release build and valgrind: `make test` runs it"]
fn instructions_per_packet_hop_stay_within_their_limits() {
    let found: BTreeMap<&str, f64> = BENCHES.iter().map(|bench| (bench.0, per_hop(bench))).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIMITS);
    if std::env::var_os("WEIR_BLESS").is_some() {
        let lines: String = found.iter().map(|(name, count)| format!("{name} {count:.0}\n")).collect();
        std::fs::write(&path, lines).expect(LIMITS);
        return;
    }
    let text = std::fs::read_to_string(&path).expect(LIMITS);
    let limits: BTreeMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, limit)| (name, limit.parse().expect("a number")))
        .collect();
    let wrong: Vec<String> = found
        .iter()
        .filter_map(|(name, count)| {
            let limit = limits.get(name).copied().unwrap_or(0.0);
            let share = count / limit - 1.0;
            let line = format!(
                "{name}: {count:.0} instructions per packet-hop, the limit is {limit:.0} ({:+.1} %)",
                100.0 * share
            );
            println!("{line}");
            (!(-STALE..=TOLERANCE).contains(&share)).then_some(line)
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{}\n\nIf the change is meant, or an improvement, `make bless-limits` writes crates/cli/{LIMITS} anew.",
        wrong.join("\n")
    );
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the release build: `make test` runs it"]
fn a_thousand_flows_need_less_than_300_megabytes() {
    // Each flow has some 110 Interests out by then, and the network as many Data on their way.
    let weir = &mut Command::new(env!("CARGO_BIN_EXE_weir"));
    let done = weir.args(["bench", "dumbbell", "--flows", "1000", "--segments", "6000"]).output();
    let done = done.expect("the program runs");
    let printed: Value = serde_json::from_slice(&done.stdout).expect("one JSON object");
    let bytes = printed["peak_memory_bytes"].as_u64().expect("a number");
    assert!(bytes < 300_000_000, "{bytes} bytes");
}
