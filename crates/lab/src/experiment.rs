//! A study and what its runs have shown.

use std::fmt;
use std::sync::atomic::AtomicBool;
use weir_scenario::Study;
use weir_sim::{Job, JobError, Outcome, Progress, run_all};

/// Which seeds a study runs with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// Those of the file (`run.seeds`).
    Ordinary,
    /// The few of the file (`run.quick_seeds`).
    Quick,
    /// The many of the file (`run.full_seeds`).
    Full,
    /// These.
    These(Vec<u64>),
}

/// How to run.
pub struct Runner<'a> {
    /// Threads.
    pub jobs: usize,
    /// Seeds.
    pub seeds: Seeds,
    /// Becomes true when the user wants to stop.
    pub stop: &'a AtomicBool,
    /// Told of finished runs.
    pub progress: &'a dyn Progress,
}

/// A run that went wrong, with what is needed to repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError(String);

impl RunError {
    fn new(error: &JobError, job: &Job<'_>, study: &Study) -> RunError {
        let here = study.points().iter().find(|p| std::ptr::eq(&raw const p.scenario, job.scenario));
        let point = here.map(weir_scenario::Point::title).filter(|title| !title.is_empty());
        let at = point.map(|title| format!(" at {title}")).unwrap_or_default();
        let (file, seed) = (&study.file, job.seed);
        RunError(format!(
            "{file}{at} with seed {seed}: {}; repeat it with `weir run {file} --seeds {seed}`",
            error.cause
        ))
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RunError {}

/// A study with its outcomes.
#[derive(Debug)]
pub struct Experiment {
    /// The study.
    pub study: Study,
    /// Outcomes by point, then seed; `None`: not run because the user stopped.
    pub outcomes: Vec<Vec<(u64, Option<Outcome>)>>,
}

impl Seeds {
    /// The seeds of one point.
    pub fn of<'a>(&'a self, run: &'a weir_scenario::plan::RunPlan) -> &'a [u64] {
        match self {
            Seeds::Ordinary => &run.seeds,
            Seeds::Quick => &run.quick_seeds,
            Seeds::Full => &run.full_seeds,
            Seeds::These(seeds) => seeds,
        }
    }
}

impl Runner<'_> {
    /// Number of runs that a study needs.
    pub fn runs(&self, study: &Study) -> usize {
        study.points().iter().map(|p| self.seeds.of(&p.scenario.run).len()).sum()
    }

    /// Runs every point with every seed.
    ///
    /// # Errors
    /// If a run goes wrong although the study was checked: a defect of Weir.
    pub fn run(&self, study: Study) -> Result<Experiment, RunError> {
        let points = study.points().iter();
        let jobs: Vec<Job<'_>> = points
            .flat_map(|p| self.seeds.of(&p.scenario.run).iter().map(|seed| Job { scenario: &p.scenario, seed: *seed }))
            .collect();
        let results = run_all(&jobs, self.jobs, self.stop, self.progress);
        let mut results = results.map_err(|error| RunError::new(&error, &jobs[error.job], &study))?.into_iter();
        drop(jobs);
        let outcomes = study
            .points()
            .iter()
            .map(|p| self.seeds.of(&p.scenario.run).iter().map(|seed| (*seed, results.next().flatten())).collect())
            .collect();
        Ok(Experiment { study, outcomes })
    }
}

impl Experiment {
    /// True if every run took place.
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().flatten().all(|(_, outcome)| outcome.is_some())
    }

    /// A digest of the digests of all runs, in order.
    pub fn digest(&self) -> u64 {
        let digests = self.outcomes.iter().flatten().filter_map(|(_, o)| o.as_ref()).map(|o| o.digest);
        digests.fold(0, |sum: u64, d| (sum ^ d).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
    }

    /// Seeds that every point has been run with.
    pub fn common_seeds(&self) -> Vec<u64> {
        let Some(first) = self.outcomes.first() else { return Vec::new() };
        let everywhere = |seed: &u64| self.outcomes.iter().all(|runs| runs.iter().any(|(s, _)| s == seed));
        first.iter().map(|(seed, _)| *seed).filter(everywhere).collect()
    }
}
