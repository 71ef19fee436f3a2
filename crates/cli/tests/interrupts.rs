//! Ctrl-C keeps what is done.
#![cfg(unix)]

mod common;

use common::{Called, call, column, folder, weir, write_scenario};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Looks again and again, for a minute at most.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("a minute has passed, and still not {what}");
}

/// Starts a call that lasts for hours, and waits until it is at work: right before, it tries to write to its folder.
fn start(folder: &Path, out: &str, args: &[&str]) -> Child {
    let changed = || std::fs::metadata(folder.join(out)).and_then(|folder| folder.modified()).ok();
    let before = changed();
    let child = weir(folder).args(args).args(["--out", out]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    wait_until("begun", || changed() != before);
    std::thread::sleep(Duration::from_millis(400));
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

/// Waits for the end of a call that was interrupted.
fn ended(mut child: Child) -> Called {
    wait_until("stopped", || child.try_wait().expect("it is our child").is_some());
    Called::new(child.wait_with_output().expect("it has ended"))
}

#[test]
fn an_interrupted_run_keeps_the_runs_that_are_done() {
    let here = folder("interrupt-run");
    write_scenario(&here, "small.toml", "");
    let long = ["--set", "workload.0.fetch.segments=20_000"];
    let child =
        start(&here, "o", &[&["run", "small.toml", "--seeds", "1..100000", "--jobs", "2"][..], &long[..]].concat());
    interrupt(&child);
    let called = ended(child);
    assert_eq!(called.code, 130, "{called:?}");
    assert!(
        called.err.contains("stopping after the runs under way") && called.err.contains("error: stopped"),
        "{called:?}"
    );
    assert!(!called.out.contains("digest"), "of a part of the runs a digest would say nothing");
    let (seeds, digests) = (column(&here.join("o/runs.csv"), "seed"), column(&here.join("o/runs.csv"), "digest"));
    assert!(!seeds.is_empty() && seeds.len() < 100_000, "{} runs", seeds.len());
    let expected: Vec<String> = (1..=seeds.len()).map(|seed| seed.to_string()).collect();
    assert_eq!(seeds, expected);
    // They are the same as if nobody had interrupted.
    let last = expected.last().unwrap();
    call(&here, &[&["run", "small.toml", "--seeds", last, "--out", "again"][..], &long[..]].concat()).good();
    assert_eq!(column(&here.join("again/runs.csv"), "digest")[0], *digests.last().unwrap());
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let here = folder("interrupt-twice");
    write_scenario(&here, "endless.toml", "duration = \"100000000s\"\n");
    let endless = ["--set", "workload.0.fetch={ label = \"endless\" }"];
    let child = start(&here, "o", &[&["run", "endless.toml", "--seeds", "1"][..], &endless[..]].concat());
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let called = ended(child);
    assert_eq!(called.code, 130, "{called:?}");
    assert!(!here.join("o/runs.csv").exists(), "nothing was done, so nothing is written");
}

#[test]
fn an_interrupted_reproduction_leaves_the_last_score_alone() {
    let here = folder("interrupt-reproduce");
    std::fs::create_dir(here.join("o")).unwrap();
    std::fs::write(here.join("o/claims.json"), "the score of another day").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let child = start(&here, "o", &["reproduce", "plr", "--seeds", "1..1000"]);
    interrupt(&child);
    let called = ended(child);
    assert_eq!(called.code, 130, "{called:?}");
    assert_eq!(called.out, "");
    assert_eq!(std::fs::read_to_string(here.join("o/claims.json")).unwrap(), "the score of another day");
    // The first study by name has begun; what of it is done is there.
    let done = column(&here.join("o/bursts/runs.csv"), "seed").len();
    assert!(done < 8000, "{done} runs");
}

#[test]
fn an_interrupted_reproduction_of_all_papers_keeps_the_runs_that_are_done() {
    let here = folder("interrupt-all");
    std::fs::create_dir(here.join("o")).unwrap();
    std::fs::write(here.join("o/claims.json"), "the score of another day").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let child = start(&here, "o", &["reproduce", "all", "--seeds", "1..1000"]);
    // The first study of the first paper is at work: its folder comes when it is interrupted.
    interrupt(&child);
    let called = ended(child);
    assert_eq!(called.code, 130, "{called:?}");
    assert_eq!(std::fs::read_to_string(here.join("o/claims.json")).unwrap(), "the score of another day");
    let papers: Vec<_> = std::fs::read_dir(here.join("o")).unwrap().flatten().filter(|e| e.path().is_dir()).collect();
    let studies = papers.iter().flat_map(|paper| std::fs::read_dir(paper.path()).unwrap().flatten());
    let tables: Vec<_> = studies.map(|study| study.path().join("runs.csv")).filter(|table| table.exists()).collect();
    assert_eq!(tables.len(), 1, "{tables:?}");
    assert!(papers.iter().all(|paper| !paper.path().join("claims.json").exists()), "no paper was done");
}
