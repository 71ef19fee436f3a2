//! `dumbbell`: consumers `c1`, `c2`, .. behind the router `r1`, producers `p1`, `p2`, .. behind `r2`, and one
//! bottleneck between the routers.

use super::shapes::{access, loss, queue};
use super::{Generator, Ground, LinkShape, numbered};
use crate::plan::{Link, Topology};
use crate::quantities::Both;
use crate::reader::TableReader;

pub(super) const GENERATOR: Generator = Generator { name: "dumbbell", build };

const MOST_FLOWS: u64 = 10_000;

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let flows = table.need::<u64>("flows").and(table.count("flows", 1..=MOST_FLOWS));
    let bottleneck = bottleneck(table);
    let access = access(table, bottleneck.map(|b| [b.rate]).as_ref().map(|rates| &rates[..]));
    let (flows, bottleneck, access) = (flows? as usize, bottleneck?, access?);
    let pairs = (0..flows).map(|i| (i, flows + 2 + i)).collect();
    Some(Ground::new(topology(flows, bottleneck, access), pairs, true))
}

fn bottleneck(table: &TableReader<'_>) -> Option<LinkShape> {
    let (rate, delay) = (table.need("bottleneck"), table.need("delay"));
    let (loss, queue) = (loss(table, "loss"), queue(table, "queue"));
    Some(LinkShape { rate: rate?, delay: delay?, loss, queue, cost: Both(1, 1) })
}

/// Consumers, `r1`, `r2`, producers; "forward" is from the consumers to the producers.
fn topology(flows: usize, bottleneck: LinkShape, access: LinkShape) -> Topology {
    let routers = ["r1".to_string(), "r2".into()];
    let nodes = numbered("c", flows).chain(routers).chain(numbered("p", flows)).collect();
    let (r1, r2) = (flows, flows + 1);
    let left = (0..flows).map(|i| access.between(format!("c{}-r1", i + 1), i, r1));
    let right = (0..flows).map(|i| access.between(format!("r2-p{}", i + 1), r2, r2 + 1 + i));
    let middle: Link = bottleneck.between("bottleneck".into(), r1, r2);
    let column = |x: f64| (0..flows).map(move |i| (x, (flows as f64 - 1.0) / 2.0 - i as f64));
    let wide = (flows as f64 / 2.0).max(1.0);
    let places = column(-wide).chain([(0.0, 0.0), (wide, 0.0)]).chain(column(2.0 * wide));
    Topology::new(nodes, left.chain([middle]).chain(right).collect()).at(places)
}
