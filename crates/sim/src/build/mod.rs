//! From a checked scenario to a world.

mod applications;
mod facts;
mod nodes;
mod ports;
mod routes;
mod streams;
mod timeline;

use crate::collect::{Collector, FlowInfo};
use crate::world::{End, World};
pub use applications::{between, flow_seed, size_seed};
pub use streams::stream_of_all;

use facts::data_size;
use ports::Port;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use weir_core::{Bytes, ConsumerControl, Limit, Popularity, Rate, Seed, Site, Span, Time};
use weir_scenario::plan::{PartPlan, Scenario, Workload};
use weir_scenario::routes::Routes;
use weir_schemes::registry;
use weir_wire::Name;

/// A scenario that cannot be built although it was checked: a defect of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError(pub String);

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BuildError {}

/// A world that is ready to run.
#[derive(Debug)]
pub struct Built {
    /// The network.
    pub world: World,
    /// When the run ends.
    pub end: End,
    /// Names of the nodes, by number.
    pub nodes: Vec<String>,
    /// Names of the link directions, by number: [`Topology::directions`](weir_scenario::plan::Topology::directions).
    pub links: Vec<String>,
}

/// Builds the world of `scenario` for one seed.
///
/// # Errors
/// If the scenario names a plug-in or setting that does not exist; a loaded scenario never does.
pub fn build(scenario: &Scenario, seed: u64) -> Result<Built, BuildError> {
    build_with(scenario, seed, &|_, _| None)
}

/// A control that is in no registry, for the workloads that want it: `None` leaves the scenario's.
pub type OwnControl<'a> = &'a dyn Fn(&Workload, &Site) -> Option<Box<dyn ConsumerControl>>;

/// The same with controls of the caller's own, which need not be in the registry.
///
/// # Errors
/// As [`build`].
pub fn build_with(scenario: &Scenario, seed: u64, control: OwnControl<'_>) -> Result<Built, BuildError> {
    let (ports, firsts) = (ports::ports(&scenario.topology), routes::firsts(scenario));
    let routes = routes::all(scenario, &firsts);
    Builder {
        scenario,
        seed: Seed(seed),
        ports,
        routes,
        firsts,
        popularities: RefCell::default(),
        streams: RefCell::default(),
        control,
    }
    .build()
}

struct Builder<'a> {
    scenario: &'a Scenario,
    seed: Seed,
    /// Of each node, in the order of its faces.
    ports: Vec<Vec<Port<'a>>>,
    /// The prefixes that routers know, with the next hops of every node.
    routes: Vec<(Name, Rc<Routes>)>,
    /// Of each workload whether it is the first of its content: these bring the producers.
    firsts: Vec<bool>,
    /// Tables of catalogues, made once.
    popularities: RefCell<Vec<Arc<Popularity>>>,
    /// Streams of requests that have been drawn, by their contents: the requests of each consumer.
    streams: RefCell<BTreeMap<Name, streams::Lists>>,
    /// Controls instead of the scenario's.
    control: OwnControl<'a>,
}

impl Builder<'_> {
    fn build(&self) -> Result<Built, BuildError> {
        let topology = &self.scenario.topology;
        let labels = self.scenario.workloads.iter();
        let flows =
            labels.map(|w| FlowInfo { label: w.label.clone(), stop: w.stop, many: w.requests.is_some() }).collect();
        let collector = Collector::new(flows, topology.nodes.len());
        let collector = if self.scenario.run.fetches { collector.with_fetches() } else { collector };
        let mut world = World::new(collector, self.scenario.run.sample);
        for node in 0..topology.nodes.len() {
            let machine = self.machine(node)?;
            world.add_node(machine);
        }
        let links = self.connect(&mut world);
        self.impair(&mut world);
        world.schedule(self.changes()?);
        let run = &self.scenario.run;
        let end = match (run.duration, run.limit) {
            (Some(duration), _) => End::At(Time::ZERO + duration),
            (None, Some(limit)) => End::CompleteOrAt(Time::ZERO + limit),
            (None, None) => End::Complete,
        };
        Ok(Built { world, end, nodes: topology.nodes.clone(), links })
    }

    /// What a plug-in is told about its place; `port` for one that serves a face.
    fn site(&self, seed: Seed, port: Option<&Port<'_>>) -> Site {
        let first = self.scenario.workloads.first();
        let (payload, data_size) = first.map_or((Bytes(0), Bytes(0)), |w| (w.payload, data_size(w)));
        match port.map(Port::direction) {
            Some(d) => Site { seed, payload, data_size, link_rate: d.rate, link_delay: d.delay, limit: d.limit },
            None => {
                Site { seed, payload, data_size, link_rate: Rate(0), link_delay: Span::ZERO, limit: Limit::Packets(0) }
            }
        }
    }
}

fn make<B>(entries: &[weir_core::Entry<B>], part: &PartPlan, site: &Site) -> Result<B, BuildError> {
    let entry = registry::find("plug-in", entries, &part.name).map_err(BuildError)?;
    (entry.build)(&part.settings, site).map_err(|e| BuildError(format!("{}: {e}", part.name)))
}
