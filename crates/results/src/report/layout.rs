//! Where the nodes of a network are drawn if nobody says where they are.
//!
//! Stress majorisation (Gansner, Koren and North, Graph Drawing 2004): distances on the page like distances in the
//! network. It begins with a circle, uses no chance, and so always ends the same.

use std::collections::VecDeque;

/// Rounds of majorisation for `nodes` nodes: small networks, in which a bend shows, get as many as they need.
fn rounds(nodes: usize) -> usize {
    (20_000_000 / (nodes * nodes).max(1)).clamp(60, 3000)
}

/// Positions of `nodes` nodes in units of one link, joined by `edges`; `leaning` says of each how far right it belongs:
/// -1 left, 1 right, 0 anywhere.
pub(super) fn positions(nodes: usize, edges: &[(usize, usize)], leaning: &[f64]) -> Vec<(f64, f64)> {
    let distances = distances(nodes, edges);
    let circle = |node: usize| {
        let angle = core::f64::consts::TAU * node as f64 / nodes.max(1) as f64;
        (libm::cos(angle) + leaning.get(node).copied().unwrap_or(0.0), libm::sin(angle))
    };
    let mut places: Vec<(f64, f64)> = (0..nodes).map(circle).collect();
    for _ in 0..rounds(nodes) {
        for node in 0..nodes {
            places[node] = improved(node, &places, &distances[node]);
        }
    }
    turned(places, leaning)
}

/// Where the other nodes would have this one, the nearest of them with the loudest voice.
fn improved(node: usize, places: &[(f64, f64)], distances: &[f64]) -> (f64, f64) {
    let (own_x, own_y) = places[node];
    let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
    for (other, (other_x, other_y)) in places.iter().enumerate().filter(|(other, _)| *other != node) {
        let wanted = distances[other];
        let weight = 1.0 / (wanted * wanted);
        let (dx, dy) = (own_x - other_x, own_y - other_y);
        let length = libm::sqrt(dx * dx + dy * dy).max(1e-9);
        x += weight * (other_x + wanted * dx / length);
        y += weight * (other_y + wanted * dy / length);
        weights += weight;
    }
    if weights > 0.0 { (x / weights, y / weights) } else { (own_x, own_y) }
}

/// Links between each two nodes; parts that are not joined lie a little further apart than the longest way.
fn distances(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<f64>> {
    let mut adjacent = vec![Vec::new(); nodes];
    for (a, b) in edges {
        adjacent[*a].push(*b);
        adjacent[*b].push(*a);
    }
    let from = |start: usize| {
        let mut found = vec![f64::INFINITY; nodes];
        found[start] = 0.0;
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for next in &adjacent[node] {
                if found[*next].is_infinite() {
                    found[*next] = found[node] + 1.0;
                    open.push_back(*next);
                }
            }
        }
        found
    };
    let mut all: Vec<Vec<f64>> = (0..nodes).map(from).collect();
    let longest = all.iter().flatten().copied().filter(|d| d.is_finite()).fold(1.0, f64::max);
    all.iter_mut().flatten().filter(|d| d.is_infinite()).for_each(|d| *d = longest + 1.0);
    all
}

/// The long side level, and what leans left on the left.
fn turned(places: Vec<(f64, f64)>, leaning: &[f64]) -> Vec<(f64, f64)> {
    let count = places.len().max(1) as f64;
    let (middle_x, middle_y) = places.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in &places {
        let (dx, dy) = (x - middle_x, y - middle_y);
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    let angle = 0.5 * libm::atan2(2.0 * xy, xx - yy);
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let turn = |(x, y): &(f64, f64)| {
        let (dx, dy) = (x - middle_x, y - middle_y);
        (dx * cosine + dy * sine, dy * cosine - dx * sine)
    };
    let mut turned: Vec<(f64, f64)> = places.iter().map(turn).collect();
    if turned.iter().zip(leaning).map(|((x, _), lean)| x * lean).sum::<f64>() < 0.0 {
        turned.iter_mut().for_each(|(x, _)| *x = -*x);
    }
    // The first node that is not in the middle is in the upper half, as a reader expects of lists.
    if turned.iter().map(|(_, y)| *y).find(|y| y.abs() > 0.05).is_some_and(|y| y > 0.0) {
        turned.iter_mut().for_each(|(_, y)| *y = -*y);
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_a_line_from_left_to_right() {
        let places = positions(4, &[(0, 1), (1, 2), (2, 3)], &[-1.0, 0.0, 0.0, 1.0]);
        for (node, (x, y)) in places.iter().enumerate() {
            assert!((x - (node as f64 - 1.5)).abs() < 0.05 && y.abs() < 0.05, "{places:?}");
        }
    }

    #[test]
    fn a_dumbbell_keeps_its_sides() {
        let edges = [(0, 2), (1, 2), (2, 3), (3, 4), (3, 5)];
        let places = positions(6, &edges, &[-1.0, -1.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(places[0].0 < places[2].0 && places[2].0 < places[3].0 && places[3].0 < places[5].0, "{places:?}");
        assert!((places[0].1 - places[1].1).abs() > 0.8, "{places:?}");
        assert_eq!(places, positions(6, &edges, &[-1.0, -1.0, 0.0, 0.0, 1.0, 1.0]));
    }

    #[test]
    fn odd_networks_have_finite_places() {
        for (nodes, edges) in [(0, &[][..]), (1, &[]), (2, &[]), (3, &[(0, 1)]), (2, &[(0, 1), (0, 1)])] {
            assert!(positions(nodes, edges, &[]).iter().all(|(x, y)| x.is_finite() && y.is_finite()));
        }
    }
}
