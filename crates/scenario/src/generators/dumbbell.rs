//! `dumbbell`: consumers `c1`, `c2`, .. behind the router `r1`, producers `p1`, `p2`, .. behind `r2`, and one
//! bottleneck between the routers.

use super::shapes::{ACCESS, access, loss, queue};
use super::{Generator, Ground, LinkShape, numbered};
use crate::plan::{Link, Topology};
use crate::quantities::{Both, Share};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use weir_core::{Limit, Rate, Span};

pub(super) const GENERATOR: Generator = Generator { name: "dumbbell", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "Consumers `c1`, `c2`, ... behind a router `r1`, producers `p1`, `p2`, ... behind a router `r2`, and a \
            bottleneck between the routers. `forward` is from the consumers to the producers.",
    example: "[topology.dumbbell]\nflows = 4\nbottleneck = \"10Mbps\"\ndelay = \"20ms\"\naccess = \"100Mbps\"\n",
    keys: &[
        &[
            Field::new("flows", Form::Whole(1, MOST_FLOWS), "How many consumers, and how many producers.").required(),
            Field::of::<Both<Rate>>("bottleneck", "Rate of the link between the routers.").required(),
            Field::of::<Both<Span>>("delay", "Propagation delay of the bottleneck.").required(),
            Field::of::<Both<Limit>>("queue", "Capacity of the bottleneck's queues.").default("\"100p\""),
            Field::of::<Both<Share>>("loss", "Probability that the bottleneck loses a packet.").default("0"),
        ],
        ACCESS,
    ],
    more: None,
    rules: &[],
};

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
