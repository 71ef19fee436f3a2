//! Bundles, and parts of schemes with their parameters, in JSON Schema: made from the registry.

use super::forms::{number, with_unit};
use crate::parts::Kind;
use serde_json::{Map, Value, json};
use weir_core::{ParameterSpec, ValueForm};
use weir_schemes::bundles::BUNDLES;

/// Where a part is defined; `none` if `"none"` will do.
pub(super) fn reference(kind: Kind, none: bool) -> String {
    let what = kind.what();
    if none { format!("#/$defs/{what}-or-none") } else { format!("#/$defs/{what}") }
}

/// Puts all of them among `defs`.
pub(super) fn define(defs: &mut Map<String, Value>) {
    let bundles: Vec<Value> = BUNDLES.iter().map(|b| named(b.name, b.summary)).collect();
    defs.insert("bundle".into(), json!({ "description": "A bundle of schemes.", "anyOf": bundles }));
    for kind in Kind::ALL {
        defs.insert(kind.what().into(), part(kind));
        let none = json!({ "anyOf": [
            { "const": "none" },
            { "$ref": reference(kind, false) },
            { "type": "object", "properties": { "name": { "const": "none" } }, "required": ["name"],
              "additionalProperties": false },
        ] });
        defs.insert(format!("{}-or-none", kind.what()), none);
    }
}

fn named(name: &str, summary: &str) -> Value {
    json!({ "const": name, "description": summary })
}

/// A name, a table of settings with a name, or one without: then for any part, since the file does not say which.
fn part(kind: Kind) -> Value {
    let entries = kind.entries();
    let names = entries.iter().map(|(name, summary, _)| named(name, summary));
    let tables = entries.iter().map(|(name, summary, specs)| {
        let mut schema = settings(specs.iter().map(|spec| (spec.name, parameter(spec))));
        schema["description"] = json!(summary);
        schema["properties"]["name"] = json!({ "const": name });
        schema["required"] = json!(["name"]);
        schema
    });
    let choices: Vec<Value> = names.chain(tables).chain([nameless(&entries)]).collect();
    json!({ "anyOf": choices })
}

fn settings<'s>(parameters: impl Iterator<Item = (&'s str, Value)>) -> Value {
    let properties: Map<String, Value> = parameters.map(|(name, schema)| (name.to_string(), schema)).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn nameless(entries: &[(&str, &str, Vec<ParameterSpec>)]) -> Value {
    let mut all: Vec<(&str, Vec<Value>)> = Vec::new();
    for spec in entries.iter().flat_map(|(_, _, specs)| specs) {
        let schema = parameter(spec);
        match all.iter_mut().find(|(name, _)| *name == spec.name) {
            Some((_, known)) if known.contains(&schema) => {}
            Some((_, known)) => known.push(schema),
            None => all.push((spec.name, vec![schema])),
        }
    }
    let merged = all.into_iter().map(|(name, mut schemas)| match schemas.len() {
        1 => (name, schemas.remove(0)),
        _ => (name, json!({ "anyOf": schemas })),
    });
    settings(merged)
}

fn parameter(spec: &ParameterSpec) -> Value {
    let mut schema = value_form(&spec.form, spec.range);
    schema["description"] = json!(format!("{} Default: {} ({}).", spec.about, spec.default, spec.source));
    schema
}

fn value_form(form: &ValueForm, range: Option<(f64, f64)>) -> Value {
    let (least, most) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    match form {
        ValueForm::Flag => json!({ "type": "boolean" }),
        ValueForm::Number => number(least, most),
        ValueForm::Whole => {
            let mut schema = number(least.max(0.0), most);
            schema["type"] = json!("integer");
            schema
        }
        ValueForm::Quantity(units) => {
            json!({ "type": "string", "pattern": format!("^{}$", with_unit(units.iter().copied())) })
        }
        ValueForm::Words(words) => json!({ "enum": words }),
        ValueForm::Pattern(pattern) => json!({ "type": "string", "pattern": pattern }),
        ValueForm::Either(forms) => {
            json!({ "anyOf": forms.iter().map(|form| value_form(form, range)).collect::<Vec<_>>() })
        }
    }
}
