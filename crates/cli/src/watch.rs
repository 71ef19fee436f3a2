//! Files that runs leave behind besides the tables: tracers and captures.

use crate::Failure;
use crate::args::{RunArgs, TracerChoice};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use weir_core::{Parameter, Sink, Span, Time, Value, nearest};
use weir_lab::Seeds;
use weir_results::files::FileError;
use weir_scenario::{Point, Study};
use weir_sim::{Built, Finish, Progress};
use weir_watch::{Capture, Network, Tracer, Tracers};

/// More captures are surely a mistake: each can be larger than all tables together.
const MOST_CAPTURES: usize = 100;

/// Puts the files of one watcher in their places.
type End = Box<dyn FnOnce(Time) -> Result<(), FileError>>;

/// What is to be written of each run.
#[derive(Debug)]
pub(crate) struct RunFiles {
    tracers: Vec<Tracer>,
    period: Span,
    snaplen: Option<u32>,
    /// In the order in which the runs are numbered.
    runs: Vec<Run>,
}

#[derive(Debug)]
struct Run {
    folder: PathBuf,
    /// Point and seed in words.
    about: String,
    /// Link directions to capture.
    capture: Vec<String>,
}

impl RunFiles {
    /// What the arguments ask for, in folders below `folder`.
    ///
    /// # Errors
    /// If a link is not there, or there are too many runs.
    pub fn new(args: &RunArgs, study: &Study, seeds: &Seeds, folder: &Path) -> Result<RunFiles, Failure> {
        let tracers = if args.trace_files.contains(&TracerChoice::All) {
            Tracer::ALL.to_vec()
        } else {
            args.trace_files.iter().filter_map(|choice| choice.tracer()).collect()
        };
        let files = RunFiles {
            tracers,
            period: period(&args.trace_period).map_err(Failure::Input)?,
            snaplen: args.snaplen,
            runs: runs(study, seeds, &args.capture, &folder.join("runs")).map_err(Failure::Input)?,
        };
        if !args.capture.is_empty() && files.runs.len() > MOST_CAPTURES {
            return Err(Failure::Input(format!(
                "--capture would write {} files, more than {MOST_CAPTURES}; take fewer runs with --seeds or with \
                 `--set vary.AXIS.values=[...]`",
                files.runs.len()
            )));
        }
        Ok(files)
    }

    /// What is written, in words for a person; `None`: nothing.
    pub fn what(&self) -> Option<&'static str> {
        let captures = self.runs.iter().any(|run| !run.capture.is_empty());
        match (self.tracers.is_empty(), captures) {
            (true, false) => None,
            (false, false) => Some("tracer files"),
            (true, true) => Some("captures"),
            (false, true) => Some("tracer files and captures"),
        }
    }

    /// Sets watchers on a run that is about to begin.
    fn watch(&self, run: &Run, built: &mut Built) -> Result<Finish, FileError> {
        let mut ends: Vec<End> = Vec::new();
        if !self.tracers.is_empty() {
            let tracers = Tracers::new(Network::of(built), &self.tracers, self.period, &run.folder)?;
            let tracers = share(built, tracers);
            ends.push(Box::new(move |end| own(tracers).finish(end)));
        }
        if !run.capture.is_empty() {
            let path = run.folder.join("capture.pcapng");
            let capture = Capture::new(built, &run.capture, &path, self.snaplen, &run.about)?;
            let capture = share(built, capture);
            ends.push(Box::new(move |_| own(capture).finish()));
        }
        Ok(Box::new(move |end| ends.into_iter().try_for_each(|finish| finish(end)).map_err(|e| e.to_string())))
    }
}

/// Lets a watcher see the run and keeps hold of it.
fn share<W: Sink + 'static>(built: &mut Built, watcher: W) -> Rc<RefCell<W>> {
    let shared = Rc::new(RefCell::new(watcher));
    built.world.watch(Box::new(Rc::clone(&shared)));
    shared
}

/// Takes a watcher back, after the run.
fn own<W>(shared: Rc<RefCell<W>>) -> W {
    match Rc::into_inner(shared) {
        Some(watcher) => watcher.into_inner(),
        None => unreachable!("the world that shared it is gone"),
    }
}

/// Tells a bar of the runs and sets watchers on them.
pub(crate) struct Watching<'a> {
    pub bar: &'a dyn Progress,
    pub files: &'a RunFiles,
}

impl Progress for Watching<'_> {
    fn begins(&self, job: usize, built: &mut Built) -> Result<Option<Finish>, String> {
        let Some(run) = self.files.runs.get(job).filter(|_| self.files.what().is_some()) else { return Ok(None) };
        self.files.watch(run, built).map(Some).map_err(|error| error.to_string())
    }

    fn finished(&self, done: usize, total: usize) {
        self.bar.finished(done, total);
    }
}

/// Every run in the order of the jobs: points, then seeds.
fn runs(study: &Study, seeds: &Seeds, capture: &[String], folder: &Path) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let digits = study.points().len().to_string().len();
    for (number, point) in study.points().iter().enumerate() {
        let capture = directions(point, capture)?;
        for seed in seeds.of(&point.scenario.run) {
            let labels: String = point.labels.iter().map(|(_, label)| format!("-{}", safe(label))).collect();
            let at = if point.labels.is_empty() { String::new() } else { format!("{:0digits$}{labels}-", number + 1) };
            let words = if point.labels.is_empty() { String::new() } else { format!(" at {}", point.title()) };
            runs.push(Run {
                folder: folder.join(format!("{at}seed-{seed}")),
                about: format!("{}{words} with seed {seed}", study.file),
                capture: capture.clone(),
            });
        }
    }
    Ok(runs)
}

/// The directions that `wanted` means at a point: a link's name means both of its own.
fn directions(point: &Point, wanted: &[String]) -> Result<Vec<String>, String> {
    let topology = &point.scenario.topology;
    let mut found: Vec<String> = Vec::new();
    for name in wanted {
        let of = topology.links.iter().find_map(|link| {
            let both = topology.directions(link);
            if link.name == *name { Some(both.to_vec()) } else { both.into_iter().find(|d| d == name).map(|d| vec![d]) }
        });
        match of {
            Some(of) => of.into_iter().for_each(|d| {
                if !found.contains(&d) {
                    found.push(d)
                }
            }),
            None => {
                let links = topology.links.iter().map(|link| link.name.clone());
                let both = topology.links.iter().flat_map(|link| topology.directions(link));
                return Err(no_link(name, &links.chain(both).collect::<Vec<_>>(), &point.title()));
            }
        }
    }
    Ok(found)
}

fn no_link(name: &str, known: &[String], point: &str) -> String {
    let at = if point.is_empty() { String::new() } else { format!(" at {point}") };
    let hint = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.iter().take(8).cloned().collect::<Vec<_>>().join(", ")),
    };
    format!("--capture: there is no link `{name}`{at}; {hint}")
}

/// A label as a part of a file's name.
fn safe(label: &str) -> String {
    label.chars().map(|c| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '-' }).collect()
}

fn period(text: &str) -> Result<Span, String> {
    let span = Span::read(&Value::Text(text.to_owned())).map_err(|problem| format!("--trace-period: {problem}"))?;
    if span == Span::ZERO { Err("--trace-period must be above zero".into()) } else { Ok(span) }
}
