//! `parking_lot`: a chain of routers `r1`, `r2`, .. with a bottleneck between any two neighbours. One fetch goes from
//! `c0` over all of them to `p0`; at each bottleneck it meets another one, from `ci` behind its near end to `pi` behind
//! its far end.

use super::shapes::{ACCESS, EACH_LINK, access, each};
use super::{DEFAULT_QUEUE, Generator, Ground, LinkShape, numbered};
use crate::plan::Topology;
use crate::quantities::{Both, Share};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use weir_core::{Limit, Rate, Span};

pub(super) const GENERATOR: Generator = Generator { name: "parking_lot", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "A chain of routers with a bottleneck between any two neighbours. One fetch goes from `c0` over all of them to \
            `p0`; at bottleneck number *i* it meets another one, from `c`*i* to `p`*i*.",
    example: "[topology.parking_lot]\nhops = 3\nrate = \"10Mbps\"\ndelay = \"5ms\"\n",
    keys: &[&[Field::new("hops", Form::Whole(1, MOST_HOPS), "How many bottlenecks.").required()], EACH_LINK, ACCESS],
    more: None,
    rules: &[],
};

const MOST_HOPS: u64 = 10_000;

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let hops = table.need::<u64>("hops").and(table.count("hops", 1..=MOST_HOPS)).map(|n| n as usize);
    let (known, what) = (hops.unwrap_or(0), ("parking lot", "hops"));
    let rate = each::<Both<Rate>>(table, "rate", known, what, None);
    let delay = each::<Both<Span>>(table, "delay", known, what, None);
    let queue = each::<Both<Limit>>(table, "queue", known, what, Some(Both(DEFAULT_QUEUE, DEFAULT_QUEUE)));
    let loss = each(table, "loss", known, what, Some(Both(Share(0.0), Share(0.0))));
    let access = access(table, rate.as_deref());
    let (hops, rate, delay, queue, loss, access) = (hops?, rate?, delay?, queue?, loss?, access?);
    // Nodes: c0, c1, .., cn, r1, .., r(n+1), p0, p1, .., pn.
    let (router, producer) = (|i: usize| hops + i, |i: usize| 2 * hops + 2 + i);
    let named = |prefix: &'static str| (0..=hops).map(move |i| format!("{prefix}{i}"));
    let nodes = named("c").chain(numbered("r", hops + 1)).chain(named("p")).collect();
    let enter = (0..=hops).map(|i| access.between(format!("c{i}-r{}", i.max(1)), i, router(i.max(1))));
    let middle = (1..=hops).map(|i| {
        let loss = Both(loss[i - 1].0.0, loss[i - 1].1.0);
        let (rate, delay, queue) = (rate[i - 1], delay[i - 1], queue[i - 1]);
        let shape = LinkShape { rate, delay, loss, queue, cost: Both(1, 1) };
        shape.between(format!("r{i}-r{}", i + 1), router(i), router(i + 1))
    });
    let leave = (0..=hops).map(|i| {
        let last = if i == 0 { hops + 1 } else { i + 1 };
        access.between(format!("r{last}-p{i}"), router(last), producer(i))
    });
    let links = enter.chain(middle).chain(leave).collect();
    let x = |i: usize| 2.0 * i as f64;
    let consumers = (0..=hops).map(|i| if i == 0 { (0.0, 0.0) } else { (x(i) - 0.5, 1.0) });
    let routers = (1..=hops + 1).map(|i| (x(i), 0.0));
    let producers = (0..=hops).map(|i| if i == 0 { (x(hops + 2), 0.0) } else { (x(i + 1) + 0.5, -1.0) });
    let places = consumers.chain(routers).chain(producers);
    let pairs = (0..=hops).map(|i| (i, producer(i))).collect();
    Some(Ground::new(Topology::new(nodes, links).at(places), pairs, true))
}
