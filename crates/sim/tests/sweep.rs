//! Many runs at once: order, stopping, progress, and what is told of a run that goes wrong.

mod common;

use common::scenario;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_scenario::plan::Scenario;
use weir_sim::{Job, JobError, Outcome, Progress, run_all};

fn small(segments: u64) -> Scenario {
    scenario(&format!(
        r#"
[topology]
linear = {{ routers = 1, rate = "10Mbps", delay = "5ms", queue = "10p", loss = 0.02 }}
[[workload]]
fetch = {{ segments = {segments}, start = "0s..10ms" }}
[scheme]
name = "cubic"
"#
    ))
}

/// Runs of very different length, so that threads finish them in another order than they were given.
fn scenarios() -> Vec<Scenario> {
    [2000, 1, 300, 2, 1000, 3, 50, 700].map(small).into()
}

fn jobs(scenarios: &[Scenario]) -> Vec<Job<'_>> {
    scenarios.iter().flat_map(|scenario| [1, 2].map(|seed| Job { scenario, seed })).collect()
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn digests(results: &[Option<Outcome>]) -> Vec<u64> {
    results.iter().map(|outcome| outcome.as_ref().expect("it was run").digest).collect()
}

#[test]
fn results_stand_in_the_order_of_the_jobs_whatever_the_number_of_threads() {
    let scenarios = scenarios();
    let jobs = jobs(&scenarios);
    let one_by_one: Vec<u64> = jobs.iter().map(|job| job.run().unwrap().digest).collect();
    for threads in [1, 2, 3, 7, 100] {
        let results = run_all(&jobs, threads, &never(), &()).unwrap();
        assert_eq!(digests(&results), one_by_one, "{threads} threads");
    }
    assert!(run_all(&[], 4, &never(), &()).unwrap().is_empty());
    assert_eq!(run_all(&jobs[..1], 0, &never(), &()).unwrap().len(), 1);
}

/// Notes what it is told, and asks to stop after so many runs.
struct Watcher {
    told: Mutex<Vec<(usize, usize)>>,
    stop: AtomicBool,
    after: usize,
}

impl Watcher {
    fn new(after: usize) -> Watcher {
        Watcher { told: Mutex::default(), stop: never(), after }
    }
}

impl Progress for Watcher {
    fn finished(&self, done: usize, total: usize) {
        self.told.lock().unwrap().push((done, total));
        self.stop.fetch_or(done >= self.after, Ordering::Relaxed);
    }
}

#[test]
fn every_finished_run_is_told_of_once() {
    let scenarios = scenarios();
    let jobs = jobs(&scenarios);
    let watcher = Watcher::new(usize::MAX);
    run_all(&jobs, 3, &watcher.stop, &watcher).unwrap();
    let mut told = watcher.told.into_inner().unwrap();
    told.sort_unstable();
    assert_eq!(told, (1..=16).map(|done| (done, 16)).collect::<Vec<_>>());
}

#[test]
fn stopping_keeps_what_is_done() {
    let scenarios = scenarios();
    let jobs = jobs(&scenarios);
    for threads in [1, 2] {
        let watcher = Watcher::new(5);
        let results = run_all(&jobs, threads, &watcher.stop, &watcher).unwrap();
        let done = results.iter().flatten().count();
        assert!((5..5 + threads).contains(&done), "{done} runs");
        // Jobs are begun in order, so what is missing is at the end.
        assert!(results[..done].iter().all(Option::is_some));
        assert_eq!(results.len(), jobs.len());
        for (result, job) in results.iter().zip(&jobs) {
            assert!(result.as_ref().is_none_or(|outcome| outcome.digest == job.run().unwrap().digest));
        }
    }
    let results = run_all(&jobs, 2, &AtomicBool::new(true), &()).unwrap();
    assert!(results.iter().all(Option::is_none));
}

#[test]
fn of_runs_that_go_wrong_the_first_in_order_is_told() {
    let mut scenarios = scenarios();
    // A loaded file never says this: the tests pretend that the checks have a gap.
    scenarios[5].scheme.control.name = "cubci".into();
    scenarios[6].workloads[0].producers = vec![99];
    let jobs = jobs(&scenarios);
    let error = run_all(&jobs, 3, &never(), &()).unwrap_err();
    assert_eq!(error.job, 10);
    assert!(error.cause.contains("did you mean \"cubic\""), "{error}");
}

#[test]
fn a_run_that_panics_is_an_error_that_names_it() {
    let mut scenarios = scenarios();
    scenarios[6].workloads[0].producers = vec![99];
    let jobs = jobs(&scenarios);
    let JobError { job, cause } = run_all(&jobs, 2, &never(), &()).unwrap_err();
    assert_eq!(job, 12);
    assert!(cause.starts_with("panicked: ") && cause.contains("index"), "{cause}");
}
