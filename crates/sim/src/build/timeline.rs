//! The timeline's happenings as changes of a world.

use super::{BuildError, Builder, make};
use crate::conditions::LinkState;
use crate::timeline::Change;
use std::collections::{BTreeMap, BTreeSet};
use weir_core::{ConsumerControl, FaceId, FlowId, Limit, Order, Parts, QueueDiscipline, Seed, Site, Time, Timeout};
use weir_scenario::plan::{Action, Happening, Outage, PartPlan, SchemeChange, SchemePlan, Way};
use weir_schemes::registry;

/// What has been changed so far: a later change builds on it.
struct State {
    /// Scheme of each node.
    schemes: Vec<SchemePlan>,
    /// Control and timeout rule of each flow.
    parts: Vec<(PartPlan, PartPlan)>,
    /// Capacities of queues that differ from the topology's.
    limits: BTreeMap<Way, Limit>,
    /// Number of the change, which gives each its own chance.
    number: usize,
}

type Changes = Vec<(Time, Change)>;

impl Builder<'_> {
    /// All changes, by time; those of one instant in the order of the file.
    pub(super) fn changes(&self) -> Result<Changes, BuildError> {
        let happenings = &self.scenario.timeline;
        let mut occurrences: Vec<(Time, &Happening)> = Vec::new();
        for (i, happening) in happenings.iter().enumerate() {
            let seed = self.seed.of("timeline").of(&i.to_string());
            let first = super::applications::between(happening.time, seed);
            occurrences.push((first, happening));
            let Some((every, until)) = happening.every else { continue };
            let mut next = first + every;
            while next <= until && next < Time::NEVER {
                occurrences.push((next, happening));
                next += every;
            }
        }
        occurrences.sort_by_key(|(time, _)| *time);
        let schemes = vec![self.scenario.scheme.clone(); self.scenario.topology.nodes.len()];
        let scheme = &self.scenario.scheme;
        let own = |own: &Option<PartPlan>, scheme: &PartPlan| own.as_ref().unwrap_or(scheme).clone();
        let parts = self.scenario.workloads.iter();
        let parts = parts.map(|w| (own(&w.control, &scheme.control), own(&w.timeout, &scheme.timeout))).collect();
        let mut state = State { schemes, parts, limits: BTreeMap::new(), number: 0 };
        let mut changes = Changes::new();
        for (time, happening) in occurrences {
            state.number += 1;
            for change in self.change(&happening.action, &mut state)? {
                changes.push((time, change));
            }
        }
        Ok(changes)
    }

    fn change(&self, action: &Action, state: &mut State) -> Result<Vec<Change>, BuildError> {
        let to = |ways: &[Way], state| ways.iter().map(|w| Change::State { link: self.number_of(*w), state }).collect();
        let run = |flows: &[usize], run| {
            let order = |flow: &usize| {
                let order = Order::Flow { flow: FlowId(*flow as u32), run };
                Change::Node { node: self.scenario.workloads[*flow].consumer as u32, order }
            };
            flows.iter().map(order).collect()
        };
        Ok(match action {
            Action::Down { ways, outage: Outage::Wait } => to(ways, LinkState::Waiting),
            Action::Down { ways, outage: Outage::Drop } => to(ways, LinkState::Dropping),
            Action::Down { ways, outage: Outage::Silent } => to(ways, LinkState::Silent),
            Action::Up { ways } => to(ways, LinkState::Up),
            Action::Link { ways, rate, delay, loss, limit } => {
                let mut changes = Vec::new();
                for way in ways {
                    let link = self.number_of(*way);
                    changes.push(Change::Link { link, rate: *rate, delay: *delay, loss: *loss });
                    if let Some(limit) = limit {
                        let limit = self.scenario.topology.links[way.link].limit(*limit);
                        state.limits.insert(*way, limit);
                        let (node, face) = self.face_of(*way);
                        changes.push(self.new_queue(node, face, state)?);
                    }
                }
                changes
            }
            Action::Restart { nodes } => {
                nodes.iter().map(|node| self.restart(*node, state)).collect::<Result<_, _>>()?
            }
            Action::Start { flows } => run(flows, true),
            Action::Stop { flows } => run(flows, false),
            Action::Scheme(change) => self.scheme_change(change, state)?,
        })
    }

    fn restart(&self, node: usize, state: &State) -> Result<Change, BuildError> {
        let faces = 0..self.ports[node].len();
        let queues = faces.map(|face| self.queue_now(node, face, state)).collect::<Result<_, _>>()?;
        let (strategy, monitor) = match self.is_host(node) {
            true => (None, None),
            false => (Some(self.strategy_now(node, state)?), self.monitor_now(node, state)?),
        };
        Ok(Change::Node { node: node as u32, order: Order::Restart { strategy, monitor, queues } })
    }

    fn scheme_change(&self, change: &SchemeChange, state: &mut State) -> Result<Vec<Change>, BuildError> {
        let mut requeued = BTreeSet::new();
        for (node, part) in &change.queues {
            state.schemes[*node].queue.clone_from(part);
            requeued.extend((!self.is_host(*node)).then_some(*node));
        }
        for (node, part) in &change.recoveries {
            state.schemes[*node].recovery.clone_from(part);
            requeued.extend((!self.is_host(*node)).then_some(*node));
        }
        for (node, part) in &change.host_queues {
            state.schemes[*node].host_queue.clone_from(part);
            requeued.extend(self.is_host(*node).then_some(*node));
        }
        let mut changes = Vec::new();
        for node in requeued {
            for face in 0..self.ports[node].len() {
                changes.push(self.new_queue(node, face, state)?);
            }
        }
        for (node, part) in &change.strategies {
            state.schemes[*node].strategy.clone_from(part);
            if !self.is_host(*node) {
                let order = Order::Strategy(self.strategy_now(*node, state)?);
                changes.push(Change::Node { node: *node as u32, order });
            }
        }
        for (flow, part) in &change.controls {
            state.parts[*flow].0.clone_from(part);
            changes.push(self.new_parts(*flow, (true, false), state)?);
        }
        for (flow, part) in &change.timeouts {
            state.parts[*flow].1.clone_from(part);
            changes.push(self.new_parts(*flow, (false, true), state)?);
        }
        Ok(changes)
    }

    /// The plug-ins of a flow's fetches as they are to be now; which of the two are exchanged for fetches under way.
    fn new_parts(&self, flow: usize, exchange: (bool, bool), state: &State) -> Result<Change, BuildError> {
        let workload = &self.scenario.workloads[flow];
        let seed = self.flow_seed(flow, workload).of("timeline").of(&state.number.to_string());
        let (control, timeout) = &state.parts[flow];
        let parts = parts_of(control, timeout, self.consumer_site(workload, seed.of("control")))?;
        let (control, timeout) = exchange;
        let order = Order::Parts { flow: FlowId(flow as u32), parts, control, timeout };
        Ok(Change::Node { node: workload.consumer as u32, order })
    }

    fn new_queue(&self, node: usize, face: usize, state: &State) -> Result<Change, BuildError> {
        let queue = self.queue_now(node, face, state)?;
        Ok(Change::Node { node: node as u32, order: Order::Queue { face: FaceId(face as u32), queue } })
    }

    /// The queue of a face as it is to be now.
    fn queue_now(&self, node: usize, face: usize, state: &State) -> Result<Box<dyn QueueDiscipline>, BuildError> {
        let port = &self.ports[node][face];
        let seed = self.node_seed(node).of("timeline").of(&state.number.to_string()).of(&face.to_string());
        let way = Way { link: port.number, forward: port.forward };
        let site = |seed: Seed| {
            let site = self.site(seed, Some(port));
            Site { limit: state.limits.get(&way).copied().unwrap_or(site.limit), ..site }
        };
        let scheme = &state.schemes[node];
        if self.is_host(node) {
            return make(registry::QUEUES, &scheme.host_queue, &site(seed.of("queue")));
        }
        let queue = make(registry::QUEUES, &scheme.queue, &site(seed.of("queue")))?;
        match &scheme.recovery {
            Some(recovery) => Ok(make(registry::RECOVERIES, recovery, &site(seed.of("recovery")))?(queue)),
            None => Ok(queue),
        }
    }

    fn strategy_now(&self, node: usize, state: &State) -> Result<Box<dyn weir_core::ForwardingStrategy>, BuildError> {
        let seed = self.node_seed(node).of("timeline").of(&state.number.to_string()).of("strategy");
        make(registry::STRATEGIES, &state.schemes[node].strategy, &self.site(seed, None))
    }

    fn monitor_now(&self, node: usize, state: &State) -> Result<Option<Box<dyn weir_core::NodeMonitor>>, BuildError> {
        let Some(monitor) = &state.schemes[node].monitor else { return Ok(None) };
        let seed = self.node_seed(node).of("timeline").of(&state.number.to_string()).of("monitor");
        make(registry::MONITORS, monitor, &self.site(seed, None)).map(Some)
    }

    /// The face in front of a link direction.
    fn face_of(&self, way: Way) -> (usize, usize) {
        let link = &self.scenario.topology.links[way.link];
        let node = if way.forward { link.a } else { link.b };
        let face = self.ports[node].iter().position(|p| p.number == way.link && p.forward == way.forward);
        (node, face.unwrap_or_default())
    }

    /// The number of a link direction in the world.
    pub(super) fn number_of(&self, way: Way) -> u32 {
        let (node, face) = self.face_of(way);
        (self.ports[..node].iter().map(Vec::len).sum::<usize>() + face) as u32
    }
}

/// The plug-ins of one fetch.
type Pair = (Box<dyn ConsumerControl>, Box<dyn Timeout>);

/// A maker of controls and timeouts. The settings are tried here, so that it cannot fail later.
pub(super) fn parts_of(control: &PartPlan, timeout: &PartPlan, site: Site) -> Result<Parts, BuildError> {
    let (control, timeout) = (control.clone(), timeout.clone());
    let both = move |site: &Site| -> Result<Pair, BuildError> {
        Ok((make(registry::CONTROLS, &control, site)?, make(registry::TIMEOUTS, &timeout, site)?))
    };
    both(&site)?;
    Ok(Box::new(move |number| {
        let own = Site { seed: site.seed.of(&number.to_string()), ..site.clone() };
        both(&own).unwrap_or_else(|error| unreachable!("these settings have been tried: {error}"))
    }))
}
