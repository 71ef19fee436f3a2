//! Measured values at moments of a run, for figures over time.

use crate::experiment::Experiment;
use crate::lookup::total;
use weir_scenario::expr::{Bindings, Lookup, SEED};
use weir_scenario::metrics::{MetricInfo, SERIES};
use weir_scenario::plan::Topology;
use weir_sim::{Outcome, Sample, Scope};

/// The samples that were taken at one time, with the first seed: a mean over seeds would hide what a sawtooth looks
/// like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    experiment: &'a Experiment,
    time: f64,
}

impl<'a> Moment<'a> {
    /// Every time at which a point that agrees with `bindings` was sampled, in order.
    pub fn all(experiment: &'a Experiment, bindings: &Bindings) -> Vec<Moment<'a>> {
        times(experiment, bindings).into_iter().map(|time| Moment { experiment, time }).collect()
    }

    /// Seconds since the start of the run.
    pub fn time(&self) -> f64 {
        self.time
    }
}

impl Lookup for Moment<'_> {
    fn value(&self, metric: &str, bindings: &Bindings) -> Option<f64> {
        let study = &self.experiment.study;
        let point = study.point(bindings)?;
        let place = study.points().iter().position(|p| std::ptr::eq(p, point))?;
        value(first_run(self.experiment, place)?, self.time, &point.scenario.topology, metric, bindings)
    }
}

/// The times at which the first runs (or those with the seed in `bindings`) of points that agree with `bindings` were sampled, in order.
pub(crate) fn times(experiment: &Experiment, bindings: &Bindings) -> Vec<f64> {
    let points = experiment.study.points().iter();
    let agrees = |labels: &[(String, String)]| {
        labels.iter().all(|(axis, label)| bindings.get(axis).is_none_or(|bound| bound == label))
    };
    let places = points.enumerate().filter(|(_, point)| agrees(&point.labels)).map(|(place, _)| place);
    let seed: Option<u64> = bindings.get(SEED).and_then(|seed| seed.parse().ok());
    let run = |place: usize| match seed {
        None => first_run(experiment, place),
        Some(seed) => experiment.outcomes[place].iter().find(|(s, _)| *s == seed).and_then(|(_, o)| o.as_ref()),
    };
    let mut times: Vec<f64> = places.filter_map(run).flat_map(|o| &o.series).map(|s| s.time).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// What a run's series shows at one time.
pub(crate) fn value(
    outcome: &Outcome,
    time: f64,
    topology: &Topology,
    metric: &str,
    bindings: &Bindings,
) -> Option<f64> {
    let info = SERIES.iter().find(|m| m.name == metric)?;
    let from = outcome.series.partition_point(|s| s.time < time);
    let now = outcome.series[from..].iter().take_while(|s| s.time == time);
    let wanted = |s: &&Sample| s.metric == metric && selected(&s.scope, info, bindings, topology);
    total(info.total, now.filter(wanted).map(|s| Some(s.value)))
}

fn first_run(experiment: &Experiment, place: usize) -> Option<&Outcome> {
    experiment.outcomes[place].first()?.1.as_ref()
}

/// True if the sample is of the flow, link or node that is selected; if none is, all are.
fn selected(scope: &Scope, info: &MetricInfo, bindings: &Bindings, topology: &Topology) -> bool {
    let Some(wanted) = info.scope.axis().and_then(|axis| bindings.get(axis)) else { return true };
    match scope {
        Scope::Run | Scope::Congestion(_) => true,
        Scope::Flow(name) | Scope::Node(name) => name == wanted,
        Scope::Link(direction) => {
            let both = topology.links.iter().find(|l| l.name == *wanted).map(|l| topology.directions(l));
            direction == wanted || both.is_some_and(|both| both.contains(direction))
        }
    }
}
