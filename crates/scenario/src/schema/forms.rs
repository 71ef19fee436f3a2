//! Forms of values in JSON Schema.

use super::{plugins, table};
use crate::diagnostic::{Log, Source};
use crate::document;
use crate::quantities::FREQUENCIES;
use crate::shape::{Form, Shape};
use crate::tree::{Content, Node};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use weir_core::{Bytes, Rate, Span};

/// A number in a quantity.
const NUMBER: &str = r"(?:[0-9_]+\.?[0-9_]*|\.[0-9_]+)";

/// The schema of a form. Tables and quantities are put among `defs`, once each.
pub(super) fn form(form: &Form, defs: &mut Map<String, Value>) -> Value {
    match form {
        Form::Flag => json!({ "type": "boolean" }),
        Form::Whole(least, most) => match *most {
            most if most >= i64::MAX as u64 => json!({ "type": "integer", "minimum": least }),
            most => json!({ "type": "integer", "minimum": least, "maximum": most }),
        },
        Form::Number(least, most) => number(*least, *most),
        Form::Text | Form::Name | Form::Measure => json!({ "type": "string" }),
        Form::Time => define("time", defs, || quantity(Span::UNITS, "10ms")),
        Form::Rate => define("rate", defs, || quantity(Rate::UNITS, "10Mbps")),
        Form::Frequency => define("frequency", defs, || quantity(&FREQUENCIES, "200/s")),
        Form::Size => define("size", defs, || quantity(Bytes::UNITS, "50MB")),
        Form::Queue => define("capacity", defs, queue),
        Form::Share => define("share", defs, share),
        Form::Times => define("times", defs, times),
        Form::Seeds => define("seeds", defs, seeds),
        Form::Word => json!({ "type": "string", "pattern": r"^[\p{Alphabetic}\p{N}_.\-]+$" }),
        Form::Words(words) => json!({ "enum": words }),
        Form::Pattern(pattern, _) => json!({ "type": "string", "pattern": pattern }),
        Form::Scalar => json!({ "type": ["boolean", "number", "string"] }),
        Form::Anything => json!({}),
        Form::List(inner, least) => json!({ "type": "array", "items": self::form(inner, defs), "minItems": least }),
        Form::Pair(inner) => {
            json!({ "type": "array", "items": self::form(inner, defs), "minItems": 2, "maxItems": 2 })
        }
        Form::Either(forms) => json!({ "anyOf": forms.iter().map(|f| self::form(f, defs)).collect::<Vec<_>>() }),
        Form::Both(inner) => both(&self::form(inner, defs)),
        Form::Table(shape) => shaped(shape, defs),
        Form::Tables(shape) => json!({ "type": "array", "items": shaped(shape, defs) }),
        Form::Map(inner) => {
            json!({ "type": "object", "additionalProperties": self::form(inner, defs), "minProperties": 1 })
        }
        Form::Bundle => json!({ "$ref": "#/$defs/bundle" }),
        Form::Part(kind, none) => json!({ "$ref": plugins::reference(*kind, *none) }),
    }
}

/// A number within bounds, of which some are none.
pub(super) fn number(least: f64, most: f64) -> Value {
    let mut schema = json!({ "type": "number" });
    if least.is_finite() {
        schema["minimum"] = json!(least);
    }
    if most.is_finite() {
        schema["maximum"] = json!(most);
    }
    schema
}

fn shaped(shape: &'static Shape, defs: &mut Map<String, Value>) -> Value {
    let mut schema = table(shape, defs);
    schema["description"] = json!(shape.about);
    schema
}

/// A reference to a definition, which is made if it is not there.
fn define(name: &str, defs: &mut Map<String, Value>, schema: impl FnOnce() -> Value) -> Value {
    if !defs.contains_key(name) {
        defs.insert(name.into(), schema());
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// The regular expression of a number with one of these units.
pub(super) fn with_unit<'u>(units: impl IntoIterator<Item = &'u str>) -> String {
    let units: Vec<&str> = units.into_iter().collect();
    format!(r"\s*{NUMBER}\s*(?:{})\s*", units.join("|"))
}

fn names(units: &'static [(&'static str, f64)]) -> impl Iterator<Item = &'static str> {
    units.iter().map(|(unit, _)| *unit)
}

fn quantity(units: &'static [(&'static str, f64)], example: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^{}$", with_unit(names(units))), "examples": [example] })
}

fn queue() -> Value {
    let pattern = format!(r"^(?:\s*\+?[0-9]+\s*p\s*|{})$", with_unit(names(Bytes::UNITS)));
    json!({ "type": "string", "pattern": pattern, "examples": ["64p", "64kB"] })
}

fn share() -> Value {
    let percentage = r"^\s*\+?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*%\s*$";
    json!({ "anyOf": [number(0.0, 1.0), { "type": "string", "pattern": percentage }], "examples": ["1%"] })
}

fn times() -> Value {
    let time = with_unit(names(Span::UNITS));
    json!({ "type": "string", "pattern": format!(r"^{time}(?:\.\.{time})?$"), "examples": ["2s", "0s..5s"] })
}

fn seeds() -> Value {
    let seed = json!({ "type": "integer", "minimum": 0 });
    json!({ "anyOf": [
        seed,
        { "type": "array", "items": seed, "minItems": 1, "uniqueItems": true },
        { "type": "string", "pattern": r"^\s*\+?[0-9]+\s*\.\.\s*\+?[0-9]+\s*$", "examples": ["1..20"] },
    ] })
}

/// A value for both directions of a link, or one for each.
fn both(one: &Value) -> Value {
    let each = json!({
        "type": "object",
        "properties": { "forward": one, "backward": one },
        "required": ["forward", "backward"],
        "additionalProperties": false,
    });
    json!({ "anyOf": [one, each] })
}

/// A TOML value as JSON; null if it is none, which the tests of shapes do not let pass.
pub(super) fn value(text: &str) -> Value {
    let source = Arc::new(Source { name: String::new(), text: text.into() });
    document::parse_value(&source, 0, &Log::default()).map_or(Value::Null, |node| json(&node))
}

/// A tree as JSON. Infinite numbers, which JSON lacks, become the greatest finite ones.
pub(crate) fn json(node: &Node) -> Value {
    match &node.content {
        Content::Bool(b) => json!(b),
        Content::Integer(i) => json!(i),
        Content::Number(n) => json!(n.clamp(f64::MIN, f64::MAX)),
        Content::Text(text) | Content::Date(text) => json!(text),
        Content::List(list) => Value::Array(list.iter().map(json).collect()),
        Content::Table(table) => table.entries.iter().map(|(key, node)| (key.text.clone(), json(node))).collect(),
    }
}
