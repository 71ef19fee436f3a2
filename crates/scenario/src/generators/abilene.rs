//! `abilene`: the research network Abilene of Internet2 as it was from 2003 to 2007: eleven routers in as many cities of
//! the United States, fourteen links. Cities and links are public facts; the coordinates are those of the cities, in
//! degrees, rounded to a hundredth.

use super::shapes::{LINK_BUT_DELAY, alike_but_delay};
use super::{Generator, Ground};
use crate::geography::{Coordinates, delay};
use crate::plan::Topology;
use crate::reader::TableReader;
use crate::shape::Shape;

pub(super) const GENERATOR: Generator = Generator { name: "abilene", shape: &SHAPE, build };

static SHAPE: Shape = Shape {
    about: "The research network Abilene as it was from 2003 to 2007: eleven routers in as many cities, fourteen links. \
            Add hosts, or name the routers that fetch and answer.",
    example: "[topology.abilene]\nrate = \"1Gbps\"\n\n\
              [[workload]]\nfetch = { consumer = \"seattle\", producer = \"new_york\", size = \"5MB\" }\n",
    keys: &[LINK_BUT_DELAY],
    more: None,
    rules: &[],
};

/// Name, latitude, longitude.
const CITIES: [(&str, f64, f64); 11] = [
    ("seattle", 47.61, -122.33),
    ("sunnyvale", 37.37, -122.04),
    ("los_angeles", 34.05, -118.24),
    ("denver", 39.74, -104.99),
    ("kansas_city", 39.10, -94.58),
    ("houston", 29.76, -95.37),
    ("chicago", 41.88, -87.63),
    ("indianapolis", 39.77, -86.16),
    ("atlanta", 33.75, -84.39),
    ("washington", 38.91, -77.04),
    ("new_york", 40.71, -74.01),
];

/// Places in [`CITIES`], from west to east.
const LINKS: [(usize, usize); 14] =
    [(0, 1), (0, 3), (1, 2), (1, 3), (2, 5), (3, 4), (4, 5), (4, 7), (5, 8), (6, 7), (6, 10), (7, 8), (8, 9), (9, 10)];

fn build(table: &TableReader<'_>) -> Option<Ground> {
    let (shape, given) = alike_but_delay(table)?;
    let place = |i: usize| Coordinates { latitude: CITIES[i].1, longitude: CITIES[i].2 };
    let link = |(a, b): (usize, usize)| {
        let shape = if given { shape } else { shape.delayed(delay(place(a), place(b))) };
        shape.between(format!("{}-{}", CITIES[a].0, CITIES[b].0), a, b)
    };
    let nodes = CITIES.iter().map(|(name, ..)| (*name).to_string()).collect();
    let places = CITIES.iter().map(|(_, latitude, longitude)| (*longitude, *latitude));
    Some(Ground::new(Topology::new(nodes, LINKS.map(link).into()).at(places), vec![], true))
}
