//! `weir emulate --links kernel`: links of veth pairs and queueing disciplines. They need root, `ip` and `tc`: elsewhere these
//! tests say so and pass.
#![cfg(target_os = "linux")]

mod common;

use common::emulation::{number, row};
use common::{Called, folder, weir};
use std::process::Command;

/// Links that are nothing but rates: they take no netem.
const CHAIN: &str = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["2Mbps", "10Mbps"], delay = "0ms", queue = "20p" }
[[workload]]
fetch = { segments = 800, payload = "1000B", name = "/file" }
[scheme]
name = "aimd"
[run]
limit = "60s"
"#;

/// True if a veth pair with this queueing discipline can be had.
fn possible(qdisc: &str) -> bool {
    let script = format!("ip link add weir0 type veth peer name weir1 && tc qdisc add dev weir0 root {qdisc}");
    let tried = Command::new("unshare").args(["-n", "sh", "-c", &script]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

fn kernel_has_tbf() -> bool {
    let there = possible("tbf rate 1mbit burst 10000 limit 10000");
    if !there {
        eprintln!("skipped: no veth pairs with tbf can be had here");
    }
    there
}

#[test]
fn links_of_the_kernel_have_their_rate() {
    if !kernel_has_tbf() {
        return;
    }
    let here = folder("emulate-kernel");
    std::fs::write(here.join("k.toml"), CHAIN).unwrap();
    let called =
        Called::new(weir(&here).args(["emulate", "k.toml", "--links", "kernel", "--beside"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let tables = here.join("out/k/emulated");
    let both = |column: &str| [tables.join("runs.csv"), tables.join("simulated/runs.csv")].map(|t| number(&t, column));
    assert_eq!(both("delivered"), [800.0; 2]);
    let [emulated, simulated] = both("goodput");
    assert!(emulated < 2.0 && emulated > 0.5 * simulated, "{emulated} and {simulated} Mbit/s");
    // The kernel counts what crosses: 800 Data of 1081 bytes, and what was sent again or belongs to no segment.
    let links = tables.join("links.csv");
    let bytes = row(&links, "link", "r>c", "throughput") / 8e-6 * number(&tables.join("runs.csv"), "duration");
    let packets = row(&links, "link", "r>c", "link_packets");
    assert!((800.0..1000.0).contains(&packets), "{packets} packets");
    assert!((1000.0..1100.0).contains(&(bytes / packets)), "{bytes} bytes in {packets} packets");
}

#[test]
fn the_kernel_is_the_bottleneck_of_a_forwarder_of_others() {
    if !kernel_has_tbf() || Command::new("ndnd").arg("--version").output().is_err() {
        return eprintln!("skipped: ndnd is not on PATH");
    }
    let here = folder("emulate-kernel-ndnd");
    std::fs::write(here.join("k.toml"), CHAIN.to_owned() + "[[node]]\nname = \"r\"\nforwarder = \"ndnd\"\n").unwrap();
    let called = Called::new(weir(&here).args(["emulate", "k.toml", "--links", "kernel"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let runs = here.join("out/k/emulated/runs.csv");
    assert_eq!(number(&runs, "delivered"), 800.0);
    assert!(number(&runs, "goodput") < 2.0, "{} Mbit/s", number(&runs, "goodput"));
}

#[test]
fn links_of_the_kernel_change_and_fail() {
    if !kernel_has_tbf() {
        return;
    }
    let here = folder("emulate-kernel-timeline");
    let happenings = "[[at]]\ntime = \"1s\"\nlink = { name = \"c-r\", rate = \"1Mbps\" }\n\
                      [[at]]\ntime = \"2s\"\ndown = { link = \"c-r\", packets = \"vanish\" }\n\
                      [[at]]\ntime = \"3s\"\nup = \"c-r\"\n[run]\nsample = \"100ms\"\n";
    std::fs::write(here.join("k.toml"), CHAIN.replace("[run]\n", happenings)).unwrap();
    let called = Called::new(weir(&here).args(["emulate", "k.toml", "--links", "kernel"]).output().unwrap());
    assert_eq!(called.code, 0, "{called:?}");
    let tables = here.join("out/k/emulated");
    assert_eq!(number(&tables.join("runs.csv"), "delivered"), 800.0);
    let lost = row(&tables.join("links.csv"), "link", "c>r", "drops_link_loss");
    assert!(lost > 0.0, "what is sent while a link is down is lost");
    let series = std::fs::read_to_string(tables.join("series.csv")).unwrap();
    let times: Vec<f64> = series
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|row| row[2] == "goodput")
        .map(|row| row[1].parse().unwrap())
        .collect();
    let gap = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(gap > 0.8, "{gap} s without Data while the link is down: {times:?}");
    // 6.4 Mbit: 2 in the first second, then 1 a second but for the one that it is down.
    assert!(number(&tables.join("runs.csv"), "completion_time") > 5.0);
}

#[test]
fn what_the_kernel_lacks_is_told_with_the_link() {
    if !kernel_has_tbf() {
        return;
    }
    let here = folder("emulate-kernel-lacks");
    let write = |text: String| std::fs::write(here.join("k.toml"), text).unwrap();
    let run = || Called::new(weir(&here).args(["emulate", "k.toml", "--links", "kernel"]).output().unwrap());
    if possible("netem delay 1ms") {
        eprintln!("skipped in part: this kernel has netem");
    } else {
        write(CHAIN.replace("delay = \"0ms\"", "delay = [\"0ms\", \"5ms\"]"));
        run().refused(1, &["link `r>p` needs delay", "sch_netem", "`tc` says"]);
    }
    // Nor is there netem without `tc`.
    write(CHAIN.to_owned());
    let called = weir(&here).args(["emulate", "k.toml", "--links", "kernel"]).env("PATH", &here).output().unwrap();
    Called::new(called).refused(1, &["link `c>r` needs a veth pair", "the program `ip` cannot be run"]);
    let text = "[[impairment]]\nlink = \"c-r\"\njitter = { exponential = \"5ms\" }\n";
    write(CHAIN.to_owned() + text);
    run().refused(2, &["k.toml cannot be emulated: link `c>r`", "exponential jitter"]);
}
