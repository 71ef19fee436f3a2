//! `poisson`, `constant` and `on_off`: many requests, which differ in when they come.

use super::{Scene, WorkloadKind, requests};
use crate::diagnostic::Diagnostic;
use crate::plan::Workload;
use crate::quantities::{Frequency, text};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use weir_core::{Arrivals, Period, Span};

pub(super) const POISSON: WorkloadKind = WorkloadKind { name: "poisson", shape: &POISSON_SHAPE, read: poisson };
pub(super) const CONSTANT: WorkloadKind = WorkloadKind { name: "constant", shape: &CONSTANT_SHAPE, read: constant };
pub(super) const ON_OFF: WorkloadKind = WorkloadKind { name: "on_off", shape: &ON_OFF_SHAPE, read: on_off };

const RATE: Field = Field::of::<Frequency>("rate", "Requests of each consumer, on average.").required();

static POISSON_SHAPE: Shape = Shape {
    about: "Requests that come independently of each other: the gaps between them are exponential.",
    example: "[[workload]]\npoisson = { rate = \"100/s\", names = 1000, zipf = 0.8 }\n",
    keys: &[&[RATE], requests::KEYS],
    more: None,
    rules: requests::RULES,
};

static CONSTANT_SHAPE: Shape = Shape {
    about: "Requests at equal distances.",
    example: "[[workload]]\nconstant = { rate = \"100/s\", names = 1000, zipf = 0.8 }\n",
    keys: &[&[RATE], requests::KEYS],
    more: None,
    rules: requests::RULES,
};

const ARRIVALS: [&str; 2] = ["poisson", "constant"];
const PERIODS: [&str; 2] = ["exponential", "fixed"];

static ON_OFF_SHAPE: Shape = Shape {
    about: "Bursts: requests in on periods, silence in the off periods between.",
    example: "[[workload]]\non_off = { rate = \"500/s\", on = \"200ms\", off = \"800ms\", names = 1000, zipf = 0.8 }\n",
    keys: &[
        &[
            Field::of::<Frequency>("rate", "Requests of each consumer while it is on, on average.").required(),
            Field::of::<Span>("on", "Length of the periods with requests (mean length if they are exponential).")
                .required(),
            Field::of::<Span>("off", "Length of the periods without.").required(),
            Field::new("arrivals", Form::Words(&ARRIVALS), "How requests come while it is on.").default("\"poisson\""),
            Field::new("periods", Form::Words(&PERIODS), "How long periods are: drawn, or all the same.")
                .default("\"exponential\""),
        ],
        requests::KEYS,
    ],
    more: None,
    rules: requests::RULES,
};

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
    let poisson = word(table, "arrivals", ARRIVALS);
    let exponential = word(table, "periods", PERIODS);
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
