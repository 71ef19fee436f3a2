//! Faces: where links end at nodes.

use super::Builder;
use crate::link::LinkSpec;
use crate::world::World;
use weir_core::FaceId;
use weir_scenario::plan::{Direction, Link, Topology};

/// One end of a link, as a node sees it.
pub(super) struct Port<'a> {
    /// The link's place in [`Topology::links`].
    pub(super) number: usize,
    /// The link.
    pub(super) link: &'a Link,
    /// The node is the link's end `a`.
    pub(super) forward: bool,
    /// The face at the other end.
    pub(super) peer_face: usize,
}

impl Port<'_> {
    /// The direction that leaves the node.
    pub(super) fn direction(&self) -> &Direction {
        if self.forward { &self.link.forward } else { &self.link.backward }
    }

    fn peer(&self) -> usize {
        if self.forward { self.link.b } else { self.link.a }
    }
}

/// The ports of every node. Those of one node stand in the order of the file: that is also the order of its faces.
pub(super) fn ports(topology: &Topology) -> Vec<Vec<Port<'_>>> {
    let mut ports: Vec<Vec<Port<'_>>> = topology.nodes.iter().map(|_| Vec::new()).collect();
    for (number, link) in topology.links.iter().enumerate() {
        let (at_a, at_b) = (ports[link.a].len(), ports[link.b].len());
        ports[link.a].push(Port { number, link, forward: true, peer_face: at_b });
        ports[link.b].push(Port { number, link, forward: false, peer_face: at_a });
    }
    ports
}

impl Builder<'_> {
    /// Makes links worse, each with chance of its own.
    pub(super) fn impair(&self, world: &mut World) {
        for (way, impairment) in &self.scenario.impairments {
            let topology = &self.scenario.topology;
            let [forward, backward] = topology.directions(&topology.links[way.link]);
            let name = if way.forward { forward } else { backward };
            world.impair(self.number_of(*way), *impairment, self.seed.of("link").of(&name).of("impairment"));
        }
    }

    /// Adds every direction of every link, and answers with their names. The number of a direction follows from the
    /// node that it leaves, then from the face there.
    pub(super) fn connect(&self, world: &mut World) -> Vec<String> {
        let mut names = Vec::new();
        for (node, ports) in self.ports.iter().enumerate() {
            for (face, port) in ports.iter().enumerate() {
                let [forward, backward] = self.scenario.topology.directions(port.link);
                let name = if port.forward { forward } else { backward };
                let direction = port.direction();
                let spec = LinkSpec {
                    from: node as u32,
                    from_face: FaceId(face as u32),
                    to: port.peer() as u32,
                    to_face: FaceId(port.peer_face as u32),
                    rate: direction.rate,
                    delay: direction.delay,
                    loss: direction.loss,
                    mtu: port.link.mtu,
                };
                world.add_link(spec, self.seed.of("link").of(&name).stream());
                names.push(name);
            }
        }
        names
    }
}
