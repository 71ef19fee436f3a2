//! `weir emulate` as a user meets it. It needs root and tunnel devices: elsewhere these tests say so and pass.
#![cfg(target_os = "linux")]

mod common;

use common::{Called, folder, weir};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const CHAIN: &str = r#"
title = "A chain"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["10Mbps", "100Mbps"], delay = "10ms", queue = "50p" }
[[workload]]
fetch = { segments = 2000, payload = "1000B", name = "/file" }
[scheme]
name = "aimd"
[run]
sample = "100ms"
"#;

fn possible() -> bool {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let possible = root && Command::new("unshare").args(["-n", "true"]).status().is_ok_and(|status| status.success());
    let tun = std::fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    let possible = possible && tun.is_ok();
    if !possible {
        eprintln!("skipped: networks cannot be emulated here");
    }
    possible
}

/// A column of the first row of a table.
fn number(table: &Path, column: &str) -> f64 {
    let text = std::fs::read_to_string(table).unwrap_or_else(|e| panic!("{}: {e}", table.display()));
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    let place = head.iter().position(|name| *name == column).unwrap_or_else(|| panic!("{column} in {head:?}"));
    row[place].parse().unwrap_or_else(|e| panic!("{column}: {e}"))
}

#[test]
fn an_emulated_run_is_like_its_simulated_twin() {
    if !possible() {
        return;
    }
    let here = folder("emulate");
    std::fs::write(here.join("chain.toml"), CHAIN).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "chain.toml", "--beside"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    assert!(called.out.contains("emulated") && called.out.contains("simulated"), "{}", called.out);
    let tables = here.join("out/chain/emulated");
    let both = |column: &str| [tables.join("runs.csv"), tables.join("simulated/runs.csv")].map(|t| number(&t, column));
    assert_eq!(both("delivered"), [2000.0; 2]);
    // On a host that does other things at the same time: it cannot be faster than the link, and should not be much slower.
    let [emulated, simulated] = both("goodput");
    assert!(emulated < 10.0 && emulated > 0.5 * simulated, "{emulated} and {simulated} Mbit/s");
    let [emulated, simulated] = both("full_delay");
    assert!(emulated > 40.0 && emulated < 4.0 * simulated, "{emulated} and {simulated} ms");
    let series = std::fs::read_to_string(tables.join("series.csv")).unwrap();
    assert!(series.lines().filter(|line| line.contains("window")).count() > 5, "{series}");
}

#[test]
fn what_cannot_be_emulated_is_refused_by_name() {
    if !possible() {
        return;
    }
    let here = folder("emulate-refused");
    let text =
        CHAIN.replace("fetch = { segments = 2000, payload = \"1000B\"", "poisson = { rate = \"10/s\", count = 5");
    std::fs::write(here.join("requests.toml"), text).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "requests.toml"]).output().unwrap());
    assert_eq!(called.code, 2, "{called:?}");
    assert!(called.err.contains("requests.toml cannot be emulated") && called.err.contains("fetch"), "{}", called.err);
}

#[test]
fn nothing_outlives_an_emulation_that_is_killed() {
    if !possible() {
        return;
    }
    let here = folder("emulate-killed");
    let text = CHAIN.replace("segments = 2000", "segments = 2000000");
    std::fs::write(here.join("long.toml"), text).unwrap();
    // A folder of its own tells its programs from those of the other tests. Paths of sockets must be short.
    let own = std::env::temp_dir().join(format!("weir-k{}", std::process::id()));
    std::fs::create_dir_all(&own).unwrap();
    let mut emulation = weir(&here).args(["emulate", "long.toml", "--quiet"]).env("TMPDIR", &own).spawn().unwrap();
    let forwarders = || {
        let of = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.ok()?.path().join("cmdline")).ok();
        let lines = std::fs::read_dir("/proc").unwrap().filter_map(of);
        let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.filter(|line| line.contains(" forward ") && line.contains(&*own.to_string_lossy())).count()
    };
    let become_so = |number: usize| {
        (0..3000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            forwarders() == number
        })
    };
    assert!(become_so(3), "{} forwarders", forwarders());
    emulation.kill().unwrap();
    emulation.wait().unwrap();
    assert!(become_so(0), "{} forwarders are left", forwarders());
    std::fs::remove_dir_all(&own).unwrap();
}
