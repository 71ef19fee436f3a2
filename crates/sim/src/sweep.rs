//! Many runs on all cores, with results that do not depend on how many there are.

use crate::build::{BuildError, Built, build};
use crate::outcome::Outcome;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use weir_core::Time;
use weir_scenario::plan::Scenario;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What to run.
    pub scenario: &'a Scenario,
    /// With which seed.
    pub seed: u64,
}

/// A run that could not be made or went wrong: a defect of Weir.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    /// Which of the jobs.
    pub job: usize,
    /// What went wrong.
    pub cause: String,
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {}: {}", self.job + 1, self.cause)
    }
}

impl std::error::Error for JobError {}

/// What is to be done when a watched run has ended, at this time of its clock.
pub type Finish = Box<dyn FnOnce(Time) -> Result<(), String>>;

/// Told of each run.
pub trait Progress: Sync {
    /// Run number `job` is about to begin: who wants to see more of it than its outcome adds a watcher, and may ask to
    /// be called when the run has ended and its world is gone.
    ///
    /// # Errors
    /// If the run is not worth making then, such as when a file cannot be written.
    fn begins(&self, _job: usize, _built: &mut Built) -> Result<Option<Finish>, String> {
        Ok(None)
    }

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
        Ok(self.outcome(build(self.scenario, self.seed)?).0)
    }

    /// Runs a world to its end, which is given back too.
    fn outcome(&self, mut built: Built) -> (Outcome, Time) {
        built.world.run(built.end);
        let mut outcome = Outcome::of(&built.world, &built.nodes, &built.links);
        outcome.judge(self.scenario, built.world.collector(), built.world.now());
        (outcome, built.world.now())
    }

    fn watched(&self, job: usize, progress: &dyn Progress) -> Result<Outcome, String> {
        let mut built = build(self.scenario, self.seed).map_err(|error| error.to_string())?;
        let finish = progress.begins(job, &mut built)?;
        let (outcome, end) = self.outcome(built);
        finish.map_or(Ok(()), |finish| finish(end))?;
        Ok(outcome)
    }

    /// As `run`, with watchers; and a panic becomes an error, so that it can be told which run it was.
    fn guarded(&self, job: usize, progress: &dyn Progress) -> Result<Outcome, String> {
        // Nobody sees what a panic has left of the run; a watcher's file that is not finished disappears.
        catch_unwind(AssertUnwindSafe(|| self.watched(job, progress))).unwrap_or_else(|panic| Err(panic_text(&*panic)))
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("for no known reason"))
}

/// Runs all jobs on `threads` threads. Results stand in the order of the jobs, whichever thread ran them; a job that was
/// not run because `stop` became true is `None`.
///
/// # Errors
/// The first job, in order, that went wrong.
pub fn run_all(
    jobs: &[Job<'_>],
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Vec<Option<Outcome>>, JobError> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Outcome, String>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(i) else { break };
            let result = job.guarded(i, progress);
            *results[i].lock().unwrap_or_else(|e| e.into_inner()) = Some(result);
            progress.finished(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(work);
        }
    });
    let taken = results.into_iter().map(|r| r.into_inner().unwrap_or_else(|e| e.into_inner()).transpose());
    taken.enumerate().map(|(job, result)| result.map_err(|cause| JobError { job, cause })).collect()
}
