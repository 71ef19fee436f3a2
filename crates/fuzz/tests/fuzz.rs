//! Replays the corpus of every target, then changes it at random for a while: `WEIR_FUZZ_SECONDS` for each target, two
//! if that is not set. `make fuzz` takes a minute. What fails is written to `out/fuzz`, and the message says how to
//! repeat it; put it into the corpus once it is mended.

#![expect(clippy::disallowed_methods, reason = "how long a reader takes is measured, and nothing is simulated")]

use peak_alloc::PeakAlloc;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use weir_fuzz::{Mutator, TARGETS, Target};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Longest input that is made: what goes wrong with long inputs mostly does with these.
const LONGEST: usize = 8192;
/// Most time for one input. A reader takes microseconds; this is for machines that are busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most memory for one input, in megabytes. A reader that believes a length takes more.
const MEMORY_LIMIT: f32 = 100.0;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of a folder, in order.
fn files(folder: &Path, ending: Option<&str>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("a readable folder").path());
    let fits = |path: &PathBuf| ending.is_none_or(|ending| path.extension().is_some_and(|e| e == ending));
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file() && fits(path)).collect();
    files.sort();
    files
}

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let own = files(&root().join("fuzz/corpus").join(target.name), None);
    let shared = target.seeds.iter().flat_map(|(folder, ending)| files(&root().join(folder), Some(ending)));
    own.into_iter().chain(shared).map(|path| std::fs::read(path).expect("a readable file")).collect()
}

/// What is wrong with this input, if anything is.
fn fault(target: &Target, input: &[u8]) -> Option<String> {
    MEMORY.reset_peak_usage();
    let (before, start) = (MEMORY.current_usage_as_mb(), Instant::now());
    if catch_unwind(|| (target.run)(input)).is_err() {
        return Some("panics".into());
    }
    let (took, memory) = (start.elapsed(), MEMORY.peak_usage_as_mb() - before);
    if took > PATIENCE {
        return Some(format!("takes {took:?}"));
    }
    (memory > MEMORY_LIMIT).then(|| format!("takes {memory} MB"))
}

fn try_input(target: &Target, input: &[u8]) {
    if let Some(fault) = fault(target, input) {
        let folder = root().join("out/fuzz");
        let file = folder.join(target.name);
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, input));
        let copy = format!("copy it to fuzz/corpus/{} and run `cargo test -p weir-fuzz`", target.name);
        panic!("{}: an input {fault}: {} ({written:?}); to repeat it, {copy}", target.name, file.display());
    }
}

/// One test, because the memory is counted for the whole program.
#[test]
fn readers_stand_whatever_they_are_given() {
    faults_are_seen();
    let seconds = std::env::var("WEIR_FUZZ_SECONDS").ok().map_or(2.0, |s| s.parse().expect("a number of seconds"));
    let seed = std::env::var("WEIR_FUZZ_SEED").ok().map_or(1, |s| s.parse().expect("a number"));
    for target in TARGETS {
        let corpus = corpus(target);
        assert!(!corpus.is_empty(), "{} has no corpus", target.name);
        corpus.iter().for_each(|input| try_input(target, input));
        let mut mutator = Mutator::new(seed, LONGEST);
        let (start, mut tried) = (Instant::now(), 0u64);
        while start.elapsed() < Duration::from_secs_f64(seconds) {
            try_input(target, &mutator.next(&corpus, target.words));
            tried += 1;
        }
        println!("{}: {} files, {tried} changed inputs", target.name, corpus.len());
    }
}

/// A harness that sees nothing would let everything pass.
fn faults_are_seen() {
    let target = |run: fn(&[u8])| Target { name: "faulty", run, seeds: &[], words: &[] };
    assert_eq!(fault(&target(|_| ()), b"x"), None);
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let seen = fault(&target(|bytes| assert!(bytes.is_empty())), b"x");
    std::panic::set_hook(told);
    assert_eq!(seen, Some("panics".into()));
    let greedy = target(|_| drop(std::hint::black_box(vec![1u8; 300_000_000])));
    assert!(fault(&greedy, b"x").is_some_and(|fault| fault.ends_with("MB")));
    let changed = Mutator::new(1, 50).next(&[b"one".to_vec()], &["two"]);
    assert_eq!(changed, Mutator::new(1, 50).next(&[b"one".to_vec()], &["two"]));
    let mut mutator = Mutator::new(2, 50);
    assert!((0..1000).any(|_| mutator.next(&[b"one".to_vec()], &["two"]).windows(3).any(|w| w == b"two")));
    assert!((0..1000).all(|_| mutator.next(&[b"one".to_vec()], &["two"]).len() <= 50));
}
