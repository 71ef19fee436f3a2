//! The k shortest paths without repeated nodes, by Yen's algorithm (Management Science 17(11), 1971, 712-716).

use super::graph::{Edge, Graph, Length, add};
use super::{NextHop, Routes, hop};
use std::collections::BTreeSet;

/// A path as it is ordered: by length, then by the nodes and links on its way.
type Ranked = (Length, Vec<Edge>);

/// For each node the first links of its `k` best paths, each at the cost of the best of them that begins with it.
pub(super) fn k_shortest(graph: &Graph, lengths: &[Option<Length>], k: usize) -> Routes {
    Routes::each(graph.len(), |node| {
        if lengths[node].is_none_or(|l| l.0 == 0) {
            return vec![];
        }
        let mut hops: Vec<NextHop> = Vec::new();
        for (length, path) in yen(graph, lengths, node, k) {
            let Some(first) = path.first() else { continue };
            if hops.iter().all(|h| h.link != first.link) {
                hops.push(hop(first, length));
            }
        }
        hops
    })
}

/// The `k` best paths of `node`, best first.
fn yen(graph: &Graph, lengths: &[Option<Length>], node: usize, k: usize) -> Vec<Ranked> {
    let mut found: Vec<Ranked> = Vec::new();
    let mut candidates: BTreeSet<Ranked> = BTreeSet::new();
    candidates.extend(graph.best_path(node, lengths, |_| false, &[]).map(ranked));
    while let Some(best) = candidates.pop_first() {
        found.push(best);
        if found.len() == k {
            break;
        }
        candidates.extend(deviations(graph, lengths, node, &found));
    }
    found
}

/// For each node of the last path found, the best path that shares the way there and then goes one that none of the
/// paths found has gone.
fn deviations(graph: &Graph, lengths: &[Option<Length>], node: usize, found: &[Ranked]) -> Vec<Ranked> {
    let Some((_, last)) = found.last() else { return vec![] };
    let mut at = node;
    let mut visited: Vec<usize> = Vec::new();
    let mut deviations = Vec::new();
    for (i, edge) in last.iter().enumerate() {
        let root = &last[..i];
        let gone: Vec<usize> =
            found.iter().filter(|(_, path)| path.starts_with(root)).filter_map(|(_, p)| Some(p.get(i)?.link)).collect();
        if let Some(rest) = graph.best_path(at, lengths, |n| visited.contains(&n), &gone) {
            deviations.push(ranked([root, &rest].concat()));
        }
        visited.push(at);
        at = edge.to;
    }
    deviations
}

fn ranked(path: Vec<Edge>) -> Ranked {
    (path.iter().fold((0, 0), |length, edge| add(length, edge.cost)), path)
}
