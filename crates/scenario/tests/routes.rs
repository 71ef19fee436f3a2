//! Every rule of `[routing]` against its definition, evaluated by enumerating all paths of small random networks with
//! parallel links, costs that differ by direction and several producers.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use weir_core::{Limit, Rate, Span};
use weir_scenario::plan::{Direction, Link, Routing, Topology};
use weir_scenario::routes::{NextHop, Routes, routes};

fn topology(nodes: usize, links: &[(usize, usize, u64, u64)]) -> Topology {
    let way = Direction { rate: Rate(1), delay: Span(1), loss: 0.0, limit: Limit::Packets(1) };
    let link = |(i, (a, b, there, back)): (usize, &(usize, usize, u64, u64))| Link {
        name: i.to_string(),
        a: *a,
        b: *b,
        forward: way,
        backward: way,
        costs: (*there, *back),
        mtu: None,
        parallel: false,
    };
    Topology::new((0..nodes).map(|n| n.to_string()).collect(), links.iter().enumerate().map(link).collect())
}

/// One link of a path: where it leads, which one it is, what it costs.
type Step = (usize, usize, u64);

/// Every path from `node` without repeated nodes that ends at the first node of `ends` it comes to.
fn paths(topology: &Topology, node: usize, ends: &[usize]) -> Vec<Vec<Step>> {
    fn extend(
        topology: &Topology,
        at: usize,
        ends: &[usize],
        seen: &mut Vec<usize>,
        path: &mut Vec<Step>,
        all: &mut Vec<Vec<Step>>,
    ) {
        if ends.contains(&at) {
            all.push(path.clone());
            return;
        }
        for (number, link) in topology.links.iter().enumerate() {
            for (from, to, cost) in [(link.a, link.b, link.costs.0), (link.b, link.a, link.costs.1)] {
                if from == at && !seen.contains(&to) {
                    seen.push(to);
                    path.push((to, number, cost));
                    extend(topology, to, ends, seen, path, all);
                    path.pop();
                    seen.pop();
                }
            }
        }
    }
    let mut all = Vec::new();
    extend(topology, node, ends, &mut vec![node], &mut Vec::new(), &mut all);
    all
}

fn cost(path: &[Step]) -> u64 {
    path.iter().map(|(.., cost)| cost).sum()
}

/// Cost of the cheapest path; `None` without one.
fn distance(topology: &Topology, node: usize, ends: &[usize]) -> Option<u64> {
    paths(topology, node, ends).iter().map(|p| cost(p)).min()
}

/// How paths are ranked: cost, number of links, then nodes and links in their order.
fn rank(path: &[Step]) -> (u64, usize, Vec<Step>) {
    (cost(path), path.len(), path.to_vec())
}

/// Link and cost of each next hop by its definition.
fn defined(topology: &Topology, routing: &Routing, node: usize, producers: &[usize]) -> BTreeMap<usize, u64> {
    let mut hops = BTreeMap::new();
    if producers.contains(&node) {
        return hops;
    }
    let mut all = paths(topology, node, producers);
    all.sort_by_key(|p| rank(p));
    let mut add = |link: usize, cost: u64| {
        let known = hops.entry(link).or_insert(cost);
        *known = cost.min(*known);
    };
    let neighbours = topology.links.iter().enumerate().flat_map(|(i, l)| {
        [(l.a, l.b, l.costs.0), (l.b, l.a, l.costs.1)].into_iter().filter(|e| e.0 == node).map(move |e| (i, e.1, e.2))
    });
    let d = |n: usize| distance(topology, n, producers);
    match routing {
        Routing::Shortest => {
            for producer in producers {
                let to_it = all.iter().find(|p| p.last().is_some_and(|(end, ..)| end == producer));
                to_it.iter().for_each(|p| add(p[0].1, cost(p)));
            }
        }
        Routing::KShortest(k) => all.iter().take(*k).for_each(|p| add(p[0].1, cost(p))),
        Routing::All => all.iter().for_each(|p| add(p[0].1, cost(p))),
        Routing::Downhill => {
            for (link, to, own) in neighbours {
                if let (Some(here), Some(there)) = (d(node), d(to))
                    && there < here
                {
                    add(link, own + there);
                }
            }
        }
        Routing::LoopFree => {
            for (link, to, own) in neighbours {
                let back = distance(topology, to, &[node]).unwrap_or(u64::MAX / 2);
                if let (Some(here), Some(there)) = (d(node), d(to))
                    && there < back + here
                {
                    add(link, own + there);
                }
            }
        }
        Routing::Explicit(_) => {}
    }
    hops
}

fn found(routes: &Routes, node: usize) -> BTreeMap<usize, u64> {
    routes.of(node).iter().map(|h| (h.link, h.cost)).collect()
}

fn networks() -> impl Strategy<Value = (Topology, Vec<usize>)> {
    (2usize..7).prop_flat_map(|nodes| {
        let link = (0..nodes, 1..nodes, 1u64..5, 1u64..5).prop_map(move |(a, d, c, e)| (a, (a + d) % nodes, c, e));
        let producers = prop::collection::btree_set(0..nodes, 1..=2.min(nodes));
        (prop::collection::vec(link, 0..10), producers)
            .prop_map(move |(links, producers)| (topology(nodes, &links), producers.into_iter().collect()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_rule_gives_what_its_definition_says((topology, producers) in networks(), k in 1usize..6) {
        let rules = [Routing::Shortest, Routing::KShortest(k), Routing::Downhill, Routing::LoopFree, Routing::All];
        for rule in rules {
            let routes = routes(&topology, &rule, &producers);
            for node in 0..topology.nodes.len() {
                let defined = defined(&topology, &rule, node, &producers);
                prop_assert_eq!(found(&routes, node), defined, "{:?} at {} to {:?}", rule, node, &producers);
                prop_assert!(routes.of(node).is_sorted());
            }
        }
    }

    #[test]
    fn each_rule_contains_the_stricter_one((topology, producers) in networks()) {
        let of = |rule| routes(&topology, &rule, &producers);
        let (downhill, loop_free, all, many) =
            (of(Routing::Downhill), of(Routing::LoopFree), of(Routing::All), of(Routing::KShortest(1000)));
        for node in 0..topology.nodes.len() {
            let set = |r: &Routes| r.of(node).iter().copied().collect::<BTreeSet<NextHop>>();
            prop_assert!(set(&downhill).is_subset(&set(&loop_free)));
            prop_assert!(set(&loop_free).is_subset(&set(&all)));
            prop_assert_eq!(set(&many), set(&all));
            let nearest = |r: &Routes| r.of(node).first().map(|h| h.cost);
            prop_assert_eq!(nearest(&downhill), nearest(&of(Routing::Shortest)));
        }
    }

    #[test]
    fn downhill_never_comes_back((topology, producers) in networks()) {
        let routes = routes(&topology, &Routing::Downhill, &producers);
        let next = |node: usize| routes.of(node).iter().map(|h| {
            let link = &topology.links[h.link];
            if h.forward { link.b } else { link.a }
        });
        for start in 0..topology.nodes.len() {
            let (mut seen, mut open) = (BTreeSet::new(), next(start).collect::<Vec<_>>());
            while let Some(node) = open.pop() {
                prop_assert!(node != start, "{start} is on a loop");
                if seen.insert(node) {
                    open.extend(next(node));
                }
            }
        }
    }
}

fn links(routes: &Routes, node: usize) -> Vec<(u64, usize)> {
    routes.of(node).iter().map(|h| (h.cost, h.link)).collect()
}

#[test]
fn cost_counts_before_hops_and_hops_before_order() {
    let first = |t: &Topology, to| links(&routes(t, &Routing::Shortest, &[to]), 0)[0];
    assert_eq!(first(&topology(3, &[(0, 2, 5, 5), (0, 1, 2, 2), (1, 2, 2, 2)]), 2), (4, 1));
    assert_eq!(first(&topology(3, &[(0, 1, 1, 1), (1, 2, 1, 1), (0, 2, 2, 2)]), 2), (2, 2), "fewer links");
    let diamond = [(0, 2, 1, 1), (0, 1, 1, 1), (2, 3, 1, 1), (1, 3, 1, 1), (0, 1, 1, 1)];
    assert_eq!(first(&topology(4, &diamond), 3), (2, 1), "the lower neighbour, then the first of two links");
}

#[test]
fn a_content_at_two_places_has_the_nearest_first() {
    // p1 - a - b - p2
    let chain = topology(4, &[(0, 1, 1, 1), (1, 2, 1, 1), (2, 3, 1, 1)]);
    let routes = routes(&chain, &Routing::Shortest, &[0, 3]);
    assert_eq!(links(&routes, 1), [(1, 0), (2, 1)]);
    assert_eq!(links(&routes, 2), [(1, 2), (2, 1)]);
    assert!(routes.of(0).is_empty() && routes.of(3).is_empty());
}

#[test]
fn every_node_of_a_large_network_finds_its_way() {
    // A ring of 2000 nodes with 8000 chords of a fixed pattern.
    let n = 2000;
    let ring = (0..n).map(|i| (i, (i + 1) % n, 10, 10));
    let chords = (0..4 * n).map(|i| (i % n, (i * 7919 + 13) % n, 5 + i as u64 % 17, 9)).filter(|l| l.0 != l.1);
    let network = topology(n, &ring.chain(chords).collect::<Vec<_>>());
    for rule in [Routing::Shortest, Routing::KShortest(3), Routing::Downhill, Routing::LoopFree, Routing::All] {
        let routes = routes(&network, &rule, &[0, 1000]);
        assert!((0..n).filter(|node| !routes.of(*node).is_empty()).count() == n - 2);
    }
}
