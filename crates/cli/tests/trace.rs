//! `weir trace`: which run and which segment, what is printed, and what is refused.

mod common;

use common::{call, folder, write_scenario};

const AXIS: &str = "[[vary]]\nname = \"scheme\"\nset = \"scheme\"\nvalues = [\"icp\", \"cubic\"]\n";

#[test]
fn a_segment_is_followed_to_its_delivery() {
    let folder = folder("trace");
    write_scenario(&folder, "a.toml", "");
    let named = call(&folder, &["trace", "a.toml", "--name", "/consumer/seg=17"]).good();
    let first = named.out.lines().next().expect("a title");
    assert_eq!(first, "/consumer/seg=17 in a.toml with seed 1");
    for words in ["asks for the first time", "becomes pending", "has the segment", "total"] {
        assert!(named.out.contains(words), "{words}: {}", named.out);
    }
    let by_flow = call(&folder, &["trace", "a.toml", "--flow", "consumer", "--segment", "17"]).good();
    assert_eq!(by_flow.out, named.out);
    let other = call(&folder, &["trace", "a.toml", "--name", "/consumer/seg=17", "--seed", "2"]).good();
    assert_ne!(other.out, named.out);
}

#[test]
fn json_is_one_object_a_line() {
    let folder = folder("trace-json");
    write_scenario(&folder, "a.toml", "");
    let called = call(&folder, &["trace", "a.toml", "--name", "/consumer/seg=17", "--json"]).good();
    let lines: Vec<serde_json::Value> =
        called.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!((&lines[0]["event"], &lines[0]["node"]), (&"asked".into(), &"consumer".into()));
    let summary = lines.last().expect("a summary");
    assert_eq!(summary["event"], "summary");
    let number = |key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("{key} in {summary}"));
    let parts = ["queueing_ms", "transmission_ms", "propagation_ms", "recovery_ms"].map(number);
    assert!((parts.iter().sum::<f64>() - number("full_delay_ms")).abs() < 1e-6, "{summary}");
}

#[test]
fn one_run_must_be_meant() {
    let folder = folder("trace-point");
    write_scenario(&folder, "a.toml", AXIS);
    let trace = |more: &[&str]| call(&folder, &[&["trace", "a.toml", "--name", "/consumer/seg=3"], more].concat());
    trace(&[]).refused(2, &["2 points", "--point scheme=icp", "--point scheme=cubic"]);
    trace(&["--point", "scheme=cubik"]).refused(2, &["no label `cubik`", "did you mean `cubic`?"]);
    trace(&["--point", "shceme=cubic"]).refused(2, &["no axis `shceme`", "did you mean `scheme`?"]);
    trace(&["--point", "cubic"]).refused(2, &["`--point cubic` is not of the form AXIS=LABEL"]);
    let cubic = trace(&["--point", "scheme=cubic"]).good();
    assert!(cubic.out.starts_with("/consumer/seg=3 in a.toml at scheme=cubic with seed 1\n"), "{}", cubic.out);
}

#[test]
fn what_cannot_be_followed_is_refused_with_the_nearest() {
    let folder = folder("trace-refused");
    write_scenario(&folder, "a.toml", "");
    let trace = |args: &[&str]| call(&folder, &[&["trace", "a.toml"], args].concat());
    trace(&["--name", "/consumer/seg=500"]).refused(2, &["never asked for", "`/consumer/seg=499`"]);
    trace(&["--name", "/konsumer/seg=5"]).refused(2, &["did you mean `/consumer`?"]);
    trace(&["--name", "/consumer"]).refused(2, &["no segment", "`/consumer/seg=0`"]);
    trace(&["--name", "consumer%"]).refused(2, &["`--name consumer%` is no name"]);
    trace(&["--flow", "consumr", "--segment", "1"]).refused(2, &["no flow `consumr`", "`consumer`"]);
    trace(&["--flow", "consumer"]).refused(2, &["--segment 17"]);
}
