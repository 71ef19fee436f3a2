//! Dotted paths into a file, and what it means to set one: `--set` and the axes of `[[vary]]` both do it here.

use crate::diagnostic::{Diagnostic, Log, Place};
use crate::tree::{Content, Key, Node, Table};

/// No file is deeper.
const MOST_STEPS: usize = 50;

/// A dotted path such as `scheme.recovery.alpha`; each step knows its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Key>,
}

impl Path {
    /// Reads `text`, which stands at `place`. Steps with a dot in them are quoted.
    pub(crate) fn parse(text: &str, place: &Place, log: &Log) -> Option<Path> {
        let mut steps = Vec::new();
        let mut at = 0;
        if pieces(text).len() > MOST_STEPS {
            log.report(Diagnostic::at(place, format!("this path has more than {MOST_STEPS} steps")));
            return None;
        }
        for piece in pieces(text) {
            let word = piece.trim().trim_matches('"').trim_matches('\'');
            let step_place = place.inside(text, at..at + piece.len());
            if word.is_empty() {
                let whole = if piece.is_empty() { place } else { &step_place };
                log.report(
                    Diagnostic::at(whole, "a step of this path is empty")
                        .help("a path looks like `topology.linear.queue`"),
                );
                return None;
            }
            steps.push(Key { text: word.into(), place: step_place });
            at += piece.len() + 1;
        }
        Some(Path { steps })
    }
}

impl Path {
    /// True if setting this path afterwards undoes what setting `other` to `value` has done.
    pub(crate) fn undoes(&self, other: &Path, value: &Node) -> bool {
        let (mine, theirs) = (self.words(), other.words());
        // The name of a part and the part set to a name are the same; a table would set more than that.
        match (named_part(&mine), named_part(&theirs)) {
            (Some(mine), Some(theirs)) => mine == theirs && value.table().is_none(),
            (Some(_), None) => false,
            _ => theirs.starts_with(&mine),
        }
    }

    fn words(&self) -> Vec<&str> {
        self.steps.iter().map(|s| s.text.as_str()).collect()
    }
}

/// The part whose name a path sets.
fn named_part<'w>(words: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let part = if words.last() == Some(&"name") { &words[..words.len() - 1] } else { words };
    is_part(part).then_some(part)
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words().join("."))
    }
}

/// The paths and values of a table such as `{ "run.duration" = "10s" }`; what is wrong with them is reported. They
/// begin with one of `known`; `who` sets them.
pub(crate) fn settings(node: &Node, who: &str, known: &[&'static str], log: &Log) -> Vec<(Path, Node)> {
    let Some(table) = node.table() else {
        crate::reader::refuse(node, "a table of paths and values", log);
        return vec![];
    };
    let one = |(key, value): &(Key, Node)| {
        let path = Path::parse(&key.text, &key.place, log)?;
        let first = path.steps.first()?;
        if !known.contains(&&*first.text) {
            let problem = Diagnostic::at(&first.place, format!("{who} cannot set `{}`", first.text));
            log.report(problem.suggest(&first.text, known.iter().copied()));
            return None;
        }
        let whole = path.steps.len() == 1 && first.text != "scheme" && matches!(value.content, Content::Table(_));
        if whole {
            let message = format!("this would replace the whole of `{}`", first.text);
            let problem = Diagnostic::at(&key.place, message);
            log.report(problem.help(format!("write the path in quotes, as in `\"{}.key\" = value`", first.text)));
            return None;
        }
        Some((path, value.clone()))
    };
    table.entries.iter().filter_map(one).collect()
}

/// Splits at dots outside quotes.
fn pieces(text: &str) -> Vec<&str> {
    let mut quote = None;
    text.split(move |c: char| {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {}
        }
        c == '.' && quote.is_none()
    })
    .collect()
}

/// Sets `path` under `root` to `value`. Tables on the way that are missing are made; whether their names mean
/// anything is found out when the tree is read.
pub(crate) fn assign(root: &mut Node, path: &Path, value: &Node, log: &Log) {
    let mut trail = Vec::new();
    descend(root, &path.steps, &mut trail, value, log);
}

fn descend<'p>(node: &mut Node, steps: &'p [Key], trail: &mut Vec<&'p str>, value: &Node, log: &Log) {
    let Some((step, rest)) = steps.split_first() else {
        return put(node, trail, value, log);
    };
    if is_part(trail) && matches!(node.content, Content::Text(_)) {
        open(node);
    }
    let kind = node.kind();
    match &mut node.content {
        Content::Table(table) => {
            trail.push(&step.text);
            match table.get_mut(&step.text) {
                Some(inner) => descend(inner, rest, trail, value, log),
                None => table.entries.push((step.clone(), fresh(step, rest, value))),
            }
        }
        Content::List(list) => {
            if let Some(inner) = element(list, step, log) {
                trail.push("*");
                descend(inner, rest, trail, value, log);
            }
        }
        _ => {
            let whole = trail.join(".");
            let message = format!("`{whole}` is {kind}, so there is no `{}` in it to be set", step.text);
            log.report(Diagnostic::at(&step.place, message).also(&node.place, "its value"));
        }
    }
}

/// What stands at a path that did not exist: tables for the steps that are left, the value innermost.
fn fresh(step: &Key, rest: &[Key], value: &Node) -> Node {
    match rest.split_first() {
        None => value.clone(),
        Some((next, rest)) => {
            let entries = vec![(next.clone(), fresh(next, rest, value))];
            Node { content: Content::Table(Table { entries }), place: step.place.clone() }
        }
    }
}

/// The element of a list of tables that a step means: its number from 0, or its `name`, `label` or `id`.
fn element<'n>(list: &'n mut [Node], step: &Key, log: &Log) -> Option<&'n mut Node> {
    let names: Vec<Option<String>> = list.iter().map(element_name).collect();
    let named = names.iter().position(|n| n.as_deref() == Some(&*step.text));
    let index = named.or_else(|| step.text.parse().ok().filter(|i| *i < list.len()));
    if index.is_none() {
        let message = format!("there is no element `{}` in this list", step.text);
        let problem =
            Diagnostic::at(&step.place, message).suggest(&step.text, names.iter().flatten().map(String::as_str));
        log.report(problem.note(format!("elements are counted from 0; there are {}", list.len())));
    }
    list.get_mut(index?)
}

fn element_name(node: &Node) -> Option<String> {
    let own = |n: &Node| ["name", "label", "id"].into_iter().find_map(|key| n.get(key)?.word());
    own(node).or_else(|| {
        let [(_, only)] = node.table()?.entries.as_slice() else { return None };
        only.get("label").or_else(|| only.get("name"))?.word()
    })
}

/// True where a string stands for a table with that `name`: the scheme, its parts, and the parts of a workload.
fn is_part(trail: &[&str]) -> bool {
    match trail {
        ["scheme"] => true,
        ["scheme", key] => *key != "name",
        ["workload", _, _, key] => matches!(*key, "control" | "timeout"),
        _ => false,
    }
}

/// Makes `"plr"` into `{ name = "plr" }`.
fn open(node: &mut Node) {
    let key = Key { text: "name".into(), place: node.place.clone() };
    let table = Table { entries: vec![(key, node.clone())] };
    *node = Node { content: Content::Table(table), place: node.place.clone() };
}

/// The merge rule.
fn put(node: &mut Node, trail: &mut Vec<&str>, value: &Node, log: &Log) {
    if !is_part(trail) || !matches!(value.content, Content::Text(_) | Content::Table(_)) {
        *node = value.clone();
        return;
    }
    let mut value = value.clone();
    if matches!(value.content, Content::Text(_)) {
        open(&mut value);
    }
    if matches!(node.content, Content::Text(_)) {
        open(node);
    }
    merge(node, value, trail, log);
}

/// A table onto a table. Settings stay only under the name that they were written for; the scheme itself keeps its
/// parts, whatever its name.
fn merge(node: &mut Node, value: Node, trail: &mut Vec<&str>, log: &Log) {
    let name_of = |n: &Node| n.get("name").and_then(|n| n.text().map(String::from));
    let renamed = name_of(&value).is_some_and(|new| Some(new) != name_of(node));
    let keeps = trail.as_slice() == ["scheme"] || !renamed;
    match (&mut node.content, value.content) {
        (Content::Table(_), Content::Table(table)) if keeps => {
            for (key, inner) in table.entries {
                let mut trail: Vec<&str> = trail.clone();
                descend(node, std::slice::from_ref(&key), &mut trail, &inner, log);
            }
        }
        (content, new) => {
            *content = new;
            node.place = value.place;
        }
    }
}
