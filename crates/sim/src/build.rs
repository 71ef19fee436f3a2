//! From a checked scenario to a world.

use crate::collect::{Collector, FlowInfo};
use crate::link::LinkSpec;
use crate::world::{End, World};
use std::fmt;
use weir_core::{
    Bytes, ConsumerControl, FaceId, FlowId, Limit, Machine, QueueDiscipline, Rate, Seed, Site, Span, Time, Timeout,
};
use weir_engine::{
    Application, Fetcher, FetcherRules, Forwarder, ForwarderRules, Host, NoticeTimer, Producer, Router, What,
};
use weir_scenario::plan::{self, Direction, PartPlan, Scenario, Workload};
use weir_scenario::routes::{NextLink, routes};
use weir_schemes::registry;

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
    /// Names of the link directions, by number, as `from>to`.
    pub links: Vec<String>,
}

/// Builds the world of `scenario` for one seed.
///
/// # Errors
/// If the scenario names a plug-in or setting that does not exist; a loaded scenario never does.
pub fn build(scenario: &Scenario, seed: u64) -> Result<Built, BuildError> {
    let routes = scenario.workloads.iter().map(|w| routes(&scenario.topology, w.producer)).collect();
    Builder { scenario, seed: Seed(seed), routes }.build()
}

struct Builder<'a> {
    scenario: &'a Scenario,
    seed: Seed,
    /// The way to the producer of each workload, from every node.
    routes: Vec<Vec<Option<NextLink>>>,
}

/// One end of a link, as a node sees it.
struct Port<'a> {
    link: &'a plan::Link,
    /// The node is the link's end `a`.
    forward: bool,
}

impl Port<'_> {
    fn direction(&self) -> &Direction {
        if self.forward { &self.link.forward } else { &self.link.backward }
    }

    fn peer(&self) -> usize {
        if self.forward { self.link.b } else { self.link.a }
    }
}

impl Builder<'_> {
    fn build(&self) -> Result<Built, BuildError> {
        let topology = &self.scenario.topology;
        let labels = self.scenario.workloads.iter();
        let flows = labels.map(|w| FlowInfo { label: w.label.clone(), stop: w.stop }).collect();
        let mut world = World::new(Collector::new(flows, topology.nodes.len()), self.scenario.run.sample);
        for node in 0..topology.nodes.len() {
            let machine = self.machine(node)?;
            world.add_node(machine);
        }
        let links = self.connect(&mut world);
        let end = self.scenario.run.duration.map_or(End::Complete, |d| End::At(Time::ZERO + d));
        Ok(Built { world, end, nodes: topology.nodes.clone(), links })
    }

    /// Ports of a node in the order of the file: that is also the order of its faces.
    fn ports(&self, node: usize) -> Vec<Port<'_>> {
        let links = self.scenario.topology.links.iter();
        links
            .flat_map(|link| [(link.a, Port { link, forward: true }), (link.b, Port { link, forward: false })])
            .filter_map(|(end, port)| (end == node).then_some(port))
            .collect()
    }

    fn connect(&self, world: &mut World) -> Vec<String> {
        let topology = &self.scenario.topology;
        let mut names = Vec::new();
        for node in 0..topology.nodes.len() {
            for (face, port) in self.ports(node).into_iter().enumerate() {
                let peer = port.peer();
                let returns = |p: &Port<'_>| std::ptr::eq(p.link, port.link) && p.forward != port.forward;
                let peer_face = self.ports(peer).iter().position(returns).unwrap_or(0);
                let [forward, backward] = topology.directions(port.link);
                let name = if port.forward { forward } else { backward };
                let direction = port.direction();
                let spec = LinkSpec {
                    from: node as u32,
                    from_face: FaceId(face as u32),
                    to: peer as u32,
                    to_face: FaceId(peer_face as u32),
                    rate: direction.rate,
                    delay: direction.delay,
                    loss: direction.loss,
                };
                world.add_link(spec, self.seed.of("link").of(&name).stream());
                names.push(name);
            }
        }
        names
    }

    /// A node with one link and an application is a host; every other node forwards.
    fn machine(&self, node: usize) -> Result<Box<dyn Machine>, BuildError> {
        let ports = self.ports(node);
        let applications = self.applications(node)?;
        match &ports[..] {
            [port] if !applications.is_empty() => {
                let queue = self.queue(&self.scenario.scheme.host_queue, node, 0, port)?;
                Ok(Box::new(Host::new(applications, queue)))
            }
            _ => self.router(node, &ports, applications),
        }
    }

    fn router(
        &self,
        node: usize,
        ports: &[Port<'_>],
        applications: Vec<Box<dyn Application>>,
    ) -> Result<Box<dyn Machine>, BuildError> {
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
        for (face, port) in ports.iter().enumerate() {
            let mut queue = self.queue(&scheme.queue, node, face, port)?;
            if let Some(recovery) = &scheme.recovery {
                let site = self.site(seed.of("recovery").of(&face.to_string()), Some(port));
                queue = make(registry::RECOVERIES, recovery, &site)?(queue);
            }
            forwarder.add_face(queue);
        }
        self.install_routes(node, ports, &mut forwarder);
        let mut router = Router::new(forwarder);
        for application in applications {
            router.attach(application);
        }
        Ok(Box::new(router))
    }

    fn install_routes(&self, node: usize, ports: &[Port<'_>], forwarder: &mut Forwarder) {
        let topology = &self.scenario.topology;
        for (i, workload) in self.scenario.workloads.iter().enumerate() {
            if self.repeats_earlier(i) {
                continue;
            }
            let Some(next) = self.routes[i][node] else { continue };
            let link = &topology.links[next.link];
            let toward = |p: &Port<'_>| std::ptr::eq(p.link, link) && p.forward == next.forward;
            if let Some(face) = ports.iter().position(toward) {
                forwarder.fib_mut().add_route(&workload.name, FaceId(face as u32), link.cost);
            }
        }
    }

    /// Several consumers may fetch one content: its producer and routes exist once.
    fn repeats_earlier(&self, workload: usize) -> bool {
        let all = &self.scenario.workloads;
        all[..workload].iter().any(|w| w.name == all[workload].name && w.producer == all[workload].producer)
    }

    fn applications(&self, node: usize) -> Result<Vec<Box<dyn Application>>, BuildError> {
        let mut applications: Vec<Box<dyn Application>> = Vec::new();
        for (i, workload) in self.scenario.workloads.iter().enumerate() {
            if workload.consumer == node {
                applications.push(Box::new(self.fetcher(i, workload)?));
            }
            if workload.producer == node && !self.repeats_earlier(i) {
                let name = workload.name.clone();
                applications.push(Box::new(Producer::new(
                    name,
                    workload.segments,
                    workload.payload,
                    workload.freshness,
                )));
            }
        }
        Ok(applications)
    }

    fn fetcher(&self, flow: usize, workload: &Workload) -> Result<Fetcher, BuildError> {
        let scheme = &self.scenario.scheme;
        let rules = &self.scenario.consumer;
        let seed = self.seed.of("workload").of(&flow.to_string()).of(&workload.label);
        let site = Site { payload: workload.payload, ..self.site(seed.of("control"), None) };
        let control: Box<dyn ConsumerControl> =
            make(registry::CONTROLS, workload.control.as_ref().unwrap_or(&scheme.control), &site)?;
        let timeout: Box<dyn Timeout> =
            make(registry::TIMEOUTS, workload.timeout.as_ref().unwrap_or(&scheme.timeout), &site)?;
        let what = What {
            flow: FlowId(flow as u32),
            name: workload.name.clone(),
            segments: workload.segments,
            start: between(workload.start, seed.of("start")),
            stop: workload.stop,
        };
        let rules = FetcherRules {
            lifetime: rules.lifetime,
            guard: rules.guard,
            notice_timer: match rules.notice_timer {
                plan::NoticeTimer::Keep => NoticeTimer::Keep,
                plan::NoticeTimer::Restart => NoticeTimer::Restart,
                plan::NoticeTimer::Stop => NoticeTimer::Stop,
            },
            jitter: rules.jitter,
        };
        Ok(Fetcher::new(what, rules, control, timeout, seed.of("consumer").stream()))
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

    fn node_seed(&self, node: usize) -> Seed {
        self.seed.of("node").of(&self.scenario.topology.nodes[node])
    }

    fn site(&self, seed: Seed, port: Option<&Port<'_>>) -> Site {
        let payload = self.scenario.workloads.first().map_or(Bytes(1040), |w| w.payload);
        match port.map(Port::direction) {
            Some(d) => Site { seed, payload, link_rate: d.rate, link_delay: d.delay, limit: d.limit },
            None => Site { seed, payload, link_rate: Rate(0), link_delay: Span::ZERO, limit: Limit::Packets(0) },
        }
    }
}

fn make<B>(entries: &[weir_core::Entry<B>], part: &PartPlan, site: &Site) -> Result<B, BuildError> {
    let entry = registry::find("plug-in", entries, &part.name).map_err(BuildError)?;
    (entry.build)(&part.settings, site).map_err(|e| BuildError(format!("{}: {e}", part.name)))
}

/// A time drawn uniformly from a range.
fn between((low, high): (Time, Time), seed: Seed) -> Time {
    if high <= low {
        return low;
    }
    low + Span(seed.stream().below(high.since(low).0 + 1))
}
