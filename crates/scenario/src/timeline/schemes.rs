//! Parts of schemes that are exchanged in the midst of a run.

use crate::diagnostic::{Diagnostic, Log};
use crate::parts::Kind;
use crate::plan::{PartPlan, SchemeChange, SchemePlan, Workload};
use crate::reader::TableReader;
use crate::scheme::{is_none, part};
use crate::shape::{Field, Form, Rule, Shape};
use crate::topology::find_nodes;
use crate::tree::Node;

const PARTS: [&str; 6] = ["control", "timeout", "queue", "host_queue", "strategy", "recovery"];

/// `scheme`.
pub(super) static SHAPE: Shape = Shape {
    about: "Parts of the scheme that are exchanged in the course of the run. What is not said stays as it is then.",
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

/// The parts that are in force when a change comes.
pub(super) struct InForce {
    /// By node.
    nodes: Vec<AtNode>,
    /// Control and timeout rule, by workload.
    flows: Vec<(PartPlan, PartPlan)>,
}

#[derive(Clone)]
struct AtNode {
    queue: PartPlan,
    host_queue: PartPlan,
    strategy: PartPlan,
    recovery: Option<PartPlan>,
}

impl InForce {
    /// As the file says.
    pub(super) fn at_first(scheme: &SchemePlan, nodes: usize, workloads: &[Workload]) -> InForce {
        let SchemePlan { queue, host_queue, strategy, recovery, .. } = scheme.clone();
        let own = |own: &Option<PartPlan>, scheme: &PartPlan| own.as_ref().unwrap_or(scheme).clone();
        let parts = |w: &Workload| (own(&w.control, &scheme.control), own(&w.timeout, &scheme.timeout));
        InForce {
            nodes: vec![AtNode { queue, host_queue, strategy, recovery }; nodes],
            flows: workloads.iter().map(parts).collect(),
        }
    }

    fn take(&mut self, change: &SchemeChange) {
        change.queues.iter().for_each(|(node, part)| self.nodes[*node].queue.clone_from(part));
        change.host_queues.iter().for_each(|(node, part)| self.nodes[*node].host_queue.clone_from(part));
        change.strategies.iter().for_each(|(node, part)| self.nodes[*node].strategy.clone_from(part));
        change.recoveries.iter().for_each(|(node, part)| self.nodes[*node].recovery.clone_from(part));
        change.controls.iter().for_each(|(flow, part)| self.flows[*flow].0.clone_from(part));
        change.timeouts.iter().for_each(|(flow, part)| self.flows[*flow].1.clone_from(part));
    }
}

/// `scheme`: parts as in the file's `[scheme]`, with `nodes` and `flows` to choose where.
pub(super) fn change(
    node: &Node,
    all_nodes: &[String],
    workloads: &[Workload],
    in_force: &mut InForce,
    log: &Log,
) -> Option<SchemeChange> {
    let table = TableReader::new(node, "scheme", &SHAPE, log)?;
    let problems = log.count();
    let everywhere = || Some((0..all_nodes.len()).collect());
    let nodes = table.node("nodes").map_or_else(everywhere, |node| find_nodes(node, all_nodes, log));
    let flows = match table.node("flows") {
        Some(node) => super::flows(node, workloads, &table).map(Some),
        None => Some(None),
    };
    let places = nodes.as_deref().unwrap_or_default();
    let there = &in_force.nodes;
    let mut change = SchemeChange {
        queues: each(table.node("queue"), Kind::Queue, places, |n| Some(&there[n].queue), log),
        host_queues: each(table.node("host_queue"), Kind::Queue, places, |n| Some(&there[n].host_queue), log),
        strategies: each(table.node("strategy"), Kind::Strategy, places, |n| Some(&there[n].strategy), log),
        recoveries: match table.node("recovery") {
            Some(node) if is_none(node, Kind::Recovery, log) => places.iter().map(|place| (*place, None)).collect(),
            node => each(node, Kind::Recovery, places, |n| there[n].recovery.as_ref(), log)
                .into_iter()
                .map(|(place, part)| (place, Some(part)))
                .collect(),
        },
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
        let chosen = chosen.as_deref();
        let users = |own: fn(&Workload) -> &Option<PartPlan>| -> Vec<usize> {
            let uses = |i: &usize| chosen.map_or(own(&workloads[*i]).is_none(), |chosen| chosen.contains(i));
            (0..workloads.len()).filter(uses).collect()
        };
        let now = &in_force.flows;
        let of = |key, kind, own: fn(&Workload) -> &Option<PartPlan>, part: fn(&(PartPlan, PartPlan)) -> &PartPlan| {
            let Some(node) = table.node(key) else { return vec![] };
            let users = users(own);
            if users.is_empty() {
                let problem = "no workload uses the scheme's part here, so nothing changes";
                log.report(Diagnostic::at(&node.place, problem));
            }
            each(Some(node), kind, &users, |flow| Some(part(&now[flow])), log)
        };
        change.controls = of("control", Kind::Control, |w| &w.control, |parts| &parts.0);
        change.timeouts = of("timeout", Kind::Timeout, |w| &w.timeout, |parts| &parts.1);
    }
    table.finish();
    (log.count() == problems && flows.is_some()).then_some(())?;
    in_force.take(&change);
    Some(change)
}

/// A part for each place, which has what the file does not say from the part that is in force there.
fn each<'p>(
    node: Option<&Node>,
    kind: Kind,
    places: &[usize],
    in_force: impl Fn(usize) -> Option<&'p PartPlan>,
    log: &Log,
) -> Vec<(usize, PartPlan)> {
    let Some(node) = node else { return vec![] };
    let mut known: Vec<(Option<&PartPlan>, PartPlan)> = Vec::new();
    let mut parts = Vec::new();
    for place in places {
        let own = in_force(*place);
        let new = match known.iter().find(|(other, _)| *other == own) {
            Some((_, made)) => made.clone(),
            // One report is enough.
            None => match part(node, kind, own, log) {
                Some(made) => {
                    known.push((own, made.clone()));
                    made
                }
                None => break,
            },
        };
        parts.push((*place, new));
    }
    parts
}
