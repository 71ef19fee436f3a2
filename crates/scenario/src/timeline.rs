//! `[[at]]`: what happens in the course of a run.

mod links;
mod schemes;

use crate::diagnostic::{Diagnostic, Log, list};
use crate::plan::{Action, Happening, Workload};
use crate::quantities::{Between, text};
use crate::reader::{Read as _, TableReader};
use crate::shape::{Field, Form, Rule, Shape};
use crate::topology::find_nodes;
use crate::tree::Node;
use crate::workloads::{Scene, matches};
use schemes::InForce;
use weir_core::{Span, Time};

/// More occurrences of one happening are surely a mistake.
const MOST_OCCURRENCES: u64 = 1_000_000;

const TEXTS: Form = Form::Either(&[Form::Text, Form::List(&Form::Text, 1)]);

/// `[[at]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "Something that happens in the course of a run, once or again and again.",
    example: "[[at]]\ntime = \"10s\"\ndown = \"r1-producer\"\n",
    keys: &[&[
        Field::of::<Between>("time", "When: a time, or a range from which each seed draws a time.").required(),
        Field::of::<Span>("every", "It happens again after each such time.").otherwise("once"),
        Field::of::<Time>("until", "The end of repetitions.").otherwise("the end of the run"),
        Field::new(
            "down",
            Form::Either(&[Form::Text, Form::List(&Form::Text, 1), Form::Table(&links::DOWN)]),
            "Links go down.",
        ),
        Field::new("up", crate::ways::FORM, "Links come up again."),
        Field::new("link", Form::Table(&links::LINK), "Links get another rate, delay, loss or queue."),
        Field::new(
            "restart",
            Form::Either(&[Form::Word, Form::List(&Form::Word, 1)]),
            "Nodes whose forwarders lose their tables and queues.",
        ),
        Field::new("start", TEXTS, "Labels of workloads that begin, or go on; `*` stands for anything."),
        Field::new("stop", TEXTS, "Labels of workloads that make no new requests."),
        Field::new("scheme", Form::Table(&schemes::SHAPE), "Parts of the scheme are exchanged."),
    ]],
    more: None,
    rules: &[Rule::One(&ACTIONS), Rule::Needs("until", "every")],
};

/// Everything that happens; problems are reported.
pub(crate) fn read(
    root: &TableReader<'_>,
    scene: &Scene<'_>,
    workloads: Option<&[Workload]>,
    duration: Option<Span>,
) -> Option<Vec<Happening>> {
    let mut tables: Vec<(usize, TableReader<'_>)> = root.tables("at").into_iter().enumerate().collect();
    let count = tables.len();
    // A change of the scheme builds on those before it. The file may list them in any order.
    tables.sort_by_key(|(_, table)| earliest(table));
    let mut in_force = scene
        .scheme
        .zip(scene.ground)
        .zip(workloads)
        .map(|((scheme, ground), workloads)| InForce::at_first(scheme, ground.topology.nodes.len(), workloads));
    let mut all: Vec<(usize, Happening)> = Vec::new();
    for (i, table) in tables {
        all.extend(one(table, scene, workloads, duration, &mut in_force).map(|happening| (i, happening)));
    }
    all.sort_by_key(|(i, _)| *i);
    let all: Vec<Happening> = all.into_iter().map(|(_, happening)| happening).collect();
    if let Some(workloads) = workloads.filter(|_| all.len() == count) {
        check_starts(root, workloads, &all);
    }
    (all.len() == count).then_some(all)
}

/// The earliest time at which it can happen for the first time; if that is wrong, it is reported elsewhere.
fn earliest(table: &TableReader<'_>) -> Time {
    let time = table.table.get("time").and_then(|node| Between::read(node, &Log::default()));
    time.map_or(Time::ZERO, |time| time.0)
}

fn one(
    table: TableReader<'_>,
    scene: &Scene<'_>,
    workloads: Option<&[Workload]>,
    duration: Option<Span>,
    in_force: &mut Option<InForce>,
) -> Option<Happening> {
    let time = time(&table, duration);
    let every = every(&table, time, duration);
    let action = action(&table, scene, workloads, in_force);
    table.finish();
    let time = time?;
    Some(Happening { time: (time.0, time.1), every: every?, action: action? })
}

fn time(table: &TableReader<'_>, duration: Option<Span>) -> Option<Between> {
    let time = table.need::<Between>("time")?;
    let end = duration.map(|duration| Time::ZERO + duration);
    if let Some(end) = end.filter(|end| time.1 > *end) {
        let place = table.table.get("time").map_or(table.place, |n| &n.place);
        let message = format!("this happens at {}, but the run ends at {}", Span(time.1.0), Span(end.0));
        table.log.report(Diagnostic::at(place, message));
        return None;
    }
    Some(time)
}

/// The interval of repetitions and their end; the outer `None` means that they are wrong.
fn every(table: &TableReader<'_>, time: Option<Between>, duration: Option<Span>) -> Option<Option<(Span, Time)>> {
    let until = table.node("until");
    let Some(node) = table.node("every") else {
        if let Some(key) = until.and_then(|_| table.key("until")) {
            let problem = Diagnostic::at(&key.place, "`until` ends repetitions, but there are none");
            table.log.report(problem.help("give their interval with `every`"));
            return None;
        }
        return Some(None);
    };
    let every = Span::read(node, table.log)?;
    let end = match until {
        Some(until) => Some(Time::read(until, table.log)?),
        None => duration.map(|duration| Time::ZERO + duration),
    };
    let Some(end) = end else {
        table.missing("these repetitions never end: give them an `until`, or give `[run]` a `duration`", "until");
        return None;
    };
    let start = time?;
    let problem = if every == Span::ZERO {
        "an interval of 0 makes no sense".to_string()
    } else if end.since(start.0).0 / every.0 > MOST_OCCURRENCES {
        format!("this happens more than {MOST_OCCURRENCES} times")
    } else {
        return Some(Some((every, end)));
    };
    table.log.report(Diagnostic::at(&node.place, problem));
    None
}

const ACTIONS: [&str; 7] = ["down", "up", "link", "restart", "start", "stop", "scheme"];

fn action(
    table: &TableReader<'_>,
    scene: &Scene<'_>,
    workloads: Option<&[Workload]>,
    in_force: &mut Option<InForce>,
) -> Option<Action> {
    let present = table.present(&ACTIONS);
    let name = match present.as_slice() {
        [] => {
            table.missing(&format!("an `at` needs one of {}", list(ACTIONS)), ACTIONS[0]);
            return None;
        }
        [name] => *name,
        [first, second, ..] => {
            table.exclude(first, second, "write an `[[at]]` for each");
            return None;
        }
    };
    let (node, ground) = (table.node(name)?, scene.ground?);
    let log = table.log;
    match name {
        "down" => links::down(node, ground, log),
        "up" => crate::ways::read(node, ground, log).map(|ways| Action::Up { ways }),
        "link" => links::change(node, ground, log),
        "restart" => find_nodes(node, &ground.topology.nodes, log).map(|nodes| Action::Restart { nodes }),
        "start" => flows(node, workloads?, table).map(|flows| Action::Start { flows }),
        "stop" => flows(node, workloads?, table).map(|flows| Action::Stop { flows }),
        _ => schemes::change(node, &ground.topology.nodes, workloads?, in_force.as_mut()?, log).map(Action::Scheme),
    }
}

/// Workloads by their labels; a pattern may stand for several.
fn flows(node: &Node, workloads: &[Workload], table: &TableReader<'_>) -> Option<Vec<usize>> {
    let mut found: Vec<usize> = Vec::new();
    for element in node.elements() {
        let word = text(element, "the label of a workload", table.log)?;
        let own: Vec<usize> = (0..workloads.len()).filter(|i| matches(word, &workloads[*i].label)).collect();
        if own.is_empty() {
            let problem = Diagnostic::at(&element.place, format!("there is no workload with the label `{word}`"));
            table.log.report(problem.suggest(word, labels(workloads)));
            return None;
        }
        found.extend(own.into_iter().filter(|i| !found.contains(i)).collect::<Vec<_>>());
    }
    if found.is_empty() {
        table.log.report(Diagnostic::at(&node.place, "this list has no workload in it"));
        return None;
    }
    Some(found)
}

/// Each label once.
fn labels(workloads: &[Workload]) -> impl Iterator<Item = &str> {
    let mut labels: Vec<&str> = workloads.iter().map(|w| w.label.as_str()).collect();
    labels.dedup();
    labels.into_iter()
}

/// A workload that starts `never` must be started here.
fn check_starts(root: &TableReader<'_>, workloads: &[Workload], all: &[Happening]) {
    let started = |i: usize| all.iter().any(|h| matches!(&h.action, Action::Start { flows } if flows.contains(&i)));
    let idle = (0..workloads.len()).find(|i| workloads[*i].start.0 == Time::NEVER && !started(*i));
    if let (Some(i), Some(node)) = (idle, root.table.get("workload")) {
        let message = format!("the workload `{}` never starts", workloads[i].label);
        let problem = Diagnostic::at(&node.place, message);
        root.log.report(problem.help(format!("start it in an `[[at]]` with `start = \"{}\"`", workloads[i].label)));
    }
}
