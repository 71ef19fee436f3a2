//! Measured values for the measures of figures and claims.

use crate::experiment::Experiment;
use crate::moments;
use weir_scenario::expr::{Bindings, FETCH, Lookup, SEED};
use weir_scenario::metrics::{METRICS, Total};
use weir_scenario::plan::Topology;
use weir_sim::{Outcome, Scope};

/// Means over seeds, or the values of one seed.
#[derive(Clone, Copy, Debug)]
pub struct Means<'a> {
    experiment: &'a Experiment,
    seed: Option<u64>,
}

impl<'a> Means<'a> {
    /// Means over all seeds. A value that one seed lacks is lacking: a mean over the runs that went well would be a lie.
    pub fn all(experiment: &'a Experiment) -> Means<'a> {
        Means { experiment, seed: None }
    }

    /// The values of one seed.
    pub fn of_seed(experiment: &'a Experiment, seed: u64) -> Means<'a> {
        Means { experiment, seed: Some(seed) }
    }

    /// The values of every seed at a point, for spreads.
    pub fn values(&self, metric: &str, bindings: &Bindings) -> Option<Vec<f64>> {
        let study = &self.experiment.study;
        let point = study.point(bindings)?;
        let place = study.points().iter().position(|p| std::ptr::eq(p, point))?;
        if let Some(fetch) = bindings.get(FETCH) {
            return self.of_fetch(place, fetch, metric, bindings).map(|value| vec![value]);
        }
        let seed: Option<u64> = bindings.get(SEED).and_then(|seed| seed.parse().ok());
        let wanted = |s: u64| self.wants(s) && seed.is_none_or(|seed| seed == s);
        let runs = self.experiment.outcomes[place].iter().filter(|(seed, _)| wanted(*seed));
        let time: Option<f64> = bindings.get("time").and_then(|time| time.parse().ok());
        let topology = &point.scenario.topology;
        let of_run = |outcome: &Outcome| match time {
            Some(time) => moments::value(outcome, time, topology, metric, bindings),
            None => value(outcome, topology, metric, bindings),
        };
        runs.map(|(_, outcome)| of_run(outcome.as_ref()?)).collect()
    }

    fn wants(&self, seed: u64) -> bool {
        self.seed.is_none_or(|s| s == seed)
    }

    /// The outcomes at a point.
    fn outcomes(&self, bindings: &Bindings) -> &'a [(u64, Option<Outcome>)] {
        let study = &self.experiment.study;
        let point = study.point(bindings);
        let place = point.and_then(|point| study.points().iter().position(|p| std::ptr::eq(p, point)));
        place.map_or(&[], |place| &self.experiment.outcomes[place])
    }

    /// What is known of a fetch, whose label is that of [`Lookup::fetches`].
    fn of_fetch(&self, place: usize, label: &str, metric: &str, bindings: &Bindings) -> Option<f64> {
        let (run, number) = label.split_once(':')?;
        let (_, outcome) = self.experiment.outcomes[place].get(run.parse::<usize>().ok()?)?;
        let outcome = outcome.as_ref()?;
        let fetch = outcome.fetches.get(number.parse::<usize>().ok()?)?;
        let is_of_flow = bindings.get("flow").is_none_or(|flow| flow == outcome.flow_of(fetch));
        fetch.get(metric).filter(|_| is_of_flow)
    }
}

impl Lookup for Means<'_> {
    fn value(&self, metric: &str, bindings: &Bindings) -> Option<f64> {
        weir_results::stats::mean(&self.values(metric, bindings)?)
    }

    fn moments(&self, from: f64, to: f64, bindings: &Bindings) -> Vec<f64> {
        let times = moments::times(self.experiment, bindings);
        times.into_iter().filter(|time| (from..=to).contains(time) && *time > from).collect()
    }

    /// Run and number of each fetch.
    fn fetches(&self, bindings: &Bindings) -> Vec<String> {
        let mut labels = Vec::new();
        for (run, (seed, outcome)) in self.outcomes(bindings).iter().enumerate() {
            let Some(outcome) = outcome.as_ref().filter(|_| self.wants(*seed)) else { continue };
            let wanted = |flow: &str| bindings.get("flow").is_none_or(|f| f == flow);
            let fetches = outcome.fetches.iter().enumerate().filter(|(_, fetch)| wanted(outcome.flow_of(fetch)));
            labels.extend(fetches.map(|(number, _)| format!("{run}:{number}")));
        }
        labels
    }

    fn seeds(&self, bindings: &Bindings) -> Vec<String> {
        let seeds = self.outcomes(bindings).iter().map(|(seed, _)| *seed);
        seeds.filter(|seed| self.wants(*seed)).map(|seed| seed.to_string()).collect()
    }
}

fn value(outcome: &Outcome, topology: &Topology, metric: &str, bindings: &Bindings) -> Option<f64> {
    let info = METRICS.iter().find(|m| m.name == metric)?;
    let get = |scope| outcome.get(info.name, scope);
    let selected = info.scope.axis().and_then(|axis| bindings.get(axis));
    match (info.scope, selected) {
        (weir_scenario::metrics::Scope::Flow, Some(flow)) => get(Scope::Flow(flow.clone())),
        (weir_scenario::metrics::Scope::Congestion, Some(n)) => get(Scope::Congestion(n.parse().ok()?)),
        (weir_scenario::metrics::Scope::Node, Some(node)) => get(Scope::Node(node.clone())),
        (weir_scenario::metrics::Scope::Link, Some(name)) => match topology.links.iter().find(|l| l.name == *name) {
            Some(link) => total(info.total, topology.directions(link).map(|d| get(Scope::Link(d)))),
            None => get(Scope::Link(name.clone())),
        },
        (_, None) | (weir_scenario::metrics::Scope::Run, _) => get(Scope::Run),
    }
}

/// One number for several places; places where nothing was measured do not count.
pub(crate) fn total(how: Total, values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().flatten().collect();
    match how {
        _ if values.is_empty() => None,
        Total::Sum => Some(values.iter().sum()),
        Total::Mean => weir_results::stats::mean(&values),
        Total::Max => values.into_iter().reduce(f64::max),
        Total::Min => values.into_iter().reduce(f64::min),
    }
}
