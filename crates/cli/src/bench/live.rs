//! `weir bench live`: how fast a file crosses real forwarders on this machine, and how fast ndnd's programs are.
//!
//! Every program runs as a process of its own, as it would for a user: one that serves, one or two forwarders, one that
//! fetches into nothing. Of several repetitions the fastest counts, for other work only ever makes a run slower.

#[cfg(target_os = "linux")]
mod bottleneck;
mod setups;

#[cfg(target_os = "linux")]
pub(super) use bottleneck::bottleneck;

use crate::Failure;
use crate::output::print;
use serde_json::{Value, json};
use setups::{Running, Setup};
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use weir_core::Seed;

/// Bytes of content in a packet.
pub(super) const SEGMENT: usize = 8000;
/// A fetch that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(300);

/// Measures both paths, each with Weir's programs and, if it is found on PATH, with ndnd's.
pub(super) fn live(megabytes: u64, repeat: u32, control: Option<&str>) -> Result<(), Failure> {
    let folder = tempfile::tempdir().map_err(|e| Failure::Other(format!("no temporary folder: {e}")))?;
    let file = folder.path().join("content");
    write_content(&file, megabytes).map_err(|e| Failure::Other(format!("{}: {e}", file.display())))?;
    let mut paths = Vec::new();
    for (path, two) in [("one forwarder, Unix socket", false), ("two forwarders, UDP loopback", true)] {
        let mut programs = serde_json::Map::new();
        for program in Setup::found() {
            let measured = best(program, two, repeat, &file, folder.path(), control)?;
            programs.insert(program.name().into(), measured);
        }
        paths.push(json!({ "path": path, "programs": programs }));
    }
    let told = json!({
        "bytes": megabytes * 1_000_000,
        "segment_size": SEGMENT,
        "repeat": repeat,
        "control": control.unwrap_or("the default of get"),
        "paths": paths,
        "version": env!("CARGO_PKG_VERSION"),
    });
    print(&format!("{told:#}\n"))
}

/// Bytes that nobody can compress.
fn write_content(file: &Path, megabytes: u64) -> std::io::Result<()> {
    let mut to = std::io::BufWriter::new(std::fs::File::create(file)?);
    let mut chance = Seed(1).stream();
    for _ in 0..megabytes * 125_000 {
        to.write_all(&chance.bits().to_le_bytes())?;
    }
    to.flush()
}

/// The fastest repetition, and the speeds of all.
fn best(
    program: Setup,
    two: bool,
    repeat: u32,
    file: &Path,
    folder: &Path,
    control: Option<&str>,
) -> Result<Value, Failure> {
    let mut runs = Vec::new();
    for _ in 0..repeat {
        let mut running = Running::default();
        let measured = program.begin(two, file, folder, &mut running).and_then(|()| {
            let mut fetch = program.fetch(folder, control)?;
            setups::timed(&mut fetch, PATIENCE)
        });
        runs.push(measured.map(|(took, said)| (took.as_secs_f64(), said)));
    }
    let bits = std::fs::metadata(file).map_or(0.0, |about| about.len() as f64 * 8.0);
    let good: Vec<&(f64, String)> = runs.iter().filter_map(|run| run.as_ref().ok()).collect();
    let failed = runs.iter().filter_map(|run| run.as_ref().err()).next();
    let Some((seconds, said)) = good.iter().min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Ok(json!({ "failed": failed }));
    };
    let speeds: Vec<f64> = good.iter().map(|(seconds, _)| bits / seconds * 1e-6).collect();
    let mut told = json!({ "goodput_mbps": bits / seconds * 1e-6, "seconds": seconds, "all_mbps": speeds });
    if let Some(failed) = failed {
        told["failed"] = failed.as_str().into();
    }
    // What the program itself says: without the start of the process and the search for the version.
    if let Ok(own) = serde_json::from_str::<Value>(said) {
        for key in ["retransmitted_share", "marked", "timeouts", "decreases", "rtt_ms"] {
            told[key] = own[key].clone();
        }
        told["transfer_mbps"] = own["goodput_mbps"].clone();
    }
    Ok(told)
}
