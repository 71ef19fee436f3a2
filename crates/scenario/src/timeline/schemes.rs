//! Parts of schemes that are exchanged in the midst of a run.

use crate::diagnostic::{Diagnostic, Log};
use crate::parts::Kind;
use crate::plan::{PartPlan, SchemeChange, Workload};
use crate::reader::TableReader;
use crate::scheme::{is_none, part};
use crate::shape::{Field, Form, Rule, Shape};
use crate::topology::find_nodes;
use crate::tree::Node;
use crate::workloads::Scene;

const PARTS: [&str; 6] = ["control", "timeout", "queue", "host_queue", "strategy", "recovery"];

/// `scheme`.
pub(super) static SHAPE: Shape = Shape {
    about: "Parts of the scheme that are exchanged in the course of the run.",
    example: "[[at]]\ntime = \"10s\"\nscheme = { queue = \"codel\", nodes = [\"r1\"] }\n",
    keys: &[&[
        Field::new("control", Form::Part(Kind::Control, false), "Consumer control, which takes over the window."),
        Field::new("timeout", Form::Part(Kind::Timeout, false), "When an Interest counts as lost."),
        Field::new("queue", Form::Part(Kind::Queue, false), "Queue of router faces, which takes over the packets."),
        Field::new("host_queue", Form::Part(Kind::Queue, false), "Queue of hosts, which takes over the packets."),
        Field::new("strategy", Form::Part(Kind::Strategy, false), "Forwarding strategy, which begins anew."),
        Field::new("recovery", Form::Part(Kind::Recovery, true), "In-network recovery of router faces."),
        Field::new(
            "nodes",
            Form::Either(&[Form::Word, Form::List(&Form::Word, 1)]),
            "Where queues, strategies and recoveries are exchanged.",
        )
        .otherwise("everywhere"),
        Field::new(
            "flows",
            Form::Either(&[Form::Text, Form::List(&Form::Text, 1)]),
            "Labels of the workloads whose control and timeout are exchanged; `*` stands for anything.",
        )
        .otherwise("all that have no part of their own"),
    ]],
    more: None,
    rules: &[Rule::Any(&PARTS)],
};

/// `scheme`: parts as in the file's `[scheme]`, with `nodes` and `flows` to choose where.
pub(super) fn change(node: &Node, scene: &Scene<'_>, workloads: &[Workload], log: &Log) -> Option<SchemeChange> {
    let table = TableReader::new(node, "scheme", &SHAPE, log)?;
    let (scheme, ground) = (scene.scheme?, scene.ground?);
    let problems = log.count();
    let all_nodes = || Some((0..ground.topology.nodes.len()).collect());
    let nodes = table.node("nodes").map_or_else(all_nodes, |node| find_nodes(node, &ground.topology.nodes, log));
    let flows = match table.node("flows") {
        Some(node) => super::flows(node, workloads, &table).map(Some),
        None => Some(None),
    };
    let own = |key, kind, own: &PartPlan| table.node(key).and_then(|node| part(node, kind, Some(own), log));
    let mut change = SchemeChange {
        queue: own("queue", Kind::Queue, &scheme.queue),
        host_queue: own("host_queue", Kind::Queue, &scheme.host_queue),
        strategy: own("strategy", Kind::Strategy, &scheme.strategy),
        recovery: table.node("recovery").and_then(|node| match is_none(node, Kind::Recovery, log) {
            true => Some(None),
            false => part(node, Kind::Recovery, scheme.recovery.as_ref(), log).map(Some),
        }),
        ..SchemeChange::default()
    };
    if table.present(&PARTS).is_empty() {
        table.missing(&format!("nothing changes: give one of {}", crate::diagnostic::list(PARTS)), "queue");
    }
    if let (Some(key), true) = (table.key("nodes"), table.present(&PARTS[2..]).is_empty()) {
        let problem =
            Diagnostic::at(&key.place, "`nodes` is for queues, strategies and recoveries; there is none here");
        log.report(problem.help("`flows` chooses consumers"));
    }
    if let (Some(key), true) = (table.key("flows"), table.present(&PARTS[..2]).is_empty()) {
        let problem = Diagnostic::at(&key.place, "`flows` is for controls and timeouts; there is none here");
        log.report(problem.help("`nodes` chooses routers and hosts"));
    }
    if let Some(chosen) = &flows {
        let (control, timeout) = (table.node("control"), table.node("timeout"));
        change.controls =
            each(control, Kind::Control, chosen.as_deref(), workloads, |w| &w.control, &scheme.control, log);
        change.timeouts =
            each(timeout, Kind::Timeout, chosen.as_deref(), workloads, |w| &w.timeout, &scheme.timeout, log);
    }
    change.nodes = nodes.unwrap_or_default();
    table.finish();
    (log.count() == problems && flows.is_some()).then_some(change)
}

/// A consumer's part for each flow chosen; without a choice, for all that have no part of their own.
fn each(
    node: Option<&Node>,
    kind: Kind,
    chosen: Option<&[usize]>,
    workloads: &[Workload],
    of: fn(&Workload) -> &Option<PartPlan>,
    scheme: &PartPlan,
    log: &Log,
) -> Vec<(usize, PartPlan)> {
    let Some(node) = node else { return vec![] };
    let problems = log.count();
    let mut known: Vec<(&PartPlan, PartPlan)> = Vec::new();
    let mut parts = Vec::new();
    for (i, workload) in workloads.iter().enumerate() {
        let wanted = chosen.map_or(of(workload).is_none(), |chosen| chosen.contains(&i));
        if !wanted || log.count() > problems {
            continue;
        }
        let own = of(workload).as_ref().unwrap_or(scheme);
        let made = known.iter().find(|(other, _)| *other == own).map(|(_, made)| made.clone());
        if let Some(new) = made.or_else(|| part(node, kind, Some(own), log)) {
            known.push((own, new.clone()));
            parts.push((i, new));
        }
    }
    if parts.is_empty() && log.count() == problems {
        log.report(Diagnostic::at(&node.place, "no workload uses the scheme's part here, so nothing changes"));
    }
    parts
}
