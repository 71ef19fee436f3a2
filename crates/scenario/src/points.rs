//! The product of the axes, each combination built and checked.

use crate::axes::Variation;
use crate::diagnostic::{Diagnostic, Log};
use crate::expr::Places;
use crate::files::Loader;
use crate::plan::Scenario;
use crate::study::Point;
use crate::tree::Node;
use crate::{paths, scenario};
use std::collections::BTreeSet;

/// More points are surely a mistake.
const MOST_POINTS: usize = 100_000;

/// After so many different problems the rest of the points is left unchecked.
const MOST_PROBLEMS: usize = 50;

/// All points, or `None` if any of them has a problem. Unless the axes are `complete`, things that are missing are not
/// reported: the axes that could not be read may have brought them.
pub(crate) fn build(
    root: &Node,
    variations: &[Variation],
    complete: bool,
    files: &Loader<'_>,
    log: &Log,
) -> Option<Vec<Point>> {
    let count = variations.iter().try_fold(1usize, |n, v| n.checked_mul(v.axis.labels.len()));
    let Some(count) = count.filter(|n| *n <= MOST_POINTS) else {
        log.report(Diagnostic::at(&root.place, format!("the axes make more than {MOST_POINTS} points")));
        return None;
    };
    let mut found = Found::default();
    let mut points = Vec::with_capacity(count);
    let mut tried = 0;
    for index in 0..count {
        tried += 1;
        let (labels, built) = point(root, variations, index, files);
        match built {
            Ok(scenario) => points.push(Point { labels, scenario }),
            Err(problems) => found.add(&labels, problems),
        }
        if found.0.len() >= MOST_PROBLEMS {
            break;
        }
    }
    let whole = points.len() == count;
    found.report(tried, complete, log);
    (whole && complete).then_some(points)
}

type Labels = Vec<(String, String)>;

/// The labels of point number `index` and what is run there.
fn point(
    root: &Node,
    variations: &[Variation],
    index: usize,
    files: &Loader<'_>,
) -> (Labels, Result<Scenario, Vec<Diagnostic>>) {
    let mut root = root.clone();
    let log = Log::default();
    let mut labels = Labels::new();
    for (variation, choice) in variations.iter().zip(choices(variations, index)) {
        labels.push((variation.axis.name.clone(), variation.axis.labels[choice].clone()));
        for (path, value) in &variation.settings[choice] {
            paths::assign(&mut root, path, value, &log);
        }
    }
    let scenario = scenario::build(&root, files, &log);
    let problems = log.take();
    let built = scenario.filter(|_| problems.is_empty()).ok_or(problems);
    (labels, built)
}

/// Which label of each axis point number `index` has: the last axis changes fastest.
fn choices(variations: &[Variation], mut index: usize) -> Vec<usize> {
    let mut choices: Vec<usize> = Vec::with_capacity(variations.len());
    for variation in variations.iter().rev() {
        let labels = variation.axis.labels.len();
        choices.push(index % labels);
        index /= labels;
    }
    choices.reverse();
    choices
}

/// Problems, each with the first point that has it and the number of points that do.
#[derive(Default)]
struct Found(Vec<(Diagnostic, String, usize)>);

impl Found {
    fn add(&mut self, labels: &Labels, problems: Vec<Diagnostic>) {
        for problem in problems {
            match self.0.iter_mut().find(|(other, ..)| *other == problem) {
                Some((.., count)) => *count += 1,
                None => {
                    let pairs: Vec<String> = labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
                    self.0.push((problem, pairs.join(", "), 1));
                }
            }
        }
    }

    /// Says where a problem is, unless it is everywhere.
    fn report(self, tried: usize, complete: bool, log: &Log) {
        for (problem, first, count) in self.0 {
            if problem.missing && !complete {
                continue;
            }
            log.report(match count {
                n if n == tried => problem,
                1 => problem.note(format!("in the point {first}")),
                n => problem.note(format!("in the point {first}, and in {} more", n - 1)),
            });
        }
    }
}

/// Flows, links and nodes of all points, each once.
pub(crate) fn places(points: &[Point]) -> Places {
    let (mut flows, mut nodes) = (Words::default(), Words::default());
    let (mut links, mut directions) = (Words::default(), Words::default());
    let mut last = None;
    for Point { scenario, .. } in points {
        scenario.workloads.iter().for_each(|w| flows.add(&w.label));
        if last == Some(&scenario.topology) {
            continue;
        }
        last = Some(&scenario.topology);
        scenario.topology.nodes.iter().for_each(|n| nodes.add(n));
        for link in &scenario.topology.links {
            links.add(&link.name);
            scenario.topology.directions(link).iter().for_each(|d| directions.add(d));
        }
    }
    Places { flows: flows.list, links: links.list, directions: directions.list, nodes: nodes.list }
}

/// Words, each once, in the order in which they came.
#[derive(Default)]
struct Words {
    list: Vec<String>,
    known: BTreeSet<String>,
}

impl Words {
    fn add(&mut self, word: &str) {
        if !self.known.contains(word) {
            self.known.insert(word.into());
            self.list.push(word.into());
        }
    }
}
