//! Schemes: any part of the registry with any parameters that its table allows.

use super::{Dice, table, text};
use crate::Document;
use toml::Value;
use weir_core::{Bytes, Entry, ParameterSpec, Rate, Settings, Site, Span};
use weir_schemes::bundles::BUNDLES;
use weir_schemes::registry::{CONTROLS, MONITORS, QUEUES, RECOVERIES, STRATEGIES, TIMEOUTS};

/// Draws `[scheme]`.
pub(super) fn scheme(dice: &mut Dice, document: &mut Document) {
    let mut scheme = Document::new();
    if dice.happens(0.3) {
        let bundle = dice.whole(0, BUNDLES.len() as u64 - 1) as usize;
        scheme.insert("name".into(), text(BUNDLES[bundle].name));
    }
    let mut put = |key: &str, part: Option<Value>| part.and_then(|part| scheme.insert(key.into(), part));
    put("control", dice.happens(0.8).then(|| control(dice)));
    put("timeout", dice.happens(0.7).then(|| timeout(dice)));
    put("queue", dice.happens(0.8).then(|| part(dice, QUEUES)));
    put("host_queue", dice.happens(0.4).then(|| part(dice, QUEUES)));
    put("strategy", dice.happens(0.8).then(|| part(dice, STRATEGIES)));
    put("recovery", dice.happens(0.5).then(|| part(dice, RECOVERIES)));
    put("monitor", (!MONITORS.is_empty() && dice.happens(0.3)).then(|| part(dice, MONITORS)));
    document.insert("scheme".into(), Value::Table(scheme));
}

/// Parts that are exchanged in the course of a run, and that something uses.
pub(super) fn exchange(dice: &mut Dice, document: &Document) -> Document {
    let workloads = document.get("workload").and_then(Value::as_array).into_iter().flatten();
    let fetches: Vec<&Value> = workloads.filter_map(|workload| workload.get("fetch")).collect();
    let uses = |part: &str| fetches.iter().any(|fetch| fetch.get(part).is_none());
    let mut parts = Document::new();
    while parts.is_empty() {
        let mut put = |key: &str, part: Option<Value>| part.and_then(|part| parts.insert(key.into(), part));
        put("control", (uses("control") && dice.happens(0.3)).then(|| control(dice)));
        put("timeout", (uses("timeout") && dice.happens(0.3)).then(|| timeout(dice)));
        put("queue", dice.happens(0.3).then(|| part(dice, QUEUES)));
        put("host_queue", dice.happens(0.2).then(|| part(dice, QUEUES)));
        put("strategy", dice.happens(0.3).then(|| part(dice, STRATEGIES)));
        put("recovery", dice.happens(0.3).then(|| part(dice, RECOVERIES)));
    }
    parts
}

pub(super) fn control(dice: &mut Dice) -> Value {
    part(dice, CONTROLS)
}

pub(super) fn timeout(dice: &mut Dice) -> Value {
    part(dice, TIMEOUTS)
}

fn part<B>(dice: &mut Dice, entries: &[Entry<B>]) -> Value {
    let entry = &entries[dice.whole(0, entries.len() as u64 - 1) as usize];
    let mut part = table([("name", text(entry.name))]);
    let mut settings = Settings::new();
    for spec in (entry.parameters)() {
        if !dice.happens(0.3) {
            continue;
        }
        let Some(value) = setting(dice, &spec) else { continue };
        settings.push((spec.name.into(), as_setting(&value)));
        // What parameters forbid each other is the part's own knowledge.
        match (entry.build)(&settings, &Site::default()) {
            Ok(_) => drop(part.insert(spec.name.into(), value)),
            Err(_) => drop(settings.pop()),
        }
    }
    Value::Table(part)
}

fn as_setting(value: &Value) -> weir_core::Value {
    match value {
        Value::Boolean(b) => weir_core::Value::Bool(*b),
        Value::Integer(i) => weir_core::Value::Integer(*i),
        Value::Float(f) => weir_core::Value::Number(*f),
        other => weir_core::Value::Text(other.as_str().unwrap_or_default().into()),
    }
}

/// A value for a parameter: mostly of the order of its default, sometimes anything that the table allows and that a
/// world can come to an end with.
fn setting(dice: &mut Dice, spec: &ParameterSpec) -> Option<Value> {
    let default = spec.default.trim_matches('"');
    if !spec.default.starts_with('"') {
        return match default {
            "true" | "false" => Some(Value::Boolean(dice.happens(0.5))),
            _ if spec.kind == "whole number" => {
                let number = number(dice, default.parse().ok()?, spec.range, 10_000.0).round();
                Some(Value::Integer(number as i64))
            }
            _ => Some(Value::Float(number(dice, default.parse().ok()?, spec.range, 10_000.0))),
        };
    }
    if let Ok(span) = default.parse::<Span>() {
        let micros = (number(dice, span.seconds(), spec.range, 30.0) * 1e6).round() as u64;
        // A timer of microseconds makes more events than a world can have.
        let never_zero = spec.range.is_some_and(|(low, _)| low > 0.0);
        // Nor has one that cannot grow beyond the round trip.
        let least = if spec.name == "max" { 20_000_000 } else { 500 };
        return Some(text(format!("{}us", if never_zero { micros.max(least) } else { micros })));
    }
    if let Ok(rate) = default.parse::<Rate>() {
        // A rate at which nothing moves has no end.
        let rate = number(dice, rate.0 as f64, spec.range, 1e9).max(300e3);
        return Some(text(format!("{}bps", rate.round() as u64)));
    }
    if let Ok(bytes) = default.parse::<Bytes>() {
        // Neither has a queue that no packet fits into.
        let bytes = number(dice, bytes.0 as f64, spec.range, 1e7).max(9_500.0);
        return Some(text(format!("{}B", bytes.round() as u64)));
    }
    let words: Vec<&str> = spec.kind.split(" or ").map(|word| word.trim_matches('"')).collect();
    (words.len() > 1).then(|| text(dice.one(&words)))
}

fn number(dice: &mut Dice, default: f64, range: Option<(f64, f64)>, most: f64) -> f64 {
    let (low, high) = range.unwrap_or((0.0, f64::INFINITY));
    let high = high.min(most.max(low));
    let drawn = match default {
        _ if dice.happens(0.05) => low,
        _ if dice.happens(0.05) => high,
        d if d > 0.0 && d.is_finite() => d * dice.scale(0.125, 8.0),
        _ => low.max(0.0) + dice.0.unit() * (high - low.max(0.0)).min(1.0),
    };
    // Six digits are enough to repeat it, and easier to read.
    let digits = 10f64.powi(6 - drawn.abs().max(1e-9).log10().ceil() as i32);
    ((drawn * digits).round() / digits).clamp(low, high)
}
