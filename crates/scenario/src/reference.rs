//! The reference page of scenario files, made from the [shapes](crate::shape) that the readers use.

use crate::parts::Kind;
use crate::scenario::FILE;
use crate::schema::inner;
use crate::shape::{Field, Form, Presence, Rule, Shape};

const INTRODUCTION: &str = "# Scenario reference

Every table and key that a scenario file can have. This page is made from the descriptions by which the program reads
files, and so is the JSON Schema that `weir schema` prints. [Scenario files](scenarios.md) explains what it is all for,
and what the kinds of values look like.
";

/// The page, in Markdown.
pub fn reference() -> String {
    let mut page = INTRODUCTION.to_string();
    section(&FILE, "", false, &mut page);
    page
}

fn section(shape: &'static Shape, path: &str, list: bool, page: &mut String) {
    let title = match path {
        "" => "The file".into(),
        path if list => format!("`[[{path}]]`"),
        path => format!("`[{path}]`"),
    };
    *page += &format!("\n## {title}\n\n{}\n\n", shape.about);
    *page += "| key | value | without it | meaning |\n|---|---|---|---|\n";
    shape.all().iter().for_each(|field| *page += &row(field, path));
    let rules: Vec<String> = shape.rules.iter().map(|rule| sentence(rule, shape)).collect();
    if !rules.is_empty() {
        *page += &format!("\n{}\n", rules.join(" "));
    }
    if !shape.example.is_empty() {
        *page += &format!("\n```toml\n{}```\n", shape.example);
    }
    for (field, next) in inner(shape) {
        let path = if path.is_empty() { field.name.to_string() } else { format!("{path}.{}", field.name) };
        section(next, &path, matches!(field.form, Form::Tables(_)), page);
    }
}

fn row(field: &Field, path: &str) -> String {
    let without = match field.presence {
        Presence::Required => "required".into(),
        Presence::Default(value) => format!("`{value}`"),
        Presence::Otherwise(what) => what.to_string(),
    };
    let path = if path.is_empty() { field.name.to_string() } else { format!("{path}.{}", field.name) };
    let cells = [format!("`{}`", field.name), words(&field.form, &path), without, field.about.to_string()];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

/// What a value is, in words.
fn words(form: &Form, path: &str) -> String {
    match form {
        Form::Flag => "`true` or `false`".into(),
        Form::Whole(least, most) if *most >= u64::from(u32::MAX) => format!("whole number, at least {least}"),
        Form::Whole(least, most) => format!("whole number, {least} to {most}"),
        Form::Number(least, most) => match (least.is_finite(), most.is_finite()) {
            (true, true) => format!("number, {least} to {most}"),
            (true, false) => format!("number, at least {least}"),
            (false, true) => format!("number, at most {most}"),
            (false, false) => "number".into(),
        },
        Form::Text => "string".into(),
        Form::Time => "time".into(),
        Form::Rate => "rate".into(),
        Form::Frequency => "frequency".into(),
        Form::Size => "size".into(),
        Form::Queue => "packets or size".into(),
        Form::Share => "share".into(),
        Form::Times => "time or range of times".into(),
        Form::Seeds => "seeds".into(),
        Form::Name => "NDN name".into(),
        Form::Word => "word".into(),
        Form::Measure => "[measure](scenarios.md#measures)".into(),
        Form::Words(all) => listed(&all.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>()),
        Form::Pattern(_, what) => (*what).into(),
        Form::Scalar => "number, string, `true` or `false`".into(),
        Form::Anything => "anything".into(),
        Form::List(inner, 0) => format!("list; each: {}", words(inner, path)),
        Form::List(inner, least) => format!("list of at least {least}; each: {}", words(inner, path)),
        Form::Pair(inner) => format!("list of 2; each: {}", words(inner, path)),
        Form::Either(forms) => listed(&forms.iter().map(|form| words(form, path)).collect::<Vec<_>>()),
        Form::Both(inner) => format!("{}; or `{{ forward = .., backward = .. }}`", words(inner, path)),
        Form::Table(_) => format!("[table](#{})", anchor(path)),
        Form::Tables(_) => format!("[tables](#{})", anchor(path)),
        Form::Map(inner) => format!("table; each value: {}", words(inner, path)),
        Form::Bundle => "name of a scheme".into(),
        Form::Part(kind, none) => part(*kind, *none),
    }
}

fn part(kind: Kind, none: bool) -> String {
    let end = if none { ", or `\"none\"`" } else { "" };
    format!("a {}: its name, or a table of settings{end}", kind.what())
}

/// The anchor of a table's heading: what renderers make of `[topology.linear]`.
fn anchor(path: &str) -> String {
    path.replace('.', "")
}

fn listed(choices: &[String]) -> String {
    match choices {
        [first, middle @ .., last] if !middle.is_empty() => format!("{first}, {}, or {last}", middle.join(", ")),
        [first, last] => format!("{first} or {last}"),
        other => other.concat(),
    }
}

fn sentence(rule: &Rule, shape: &Shape) -> String {
    let quoted = |keys: &[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>();
    match rule {
        Rule::NotBoth(keys) => format!("Not together: {}.", quoted(keys).join(", ")),
        Rule::Any(keys) => format!("At least one of {}.", listed(&quoted(keys))),
        Rule::Needs(one, other) => format!("`{one}` needs `{other}`."),
        Rule::One(keys) => {
            let more = shape.more.map(|more| more()).unwrap_or_default();
            let all: Vec<&str> = keys.iter().copied().chain(more.iter().map(|field| field.name)).collect();
            format!("Just one of {}.", listed(&quoted(&all)))
        }
    }
}
