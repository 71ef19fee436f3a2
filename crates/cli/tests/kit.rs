//! `weir schema`

mod common;

use common::{call, folder};
use serde_json::Value;

#[test]
fn the_schema_is_printed_as_json() {
    let out = call(&folder("schema"), &["schema"]).good().out;
    let schema: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["run"]["properties"]["seeds"]["$ref"], "#/$defs/seeds");
}
