//! `random_geometric`: nodes at random places of a square, with a link between any two that are near enough.

use super::shapes::{LINK_BUT_DELAY, SEED, alike_but_delay};
use super::{Generator, Ground, LinkShape, islands, numbered};
use crate::geography::delay_of;
use crate::plan::{Link, Topology};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use weir_core::Seed;

pub(super) const GENERATOR: Generator = Generator { name: "random_geometric", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "Nodes `n1`, `n2`, ... at random places of a square, with a link between any two that are near enough; pieces \
            that are left are joined by the shortest links. Add hosts, or name the nodes that fetch and answer.",
    example: "[topology.random_geometric]\nnodes = 20\nside = 1000\nradius = 300\nrate = \"100Mbps\"\n\n\
              [[workload]]\nfetch = { consumer = \"n1\", producer = \"n20\", size = \"5MB\" }\n",
    keys: &[
        &[
            Field::new("nodes", Form::Whole(2, MOST_NODES), "How many nodes.").required(),
            Field::new("side", Form::Number(0.001, MOST_KM), "Side of the square in kilometres.").required(),
            Field::new("radius", Form::Number(0.001, MOST_KM), "Greatest length of a link in kilometres.").required(),
            SEED,
        ],
        LINK_BUT_DELAY,
    ],
    more: None,
    rules: &[],
};

/// Every pair of nodes is looked at.
const MOST_NODES: u64 = 5000;

/// Longer than the way around the Earth is surely a mistake.
const MOST_KM: f64 = 100_000.0;

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let nodes = table.need::<u64>("nodes").and(table.count("nodes", 2..=MOST_NODES));
    let length = |key| table.need::<f64>(key).and(table.number(key, 0.001..=MOST_KM));
    let (side, radius) = (length("side"), length("radius"));
    let seed = table.get_or("seed", 1);
    let shape = alike_but_delay(table);
    let (nodes, side, radius, (shape, given)) = (nodes? as usize, side?, radius?, shape?);
    let mut chance = Seed(seed).of("topology").of("random_geometric").stream();
    let places: Vec<(f64, f64)> = (0..nodes).map(|_| (chance.unit() * side, chance.unit() * side)).collect();
    let link = |(a, b): (usize, usize)| {
        let shape: LinkShape = if given { shape } else { shape.delayed(delay_of(distance(places[a], places[b]))) };
        shape.between(format!("n{}-n{}", a + 1, b + 1), a, b)
    };
    let links: Vec<Link> = ends(&places, radius).into_iter().map(link).collect();
    Some(Ground::new(Topology::new(numbered("n", nodes).collect(), links).at(places.clone()), vec![], true))
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (x, y) = (a.0 - b.0, a.1 - b.1);
    (x * x + y * y).sqrt()
}

/// Pairs that are near enough; then, as long as the network is in pieces, the shortest links that join each piece with
/// another one.
fn ends(places: &[(f64, f64)], radius: f64) -> Vec<(usize, usize)> {
    let pairs = || (0..places.len()).flat_map(|a| (a + 1..places.len()).map(move |b| (a, b)));
    let mut ends: Vec<(usize, usize)> = pairs().filter(|(a, b)| distance(places[*a], places[*b]) <= radius).collect();
    loop {
        let islands = islands(places.len(), ends.iter().copied());
        if islands.iter().all(|i| *i == 0) {
            return ends;
        }
        let mut shortest: Vec<Option<(f64, (usize, usize))>> = vec![None; places.len()];
        for (a, b) in pairs().filter(|(a, b)| islands[*a] != islands[*b]) {
            let length = distance(places[a], places[b]);
            for island in [islands[a], islands[b]] {
                // Of equal ones the first pair stays, for both pieces alike: so no two pieces are joined twice.
                if shortest[island].is_none_or(|(known, _)| length < known) {
                    shortest[island] = Some((length, (a, b)));
                }
            }
        }
        let mut new: Vec<(usize, usize)> = shortest.into_iter().flatten().map(|(_, pair)| pair).collect();
        new.sort_unstable();
        new.dedup();
        ends.extend(new);
    }
}
