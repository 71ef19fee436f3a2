//! The network as a graph, and distances in it.

use crate::plan::Topology;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Cost of a path, then its number of links.
pub(super) type Length = (u64, u32);

/// A link as the node sees it that sends over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// The node at the other end.
    pub(super) to: usize,
    /// Place in [`Topology::links`].
    pub(super) link: usize,
    /// The sender is the link's end `a`.
    pub(super) forward: bool,
    /// Cost of sending over it.
    pub(super) cost: u64,
    /// Cost of the way back.
    pub(super) back: u64,
}

/// For each node its links, by the neighbour and then by the link: the order in which ties are broken.
pub(super) struct Graph(Vec<Vec<Edge>>);

impl Graph {
    pub(super) fn new(topology: &Topology) -> Graph {
        let mut edges = vec![vec![]; topology.nodes.len()];
        for (link, l) in topology.links.iter().enumerate() {
            let (there, back) = l.costs;
            edges[l.a].push(Edge { to: l.b, link, forward: true, cost: there, back });
            edges[l.b].push(Edge { to: l.a, link, forward: false, cost: back, back: there });
        }
        edges.iter_mut().for_each(|edges| edges.sort_unstable());
        Graph(edges)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn edges(&self, node: usize) -> &[Edge] {
        &self.0[node]
    }

    /// Length of the cheapest path from each node to the nearest of `targets` (Dijkstra's algorithm, from the targets
    /// outwards). No path leads through one of the nodes `closed`.
    pub(super) fn lengths(&self, targets: &[usize], closed: &[usize]) -> Vec<Option<Length>> {
        let mut lengths: Vec<Option<Length>> = vec![None; self.len()];
        let mut open: BinaryHeap<Reverse<(Length, usize)>> = targets.iter().map(|t| Reverse(((0, 0), *t))).collect();
        while let Some(Reverse((length, node))) = open.pop() {
            if lengths[node].is_some() || closed.contains(&node) {
                continue;
            }
            lengths[node] = Some(length);
            for edge in self.edges(node).iter().filter(|e| lengths[e.to].is_none()) {
                open.push(Reverse((add(length, edge.back), edge.to)));
            }
        }
        lengths
    }

    /// The best path from `from` to a node of length 0, without the nodes of which `closed` is true, and beginning
    /// with none of the links `not_first`. The best is the cheapest; then the one with fewest links; then the first in
    /// the order of the nodes and links on its way.
    ///
    /// A search guided by the `lengths` of the whole graph (A*): what is closed can only make ways longer.
    pub(super) fn best_path(
        &self,
        from: usize,
        lengths: &[Option<Length>],
        closed: impl Fn(usize) -> bool,
        not_first: &[usize],
    ) -> Option<Vec<Edge>> {
        let mut search = Search { graph: self, settled: BTreeMap::new(), dead: BTreeMap::new(), from, not_first };
        let guess = |node: usize, length: Length| lengths[node].map(|l| (length.0.saturating_add(l.0), length.1 + l.1));
        let mut open = BinaryHeap::from([Reverse((guess(from, (0, 0))?, (0, 0), from))]);
        let mut best: Option<Length> = None;
        while let Some(Reverse((total, length, node))) = open.pop() {
            // Beyond the best way only its equals matter.
            if best.is_some_and(|best| total > best) {
                break;
            }
            if search.settled.contains_key(&node) {
                continue;
            }
            let found = lengths[node] == Some((0, 0));
            search.settled.insert(node, (length, found));
            if found {
                best = Some(total);
                continue;
            }
            for edge in search.usable(node).filter(|e| !closed(e.to)) {
                let through = add(length, edge.cost);
                if let Some(total) = guess(edge.to, through) {
                    open.push(Reverse((total, through, edge.to)));
                }
            }
        }
        let best = best?;
        let mut path = Vec::new();
        search.walk(from, best, &mut path).then_some(path)
    }
}

/// What a guided search has found.
struct Search<'g> {
    graph: &'g Graph,
    /// Length from the start, and whether this is an end.
    settled: BTreeMap<usize, (Length, bool)>,
    /// Nodes from which no best way goes on.
    dead: BTreeMap<usize, ()>,
    from: usize,
    not_first: &'g [usize],
}

impl<'g> Search<'g> {
    fn usable(&self, node: usize) -> impl Iterator<Item = &'g Edge> + use<'g> {
        let (first, not_first) = (node == self.from, self.not_first);
        self.graph.edges(node).iter().filter(move |e| !first || !not_first.contains(&e.link))
    }

    /// Extends `path` from `node` to an end at length `best`, over the first edges that lead there.
    fn walk(&mut self, node: usize, best: Length, path: &mut Vec<Edge>) -> bool {
        // Iterative: a path may be as long as the network has nodes.
        let mut stack = vec![(node, self.usable(node))];
        while let Some((node, edges)) = stack.last_mut() {
            let (length, end) = self.settled[node];
            if end && length == best {
                return true;
            }
            let next = edges.find(|e| {
                let tight = self.settled.get(&e.to).is_some_and(|(there, _)| *there == add(length, e.cost));
                tight && !end && !self.dead.contains_key(&e.to)
            });
            match next {
                Some(edge) => {
                    path.push(*edge);
                    let edges = self.usable(edge.to);
                    stack.push((edge.to, edges));
                }
                None => {
                    self.dead.insert(*node, ());
                    stack.pop();
                    path.pop();
                }
            }
        }
        false
    }
}

/// One more link.
pub(super) fn add((cost, links): Length, more: u64) -> Length {
    (cost.saturating_add(more), links + 1)
}
