//! Topology generators: one file each, one word in [`GENERATORS`].

mod dumbbell;
mod linear;

use crate::diagnostic::{Diagnostic, Log};
use crate::plan::{Direction, Link, Topology};
use crate::quantities::Both;
use crate::reader::{Read, TableReader, count};
use crate::tree::Node;
use weir_core::{Limit, Rate, Span};

/// A kind of network that one key of `[topology]` describes.
pub(crate) struct Generator {
    /// Its key in `[topology]`.
    pub(crate) name: &'static str,
    /// Reads its table; the caller refuses unknown keys.
    pub(crate) build: fn(&TableReader<'_>) -> Option<Ground>,
}

/// All generators.
pub(crate) static GENERATORS: &[Generator] = &[linear::GENERATOR, dumbbell::GENERATOR];

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
        let islands = islands(&topology);
        Ground { topology, pairs, whole, islands }
    }

    /// True if a path of links leads from one node to the other.
    pub(crate) fn joins(&self, from: usize, to: usize) -> bool {
        self.islands[from] == self.islands[to]
    }
}

/// Of each node the first node that it is joined with.
fn islands(topology: &Topology) -> Vec<usize> {
    fn root(of: &mut [usize], mut node: usize) -> usize {
        while of[node] != node {
            of[node] = of[of[node]];
            node = of[node];
        }
        node
    }
    let mut of: Vec<usize> = (0..topology.nodes.len()).collect();
    for link in &topology.links {
        let (a, b) = (root(&mut of, link.a), root(&mut of, link.b));
        of[a.max(b)] = a.min(b);
    }
    (0..of.len()).map(|node| root(&mut of, node)).collect()
}

/// Capacity of a queue that a file says nothing about: ns-3's default.
pub(crate) const DEFAULT_QUEUE: Limit = Limit::Packets(100);

/// What a link is like, apart from its ends.
#[derive(Clone, Copy)]
pub(crate) struct LinkShape {
    pub(crate) rate: Both<Rate>,
    pub(crate) delay: Both<Span>,
    pub(crate) loss: Both<f64>,
    pub(crate) queue: Both<Limit>,
    pub(crate) cost: Both<u64>,
}

impl LinkShape {
    /// A link of this shape.
    pub(crate) fn between(&self, name: String, a: usize, b: usize) -> Link {
        let LinkShape { rate, delay, loss, queue, cost } = *self;
        let forward = Direction { rate: rate.0, delay: delay.0, loss: loss.0, limit: queue.0 };
        let backward = Direction { rate: rate.1, delay: delay.1, loss: loss.1, limit: queue.1 };
        Link { name, a, b, forward, backward, costs: (cost.0, cost.1), parallel: false }
    }
}

/// Characters of a node's or link's name: those that need no quotes in a measure.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

/// Refuses names that are empty, strange or there twice.
pub(crate) fn check_names<'n>(what: &str, nodes: impl IntoIterator<Item = &'n Node>, log: &Log) {
    let mut seen: Vec<(&str, &Node)> = Vec::new();
    for node in nodes {
        let Some(text) = node.text() else { continue };
        if !is_name(text) {
            let problem = Diagnostic::at(&node.place, format!("`{text}` cannot be the name of a {what}"));
            log.report(problem.note("names have letters, digits, `_`, `-` and `.`"));
        }
        if let Some((_, first)) = seen.iter().find(|(name, _)| *name == text) {
            let problem = Diagnostic::at(&node.place, format!("there are two {what}s called `{text}`"));
            log.report(problem.also(&first.place, "the first one"));
        }
        seen.push((text, node));
    }
}

/// Greatest routing cost: sums of costs stay far from the end of their numbers.
pub(crate) const MOST_COST: u64 = u32::MAX as u64;

/// A routing cost.
#[derive(Clone, Copy)]
struct Cost(u64);

impl Read for Cost {
    const EXPECTED: &'static str = "a whole number";
    fn read(node: &Node, log: &Log) -> Option<Cost> {
        count(node, &(1..=MOST_COST), log).map(Cost)
    }
}

/// Routing cost of a link, 1 by default.
pub(crate) fn cost(table: &TableReader<'_>) -> Both<u64> {
    let Both(forward, backward) = table.get_or("cost", Both(Cost(1), Cost(1)));
    Both(forward.0, backward.0)
}
