//! `poisson`, `constant` and `on_off`: many requests, which differ in when they come.

use super::{Scene, WorkloadKind, requests};
use crate::diagnostic::Diagnostic;
use crate::plan::Workload;
use crate::quantities::{Frequency, text};
use crate::reader::TableReader;
use weir_core::{Arrivals, Period, Span};

pub(super) const POISSON: WorkloadKind = WorkloadKind { name: "poisson", read: poisson };
pub(super) const CONSTANT: WorkloadKind = WorkloadKind { name: "constant", read: constant };
pub(super) const ON_OFF: WorkloadKind = WorkloadKind { name: "on_off", read: on_off };

fn poisson(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let rate = table.need::<Frequency>("rate");
    requests::read(table, scene, rate.map(|rate| Arrivals::Poisson { rate: rate.0 }))
}

fn constant(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let rate = table.need::<Frequency>("rate");
    requests::read(table, scene, rate.map(|rate| Arrivals::Constant { rate: rate.0 }))
}

fn on_off(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let rate = table.need::<Frequency>("rate");
    let (on, off) = (period(table, "on"), period(table, "off"));
    let poisson = word(table, "arrivals", ["poisson", "constant"]);
    let exponential = word(table, "periods", ["exponential", "fixed"]);
    let arrivals = || {
        let (Frequency(rate), on, off) = (rate?, on?, off?);
        if on.seconds() * rate < LEAST_PER_PERIOD {
            let place = table.table.get("on").map_or(table.place, |n| &n.place);
            let message = format!("in {on} at {rate} requests a second there is hardly ever a request");
            table.log.report(Diagnostic::at(place, message).help("make `on` longer or `rate` greater"));
            return None;
        }
        let period = |span| if exponential? { Some(Period::Exponential(span)) } else { Some(Period::Fixed(span)) };
        Some(Arrivals::OnOff { rate, poisson: poisson?, on: period(on)?, off: period(off)? })
    };
    requests::read(table, scene, arrivals())
}

/// Fewer requests in an on period, on average, are surely a mistake.
const LEAST_PER_PERIOD: f64 = 0.01;

fn period(table: &TableReader<'_>, key: &'static str) -> Option<Span> {
    let span = table.need::<Span>(key)?;
    if span == Span::ZERO {
        let place = table.table.get(key).map_or(table.place, |n| &n.place);
        table.log.report(Diagnostic::at(place, format!("periods of 0 make no sense for `{key}`")));
        return None;
    }
    Some(span)
}

/// True for the first of two words, which is the default; `None` for neither.
fn word(table: &TableReader<'_>, key: &'static str, words: [&'static str; 2]) -> Option<bool> {
    let Some(node) = table.node(key) else { return Some(true) };
    let given = text(node, &format!("`\"{}\"` or `\"{}\"`", words[0], words[1]), table.log)?;
    if !words.contains(&given) {
        let problem = Diagnostic::at(&node.place, format!("`{key}` cannot be `{given}`"));
        table.log.report(problem.suggest(given, words));
        return None;
    }
    Some(given == words[0])
}
