//! What `remik.transcoding.v1.schema` says of a field, as JSON Schema.

use prost_reflect::{FieldDescriptor, Kind};
use serde_json::{Map, Value as Json, json};

use crate::annotation::Schema;

/// Adds what is said of a field to the schema of its value, or of its items.
pub(super) fn add(said: &Schema, field: &FieldDescriptor, schema: &mut Json) {
    if field.is_list() {
        add_to_value(said, &field.kind(), &mut schema["items"]);
        set(schema, "minItems", said.min_items.map(Json::from));
        set(schema, "maxItems", said.max_items.map(Json::from));
    } else {
        add_to_value(said, &field.kind(), schema);
    }
    let also: Option<Json> = serde_json::from_str(&said.also).ok();
    for (key, value) in also.as_ref().and_then(Json::as_object).into_iter().flatten() {
        schema[key] = value.clone();
    }
    if !said.examples.is_empty() {
        let example =
            |text: &String| serde_json::from_str(text).unwrap_or_else(|_| Json::from(text.as_str()));
        schema["examples"] = said.examples.iter().map(example).collect();
    }
}

fn add_to_value(said: &Schema, kind: &Kind, schema: &mut Json) {
    let mut value = json!({});
    let text = |text: &String| (!text.is_empty()).then(|| Json::from(text.as_str()));
    set(&mut value, "format", text(&said.format));
    set(&mut value, "pattern", text(&said.pattern));
    set(&mut value, "minLength", said.min_length.map(Json::from));
    set(&mut value, "maxLength", said.max_length.map(Json::from));
    set(&mut value, "minimum", said.minimum.map(Json::from));
    set(&mut value, "maximum", said.maximum.map(Json::from));
    if !said.one_of.is_empty() {
        value["enum"] = said.one_of.iter().map(|text| Json::from(text.as_str())).collect();
    }
    if said.or_default {
        let default = if matches!(kind, Kind::String | Kind::Bytes) { json!("") } else { json!(0) };
        schema["anyOf"] = json!([{"const": default}, value]);
        return;
    }
    for (key, value) in value.as_object().into_iter().flatten() {
        schema[key] = value.clone();
    }
}

/// Lets `null` be a value as well.
pub(super) fn or_null(schema: &mut Json) {
    /// What constrains values of every type, `null` too.
    const OF_ANY_TYPE: [&str; 6] = ["$ref", "anyOf", "enum", "not", "allOf", "const"];
    /// What says something about a schema.
    const SAID: [&str; 5] = ["description", "deprecated", "examples", "readOnly", "writeOnly"];
    let Some(object) = schema.as_object_mut() else { return };
    match object.get("type").and_then(Json::as_str) {
        Some("null") => {}
        Some(kind) if !OF_ANY_TYPE.iter().any(|key| object.contains_key(*key)) => {
            let kinds = json!([kind, "null"]);
            object.insert("type".to_owned(), kinds);
        }
        // Any value is allowed.
        None if object.keys().all(|key| SAID.contains(&key.as_str())) => {}
        _ => {
            let value: Map<String, Json> = std::mem::take(object);
            let (said, value) = value.into_iter().partition(|(key, _)| SAID.contains(&key.as_str()));
            *object = said;
            object.insert("anyOf".to_owned(), json!([Json::Object(value), {"type": "null"}]));
        }
    }
}

/// Sets a keyword, unless there is nothing to say.
fn set(schema: &mut Json, key: &str, value: Option<Json>) {
    if let Some(value) = value {
        schema[key] = value;
    }
}
