//! `linear`: a chain of nodes, the consumer at its beginning and the producer at its end.

use super::shapes::{COST, EACH_LINK, each};
use super::{DEFAULT_QUEUE, Generator, Ground, LinkShape, check_names, cost, numbered};
use crate::diagnostic::Diagnostic;
use crate::plan::Topology;
use crate::quantities::{Both, Share, text};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::Content;
use weir_core::{Limit, Rate, Span};

pub(super) const GENERATOR: Generator = Generator { name: "linear", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "A chain. The first node is the consumer, the last one the producer. `forward` is toward the producer.",
    example: "[topology.linear]\nrouters = 1\nrate = \"20Mbps\"\ndelay = \"10ms\"\nqueue = \"32p\"\n",
    keys: &[
        &[
            Field::new("nodes", Form::List(&Form::Word, 2), "Names of the nodes, in order."),
            Field::new("routers", Form::Whole(0, MOST_ROUTERS), "Instead of `nodes`: how many routers stand between.")
                .otherwise("the nodes are those of `nodes`"),
        ],
        EACH_LINK,
        &[COST],
    ],
    more: None,
    rules: &[Rule::Any(&["nodes", "routers"]), Rule::NotBoth(&["nodes", "routers"])],
};

const MOST_ROUTERS: u64 = 10_000;

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let nodes = nodes(table);
    let hops = nodes.as_ref().map_or(0, |n| n.len() - 1);
    let what = ("chain", "links");
    let rate = each::<Both<Rate>>(table, "rate", hops, what, None);
    let delay = each::<Both<Span>>(table, "delay", hops, what, None);
    let queue = each::<Both<Limit>>(table, "queue", hops, what, Some(Both(DEFAULT_QUEUE, DEFAULT_QUEUE)));
    let loss = each(table, "loss", hops, what, Some(Both(Share(0.0), Share(0.0))));
    let cost = cost(table);
    let (nodes, rate, delay, queue, loss) = (nodes?, rate?, delay?, queue?, loss?);
    let link = |i: usize| {
        let loss = Both(loss[i].0.0, loss[i].1.0);
        let shape = LinkShape { rate: rate[i], delay: delay[i], loss, queue: queue[i], cost };
        shape.between(format!("{}-{}", nodes[i], nodes[i + 1]), i, i + 1)
    };
    let links = (0..hops).map(link).collect();
    let places = (0..=hops).map(|i| (i as f64, 0.0));
    Some(Ground::new(Topology::new(nodes, links).at(places), vec![(0, hops)], true))
}

/// Either `nodes`, or `routers` for `consumer`, `r1`, `r2`, .., `producer`.
fn nodes(table: &TableReader<'_>) -> Option<Vec<String>> {
    table.exclude("nodes", "routers", "the nodes already say how many routers there are");
    let routers = table.count("routers", 0..=MOST_ROUTERS);
    match (table.node("nodes"), routers) {
        (Some(_), _) => named_nodes(table),
        (None, Some(n)) => {
            let routers = numbered("r", n as usize);
            Some(["consumer".to_string()].into_iter().chain(routers).chain(["producer".to_string()]).collect())
        }
        (None, None) if table.key("routers").is_none() => {
            let message =
                "`linear` needs `nodes`, such as `[\"consumer\", \"router\", \"producer\"]`, or a number of `routers`";
            table.missing(message, "nodes");
            None
        }
        (None, None) => None,
    }
}

fn named_nodes(table: &TableReader<'_>) -> Option<Vec<String>> {
    let node = table.node("nodes")?;
    let problems = table.log.count();
    let Content::List(list) = &node.content else {
        crate::reader::refuse(node, "a list of names", table.log);
        return None;
    };
    let names: Vec<&str> = list.iter().filter_map(|n| text(n, "the name of a node", table.log)).collect();
    check_names("node", list, table.log);
    if list.len() < 2 {
        table.log.report(Diagnostic::at(&node.place, "a chain has at least two nodes: a consumer and a producer"));
    }
    (table.log.count() == problems).then(|| names.into_iter().map(String::from).collect())
}
