//! What all kinds of many requests share: who asks for which objects.

use super::ends::{self, Ends};
use super::{Scene, label, part, payload, sizes};
use crate::diagnostic::{Diagnostic, Place};
use crate::parts::Kind;
use crate::plan::{Catalogue, PartPlan, Requests, Workload};
use crate::quantities::Start;
use crate::reader::{Read as _, TableReader, count};
use crate::shape::{Field, Form, Rule};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_core::{Arrivals, Popularity, Sizes, Span, Time, TraceRequest};
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
    Field::new("size", sizes::FORM, "How large objects are. Then each is fetched in segments, under a control.")
        .otherwise("one Data"),
    Field::new("control", Form::Part(Kind::Control, false), "Consumer control of objects with a `size`."),
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
pub(super) const RULES: &[Rule] = &[
    Rule::Needs("zipf", "names"),
    Rule::Needs("q", "names"),
    Rule::Needs("q", "zipf"),
    Rule::Needs("control", "size"),
    Rule::NotBoth(&["retries", "size"]),
];

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
    let (sizes, control) = (sizes::read(table), control(table, scene));
    check_end(table, scene);
    let (ends, label, payload, timeout, stop) = (ends?, label?, payload?, timeout?, stop?);
    let (sizes, control) = (sizes?, control?);
    let (arrivals, catalogue, retries, ground) = (arrivals?, catalogue?, retries?, scene.ground?);
    let node = |i: usize| ground.topology.nodes[i].as_str();
    let (prefix, origins) = prefix(name, label.as_deref(), ends.iter());
    let workload = |Ends { consumer, producers, .. }: &Ends| {
        let label = label_of(label.as_deref(), node(*consumer));
        let name = if origins { below(&prefix, node(producers[0])) } else { prefix.clone() };
        let content = if catalogue.is_some() { name.clone() } else { below(&name, node(*consumer)) };
        Workload {
            label,
            consumer: *consumer,
            producers: producers.clone(),
            name,
            segments: None,
            requests: Some(Requests {
                arrivals: arrivals.clone(),
                content,
                catalogue,
                stream: None,
                count,
                sizes: sizes.clone(),
                retries,
            }),
            payload,
            freshness,
            start: (start.0, start.1),
            stop,
            control: control.clone(),
            timeout: timeout.clone(),
        }
    };
    Some(ends.iter().map(workload).collect())
}

/// What all names begin with, and whether each producer has names of its own below that.
pub(super) fn prefix<'e>(
    name: Option<Name>,
    label: Option<&str>,
    mut ends: impl Iterator<Item = &'e Ends>,
) -> (Name, bool) {
    let shared = label.filter(|label| !label.contains(CONSUMER)).unwrap_or("requests");
    let first = ends.next();
    let origins = ends.any(|e| first.is_some_and(|first| e.producers != first.producers));
    (name.unwrap_or_else(|| below(&Name::root(), shared)), origins)
}

/// The label of a consumer's requests.
pub(super) fn label_of(label: Option<&str>, consumer: &str) -> String {
    label.unwrap_or(CONSUMER).replace(CONSUMER, consumer)
}

/// A control of its own, for objects of several segments; the outer `None` means that it is wrong.
fn control(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Option<PartPlan>> {
    let control = part(table, "control", Kind::Control, scene.scheme.map(|s| &s.control))?;
    if let (Some(key), None) = (table.key("control"), table.key("size")) {
        let problem = Diagnostic::at(&key.place, "objects of one Data are requested without a `control`");
        table.log.report(problem.help("give them a `size`"));
        return None;
    }
    if let (Some(key), Some(_)) = (table.key("retries"), table.key("size")) {
        let problem = Diagnostic::at(&key.place, "objects with a `size` are fetched until all is there");
        table.log.report(problem.label("`retries` is for requests of one Data"));
        return None;
    }
    Some(control)
}

/// Keys of a trace.
pub(super) const TRACE_KEYS: &[Field] = &[
    super::ends::CONSUMER,
    super::ends::PRODUCER,
    Field::of::<Start>("start", "What times in the file count from; a range or \"never\" as elsewhere.")
        .default("\"0s\""),
    Field::of::<Time>("stop", "No request from here on.").otherwise("never"),
    Field::of::<Name>("name", "Prefix of the names in the file.").otherwise("`/` and the label, or `/requests`"),
    super::PAYLOAD_KEY,
    super::PACKET_LIMIT_KEY,
    Field::of::<String>("label", "The *flow* in tables, figures and measures; `{consumer}` stands for the consumer.")
        .default("\"{consumer}\""),
    Field::of::<Span>("freshness", "FreshnessPeriod of the Data; zero stands for none.").default("\"0s\""),
    Field::new("control", Form::Part(Kind::Control, false), "Consumer control instead of the scheme's."),
    Field::new("timeout", Form::Part(Kind::Timeout, false), "Retransmission timeout instead of the scheme's."),
];

/// The requests of each consumer and where it is named first; `None` for lines that name none.
pub(super) type Lists = BTreeMap<Option<String>, (Place, Vec<TraceRequest>)>;

/// The requests of a trace, which names its consumers or is for all that the workload names.
pub(super) fn of_trace(table: &TableReader<'_>, scene: &Scene<'_>, lists: Option<Lists>) -> Option<Vec<Workload>> {
    let named = lists.as_ref().is_some_and(|lists| lists.keys().any(Option::is_some));
    if let (Some(key), true) = (table.key("consumer"), named) {
        let problem = Diagnostic::at(&key.place, "the file has a column `consumer`, which says the same");
        table.log.report(problem.help("take one of the two away"));
        return None;
    }
    let ground = scene.ground?;
    let nodes = &ground.topology.nodes;
    let mut ends = Vec::new();
    if named {
        table.node("consumer");
        for (word, (place, _)) in lists.iter().flatten() {
            let word = word.as_deref().unwrap_or_default();
            let Some(consumer) = nodes.iter().position(|node| node == word) else {
                let problem = Diagnostic::at(place, format!("there is no node `{word}`"));
                table.log.report(problem.suggest(word, nodes.iter().map(String::as_str)));
                return None;
            };
            ends.push((consumer, Some(word.to_string())));
        }
    }
    let ends: Vec<(Ends, Option<String>)> = match named {
        true => {
            let of = |consumers: &[usize]| ends::with_consumers(table, scene, consumers);
            let made = of(&ends.iter().map(|(consumer, _)| *consumer).collect::<Vec<_>>())?;
            made.into_iter().zip(ends).map(|(made, (_, word))| (made, word)).collect()
        }
        false => ends::read(table, scene)?.into_iter().map(|ends| (ends, None)).collect(),
    };
    let (name, label, payload) = (table.get::<Name>("name"), label(table), payload(table));
    let freshness = table.get_or("freshness", Span::ZERO);
    let timeout = part(table, "timeout", Kind::Timeout, scene.scheme.map(|s| &s.timeout));
    let control = part(table, "control", Kind::Control, scene.scheme.map(|s| &s.control));
    let start = super::fetch::start(table);
    let stop = super::fetch::stop(table, start);
    let (label, payload, timeout, control, stop, lists) = (label?, payload?, timeout?, control?, stop?, lists?);
    let node = |i: usize| nodes[i].as_str();
    let (prefix, origins) = prefix(name, label.as_deref(), ends.iter().map(|(end, _)| end));
    let workload = |(Ends { consumer, producers, .. }, word): (Ends, Option<String>)| {
        let name = if origins { below(&prefix, node(producers[0])) } else { prefix.clone() };
        let under = |request: &TraceRequest| TraceRequest {
            name: Name::from_components(name.components().chain(request.name.components())),
            ..request.clone()
        };
        let list: Arc<[TraceRequest]> =
            lists.get(&word).map(|(_, l)| l.iter().map(under).collect()).unwrap_or_default();
        let requests = Requests {
            arrivals: Arrivals::Trace(list),
            content: name.clone(),
            catalogue: None,
            stream: None,
            count: None,
            sizes: Some(Sizes::Fixed(payload)),
            retries: None,
        };
        Workload {
            label: label_of(label.as_deref(), node(consumer)),
            consumer,
            producers,
            name,
            segments: None,
            requests: Some(requests),
            payload,
            freshness,
            start: (start.0, start.1),
            stop,
            control: control.clone(),
            timeout: timeout.clone(),
        }
    };
    Some(ends.into_iter().map(workload).collect())
}

/// `name` with one more component.
pub(super) fn below(name: &Name, component: &str) -> Name {
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
