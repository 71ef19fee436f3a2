//! Scenario files and the language of measures.

use crate::{Target, text};
use weir_scenario::expr::{Bindings, Lookup, Measure, Vocabulary};
use weir_scenario::metrics::METRICS;
use weir_scenario::{Axis, Files, Override, Problems, Study};

pub(crate) const FILE: Target = Target {
    name: "scenario",
    run: file,
    seeds: &[("examples", "toml"), ("papers/plr", "toml"), ("crates/scenario/tests/errors", "toml")],
    words: &[
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        "\"",
        "'",
        "\n",
        ".",
        "..",
        "-1",
        "0",
        "1e400",
        "nan",
        "inf",
        "true",
        "none",
        "99999999999999999999",
        "scheme",
        "workload",
        "topology",
        "name",
        "1979-05-27",
        "\"\"\"",
        "\\u00e9",
        "é",
        "\0",
    ],
};

pub(crate) const OVERRIDE: Target = Target {
    name: "override",
    run: over,
    seeds: &[],
    words: &["scheme", "topology.linear.", "workload.0.fetch.", "vary.", "=", ".", "\"", "[", "]", "{", "}", "run."],
};

pub(crate) const MEASURE: Target = Target {
    name: "measure",
    run: measure,
    seeds: &[],
    words: &[
        "goodput", "drops", "alpha", "icp", "(", ")", "[", "]", ",", ":", "=", "+", "-", "*", "/", "^", "<", "==",
        "and", "or", "not", "in", "max", "all", "true", "'x'", "flow", "0.5", "1e308",
    ],
};

pub(crate) const TRACE: Target = Target {
    name: "trace",
    run: trace,
    seeds: &[],
    words: &[
        "time", "name", "size", "consumer", ",", "\"", "\"\"", "\r\n", "\n", "1e309", "-1", "20ms", "12 kB", "/a/%2C",
        "c1",
    ],
};

/// The only other file that a study has.
struct Only(String);

impl Files for Only {
    fn read(&self, _path: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }
}

/// A trace of requests, beside a scenario that is right.
fn trace(bytes: &[u8]) {
    if let Err(problems) = with_trace(text(bytes)) {
        assert!(!problems.0.is_empty(), "an error without a problem");
        assert!(!problems.render(false).contains("for no known reason"));
    }
}

fn with_trace(trace: String) -> Result<Study, Problems> {
    let scenario = r#"
[topology]
linear = { routers = 1, rate = "1Mbps", delay = "1ms" }
[[workload]]
trace = { file = "requests.csv", consumer = "consumer", producer = "producer" }
[run]
duration = "1s"
"#;
    Study::parse_with("any.toml", scenario, &[], &Only(trace))
}

/// A study, or problems that can be shown, with places that are in the text.
fn file(bytes: &[u8]) {
    read(&text(bytes), &[]);
}

/// The same for changes from outside, on top of a good file.
fn over(bytes: &[u8]) {
    let good = include_str!("../../scenario/tests/example.toml");
    let changes: Vec<Override> = text(bytes).lines().take(3).map(|line| Override::new(line.to_string())).collect();
    read(good, &changes);
}

fn read(text: &str, overrides: &[Override]) {
    if let Err(problems) = Study::parse("any.toml", text, overrides) {
        assert!(!problems.0.is_empty(), "an error without a problem");
        let shown = problems.render(false);
        assert!(!shown.contains("for no known reason"), "{shown}");
        assert!(problems.render(true).len() >= shown.len());
    }
}

struct Seven;

impl Lookup for Seven {
    fn value(&self, _metric: &str, _bindings: &Bindings) -> Option<f64> {
        Some(7.0)
    }
}

/// A measure that is shown is the same measure when it is read again, and has the same value.
fn measure(bytes: &[u8]) {
    let Ok(mut measure) = Measure::parse(&text(bytes)) else { return };
    let labels = |labels: &[&str]| labels.iter().map(ToString::to_string).collect();
    let axes = [
        Axis { name: "control".into(), labels: labels(&["icp"]) },
        Axis { name: "alpha".into(), labels: labels(&["0", "0.5"]) },
    ];
    let vocabulary = Vocabulary { metrics: METRICS, axes: &axes, places: None };
    let mut again = Measure::parse(&measure.to_string()).expect("a measure as it is shown can be read");
    let [first, second] = [&mut measure, &mut again].map(|measure| {
        let right = measure.check(&vocabulary, &[]).is_ok();
        // As text, in which a number that is none is equal to itself.
        right.then(|| format!("{:?}", measure.evaluate(&Seven, &Bindings::new())))
    });
    assert_eq!(first, second);
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_good_trace_is_read() {
        let good = include_str!("../../../fuzz/corpus/trace/requests");
        if let Err(problems) = super::with_trace(good.into()) {
            panic!("{problems}");
        }
        assert!(super::with_trace("time,nam\n".into()).is_err());
    }
}
