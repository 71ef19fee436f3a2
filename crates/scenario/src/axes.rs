//! `[[vary]]`: the axes of a study.

use crate::diagnostic::{Diagnostic, Log, Place, list};
use crate::metrics::RESERVED_AXES;
use crate::paths::Path;
use crate::reader::{TableReader, refuse};
use crate::scenario::SCENARIO_KEYS;
use crate::shape::{Field, Form, Shape};
use crate::study::Axis;
use crate::tree::{Content, Node};

/// `[[vary]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "An axis of the study. The points of a study are all combinations of the axes' values, in the order of the \
            file; the first axis changes slowest.",
    example: "[[vary]]\nname = \"control\"\nset = \"scheme\"\nvalues = [\"icp\", \"bic\"]\n",
    keys: &[&[
        Field::new(
            "name",
            Form::Pattern("^[\\p{Alphabetic}_][\\p{Alphabetic}\\p{N}_]*$", "a word"),
            "A word for figures and measures. `flow`, `link`, `node`, `time` and `cdf` have a meaning already.",
        )
        .required(),
        Field::new(
            "set",
            Form::Either(&[Form::Text, Form::List(&Form::Text, 1)]),
            "The path of the value to set, or a list of paths that are all set to it.",
        )
        .otherwise("each of `values` is a table of paths and values"),
        Field::new(
            "values",
            Form::Either(&[Form::List(&Form::Scalar, 1), Form::Map(&Form::Anything)]),
            "A list: each value is its own label. Or a table from labels to values.",
        )
        .required(),
    ]],
    more: None,
    rules: &[],
};

/// An axis, and what each of its labels sets.
pub(crate) struct Variation {
    pub(crate) axis: Axis,
    pub(crate) settings: Vec<Vec<(Path, Node)>>,
}

impl Variation {
    /// The path, if there is one, by which every label of this axis undoes what setting `path` to `value` has done.
    pub(crate) fn undoes(&self, path: &Path, value: &Node) -> Option<&Path> {
        let one = |settings: &Vec<(Path, Node)>| settings.iter().any(|(own, _)| own.undoes(path, value));
        let first = self.settings.first()?.iter().map(|(own, _)| own).find(|own| own.undoes(path, value))?;
        self.settings.iter().all(one).then_some(first)
    }
}

/// Words that mean something else in a measure.
const RESERVED_WORDS: [&str; 6] = ["and", "or", "not", "in", "true", "false"];

/// All axes, in the order of the file; problems are reported.
pub(crate) fn read(root: &TableReader<'_>) -> Vec<Variation> {
    let mut variations: Vec<Variation> = Vec::new();
    for table in root.tables("vary") {
        let place = table.table.get("name").map_or(table.place, |n| &n.place).clone();
        let Some(variation) = variation(table) else { continue };
        if variations.iter().any(|v| v.axis.name == variation.axis.name) {
            let message = format!("there are two axes called `{}`", variation.axis.name);
            root.log.report(Diagnostic::at(&place, message));
        }
        refuse_undone(&variations, &variation, root.log);
        variations.push(variation);
    }
    variations
}

/// Refuses an axis that leaves nothing of an earlier one.
fn refuse_undone(earlier: &[Variation], later: &Variation, log: &Log) {
    for other in earlier {
        let undone = |(path, value): &(Path, Node)| later.undoes(path, value);
        let paths: Option<Vec<&Path>> = other.settings.iter().flatten().map(undone).collect();
        let Some(step) = paths.and_then(|p| p.first()?.steps.first().cloned()) else { continue };
        let message =
            format!("the axis `{}` undoes everything that the axis `{}` sets", later.axis.name, other.axis.name);
        log.report(
            Diagnostic::at(&step.place, message).help("let them set different things, or make one axis of the two"),
        );
    }
}

fn variation(table: TableReader<'_>) -> Option<Variation> {
    let name = name(&table);
    let paths = table.node("set").map(|node| paths(node, table.log));
    let settings = table.need_node("values", "a list of values, or a table of labels").and_then(|values| {
        match (&values.content, &paths) {
            (_, Some(None)) => None,
            (Content::List(list), Some(Some(paths))) => listed(values, list, paths, table.log),
            (Content::List(_), None) => {
                table.missing("an axis with a list of values needs a `set`: the path that they are for", "set");
                None
            }
            (Content::Table(_), _) => labelled(values, paths.as_ref().and_then(Option::as_deref), table.log),
            _ => {
                refuse(values, "a list of values, or a table of labels", table.log);
                None
            }
        }
    });
    table.finish();
    let (labels, settings) = settings?.into_iter().unzip();
    Some(Variation { axis: Axis { name: name?, labels }, settings })
}

fn name(table: &TableReader<'_>) -> Option<String> {
    let node = table.need_node("name", "a word for figures and measures")?;
    let name = crate::quantities::text(node, "a word", table.log)?;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') || !name.chars().all(word) {
        let problem = Diagnostic::at(&node.place, format!("`{name}` cannot be the name of an axis"));
        table.log.report(problem.note("such a name has letters, digits and `_`, and begins with no digit"));
        return None;
    }
    if RESERVED_AXES.contains(&name) || RESERVED_WORDS.contains(&name) {
        let problem =
            Diagnostic::at(&node.place, format!("`{name}` has a meaning of its own and cannot be the name of an axis"));
        table.log.report(problem.note(format!(
            "the same goes for {}",
            list(RESERVED_AXES.into_iter().chain(RESERVED_WORDS).filter(|w| *w != name))
        )));
        return None;
    }
    Some(name.into())
}

/// The paths that an axis sets.
fn paths(node: &Node, log: &Log) -> Option<Vec<Path>> {
    let read = |n: &Node| path(crate::quantities::text(n, "a path such as `scheme.recovery`", log)?, &n.place, log);
    let paths: Vec<Option<Path>> = node.elements().iter().map(read).collect();
    if paths.is_empty() {
        log.report(Diagnostic::at(&node.place, "this list has no path in it"));
        return None;
    }
    paths.into_iter().collect()
}

/// A path into the scenario.
fn path(text: &str, place: &Place, log: &Log) -> Option<Path> {
    let path = Path::parse(text, place, log)?;
    let first = path.steps.first()?;
    if SCENARIO_KEYS.contains(&&*first.text) {
        return Some(path);
    }
    let problem = Diagnostic::at(&first.place, format!("an axis cannot set `{}`", first.text));
    log.report(problem.suggest(&first.text, SCENARIO_KEYS));
    None
}

type Labelled = Vec<(String, Vec<(Path, Node)>)>;

/// `values = [..]`: each value is its own label.
fn listed(values: &Node, list: &[Node], paths: &[Path], log: &Log) -> Option<Labelled> {
    not_empty(values, list.len(), log)?;
    let mut found: Labelled = Vec::new();
    for node in list {
        let Some(label) = node.word().filter(|w| !w.is_empty()) else {
            let problem = Diagnostic::at(&node.place, format!("{} cannot be the label of a value", node.kind()));
            log.report(problem.help("give the values labels: `values = { label = value, .. }`"));
            return None;
        };
        if found.iter().any(|(other, _)| *other == label) {
            log.report(Diagnostic::at(&node.place, format!("the value `{label}` is in this list twice")));
            return None;
        }
        found.push((label, paths.iter().map(|path| (path.clone(), node.clone())).collect()));
    }
    Some(found)
}

/// `values = { label = value }` with paths, or `values = { label = { path = value } }` without.
fn labelled(values: &Node, paths: Option<&[Path]>, log: &Log) -> Option<Labelled> {
    let entries = &values.table()?.entries;
    not_empty(values, entries.len(), log)?;
    let settings = |node: &Node| match paths {
        Some(paths) => Some(paths.iter().map(|path| (path.clone(), node.clone())).collect()),
        None => {
            if node.table().is_none() {
                refuse(node, "a table of paths and values, because this axis has no `set`", log);
            }
            let one =
                |(key, value): &(crate::tree::Key, Node)| Some((path(&key.text, &key.place, log)?, value.clone()));
            let found: Vec<_> = node.table()?.entries.iter().map(one).collect();
            found.into_iter().collect()
        }
    };
    let found: Vec<_> = entries.iter().map(|(key, node)| Some((key.text.clone(), settings(node)?))).collect();
    found.into_iter().collect()
}

fn not_empty(values: &Node, count: usize, log: &Log) -> Option<()> {
    if count == 0 {
        log.report(Diagnostic::at(&values.place, "an axis needs at least one value"));
    }
    (count > 0).then_some(())
}
