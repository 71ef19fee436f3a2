//! Many runs on all cores, with results that do not depend on how many there are.

use crate::build::{BuildError, build};
use crate::outcome::Outcome;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use weir_scenario::plan::Scenario;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What to run.
    pub scenario: &'a Scenario,
    /// With which seed.
    pub seed: u64,
}

/// Told of each finished run.
pub trait Progress: Sync {
    /// `done` of `total` runs are finished.
    fn finished(&self, done: usize, total: usize);
}

impl Progress for () {
    fn finished(&self, _done: usize, _total: usize) {}
}

impl Job<'_> {
    /// Runs to the end.
    ///
    /// # Errors
    /// See [`build`].
    pub fn run(&self) -> Result<Outcome, BuildError> {
        let mut built = build(self.scenario, self.seed)?;
        built.world.run(built.end);
        Ok(Outcome::of(&built.world, &built.nodes, &built.links))
    }
}

/// Runs all jobs on `threads` threads. Results stand in the order of the jobs, whichever thread ran them; a job that was
/// not run because `stop` became true is `None`.
///
/// # Errors
/// The first job, in order, that could not be built.
pub fn run_all(
    jobs: &[Job<'_>],
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Vec<Option<Outcome>>, BuildError> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Outcome, BuildError>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(i) else { break };
            let result = job.run();
            *results[i].lock().unwrap_or_else(|e| e.into_inner()) = Some(result);
            progress.finished(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(work);
        }
    });
    results.into_iter().map(|r| r.into_inner().unwrap_or_else(|e| e.into_inner()).transpose()).collect()
}
