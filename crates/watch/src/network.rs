//! Names of the places where things happen.

use weir_core::{FaceId, FlowId, NodeId};
use weir_sim::Built;

/// Names of a world's nodes, link directions and fetches, and which face stands where.
#[derive(Clone, Debug, Default)]
pub struct Network {
    nodes: Vec<String>,
    links: Vec<String>,
    flows: Vec<String>,
    /// By node and face: the direction that leaves there.
    out: Vec<Vec<Option<u32>>>,
    /// By node and face: the direction that ends there.
    into: Vec<Vec<Option<u32>>>,
    /// By direction: the node where it ends.
    ends: Vec<u32>,
}

impl Network {
    /// The network of a world.
    pub fn of(built: &Built) -> Network {
        let mut network = Network {
            nodes: built.nodes.clone(),
            links: built.links.clone(),
            flows: built.world.collector().labels().map(String::from).collect(),
            out: vec![Vec::new(); built.nodes.len()],
            into: vec![Vec::new(); built.nodes.len()],
            ends: Vec::new(),
        };
        for (link, (spec, ..)) in built.world.links().enumerate() {
            put(&mut network.out[spec.from as usize], spec.from_face, link as u32);
            put(&mut network.into[spec.to as usize], spec.to_face, link as u32);
            network.ends.push(spec.to);
        }
        network
    }

    /// Names of the nodes, by number.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// Names of the link directions, by number.
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// Labels of the fetches, by number.
    pub fn flows(&self) -> &[String] {
        &self.flows
    }

    /// A node's name.
    pub fn node(&self, node: NodeId) -> &str {
        name(&self.nodes, node.0)
    }

    /// A link direction's name.
    pub fn link(&self, link: u32) -> &str {
        name(&self.links, link)
    }

    /// A fetch's label.
    pub fn flow(&self, flow: FlowId) -> &str {
        name(&self.flows, flow.0)
    }

    /// The direction that leaves a node by `face`; `None`: the face of an application.
    pub fn leaving(&self, node: NodeId, face: FaceId) -> Option<u32> {
        *self.out.get(node.0 as usize)?.get(face.index())?
    }

    /// The direction that comes in by `face`.
    pub fn entering(&self, node: NodeId, face: FaceId) -> Option<u32> {
        *self.into.get(node.0 as usize)?.get(face.index())?
    }

    /// Faces of a node that have a link, in order.
    pub fn faces(&self, node: NodeId) -> impl Iterator<Item = FaceId> {
        let faces = self.out.get(node.0 as usize).map_or(&[][..], Vec::as_slice);
        (0u32..).zip(faces).filter(|(_, link)| link.is_some()).map(|(face, _)| FaceId(face))
    }

    /// The node where a direction ends.
    pub fn end(&self, link: u32) -> Option<NodeId> {
        self.ends.get(link as usize).copied().map(NodeId)
    }
}

fn name(names: &[String], number: u32) -> &str {
    names.get(number as usize).map_or("?", String::as_str)
}

fn put(places: &mut Vec<Option<u32>>, face: FaceId, link: u32) {
    if places.len() <= face.index() {
        places.resize(face.index() + 1, None);
    }
    places[face.index()] = Some(link);
}
