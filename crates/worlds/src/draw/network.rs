//! Nodes, links and routes.

use super::{Dice, int, table, text};
use crate::Document;
use toml::Value;

/// Nodes that can have consumers and producers.
pub(super) struct Network {
    pub nodes: Vec<String>,
    /// The file can leave the ends of a workload to the generator.
    pub pairs: bool,
    /// What links, or all links of some nodes, can be called.
    pub links: Vec<String>,
    /// These are the names of links.
    pub named: bool,
}

impl Network {
    fn of(nodes: Vec<String>, pairs: bool) -> Network {
        Network { links: nodes.clone(), nodes, pairs, named: false }
    }
}

/// Draws `[topology]` and `[routing]`.
pub(super) fn draw(dice: &mut Dice, document: &mut Document) -> Network {
    let (topology, network) = match dice.whole(0, 9) {
        0 => linear(dice),
        1 => dumbbell(dice),
        2 => chains_and_trees(dice),
        3 => random(dice),
        _ => graph(dice),
    };
    document.insert("topology".into(), Value::Table(topology));
    if dice.happens(0.6) {
        document.insert("routing".into(), routing(dice));
    }
    network
}

fn routing(dice: &mut Dice) -> Value {
    match dice.one(&["shortest", "k-shortest", "downhill", "loop-free", "all"]) {
        word @ "k-shortest" => Value::Table(table([("kind", text(word)), ("k", int(dice.whole(1, 4)))])),
        word => text(word),
    }
}

fn linear(dice: &mut Dice) -> (Document, Network) {
    let routers = dice.whole(0, 4);
    let mut chain = table([("routers", int(routers))]);
    for (key, value) in link(dice) {
        chain.insert(key, value);
    }
    let names = (1..=routers).map(|n| format!("r{n}"));
    let nodes = ["consumer".to_string()].into_iter().chain(names).chain(["producer".to_string()]).collect();
    (table([("linear", Value::Table(chain))]), Network::of(nodes, true))
}

fn dumbbell(dice: &mut Dice) -> (Document, Network) {
    let flows = dice.whole(1, 4);
    let [middle, access] = [link(dice), link(dice)];
    let mut bell = table([("flows", int(flows))]);
    for (key, value) in middle {
        bell.insert(if key == "rate" { "bottleneck".into() } else { key }, value);
    }
    for key in ["rate", "delay", "queue", "loss"] {
        let name = if key == "rate" { "access".to_string() } else { format!("access_{key}") };
        access.get(key).map(|value| bell.insert(name, value.clone()));
    }
    let nodes = (1..=flows).flat_map(|n| [format!("c{n}"), format!("p{n}")]);
    let nodes = nodes.chain(["r1".into(), "r2".into()]).collect();
    (table([("dumbbell", Value::Table(bell))]), Network::of(nodes, true))
}

/// Generators that know who fetches from whom.
fn chains_and_trees(dice: &mut Dice) -> (Document, Network) {
    let (name, shape) = match dice.whole(0, 2) {
        0 => ("parking_lot", table([("hops", int(dice.whole(1, 4)))])),
        1 => ("tree", table([("depth", int(dice.whole(1, 3))), ("branching", int(dice.whole(1, 3)))])),
        _ => ("grid", table([("rows", int(dice.whole(2, 3))), ("columns", int(dice.whole(1, 4)))])),
    };
    let shape = shape.into_iter().chain(link(dice)).collect();
    (table([(name, Value::Table(shape))]), Network::of(Vec::new(), true))
}

/// Generators of larger networks, with hosts or without.
fn random(dice: &mut Dice) -> (Document, Network) {
    let count = dice.whole(3, 12);
    let seed = ("seed", int(dice.whole(1, 1000)));
    let numbered = |count: u64| (1..=count).map(|n| format!("n{n}")).collect::<Vec<String>>();
    let (name, shape, nodes) = match dice.whole(0, 2) {
        0 => ("abilene", Document::new(), ["seattle", "denver", "new_york", "houston"].map(String::from).to_vec()),
        1 => {
            let side = ("side", int(1000));
            let shape = table([("nodes", int(count)), side, ("radius", int(dice.whole(100, 900))), seed]);
            ("random_geometric", shape, numbered(count))
        }
        _ => {
            let shape = table([("nodes", int(count)), ("links", int(dice.whole(1, 2))), seed]);
            ("barabasi_albert", shape, numbered(count))
        }
    };
    let shape = shape.into_iter().chain(link(dice)).collect();
    let mut topology = table([(name, Value::Table(shape))]);
    if dice.happens(0.5) {
        return (topology, Network::of(nodes, false));
    }
    let hosts = ["consumer", "producer"].map(|role| {
        let place = dice.whole(0, nodes.len() as u64 - 1) as usize;
        let own = table([("at", text(&nodes[place])), ("role", text(role))]);
        Value::Table(own.into_iter().chain(link(dice)).collect())
    });
    topology.insert("hosts".into(), Value::Array(hosts.to_vec()));
    (topology, Network::of(Vec::new(), true))
}

/// A tree with some more links, parallel ones included.
fn graph(dice: &mut Dice) -> (Document, Network) {
    let count = dice.whole(2, 9) as usize;
    let nodes: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
    let mut ends: Vec<(usize, usize)> = (1..count).map(|n| (dice.0.below(n as u64) as usize, n)).collect();
    for _ in 0..dice.whole(0, 1 + count as u64 / 2) {
        ends.push(dice.two(count));
    }
    let links = ends.into_iter().enumerate().map(|(number, (a, b))| {
        let mut link = link(dice);
        link.insert("between".into(), Value::Array(vec![text(&nodes[a]), text(&nodes[b])]));
        link.insert("name".into(), text(format!("l{number}")));
        if dice.happens(0.3) {
            link.insert("cost".into(), int(dice.whole(1, 9)));
        }
        Value::Table(link)
    });
    let links: Vec<Value> = links.collect();
    let link_names = (0..links.len()).map(|number| format!("l{number}")).collect();
    let links = Value::Array(links);
    let names = Value::Array(nodes.iter().map(text).collect());
    let network = Network { nodes, pairs: false, links: link_names, named: true };
    (table([("nodes", names), ("link", links)]), network)
}

/// Rate, delay, queue and what goes wrong on a link.
pub(super) fn link(dice: &mut Dice) -> Document {
    let mut link = table([("rate", both(dice, rate)), ("delay", both(dice, delay)), ("queue", both(dice, queue))]);
    if dice.happens(0.3) {
        link.insert("loss".into(), both(dice, loss));
    }
    link
}

/// One value for both directions, or one for each.
fn both(dice: &mut Dice, value: fn(&mut Dice) -> Value) -> Value {
    match dice.happens(0.8) {
        true => value(dice),
        false => Value::Table(table([("forward", value(dice)), ("backward", value(dice))])),
    }
}

pub(super) fn rate(dice: &mut Dice) -> Value {
    text(format!("{}kbps", dice.scale(500.0, 1_000_000.0) as u64))
}

pub(super) fn delay(dice: &mut Dice) -> Value {
    match dice.happens(0.1) {
        true => text("0ms"),
        false => text(format!("{}us", dice.scale(10.0, 60_000.0) as u64)),
    }
}

/// Every packet fits into an empty queue.
pub(super) fn queue(dice: &mut Dice) -> Value {
    match dice.happens(0.7) {
        true => text(format!("{}p", dice.scale(1.0, 128.0) as u64)),
        false => text(format!("{}B", dice.scale(9_500.0, 120_000.0) as u64)),
    }
}

fn loss(dice: &mut Dice) -> Value {
    Value::Float((dice.scale(0.000_1, 0.15) * 1e4).round() / 1e4)
}
