//! `scheme`: a named bundle, whole or with parts replaced. Every setting is tried on the registry's builder, so that
//! what passes here can be built.

use crate::diagnostic::{Diagnostic, Log, list};
use crate::parts::Kind;
use crate::plan::{PartPlan, SchemePlan};
use crate::reader::{TableReader, refuse};
use crate::shape::{Field, Form, Shape};
use crate::tree::{Content, Key, Node};
use weir_core::{Settings, Value};
use weir_schemes::bundles::{self, BUNDLES, Bundle, Part};

/// The bundle of a file that names none.
const DEFAULT_SCHEME: &str = "icp";

/// Queue of consumer and producer hosts, whose own faces are not what is studied.
const DEFAULT_HOST_QUEUE: &str = "droptail";

/// What `scheme` can be.
pub(crate) const FORM: Form = Form::Either(&[Form::Bundle, Form::Table(&SHAPE)]);

/// `[scheme]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "A bundle of parts under one name, each of which can be replaced. A part is a name, or a table of settings \
            with or without a `name`; without one the settings are for the bundle's own part.",
    example: "[scheme]\nname = \"pcon\"\nrecovery = \"plr\"\n",
    keys: &[&[
        Field::new("name", Form::Bundle, "The bundle that supplies every part not given here.").default("\"icp\""),
        Field::new("control", Form::Part(Kind::Control, false), "Consumer control: window or rate."),
        Field::new("timeout", Form::Part(Kind::Timeout, false), "When an Interest counts as lost."),
        Field::new("queue", Form::Part(Kind::Queue, false), "Queue of every router face."),
        Field::new("host_queue", Form::Part(Kind::Queue, false), "Queue of every host: a node with a single link.")
            .default("\"droptail\""),
        Field::new("strategy", Form::Part(Kind::Strategy, false), "Forwarding strategy of every router."),
        Field::new("recovery", Form::Part(Kind::Recovery, true), "In-network recovery of every router face."),
        Field::new("monitor", Form::Part(Kind::Monitor, true), "Node monitor of every router."),
    ]],
    more: None,
    rules: &[],
};

/// The schemes in use; problems are reported.
pub(crate) fn read(node: Option<&Node>, log: &Log) -> Option<SchemePlan> {
    let Some(node) = node else { return Some(bare(bundles::find(DEFAULT_SCHEME).ok()?)) };
    match &node.content {
        Content::Text(_) => Some(bare(bundle(node, log)?)),
        Content::Table(_) => opened(TableReader::new(node, "scheme", &SHAPE, log)?),
        _ => {
            refuse(node, "the name of a scheme or a table", log);
            None
        }
    }
}

/// A bundle as it stands.
fn bare(bundle: &Bundle) -> SchemePlan {
    SchemePlan {
        name: bundle.name.into(),
        control: plan(&bundle.control),
        timeout: plan(&bundle.timeout),
        queue: plan(&bundle.queue),
        host_queue: PartPlan { name: DEFAULT_HOST_QUEUE.into(), settings: vec![] },
        strategy: plan(&bundle.strategy),
        recovery: bundle.recovery.as_ref().map(plan),
        monitor: bundle.monitor.as_ref().map(plan),
    }
}

fn plan(part: &Part) -> PartPlan {
    PartPlan { name: part.name.into(), settings: part.values() }
}

fn bundle(node: &Node, log: &Log) -> Option<&'static Bundle> {
    let name = crate::quantities::text(node, "the name of a scheme", log)?;
    let found = BUNDLES.iter().find(|b| b.name == name);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("there is no scheme `{name}`"));
        log.report(problem.suggest(name, BUNDLES.iter().map(|b| b.name)));
    }
    found
}

/// A bundle with parts replaced.
fn opened(table: TableReader<'_>) -> Option<SchemePlan> {
    let bundle = match table.node("name") {
        Some(node) => bundle(node, table.log),
        None => bundles::find(DEFAULT_SCHEME).ok(),
    };
    // Without a bundle the parts can still be checked, against any.
    let base = bare(bundle.or(BUNDLES.first())?);
    let need = |key: &'static str, kind: Kind, own: &PartPlan| match table.node(key) {
        Some(node) => part(node, kind, Some(own), table.log),
        None => Some(own.clone()),
    };
    let may = |key: &'static str, kind: Kind, own: &Option<PartPlan>| match table.node(key) {
        Some(node) if is_none(node, kind, table.log) => Some(None),
        Some(node) => part(node, kind, own.as_ref(), table.log).map(Some),
        None => Some(own.clone()),
    };
    let control = need("control", Kind::Control, &base.control);
    let timeout = need("timeout", Kind::Timeout, &base.timeout);
    let queue = need("queue", Kind::Queue, &base.queue);
    let host_queue = need("host_queue", Kind::Queue, &base.host_queue);
    let strategy = need("strategy", Kind::Strategy, &base.strategy);
    let recovery = may("recovery", Kind::Recovery, &base.recovery);
    let monitor = may("monitor", Kind::Monitor, &base.monitor);
    table.finish();
    Some(SchemePlan {
        name: bundle?.name.into(),
        control: control?,
        timeout: timeout?,
        queue: queue?,
        host_queue: host_queue?,
        strategy: strategy?,
        recovery: recovery?,
        monitor: monitor?,
    })
}

/// True for `"none"`; settings beside it are reported.
pub(crate) fn is_none(node: &Node, kind: Kind, log: &Log) -> bool {
    let name = node.get("name").unwrap_or(node);
    if name.text() != Some("none") {
        return false;
    }
    let settings = node.table().map_or(&[][..], |t| &t.entries);
    if let Some((key, _)) = settings.iter().find(|(k, _)| k.text != "name") {
        let message = format!("`{}` is a setting of a {}, but there is none", key.text, kind.what());
        log.report(Diagnostic::at(&key.place, message).also(&name.place, "switched off here"));
    }
    true
}

/// One part: its name, or a table of settings with an optional name. `own` is what stands there otherwise.
pub(crate) fn part(node: &Node, kind: Kind, own: Option<&PartPlan>, log: &Log) -> Option<PartPlan> {
    let what = kind.what();
    let (name_node, entries) = match &node.content {
        Content::Text(_) => (Some(node), &[][..]),
        Content::Table(table) => (table.get("name"), &table.entries[..]),
        _ => {
            refuse(node, &format!("the name of a {what} or a table of its settings"), log);
            return None;
        }
    };
    let name = match (name_node, own) {
        (Some(node), _) => known_name(node, kind, log)?,
        (None, Some(own)) => own.name.clone(),
        (None, None) => {
            let message = format!("this scheme has no {what} of its own, so its settings need a `name`");
            log.report(Diagnostic::at(&node.place, message).note(format!("known here: {}", list(kind.names()))));
            return None;
        }
    };
    let given = settings(&name, kind, entries, log)?;
    let inherited = own.filter(|own| own.name == name).map_or(vec![], |own| own.settings.clone());
    Some(PartPlan { name, settings: merge(inherited, given) })
}

/// The name of a part, if the registry has it.
fn known_name(node: &Node, kind: Kind, log: &Log) -> Option<String> {
    let what = kind.what();
    let name = crate::quantities::text(node, &format!("the name of a {what}"), log)?;
    if kind.names().contains(&name) {
        return Some(name.into());
    }
    let problem = Diagnostic::at(&node.place, format!("there is no {what} `{name}`"));
    log.report(match Kind::ALL.into_iter().find(|other| other.names().contains(&name)) {
        Some(other) => {
            let problem = problem.label(format!("`{name}` is a {}", other.what()));
            problem.note(format!("known here: {}", list(kind.names())))
        }
        None if kind.names().is_empty() => problem.label(format!("this version has no {what} yet")),
        None if name == "none" => problem.label(format!("a scheme cannot be without a {what}")),
        None => problem.suggest(name, kind.names()),
    });
    None
}

/// Settings, each tried on the builder by itself so that every mistake is found.
fn settings(name: &str, kind: Kind, entries: &[(Key, Node)], log: &Log) -> Option<Settings> {
    let problems = log.count();
    let mut settings = Settings::new();
    for (key, node) in entries.iter().filter(|(key, _)| key.text != "name") {
        let Some(value) = value(node, log) else { continue };
        let one = vec![(key.text.clone(), value)];
        if let Err(error) = kind.check(name, &one) {
            log.report(misfit(name, kind, (key, node), &error));
        }
        settings.extend(one);
    }
    (log.count() == problems).then_some(())?;
    if let Err(error) = kind.check(name, &settings) {
        let entry = entries.iter().find(|(key, _)| key.text == error.name)?;
        log.report(misfit(name, kind, (&entry.0, &entry.1), &error));
        return None;
    }
    Some(settings)
}

fn misfit(name: &str, kind: Kind, entry: (&Key, &Node), error: &weir_core::ParameterError) -> Diagnostic {
    let (key, node) = entry;
    if !error.unknown {
        return Diagnostic::parse(&node.place, &error.message);
    }
    let message = format!("the {} `{name}` has no parameter `{}`", kind.what(), key.text);
    let known = kind.parameters(name);
    let problem = Diagnostic::at(&key.place, message);
    match known.is_empty() {
        true => problem.label("it has no parameters at all"),
        false => problem.suggest(&key.text, known.iter().map(String::as_str)),
    }
}

fn value(node: &Node, log: &Log) -> Option<Value> {
    match &node.content {
        Content::Bool(b) => Some(Value::Bool(*b)),
        Content::Integer(i) => Some(Value::Integer(*i)),
        Content::Number(n) => Some(Value::Number(*n)),
        Content::Text(text) => Some(Value::Text(text.clone())),
        _ => {
            refuse(node, "a number, a string, or true or false", log);
            None
        }
    }
}

/// The bundle's settings with the given ones on top.
fn merge(mut base: Settings, given: Settings) -> Settings {
    for (name, value) in given {
        match base.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => base.push((name, value)),
        }
    }
    base
}
