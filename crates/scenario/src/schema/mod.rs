//! JSON Schema (draft 2020-12) of scenario files, made from the [shapes](crate::shape) that the readers use and from
//! the registry of schemes.
//!
//! A schema cannot know everything: whether a node exists, whether a measure makes sense, what an axis leaves of a
//! file. It accepts every right file, and refuses what is wrong in itself: keys, kinds of values, units, ranges.

mod forms;
mod plugins;

use crate::scenario::{FILE, SCENARIO_KEYS};
use crate::shape::{Field, Form, Presence, Rule, Shape};
use serde_json::{Map, Value, json};

/// What the schema calls itself.
const ID: &str = "urn:weir:scenario";

/// The schema.
pub fn schema() -> Value {
    let mut defs = Map::new();
    let mut root = table(&FILE, &mut defs);
    plugins::define(&mut defs);
    let about = "A scenario file of Weir: a network, its traffic and schemes, and what to make of the results.";
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["$id"] = json!(ID);
    root["title"] = json!("Weir scenario");
    root["description"] = json!(about);
    // An axis can bring keys that the file itself leaves out.
    root["if"] = json!({ "not": { "required": ["vary"] } });
    root["then"] = complete(&FILE, &|field| SCENARIO_KEYS.contains(&field.name)).unwrap_or(json!(true));
    root["$defs"] = Value::Object(defs);
    root
}

/// A table: its keys and the rules between them, but for what must be there in the parts of a file that an axis can
/// set ([`complete`]).
fn table(shape: &'static Shape, defs: &mut Map<String, Value>) -> Value {
    let varied = |field: &Field| std::ptr::eq(shape, &FILE) && SCENARIO_KEYS.contains(&field.name);
    let fields = shape.all();
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_string(), property(field, defs))).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if is_study(shape) {
        let required: Vec<&str> = required(&fields).filter(|f| !varied(f)).map(|f| f.name).collect();
        set_unless_empty(&mut schema, "required", required);
    }
    let rules: Vec<Value> = shape.rules.iter().flat_map(|rule| exclusions(rule, shape)).collect();
    set_unless_empty(&mut schema, "allOf", rules);
    if is_study(shape) {
        add_demands(&mut schema, shape);
    }
    schema
}

/// True for tables that no axis can set: those of axes, figures and claims.
fn is_study(shape: &'static Shape) -> bool {
    fn within(shape: &'static Shape, wanted: &'static Shape) -> bool {
        std::ptr::eq(shape, wanted) || inner(shape).any(|(_, next)| within(next, wanted))
    }
    let varied = inner(&FILE).filter(|(field, _)| SCENARIO_KEYS.contains(&field.name));
    !varied.map(|(_, next)| next).any(|next| within(next, shape))
}

/// The tables in a table, each with its key.
pub(crate) fn inner(shape: &'static Shape) -> impl Iterator<Item = (Field, &'static Shape)> {
    shape.all().into_iter().flat_map(|field| {
        let shapes: Vec<&'static Shape> = match field.form {
            Form::Either(forms) => forms.iter().filter_map(table_of).collect(),
            form => table_of(&form).into_iter().collect(),
        };
        shapes.into_iter().map(move |shape| (field, shape))
    })
}

fn table_of(form: &Form) -> Option<&'static Shape> {
    match form {
        Form::Table(shape) | Form::Tables(shape) => Some(shape),
        _ => None,
    }
}

fn required(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| field.presence == Presence::Required)
}

fn property(field: &Field, defs: &mut Map<String, Value>) -> Value {
    let mut schema = forms::form(&field.form, defs);
    schema["description"] = json!(match field.presence {
        Presence::Otherwise(what) if !what.is_empty() => format!("{} Otherwise: {what}.", field.about),
        _ => field.about.to_string(),
    });
    if let Presence::Default(text) = field.presence {
        schema["default"] = forms::value(text);
    }
    schema
}

/// What keys must not be there together.
fn exclusions(rule: &Rule, shape: &'static Shape) -> Vec<Value> {
    let keys: Vec<&'static str> = match rule {
        Rule::NotBoth(keys) => keys.to_vec(),
        Rule::One(keys) => kinds(keys, shape),
        Rule::Any(_) | Rule::Needs(..) => vec![],
    };
    let pairs = keys.iter().enumerate().flat_map(|(i, one)| keys[i + 1..].iter().map(move |other| [one, other]));
    pairs.map(|pair| json!({ "not": { "required": pair } })).collect()
}

/// `keys` and those that a registry adds.
fn kinds(keys: &[&'static str], shape: &'static Shape) -> Vec<&'static str> {
    let more = shape.more.map(|more| more()).unwrap_or_default();
    keys.iter().copied().chain(more.iter().map(|field| field.name)).collect()
}

/// What keys must be there because of others, or one of several.
fn add_demands(schema: &mut Value, shape: &'static Shape) {
    let any = |keys: Vec<&str>| keys.iter().map(|key| json!({ "required": [key] })).collect::<Vec<Value>>();
    let mut needs = Map::new();
    for rule in shape.rules {
        match rule {
            Rule::Any(keys) => schema["anyOf"] = json!(any(keys.to_vec())),
            Rule::One(keys) => schema["anyOf"] = json!(any(kinds(keys, shape))),
            Rule::Needs(one, other) => {
                let list = needs.entry(*one).or_insert_with(|| json!([]));
                list.as_array_mut().into_iter().for_each(|list| list.push(json!(other)));
            }
            Rule::NotBoth(_) => {}
        }
    }
    if !needs.is_empty() {
        schema["dependentRequired"] = Value::Object(needs);
    }
}

/// What must be there in a file without axes, and in the tables in it; `None` if nothing must.
fn complete(shape: &'static Shape, here: &dyn Fn(&Field) -> bool) -> Option<Value> {
    let fields: Vec<Field> = shape.all().into_iter().filter(here).collect();
    let mut schema = json!({});
    set_unless_empty(&mut schema, "required", required(&fields).map(|f| f.name).collect());
    add_demands(&mut schema, shape);
    let everything: &dyn Fn(&Field) -> bool = &|_| true;
    let mut properties = Map::new();
    for (field, next) in inner(shape).filter(|(field, _)| here(field)) {
        let Some(inner) = complete(next, everything) else { continue };
        let list = matches!(field.form, Form::Tables(_));
        properties.insert(field.name.into(), if list { json!({ "items": inner }) } else { inner });
    }
    if !properties.is_empty() {
        schema["properties"] = Value::Object(properties);
    }
    (schema != json!({})).then_some(schema)
}

fn set_unless_empty<T: Into<Value>>(schema: &mut Value, key: &str, list: Vec<T>) {
    if !list.is_empty() {
        schema[key] = Value::Array(list.into_iter().map(Into::into).collect());
    }
}
