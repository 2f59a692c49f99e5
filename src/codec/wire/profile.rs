//! What players get of what is held about them.

use std::collections::BTreeMap;

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use serde_json::Value as Json;

use crate::profile::export::Record;
use crate::proto::v1;

/// A record of an export.
pub fn exported(record: Record) -> v1::ExportedRecord {
    let data = match record.data {
        Json::Object(fields) => {
            fields.into_iter().map(|(name, field)| (name, value(field))).collect::<BTreeMap<_, _>>()
        }
        _ => BTreeMap::new(),
    };
    v1::ExportedRecord { section: record.section.name().to_owned(), data: Some(Struct { fields: data }) }
}

fn value(json: Json) -> Value {
    let kind = match json {
        Json::Null => Kind::NullValue(0),
        Json::Bool(bool) => Kind::BoolValue(bool),
        // What is exported has no number that isn't exact in this form.
        Json::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Json::String(text) => Kind::StringValue(text),
        Json::Array(values) => Kind::ListValue(ListValue { values: values.into_iter().map(value).collect() }),
        Json::Object(fields) => {
            let fields = fields.into_iter().map(|(name, field)| (name, value(field))).collect();
            Kind::StructValue(Struct { fields })
        }
    };
    Value { kind: Some(kind) }
}
