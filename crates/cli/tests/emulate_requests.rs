//! Many requests and restarts in emulated networks. They need root and tunnel devices: elsewhere these tests say so and pass.
#![cfg(target_os = "linux")]

mod common;

use common::emulation::{number, possible, row};
use common::{Called, folder, weir};
use std::path::Path;

/// A router with a cache between a consumer and a producer.
const CHAIN: &str = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = "4Mbps", delay = "5ms", queue = "50p" }
[tables]
cs = 100
[scheme]
name = "aimd"
"#;

/// Runs a scenario both ways; its folder of tables.
fn beside(test: &str, text: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let here = folder(test);
    std::fs::write(here.join("s.toml"), CHAIN.to_owned() + text).unwrap();
    for (name, text) in files {
        std::fs::write(here.join(name), text).unwrap();
    }
    let called = Called::new(weir(&here).args(["emulate", "s.toml", "--beside"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    here.join("out/s/emulated")
}

/// A number of the run, emulated and simulated.
fn both(tables: &Path, column: &str) -> [f64; 2] {
    [tables.join("runs.csv"), tables.join("simulated/runs.csv")].map(|table| number(&table, column))
}

#[test]
fn requests_are_those_of_the_simulated_twin() {
    if !possible() {
        return;
    }
    let tables = beside(
        "emulate-requests",
        "[[workload]]\npoisson = { rate = \"40/s\", names = 300, zipf = 1.0, count = 200, payload = \"1000B\", \
         consumer = \"c\", producer = \"p\" }\n",
        &[],
    );
    assert_eq!(both(&tables, "fetches_started"), [200.0; 2]);
    assert_eq!(both(&tables, "fetches_completed"), [200.0; 2]);
    // The seed means the same objects. Two requests for one object may be one Interest, as their times have it.
    let [emulated, simulated] = both(&tables, "delivered");
    assert!((emulated - simulated).abs() <= 0.05 * simulated, "{emulated} and {simulated} Data");
    let [emulated, simulated] = both(&tables, "cs_hits");
    assert!(simulated > 50.0 && (emulated - simulated).abs() <= 0.15 * simulated, "{emulated} and {simulated} hits");
    let [emulated, simulated] = both(&tables, "fetch_time");
    assert!(emulated > 10.0 && emulated < 4.0 * simulated, "{emulated} and {simulated} ms");
}

#[test]
fn every_kind_of_requests_is_emulated() {
    if !possible() {
        return;
    }
    let ends = "payload = \"1000B\", producer = \"p\"";
    let text = format!(
        "[[workload]]\nconstant = {{ rate = \"2/s\", count = 4, size = {{ uniform = {{ min = \"4kB\", max = \"20kB\" }} }}, \
         control = \"icp\", label = \"sized\", consumer = \"c\", {ends} }}\n\
         [[workload]]\non_off = {{ rate = \"40/s\", on = \"500ms\", off = \"500ms\", stop = \"3s\", label = \"bursts\", \
         consumer = \"c\", {ends} }}\n\
         [[workload]]\ntrace = {{ file = \"t.csv\", label = \"trace\", {ends} }}\n\
         [[workload]]\nprowgen = {{ rate = \"20/s\", requests = 40, size = \"3kB\", label = \"stream\", consumer = \"c\", \
         {ends} }}\n[run]\nlimit = \"60s\"\n"
    );
    let trace = "time,consumer,name,size\n0.5,c,/x,5000\n1,c,y,\n1.2,r,/x,5000\n";
    let text = text.replace("label = \"trace\"", "label = \"trace-{consumer}\"");
    let tables = beside("emulate-kinds", &text, &[("t.csv", trace)]);
    let of = |flow: &str, column: &str| {
        [tables.join("flows.csv"), tables.join("simulated/flows.csv")].map(|table| row(&table, "flow", flow, column))
    };
    for flow in ["sized", "bursts", "stream", "trace-c", "trace-r"] {
        let [emulated, simulated] = of(flow, "fetches_started");
        assert_eq!(emulated, simulated, "{flow}");
        assert_eq!(of(flow, "fetches_completed"), [simulated; 2], "{flow}");
        let [emulated, simulated] = of(flow, "delivered");
        // Bursts ask for single Data, of which two at a time may be one; all others are fetched by themselves.
        assert!(emulated == simulated || flow == "bursts", "{flow}: {emulated} and {simulated} Data");
    }
}

#[test]
fn requests_pause_and_go_on() {
    if !possible() {
        return;
    }
    let text = "[[workload]]\nconstant = { rate = \"20/s\", payload = \"1000B\", consumer = \"c\", producer = \"p\" }\n\
                [[at]]\ntime = \"2s\"\nstop = \"*\"\n[[at]]\ntime = \"4s\"\nstart = \"*\"\n\
                [run]\nduration = \"6s\"\nsample = \"500ms\"\n";
    let tables = beside("emulate-pause", text, &[]);
    // 40 before and 40 after; a program on a busy host may start late.
    let [emulated, simulated] = both(&tables, "fetches_started");
    assert!(emulated > 0.6 * simulated && emulated <= simulated + 2.0, "{emulated} and {simulated} requests");
    let series = std::fs::read_to_string(tables.join("series.csv")).unwrap();
    let times: Vec<f64> = series
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|row| row[2] == "goodput")
        .map(|row| row[1].parse().unwrap())
        .collect();
    // A sample stands at the end of its half second. Times count from when the program was started, before it was ready.
    assert!(times.iter().any(|time| *time < 2.1) && times.iter().any(|time| *time > 4.9), "{times:?}");
    assert!(!times.iter().any(|time| (2.9..3.6).contains(time)), "{times:?}");
}

#[test]
fn requests_that_are_stopped_for_good_end() {
    if !possible() {
        return;
    }
    let text = "[[workload]]\nconstant = { rate = \"20/s\", payload = \"1000B\", consumer = \"c\", producer = \"p\" }\n\
                [[at]]\ntime = \"2s\"\nstop = \"*\"\n[run]\nlimit = \"60s\"\n";
    let text = text.replace("producer = \"p\" }", "producer = \"p\", stop = \"50s\" }");
    let tables = beside("emulate-stopped", &text, &[]);
    let [emulated, simulated] = both(&tables, "fetches_completed");
    assert!(emulated > 0.5 * simulated && emulated <= simulated + 2.0, "{emulated} and {simulated} requests");
    let [emulated, simulated] = both(&tables, "duration");
    assert!(emulated < simulated + 10.0 && emulated < 30.0, "{emulated} and {simulated} s");
}

#[test]
fn nodes_are_restarted_and_their_applications_find_them_again() {
    if !possible() {
        return;
    }
    let restart = |time: u32, node: &str| format!("[[at]]\ntime = \"{time}s\"\nrestart = \"{node}\"\n");
    let text = format!(
        "[[workload]]\nfetch = {{ segments = 2500, payload = \"1000B\", name = \"/file\", consumer = \"c\", producer = \"p\" }}\n\
         [[workload]]\nconstant = {{ rate = \"20/s\", stop = \"8s\", label = \"requests\", payload = \"1000B\", \
         consumer = \"c\", producer = \"p\" }}\n\
         {}{}{}[run]\nlimit = \"60s\"\n",
        restart(2, "r"),
        restart(4, "p"),
        restart(6, "c")
    );
    let tables = beside("emulate-restart", &text, &[]);
    let flows = tables.join("flows.csv");
    assert_eq!(row(&flows, "flow", "c", "delivered"), 2500.0);
    let [started, completed] =
        ["fetches_started", "fetches_completed"].map(|column| row(&flows, "flow", "requests", column));
    assert!(started > 100.0 && started == completed, "{completed} of {started} requests");
    // What was under way at each restart had to be sent again, and nothing else is left to do for ever.
    assert!(number(&tables.join("runs.csv"), "retransmissions") > 10.0);
    assert!(number(&tables.join("runs.csv"), "duration") < 40.0);
}
