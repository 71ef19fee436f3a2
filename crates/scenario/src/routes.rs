//! Shortest paths to a producer.

use crate::plan::Topology;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The link over which a node reaches a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextLink {
    /// Place in [`Topology::links`].
    pub link: usize,
    /// True if the node is the link's end `a`, so that it sends in the link's forward direction.
    pub forward: bool,
}

/// Cost of a path, then its number of links.
type Length = (u64, u32);

/// For each node the link toward `producer`; `None` for the producer itself and for nodes that cannot reach it.
///
/// The cheapest path wins; of equal ones the one with fewer links, then the one over the neighbour that stands first
/// among the nodes, then the one over the link that stands first among the links. So a topology has one answer.
pub fn routes(topology: &Topology, producer: usize) -> Vec<Option<NextLink>> {
    let adjacent = adjacent(topology);
    let lengths = lengths(topology, &adjacent, producer);
    let step = |node: usize| {
        let steps = adjacent[node].iter().filter(|(next, link)| {
            let through =
                lengths[*next].map(|(cost, hops)| (cost.saturating_add(topology.links[*link].cost), hops + 1));
            through.is_some() && lengths[node] == through
        });
        let (_, link) = *steps.min()?;
        Some(NextLink { link, forward: topology.links[link].a == node })
    };
    (0..topology.nodes.len()).map(|node| if node == producer { None } else { step(node) }).collect()
}

/// For each node its neighbours, each with the link to it.
fn adjacent(topology: &Topology) -> Vec<Vec<(usize, usize)>> {
    let mut adjacent = vec![vec![]; topology.nodes.len()];
    for (i, link) in topology.links.iter().enumerate() {
        adjacent[link.a].push((link.b, i));
        adjacent[link.b].push((link.a, i));
    }
    adjacent
}

/// Dijkstra's algorithm from the producer outwards.
fn lengths(topology: &Topology, adjacent: &[Vec<(usize, usize)>], producer: usize) -> Vec<Option<Length>> {
    let mut lengths: Vec<Option<Length>> = vec![None; topology.nodes.len()];
    let mut open = BinaryHeap::from([Reverse(((0, 0), producer))]);
    while let Some(Reverse((length, node))) = open.pop() {
        if lengths[node].is_some() {
            continue;
        }
        lengths[node] = Some(length);
        for (next, link) in &adjacent[node] {
            let cost = length.0.saturating_add(topology.links[*link].cost);
            open.push(Reverse(((cost, length.1 + 1), *next)));
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Direction, Link};
    use weir_core::{Limit, Rate, Span};

    fn topology(nodes: usize, links: &[(usize, usize, u64)]) -> Topology {
        let way = Direction { rate: Rate(1), delay: Span(1), loss: 0.0, limit: Limit::Packets(1) };
        let link = |(a, b, cost): &(usize, usize, u64)| Link {
            name: format!("{a}-{b}"),
            a: *a,
            b: *b,
            forward: way,
            backward: way,
            cost: *cost,
        };
        Topology { nodes: (0..nodes).map(|n| n.to_string()).collect(), links: links.iter().map(link).collect() }
    }

    fn next(routes: &[Option<NextLink>]) -> Vec<Option<(usize, bool)>> {
        routes.iter().map(|r| r.map(|n| (n.link, n.forward))).collect()
    }

    #[test]
    fn a_chain_leads_to_its_end() {
        let chain = topology(3, &[(0, 1, 1), (1, 2, 1)]);
        assert_eq!(next(&routes(&chain, 2)), [Some((0, true)), Some((1, true)), None]);
        assert_eq!(next(&routes(&chain, 0)), [None, Some((0, false)), Some((1, false))]);
    }

    #[test]
    fn cost_counts_before_hops_and_hops_before_order() {
        let detour = topology(3, &[(0, 2, 5), (0, 1, 2), (1, 2, 2)]);
        assert_eq!(next(&routes(&detour, 2))[0], Some((1, true)));
        let equal = topology(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 2)]);
        assert_eq!(next(&routes(&equal, 2))[0], Some((2, true)));
        let diamond = topology(4, &[(0, 2, 1), (0, 1, 1), (2, 3, 1), (1, 3, 1), (0, 1, 1)]);
        assert_eq!(next(&routes(&diamond, 3))[0], Some((1, true)), "the lower neighbour, then the first of two links");
    }

    #[test]
    fn an_island_has_no_route() {
        let islands = topology(3, &[(0, 1, 1)]);
        assert_eq!(next(&routes(&islands, 2)), [None, None, None]);
    }
}
