//! Topology generators: one file each, one word in [`GENERATORS`].

mod abilene;
mod barabasi_albert;
mod dumbbell;
mod grid;
mod linear;
mod parking_lot;
mod random_geometric;
mod shapes;
mod tree;

use crate::diagnostic::{Diagnostic, Log};
use crate::plan::Topology;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use crate::tree::Node;
use std::collections::BTreeMap;

pub(crate) use shapes::{
    ACCESS_DELAY, COST_OF_OTHERS, DEFAULT_QUEUE, HOST_LINK, LINK, LinkShape, MOST_COST, cost, loss, queue,
};

/// A kind of network that one key of `[topology]` describes.
pub(crate) struct Generator {
    /// Its key in `[topology]`.
    pub(crate) name: &'static str,
    /// What its table can hold.
    pub(crate) shape: &'static Shape,
    /// Reads its table; the caller refuses unknown keys.
    pub(crate) build: fn(&TableReader<'_>) -> Option<Ground>,
}

/// All generators.
pub(crate) static GENERATORS: &[Generator] = &[
    linear::GENERATOR,
    dumbbell::GENERATOR,
    parking_lot::GENERATOR,
    tree::GENERATOR,
    grid::GENERATOR,
    abilene::GENERATOR,
    random_geometric::GENERATOR,
    barabasi_albert::GENERATOR,
];

/// More nodes are surely a mistake.
const MOST_NODES: u64 = 100_000;

/// The keys of the generators in `[topology]`.
pub(crate) fn keys() -> Vec<Field> {
    GENERATORS.iter().map(|g| Field::new(g.name, Form::Table(g.shape), g.shape.about)).collect()
}

/// A network, and which hosts in it belong together.
pub(crate) struct Ground {
    /// The network.
    pub(crate) topology: Topology,
    /// Consumer and producer of each fetch that does not name its own.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// False if some links are wrong and left out: good for checking names, not for more.
    pub(crate) whole: bool,
    /// For each node a number; those that a path of links joins have the same.
    islands: Vec<usize>,
}

impl Ground {
    pub(crate) fn new(topology: Topology, pairs: Vec<(usize, usize)>, whole: bool) -> Ground {
        let islands = islands(topology.nodes.len(), topology.links.iter().map(|l| (l.a, l.b)));
        Ground { topology, pairs, whole, islands }
    }

    /// True if a path of links leads from one node to the other.
    pub(crate) fn joins(&self, from: usize, to: usize) -> bool {
        self.islands[from] == self.islands[to]
    }
}

/// Of each node the first node that it is joined with.
fn islands(nodes: usize, links: impl IntoIterator<Item = (usize, usize)>) -> Vec<usize> {
    fn root(of: &mut [usize], mut node: usize) -> usize {
        while of[node] != node {
            of[node] = of[of[node]];
            node = of[node];
        }
        node
    }
    let mut of: Vec<usize> = (0..nodes).collect();
    for (a, b) in links {
        let (a, b) = (root(&mut of, a), root(&mut of, b));
        of[a.max(b)] = a.min(b);
    }
    (0..nodes).map(|node| root(&mut of, node)).collect()
}

/// Names such as `r1`, `r2`, ..
fn numbered(prefix: &str, count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(move |i| format!("{prefix}{i}"))
}

/// Characters of a node's or link's name: those that need no quotes in a measure.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

/// Refuses names that are empty, strange or there twice.
pub(crate) fn check_names<'n>(what: &str, nodes: impl IntoIterator<Item = &'n Node>, log: &Log) {
    let mut seen: BTreeMap<&str, &Node> = BTreeMap::new();
    for node in nodes {
        let Some(text) = node.text() else { continue };
        if !is_name(text) {
            let problem = Diagnostic::at(&node.place, format!("`{text}` cannot be the name of a {what}"));
            log.report(problem.note("names have letters, digits, `_`, `-` and `.`"));
        }
        if let Some(first) = seen.get(text) {
            let problem = Diagnostic::at(&node.place, format!("there are two {what}s called `{text}`"));
            log.report(problem.also(&first.place, "the first one"));
        } else {
            seen.insert(text, node);
        }
    }
}
