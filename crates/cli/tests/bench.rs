//! `weir bench`: what it prints, what it refuses, and how much memory its networks take.

use serde_json::Value;
use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weir")).arg("bench").args(arguments).output().expect("the program runs")
}

fn measured(arguments: &[&str]) -> Value {
    let done = bench(arguments);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).expect("one JSON object")
}

fn refused(arguments: &[&str]) -> String {
    let done = bench(arguments);
    assert_eq!(done.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(done.stderr).expect("text")
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

#[test]
fn a_bench_counts_the_hops_of_its_network() {
    let linear = measured(&["linear", "--segments", "100"]);
    assert_eq!((&linear["network"], number(&linear, "packet_hops")), (&Value::from("linear"), 600.0));
    assert_eq!(linear["version"], env!("CARGO_PKG_VERSION"));
    let hops = number(&linear, "packet_hops");
    let rate = number(&linear, "hops_per_cpu_second") * number(&linear, "cpu_seconds");
    // The time is printed in whole milliseconds.
    assert!((rate - hops).abs() <= number(&linear, "hops_per_cpu_second") * 0.0006 + 1.0, "{linear}");
    let dumbbell = measured(&["dumbbell", "--flows", "7", "--segments", "10"]);
    assert_eq!(
        (&dumbbell["network"], number(&dumbbell, "packet_hops")),
        (&Value::from("dumbbell-7"), 7.0 * 10.0 * 6.0)
    );
    let abilene = measured(&["abilene", "--seconds", "1"]);
    assert_eq!(number(&abilene, "simulated_seconds"), 1.0);
    // About 10 000 requests, each of which crosses at least the consumer's link.
    assert!((15_000.0..150_000.0).contains(&number(&abilene, "packet_hops")), "{abilene}");
}

#[test]
fn a_repeated_bench_is_the_same_run() {
    let digest = |repeat: &str| measured(&["linear", "--segments", "50", "--repeat", repeat])["digest"].clone();
    assert_eq!(digest("1"), digest("3"));
}

#[test]
fn options_of_another_network_are_refused_with_the_right_one() {
    for (arguments, hint) in [
        (&["linear", "--flows", "2"][..], "take `dumbbell`"),
        (&["dumbbell", "--seconds", "2"], "`--segments`"),
        (&["linear", "--seconds", "2"], "`--segments`"),
        (&["abilene", "--segments", "2"], "`--seconds`"),
        (&["abilene", "--flows", "2"], "50 consumers"),
        (&["dumbbell", "--flows", "0"], "1..=100000"),
        (&["linear", "--repeat", "0"], "1..=1000"),
        (&["dumbell"], "dumbbell"),
    ] {
        let said = refused(arguments);
        assert!(said.contains(hint), "{arguments:?}: {said}");
    }
}

/// A run that lasts four times as long needs no more memory: nothing that a run keeps grows with time.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_flat_in_simulated_time() {
    let peak = |arguments: &[&str]| number(&measured(arguments), "peak_memory_bytes");
    let cases: [(&[&str], &str, &str); 3] = [
        (&["linear", "--segments"], "80000", "320000"),
        (&["dumbbell", "--flows", "20", "--segments"], "48000", "192000"),
        (&["abilene", "--seconds"], "5", "20"),
    ];
    for (network, short, long) in cases {
        let (short, long) = (peak(&[network, &[short]].concat()), peak(&[network, &[long]].concat()));
        assert!(long < short * 1.05 + 500_000.0, "{network:?}: {short} bytes, four times as long {long} bytes");
    }
}
