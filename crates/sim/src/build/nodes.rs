//! Machines of the nodes, and the queues of their faces.

use super::{BuildError, Builder, make};
use crate::build::ports::Port;
use weir_core::{Machine, QueueDiscipline, Seed};
use weir_engine::{Application, Forwarder, ForwarderRules, Host, Router};
use weir_scenario::plan::{PartPlan, Workload};
use weir_schemes::registry;

impl Builder<'_> {
    /// A node with one link and an application is a host; every other node forwards.
    pub(super) fn machine(&self, node: usize) -> Result<Box<dyn Machine>, BuildError> {
        let applications = self.applications(node)?;
        match &self.ports[node][..] {
            [port] if !applications.is_empty() => {
                let queue = self.queue(&self.scenario.scheme.host_queue, node, 0, port)?;
                Ok(Box::new(Host::new(applications, queue)))
            }
            _ => self.router(node, applications),
        }
    }

    /// True for a node with one link and an application.
    pub(super) fn is_host(&self, node: usize) -> bool {
        let uses = |w: &Workload| w.consumer == node || w.producers.contains(&node);
        self.ports[node].len() == 1 && self.scenario.workloads.iter().any(uses)
    }

    fn router(&self, node: usize, applications: Vec<Box<dyn Application>>) -> Result<Box<dyn Machine>, BuildError> {
        let scheme = &self.scenario.scheme;
        let seed = self.node_seed(node);
        let strategy = make(registry::STRATEGIES, &scheme.strategy, &self.site(seed.of("strategy"), None))?;
        let tables = self.scenario.tables;
        let rules = ForwarderRules {
            cs_capacity: tables.cs,
            pit_capacity: tables.pit.unwrap_or(ForwarderRules::default().pit_capacity),
        };
        let mut forwarder = Forwarder::new(rules, strategy);
        if let Some(monitor) = &scheme.monitor {
            forwarder.watch(make(registry::MONITORS, monitor, &self.site(seed.of("monitor"), None))?);
        }
        for (face, port) in self.ports[node].iter().enumerate() {
            let mut queue = self.queue(&scheme.queue, node, face, port)?;
            if let Some(recovery) = &scheme.recovery {
                let site = self.site(seed.of("recovery").of(&face.to_string()), Some(port));
                queue = make(registry::RECOVERIES, recovery, &site)?(queue);
            }
            let face = forwarder.add_face(queue);
            forwarder.describe_face(face, &port.facts());
        }
        self.install_routes(node, &mut forwarder);
        let mut router = Router::new(forwarder);
        for application in applications {
            router.attach(application);
        }
        Ok(Box::new(router))
    }

    fn queue(
        &self,
        part: &PartPlan,
        node: usize,
        face: usize,
        port: &Port<'_>,
    ) -> Result<Box<dyn QueueDiscipline>, BuildError> {
        let seed = self.node_seed(node).of("queue").of(&face.to_string());
        make(registry::QUEUES, part, &self.site(seed, Some(port)))
    }

    pub(super) fn node_seed(&self, node: usize) -> Seed {
        self.seed.of("node").of(&self.scenario.topology.nodes[node])
    }
}
