//! `weir run --trace-files` and `--capture`: which files stand where, and what is refused.

mod common;

use common::{call, folder, write_scenario};
use std::path::Path;

const AXIS: &str = "[[vary]]\nname = \"scheme\"\nset = \"scheme\"\nvalues = [\"icp\", \"cubic\"]\n";

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn digest(out: &str) -> &str {
    out.split("digest ").nth(1).and_then(|rest| rest.split(';').next()).expect("a digest")
}

#[test]
fn every_run_has_a_folder_and_stays_the_same_run() {
    let folder = folder("run-files");
    write_scenario(&folder, "a.toml", AXIS);
    let plain = call(&folder, &["run", "a.toml", "-o", "plain"]).good();
    assert!(!folder.join("plain/runs").exists());
    let args = ["run", "a.toml", "-o", "o", "--trace-files", "all", "--capture", "consumer-r1,r1>producer"];
    let watched = call(&folder, &args).good();
    assert_eq!(digest(&watched.out), digest(&plain.out));
    assert!(watched.out.contains("tracer files and captures of each run are in o"), "{}", watched.out);
    let runs = folder.join("o/runs");
    assert_eq!(names(&runs), ["1-icp-seed-1", "1-icp-seed-2", "2-cubic-seed-1", "2-cubic-seed-2"]);
    let files = ["app-delays-trace.txt", "capture.pcapng", "cs-trace.txt", "drop-trace.txt", "rate-trace.txt"];
    for run in names(&runs) {
        assert_eq!(names(&runs.join(run)), files);
    }
    let capture = std::fs::read(runs.join("2-cubic-seed-1/capture.pcapng")).expect("a capture");
    for words in ["a.toml at scheme=cubic with seed 1", "consumer>r1", "r1>consumer", "r1>producer"] {
        assert!(capture.windows(words.len()).any(|w| w == words.as_bytes()), "{words}");
    }
    assert!(!capture.windows(11).any(|w| w == b"producer>r1"), "only one direction was asked for");
}

#[test]
fn a_period_is_that_of_the_lines() {
    let folder = folder("run-files-period");
    write_scenario(&folder, "a.toml", "");
    let args = ["run", "a.toml", "-o", "o", "-q", "--seeds", "7", "--trace-files", "drop", "--trace-period", "100ms"];
    call(&folder, &args).good();
    let text = std::fs::read_to_string(folder.join("o/runs/seed-7/drop-trace.txt")).expect("the file");
    let times: Vec<&str> = text.lines().skip(1).step_by(3).take(2).filter_map(|l| l.split('\t').next()).collect();
    assert_eq!(times, ["0.1", "0.2"]);
}

#[test]
fn what_cannot_be_written_is_refused_before_the_runs() {
    let folder = folder("run-files-refused");
    write_scenario(&folder, "a.toml", "");
    let run = |more: &[&str]| call(&folder, &[&["run", "a.toml", "-o", "o"], more].concat());
    run(&["--capture", "consumer-r2"]).refused(2, &["no link `consumer-r2`", "did you mean `consumer-r1`?"]);
    run(&["--capture", "r1>consumr"]).refused(2, &["did you mean `r1>consumer`?"]);
    run(&["--capture", "consumer-r1", "--seeds", "1..101"]).refused(2, &["101 files", "--seeds"]);
    run(&["--trace-files", "drop", "--trace-period", "0s"]).refused(2, &["--trace-period must be above zero"]);
    run(&["--trace-files", "drop", "--trace-period", "half"]).refused(2, &["--trace-period"]);
    run(&["--trace-files", "drops"]).refused(2, &["drops", "drop"]);
    assert!(!folder.join("o").exists());
    std::fs::create_dir_all(folder.join("p/runs")).expect("a folder");
    std::fs::write(folder.join("p/runs/seed-1"), b"in the way").expect("a file");
    call(&folder, &["run", "a.toml", "-o", "p", "--trace-files", "cs"]).refused(1, &["cannot write", "cs-trace.txt"]);
}
