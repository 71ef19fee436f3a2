//! Places on a plane for nodes that have none: for drawings.

use crate::plan::Topology;
use std::collections::VecDeque;

/// Networks up to this size are laid out by the lengths of their shortest paths, which takes time and memory with the
/// square of the size.
const MOST_EXACT: usize = 300;

/// Rounds of the layout by lengths: it has settled long before.
const ROUNDS: usize = 60;

/// The angle of sunflower seeds: points that are turned by it again and again never fall into line.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// A place for every node: its position, if the topology knows it, and otherwise one that makes a readable drawing. The
/// same topology always gives the same places.
pub fn places(topology: &Topology) -> Vec<(f64, f64)> {
    let neighbours = neighbours(topology);
    if topology.positions.iter().any(Option::is_some) {
        return beside_neighbours(topology, &neighbours);
    }
    let start = circles(&neighbours);
    if topology.nodes.len() <= MOST_EXACT { by_lengths(&neighbours, start) } else { start }
}

fn neighbours(topology: &Topology) -> Vec<Vec<usize>> {
    let mut neighbours = vec![vec![]; topology.nodes.len()];
    for link in &topology.links {
        neighbours[link.a].push(link.b);
        neighbours[link.b].push(link.a);
    }
    neighbours
}

/// Nodes without a position stand a little off the middle of their placed neighbours.
fn beside_neighbours(topology: &Topology, neighbours: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let mut places = topology.positions.clone();
    let known: Vec<(f64, f64)> = places.iter().copied().flatten().collect();
    let width = |axis: fn(&(f64, f64)) -> f64| {
        let values = known.iter().map(axis);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    let step = 0.03 * width(|p| p.0).max(width(|p| p.1)).max(1.0);
    let mut waiting: VecDeque<usize> = (0..places.len()).filter(|n| places[*n].is_none()).collect();
    let mut idle = 0;
    while let Some(node) = waiting.pop_front() {
        let around: Vec<(f64, f64)> = neighbours[node].iter().filter_map(|n| places[*n]).collect();
        // Wait for neighbours to be placed, unless nobody else gets any further either.
        if around.is_empty() && idle < waiting.len() {
            idle += 1;
            waiting.push_back(node);
            continue;
        }
        idle = 0;
        let around = if around.is_empty() { &known } else { &around };
        let (x, y) = centre(around);
        let angle = GOLDEN_ANGLE * node as f64;
        places[node] = Some((x + step * libm::cos(angle), y + step * libm::sin(angle)));
    }
    places.into_iter().flatten().collect()
}

fn centre(places: &[(f64, f64)]) -> (f64, f64) {
    let count = places.len().max(1) as f64;
    (places.iter().map(|p| p.0).sum::<f64>() / count, places.iter().map(|p| p.1).sum::<f64>() / count)
}

/// The node with most links in the middle, around it those one link away, then those two links away, and so on;
/// unconnected pieces stand beside each other.
fn circles(neighbours: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let mut places = vec![None; neighbours.len()];
    let mut order: Vec<usize> = (0..neighbours.len()).collect();
    order.sort_by_key(|n| (usize::MAX - neighbours[*n].len(), *n));
    let mut left = 0.0;
    for middle in order {
        if places[middle].is_some() {
            continue;
        }
        let mut rings: Vec<Vec<usize>> = vec![vec![middle]];
        places[middle] = Some((left, 0.0));
        while let Some(last) = rings.last().filter(|r| !r.is_empty()) {
            let mut ring = Vec::new();
            for next in last.iter().flat_map(|n| &neighbours[*n]) {
                if places[*next].is_none() {
                    places[*next] = Some((0.0, 0.0));
                    ring.push(*next);
                }
            }
            rings.push(ring);
        }
        let mut radius = 0.0;
        let mut placed = Vec::new();
        for ring in rings.iter().skip(1).filter(|r| !r.is_empty()) {
            // A ring is wide enough for its nodes.
            radius = f64::max(radius + 1.0, ring.len() as f64 / std::f64::consts::TAU);
            for (i, node) in ring.iter().enumerate() {
                let angle = std::f64::consts::TAU * (i as f64 + 0.5) / ring.len() as f64;
                placed.push((*node, radius * libm::cos(angle), radius * libm::sin(angle)));
            }
        }
        places[middle] = Some((left + radius, 0.0));
        placed.iter().for_each(|(node, x, y)| places[*node] = Some((left + radius + x, *y)));
        left += 2.0 * radius + 1.0;
    }
    places.into_iter().flatten().collect()
}

/// Moves nodes until their distances are about the numbers of links between them: majorisation of the stress (Gansner,
/// Koren and North, Graph Drawing 2004), one node after the other.
fn by_lengths(neighbours: &[Vec<usize>], mut places: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let lengths: Vec<Vec<Option<u32>>> = (0..places.len()).map(|node| links_between(neighbours, node)).collect();
    for _ in 0..ROUNDS {
        for node in 0..places.len() {
            let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
            for other in (0..places.len()).filter(|other| *other != node) {
                let Some(length) = lengths[node][other].map(f64::from) else { continue };
                let (dx, dy) = (places[node].0 - places[other].0, places[node].1 - places[other].1);
                let now = (dx * dx + dy * dy).sqrt().max(1e-9);
                let weight = 1.0 / (length * length);
                x += weight * (places[other].0 + length * dx / now);
                y += weight * (places[other].1 + length * dy / now);
                weights += weight;
            }
            if weights > 0.0 {
                places[node] = (x / weights, y / weights);
            }
        }
    }
    places
}

/// How many links lead from a node to each other one.
fn links_between(neighbours: &[Vec<usize>], node: usize) -> Vec<Option<u32>> {
    let mut lengths = vec![None; neighbours.len()];
    lengths[node] = Some(0);
    let mut open = VecDeque::from([(node, 0)]);
    while let Some((at, length)) = open.pop_front() {
        for next in &neighbours[at] {
            if lengths[*next].is_none() {
                lengths[*next] = Some(length + 1);
                open.push_back((*next, length + 1));
            }
        }
    }
    lengths
}
