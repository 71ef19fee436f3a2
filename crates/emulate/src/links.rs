//! The links of a network, whoever makes them.

use crate::kernel::{self, KernelWay, Needs};
use crate::layout::Unsupported;
use crate::network::{FASTER, Network, SLACK};
use crate::outcome::Seen;
use crate::run::{EmulateError, system};
use crate::shaper::Shaper;
use crate::tunnel::Tunnel;
use std::io;
use weir_core::{Rate, Seed, Span};
use weir_scenario::plan::{Action, Direction, Scenario, Software, Way};

/// Who makes the links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkKind {
    /// Threads of this program between two tunnel devices.
    #[default]
    Tunnel,
    /// The kernel: veth pairs, tbf and netem.
    Kernel,
}

/// One direction of a link.
pub(crate) enum Carrier {
    Tunnel(Tunnel),
    Kernel(Box<KernelWay>),
}

impl Carrier {
    /// Has other properties from now on; `None`: as before.
    pub fn change(&mut self, rate: Option<Rate>, delay: Option<Span>, loss: Option<f64>) -> io::Result<()> {
        match self {
            Carrier::Tunnel(tunnel) => tunnel.change(rate, delay, loss),
            Carrier::Kernel(way) => way.change(rate, delay, loss)?,
        }
        Ok(())
    }

    /// Cuts it: what is on its way is lost, and all that follows. Or mends it.
    pub fn set_down(&mut self, down: bool) -> io::Result<()> {
        match self {
            Carrier::Tunnel(tunnel) if down => tunnel.cut(),
            Carrier::Tunnel(tunnel) => tunnel.mend(),
            Carrier::Kernel(way) => way.set_down(down)?,
        }
        Ok(())
    }

    /// What has happened so far.
    pub fn seen(&self) -> io::Result<Seen> {
        match self {
            Carrier::Tunnel(tunnel) => Ok(Seen::of(tunnel.counters())),
            Carrier::Kernel(way) => way.seen(),
        }
    }
}

/// Finds out whether the kernel can make the links of a scenario.
pub(crate) fn check(scenario: &Scenario) -> Result<(), EmulateError> {
    let all = kernel_needs(scenario).map_err(EmulateError::Unsupported)?;
    kernel::probe(&all).map_err(EmulateError::Program)
}

/// What each link direction needs of the kernel, now or when the timeline has changed it.
fn kernel_needs(scenario: &Scenario) -> Result<Vec<Needs>, Unsupported> {
    let mut all = Vec::new();
    for (number, link) in scenario.topology.links.iter().enumerate() {
        let names = scenario.topology.directions(link);
        for ((forward, direction), name) in [(true, link.forward), (false, link.backward)].into_iter().zip(names) {
            let way = Way { link: number, forward };
            let impairment = scenario.impairments.iter().find(|(at, _)| *at == way).map(|(_, how)| how);
            let mut worst = direction;
            for happening in &scenario.timeline {
                if let Action::Link { ways, delay, loss, .. } = &happening.action
                    && ways.contains(&way)
                {
                    worst.delay = delay.unwrap_or_default().max(worst.delay);
                    worst.loss = loss.unwrap_or_default().max(worst.loss);
                }
            }
            kernel::supported(&name, &worst, impairment)?;
            all.push(kernel::needs(&name, &worst, impairment));
        }
    }
    Ok(all)
}

impl Network<'_> {
    /// Puts up links.
    pub fn link(&mut self) -> Result<(), EmulateError> {
        if self.setting.links == LinkKind::Kernel {
            check(self.scenario)?;
        }
        let topology = &self.scenario.topology;
        for (number, link) in topology.links.iter().enumerate() {
            let [forward, backward] = topology.directions(link);
            let what = || format!("the link between `{}` and `{}`", topology.nodes[link.a], topology.nodes[link.b]);
            let pair = match self.setting.links {
                LinkKind::Tunnel => self.tunnels_of(number, [&forward, &backward]),
                LinkKind::Kernel => self.kernel_ways_of(number, [forward, backward]),
            };
            let pair = pair.map_err(system(what()))?;
            self.links.extend([true, false].map(|forward| Way { link: number, forward }).into_iter().zip(pair));
        }
        Ok(())
    }

    fn end(&self, node: usize, link: usize) -> io::Result<&crate::layout::FaceLayout> {
        let face = self.layout.nodes[node].faces.iter().find(|face| face.way.link == link);
        face.ok_or_else(|| io::Error::other("a link without ends"))
    }

    fn tunnels_of(&self, number: usize, names: [&str; 2]) -> io::Result<Vec<Carrier>> {
        let seed = Seed(self.setting.seed).of("link");
        let link = &self.scenario.topology.links[number];
        let device = |node: usize| self.nodes[node].device(&format!("link{number}"), self.end(node, number)?.local);
        let (a, b) = (device(link.a)?, device(link.b)?);
        let start = |(forward, name): (bool, &str)| {
            let way = Way { link: number, forward };
            let (direction, limit) = self.in_front(way);
            let shaper = Shaper::new(&direction, limit, self.impairment(way), seed.of(name));
            let (from, to) = if forward { (&a, &b) } else { (&b, &a) };
            Tunnel::start(from.clone(), to.clone(), shaper, self.clock).map(Carrier::Tunnel)
        };
        [true, false].into_iter().zip(names).map(start).collect()
    }

    fn kernel_ways_of(&self, number: usize, names: [String; 2]) -> io::Result<Vec<Carrier>> {
        let link = &self.scenario.topology.links[number];
        let end = |node: usize| Ok::<_, io::Error>((&*self.nodes[node], self.end(node, number)?));
        kernel::pair(number, end(link.a)?, end(link.b)?)?;
        let start = |(forward, name): (bool, String)| {
            let way = Way { link: number, forward };
            let (direction, limit) = self.in_front(way);
            let node = self.nodes[self.sender(way)].clone();
            KernelWay::start(node, number, name, direction, limit, self.impairment(way))
                .map(|way| Carrier::Kernel(Box::new(way)))
        };
        [true, false].into_iter().zip(names).map(start).collect()
    }

    fn impairment(&self, way: Way) -> Option<weir_scenario::plan::Impairment> {
        self.scenario.impairments.iter().find(|(at, _)| *at == way).map(|(_, how)| *how)
    }

    /// What a direction is like, and the room before it.
    fn in_front(&self, way: Way) -> (Direction, weir_core::Limit) {
        let link = &self.scenario.topology.links[way.link];
        let direction = if way.forward { link.forward } else { link.backward };
        let limit = if self.keeps_rate(way) { SLACK } else { direction.limit };
        (Direction { rate: self.rate_of(way, direction.rate), ..direction }, limit)
    }

    /// The node from which a direction leads.
    pub fn sender(&self, way: Way) -> usize {
        let link = &self.scenario.topology.links[way.link];
        if way.forward { link.a } else { link.b }
    }

    /// True if the forwarder in front of a direction keeps to its rate.
    fn keeps_rate(&self, way: Way) -> bool {
        self.layout.nodes[self.sender(way)].software == Software::Weir
    }

    /// The rate of a direction's carrier.
    pub fn rate_of(&self, way: Way, rate: Rate) -> Rate {
        if self.keeps_rate(way) { Rate(rate.0.saturating_mul(FASTER)) } else { rate }
    }
}
