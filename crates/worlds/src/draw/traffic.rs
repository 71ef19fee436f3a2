//! Who fetches what.

use super::network::Network;
use super::{Dice, int, parts, table, text};
use crate::Document;
use toml::Value;

/// Draws `[[workload]]`.
///
/// Where tables of pending Interests are bounded, two fetches can hold what the other one waits for, and repeat their
/// Interests before these expire, for ever. So there every fetch is given up some day, unless all go one way.
pub(super) fn draw(dice: &mut Dice, network: &Network, document: &mut Document) {
    let bounded = document.get("tables").is_some_and(|tables| tables.get("pit").is_some());
    let count = dice.whole(1, 4);
    let mut workloads: Vec<Value> = Vec::new();
    for number in 0..count {
        let (kind, mut workload) = match dice.whole(0, 9) {
            0 if !bounded => ("burst", burst(dice, number, network)),
            1 | 2 => requests(dice, number, network),
            3 if !bounded => ("prowgen", prowgen(dice, number, network)),
            _ => ("fetch", fetch(dice, number, network)),
        };
        // All go one way over the one path of a chain, a tree or a dumbbell.
        let one_way = !workload.contains_key("consumer") && !document.contains_key("routing");
        if bounded && !one_way {
            let end = stop(dice);
            workload.entry("stop").or_insert(end);
            if workload.get("retries") == Some(&text("unlimited")) {
                workload.remove("retries");
            }
        }
        workloads.push(Value::Table(table([(kind, Value::Table(workload))])));
        // A second consumer of the same content.
        if kind == "fetch" && dice.happens(0.3) {
            workloads.extend(twin(dice, number, network, workloads.last()));
        }
    }
    document.insert("workload".into(), Value::Array(workloads));
}

/// A label, a content, and the nodes at its ends.
fn ends(dice: &mut Dice, number: u64, network: &Network) -> Document {
    let mut ends = table([("label", text(format!("f{number}"))), ("name", text(format!("/content/{number}")))]);
    if network.nodes.is_empty() || network.pairs && dice.happens(0.4) {
        return ends;
    }
    let (consumer, producer) = dice.two(network.nodes.len());
    let third = dice.whole(0, network.nodes.len() as u64 - 1) as usize;
    ends.insert("consumer".into(), text(&network.nodes[consumer]));
    let producer = &network.nodes[producer];
    let second = &network.nodes[third];
    let several = third != consumer && second != producer && dice.happens(0.2);
    let producers = || Value::Array(vec![text(producer), text(second)]);
    ends.insert("producer".into(), if several { producers() } else { text(producer) });
    ends
}

fn fetch(dice: &mut Dice, number: u64, network: &Network) -> Document {
    let mut fetch = ends(dice, number, network);
    fetch.insert("segments".into(), int(dice.scale(1.0, 2000.0) as u64));
    fetch.insert("payload".into(), payload(dice));
    fetch.insert("start".into(), start(dice));
    if dice.happens(0.2) {
        fetch.insert("freshness".into(), text(format!("{}ms", dice.whole(1, 4000))));
    }
    if dice.happens(0.3) {
        fetch.insert("control".into(), parts::control(dice));
    }
    if dice.happens(0.2) {
        fetch.insert("timeout".into(), parts::timeout(dice));
    }
    // One that is given up needs not have an end of its own.
    if dice.happens(0.15) {
        fetch.insert("stop".into(), stop(dice));
        if dice.happens(0.3) {
            fetch.remove("segments");
            fetch.insert("stop".into(), text("3001ms"));
        }
    }
    fetch
}

fn twin(dice: &mut Dice, number: u64, network: &Network, of: Option<&Value>) -> Option<Value> {
    let original = of?.get("fetch")?.as_table()?;
    let producers = match original.get("producer")? {
        Value::Array(producers) => producers.clone(),
        one => vec![one.clone()],
    };
    if network.nodes.len() <= producers.len() {
        return None;
    }
    let mut fetch = original.clone();
    let consumer = loop {
        let consumer = &network.nodes[dice.whole(0, network.nodes.len() as u64 - 1) as usize];
        if !producers.contains(&text(consumer)) {
            break consumer;
        }
    };
    fetch.insert("consumer".into(), text(consumer));
    fetch.insert("label".into(), text(format!("f{number}b")));
    fetch.insert("start".into(), start(dice));
    Some(Value::Table(table([("fetch", Value::Table(fetch))])))
}

fn burst(dice: &mut Dice, number: u64, network: &Network) -> Document {
    let mut burst = ends(dice, number, network);
    // At least one Data of the greatest size.
    let rate = dice.scale(300.0, 60_000.0) as u64;
    burst.insert("rate".into(), text(format!("{rate}kbps")));
    burst.insert("duration".into(), text(format!("{}ms", 64_000 / rate + dice.whole(1, 60))));
    burst.insert("payload".into(), payload(dice));
    let times = (0..dice.whole(1, 3)).map(|n| text(format!("{}ms", n * 1500 + dice.whole(0, 1000))));
    burst.insert("at".into(), Value::Array(times.collect()));
    burst
}

/// Many requests, each for an object.
fn requests(dice: &mut Dice, number: u64, network: &Network) -> (&'static str, Document) {
    let mut flow = ends(dice, number, network);
    flow.insert("label".into(), text(format!("f{number} of {{consumer}}")));
    if let Some(Value::Array(producers)) = flow.get("producer").cloned() {
        flow.insert("producer".into(), producers[0].clone());
    }
    let kind = dice.one(&["poisson", "constant", "on_off"]);
    flow.insert("rate".into(), text(format!("{}/s", dice.scale(1.0, 500.0) as u64)));
    if dice.happens(0.6) {
        flow.insert("names".into(), int(dice.scale(1.0, 5000.0) as u64));
        flow.insert("zipf".into(), Value::Float(dice.whole(0, 15) as f64 / 10.0));
        if dice.happens(0.3) {
            flow.insert("q".into(), Value::Float(dice.whole(0, 40) as f64));
        }
    }
    if kind == "on_off" {
        for (key, word) in [("periods", ["exponential", "fixed"]), ("arrivals", ["poisson", "constant"])] {
            if dice.happens(0.5) {
                flow.insert(key.into(), text(dice.one(&word)));
            }
        }
        for key in ["on", "off"] {
            flow.insert(key.into(), text(format!("{}ms", dice.whole(20, 2000))));
        }
    }
    flow.insert("payload".into(), payload(dice));
    flow.insert("start".into(), start(dice));
    match dice.happens(0.6) {
        true => flow.insert("count".into(), int(dice.scale(1.0, 500.0) as u64)),
        false => flow.insert("stop".into(), text(format!("{}ms", dice.whole(3001, 6000)))),
    };
    match dice.whole(0, 3) {
        0 => drop(flow.insert("retries".into(), text("unlimited"))),
        1 => drop(flow.insert("retries".into(), int(dice.whole(0, 4)))),
        _ => {}
    }
    (kind, flow)
}

/// Requests with the characteristics of ProWGen, few and for small objects.
fn prowgen(dice: &mut Dice, number: u64, network: &Network) -> Document {
    let mut flow = ends(dice, number, network);
    flow.insert("label".into(), text(format!("f{number} of {{consumer}}")));
    if let Some(Value::Array(producers)) = flow.get("producer").cloned() {
        flow.insert("producer".into(), producers[0].clone());
    }
    flow.insert("requests".into(), int(dice.whole(20, 60)));
    flow.insert("rate".into(), text(format!("{}/s", dice.scale(1.0, 100.0) as u64)));
    flow.insert("correlation".into(), Value::Float(dice.whole(0, 20) as f64 / 10.0 - 1.0));
    flow.insert("mean_size".into(), text(format!("{}B", dice.whole(1, 20_000))));
    flow.insert("payload".into(), payload(dice));
    flow.insert("start".into(), start(dice));
    if dice.happens(0.5) {
        let mode = dice.one(&["static", "dynamic"]);
        let stack = table([("depth", int(dice.whole(1, 30))), ("mode", text(mode))]);
        flow.insert("locality".into(), Value::Table(stack));
    }
    flow
}

fn stop(dice: &mut Dice) -> Value {
    text(format!("{}ms", dice.whole(3001, 20_000)))
}

fn payload(dice: &mut Dice) -> Value {
    match dice.happens(0.5) {
        true => text("1040B"),
        false => text(format!("{}B", dice.whole(1, 8000))),
    }
}

fn start(dice: &mut Dice) -> Value {
    match dice.happens(0.4) {
        true => text("0s"),
        false => text(format!("0s..{}ms", dice.whole(1, 3000))),
    }
}
