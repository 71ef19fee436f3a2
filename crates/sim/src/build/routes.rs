//! Forwarding tables.

use super::Builder;
use std::collections::BTreeSet;
use std::rc::Rc;
use weir_core::{FaceId, PathFacts};
use weir_engine::Forwarder;
use weir_scenario::plan::Scenario;
use weir_scenario::routes::{Routes, tables};
use weir_wire::Name;

/// Of each workload whether it is the first of its content. Several consumers may fetch one content: its producers and
/// routes exist once.
pub(super) fn firsts(scenario: &Scenario) -> Vec<bool> {
    let mut seen = BTreeSet::new();
    scenario.workloads.iter().map(|w| seen.insert((&w.name, &w.producers))).collect()
}

/// The prefixes that routers know, with the next hops of every node.
pub(super) fn all(scenario: &Scenario, firsts: &[bool]) -> Vec<(Name, Rc<Routes>)> {
    let firsts = scenario.workloads.iter().zip(firsts).filter(|(_, first)| **first);
    let contents: Vec<(Name, Vec<usize>)> = firsts.map(|(w, _)| (w.name.clone(), w.producers.clone())).collect();
    tables(&scenario.topology, &scenario.routing, &contents)
}

impl Builder<'_> {
    pub(super) fn install_routes(&self, node: usize, forwarder: &mut Forwarder) {
        for (prefix, routes) in &self.routes {
            for hop in routes.of(node) {
                // Ports stand in the order of the links.
                if let Ok(face) = self.ports[node].binary_search_by_key(&hop.link, |port| port.number) {
                    let face = FaceId(face as u32);
                    let id = forwarder.fib_mut().add_route(prefix, face, hop.cost);
                    let round_trip = routes.round_trip(&self.scenario.topology, *hop);
                    forwarder.describe_route(id, face, &PathFacts { round_trip });
                }
            }
        }
    }
}
