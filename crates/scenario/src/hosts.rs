//! `[[topology.hosts]]`: consumers and producers, each at the end of a link of its own, added to any network.

use crate::diagnostic::{Diagnostic, list};
use crate::generators::{ACCESS_DELAY, Ground, HOST_LINK, LinkShape, cost, is_name, loss, queue};
use crate::plan::Topology;
use crate::quantities::Both;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Rule, Shape};
use crate::topology::find_node;
use crate::tree::Node;
use std::collections::{BTreeMap, BTreeSet};
use weir_core::Seed;

/// More hosts are surely a mistake.
const MOST_HOSTS: usize = 100_000;

const ROLES: [&str; 2] = ["consumer", "producer"];

/// `[[topology.hosts]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "Consumers and producers, each at the end of a link of its own, added to the network. `forward` is from a \
            consumer, and toward a producer.",
    example: "[topology.abilene]\nrate = \"1Gbps\"\n\n\
              [[topology.hosts]]\nat = \"all\"\nrole = \"consumer\"\nrate = \"100Mbps\"\nchoose = 3\n\n\
              [[topology.hosts]]\nat = \"denver\"\nrole = \"producer\"\nrate = \"1Gbps\"\n",
    keys: &[
        &[
            Field::new(
                "at",
                Form::Either(&[Form::Word, Form::List(&Form::Word, 0)]),
                "Where they stand: a node, a list of nodes, `\"leaves\"` (nodes with a single link) or `\"all\"`.",
            )
            .required(),
            Field::new("role", Form::Words(&ROLES), "What they are for: fetches go from consumers to producers.")
                .otherwise("neither, unless a workload names them"),
            Field::new("count", Form::Whole(1, MOST_HOSTS as u64), "How many at each node.").default("1"),
            Field::new("choose", Form::Whole(1, MOST_HOSTS as u64), "At so many of the nodes, drawn by `seed`.")
                .otherwise("at all of them"),
            Field::of::<u64>("seed", "What the nodes are drawn by.").default("1"),
            Field::new("name", Form::Word, "Beginning of their names, a number behind it.")
                .otherwise("`c`, `p`, or `h` without a role"),
        ],
        HOST_LINK,
    ],
    more: None,
    rules: &[Rule::Needs("seed", "choose")],
};

/// The network with the hosts of all tables; problems are reported.
pub(crate) fn add(table: &TableReader<'_>, ground: Option<Ground>) -> Option<Ground> {
    let tables = table.tables("hosts");
    let (mut consumers, mut producers) = (vec![], vec![]);
    let Some(Ground { topology, pairs, mut whole, .. }) = ground else {
        // What stands in them cannot be judged, but their keys are known.
        for table in tables {
            Hosts::read(&table);
            table.finish();
        }
        return None;
    };
    if tables.is_empty() {
        return Some(Ground::new(topology, pairs, whole));
    }
    let mut new = New::of(topology);
    for table in tables {
        let hosts = Hosts::read(&table).and_then(|hosts| Some((hosts.nodes(&table, &new.base)?, hosts)));
        let added = hosts.and_then(|(at, hosts)| new.add(&table, &at, &hosts));
        match (added, table.table.get("role").and_then(Node::text)) {
            (None, _) => whole = false,
            (Some(nodes), Some("producer")) => producers.extend(nodes),
            (Some(nodes), Some(_)) => consumers.extend(nodes),
            (Some(_), None) => {}
        }
        table.finish();
    }
    let pairs = paired(pairs, consumers, producers);
    Some(Ground::new(new.whole(), pairs, whole))
}

/// Consumers with producers in turn, as far as hosts have these roles; the network's own where they have not.
fn paired(own: Vec<(usize, usize)>, mut consumers: Vec<usize>, mut producers: Vec<usize>) -> Vec<(usize, usize)> {
    if consumers.is_empty() && producers.is_empty() {
        return own;
    }
    let distinct = |all: Vec<usize>| -> Vec<usize> {
        let mut seen = BTreeSet::new();
        all.into_iter().filter(|n| seen.insert(*n)).collect()
    };
    if consumers.is_empty() {
        consumers = distinct(own.iter().map(|(c, _)| *c).collect());
    }
    if producers.is_empty() {
        producers = distinct(own.iter().map(|(_, p)| *p).collect());
    }
    // Without a producer there is no pair.
    consumers.into_iter().zip(producers.into_iter().cycle()).collect()
}

/// One table, as far as it says the same of any network.
struct Hosts<'a> {
    at: &'a Node,
    shape: LinkShape,
    count: usize,
    prefix: String,
    choose: Option<usize>,
    seed: u64,
}

impl<'a> Hosts<'a> {
    fn read(table: &TableReader<'a>) -> Option<Hosts<'a>> {
        let at = table.need_node("at", "a node, a list of nodes, `\"leaves\"` or `\"all\"`");
        let rate = table.need("rate");
        let delay = table.get_or("delay", Both(ACCESS_DELAY, ACCESS_DELAY));
        let (loss, queue, cost) = (loss(table, "loss"), queue(table, "queue"), cost(table));
        let count = table.count("count", 1..=MOST_HOSTS as u64).unwrap_or(1) as usize;
        let choose = table.count("choose", 1..=MOST_HOSTS as u64).map(|n| n as usize);
        let seed = table.get_or("seed", 1);
        if let (Some(key), None) = (table.key("seed"), table.key("choose")) {
            let problem = Diagnostic::at(&key.place, "a `seed` without `choose` has nothing to draw");
            table.log.report(problem);
        }
        let role = table.node("role").map(|node| role(node, table));
        let name = table.node("name").map(|node| prefix(node, table));
        let initial = role.map_or(Some("h"), |role| role.map(|r| &r[..1]))?;
        let prefix = name.unwrap_or_else(|| Some(initial.into()))?;
        let shape = LinkShape { rate: rate?, delay, loss, queue, cost };
        Some(Hosts { at: at?, shape, count, prefix, choose, seed })
    }

    /// The nodes at which they stand.
    fn nodes(&self, table: &TableReader<'_>, base: &Base) -> Option<Vec<usize>> {
        let node = self.at;
        let mut at: Vec<usize> = match node.text() {
            Some("all") if !base.names.iter().any(|n| n == "all") => (0..base.names.len()).collect(),
            Some("leaves") if !base.names.iter().any(|n| n == "leaves") => base.leaves(node, table)?,
            _ => {
                let found: Vec<Option<usize>> =
                    node.elements().iter().map(|n| find_node(n, &base.names, table.log)).collect();
                found.into_iter().collect::<Option<_>>()?
            }
        };
        if let Some(choose) = self.choose {
            if choose > at.len() {
                let place = table.table.get("choose").map_or(table.place, |n| &n.place);
                let message = format!("cannot choose {choose} of {} nodes", at.len());
                table.log.report(Diagnostic::at(place, message));
                return None;
            }
            let mut chance = Seed(self.seed).of("topology").of("hosts").of(&self.prefix).stream();
            for i in 0..choose {
                let j = i + chance.below((at.len() - i) as u64) as usize;
                at.swap(i, j);
            }
            at.truncate(choose);
        }
        if at.len().saturating_mul(self.count) > MOST_HOSTS {
            table.log.report(Diagnostic::at(table.place, format!("these are more than {MOST_HOSTS} hosts")));
            return None;
        }
        Some(at)
    }
}

fn role<'n>(node: &'n Node, table: &TableReader<'_>) -> Option<&'n str> {
    let word = crate::quantities::text(node, &format!("one of {}", list(ROLES)), table.log)?;
    if !ROLES.contains(&word) {
        let problem = Diagnostic::at(&node.place, format!("`{word}` is no role of a host"));
        table.log.report(problem.suggest(word, ROLES));
        return None;
    }
    Some(word)
}

fn prefix(node: &Node, table: &TableReader<'_>) -> Option<String> {
    let text = crate::quantities::text(node, "the beginning of their names", table.log)?;
    if !is_name(text) {
        let problem = Diagnostic::at(&node.place, format!("`{text}` cannot be the beginning of a node's name"));
        table.log.report(problem.note("names have letters, digits, `_`, `-` and `.`"));
        return None;
    }
    Some(text.into())
}

/// The network without its hosts.
struct Base {
    names: Vec<String>,
    degrees: Vec<usize>,
}

impl Base {
    /// Nodes with a single link.
    fn leaves(&self, node: &Node, table: &TableReader<'_>) -> Option<Vec<usize>> {
        let leaves: Vec<usize> = (0..self.names.len()).filter(|n| self.degrees[*n] == 1).collect();
        if leaves.is_empty() {
            table.log.report(Diagnostic::at(&node.place, "this network has no leaves: no node has a single link"));
            return None;
        }
        Some(leaves)
    }
}

/// A network that grows.
struct New {
    base: Base,
    topology: Topology,
    names: BTreeSet<String>,
    /// Of each beginning of names the last number given.
    numbers: BTreeMap<String, usize>,
    /// How many hosts each node of the base has, for their positions.
    hosts: Vec<usize>,
    /// How far from its node a host is drawn.
    radius: f64,
}

impl New {
    fn of(topology: Topology) -> New {
        let mut degrees = vec![0; topology.nodes.len()];
        topology.links.iter().flat_map(|l| [l.a, l.b]).for_each(|n| degrees[n] += 1);
        let (names, hosts) = (topology.nodes.iter().cloned().collect(), vec![0; degrees.len()]);
        let lengths: Vec<f64> = topology
            .links
            .iter()
            .filter_map(|l| {
                let (a, b) = (topology.positions[l.a]?, topology.positions[l.b]?);
                Some((a.0 - b.0).abs() + (a.1 - b.1).abs())
            })
            .collect();
        let radius = if lengths.is_empty() { 1.0 } else { 0.3 * lengths.iter().sum::<f64>() / lengths.len() as f64 };
        let base = Base { names: topology.nodes.clone(), degrees };
        New { base, topology, names, numbers: BTreeMap::new(), hosts, radius }
    }

    /// Adds the hosts of one table and answers with their places among the nodes.
    fn add(&mut self, table: &TableReader<'_>, at: &[usize], hosts: &Hosts<'_>) -> Option<Vec<usize>> {
        let mut added = Vec::with_capacity(at.len() * hosts.count);
        for router in at.iter().flat_map(|router| std::iter::repeat_n(*router, hosts.count)) {
            let number = self.numbers.entry(hosts.prefix.clone()).or_default();
            *number += 1;
            let name = format!("{}{number}", hosts.prefix);
            if !self.names.insert(name.clone()) {
                let place = table.table.get("name").map_or(table.place, |n| &n.place);
                let problem = Diagnostic::at(place, format!("there is a node `{name}` already"));
                table.log.report(problem.help("give these hosts a `name` of their own: the beginning of their names"));
                return None;
            }
            let node = self.topology.nodes.len();
            // The way of Interests from consumers is forward, and so is the way to a producer.
            let link = format!("{name}-{}", self.topology.nodes[router]);
            let link = match table.table.get("role").and_then(Node::text) {
                Some("producer") => {
                    hosts.shape.between(format!("{}-{name}", self.topology.nodes[router]), router, node)
                }
                _ => hosts.shape.between(link, node, router),
            };
            self.topology.links.push(link);
            self.topology.nodes.push(name);
            let place = self.topology.positions[router].map(|place| self.around(place, router));
            self.topology.positions.push(place);
            added.push(node);
        }
        Some(added)
    }

    /// Around its node, each host a golden angle further than the one before, so that none hides another.
    fn around(&mut self, (x, y): (f64, f64), router: usize) -> (f64, f64) {
        const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
        let angle = GOLDEN_ANGLE * self.hosts[router] as f64 + 0.7;
        self.hosts[router] += 1;
        (x + self.radius * libm::cos(angle), y + self.radius * libm::sin(angle))
    }

    fn whole(self) -> Topology {
        let Topology { nodes, positions, links } = self.topology;
        Topology { positions, ..Topology::new(nodes, links) }
    }
}
