//! Ways from every node to a content, by the rule of `[routing]`.
//!
//! Costs are sums of the links' costs in the direction of the Interests; every link costs at least 1. *d(n)* stands for
//! the cost of the cheapest path from node *n* to the nearest producer. A path ends at the first producer that it
//! comes to.

mod graph;
mod paths;

use crate::plan::{Routing, StaticRoute, Topology};
use graph::{Edge, Graph, Length, add};
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_core::Span;
use weir_wire::Name;

/// One way of a node toward a content: a link, and the cost of the path over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NextHop {
    /// Cost of the path to the producer, this link included.
    pub cost: u64,
    /// Place in [`Topology::links`].
    pub link: usize,
    /// True if the node is the link's end `a`, so that it sends in the link's forward direction.
    pub forward: bool,
}

/// The next hops of every node toward one content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    hops: Vec<NextHop>,
    /// Of node *n*: from `ends[n - 1]` to `ends[n]`.
    ends: Vec<usize>,
}

impl Routes {
    /// Next hops of a node by ascending cost, then in the order of the links; none for a producer.
    pub fn of(&self, node: usize) -> &[NextHop] {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.hops[start..self.ends[node]]
    }

    /// Propagation delay to a producer and back, over the way that begins with `first` and goes on over the cheapest next
    /// hop of each node to where none leads on.
    pub fn round_trip(&self, topology: &Topology, first: NextHop) -> Span {
        let mut round_trip = Span::ZERO;
        let mut next = Some(first);
        // Routes that a file gives may go in a circle.
        for _ in 0..topology.nodes.len() {
            let Some(hop) = next else { break };
            let link = &topology.links[hop.link];
            round_trip = round_trip + link.forward.delay + link.backward.delay;
            next = self.of(if hop.forward { link.b } else { link.a }).first().copied();
        }
        round_trip
    }

    fn each(nodes: usize, mut hops: impl FnMut(usize) -> Vec<NextHop>) -> Routes {
        let mut routes = Routes::default();
        for node in 0..nodes {
            let mut own = hops(node);
            own.sort_unstable();
            routes.hops.extend(own);
            routes.ends.push(routes.hops.len());
        }
        routes
    }
}

/// The prefixes that the routers of a network know, each with its routes. A content is its name and its producers;
/// contents of the same producers share their routes.
pub fn tables(topology: &Topology, routing: &Routing, contents: &[(Name, Vec<usize>)]) -> Vec<(Name, Rc<Routes>)> {
    if let Routing::Explicit(routes) = routing {
        return explicit(topology, routes);
    }
    let graph = Graph::new(topology);
    let mut known: BTreeMap<&[usize], Rc<Routes>> = BTreeMap::new();
    let mut tables = Vec::with_capacity(contents.len());
    for (name, producers) in contents {
        let routes = known.entry(producers).or_insert_with(|| Rc::new(computed(&graph, routing, producers)));
        tables.push((name.clone(), Rc::clone(routes)));
    }
    tables
}

/// The routes to a content at `producers` by a rule that computes them; none for [`Routing::Explicit`].
pub fn routes(topology: &Topology, routing: &Routing, producers: &[usize]) -> Routes {
    computed(&Graph::new(topology), routing, producers)
}

fn computed(graph: &Graph, routing: &Routing, producers: &[usize]) -> Routes {
    let lengths = || graph.lengths(producers, &[]);
    match routing {
        Routing::Shortest => shortest(graph, producers),
        Routing::KShortest(k) => paths::k_shortest(graph, &lengths(), *k),
        Routing::Downhill => filtered(graph, &lengths(), |_, _, here, there| there.0 < here.0),
        Routing::LoopFree => {
            let lengths = lengths();
            filtered(graph, &lengths, |node, edge, _, _| !leads_through(graph, &lengths, edge.to, node))
        }
        Routing::All => all(graph, &lengths()),
        Routing::Explicit(_) => Routes::each(graph.len(), |_| vec![]),
    }
}

/// To each producer the first link of the cheapest path; of equally cheap paths the one with fewer links is taken, then
/// the one over the neighbour that stands first among the nodes, then the one over the first link. So a network has
/// one answer.
fn shortest(graph: &Graph, producers: &[usize]) -> Routes {
    let mut hops: Vec<Vec<NextHop>> = vec![vec![]; graph.len()];
    for producer in producers {
        let others: Vec<usize> = producers.iter().copied().filter(|p| p != producer).collect();
        let lengths = graph.lengths(&[*producer], &others);
        for (node, own) in hops.iter_mut().enumerate() {
            let Some(length) = lengths[node].filter(|_| node != *producer) else { continue };
            let tight = |e: &&Edge| lengths[e.to].is_some_and(|there| add(there, e.cost) == length);
            let Some(edge) = graph.edges(node).iter().find(tight) else { continue };
            match own.iter_mut().find(|h| h.link == edge.link) {
                Some(hop) => hop.cost = hop.cost.min(length.0),
                None => own.push(NextHop { cost: length.0, link: edge.link, forward: edge.forward }),
            }
        }
    }
    Routes::each(graph.len(), |node| std::mem::take(&mut hops[node]))
}

/// Every neighbour that `good` finds good, at the cost of the cheapest path from there.
fn filtered(graph: &Graph, lengths: &[Option<Length>], good: impl Fn(usize, &Edge, Length, Length) -> bool) -> Routes {
    Routes::each(graph.len(), |node| {
        let Some(here) = lengths[node].filter(|l| l.0 > 0) else { return vec![] };
        let reaching = graph.edges(node).iter().filter_map(|edge| Some((edge, lengths[edge.to]?)));
        let kept = reaching.filter(|(edge, there)| good(node, edge, here, *there));
        kept.map(|(edge, there)| hop(edge, add(there, edge.cost))).collect()
    })
}

/// True if a cheapest path from `from` leads through `node`, a node that is no producer.
fn leads_through(graph: &Graph, lengths: &[Option<Length>], from: usize, node: usize) -> bool {
    let (Some(start), Some(goal)) = (lengths[from], lengths[node]) else { return false };
    // On a cheapest path the distance falls with every link, so the search stays between the two.
    let mut seen = vec![from];
    let mut open = vec![(from, start)];
    while let Some((at, length)) = open.pop() {
        if at == node {
            return true;
        }
        for edge in graph.edges(at) {
            let Some(there) = lengths[edge.to] else { continue };
            let on_the_way = there.0.saturating_add(edge.cost) == length.0 && there.0 >= goal.0;
            if on_the_way && !seen.contains(&edge.to) {
                seen.push(edge.to);
                open.push((edge.to, there));
            }
        }
    }
    false
}

/// Every neighbour from which a path leads on that does not come back, at the cost of the cheapest such path.
fn all(graph: &Graph, lengths: &[Option<Length>]) -> Routes {
    Routes::each(graph.len(), |node| {
        if lengths[node].is_none_or(|l| l.0 == 0) {
            return vec![];
        }
        let through = |edge: &Edge| {
            let path = graph.best_path(edge.to, lengths, |n| n == node, &[])?;
            let cost = path.iter().fold(edge.cost, |cost, e| cost.saturating_add(e.cost));
            Some(hop(edge, (cost, 0)))
        };
        graph.edges(node).iter().filter_map(through).collect()
    })
}

fn hop(edge: &Edge, length: Length) -> NextHop {
    NextHop { cost: length.0, link: edge.link, forward: edge.forward }
}

/// What the file says, prefix by prefix.
fn explicit(topology: &Topology, routes: &[StaticRoute]) -> Vec<(Name, Rc<Routes>)> {
    let mut tables: Vec<(Name, Vec<Vec<NextHop>>)> = Vec::new();
    for route in routes {
        let place = tables.iter().position(|(prefix, _)| *prefix == route.prefix).unwrap_or_else(|| {
            tables.push((route.prefix.clone(), vec![vec![]; topology.nodes.len()]));
            tables.len() - 1
        });
        let forward = topology.links[route.link].a == route.node;
        tables[place].1[route.node].push(NextHop { cost: route.cost, link: route.link, forward });
    }
    let whole = |(prefix, mut hops): (Name, Vec<Vec<NextHop>>)| {
        (prefix, Rc::new(Routes::each(hops.len(), |node| std::mem::take(&mut hops[node]))))
    };
    tables.into_iter().map(whole).collect()
}
