//! What all kinds of many requests share: who asks for which objects.

use super::ends::{self, Ends};
use super::{Scene, label, part, payload};
use crate::diagnostic::Diagnostic;
use crate::parts::Kind;
use crate::plan::{Catalogue, Requests, Workload};
use crate::quantities::Start;
use crate::reader::{Read as _, TableReader, count};
use crate::shape::{Field, Form, Rule};
use weir_core::{Arrivals, Popularity, Span, Time};
use weir_wire::{Component, Name};

/// What stands in a label for the name of the consumer.
const CONSUMER: &str = "{consumer}";

/// Interests sent again before a request is given up, when the file does not say: as `ndncatchunks` does.
const RETRIES: u32 = 15;

/// Keys of all kinds of requests.
pub(super) const KEYS: &[Field] = &[
    Field::new("names", Form::Whole(1, Popularity::MOST), "How many objects there are to ask for.")
        .otherwise("each request is for a new one"),
    Field::new("zipf", Form::Number(0.0, 20.0), "Exponent of the popularity of names, by Zipf's law.").default("0"),
    Field::new("q", Form::Number(0.0, 1e9), "Plateau of the popularity, by the law of Zipf and Mandelbrot.")
        .default("0"),
    Field::new("count", Form::Whole(1, u64::MAX), "Requests of each consumer.").otherwise("no end"),
    Field::of::<Start>("start", "A time, a range from which each seed draws a time, or \"never\".").default("\"0s\""),
    Field::of::<Time>("stop", "When requests end.").otherwise("never"),
    Field::new(
        "retries",
        Form::Either(&[Form::Whole(0, 1_000_000), Form::Words(&["unlimited"])]),
        "How often the Interest of a request is sent again before it is given up.",
    )
    .default("15"),
    super::ends::CONSUMER,
    super::ends::PRODUCER,
    Field::of::<Name>("name", "Prefix of the names.").otherwise("`/` and the label, or `/requests`"),
    super::PAYLOAD_KEY,
    super::PACKET_LIMIT_KEY,
    Field::of::<String>("label", "The *flow* in tables, figures and measures; `{consumer}` stands for the consumer.")
        .default("\"{consumer}\""),
    Field::of::<Span>("freshness", "FreshnessPeriod of the Data; zero stands for none.").default("\"0s\""),
    Field::new("timeout", Form::Part(Kind::Timeout, false), "Retransmission timeout instead of the scheme's."),
];

/// What holds between them.
pub(super) const RULES: &[Rule] = &[Rule::Needs("zipf", "names"), Rule::Needs("q", "names"), Rule::Needs("q", "zipf")];

/// The requests of all consumers of one `[[workload]]`.
pub(super) fn read(table: &TableReader<'_>, scene: &Scene<'_>, arrivals: Option<Arrivals>) -> Option<Vec<Workload>> {
    let ends = ends::read(table, scene);
    let (name, label, payload) = (table.get::<Name>("name"), label(table), payload(table));
    let freshness = table.get_or("freshness", Span::ZERO);
    let timeout = part(table, "timeout", Kind::Timeout, scene.scheme.map(|s| &s.timeout));
    let start = super::fetch::start(table);
    let stop = super::fetch::stop(table, start);
    let count = table.count("count", 1..=u64::MAX);
    let (catalogue, retries) = (catalogue(table), retries(table));
    check_end(table, scene);
    let (ends, label, payload, timeout, stop) = (ends?, label?, payload?, timeout?, stop?);
    let (arrivals, catalogue, retries, ground) = (arrivals?, catalogue?, retries?, scene.ground?);
    let node = |i: usize| ground.topology.nodes[i].as_str();
    let shared = label.as_deref().filter(|label| !label.contains(CONSUMER)).unwrap_or("requests");
    let prefix = name.unwrap_or_else(|| below(&Name::root(), shared));
    let origins = ends.iter().any(|e| e.producers != ends[0].producers);
    let workload = |Ends { consumer, producers, .. }: &Ends| {
        let label = label.as_deref().unwrap_or(CONSUMER).replace(CONSUMER, node(*consumer));
        let name = if origins { below(&prefix, node(producers[0])) } else { prefix.clone() };
        let content = if catalogue.is_some() { name.clone() } else { below(&name, node(*consumer)) };
        Workload {
            label,
            consumer: *consumer,
            producers: producers.clone(),
            name,
            segments: None,
            requests: Some(Requests { arrivals, content, catalogue, count, retries }),
            payload,
            freshness,
            start: (start.0, start.1),
            stop,
            control: None,
            timeout: timeout.clone(),
        }
    };
    Some(ends.iter().map(workload).collect())
}

/// `name` with one more component.
fn below(name: &Name, component: &str) -> Name {
    name.child(Component::generic(component.as_bytes().to_vec()))
}

/// How many objects there are, and how popular they are; the outer `None` means that it is wrong.
fn catalogue(table: &TableReader<'_>) -> Option<Option<Catalogue>> {
    let objects = table.node("names").map(|node| count(node, &(1..=Popularity::MOST), table.log));
    let number = |key, most| match table.node(key) {
        Some(_) => table.number(key, 0.0..=most),
        None => Some(0.0),
    };
    let (exponent, plateau) = (number("zipf", 20.0), number("q", 1e9));
    let Some(objects) = objects else {
        for key in ["zipf", "q"] {
            if let Some(key) = table.key(key) {
                let message = format!("`{}` says how popular names are, but there are no `names`", key.text);
                table.log.report(Diagnostic::at(&key.place, message).help("give their number, as in `names = 10_000`"));
                return None;
            }
        }
        return Some(None);
    };
    if let (Some(q), None) = (table.key("q"), table.key("zipf")) {
        let problem = Diagnostic::at(&q.place, "`q` has no effect without `zipf`: all names are equally popular");
        table.log.report(problem.help("give the exponent, as in `zipf = 0.7`"));
        return None;
    }
    Some(Some(Catalogue { objects: objects?, exponent: exponent?, plateau: plateau? }))
}

/// How often an Interest is sent again; the outer `None` means that it is wrong.
fn retries(table: &TableReader<'_>) -> Option<Option<u32>> {
    let Some(node) = table.node("retries") else { return Some(Some(RETRIES)) };
    if node.text() == Some("unlimited") {
        return Some(None);
    }
    if node.text().is_some() {
        let problem = Diagnostic::at(&node.place, "expected a whole number or `\"unlimited\"`");
        table.log.report(problem);
        return None;
    }
    u64::read(node, table.log)?;
    count(node, &(0..=1_000_000), table.log).map(|n| Some(n as u32))
}

/// Something must end: the requests or the run.
fn check_end(table: &TableReader<'_>, scene: &Scene<'_>) {
    if !scene.ends && table.key("count").is_none() && table.key("stop").is_none() {
        let message = "these requests never end: give them a `count` or `stop`, or give `[run]` a `duration`";
        table.missing(message, "count");
    }
}
