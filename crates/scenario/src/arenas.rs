//! `[[compare]]`: networks on which schemes are compared, each a point of a study without its schemes.

use crate::axes::Variation;
use crate::diagnostic::{Diagnostic, Log, Place, Problems, Source};
use crate::files::{Files, Loader};
use crate::paths::{self, Path};
use crate::plan::Scenario;
use crate::reader::TableReader;
use crate::scenario::{self, SCENARIO_KEYS, STUDY_KEYS};
use crate::shape::{Field, Form, Shape};
use crate::tree::{Content, Key, Node, Table};
use std::sync::Arc;
use weir_core::Span;

/// `[[compare]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "A network on which `weir compare` lets schemes compete: a point of the study, without its schemes.",
    example: "[[compare]]\nname = \"bottleneck\"\nabout = \"One consumer behind a bottleneck\"\nset = { \"topology.linear.queue\" = \"50p\" }\n",
    keys: &[&[
        Field::new(
            "name",
            Form::Pattern("^[a-z0-9]+(-[a-z0-9]+)*$", "a word of letters, digits and hyphens"),
            "What it is called in `--scenarios` and in results.",
        )
        .required(),
        Field::of::<String>("about", "What makes it special, in a sentence.").default("\"\""),
        Field::new(
            "at",
            Form::Map(&Form::Scalar),
            "The label of each axis. Axes that set nothing but schemes need none.",
        ),
        Field::new("set", Form::Map(&Form::Anything), "Paths in this file, and the values that they have here."),
        Field::new("quick", Form::Map(&Form::Anything), "The same for `weir compare --quick`, on top."),
    ]],
    more: None,
    rules: &[],
};

/// A scenario that still needs a scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct Arena {
    /// Its name.
    pub name: String,
    /// What makes it special; may be empty.
    pub about: String,
    root: Node,
    quick: Vec<(Path, Node)>,
}

impl Arena {
    /// The scenario with a bundle of schemes, and perhaps a recovery in its routers. Hosts have the bundle's queue, too: a
    /// producer's own link may be the bottleneck. Where the file gives a run neither `duration` nor `limit`, it has this
    /// limit.
    ///
    /// # Errors
    /// With what is in the way of this scheme here.
    pub fn scenario(
        &self,
        scheme: &str,
        recovery: Option<&str>,
        quick: bool,
        limit: Span,
        files: &dyn Files,
    ) -> Result<Scenario, Problems> {
        let log = Log::default();
        let mut root = self.root.clone();
        if quick {
            self.quick.iter().for_each(|(path, value)| paths::assign(&mut root, path, value, &log));
        }
        let text = |text: &str| Node { content: Content::Text(text.into()), place: root.place.clone() };
        let parts = [("name", Some(scheme)), ("recovery", recovery)];
        let entries = parts.iter().filter_map(|(key, name)| Some((made_key(key, &root), text((*name)?)))).collect();
        let scheme = Node { content: Content::Table(Table { entries }), place: root.place.clone() };
        let (bound, key) = (text(&limit.to_string()), made_key("scheme", &root));
        let ends = |key: &str| root.get("run").is_some_and(|run| run.get(key).is_some());
        let open = !ends("duration") && !ends("limit");
        if let Content::Table(table) = &mut root.content {
            table.entries.push((key, scheme));
        }
        if open {
            let steps = ["run", "limit"].map(|step| made_key(step, &root)).to_vec();
            paths::assign(&mut root, &Path { steps }, &bound, &log);
        }
        let built = scenario::build(&root, &Loader::new(files), &log);
        match built {
            Some(mut scenario) => {
                scenario.scheme.host_queue.clone_from(&scenario.scheme.queue);
                log.finish(scenario)
            }
            None => Err(log.finish(()).err().unwrap_or_else(|| Problems(vec![Diagnostic::new("it cannot be built")]))),
        }
    }
}

/// A key that stands in no file.
fn made_key(text: &str, root: &Node) -> Key {
    Key { text: text.into(), place: root.place.clone() }
}

/// All networks of a file that it offers for comparisons; problems are reported.
pub(crate) fn read(
    table: &TableReader<'_>,
    root: &Node,
    variations: &[Variation],
    files: &Loader<'_>,
    log: &Log,
) -> Vec<Arena> {
    let mut arenas: Vec<Arena> = Vec::new();
    for entry in table.tables("compare") {
        let place = entry.table.get("name").map_or(entry.place, |n| &n.place).clone();
        let Some(arena) = arena(entry, root, variations, files) else { continue };
        if arenas.iter().any(|other| other.name == arena.name) {
            log.report(Diagnostic::at(&place, format!("there are two networks called `{}`", arena.name)));
        }
        arenas.push(arena);
    }
    arenas
}

fn arena(entry: TableReader<'_>, root: &Node, variations: &[Variation], files: &Loader<'_>) -> Option<Arena> {
    let log = entry.log;
    let before = log.count();
    let name = entry.need_node("name", "a word of letters, digits and hyphens").and_then(|node| word(node, log));
    let about = entry.get_or("about", String::new());
    let labels = entry.node("at");
    let settings = |key| entry.node(key).map(|node| paths::settings(node, "a comparison", &SCENARIO_KEYS, log));
    let (set, quick) = (settings("set").unwrap_or_default(), settings("quick").unwrap_or_default());
    let place = entry.place.clone();
    let choices = chosen(labels, variations, &place, log);
    entry.finish();
    let (name, choices) = (name?, choices?);
    let mut own = root.clone();
    for (variation, choice) in variations.iter().zip(choices) {
        let settings = choice.map(|choice| &variation.settings[choice]);
        settings.into_iter().flatten().for_each(|(path, value)| paths::assign(&mut own, path, value, log));
    }
    set.iter().for_each(|(path, value)| paths::assign(&mut own, path, value, log));
    strip(&mut own, log);
    if log.count() > before {
        return None;
    }
    let arena = Arena { name, about, root: own, quick };
    for quick in [false, true] {
        if let Err(problems) = arena.tried(quick, files) {
            for problem in problems.0 {
                log.report(problem.note(format!("in the network `{}` for comparisons", arena.name)));
            }
            return None;
        }
    }
    Some(arena)
}

impl Arena {
    /// Whether it can be built under some scheme.
    fn tried(&self, quick: bool, files: &Loader<'_>) -> Result<Scenario, Problems> {
        self.scenario("icp", None, quick, Span::from_millis(1000), files.files())
    }
}

/// A name of letters, digits and single hyphens.
fn word(node: &Node, log: &Log) -> Option<String> {
    let text = crate::quantities::text(node, "a word of letters, digits and hyphens", log)?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if text.split('-').any(|piece| piece.is_empty() || !piece.chars().all(plain)) {
        let problem = Diagnostic::at(&node.place, format!("`{text}` cannot be the name of a network for comparisons"));
        log.report(problem.note("such a name has small letters, digits and single hyphens, as in `two-paths`"));
        return None;
    }
    Some(text.into())
}

/// Which label of each axis is meant; `None` for an axis of schemes.
fn chosen(labels: Option<&Node>, variations: &[Variation], place: &Place, log: &Log) -> Option<Vec<Option<usize>>> {
    let before = log.count();
    let given = match labels.map(|node| (node, node.table())) {
        Some((node, None)) => {
            crate::reader::refuse(node, "a table of axes and labels", log);
            return None;
        }
        given => given.and_then(|(_, table)| table),
    };
    let entries = given.map_or(&[][..], |table| &table.entries);
    for (key, _) in entries {
        if !variations.iter().any(|v| v.axis.name == key.text) {
            let problem = Diagnostic::at(&key.place, format!("there is no axis `{}`", key.text));
            log.report(problem.suggest(&key.text, variations.iter().map(|v| v.axis.name.as_str())));
        }
    }
    let choose = |variation: &Variation| {
        let axis = &variation.axis;
        let Some((_, node)) = entries.iter().find(|(key, _)| key.text == axis.name) else {
            if !sets_schemes(variation) && axis.labels.len() > 1 {
                let message = format!("at which label of the axis `{}`?", axis.name);
                let labels = axis.labels.join("`, `");
                log.report(Diagnostic::at(place, message).help(format!("`at = {{ {} = .. }}`: `{labels}`", axis.name)));
            }
            return (!sets_schemes(variation)).then_some(0);
        };
        let label = node.word().unwrap_or_default();
        let found = axis.labels.iter().position(|known| *known == label);
        if found.is_none() {
            let problem = Diagnostic::at(&node.place, format!("the axis `{}` has no label `{label}`", axis.name));
            log.report(problem.suggest(&label, axis.labels.iter().map(String::as_str)));
        }
        found
    };
    let choices = variations.iter().map(choose).collect();
    (log.count() == before).then_some(choices)
}

/// True if all that an axis sets are schemes.
fn sets_schemes(variation: &Variation) -> bool {
    variation.settings.iter().flatten().all(|(path, _)| {
        let words: Vec<&str> = path.steps.iter().map(|step| step.text.as_str()).collect();
        matches!(words.as_slice(), ["scheme", ..] | ["workload", _, _, "control" | "timeout", ..])
    })
}

/// Takes out everything that says which scheme is in use, and everything that is no part of a scenario.
fn strip(root: &mut Node, log: &Log) {
    let Content::Table(table) = &mut root.content else { return };
    table.entries.retain(|(key, _)| key.text != "scheme" && !STUDY_KEYS.contains(&&*key.text));
    for (_, workloads) in table.entries.iter_mut().filter(|(key, _)| key.text == "workload") {
        let Content::List(list) = &mut workloads.content else { continue };
        let kinds = list.iter_mut().filter_map(|node| match &mut node.content {
            Content::Table(table) => Some(&mut table.entries),
            _ => None,
        });
        for (_, kind) in kinds.flatten() {
            if let Content::Table(own) = &mut kind.content {
                own.entries.retain(|(key, _)| !matches!(&*key.text, "control" | "timeout"));
            }
        }
    }
    let happenings = table.get("at").map_or(&[][..], Node::elements);
    for (key, _) in happenings.iter().filter_map(Node::table).flat_map(|table| &table.entries) {
        if key.text == "scheme" {
            let message = "where this exchanges parts of schemes, schemes cannot be compared";
            log.report(Diagnostic::at(&key.place, message));
        }
    }
}

/// The networks of a file, for a comparison: its `[[compare]]`, or else each combination of its axes without those
/// that set schemes, called by the name of the file.
///
/// # Errors
/// With all problems that were found in the file.
pub fn arenas(name: &str, file: &str, text: &str, files: &dyn Files) -> Result<Vec<Arena>, Problems> {
    let study = crate::Study::parse_with(file, text, &[], files)?;
    if !study.arenas.is_empty() {
        return Ok(study.arenas);
    }
    let log = Log::default();
    let source = Arc::new(Source { name: file.into(), text: text.into() });
    let found = every_point(name, &study.about, &source, &Loader::new(files), &log);
    log.finish(found.unwrap_or_default())
}

/// An arena for each combination of labels.
fn every_point(name: &str, about: &str, source: &Arc<Source>, files: &Loader<'_>, log: &Log) -> Option<Vec<Arena>> {
    let root = crate::document::parse(source, log)?;
    let table = TableReader::new(&root, "", &scenario::FILE, log)?;
    let variations = crate::axes::read(&table);
    let mut arenas = vec![(Vec::new(), root.clone())];
    for variation in variations.iter().filter(|v| !sets_schemes(v)) {
        let mut more = Vec::new();
        for (labels, root) in &arenas {
            for (label, settings) in variation.axis.labels.iter().zip(&variation.settings) {
                let mut root = root.clone();
                settings.iter().for_each(|(path, value)| paths::assign(&mut root, path, value, log));
                more.push(([labels.clone(), vec![format!("{}={label}", variation.axis.name)]].concat(), root));
            }
        }
        arenas = more;
    }
    let mut found = Vec::new();
    for (labels, mut root) in arenas {
        strip(&mut root, log);
        let name = if labels.is_empty() { name.to_owned() } else { format!("{name}:{}", labels.join(",")) };
        let arena = Arena { name, about: about.trim().into(), root, quick: vec![] };
        if log.count() == 0
            && let Err(problems) = arena.tried(false, files)
        {
            problems.0.into_iter().for_each(|problem| log.report(problem));
        }
        found.push(arena);
    }
    Some(found)
}
