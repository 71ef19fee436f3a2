//! What a paper claims, what Weir measured, and whether the two agree.
//!
//! The verdicts are computed from the numbers alone; an author can explain one but not set it.

mod json;
mod text;
mod why;

use std::fmt;

pub use json::{Scorecard, Total};
pub use text::{markdown_table, print_table};

/// How far a measurement may be from the number in the paper. Bounds belong to the allowed range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// A fraction of the magnitude of the expected number: 0.10 is 10 %. Of 0 every fraction is 0, so that an
    /// expected 0 is met by exactly 0 only: use [`Tolerance::Absolute`] for it.
    Relative(f64),
    /// A distance in the unit of the expected number.
    Absolute(f64),
    /// A distance in percentage points, for numbers which are percentages themselves (95 for 95 %, not 0.95).
    Points(f64),
}

impl Tolerance {
    /// The largest allowed distance from `expected`, in the unit of `expected`.
    fn allowed(self, expected: f64) -> f64 {
        match self {
            Self::Relative(fraction) => fraction * expected.abs(),
            Self::Absolute(distance) | Self::Points(distance) => distance,
        }
    }
}

/// What the paper says about one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expectation {
    /// It is this number, within the tolerance.
    Near {
        /// The number in the paper, in the unit of the measurement.
        expected: f64,
        /// How far from it still agrees.
        tolerance: Tolerance,
    },
    /// It is this or more, in the unit of the measurement.
    AtLeast(f64),
    /// It is this or less, in the unit of the measurement.
    AtMost(f64),
    /// A statement without a number: "A is below B everywhere". Measured as 1 (it holds) or 0 (it does not).
    Holds,
}

/// The share of the numbers by which a bound may be passed: decimal fractions are not exact in binary, and 1.1 is to
/// be within 10 % of 1.
const ROUNDING: f64 = 1e-9;

impl Expectation {
    /// Whether `measured` meets this. A measurement that is missing, NaN or infinite does not.
    pub fn is_met(self, measured: Option<f64>) -> bool {
        let Some(measured) = measured.filter(|m| m.is_finite()) else { return false };
        let slack = |bound: f64| ROUNDING * bound.abs().max(measured.abs());
        match self {
            Self::Near { expected, tolerance } => {
                (measured - expected).abs() <= tolerance.allowed(expected) + slack(expected)
            }
            Self::AtLeast(bound) => measured >= bound - slack(bound),
            Self::AtMost(bound) => measured <= bound + slack(bound),
            Self::Holds => measured == 1.0,
        }
    }

    /// The number of the expectation, in the unit of the measurement; a statement has none.
    fn number(self) -> Option<f64> {
        match self {
            Self::Near { expected, .. } => Some(expected),
            Self::AtLeast(bound) | Self::AtMost(bound) => Some(bound),
            Self::Holds => None,
        }
    }
}

/// One number (or statement) of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Names the part within its claim, for example `2 Mbit/s, 10 ms`; may be empty in a claim of one part.
    pub label: String,
    /// What the paper says.
    pub expectation: Expectation,
    /// What Weir measured, in the unit of the expectation; for [`Expectation::Holds`] 1 or 0. `None`: nothing.
    pub measured: Option<f64>,
    /// How it was measured, for example `mean of seconds 10 to 60`; may be empty.
    pub measure_text: String,
    /// Half the width of the 95 % confidence interval of the measurement, in its unit.
    pub spread: Option<f64>,
}

impl Part {
    /// A measured number; how it was measured and its spread can be filled in.
    pub fn new(label: impl Into<String>, expectation: Expectation, measured: impl Into<Option<f64>>) -> Self {
        let measured = measured.into();
        Self { label: label.into(), expectation, measured, measure_text: String::new(), spread: None }
    }

    /// A statement that turned out true or false.
    pub fn holds(label: impl Into<String>, truth: bool) -> Self {
        Self::new(label, Expectation::Holds, f64::from(u8::from(truth)))
    }

    /// What the paper says: `0.95`, `≥ 3`, `holds`.
    pub fn expected(&self) -> String {
        why::expected(self)
    }

    /// What was measured: `0.93 ± 0.02`, `does not hold`, `nothing`.
    pub fn measured(&self) -> String {
        why::measured(self)
    }

    /// Whether the measurement agrees with the paper.
    pub fn is_met(&self) -> bool {
        self.expectation.is_met(self.measured)
    }
}

/// One claim of a paper, with what Weir measured for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// Short name, unique within the paper.
    pub id: String,
    /// The claim in the paper's words or close to them.
    pub says: String,
    /// Where the paper says it, for example `Fig. 5` or `Section 4.2` ("where" in JSON).
    pub at: String,
    /// The numbers and statements the claim consists of.
    pub parts: Vec<Part>,
    /// The author's note: how the claim was read, why a result deviates.
    pub why: String,
    /// The tolerance in a few words, where the words computed from the parts would not do: `order of the schemes`.
    pub tolerance: Option<String>,
}

impl Claim {
    /// The tolerance in a few words: the author's, or computed from the parts.
    pub fn tolerance_words(&self) -> String {
        why::claim_tolerance(self)
    }

    /// What was missed, and the author's note.
    pub fn why_words(&self) -> String {
        why::claim_why(self)
    }
}

/// Whether a claim was reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every part agrees.
    Reproduced,
    /// Some parts agree.
    Partly,
    /// Something was measured, and no part agrees.
    Not,
    /// Nothing was measured.
    Missing,
}

/// All verdicts, the best first.
pub const VERDICTS: [Verdict; 4] = [Verdict::Reproduced, Verdict::Partly, Verdict::Not, Verdict::Missing];

impl Verdict {
    /// The word for it in files and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Not => "not",
            Self::Missing => "missing",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The verdict that the parts of a claim lead to.
pub fn verdict(claim: &Claim) -> Verdict {
    match claim.parts.iter().filter(|part| part.is_met()).count() {
        0 if claim.parts.iter().all(|part| part.measured.is_none()) => Verdict::Missing,
        0 => Verdict::Not,
        met if met == claim.parts.len() => Verdict::Reproduced,
        _ => Verdict::Partly,
    }
}

/// How many claims there are, by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// All of them.
    pub claims: usize,
    /// Those reproduced.
    pub reproduced: usize,
    /// Those partly reproduced.
    pub partly: usize,
    /// Those not reproduced.
    pub not: usize,
    /// Those for which nothing was measured. Written only where there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Summary {
    /// Counts the verdicts of `claims`.
    pub fn of(claims: &[Claim]) -> Self {
        let mut summary = Self { claims: claims.len(), ..Self::default() };
        for claim in claims {
            match verdict(claim) {
                Verdict::Reproduced => summary.reproduced += 1,
                Verdict::Partly => summary.partly += 1,
                Verdict::Not => summary.not += 1,
                Verdict::Missing => summary.missing += 1,
            }
        }
        summary
    }

    /// The claims of both.
    pub fn plus(self, other: Summary) -> Self {
        Self {
            claims: self.claims + other.claims,
            reproduced: self.reproduced + other.reproduced,
            partly: self.partly + other.partly,
            not: self.not + other.not,
            missing: self.missing + other.missing,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { claims, reproduced, partly, not, missing } = self;
        let s = if *claims == 1 { "" } else { "s" };
        write!(f, "{claims} claim{s}: {reproduced} reproduced, {partly} partly, {not} not")?;
        // In most scores nothing is.
        if *missing > 0 { write!(f, ", {missing} missing") } else { Ok(()) }
    }
}

/// A name for each part, unique within the claim: its label, or its number where the label is empty or taken.
fn part_names(parts: &[Part]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let mut name = if part.label.is_empty() { format!("part {}", index + 1) } else { part.label.clone() };
        while names.contains(&name) {
            name = format!("{name} ({})", index + 1);
        }
        names.push(name);
    }
    names
}

/// The claims that the tests of this module's parts share.
#[cfg(test)]
mod tests_support {
    use super::{Claim, Expectation, Part, Scorecard, Tolerance};

    fn claim(id: &str, says: &str, at: &str, parts: Vec<Part>) -> Claim {
        let [id, says, at] = [id, says, at].map(str::to_owned);
        Claim { id, says, at, parts, ..Claim::default() }
    }

    /// One claim of each verdict.
    pub(super) fn scorecard() -> Scorecard {
        let near = |expected, tolerance| Expectation::Near { expected, tolerance };
        let share = Part::new("share", near(95.0, Tolerance::Points(3.0)), 93.5);
        let short = Part::new("short", near(20.0, Tolerance::Relative(0.1)), 21.0);
        let mut long = Part::new("long", near(40.0, Tolerance::Relative(0.1)), 55.25);
        long.spread = Some(1.5);
        let mut claims = vec![
            claim("use", "The link is used to 95 %.", "Fig. 5", vec![share]),
            claim("delay", "Delay is | halved.", "Table 2", vec![short, long]),
            claim("order", "A is below B.", "Section 4", vec![Part::holds("", false)]),
        ];
        claims[1].why = "Read off.".to_owned();
        claims[2].tolerance = Some("order".to_owned());
        Scorecard { paper: "icp".to_owned(), claims }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(expected: f64, tolerance: Tolerance) -> Expectation {
        Expectation::Near { expected, tolerance }
    }

    #[track_caller]
    fn check(expectation: Expectation, measured: f64, met: bool) {
        assert_eq!(expectation.is_met(Some(measured)), met, "{expectation:?} by {measured}");
    }

    #[test]
    fn the_bounds_of_a_tolerance_agree() {
        let ten_percent = near(1.0, Tolerance::Relative(0.10));
        for (measured, met) in [(1.1, true), (0.9, true), (1.100_001, false), (0.899_999, false)] {
            check(ten_percent, measured, met);
        }
        let points = near(95.0, Tolerance::Points(3.0));
        for (measured, met) in [(92.0, true), (98.0, true), (91.9, false), (98.1, false)] {
            check(points, measured, met);
        }
        check(near(0.3, Tolerance::Absolute(0.0)), 0.1 + 0.2, true);
        check(Expectation::AtLeast(3.0), 3.0, true);
        check(Expectation::AtLeast(3.0), 2.999, false);
        check(Expectation::AtMost(0.3), 0.1 + 0.2, true);
        check(Expectation::AtMost(0.3), 0.300_1, false);
    }

    #[test]
    fn a_negative_number_has_a_tolerance_of_its_magnitude() {
        let expectation = near(-10.0, Tolerance::Relative(0.1));
        for (measured, met) in [(-11.0, true), (-9.0, true), (-8.9, false), (10.0, false)] {
            check(expectation, measured, met);
        }
    }

    #[test]
    fn a_fraction_of_zero_is_zero() {
        check(near(0.0, Tolerance::Relative(0.5)), 0.0, true);
        check(near(0.0, Tolerance::Relative(0.5)), 1e-300, false);
        check(near(0.0, Tolerance::Absolute(0.5)), -0.5, true);
    }

    #[test]
    fn what_is_not_a_number_never_agrees() {
        for expectation in [near(1.0, Tolerance::Relative(9.0)), Expectation::AtLeast(0.0), Expectation::Holds] {
            for measured in [None, Some(f64::NAN), Some(f64::INFINITY)] {
                assert!(!expectation.is_met(measured), "{expectation:?} by {measured:?}");
            }
        }
        check(near(f64::NAN, Tolerance::Relative(1.0)), 1.0, false);
        check(near(1.0, Tolerance::Absolute(f64::NAN)), 1.0, false);
    }

    #[test]
    fn verdicts_follow_the_parts() {
        let claim = |parts: Vec<Part>| Claim { parts, ..Claim::default() };
        let [yes, no] = [true, false].map(|truth| Part::holds("p", truth));
        let missing = Part::new("q", Expectation::AtLeast(1.0), None);
        assert_eq!(verdict(&claim(vec![yes.clone(), yes.clone()])), Verdict::Reproduced);
        assert_eq!(verdict(&claim(vec![yes.clone(), no.clone()])), Verdict::Partly);
        assert_eq!(verdict(&claim(vec![yes, missing.clone()])), Verdict::Partly);
        assert_eq!(verdict(&claim(vec![no, missing.clone()])), Verdict::Not);
        assert_eq!(verdict(&claim(vec![missing])), Verdict::Missing);
        assert_eq!(verdict(&claim(vec![])), Verdict::Missing);
    }

    #[test]
    fn summary_counts() {
        let claims = [true, true, false].map(|t| Claim { parts: vec![Part::holds("", t)], ..Claim::default() });
        assert_eq!(Summary::of(&claims), Summary { claims: 3, reproduced: 2, partly: 0, not: 1, missing: 0 });
        assert_eq!(Summary::of(&claims).to_string(), "3 claims: 2 reproduced, 0 partly, 1 not");
        let with_missing = Summary::of(&claims).plus(Summary::of(&[Claim::default()]));
        assert_eq!(with_missing.to_string(), "4 claims: 2 reproduced, 0 partly, 1 not, 1 missing");
    }

    #[test]
    fn part_names_are_unique() {
        let parts = ["a", "a", "", "a (2)"].map(|label| Part::holds(label, true));
        assert_eq!(part_names(&parts), ["a", "a (2)", "part 3", "a (2) (4)"]);
    }
}
