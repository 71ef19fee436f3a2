//! Scores the claims of a study.

use crate::experiment::Experiment;
use crate::lookup::Means;
use weir_results::score;
use weir_results::stats::confidence95;
use weir_scenario::expr::Bindings;
use weir_scenario::{Claim, Expectation, Part, Tolerance};

/// Every claim of the study with what was measured, on the means over seeds; the spread is half the 95 % confidence
/// interval of the measure over seeds.
pub fn claims(experiment: &Experiment) -> Vec<score::Claim> {
    experiment.study.claims.iter().map(|claim| measured(claim, experiment)).collect()
}

fn measured(claim: &Claim, experiment: &Experiment) -> score::Claim {
    let mut why = claim.why.clone();
    let parts = claim.parts.iter().map(|part| measured_part(part, experiment, &mut why)).collect();
    score::Claim {
        id: claim.id.clone(),
        says: claim.says.clone(),
        at: claim.at.clone(),
        parts,
        why,
        tolerance: claim.tolerance.clone(),
    }
}

fn measured_part(part: &Part, experiment: &Experiment, why: &mut String) -> score::Part {
    let evaluate = |means: Means<'_>| part.measure.evaluate(&means, &Bindings::new());
    let value = match evaluate(Means::all(experiment)) {
        Ok(outcome) => Some(outcome.number()),
        Err(missing) => {
            let name = if part.label.is_empty() { "not measured" } else { &part.label };
            why.push_str(&format!("{}{name}: {missing}.", if why.is_empty() { "" } else { " " }));
            None
        }
    };
    let seeds = experiment.common_seeds();
    let by_seed: Option<Vec<f64>> =
        seeds.iter().map(|s| evaluate(Means::of_seed(experiment, *s)).ok().map(|o| o.number())).collect();
    let expectation = match part.expectation {
        Expectation::Near { expected, tolerance } => {
            score::Expectation::Near { expected, tolerance: convert(tolerance) }
        }
        Expectation::AtLeast(bound) => score::Expectation::AtLeast(bound),
        Expectation::AtMost(bound) => score::Expectation::AtMost(bound),
        Expectation::Holds => score::Expectation::Holds,
    };
    score::Part {
        spread: by_seed
            .and_then(|values| confidence95(&values))
            // Below that it is the dust of rounding: runs that agree have no spread to show.
            .filter(|half| expectation != score::Expectation::Holds && *half > 1e-9 * value.unwrap_or(0.0).abs()),
        measure_text: part.measure.text.clone(),
        ..score::Part::new(part.label.clone(), expectation, value)
    }
}

fn convert(tolerance: Tolerance) -> score::Tolerance {
    match tolerance {
        Tolerance::Relative(share) => score::Tolerance::Relative(share),
        Tolerance::Points(points) => score::Tolerance::Points(points),
        Tolerance::Absolute(distance) => score::Tolerance::Absolute(distance),
    }
}
