//! Forwarding tables.

use super::Builder;
use weir_core::FaceId;
use weir_engine::Forwarder;
use weir_scenario::plan::Scenario;
use weir_scenario::routes::{NextLink, routes};

/// The way to the producer of each workload, from every node.
pub(super) fn all(scenario: &Scenario) -> Vec<Vec<Option<NextLink>>> {
    scenario.workloads.iter().map(|w| routes(&scenario.topology, w.producer)).collect()
}

impl Builder<'_> {
    pub(super) fn install_routes(&self, node: usize, forwarder: &mut Forwarder) {
        for (i, workload) in self.scenario.workloads.iter().enumerate() {
            if self.repeats_earlier(i) {
                continue;
            }
            let Some(next) = self.routes[i][node] else { continue };
            let toward = |p: &super::ports::Port<'_>| p.number == next.link && p.forward == next.forward;
            if let Some(face) = self.ports[node].iter().position(toward) {
                let cost = self.scenario.topology.links[next.link].cost;
                forwarder.fib_mut().add_route(&workload.name, FaceId(face as u32), cost);
            }
        }
    }

    /// Several consumers may fetch one content: its producer and routes exist once.
    pub(super) fn repeats_earlier(&self, workload: usize) -> bool {
        let all = &self.scenario.workloads;
        all[..workload].iter().any(|w| w.name == all[workload].name && w.producer == all[workload].producer)
    }
}
