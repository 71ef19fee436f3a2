//! Expectations, measurements and the difference between them in words.

use super::{Claim, Expectation, Part, Tolerance, part_names};
use crate::number::significant;

/// Significant digits of a measurement in a sentence or a table.
const DIGITS: usize = 4;

/// A tolerance in a few words: `10 %`, `±0.5`, `3 points`, `at least`.
fn tolerance(expectation: Expectation) -> String {
    match expectation {
        Expectation::Near { tolerance: Tolerance::Relative(fraction), .. } => percent(fraction),
        Expectation::Near { tolerance: Tolerance::Absolute(distance), .. } => {
            format!("±{}", significant(distance, DIGITS))
        }
        Expectation::Near { tolerance: Tolerance::Points(points), .. } => points_text(points),
        Expectation::AtLeast(_) => "at least".to_owned(),
        Expectation::AtMost(_) => "at most".to_owned(),
        Expectation::Holds => "holds".to_owned(),
    }
}

fn percent(fraction: f64) -> String {
    format!("{} %", significant(100.0 * fraction, 3))
}

fn points_text(points: f64) -> String {
    let text = significant(points, 3);
    if text == "1" { "1 point".to_owned() } else { format!("{text} points") }
}

/// The tolerance of a claim: the author's words, or those of its parts, each with its name where they differ.
pub(super) fn claim_tolerance(claim: &Claim) -> String {
    if let Some(words) = &claim.tolerance {
        return words.clone();
    }
    let words: Vec<String> = claim.parts.iter().map(|part| tolerance(part.expectation)).collect();
    if words.windows(2).all(|pair| pair[0] == pair[1]) {
        return words.into_iter().next().unwrap_or_default();
    }
    let named = part_names(&claim.parts).into_iter().zip(words);
    named.map(|(name, words)| format!("{name}: {words}")).collect::<Vec<_>>().join("; ")
}

/// What the paper says of a part: `0.95`, `≥ 3`, `holds`.
pub(super) fn expected(part: &Part) -> String {
    match part.expectation {
        Expectation::Near { expected, .. } => significant(expected, DIGITS),
        Expectation::AtLeast(bound) => format!("≥ {}", significant(bound, DIGITS)),
        Expectation::AtMost(bound) => format!("≤ {}", significant(bound, DIGITS)),
        Expectation::Holds => "holds".to_owned(),
    }
}

/// What Weir measured of a part: `0.93 ± 0.02`, `does not hold`, `nothing`.
pub(super) fn measured(part: &Part) -> String {
    let Some(value) = part.measured else { return "nothing".to_owned() };
    if part.expectation == Expectation::Holds {
        return if part.is_met() { "holds" } else { "does not hold" }.to_owned();
    }
    let spread = part.spread.map_or(String::new(), |spread| format!(" ± {}", significant(spread, 2)));
    significant(value, DIGITS) + &spread
}

/// What `text` gives for each part, one line for each, with names where there are several parts.
pub(super) fn lines(parts: &[Part], text: impl Fn(&Part) -> String) -> Vec<String> {
    match parts {
        [part] => vec![text(part)],
        _ => part_names(parts).iter().zip(parts).map(|(name, part)| format!("{name}: {}", text(part))).collect(),
    }
}

/// Why a claim has its verdict: which parts miss and by how much, then the author's note.
pub(super) fn claim_why(claim: &Claim) -> String {
    let computed = match (claim.parts.len(), misses(claim)) {
        (0, _) => "Nothing was measured.".to_owned(),
        (1, misses) if misses.is_empty() => "Agrees.".to_owned(),
        (parts, misses) if misses.is_empty() => format!("All {parts} parts agree."),
        (1, misses) => format!("Missed: {}.", misses[0]),
        (parts, misses) => format!("Missed {} of {parts}: {}.", misses.len(), misses.join("; ")),
    };
    let note = claim.why.trim();
    if note.is_empty() { computed } else { format!("{computed} {note}") }
}

/// A phrase for each part that does not agree.
fn misses(claim: &Claim) -> Vec<String> {
    let single = claim.parts.len() == 1;
    let names = part_names(&claim.parts);
    let missed = names.iter().zip(&claim.parts).filter(|(_, part)| !part.is_met());
    missed.map(|(name, part)| if single { miss(part) } else { format!("{name}: {}", miss(part)) }).collect()
}

/// How a part misses: `measured 0.81 for 0.95, 14.7 % below (10 % allowed; mean of 10 runs)`.
fn miss(part: &Part) -> String {
    let how = part.measure_text.trim();
    let remark = |allowed: String| {
        let words: Vec<&str> = [allowed.as_str(), how].into_iter().filter(|text| !text.is_empty()).collect();
        if words.is_empty() { String::new() } else { format!(" ({})", words.join("; ")) }
    };
    let (value, expectation) = match (part.measured, part.expectation) {
        (None, _) => return format!("not measured{}", remark(String::new())),
        (Some(_), Expectation::Holds) => return format!("does not hold{}", remark(String::new())),
        (Some(value), expectation) => (value, expectation),
    };
    let allowed = match expectation {
        Expectation::Near { .. } => format!("{} allowed", tolerance(expectation)),
        _ => String::new(),
    };
    format!("measured {} for {}{}{}", measured(part), expected(part), distance(value, expectation), remark(allowed))
}

/// How far `measured` is from the expectation: `, 14.7 % below`; nothing when either is not a finite number.
fn distance(measured: f64, expectation: Expectation) -> String {
    let Some(expected) = expectation.number() else { return String::new() };
    let distance = measured - expected;
    if !distance.is_finite() {
        return String::new();
    }
    let side = if distance < 0.0 { "below" } else { "above" };
    let amount = match expectation {
        Expectation::Near { tolerance: Tolerance::Points(_), .. } => points_text(distance.abs()),
        Expectation::Near { tolerance: Tolerance::Absolute(_), .. } => significant(distance.abs(), 3),
        _ if expected == 0.0 => significant(distance.abs(), 3),
        _ => percent((distance / expected).abs()),
    };
    format!(", {amount} {side}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(expected: f64, tolerance: Tolerance) -> Expectation {
        Expectation::Near { expected, tolerance }
    }

    fn claim(parts: Vec<Part>) -> Claim {
        Claim { parts, why: " A note. ".to_owned(), ..Claim::default() }
    }

    #[test]
    fn a_miss_says_by_how_much() {
        let mut part = Part::new("", near(0.95, Tolerance::Relative(0.1)), 0.81);
        part.measure_text = "mean of 10 runs".to_owned();
        part.spread = Some(0.0123);
        assert_eq!(
            claim_why(&claim(vec![part])),
            "Missed: measured 0.81 ± 0.012 for 0.95, 14.7 % below (10 % allowed; mean of 10 runs). A note.",
        );
        for (expectation, measured, words) in [
            (near(95.0, Tolerance::Points(3.0)), 99.5, "measured 99.5 for 95, 4.5 points above (3 points allowed)"),
            (near(-2.0, Tolerance::Absolute(0.5)), -3.0, "measured -3 for -2, 1 below (±0.5 allowed)"),
            (near(0.0, Tolerance::Relative(0.1)), 0.2, "measured 0.2 for 0, 0.2 above (10 % allowed)"),
            (Expectation::AtLeast(3.0), 1.5, "measured 1.5 for ≥ 3, 50 % below"),
            (Expectation::AtMost(2.0), f64::INFINITY, "measured inf for ≤ 2"),
            (Expectation::Holds, 0.0, "does not hold"),
        ] {
            assert_eq!(miss(&Part::new("", expectation, measured)), words);
        }
        assert_eq!(miss(&Part::new("", Expectation::Holds, None)), "not measured");
    }

    #[test]
    fn only_the_missing_parts_are_named() {
        let parts = vec![
            Part::holds("order", true),
            Part::holds("crossing", false),
            Part::new("slope", Expectation::AtLeast(2.0), None),
        ];
        assert_eq!(claim_why(&claim(parts)), "Missed 2 of 3: crossing: does not hold; slope: not measured. A note.",);
        assert_eq!(claim_why(&claim(vec![Part::holds("", true)])), "Agrees. A note.");
        assert_eq!(claim_why(&Claim::default()), "Nothing was measured.");
    }

    #[test]
    fn tolerances_are_named_where_they_differ() {
        let [a, b] = [("a", 0.1), ("b", 0.1)].map(|(l, t)| Part::new(l, near(1.0, Tolerance::Relative(t)), 1.0));
        assert_eq!(claim_tolerance(&claim(vec![a.clone(), b.clone()])), "10 %");
        let mixed = claim(vec![a, Part::holds("c", true), Part::new("d", near(1.0, Tolerance::Points(1.0)), 1.0)]);
        assert_eq!(claim_tolerance(&mixed), "a: 10 %; c: holds; d: 1 point");
        assert_eq!(claim_tolerance(&Claim { tolerance: Some("order".to_owned()), ..mixed }), "order");
        assert_eq!(claim_tolerance(&Claim::default()), "");
    }
}
