//! Same seed, same bytes: the digest of every example and of every paper's study is pinned, point by point.
//!
//! The digests were written by one build on one machine and are compared in the dev profile and in the release build
//! (`make test` runs both). `WEIR_BLESS=1 cargo test -p weir --test digests` writes them anew: look at the difference first, for
//! a digest changes only if some packet went another way than before.

use std::path::{Path, PathBuf};
use std::process::Command;

const PINNED: &str = "tests/digests.txt";
/// One seed shows whether a packet went another way; the other seeds go through the same code.
const SEED: &str = "1";

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

/// Runs a file and returns one line for each point: file, labels, digest.
fn digests(file: &str, jobs: &str) -> Vec<String> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("digests-{}-{jobs}", file.replace('/', "-")));
    let run = Command::new(env!("CARGO_BIN_EXE_weir"))
        .current_dir(root())
        .args(["run", file, "--seeds", SEED, "--quiet", "--jobs", jobs, "--out"])
        .arg(&out)
        .output()
        .expect("weir runs");
    assert!(run.status.success(), "weir run {file}: {}", String::from_utf8_lossy(&run.stderr));
    let table = std::fs::read_to_string(out.join("runs.csv")).expect("runs.csv");
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().expect("a header");
    let seed = head.iter().position(|c| *c == "seed").expect("a column `seed`");
    let digest = head.iter().position(|c| *c == "digest").expect("a column `digest`");
    rows.map(|row| format!("{file}  {}  {}", row[..seed].join(" "), row[digest])).collect()
}

#[test]
fn every_example_and_study_has_its_pinned_digests() {
    let found: Vec<String> = files().iter().flat_map(|file| digests(file, "2")).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PINNED);
    if std::env::var_os("WEIR_BLESS").is_some() {
        std::fs::write(&path, found.join("\n") + "\n").expect("digests.txt can be written");
    }
    let pinned = std::fs::read_to_string(&path).unwrap_or_default();
    let pinned: Vec<&str> = pinned.lines().collect();
    let differs = |line: &&String| !pinned.contains(&line.as_str());
    let changed: Vec<&String> = found.iter().filter(differs).collect();
    assert!(
        changed.is_empty() && pinned.len() == found.len(),
        "{} of {} digests are not the pinned ones ({} are pinned):\n{}\nrepeat one with `weir run FILE --seeds {SEED}`; if the \
         change is meant, `WEIR_BLESS=1 cargo test -p weir --test digests` writes them anew",
        changed.len(),
        found.len(),
        pinned.len(),
        changed.iter().map(|line| line.as_str()).collect::<Vec<_>>().join("\n"),
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let file = "examples/dumbbell-fairness.toml";
    let one = digests(file, "1");
    assert!(!one.is_empty());
    for jobs in ["2", "7"] {
        assert_eq!(digests(file, jobs), one, "--jobs {jobs}");
    }
}
