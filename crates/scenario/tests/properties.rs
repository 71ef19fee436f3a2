//! Whatever a file says, reading it ends with a study or with problems that can be shown.

use proptest::prelude::*;
use weir_scenario::expr::{Bindings, Lookup, Measure, Vocabulary};
use weir_scenario::metrics::METRICS;
use weir_scenario::{Axis, Override, Study};

/// Reads, and shows what is wrong.
fn read(text: &str, sets: &[String]) {
    let overrides: Vec<Override> = sets.iter().map(|s| Override::new(s.clone())).collect();
    if let Err(problems) = Study::parse("any.toml", text, &overrides) {
        assert!(!problems.0.is_empty(), "an error without a problem");
        let shown = problems.render(false);
        assert!(!shown.contains("for no known reason"), "{shown}");
        assert!(problems.render(true).len() >= shown.len());
    }
}

/// Files to start from: everything in `tests/errors`, and the large example of the documentation.
fn seeds() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts.chain([include_str!("example.toml").to_string()]).collect()
}

/// Pieces that files are made of.
const PIECES: [&str; 34] = [
    "\n",
    "\"",
    "'",
    "=",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "#",
    " ",
    "0",
    "-1",
    "1e400",
    "nan",
    "99999999999999999999",
    "true",
    "\"none\"",
    "\"..\"",
    "\"1s..\"",
    "[[",
    "]]",
    "name",
    "scheme",
    "recovery",
    "\\u00e9",
    "é",
    "\u{0}",
    "\t",
    "max(alpha:",
    "[icp]",
    "\"\"\"",
    "1979-05-27",
];

#[derive(Clone, Debug)]
enum Change {
    Delete(usize, usize),
    Insert(usize, usize),
    Copy(usize, usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        (any::<usize>(), 1usize..40).prop_map(|(at, len)| Change::Delete(at, len)),
        (any::<usize>(), 0..PIECES.len()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<usize>(), 1usize..60, any::<usize>()).prop_map(|(from, len, to)| Change::Copy(from, len, to)),
    ];
    prop::collection::vec(change, 1..6)
}

/// The nearest place at or before `at` (taken modulo the length) between two characters.
fn place(text: &str, at: usize) -> usize {
    let at = at % (text.len() + 1);
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

fn changed(mut text: String, changes: &[Change]) -> String {
    for change in changes {
        match change {
            Change::Delete(at, len) => {
                let (start, end) = (place(&text, *at), place(&text, *at % (text.len() + 1) + len));
                if start <= end {
                    text.replace_range(start..end, "");
                }
            }
            Change::Insert(at, piece) => text.insert_str(place(&text, *at), PIECES[*piece]),
            Change::Copy(from, len, to) => {
                let (start, end) = (place(&text, *from), place(&text, *from % (text.len() + 1) + len));
                let piece = text.get(start..end).unwrap_or_default().to_string();
                text.insert_str(place(&text, *to), &piece);
            }
        }
    }
    text
}

struct Seven;

impl Lookup for Seven {
    fn value(&self, _metric: &str, _bindings: &Bindings) -> Option<f64> {
        Some(7.0)
    }
}

/// Words and signs of measures.
const WORDS: [&str; 30] = [
    "1", "0.5", "goodput", "drops", "alpha", "icp", "0", "(", ")", "[", "]", ",", ":", "=", "+", "-", "*", "/", "^",
    "<", "==", "and", "or", "not", "in", "max", "all", "true", "'x'", "flow",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes), &[]);
    }

    #[test]
    fn changed_files_are_read(seed in any::<prop::sample::Index>(), changes in changes()) {
        let seeds = seeds();
        read(&changed(seeds[seed.index(seeds.len())].clone(), &changes), &[]);
    }

    #[test]
    fn any_override_is_read(path in "[a-z0-9.\"' ]{0,20}", value in ".{0,10}", known in 0..4usize) {
        let starts = ["scheme.", "topology.linear.", "workload.0.", ""];
        read(include_str!("example.toml"), &[format!("{}{path}={value}", starts[known])]);
    }

    #[test]
    fn any_measure_is_read(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..25), space in any::<bool>()) {
        let text = words.join(if space { " " } else { "" });
        let axis = |name: &str, labels: &[&str]| Axis { name: name.into(), labels: labels.iter().map(|l| l.to_string()).collect() };
        let axes = [axis("control", &["icp"]), axis("alpha", &["0", "0.5"])];
        let vocabulary = Vocabulary { metrics: METRICS, axes: &axes, places: None };
        if let Ok(mut measure) = Measure::parse(&text) && measure.check(&vocabulary, &[]).is_ok() {
            let _ = measure.evaluate(&Seven, &Bindings::new());
        }
    }
}

#[test]
fn long_keys_are_refused_in_peace() {
    let steps = ".a".repeat(1_000_000);
    read(&format!("a{steps} = 1"), &[]);
    read(&format!("x = {{ a{} = 1 }}", " . 'a'".repeat(100_000)), &[]);
    read(&format!("[a{steps}]"), &[]);
    read(&"[".repeat(10_000), &[]);
    read("", &[format!("a{steps}=1"), format!("x={}", "[".repeat(10_000))]);
}

#[test]
fn long_and_deep_measures_are_refused_in_peace() {
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        format!("1{}", "+1".repeat(100_000)),
        "max(a:".repeat(50_000),
        "not ".repeat(9999),
    ] {
        assert!(Measure::parse(&text).is_err());
    }
}
