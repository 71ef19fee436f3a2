//! `barabasi_albert`: nodes come one by one, and link to those that have many links already (Barabási and Albert,
//! Science 286, 1999, 509-512).

use super::shapes::{LINK, SEED, alike};
use super::{Generator, Ground, MOST_NODES, numbered};
use crate::diagnostic::Diagnostic;
use crate::plan::Topology;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use weir_core::Seed;

pub(super) const GENERATOR: Generator = Generator { name: "barabasi_albert", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "Nodes `n1`, `n2`, ... come one by one, and link to those that have many links already. Add hosts, or name the \
            nodes that fetch and answer.",
    example: "[topology.barabasi_albert]\nnodes = 20\nlinks = 2\nrate = \"100Mbps\"\ndelay = \"5ms\"\n\n\
              [[workload]]\nfetch = { consumer = \"n1\", producer = \"n20\", size = \"5MB\" }\n",
    keys: &[
        &[
            Field::new("nodes", Form::Whole(2, MOST_NODES), "How many nodes.").required(),
            Field::new("links", Form::Whole(1, MOST_LINKS), "Links of each node that comes; fewer than nodes.")
                .required(),
            SEED,
        ],
        LINK,
    ],
    more: None,
    rules: &[],
};

/// More links for each node are surely a mistake.
const MOST_LINKS: u64 = 1000;

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let nodes = table.need::<u64>("nodes").and(table.count("nodes", 2..=MOST_NODES));
    let links = table.need::<u64>("links").and(table.count("links", 1..=MOST_LINKS));
    let seed = table.get_or("seed", 1);
    let shape = alike(table);
    let (nodes, links) = (nodes?, links?);
    if links >= nodes {
        let place = table.table.get("links").map_or(table.place, |n| &n.place);
        let message = format!("a node cannot link to {links} others where there are only {nodes} nodes");
        table.log.report(Diagnostic::at(place, message));
        return None;
    }
    let (nodes, shape) = (nodes as usize, shape?);
    let link = |(a, b): (usize, usize)| shape.between(format!("n{}-n{}", a + 1, b + 1), a, b);
    let ends = ends(nodes, links as usize, seed);
    let topology = Topology::new(numbered("n", nodes).collect(), ends.into_iter().map(link).collect());
    Some(Ground::new(topology, vec![], true))
}

/// The first `links + 1` nodes are all linked with each other. Each further node links to `links` different ones, each
/// drawn with a probability in proportion to the links that it has.
fn ends(nodes: usize, links: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut chance = Seed(seed).of("topology").of("barabasi_albert").stream();
    let first = links + 1;
    let mut ends: Vec<(usize, usize)> = (0..first).flat_map(|a| (a + 1..first).map(move |b| (a, b))).collect();
    // Each node stands here once for each of its links.
    let mut tickets: Vec<usize> = ends.iter().flat_map(|(a, b)| [*a, *b]).collect();
    for node in first..nodes {
        let mut targets: Vec<usize> = Vec::with_capacity(links);
        while targets.len() < links {
            let target = tickets[chance.below(tickets.len() as u64) as usize];
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        for target in targets {
            ends.push((target, node));
            tickets.extend([target, node]);
        }
    }
    ends
}
