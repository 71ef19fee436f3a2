//! Kinds of traffic: one file each, one word in [`KINDS`].

mod arrivals;
mod burst;
mod ends;
mod fetch;
mod prowgen;
mod requests;
mod sizes;
mod trace;

use crate::diagnostic::{Diagnostic, Log, Place, list};
use crate::feasible;
use crate::files::Loader;
use crate::generators::Ground;
use crate::parts::Kind as PartKind;
use crate::plan::{PartPlan, SchemePlan, Workload};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Rule, Shape};
pub(crate) use ends::matches;

use ends::Ends;
use weir_core::{Bytes, Span};
use weir_wire::{Component, Name};

/// A kind of traffic that one key of `[[workload]]` describes.
pub(crate) struct WorkloadKind {
    /// Its key in `[[workload]]`.
    name: &'static str,
    /// What its table can hold.
    shape: &'static Shape,
    /// Reads its table; the caller refuses unknown keys.
    read: fn(&TableReader<'_>, &Scene<'_>) -> Option<Vec<Workload>>,
}

/// All kinds.
static KINDS: &[WorkloadKind] =
    &[fetch::KIND, burst::KIND, arrivals::POISSON, arrivals::CONSTANT, arrivals::ON_OFF, prowgen::KIND, trace::KIND];

/// `[[workload]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "Some traffic. Each `[[workload]]` has one key, its kind.",
    example: "[[workload]]\nfetch = { size = \"5MB\" }\n",
    keys: &[],
    more: Some(keys),
    rules: &[Rule::One(&[])],
};

/// The keys of the kinds in `[[workload]]`.
fn keys() -> Vec<Field> {
    KINDS.iter().map(|kind| Field::new(kind.name, Form::Table(kind.shape), kind.shape.about)).collect()
}

const PAYLOAD_KEY: Field = Field::of::<Bytes>("payload", "Bytes of content in each Data.").default("\"1040B\"");

const PACKET_LIMIT_KEY: Field =
    Field::of::<Bytes>("packet_limit", "The longest Data, header and all; packets of NDN have 8800 bytes at most.")
        .default("\"8800B\"");

/// Keys that every kind has.
static COMMON: &[Field] = &[
    ends::CONSUMER,
    ends::PRODUCER,
    Field::of::<Name>("name", "The content's name, without segment number.").otherwise("`/` and the label"),
    PAYLOAD_KEY,
    PACKET_LIMIT_KEY,
    Field::of::<String>("label", "Its name in tables, figures and measures: the *flow*.")
        .otherwise("the consumer's name"),
    Field::of::<Span>("freshness", "FreshnessPeriod of the Data; zero stands for none.").default("\"0s\""),
    Field::new("timeout", Form::Part(PartKind::Timeout, false), "Retransmission timeout instead of the scheme's."),
];

/// Payload of a Data when the file does not say: ndnSIM's packets in the papers.
const DEFAULT_PAYLOAD: Bytes = Bytes(1040);

/// Greatest payload, however long packets may be.
const MOST_PAYLOAD: u64 = 16_000_000;

/// The longest Data when the file does not say: the greatest packet of NDN's libraries.
const PACKET_LIMIT: Bytes = Bytes(weir_wire::MAX_PACKET as u64);

/// What the traffic runs on, as far as it could be read.
pub(crate) struct Scene<'a> {
    /// The network.
    pub(crate) ground: Option<&'a Ground>,
    /// The schemes in use.
    pub(crate) scheme: Option<&'a SchemePlan>,
    /// True if the run ends by itself even if a fetch does not.
    pub(crate) ends: bool,
    /// Other files that the scenario names.
    pub(crate) files: &'a Loader<'a>,
}

/// All traffic of a scenario; problems are reported.
pub(crate) fn read(root: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let tables = root.tables("workload");
    if tables.is_empty() && root.key("workload").is_none() {
        root.missing("there is no traffic: a scenario needs at least one `[[workload]]`", "workload");
    }
    let mut groups: Vec<(&Place, Vec<Workload>)> = Vec::new();
    let mut complete = !tables.is_empty();
    for table in tables {
        match one(table, scene) {
            Some(group) => groups.push(group),
            None => complete = false,
        }
    }
    // Names of contents come from labels: one clash is told once.
    if check_labels(&groups, root.log) {
        check_contents(&groups, scene, root.log);
    }
    complete.then(|| groups.into_iter().flat_map(|(_, workloads)| workloads).collect())
}

/// The fetches of one `[[workload]]`.
fn one<'a>(table: TableReader<'a>, scene: &Scene<'_>) -> Option<(&'a Place, Vec<Workload>)> {
    let names: Vec<&'static str> = KINDS.iter().map(|k| k.name).collect();
    let present = table.present(&names);
    let workloads = match present.as_slice() {
        [] => {
            table.missing(&format!("a `workload` needs one of {}", list(names.iter().copied())), names[0]);
            None
        }
        [name] => {
            let kind = KINDS.iter().find(|k| k.name == *name)?;
            let inner = table.table(kind.name)?;
            let workloads = (kind.read)(&inner, scene).filter(|w| fits(w, &inner));
            let place = inner.place;
            inner.finish();
            workloads.map(|w| (place, w))
        }
        [first, second, ..] => {
            table.exclude(first, second, "write a `[[workload]]` for each");
            None
        }
    };
    table.finish();
    workloads
}

/// A label stands for one line in tables and figures. True if all is well.
fn check_labels(groups: &[(&Place, Vec<Workload>)], log: &Log) -> bool {
    let problems = log.count();
    let mut seen: Vec<(&str, &Place)> = Vec::new();
    for (place, workloads) in groups {
        for workload in workloads {
            let label = workload.label.as_str();
            match seen.iter().find(|(other, _)| *other == label) {
                Some((_, first)) if first == place => {}
                Some((_, first)) => {
                    let problem = Diagnostic::at(place, format!("the label `{label}` is taken"));
                    let problem = problem.also(first, "by this workload");
                    log.report(
                        problem.help("give one of the two a `label` of its own (the consumer's name is the default)"),
                    );
                }
                None => seen.push((label, place)),
            }
        }
    }
    log.count() == problems
}

/// All who fetch one name must mean the same content.
fn check_contents(groups: &[(&Place, Vec<Workload>)], scene: &Scene<'_>, log: &Log) {
    let mut seen: Vec<(&Workload, &Place)> = Vec::new();
    for (place, workloads) in groups {
        for new in workloads {
            let Some((old, first)) = seen.iter().find(|(old, _)| old.name == new.name) else {
                seen.push((new, place));
                continue;
            };
            let node = |i: &usize| scene.ground.map_or("", |g| g.topology.nodes[*i].as_str());
            let nodes = |w: &Workload| list(w.producers.iter().map(node));
            let difference = if old.producers != new.producers {
                format!("comes from {} already, not from {}", nodes(old), nodes(new))
            } else if (old.segments, old.payload, old.freshness) != (new.segments, new.payload, new.freshness) {
                "is there already, with another size, payload or freshness".to_string()
            } else {
                continue;
            };
            let problem = Diagnostic::at(place, format!("the content `{}` {difference}", new.name));
            log.report(problem.also(first, "here").help("give one of the two a `name` of its own"));
        }
    }
}

/// What every kind has.
struct Common {
    ends: Vec<Ends>,
    name: Option<Name>,
    label: Option<String>,
    payload: Bytes,
    freshness: Span,
    timeout: Option<PartPlan>,
}

impl Common {
    fn read(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Common> {
        let ends = ends::read(table, scene);
        let (name, label) = (table.get::<Name>("name"), label(table));
        let payload = payload(table);
        let freshness = table.get_or("freshness", Span::ZERO);
        let timeout = part(table, "timeout", PartKind::Timeout, scene.scheme.map(|s| &s.timeout));
        Some(Common { ends: ends?, name, label: label?, payload: payload?, freshness, timeout: timeout? })
    }

    /// Label and content name of a fetch.
    fn title(&self, ends: &Ends, scene: &Scene<'_>) -> (String, Name) {
        let node = |i: usize| scene.ground.map_or_else(String::new, |g| g.topology.nodes[i].clone());
        let label = match (&self.label, ends.number) {
            (Some(label), Some(n)) => format!("{label}-{n}"),
            (Some(label), None) => label.clone(),
            (None, _) => node(ends.consumer),
        };
        let name = match (&self.name, ends.number) {
            (Some(name), Some(n)) => numbered(name, n),
            (Some(name), None) => name.clone(),
            (None, _) => Name::root().child(Component::generic(label.clone().into_bytes())),
        };
        (label, name)
    }
}

/// `name` with one more component.
fn numbered(name: &Name, number: usize) -> Name {
    name.child(Component::generic(number.to_string().into_bytes()))
}

/// The label of the file, if there is one; the outer `None` means it is wrong.
fn label(table: &TableReader<'_>) -> Option<Option<String>> {
    let Some(node) = table.node("label") else { return Some(None) };
    let label = crate::quantities::text(node, "a string", table.log)?;
    if label.is_empty() || label.chars().any(char::is_control) {
        table.log.report(Diagnostic::at(&node.place, "a label has at least one character, and no line breaks"));
        return None;
    }
    Some(Some(label.into()))
}

fn payload(table: &TableReader<'_>) -> Option<Bytes> {
    let Some(node) = table.node("payload") else { return Some(DEFAULT_PAYLOAD) };
    let payload: Bytes = crate::reader::Read::read(node, table.log)?;
    if !(1..=MOST_PAYLOAD).contains(&payload.0) {
        let message = format!("the payload of a Data is from 1 to {MOST_PAYLOAD} bytes, found {}", payload.0);
        table.log.report(Diagnostic::at(&node.place, message));
        return None;
    }
    Some(payload)
}

/// True if no Data is longer than a packet may be; reports it otherwise.
fn fits(workloads: &[Workload], table: &TableReader<'_>) -> bool {
    let limit = table.get_or("packet_limit", PACKET_LIMIT);
    let Some(longest) = workloads.iter().max_by_key(|w| feasible::longest_data(w)) else { return true };
    let (len, payload) = (feasible::longest_data(longest), longest.payload.0);
    if len <= limit.0 {
        return true;
    }
    let place = table.table.get("payload").map_or(table.place, |n| &n.place);
    let message = format!("a Data of `{}` would have {len} bytes, more than the {} of a packet", longest.name, limit.0);
    let problem =
        Diagnostic::at(place, message).note(format!("{} bytes are its name and the other fields", len - payload));
    let most = limit.0.saturating_sub(len - payload);
    table.log.report(problem.help(match table.table.get("packet_limit") {
        None => format!("up to {most} bytes of payload fit; `packet_limit` allows longer packets"),
        Some(_) => format!("up to {most} bytes of payload fit"),
    }));
    false
}

/// A part instead of the scheme's; the outer `None` means it is wrong.
fn part(
    table: &TableReader<'_>,
    key: &'static str,
    kind: PartKind,
    own: Option<&PartPlan>,
) -> Option<Option<PartPlan>> {
    let Some(node) = table.node(key) else { return Some(None) };
    crate::scheme::part(node, kind, own, table.log).map(Some)
}
