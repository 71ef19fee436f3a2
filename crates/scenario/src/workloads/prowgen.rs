//! `prowgen`: requests as ProWGen makes them (Busari and Williamson 2002), fetched under a control.

use super::{Scene, WorkloadKind, ends, label, part, payload, requests, sizes};
use crate::diagnostic::Diagnostic;
use crate::parts::Kind;
use crate::plan::{Requests, Stream, Workload};
use crate::quantities::{Frequency, Share, Start, text};
use crate::reader::{Read as _, TableReader};
use crate::shape::{Field, Form, Shape};
use std::sync::Arc;
use weir_core::{Arrivals, Bytes, Locality, Popularity, Prowgen, Sizes, Span, StackMode};
use weir_wire::Name;

pub(super) const KIND: WorkloadKind = WorkloadKind { name: "prowgen", shape: &SHAPE, read };

/// What ProWGen's users set when they study something else.
const DISTINCT: f64 = 0.34;
const ONE_TIMERS: f64 = 0.7;
const SLOPE: f64 = 0.75;

static SHAPE: Shape = Shape {
    about: "Requests with the five characteristics of ProWGen: one-timers, Zipf-like popularity, heavy-tailed sizes, their \
            correlation, and temporal locality.",
    example: "[[workload]]\nprowgen = { requests = 500, rate = \"20/s\" }\n",
    keys: &[&[
        Field::new("requests", Form::Whole(1, Prowgen::MOST), "Requests of all consumers together.").required(),
        Field::of::<Frequency>("rate", "Requests of each consumer, on average; they come as a Poisson process.")
            .required(),
        Field::of::<Share>("distinct", "Number of objects, as a share of the requests.").default("0.34"),
        Field::of::<Share>("one_timers", "Share of the objects that are asked for only once.").default("0.7"),
        Field::new("zipf", Form::Number(0.0, 20.0), "Slope of the popularity of the other objects.").default("0.75"),
        Field::new("size", sizes::FORM, "How large objects are.").otherwise(
            "lognormal with a mean of 7 kB and a deviation of 11 kB, and a tail of 7 % from 10 kB, index 1.2",
        ),
        Field::of::<Bytes>("mean_size", "All sizes are multiplied by one factor so that this is their mean.")
            .otherwise("as they are drawn"),
        Field::new("correlation", Form::Number(-1.0, 1.0), "Rank correlation of popularity and size.").default("0"),
        Field::new("locality", Form::Table(&LOCALITY), "Temporal locality by an LRU stack.")
            .otherwise("none: a random order"),
        Field::of::<Start>("start", "A time, a range from which each seed draws a time, or \"never\".")
            .default("\"0s\""),
        ends::CONSUMER,
        ends::PRODUCER,
        Field::of::<Name>("name", "Prefix of the names.").otherwise("`/` and the label, or `/requests`"),
        super::PAYLOAD_KEY,
        super::PACKET_LIMIT_KEY,
        Field::of::<String>(
            "label",
            "The *flow* in tables, figures and measures; `{consumer}` stands for the consumer.",
        )
        .default("\"{consumer}\""),
        Field::of::<Span>("freshness", "FreshnessPeriod of the Data; zero stands for none.").default("\"0s\""),
        Field::new("control", Form::Part(Kind::Control, false), "Consumer control instead of the scheme's."),
        Field::new("timeout", Form::Part(Kind::Timeout, false), "Retransmission timeout instead of the scheme's."),
    ]],
    more: None,
    rules: &[],
};

const MODES: [(&str, StackMode); 2] = [("static", StackMode::Static), ("dynamic", StackMode::Dynamic)];

static LOCALITY: Shape = Shape {
    about: "An LRU stack of finite depth: the objects that were asked for last.",
    example: "[[workload]]\nprowgen = { requests = 500, rate = \"20/s\", locality = { depth = 100 } }\n",
    keys: &[&[
        Field::new("depth", Form::Whole(1, Popularity::MOST), "Places of the stack.").required(),
        Field::new(
            "mode",
            Form::Words(&[MODES[0].0, MODES[1].0]),
            "Probabilities of the places: fixed, or moving with the popularity of their objects.",
        )
        .default("\"static\""),
    ]],
    more: None,
    rules: &[],
};

fn read(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let rate = table.need::<Frequency>("rate");
    let law = law(table);
    let ends = ends::read(table, scene);
    let (name, label, payload) = (table.get::<Name>("name"), label(table), payload(table));
    let freshness = table.get_or("freshness", Span::ZERO);
    let timeout = part(table, "timeout", Kind::Timeout, scene.scheme.map(|s| &s.timeout));
    let control = part(table, "control", Kind::Control, scene.scheme.map(|s| &s.control));
    let start = super::fetch::start(table);
    let (rate, law, ends, label) = (rate?.0, Arc::new(law?), ends?, label?);
    let (payload, timeout, control, ground) = (payload?, timeout?, control?, scene.ground?);
    let (prefix, origins) = requests::prefix(name, label.as_deref(), ends.iter());
    let node = |i: usize| ground.topology.nodes[i].as_str();
    let workload = |(place, end): (usize, &ends::Ends)| {
        let name = if origins { requests::below(&prefix, node(end.producers[0])) } else { prefix.clone() };
        // Those who ask one producer share a stream.
        let shares = |others: &[ends::Ends]| others.iter().filter(|e| e.producers == end.producers).count();
        let stream = Stream { law: Arc::clone(&law), place: shares(&ends[..place]), of: shares(&ends) };
        let requests = Requests {
            arrivals: Arrivals::Poisson { rate },
            content: name.clone(),
            catalogue: None,
            stream: Some(stream),
            count: None,
            sizes: Some(Sizes::Fixed(payload)),
            retries: None,
        };
        Workload {
            label: requests::label_of(label.as_deref(), node(end.consumer)),
            consumer: end.consumer,
            producers: end.producers.clone(),
            name,
            segments: None,
            requests: Some(requests),
            payload,
            freshness,
            start: (start.0, start.1),
            stop: None,
            control: control.clone(),
            timeout: timeout.clone(),
        }
    };
    Some(ends.iter().enumerate().map(workload).collect())
}

/// The five characteristics.
fn law(table: &TableReader<'_>) -> Option<Prowgen> {
    table.need_node("requests", "a whole number");
    let requests = table.count("requests", 1..=Prowgen::MOST);
    let share = |key, default| table.get_or(key, Share(default)).0;
    let (distinct, one_timers) = (share("distinct", DISTINCT), share("one_timers", ONE_TIMERS));
    let number = |key, bounds, default| match table.node(key) {
        Some(_) => table.number(key, bounds),
        None => Some(default),
    };
    let (slope, correlation) = (number("zipf", 0.0..=20.0, SLOPE), number("correlation", -1.0..=1.0, 0.0));
    let (sizes, mean_size, locality) = (sizes::read(table), mean_size(table), locality(table));
    let law = Prowgen {
        requests: requests?,
        distinct,
        one_timers,
        slope: slope?,
        sizes: sizes?.unwrap_or_else(usual_sizes),
        mean_size: mean_size?,
        correlation: correlation?,
        locality: locality?,
    };
    check_counts(&law, table)?;
    Some(law)
}

/// Two requests at least for each object that is asked for more than once.
fn check_counts(law: &Prowgen, table: &TableReader<'_>) -> Option<()> {
    if law.repeated().is_some() {
        return Some(());
    }
    let place = ["one_timers", "distinct", "requests"].into_iter().find_map(|key| Some(&table.table.get(key)?.place));
    let ((several, ones), requests) = (law.objects(), law.requests);
    let (message, help) = if several == 0 {
        let message = format!("all {ones} objects are asked for once, but there are {requests} requests");
        (message, "make `one_timers` smaller, or `distinct` 1")
    } else {
        let message = format!("{several} objects twice and {ones} once are more than {requests} requests");
        (message, "make `distinct` smaller or `one_timers` greater")
    };
    table.log.report(Diagnostic::at(place.unwrap_or(table.place), message).help(help));
    None
}

/// Busari and Williamson's.
fn usual_sizes() -> Sizes {
    let (mean, deviation, start) = (Bytes(7000), Bytes(11_000), Bytes(10_000));
    Sizes::LognormalPareto { mean, deviation, tail: 0.07, index: 1.2, start, max: None }
}

/// The outer `None` means that it is wrong.
fn mean_size(table: &TableReader<'_>) -> Option<Option<Bytes>> {
    let Some(node) = table.node("mean_size") else { return Some(None) };
    let size = Bytes::read(node, table.log)?;
    if size == Bytes(0) {
        table.log.report(Diagnostic::at(&node.place, "an object has at least one byte"));
        return None;
    }
    Some(Some(size))
}

/// The outer `None` means that it is wrong.
fn locality(table: &TableReader<'_>) -> Option<Option<Locality>> {
    if table.key("locality").is_none() {
        return Some(None);
    }
    let inner = table.table("locality")?;
    inner.need_node("depth", "a whole number");
    let depth = inner.count("depth", 1..=Popularity::MOST);
    let mode = mode(&inner);
    inner.finish();
    Some(Some(Locality { depth: depth? as usize, mode: mode? }))
}

fn mode(table: &TableReader<'_>) -> Option<StackMode> {
    let Some(node) = table.node("mode") else { return Some(StackMode::Static) };
    let word = text(node, "`\"static\"` or `\"dynamic\"`", table.log)?;
    let found = MODES.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("a stack cannot be `{word}`"));
        table.log.report(problem.suggest(word, MODES.map(|(name, _)| name)));
    }
    found.map(|(_, mode)| *mode)
}
