//! What shapes say is what readers do.

use super::{Field, Form, Presence, Shape};
use crate::diagnostic::{Diagnostic, Log, Source};
use crate::document;
use crate::files::{Files, Loader};
use crate::scenario::FILE;
use crate::schema::inner;
use crate::study::{Study, of_tree};
use crate::tree::{Content, Key, Node, Table};
use std::sync::Arc;

/// A table somewhere in a file: its shape and the steps to it.
type Spot = (&'static Shape, Vec<&'static str>);

/// All tables; in a list of tables, the first. A shape that stands in several tables is tried in the first of them.
fn spots() -> Vec<Spot> {
    fn visit((shape, path): Spot, all: &mut Vec<Spot>) {
        if all.iter().any(|(known, _)| std::ptr::eq(*known, shape)) {
            return;
        }
        for (field, next) in inner(shape) {
            visit((next, [path.as_slice(), &[field.name]].concat()), all);
        }
        all.push((shape, path));
    }
    let mut all = vec![];
    visit((&FILE, vec![]), &mut all);
    all
}

/// An example with the sections that it leaves out and that a whole file needs.
fn completed(example: &str) -> String {
    let mut text = example.to_string();
    let mut add = |unless: &str, section: &str| {
        if !example.contains(unless) {
            text += section;
        }
    };
    add("[topology", "\n[topology.linear]\nrouters = 1\nrate = \"20Mbps\"\ndelay = \"10ms\"\n");
    add("[[workload", "\n[[workload]]\nfetch = { size = \"5MB\" }\n");
    add("[run]", "\n[run]\nduration = \"60s\"\n");
    text
}

fn source(text: String) -> Arc<Source> {
    Arc::new(Source { name: "example".into(), text })
}

/// The whole file around the example of a shape.
fn example(shape: &Shape) -> (Arc<Source>, Node) {
    let source = source(completed(shape.example));
    let root = document::parse(&source, &Log::default()).unwrap_or_else(|| panic!("no TOML: {}", source.text));
    (source, root)
}

/// Whatever file is asked for is this network, or this trace.
struct Sample;

impl Files for Sample {
    fn read(&self, path: &str) -> Result<String, String> {
        if path.ends_with(".csv") {
            return Ok("time,name\n1.5,news\n".into());
        }
        Ok("router\nwest x 0 0\neast x 0 0\nlink\nwest east\n".into())
    }
}

fn study((source, root): &(Arc<Source>, Node)) -> Result<Study, Vec<Diagnostic>> {
    let log = Log::default();
    let study = of_tree(source, root, &[], &Loader::new(&Sample), &log);
    let problems = log.take();
    study.filter(|_| problems.is_empty()).ok_or(problems)
}

/// The table at a path.
fn table<'n>(node: &'n mut Node, path: &[&str]) -> &'n mut Table {
    let table = match &mut node.content {
        Content::Table(table) => table,
        Content::List(list) => match &mut list[0].content {
            Content::Table(table) => table,
            other => panic!("{other:?} at {path:?}"),
        },
        other => panic!("{other:?} at {path:?}"),
    };
    match path {
        [] => table,
        [step, rest @ ..] => {
            self::table(table.get_mut(step).unwrap_or_else(|| panic!("the example has no `{step}`")), rest)
        }
    }
}

/// Sets or takes out one key.
fn change(root: &mut Node, path: &[&str], key: &str, value: Option<Content>) {
    let place = root.place.clone();
    let entries = &mut table(root, path).entries;
    entries.retain(|(k, _)| k.text != key);
    if let Some(content) = value {
        entries.push((Key { text: key.into(), place: place.clone() }, Node { content, place }));
    }
}

fn toml(text: &str) -> Content {
    let value = document::parse_value(&source(text.into()), 0, &Log::default());
    value.unwrap_or_else(|| panic!("`{text}` is no TOML value")).content
}

/// Problems of the example of a shape after a change.
fn problems(shape: &Shape, path: &[&str], key: &str, value: Option<Content>) -> Vec<Diagnostic> {
    let (source, mut root) = example(shape);
    change(&mut root, path, key, value);
    study(&(source, root)).err().unwrap_or_default()
}

fn fields() -> impl Iterator<Item = (Spot, Field)> {
    spots().into_iter().flat_map(|(shape, path)| shape.all().into_iter().map(move |f| ((shape, path.clone()), f)))
}

#[test]
fn every_example_is_right_and_has_its_table() {
    for (shape, path) in spots() {
        let mut example = example(shape);
        if let Err(problems) = study(&example) {
            panic!("the example of `{}`:\n{}\n{problems:?}", path.join("."), completed(shape.example));
        }
        table(&mut example.1, &path);
    }
}

#[test]
fn names_are_used_once_in_a_table() {
    for (shape, path) in spots() {
        let names: Vec<&str> = shape.all().iter().map(|field| field.name).collect();
        let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
        assert_eq!(twice, None, "in `{}`", path.join("."));
    }
}

#[test]
fn every_key_that_is_described_is_read() {
    for ((shape, path), field) in fields() {
        let unknown = format!("unknown key `{}`", field.name);
        let problems = problems(shape, &path, field.name, Some(Content::Bool(true)));
        let ignored = problems.iter().any(|problem| problem.message.starts_with(&unknown));
        assert!(!ignored, "`{}` of `{}` is described but not read", field.name, path.join("."));
    }
}

#[test]
fn what_is_required_must_be_there() {
    for ((shape, path), field) in fields().filter(|(_, field)| field.presence == Presence::Required) {
        let problems = problems(shape, &path, field.name, None);
        assert!(!problems.is_empty(), "`{}` of `{}` is said to be required", field.name, path.join("."));
    }
}

#[test]
fn a_default_is_what_stands_for_a_key_that_is_not_there() {
    let mut tried = 0;
    for ((shape, path), field) in fields() {
        let Presence::Default(text) = field.presence else { continue };
        let (mut without, mut with) = (example(shape), example(shape));
        change(&mut without.1, &path, field.name, None);
        change(&mut with.1, &path, field.name, Some(toml(text)));
        let same = study(&without) == study(&with) && study(&with).is_ok();
        assert!(same, "`{}` of `{}` has another default than {text}", field.name, path.join("."));
        tried += 1;
    }
    assert!(tried > 20, "only {tried} defaults were found");
}

#[test]
fn what_is_out_of_bounds_is_refused() {
    fn outside(form: Form) -> Vec<Content> {
        match form {
            Form::Whole(least, most) => {
                let below = least.checked_sub(1).map(|n| Content::Integer(n as i64));
                let above = i64::try_from(most).ok().and_then(|n| n.checked_add(1)).map(Content::Integer);
                below.into_iter().chain(above).collect()
            }
            Form::Number(least, most) => {
                [least - 1.0, most + 1.0].into_iter().filter(|n| n.is_finite()).map(Content::Number).collect()
            }
            Form::Either(forms) => forms.iter().flat_map(|form| outside(*form)).collect(),
            _ => vec![],
        }
    }
    for ((shape, path), field) in fields() {
        for value in outside(field.form) {
            let problems = problems(shape, &path, field.name, Some(value.clone()));
            assert!(!problems.is_empty(), "`{}` of `{}` may be {value:?}", field.name, path.join("."));
        }
    }
}

#[test]
#[should_panic(expected = "is read but not described")]
fn a_reader_cannot_ask_for_a_key_that_is_not_described() {
    let (_, root) = example(&FILE);
    let log = Log::default();
    let reader = crate::reader::TableReader::new(&root, "", &FILE, &log).unwrap();
    reader.get::<String>("titel");
}

#[test]
#[should_panic(expected = "but read as")]
fn a_reader_cannot_read_a_key_as_something_else() {
    let (_, root) = example(&FILE);
    let log = Log::default();
    let reader = crate::reader::TableReader::new(&root, "", &FILE, &log).unwrap();
    reader.get::<u64>("title");
}
