//! Same seed, same bytes: the digest of every example and of every paper's study is pinned, point by point.
//!
//! The digests were written by one build on one machine and are compared in the dev profile and in the release build
//! (`make test` runs both). `WEIR_BLESS=1 cargo test -p weir --test digests` writes them anew: look at the difference
//! first, for a digest changes only if some packet went another way than before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use weir_lab::{Runner, Seeds};
use weir_scenario::{Edition, Study};

const PINNED: &str = "tests/digests.txt";
/// One seed shows whether a packet went another way; the other seeds go through the same code.
const SEED: u64 = 1;

/// Digests by file and point, both as a user would write them.
type Digests = BTreeMap<(String, String), String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every scenario file of the repository, as `examples/NAME.toml` or `papers/KEY/NAME.toml`.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec!["examples".to_owned(), "papers".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect(&folder).flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.path() {
                p if p.is_dir() => folders.push(path),
                p if p.extension().is_some_and(|e| e == "toml") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Runs every point of a file as `weir run FILE --seeds 1` does, in its quick edition if it has one: what is large goes
/// through the same code for longer.
fn digests(file: &str, jobs: usize) -> Digests {
    let study =
        Study::load_edition(&root().join(file), Edition::Quick, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let runner = Runner { jobs, seeds: Seeds::These(vec![SEED]), stop: &AtomicBool::new(false), progress: &() };
    let experiment = runner.run(study).unwrap_or_else(|error| panic!("{error}"));
    let points = experiment.study.points().iter().zip(&experiment.outcomes);
    points
        .map(|(point, runs)| {
            let title = if point.labels.is_empty() { "the only point".into() } else { point.title() };
            let (_, outcome) = &runs[0];
            ((file.to_owned(), title), format!("{:016x}", outcome.as_ref().expect("nobody has stopped it").digest))
        })
        .collect()
}

/// One line for each digest: file, point, digest.
fn write(digests: &Digests) -> String {
    digests.iter().map(|((file, point), digest)| format!("{file} | {point} | {digest}\n")).collect()
}

fn read(text: &str) -> Digests {
    let line = |line: &str| {
        let (file, rest) = line.split_once(" | ").unwrap_or_else(|| panic!("{PINNED} has the line {line:?}"));
        let (point, digest) = rest.rsplit_once(" | ").unwrap_or_else(|| panic!("{PINNED} has the line {line:?}"));
        ((file.to_owned(), point.to_owned()), digest.to_owned())
    };
    text.lines().map(line).collect()
}

/// What is not as pinned, in words.
fn differences(found: &Digests, pinned: &Digests) -> Vec<String> {
    let changed = found.iter().filter_map(|(key, digest)| {
        let (file, point) = key;
        match pinned.get(key) {
            Some(old) if old == digest => None,
            Some(old) => Some(format!("{file} at {point}: the digest is {digest}, pinned is {old}")),
            None => Some(format!("{file} at {point}: the digest is {digest}, none is pinned")),
        }
    });
    let gone = pinned.keys().filter(|key| !found.contains_key(key));
    changed.chain(gone.map(|(file, point)| format!("{file} at {point}: pinned, but there is no such point"))).collect()
}

#[test]
fn every_example_and_study_has_its_pinned_digests() {
    let found: Digests = files().iter().flat_map(|file| digests(file, 2)).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PINNED);
    if std::env::var_os("WEIR_BLESS").is_some() {
        std::fs::write(&path, write(&found)).expect("digests.txt can be written");
    }
    let differences = differences(&found, &read(&std::fs::read_to_string(&path).unwrap_or_default()));
    assert!(
        differences.is_empty(),
        "{}\n\n{} of {} digests differ. Repeat one with `weir run FILE --seeds {SEED}` (or `weir reproduce PAPER --quick \
         --seeds {SEED}` if the file has `[quick]`): runs.csv has the digest of each point. If the change is meant, or the file is new, `WEIR_BLESS=1 cargo test -p weir --test digests` writes \
         crates/cli/{PINNED} anew.",
        differences.join("\n"),
        differences.len(),
        found.len(),
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for file in ["examples/dumbbell-fairness.toml", "papers/plr/queue-sizes.toml"] {
        let one = digests(file, 1);
        assert!(!one.is_empty());
        for jobs in [2, 7] {
            assert_eq!(digests(file, jobs), one, "{file} with --jobs {jobs}");
        }
    }
}

#[test]
fn a_difference_names_file_point_and_digests() {
    let digests = |lines: &[&str]| read(&lines.join("\n"));
    let pinned =
        digests(&["a.toml | control=icp, alpha=0 | 01", "a.toml | control=bic, alpha=0 | 02", "b.toml | x=1 | 03"]);
    let found =
        digests(&["a.toml | control=icp, alpha=0 | 01", "a.toml | control=bic, alpha=0 | 22", "c.toml | x=1 | 04"]);
    assert_eq!(read(&write(&found)), found);
    assert_eq!(differences(&found, &found), [""; 0]);
    let expected = [
        "a.toml at control=bic, alpha=0: the digest is 22, pinned is 02",
        "c.toml at x=1: the digest is 04, none is pinned",
        "b.toml at x=1: pinned, but there is no such point",
    ];
    assert_eq!(differences(&found, &pinned), expected);
}
