//! `dumbbell`: consumers `c1`, `c2`, .. behind the router `r1`, producers `p1`, `p2`, .. behind `r2`, and one
//! bottleneck between the routers.

use super::{DEFAULT_QUEUE, Generator, Ground, LinkShape};
use crate::plan::{Link, Topology};
use crate::quantities::{Both, Share};
use crate::reader::TableReader;
use weir_core::{Rate, Span};

pub(super) const GENERATOR: Generator = Generator { name: "dumbbell", build };

const MOST_FLOWS: u64 = 10_000;

/// How much faster than the bottleneck access links are when the file does not say.
const ACCESS_FACTOR: u64 = 10;

/// Delay of access links when the file does not say.
const ACCESS_DELAY: Span = Span::from_millis(1);

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let flows = table.need::<u64>("flows").and(table.count("flows", 1..=MOST_FLOWS));
    let (bottleneck, access) = (bottleneck(table), access(table));
    let (flows, bottleneck, access) = (flows? as usize, bottleneck?, access?);
    let pairs = (0..flows).map(|i| (i, flows + 2 + i)).collect();
    Some(Ground::new(topology(flows, bottleneck, access), pairs, true))
}

fn bottleneck(table: &TableReader<'_>) -> Option<LinkShape> {
    let rate = table.need("bottleneck");
    let delay = table.need("delay");
    let loss: Both<Share> = table.get_or("loss", Both(Share(0.0), Share(0.0)));
    let queue = table.get_or("queue", Both(DEFAULT_QUEUE, DEFAULT_QUEUE));
    Some(LinkShape { rate: rate?, delay: delay?, loss: Both(loss.0.0, loss.1.0), queue, cost: Both(1, 1) })
}

fn access(table: &TableReader<'_>) -> Option<LinkShape> {
    let rate = table.get("access").or_else(|| {
        let Both(forward, backward) = table.node("bottleneck").and_then(|_| quiet(table))?;
        let rate = Rate(forward.0.max(backward.0).saturating_mul(ACCESS_FACTOR));
        Some(Both(rate, rate))
    });
    let delay = table.get_or("access_delay", Both(ACCESS_DELAY, ACCESS_DELAY));
    let loss: Both<Share> = table.get_or("access_loss", Both(Share(0.0), Share(0.0)));
    let queue = table.get_or("access_queue", Both(DEFAULT_QUEUE, DEFAULT_QUEUE));
    Some(LinkShape { rate: rate?, delay, loss: Both(loss.0.0, loss.1.0), queue, cost: Both(1, 1) })
}

/// The bottleneck's rate, whose problems have been reported already.
fn quiet(table: &TableReader<'_>) -> Option<Both<Rate>> {
    crate::reader::Read::read(table.node("bottleneck")?, &crate::diagnostic::Log::default())
}

/// Consumers, `r1`, `r2`, producers; "forward" is from the consumers to the producers.
fn topology(flows: usize, bottleneck: LinkShape, access: LinkShape) -> Topology {
    let consumers = (1..=flows).map(|i| format!("c{i}"));
    let producers = (1..=flows).map(|i| format!("p{i}"));
    let nodes = consumers.chain(["r1".into(), "r2".into()]).chain(producers).collect();
    let (r1, r2) = (flows, flows + 1);
    let left = (0..flows).map(|i| access.between(format!("c{}-r1", i + 1), i, r1));
    let right = (0..flows).map(|i| access.between(format!("r2-p{}", i + 1), r2, r2 + 1 + i));
    let middle: Link = bottleneck.between("bottleneck".into(), r1, r2);
    Topology::new(nodes, left.chain([middle]).chain(right).collect())
}
