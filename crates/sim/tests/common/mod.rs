//! What the tests of the simulator share.
#![allow(dead_code, reason = "every test takes what it needs")]

use weir_core::{DropReason, Reading, Span, Time};
use weir_scenario::Study;
use weir_scenario::plan::Scenario;
use weir_sim::{Built, End, Job, LinkCounters, LinkSpec, Outcome, Scope, World, build, drop_metric};

/// The scenario of a file without axes.
pub fn scenario(text: &str) -> Scenario {
    let study = Study::parse("test.toml", text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let [point] = study.points() else { panic!("the scenario has axes:\n{text}") };
    point.scenario.clone()
}

/// Runs to the end that the scenario asks for.
pub fn run(text: &str, seed: u64) -> Outcome {
    run_scenario(&scenario(text), seed)
}

/// Runs to the end that the scenario asks for.
pub fn run_scenario(scenario: &Scenario, seed: u64) -> Outcome {
    Job { scenario, seed }.run().expect("a checked scenario can be built")
}

/// A world at its beginning.
pub fn built(text: &str, seed: u64) -> Built {
    build(&scenario(text), seed).expect("a checked scenario can be built")
}

/// Runs until nothing happens any more, and finds every link, queue, store and table empty.
pub fn drained(text: &str, seed: u64) -> Outcome {
    let mut built = built(text, seed);
    built.world.run(End::Quiet);
    assert_drained(&built.world);
    outcome(&built)
}

/// What `built` has shown so far.
pub fn outcome(built: &Built) -> Outcome {
    Outcome::of(&built.world, &built.nodes, &built.links)
}

/// Every link, queue, store and Pending Interest Table is empty.
pub fn assert_drained(world: &World) {
    for (spec, counters, flying) in world.links() {
        assert_eq!(flying, 0, "a packet is still between {} and {}", spec.from, spec.to);
        assert_eq!(
            counters.packets + counters.duplicated,
            counters.arrived + counters.lost,
            "link from {} to {}",
            spec.from,
            spec.to
        );
    }
    for (node, reading) in readings(world) {
        match reading {
            Reading::Pit { entries, .. } => assert_eq!(entries, 0, "node {node} has pending Interests"),
            Reading::Queue { face, packets, bytes, held, .. } => {
                assert_eq!((packets, bytes, held), (0, 0, 0), "face {} of node {node}", face.0);
            }
            Reading::Flow { in_flight, .. } => assert_eq!(in_flight, 0, "a fetch at node {node} waits"),
            Reading::Cs { .. } | Reading::Hop { .. } => {}
        }
    }
}

/// What every machine says of itself now.
pub fn readings(world: &World) -> Vec<(u32, Reading)> {
    let nodes = world.links().map(|(spec, ..)| spec.from.max(spec.to)).max().map_or(0, |last| last + 1);
    let mut readings = Vec::new();
    for node in 0..nodes {
        world.machine(node).inspect(world.now(), &mut |reading| readings.push((node, reading)));
    }
    readings
}

/// Window of the only fetch at `node`.
pub fn window(world: &World, node: u32) -> f64 {
    let flow = |(n, reading): (u32, Reading)| match reading {
        Reading::Flow { window, .. } if n == node => Some(window),
        _ => None,
    };
    readings(world).into_iter().find_map(flow).expect("a fetch at the node")
}

/// A number of the whole run.
#[track_caller]
pub fn of_run(outcome: &Outcome, metric: &'static str) -> f64 {
    outcome.get(metric, Scope::Run).unwrap_or_else(|| panic!("the run has no {metric}"))
}

/// A number of a flow.
#[track_caller]
pub fn of_flow(outcome: &Outcome, metric: &'static str, flow: &str) -> f64 {
    outcome.get(metric, Scope::Flow(flow.into())).unwrap_or_else(|| panic!("the flow {flow} has no {metric}"))
}

/// A number of a link direction, `from>to`.
#[track_caller]
pub fn of_link(outcome: &Outcome, metric: &'static str, link: &str) -> f64 {
    outcome.get(metric, Scope::Link(link.into())).unwrap_or_else(|| panic!("the link {link} has no {metric}"))
}

/// A time in seconds.
pub fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_seconds(seconds)
}

/// Fails unless `measured` is within `share` of `expected`.
#[track_caller]
pub fn assert_near(what: &str, measured: f64, expected: f64, share: f64) {
    let distance = (measured - expected).abs();
    assert!(distance <= share * expected.abs(), "{what}: {measured} is not within {share} of {expected}");
}

/// A number of a node.
#[track_caller]
pub fn of_node(outcome: &Outcome, metric: &'static str, node: &str) -> f64 {
    outcome.get(metric, Scope::Node(node.into())).unwrap_or_else(|| panic!("the node {node} has no {metric}"))
}

/// Nothing is created or lost without a note: what the consumers asked for ends as a Data at its consumer, or is
/// dropped somewhere for a reason. (Holds where every content has one consumer, so that nothing is aggregated or copied,
/// and where each consumer is a host of its own whose label is its name.)
pub fn assert_balanced(what: &str, built: &Built, outcome: &Outcome) {
    let all_drops: f64 = DropReason::ALL.iter().map(|reason| of_run(outcome, drop_metric(*reason))).sum();
    // Loss notices and Nacks come into being at a router; at a consumer they are used up.
    let used = |(spec, counters, _): (&LinkSpec, LinkCounters, usize)| {
        let [from, to] = [spec.from, spec.to].map(|node| &built.nodes[node as usize]);
        let delivered = outcome.get("delivered", Scope::Flow(to.clone()))?;
        Some(counters.arrived as f64 - delivered - of_link(outcome, "drops_unwanted", &format!("{from}>{to}")))
    };
    let used: f64 = built.world.links().filter_map(used).sum();
    let signals = of_run(outcome, "loss_notices") + of_run(outcome, "nacks");
    let came = of_run(outcome, "requests") + signals;
    let went = of_run(outcome, "delivered") + all_drops + used;
    assert_eq!(came, went, "{what}: the books do not balance");
    let refusals = of_run(outcome, "refusals");
    assert!(
        (refusals..=signals).contains(&used),
        "{what}: {used} notices and Nacks were used, {refusals} of them Nacks"
    );
}
