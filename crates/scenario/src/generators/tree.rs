//! `tree`: a producer at the root, consumers at the leaves, routers between.

use super::shapes::{EACH_LINK, each};
use super::{DEFAULT_QUEUE, Generator, Ground, LinkShape, MOST_NODES};
use crate::diagnostic::Diagnostic;
use crate::plan::Topology;
use crate::quantities::{Both, Share};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use weir_core::{Limit, Rate, Span};

pub(super) const GENERATOR: Generator = Generator { name: "tree", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "A producer `root`, consumers `c1`, `c2`, ... at the leaves, routers between. `forward` is toward the root. Where \
            a link can have a value of its own, all links of a level have the same; the level at the root is the first.",
    example: "[topology.tree]\ndepth = 3\nbranching = 2\nrate = \"10Mbps\"\ndelay = \"5ms\"\n",
    keys: &[
        &[
            Field::new("depth", Form::Whole(1, 64), "Levels of links.").required(),
            Field::new("branching", Form::Whole(1, MOST_NODES), "Nodes below each node that is no leaf.").required(),
        ],
        EACH_LINK,
    ],
    more: None,
    rules: &[],
};

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let depth = table.need::<u64>("depth").and(table.count("depth", 1..=64)).map(|n| n as usize);
    let branching = table.need::<u64>("branching").and(table.count("branching", 1..=MOST_NODES));
    let (known, what) = (depth.unwrap_or(0), ("tree", "levels of links"));
    let rate = each::<Both<Rate>>(table, "rate", known, what, None);
    let delay = each::<Both<Span>>(table, "delay", known, what, None);
    let queue = each::<Both<Limit>>(table, "queue", known, what, Some(Both(DEFAULT_QUEUE, DEFAULT_QUEUE)));
    let loss = each(table, "loss", known, what, Some(Both(Share(0.0), Share(0.0))));
    let (depth, branching) = (depth?, branching?);
    let Some(widths) = widths(depth, branching) else {
        let problem = Diagnostic::at(table.place, format!("this tree has more than {MOST_NODES} nodes"));
        table.log.report(problem);
        return None;
    };
    let (rate, delay, queue, loss) = (rate?, delay?, queue?, loss?);
    let shape = |level: usize| {
        let loss = Both(loss[level].0.0, loss[level].1.0);
        LinkShape { rate: rate[level], delay: delay[level], loss, queue: queue[level], cost: Both(1, 1) }
    };
    let (mut nodes, mut links, mut places) = (vec!["root".to_string()], vec![], vec![(0.0, 0.0)]);
    let leaves = *widths.last()? as f64;
    let mut above = 0..1;
    for (level, width) in widths.iter().enumerate().skip(1) {
        let first = nodes.len();
        for i in 0..*width {
            let parent = above.start + i / branching as usize;
            let name = if level == depth { format!("c{}", i + 1) } else { format!("r{}", first + i) };
            // The way of Interests is forward: from the leaves to the root.
            links.push(shape(level - 1).between(format!("{name}-{}", nodes[parent]), first + i, parent));
            nodes.push(name);
            places.push((((i as f64 + 0.5) / *width as f64 - 0.5) * leaves, -(level as f64) * (leaves / 4.0).max(1.0)));
        }
        above = first..first + width;
    }
    let pairs = above.map(|leaf| (leaf, 0)).collect();
    Some(Ground::new(Topology::new(nodes, links).at(places), pairs, true))
}

/// How many nodes each level has, the root first; `None` if they are too many.
fn widths(depth: usize, branching: u64) -> Option<Vec<usize>> {
    let mut widths = vec![1u64];
    for _ in 0..depth {
        widths.push(widths.last()?.checked_mul(branching)?);
        if widths.iter().sum::<u64>() > MOST_NODES {
            return None;
        }
    }
    Some(widths.into_iter().map(|w| w as usize).collect())
}
