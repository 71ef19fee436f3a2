//! Networks as pictures.

use super::layout;
use super::prose::escaped;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// What it is called; may be empty.
    pub title: String,
    /// Its nodes.
    pub vertices: Vec<Vertex>,
    /// Its links.
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Its name.
    pub name: String,
    /// What it does.
    pub role: Role,
    /// Where it is, `x` to the right and `y` upwards, in any unit; if any node lacks this, all are placed by rule.
    pub position: Option<(f64, f64)>,
}

/// What a node does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It passes on.
    #[default]
    Router,
    /// It asks.
    Consumer,
    /// It answers.
    Producer,
    /// It asks and answers.
    Both,
}

/// A link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edge {
    /// Its name.
    pub name: String,
    /// Its ends, as places in [`Network::vertices`].
    pub ends: (usize, usize),
    /// Beside the link, such as `10 Mbit/s, 5 ms`.
    pub label: String,
    /// Everything about it, in a sentence.
    pub about: String,
    /// How thick it is, from 0 to 1.
    pub weight: f64,
}

/// Beyond this nobody could read a drawing.
const MOST_NODES: usize = 600;

/// So many alike leaves of one node become one.
const CROWD: usize = 9;

/// With more links than this their labels would cover each other.
const MOST_LABELS: usize = 24;

/// Width of the drawing, and distance from its edge, in pixels.
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 62.0;

impl Role {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Router => "router",
            Self::Consumer => "consumer",
            Self::Producer => "producer",
            Self::Both => "consumer and producer",
        }
    }

    fn class(self) -> &'static str {
        if self == Self::Both { "both" } else { self.word() }
    }

    fn leaning(self) -> f64 {
        match self {
            Self::Consumer => -1.0,
            Self::Producer => 1.0,
            Self::Router | Self::Both => 0.0,
        }
    }
}

/// A picture with a name for those who cannot see it. `None` for a network that is too large.
pub(super) fn svg(network: &Network) -> Option<String> {
    let network = gathered(network);
    if network.vertices.len() > MOST_NODES || network.vertices.is_empty() {
        return None;
    }
    let places = places(&network);
    let height = places.iter().map(|(_, y)| *y).fold(0.0, f64::max) + MARGIN;
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"{}\">",
        height,
        escaped(&summary(&network))
    );
    let labelled = network.edges.len() <= MOST_LABELS;
    let mut between: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut labels = String::new();
    for edge in &network.edges {
        let (a, b) = (edge.ends.0.min(edge.ends.1), edge.ends.0.max(edge.ends.1));
        let number = between.entry((a, b)).or_default();
        // Links that join the same nodes bend to one side and the other.
        let bend = (*number).div_ceil(2) as f64 * if number.is_multiple_of(2) { 34.0 } else { -34.0 };
        *number += 1;
        draw_edge(edge, places[a], places[b], bend, &mut out);
        if labelled {
            label_edge(edge, places[a], places[b], bend, &mut labels);
        }
    }
    let radius = if network.vertices.len() > 60 { 6.0 } else { 9.0 };
    for (vertex, (x, y)) in network.vertices.iter().zip(&places) {
        let about = format!("{}: {}", vertex.name, vertex.role.word());
        let _ = write!(
            out,
            "<g class=\"vertex\" data-about=\"{}\"><title>{}</title>{}</g>",
            escaped(&about),
            escaped(&about),
            shape(vertex.role, *x, *y, radius)
        );
        if network.vertices.len() <= 60 {
            let _ =
                write!(labels, "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text>", y + radius + 15.0, escaped(&vertex.name));
        }
    }
    Some(out + &labels + "</svg>")
}

/// Roles are told apart by shape as well as by colour: rings route, discs ask, squares answer.
pub(super) fn shape(role: Role, x: f64, y: f64, r: f64) -> String {
    let class = role.class();
    match role {
        Role::Router | Role::Consumer => {
            format!("<circle class=\"node {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"/>")
        }
        Role::Producer => {
            let side = 1.8 * r;
            format!(
                "<rect class=\"node {class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{side:.1}\" height=\"{side:.1}\"/>",
                x - 0.9 * r,
                y - 0.9 * r
            )
        }
        Role::Both => {
            let d = 1.25 * r;
            format!(
                "<path class=\"node {class}\" d=\"M{x:.1} {:.1}l{d:.1} {d:.1}l-{d:.1} {d:.1}l-{d:.1} -{d:.1}z\"/>",
                y - d
            )
        }
    }
}

fn draw_edge(edge: &Edge, (x1, y1): (f64, f64), (x2, y2): (f64, f64), bend: f64, out: &mut String) {
    let (cx, cy) = bent((x1, y1), (x2, y2), 2.0 * bend);
    let path = format!("M{x1:.1} {y1:.1}Q{cx:.1} {cy:.1} {x2:.1} {y2:.1}");
    let (about, width) = (escaped(&edge.about), 1.2 + 2.3 * edge.weight.clamp(0.0, 1.0));
    let _ = write!(
        out,
        "<g class=\"edge\" data-about=\"{about}\"><title>{about}</title><path class=\"halo\" d=\"{path}\"/>\
         <path class=\"link\" stroke-width=\"{width:.1}\" d=\"{path}\"/></g>"
    );
}

fn label_edge(edge: &Edge, from: (f64, f64), to: (f64, f64), bend: f64, out: &mut String) {
    let (x, y) = bent(from, to, bend);
    // A level link has its label above it, a steep one in its middle.
    let above = if (to.1 - from.1).abs() < 0.35 * (to.0 - from.0).abs() { 8.0 } else { -4.0 };
    let _ = write!(out, "<text class=\"small\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>", y - above, escaped(&edge.label));
}

/// The middle between two places, moved sideways.
fn bent((x1, y1): (f64, f64), (x2, y2): (f64, f64), aside: f64) -> (f64, f64) {
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = libm::sqrt(dx * dx + dy * dy).max(1e-9);
    ((x1 + x2) / 2.0 - aside * dy / length, (y1 + y2) / 2.0 + aside * dx / length)
}

/// Pixels of all nodes.
fn places(network: &Network) -> Vec<(f64, f64)> {
    let given: Option<Vec<(f64, f64)>> = network.vertices.iter().map(|v| v.position).collect();
    let raw = match given {
        // Upwards on paper is downwards in pixels.
        Some(places) => places.into_iter().map(|(x, y)| (x, -y)).collect(),
        None => {
            let edges: Vec<(usize, usize)> = network.edges.iter().map(|e| e.ends).collect();
            let leaning: Vec<f64> = network.vertices.iter().map(|v| v.role.leaning()).collect();
            layout::positions(network.vertices.len(), &edges, &leaning)
        }
    };
    let least = |of: fn(&(f64, f64)) -> f64| raw.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| raw.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let (x0, y0) = (least(|p| p.0), least(|p| p.1));
    let (wide, high) = (most(|p| p.0) - x0, most(|p| p.1) - y0);
    let scale = ((WIDTH - 2.0 * MARGIN) / wide.max(1e-9)).min(400.0 / high.max(1e-9));
    // A single node, or all at one place.
    let scale = if scale.is_finite() { scale.min(260.0 / (0.2 * wide.max(high)).max(1e-9)) } else { 0.0 };
    let left = (WIDTH - wide * scale) / 2.0;
    raw.iter().map(|(x, y)| (left + (x - x0) * scale, MARGIN + (y - y0) * scale)).collect()
}

/// Crowds of leaves that are alike (same node, same role, same link) become one node each.
fn gathered(network: &Network) -> Network {
    let mut degree = vec![0usize; network.vertices.len()];
    network.edges.iter().for_each(|e| {
        degree[e.ends.0] += 1;
        degree[e.ends.1] += 1;
    });
    let mut crowds: BTreeMap<(usize, Role, &str), Vec<usize>> = BTreeMap::new();
    for (number, edge) in network.edges.iter().enumerate() {
        let (leaf, hub) = if degree[edge.ends.0] == 1 { edge.ends } else { (edge.ends.1, edge.ends.0) };
        if degree[leaf] == 1 && degree[hub] > 1 {
            crowds.entry((hub, network.vertices[leaf].role, edge.label.as_str())).or_default().push(number);
        }
    }
    crowds.retain(|_, edges| edges.len() >= CROWD);
    let mut gone = vec![false; network.vertices.len()];
    let mut vertices = network.vertices.clone();
    let mut edges: Vec<Option<Edge>> = network.edges.iter().cloned().map(Some).collect();
    for ((hub, ..), members) in &crowds {
        let leaf = |edge: &usize| {
            let (a, b) = network.edges[*edge].ends;
            if a == *hub { b } else { a }
        };
        let leaves: Vec<usize> = members.iter().map(leaf).collect();
        let (first, last) = (leaves[0], leaves[leaves.len() - 1]);
        let (from, to) = (&network.vertices[first].name, &network.vertices[last].name);
        vertices[first].name = format!("{from} … {to} ({})", leaves.len());
        if let Some(edge) = &mut edges[members[0]] {
            edge.about = format!("{} links, each like {}", members.len(), edge.about);
        }
        for (leaf, edge) in leaves.iter().zip(members).skip(1) {
            gone[*leaf] = true;
            edges[*edge] = None;
        }
    }
    let mut renumbered = vec![0; vertices.len()];
    let mut next = 0;
    for (number, gone) in gone.iter().enumerate() {
        renumbered[number] = next;
        next += usize::from(!gone);
    }
    let renumber = |edge: Edge| Edge { ends: (renumbered[edge.ends.0], renumbered[edge.ends.1]), ..edge };
    Network {
        title: network.title.clone(),
        vertices: vertices.into_iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(v, _)| v).collect(),
        edges: edges.into_iter().flatten().map(renumber).collect(),
    }
}

/// The network in a sentence.
fn summary(network: &Network) -> String {
    let count = |role: Role| network.vertices.iter().filter(|v| v.role == role).count();
    let parts: Vec<String> = [Role::Consumer, Role::Router, Role::Producer, Role::Both]
        .into_iter()
        .filter(|role| count(*role) > 0)
        .map(|role| format!("{} {}", count(role), role.word()))
        .collect();
    format!("Network of {} and {} links", parts.join(", "), network.edges.len())
}
