//! What goes wrong: impaired links, and what happens in the course of a run. All of it is over before long.

use super::network::{self, Network};
use super::{Dice, parts, table, text};
use crate::Document;
use toml::Value;

/// Draws `[[impairment]]`.
pub(super) fn impairments(dice: &mut Dice, network: &Network, document: &mut Document) {
    let mut links = network.links.clone();
    let mut all = Vec::new();
    while !links.is_empty() && (all.is_empty() || network.named) && dice.happens(0.25) {
        // A direction has one impairment at most.
        let link = links.swap_remove(dice.whole(0, links.len() as u64 - 1) as usize);
        let mut impairment = table([("link", text(link))]);
        if dice.happens(0.5) {
            let kind = dice.one(&["uniform", "exponential", "normal"]);
            let jitter = table([(kind, text(format!("{}us", dice.scale(10.0, 20_000.0) as u64)))]);
            impairment.insert("jitter".into(), Value::Table(jitter));
            impairment.insert("overtaking".into(), Value::Boolean(dice.happens(0.5)));
        }
        if dice.happens(0.3) {
            let delay = text(format!("{}us", dice.scale(10.0, 20_000.0) as u64));
            let reorder = table([("share", share(dice, 0.2)), ("delay", delay)]);
            impairment.insert("reorder".into(), Value::Table(reorder));
        }
        if dice.happens(0.3) {
            impairment.insert("duplicate".into(), share(dice, 0.2));
        }
        if impairment.len() == 1 || dice.happens(0.3) {
            let bursts = table([("p", share(dice, 0.05)), ("r", Value::Float(dice.whole(2, 9) as f64 / 10.0))]);
            impairment.insert("bursts".into(), Value::Table(bursts));
        }
        all.push(Value::Table(impairment));
    }
    if !all.is_empty() {
        document.insert("impairment".into(), Value::Array(all));
    }
}

fn share(dice: &mut Dice, most: f64) -> Value {
    Value::Float((dice.scale(0.001, most) * 1e4).round() / 1e4)
}

/// Draws `[[at]]`.
pub(super) fn timeline(dice: &mut Dice, network: &Network, document: &mut Document) {
    let workloads = document.get("workload").and_then(Value::as_array).into_iter().flatten();
    let endless = workloads.filter_map(Value::as_table).flat_map(Document::values).any(|w| w.get("stop").is_some());
    let mut all = Vec::new();
    while dice.happens(0.35) {
        let time = dice.whole(0, 4000);
        let later = time + dice.whole(1, 3000);
        let mut at = |time: u64, what: &str, value: Value| {
            all.push(Value::Table(table([("time", text(format!("{time}ms"))), (what, value)])));
        };
        let link = |dice: &mut Dice| match network.links.is_empty() {
            true => text("*"),
            false => text(&network.links[dice.whole(0, network.links.len() as u64 - 1) as usize]),
        };
        match dice.whole(0, 5) {
            0 | 1 => {
                let link = link(dice);
                let mut down = table([("link", link.clone())]);
                if dice.happens(0.7) {
                    down.insert("packets".into(), text(dice.one(&["wait", "drop", "vanish"])));
                }
                at(time, "down", Value::Table(down));
                at(later, "up", link);
            }
            2 if network.named => {
                let mut change = table([("name", link(dice))]);
                change.insert("delay".into(), network::delay(dice));
                for (key, value) in [("rate", network::rate as fn(&mut Dice) -> Value), ("queue", network::queue)] {
                    if dice.happens(0.5) {
                        change.insert(key.into(), value(dice));
                    }
                }
                at(time, "link", Value::Table(change));
            }
            3 if !network.nodes.is_empty() => {
                let node = dice.whole(0, network.nodes.len() as u64 - 1) as usize;
                at(time, "restart", text(&network.nodes[node]));
            }
            4 => at(time, "scheme", Value::Table(parts::exchange(dice, document))),
            // One that is started again forgets when it was to be given up.
            _ if endless => {}
            _ => {
                at(time, "stop", text("*"));
                at(later, "start", text("*"));
            }
        }
    }
    if !all.is_empty() {
        document.insert("at".into(), Value::Array(all));
    }
}
