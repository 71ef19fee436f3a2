//! The trace of one segment: every step of its Interest, Data, Nacks and retransmissions, and where the time went.

mod crossing;
mod delay;
mod finder;
mod follower;
mod step;
mod text;

pub use delay::{Cause, Delay, Part, Place, delay};
pub use finder::Finder;
pub use follower::Follower;
pub use step::{Consumer, Offer, PacketKind, Shown, Step, What, Why};
pub use text::{Paint, steps, summary};

use crate::Network;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use weir_core::{FlowId, Sink};
use weir_scenario::plan::Scenario;
use weir_sim::{BuildError, build};
use weir_wire::Name;

/// Runs a scenario and follows a segment.
///
/// # Errors
/// See [`weir_sim::build`].
pub fn follow(
    scenario: &Scenario,
    seed: u64,
    name: &Name,
    label: Option<&str>,
    all: bool,
) -> Result<Follower, BuildError> {
    let watcher = |network: Network| Follower::new(network, name.clone(), label.map(String::from), all);
    watched(scenario, seed, watcher)
}

/// Runs a scenario and notes what its fetches ask for.
///
/// # Errors
/// See [`weir_sim::build`].
pub fn find(scenario: &Scenario, seed: u64) -> Result<Finder, BuildError> {
    watched(scenario, seed, Finder::new)
}

fn watched<W: Sink + 'static>(
    scenario: &Scenario,
    seed: u64,
    make: impl FnOnce(Network) -> W,
) -> Result<W, BuildError> {
    let mut built = build(scenario, seed)?;
    let watcher = Rc::new(RefCell::new(make(Network::of(&built))));
    built.world.watch(Box::new(Rc::clone(&watcher)));
    built.world.run(built.end);
    drop(built);
    match Rc::try_unwrap(watcher) {
        Ok(watcher) => Ok(watcher.into_inner()),
        Err(_) => unreachable!("the world that shared it is gone"),
    }
}

/// The summary as one line of JSON, without the line's end.
pub fn summary_json(delay: &Delay, network: &Network) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        event: &'static str,
        flow: &'a str,
        transmissions: u32,
        full_delay_ms: f64,
        queueing_ms: f64,
        transmission_ms: f64,
        propagation_ms: f64,
        recovery_ms: f64,
        parts: Vec<PartLine<'a>>,
    }
    #[derive(Serialize)]
    struct PartLine<'a> {
        place: &'a str,
        packet: Option<PacketKind>,
        cause: &'static str,
        ms: f64,
    }
    let parts = delay.parts.iter().map(|part| PartLine {
        place: match part.place {
            Place::Link(link) => network.link(link),
            Place::Node(node) => network.node(node),
        },
        packet: part.packet,
        cause: cause_name(part.cause),
        ms: part.span.millis(),
    });
    let sum = |wanted: fn(Cause) -> bool| delay.sum(wanted).millis();
    let line = Line {
        event: "summary",
        flow: network.flow(delay.flow),
        transmissions: delay.transmissions,
        full_delay_ms: delay.total.millis(),
        queueing_ms: sum(|c| c == Cause::Queueing),
        transmission_ms: sum(|c| c == Cause::Transmission),
        propagation_ms: sum(|c| c == Cause::Propagation),
        recovery_ms: sum(|c| !matches!(c, Cause::Queueing | Cause::Transmission | Cause::Propagation)),
        parts: parts.collect(),
    };
    serde_json::to_string(&line).unwrap_or_else(|error| unreachable!("a summary is plain data: {error}"))
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Queueing => "queueing",
        Cause::Storage => "storage",
        Cause::Transmission => "transmission",
        Cause::Propagation => "propagation",
        Cause::Unnoticed(Why::Nack) => "nack",
        Cause::Unnoticed(_) => "timeout",
        Cause::Withheld => "withheld",
        Cause::Refused => "refused",
        Cause::Joined => "joined",
        Cause::Unknown => "unknown",
    }
}

/// Fetches to which the trace has a delivery, the one it is about first.
pub fn delivered(trace: &Follower) -> Vec<FlowId> {
    let mut flows: Vec<FlowId> = Vec::new();
    for step in trace.steps() {
        if let What::Delivered { id, .. } = step.what
            && !flows.contains(&id)
        {
            flows.push(id);
        }
    }
    flows.sort_by_key(|id| Some(*id) != trace.flow());
    flows
}
