//! `weir emulate` as a user meets it. It needs root and tunnel devices: elsewhere these tests say so and pass.
#![cfg(target_os = "linux")]

mod common;

use common::emulation::{number, possible};
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
    let more = "[[workload]]\npoisson = { rate = \"5/s\", name = \"/file\", label = \"x\", payload = \"1000B\" }\n\
                [run]\nduration = \"2s\"\n";
    let text = CHAIN.replace("segments = 2000, ", "").replace("[run]\n", more);
    std::fs::write(here.join("both.toml"), text).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "both.toml"]).output().unwrap());
    assert_eq!(called.code, 2, "{called:?}");
    assert!(called.err.contains("both.toml cannot be emulated") && called.err.contains("`/file`"), "{}", called.err);
}

#[test]
fn another_control_takes_over_a_fetch_and_requests_that_are_under_way() {
    if !possible() {
        return;
    }
    let here = folder("emulate-control");
    // At ten segments in each round trip of 40 ms they would take eight seconds.
    let happenings = "[[workload]]\nconstant = { rate = \"1/s\", size = \"400kB\", count = 2, label = \"x\", payload = \"1000B\", \
                      consumer = \"r\", producer = \"p\" }\n\
                      [[at]]\ntime = \"2s\"\nscheme = { control = { name = \"fixed-window\", window = 50 } }\n\
                      [run]\nlimit = \"60s\"\n";
    let text = CHAIN
        .replace("[run]\n", happenings)
        .replace("name = \"aimd\"", "control = { name = \"fixed-window\", window = 5 }");
    std::fs::write(here.join("control.toml"), text).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "control.toml", "--beside"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let tables = here.join("out/control/emulated");
    for flow in ["c", "x"] {
        let of = |table: &str| common::emulation::row(&tables.join(table), "flow", flow, "completion_time");
        let (emulated, simulated) = (of("flows.csv"), of("simulated/flows.csv"));
        assert!(emulated > 2.0 && emulated < simulated + 4.0, "{flow}: {emulated} and {simulated} s");
    }
    let readings = std::fs::read_to_string(tables.join("series.csv")).unwrap();
    let windows = |wanted: &str| {
        readings
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|row| row[2] == "window" && row.last() == Some(&wanted))
            .count()
    };
    assert!(windows("5") > 3 && windows("50") > 3, "{readings}");
}

#[test]
fn the_tables_of_an_emulated_run_are_those_of_its_simulated_twin() {
    if !possible() {
        return;
    }
    let here = folder("emulate-tables");
    // Objects of five segments, with a queue too short for the two flows.
    let more = "[[workload]]\nconstant = { rate = \"4/s\", size = \"5kB\", count = 10, label = \"x\", payload = \"1000B\", \
                consumer = \"c\", producer = \"p\" }\n\
                [[figure]]\nid = \"fetches\"\nx = \"cdf\"\nover = \"fetch\"\ny = \"timeouts + decreases + fetch_time\"\n\
                [run]\nfetches = true\nlimit = \"60s\"\n";
    let text = CHAIN.replace("[run]\n", more).replace("queue = \"50p\"", "queue = \"10p\"");
    std::fs::write(here.join("tables.toml"), text).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "tables.toml", "--beside"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let tables = here.join("out/tables/emulated");
    // What the simulator alone knows.
    let own = ["events", "digest"];
    for table in ["runs", "flows", "links", "nodes"] {
        let file = format!("{table}.csv");
        let [emulated, simulated] = [tables.join(&file), tables.join("simulated").join(&file)];
        for column in common::emulation::filled(&simulated).iter().filter(|column| !own.contains(&&***column)) {
            assert!(common::emulation::filled(&emulated).contains(column), "{table}: {column}");
        }
    }
    let both = |column: &str| [tables.join("runs.csv"), tables.join("simulated/runs.csv")].map(|t| number(&t, column));
    for column in ["decreases", "congestions", "drops", "drops_queue_full", "queue_mean", "sojourn", "pit_mean"] {
        let [emulated, simulated] = both(column);
        assert!(emulated > 0.0 && simulated > 0.0, "{column}: {emulated} and {simulated}");
    }
    assert_eq!(both("fetches_completed"), [11.0; 2]);
    // The figure along fetches has a point for each.
    let figure = std::fs::read_to_string(tables.join("fig-fetches.svg")).unwrap();
    assert!(figure.contains("<path") || figure.contains("<polyline"), "{figure}");
}

/// A time and the goodput then.
type Sample = (f64, f64);

/// Times and values of the goodput's samples. Those of nothing are left out. Times count from when the program was started,
/// and on a busy host it may take a second before it asks for anything.
fn goodput(folder: &Path) -> Vec<Sample> {
    let text = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let samples = rows.filter(|row| row[2] == "goodput");
    samples.map(|row| (row[1].parse().unwrap(), row[row.len() - 1].parse().unwrap())).collect()
}

/// The samples before and after the longest time without any, and that time.
fn around_the_gap(samples: &[Sample]) -> (&[Sample], f64, &[Sample]) {
    let gap = |i: &usize| samples[*i].0 - samples[i - 1].0;
    let place = (1..samples.len()).max_by(|a, b| gap(a).total_cmp(&gap(b))).expect("two samples");
    (&samples[..place], gap(&place), &samples[place..])
}

#[test]
fn links_change_and_fail_as_the_timeline_says() {
    if !possible() {
        return;
    }
    let here = folder("emulate-timeline");
    let happenings = "[[at]]\ntime = \"2s\"\nlink = { name = \"c-r\", rate = \"2Mbps\" }\n\
                      [[at]]\ntime = \"4s\"\ndown = { link = \"c-r\", packets = \"vanish\" }\n\
                      [[at]]\ntime = \"5s\"\nup = \"c-r\"\n[run]\nduration = \"9s\"\n";
    let text = CHAIN.replace("segments = 2000, ", "").replace("[run]\n", happenings);
    std::fs::write(here.join("timeline.toml"), text).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "timeline.toml"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let samples = goodput(&here.join("out/timeline/emulated"));
    let (before, gap, after) = around_the_gap(&samples);
    assert!(gap > 0.8, "{gap} s without Data while the link is down: {samples:?}");
    let most = before.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    assert!(most > 2.5, "{most} Mbit/s of 10 at first: {samples:?}");
    // Ten samples a second.
    let mean = |samples: &[Sample], seconds: f64| samples.iter().map(|(_, value)| value).sum::<f64>() / seconds / 10.0;
    let last = before[before.len() - 1].0;
    let slow: Vec<Sample> = before.iter().copied().filter(|(time, _)| *time > last - 1.0).collect();
    assert!(mean(&slow, 1.0) < 2.2, "{slow:?}");
    assert!(mean(after, 9.0 - last - gap) < 2.2, "{after:?}");
}

#[test]
fn a_fetch_stops_and_goes_on() {
    if !possible() {
        return;
    }
    let here = folder("emulate-stop");
    let happenings = "[[at]]\ntime = \"3s\"\nstop = \"*\"\n[[at]]\ntime = \"6s\"\nstart = \"*\"\n[run]\n";
    // They take five seconds.
    let text = CHAIN.replace("segments = 2000", "segments = 6000").replace("[run]\n", happenings);
    std::fs::write(here.join("stop.toml"), text).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "stop.toml"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let tables = here.join("out/stop/emulated");
    let runs = tables.join("runs.csv");
    assert_eq!((number(&runs, "fetches_started"), number(&runs, "fetches_completed")), (1.0, 1.0));
    let took = number(&runs, "completion_time");
    assert!(took > 6.0, "{took} s");
    let samples = goodput(&tables);
    let (before, gap, after) = around_the_gap(&samples);
    assert!(gap > 2.0 && !before.is_empty() && !after.is_empty(), "{gap} s: {samples:?}");
}

#[test]
fn schemes_are_compared_simulated_and_emulated() {
    if !possible() {
        return;
    }
    let here = folder("emulate-compare");
    std::fs::write(here.join("chain.toml"), CHAIN.replace("[scheme]\nname = \"aimd\"\n", "")).unwrap();
    std::fs::write(here.join("page.md"), "before\n<!-- parity -->\n<!-- end of parity -->\n").unwrap();
    let words = ["compare", "simulated", "emulated", "chain.toml", "--schemes", "icp,bic", "--repetitions", "2"];
    let called =
        Called::new(weir(&here).args(words).args(["--json", "parity.json", "--page", "page.md"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(here.join("parity.json")).unwrap()).unwrap();
    assert_eq!((json["runs"].as_u64(), json["schemes"].as_array().unwrap().len()), (Some(2), 2));
    for scheme in json["schemes"].as_array().unwrap() {
        let goodput = &scheme["measures"][0];
        let [simulated, emulated] = ["simulated", "emulated"].map(|side| goodput[side]["mean"].as_f64().unwrap());
        // On a host that does other things at the same time.
        assert!(emulated < 10.0 && emulated > 0.5 * simulated, "{scheme}");
    }
    let page = std::fs::read_to_string(here.join("page.md")).unwrap();
    assert!(page.starts_with("before\n<!-- parity -->\n2 runs") && page.contains("| `bic` |"), "{page}");
    let csv = std::fs::read_to_string(here.join("out/parity/parity.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 3, "{csv}");
}

/// A chain whose middle is ndnd.
fn with_ndnd() -> String {
    CHAIN.replace("[scheme]\n", "[[node]]\nname = \"r\"\nforwarder = \"ndnd\"\n[scheme]\n")
}

fn has_ndnd() -> bool {
    let there = Command::new("ndnd").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: ndnd is not on PATH");
    }
    there
}

#[test]
fn a_forwarder_that_is_not_there_is_named() {
    if !possible() {
        return;
    }
    let here = folder("emulate-missing");
    std::fs::write(here.join("ndnd.toml"), with_ndnd()).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "ndnd.toml"]).env("PATH", &here).output().unwrap());
    assert_eq!(called.code, 1, "{called:?}");
    assert!(called.err.contains("node `r`") && called.err.contains("`ndnd` on PATH"), "{}", called.err);
}

#[test]
fn ndnd_forwards_in_the_middle() {
    if !possible() || !has_ndnd() {
        return;
    }
    let here = folder("emulate-ndnd");
    std::fs::write(here.join("ndnd.toml"), with_ndnd()).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "ndnd.toml"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let runs = here.join("out/ndnd/emulated/runs.csv");
    assert_eq!(number(&runs, "delivered"), 2000.0);
    // Its rate is that of the link, which keeps to it here.
    assert!(number(&runs, "goodput") < 10.0, "{} Mbit/s", number(&runs, "goodput"));
}

#[test]
fn nothing_outlives_an_emulation_that_is_killed() {
    if !possible() {
        return;
    }
    outlives_nothing("emulate-killed", CHAIN, 3);
}

#[test]
fn ndnd_does_not_outlive_one_either() {
    if !possible() || !has_ndnd() {
        return;
    }
    outlives_nothing("emulate-killed-ndnd", &with_ndnd(), 2);
}

/// Kills an emulation that has so many forwarders of ours.
fn outlives_nothing(name: &str, chain: &str, ours: usize) {
    let here = folder(name);
    let text = chain.replace("segments = 2000", "segments = 2000000");
    std::fs::write(here.join("long.toml"), text).unwrap();
    // A folder of its own tells its programs from those of the other tests. Paths of sockets must be short.
    let own = std::env::temp_dir().join(format!("weir-k{ours}-{}", std::process::id()));
    std::fs::create_dir_all(&own).unwrap();
    let mut emulation = weir(&here).args(["emulate", "long.toml", "--quiet"]).env("TMPDIR", &own).spawn().unwrap();
    let programs = |word: &str| {
        let of = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.ok()?.path().join("cmdline")).ok();
        let lines = std::fs::read_dir("/proc").unwrap().filter_map(of);
        let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.filter(|line| line.contains(word) && line.contains(&*own.to_string_lossy())).count()
    };
    let become_so = |word: &str, number: usize| {
        (0..3000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            programs(word) == number
        })
    };
    assert!(become_so(" forward ", ours), "{} forwarders", programs(" forward "));
    assert!(become_so(" fw run ", 3 - ours), "{} forwarders of others", programs(" fw run "));
    emulation.kill().unwrap();
    emulation.wait().unwrap();
    assert!(become_so(" ", 0), "{} programs are left", programs(" "));
    std::fs::remove_dir_all(&own).unwrap();
}
