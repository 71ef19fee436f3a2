//! The score of a paper as a JSON file.

use std::path::Path;

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::Value;

use super::why::{claim_tolerance, claim_why};
use super::{Claim, Expectation, Part, Summary, part_names, verdict};
use crate::files::{FileError, write_atomic};

/// The claims of one paper and what became of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scorecard {
    /// Short name of the paper.
    pub paper: String,
    /// Its claims, in the order of the paper.
    pub claims: Vec<Claim>,
}

impl Scorecard {
    /// The score as JSON text, ending in a line feed.
    ///
    /// The shape is
    /// `{"paper", "claims": [{"id", "says", "where", "expected", "measured", "tolerance", "verdict", "why"}],
    /// "summary": {"claims", "reproduced", "partly", "not"}}`, with `"missing"` in the summary if any is. `expected` and
    /// `measured` are a number (true or false for a statement, null for a measurement that is missing or not finite)
    /// when a claim has one part, and else an object with a member for each part, named by its label.
    pub fn to_json(&self) -> String {
        pretty(&self.members())
    }

    fn members(&self) -> JsonScore<'_> {
        let claims = self.claims.iter().map(JsonClaim::of).collect();
        JsonScore { paper: &self.paper, claims, summary: Summary::of(&self.claims) }
    }

    /// Writes [`Scorecard::to_json`] to a file, in one step.
    ///
    /// # Errors
    ///
    /// [`FileError`] naming `path` when it cannot be written.
    pub fn write_json(&self, path: &Path) -> Result<(), FileError> {
        write_atomic(path, self.to_json().as_bytes())
    }
}

/// The scores of several papers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Total {
    /// A score for each paper.
    pub papers: Vec<Scorecard>,
    /// What went wrong, each a study and the reason. Its claims are missing.
    pub failures: Vec<(String, String)>,
}

impl Total {
    /// The verdicts of all papers, counted.
    pub fn summary(&self) -> Summary {
        self.papers.iter().map(|paper| Summary::of(&paper.claims)).fold(Summary::default(), Summary::plus)
    }

    /// All scores as JSON text, ending in a line feed: `{"papers": [..], "failures": [{"study", "why"}], "summary"}`
    /// with the papers and the summary as in [`Scorecard::to_json`].
    pub fn to_json(&self) -> String {
        let papers: Vec<JsonScore<'_>> = self.papers.iter().map(Scorecard::members).collect();
        let failures = self.failures.iter().map(|(study, why)| JsonFailure { study, why }).collect();
        pretty(&JsonTotal { papers, failures, summary: self.summary() })
    }

    /// Writes [`Total::to_json`] to a file, in one step.
    ///
    /// # Errors
    ///
    /// [`FileError`] naming `path` when it cannot be written.
    pub fn write_json(&self, path: &Path) -> Result<(), FileError> {
        write_atomic(path, self.to_json().as_bytes())
    }
}

fn pretty(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("strings and numbers always serialise");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct JsonTotal<'a> {
    papers: Vec<JsonScore<'a>>,
    failures: Vec<JsonFailure<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct JsonFailure<'a> {
    study: &'a str,
    why: &'a str,
}

/// Members in the order in which they are written.
#[derive(Serialize)]
struct JsonScore<'a> {
    paper: &'a str,
    claims: Vec<JsonClaim<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct JsonClaim<'a> {
    id: &'a str,
    says: &'a str,
    #[serde(rename = "where")]
    at: &'a str,
    expected: Values,
    measured: Values,
    tolerance: String,
    verdict: &'static str,
    why: String,
}

impl<'a> JsonClaim<'a> {
    fn of(claim: &'a Claim) -> Self {
        Self {
            id: &claim.id,
            says: &claim.says,
            at: &claim.at,
            expected: Values::of(&claim.parts, expected),
            measured: Values::of(&claim.parts, measured),
            tolerance: claim_tolerance(claim),
            verdict: verdict(claim).word(),
            why: claim_why(claim),
        }
    }
}

/// One value for each part: alone when there is one part, else by name and in the order of the parts.
enum Values {
    One(Value),
    Named(Vec<(String, Value)>),
}

impl Values {
    fn of(parts: &[Part], value: impl Fn(&Part) -> Value) -> Self {
        match parts {
            [part] => Self::One(value(part)),
            _ => Self::Named(part_names(parts).into_iter().zip(parts.iter().map(value)).collect()),
        }
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(value) => value.serialize(serializer),
            Self::Named(values) => {
                let mut map = serializer.serialize_map(Some(values.len()))?;
                for (name, value) in values {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

fn expected(part: &Part) -> Value {
    part.expectation.number().map_or(Value::Bool(true), number)
}

fn measured(part: &Part) -> Value {
    match (part.measured, part.expectation) {
        (None, _) => Value::Null,
        (Some(truth), Expectation::Holds) => Value::Bool(truth == 1.0),
        (Some(value), _) => number(value),
    }
}

/// A JSON number, without a fraction where there is none; null for what JSON has no number for.
fn number(value: f64) -> Value {
    let whole = value as i64;
    // Up to 2^53 every integer is exactly one f64.
    if whole as f64 == value && whole.unsigned_abs() <= 1 << 53 { Value::from(whole) } else { Value::from(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Tolerance, tests_support::scorecard};
    use serde_json::json;

    #[test]
    fn the_file_has_the_agreed_shape() {
        let score: Value = serde_json::from_str(&scorecard().to_json()).unwrap();
        assert_eq!(
            score,
            json!({
                "paper": "icp",
                "claims": [
                    {"id": "use", "says": "The link is used to 95 %.", "where": "Fig. 5",
                     "expected": 95, "measured": 93.5, "tolerance": "3 points", "verdict": "reproduced",
                     "why": "Agrees."},
                    {"id": "delay", "says": "Delay is | halved.", "where": "Table 2",
                     "expected": {"short": 20, "long": 40}, "measured": {"short": 21, "long": 55.25},
                     "tolerance": "10 %", "verdict": "partly",
                     "why": "Missed 1 of 2: long: measured 55.25 ± 1.5 for 40, 38.1 % above (10 % allowed). Read off."},
                    {"id": "order", "says": "A is below B.", "where": "Section 4",
                     "expected": true, "measured": false, "tolerance": "order", "verdict": "not",
                     "why": "Missed: does not hold."},
                ],
                "summary": {"claims": 3, "reproduced": 1, "partly": 1, "not": 1},
            }),
        );
    }

    #[test]
    fn several_papers_have_one_summary() {
        let lost = Scorecard { paper: "lost".into(), claims: vec![Claim { id: "L-1".into(), ..Claim::default() }] };
        let failures = vec![("papers/lost/a.toml".into(), "no such link".into())];
        let total = Total { papers: vec![scorecard(), lost], failures };
        let json: Value = serde_json::from_str(&total.to_json()).unwrap();
        assert_eq!(json["papers"][0], serde_json::from_str::<Value>(&scorecard().to_json()).unwrap());
        assert_eq!(json["papers"][1]["claims"][0]["verdict"], "missing");
        assert_eq!(json["failures"], json!([{"study": "papers/lost/a.toml", "why": "no such link"}]));
        assert_eq!(json["summary"], json!({"claims": 4, "reproduced": 1, "partly": 1, "not": 1, "missing": 1}));
    }

    #[test]
    fn members_keep_their_order() {
        let text = scorecard().to_json();
        let places: Vec<_> =
            ["\"paper\"", "\"claims\"", "\"id\"", "\"says\"", "\"where\"", "\"expected\"", "\"measured\""]
                .into_iter()
                .chain(["\"tolerance\"", "\"verdict\"", "\"why\"", "\"short\"", "\"long\"", "\"summary\""])
                .map(|member| text.find(member).expect(member))
                .collect();
        assert!(places.is_sorted(), "{text}");
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn what_was_not_measured_is_null() {
        let near = Expectation::Near { expected: 0.5, tolerance: Tolerance::Absolute(0.1) };
        for value in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!(measured(&Part::new("", near, value)), Value::Null);
        }
        assert_eq!(measured(&Part::new("", Expectation::Holds, None)), Value::Null);
        assert_eq!(number(-3.0).to_string(), "-3");
        assert_eq!(number(-9_223_372_036_854_775_808.0).as_f64(), Some(-9_223_372_036_854_775_808.0));
    }

    #[test]
    fn writes_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("score.json");
        scorecard().write_json(&path).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), scorecard().to_json());
    }
}
