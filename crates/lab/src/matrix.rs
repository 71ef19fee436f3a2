//! Schemes against schemes: each on each network, with several seeds.

use std::sync::atomic::{AtomicBool, Ordering};
use weir_results::ranking::Better;
use weir_scenario::plan::{Scenario, SchemePlan};
use weir_sim::{Job, Outcome, Progress, Scope, run_all};

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Its name in tables.
    pub name: &'static str,
    /// The same for people.
    pub label: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// Which way it is good.
    pub better: Better,
    /// What it is, in one sentence.
    pub about: &'static str,
    of: fn(&Outcome, &Scenario) -> Option<f64>,
}

const fn measure(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    better: Better,
    about: &'static str,
    of: fn(&Outcome, &Scenario) -> Option<f64>,
) -> Measure {
    Measure { name, label, unit, better, about, of }
}

/// All measures.
pub static MEASURES: &[Measure] = &[
    measure(
        "goodput",
        "goodput",
        "Mbit/s",
        Better::More,
        "Payload delivered to all flows, each segment once",
        |o, _| run(o, "goodput"),
    ),
    measure(
        "completion_time",
        "completion",
        "s",
        Better::Less,
        "From the first Interest of all to the last Data; only where every fetch ended",
        |o, _| run(o, "completion_time"),
    ),
    measure("fetch_time", "fetch time", "s", Better::Less, "Mean time of the fetches that ended", |o, _| {
        run(o, "fetch_time").map(|ms| ms / 1e3)
    }),
    measure("delay", "delay", "ms", Better::Less, "From the first Interest for a segment to its Data, mean", |o, _| {
        run(o, "full_delay")
    }),
    measure("delay_p50", "delay p50", "ms", Better::Less, "Median of that delay", |o, _| run(o, "full_delay_p50")),
    measure("delay_p95", "delay p95", "ms", Better::Less, "95th percentile of that delay", |o, _| {
        run(o, "full_delay_p95")
    }),
    measure("delay_p99", "delay p99", "ms", Better::Less, "99th percentile of that delay", |o, _| {
        run(o, "full_delay_p99")
    }),
    measure("loss", "loss", "%", Better::Less, "Packets lost in the network per 100 segments delivered", |o, _| {
        per_segment(o, "drops")
    }),
    measure(
        "retransmissions",
        "retransmissions",
        "%",
        Better::Less,
        "Interests sent again per 100 segments delivered",
        |o, _| per_segment(o, "retransmissions"),
    ),
    measure(
        "jain",
        "Jain",
        "",
        Better::More,
        "Jain's index of the flows' goodputs, where there are several",
        |o, s| {
            let several = s.workloads.iter().any(|w| w.label != s.workloads[0].label);
            run(o, "jain").filter(|_| several)
        },
    ),
    measure(
        "maxmin_ratio",
        "max-min",
        "",
        Better::More,
        "Goodput over the max-min fair share, of the flow that is worst off",
        |o, _| run(o, "maxmin_ratio"),
    ),
    measure(
        "utilisation",
        "utilisation",
        "%",
        Better::More,
        "Share of time in which the busiest link sends",
        |o, _| {
            let links =
                o.values.iter().filter(|((name, scope), _)| *name == "utilisation" && matches!(scope, Scope::Link(_)));
            links.map(|(_, value)| 100.0 * value).reduce(f64::max)
        },
    ),
];

fn run(outcome: &Outcome, metric: &'static str) -> Option<f64> {
    outcome.get(metric, Scope::Run)
}

/// In per cent of the segments delivered.
fn per_segment(outcome: &Outcome, metric: &'static str) -> Option<f64> {
    let delivered = run(outcome, "delivered").filter(|n| *n > 0.0)?;
    Some(100.0 * run(outcome, metric)? / delivered)
}

/// The place of a measure.
pub fn measure_named(name: &str) -> Option<usize> {
    MEASURES.iter().position(|m| m.name == name)
}

/// What one scheme did on one network with one seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// By [`MEASURES`].
    pub values: Vec<Option<f64>>,
    /// Fetches of a given size that had not got everything when the run ended.
    pub unfinished: usize,
    /// Length of the run, in seconds.
    pub duration: f64,
    /// Hash of every packet's way.
    pub digest: u64,
}

impl Trial {
    fn of(seed: u64, scenario: &Scenario, outcome: &Outcome) -> Trial {
        // Of the fetches under one label the last to end counts.
        let ends = |label: &str| outcome.get("completion_time", Scope::Flow(label.into())).is_some();
        let finite = scenario.workloads.iter().filter(|w| w.segments.is_some() && w.requests.is_none());
        let mut labels: Vec<&str> = finite.map(|w| w.label.as_str()).filter(|label| !ends(label)).collect();
        labels.sort_unstable();
        labels.dedup();
        Trial {
            seed,
            values: MEASURES.iter().map(|m| (m.of)(outcome, scenario)).collect(),
            unfinished: labels.len(),
            duration: run(outcome, "duration").unwrap_or_default(),
            digest: outcome.digest,
        }
    }
}

/// What became of a scheme on a network.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It ran with every seed.
    Ran(Vec<Trial>),
    /// It cannot run there, and why.
    Refused(String),
    /// It went wrong, which is a defect.
    Failed(String),
    /// The user stopped it before.
    Stopped,
}

impl Standing {
    /// The values of a measure over the seeds; `None` if any run lacks it.
    pub fn values(&self, measure: usize) -> Option<Vec<f64>> {
        match self {
            Standing::Ran(trials) if !trials.is_empty() => trials.iter().map(|t| t.values[measure]).collect(),
            _ => None,
        }
    }
}

/// How trials are run.
pub struct Tries<'a> {
    /// The seeds of each scheme on each network.
    pub seeds: &'a [u64],
    /// Threads.
    pub jobs: usize,
    /// Becomes true when the user wants to stop.
    pub stop: &'a AtomicBool,
    /// Told of finished runs.
    pub progress: &'a dyn Progress,
}

impl Tries<'_> {
    /// Runs every scenario with every seed; those that could not be made are passed on. A scheme that goes wrong leaves
    /// the others alone.
    pub fn run(&self, scenarios: Vec<Result<Scenario, String>>) -> Vec<Standing> {
        let mut standings: Vec<Standing> = scenarios
            .iter()
            .map(|s| s.as_ref().err().map_or(Standing::Stopped, |why| Standing::Refused(why.clone())))
            .collect();
        // Time series are for figures, which a comparison has none of.
        let silent = |mut scenario: Scenario| {
            scenario.run.sample = None;
            scenario
        };
        let mut left: Vec<(usize, Scenario)> =
            scenarios.into_iter().enumerate().filter_map(|(i, s)| Some((i, silent(s.ok()?)))).collect();
        while !left.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let jobs: Vec<Job<'_>> = left
                .iter()
                .flat_map(|(_, scenario)| self.seeds.iter().map(move |seed| Job { scenario, seed: *seed }))
                .collect();
            match run_all(&jobs, self.jobs, self.stop, self.progress) {
                Ok(outcomes) => {
                    for ((place, scenario), outcomes) in left.iter().zip(outcomes.chunks(self.seeds.len())) {
                        let trial = |(outcome, seed): (&Option<Outcome>, &u64)| {
                            outcome.as_ref().map(|outcome| Trial::of(*seed, scenario, outcome))
                        };
                        let trials: Option<Vec<Trial>> = outcomes.iter().zip(self.seeds).map(trial).collect();
                        standings[*place] = trials.map_or(Standing::Stopped, Standing::Ran);
                    }
                    break;
                }
                Err(error) => {
                    let (place, _) = left.remove(error.job / self.seeds.len());
                    let seed = self.seeds[error.job % self.seeds.len()];
                    standings[place] = Standing::Failed(format!("with seed {seed}: {}", error.cause));
                }
            }
        }
        standings
    }
}

/// True if two plans put the same parts to work, whatever they are called.
pub fn same_parts(a: &SchemePlan, b: &SchemePlan) -> bool {
    SchemePlan { name: String::new(), ..a.clone() } == SchemePlan { name: String::new(), ..b.clone() }
}
