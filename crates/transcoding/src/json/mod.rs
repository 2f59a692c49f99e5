//! Canonical proto3 JSON, read with the path of what is wrong and written in the order of field numbers.

mod message;
mod scalar;
mod trail;

use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor, SerializeOptions, Value};
use serde::de::DeserializeSeed;

use crate::violation::Violation;
use message::{FieldSeed, MessageSeed};
use trail::Trail;

pub(crate) use scalar::from_text;

/// The deepest nesting of objects and lists that is read. A level of JSON can be three of protobuf (in a
/// `google.protobuf.Struct`), of which decoders accept 100.
pub(crate) const MAX_DEPTH: usize = 32;

/// Defaults are written, as far as they can be told from unset: a client sees every field.
const WRITE: SerializeOptions = SerializeOptions::new().skip_default_fields(false);

/// Reads a whole message.
pub(crate) fn message(descriptor: &MessageDescriptor, json: &[u8]) -> Result<DynamicMessage, Violation> {
    let trail = Trail::default();
    read(MessageSeed { descriptor, trail: &trail }, &trail, json)
}

/// Reads the value of one field; none for `null`.
pub(crate) fn field(field: &FieldDescriptor, json: &[u8]) -> Result<Option<Value>, Violation> {
    let trail = Trail::default();
    read(FieldSeed { field, trail: &trail }, &trail, json).map_err(|mut violation| {
        if violation.field == BODY {
            violation.field = field.json_name().to_owned();
        } else if violation.field.starts_with('[') {
            violation.field.insert_str(0, field.json_name());
        } else {
            violation.field = format!("{}.{}", field.json_name(), violation.field);
        }
        violation
    })
}

/// The field of a violation that concerns a whole body.
pub(crate) const BODY: &str = "body";

fn read<'de, S: DeserializeSeed<'de>>(
    seed: S,
    trail: &Trail,
    json: &'de [u8],
) -> Result<S::Value, Violation> {
    if depth(json) > MAX_DEPTH {
        return Err(Violation::new(BODY, format!("nested deeper than {MAX_DEPTH} levels")));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let result = seed.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    result.map_err(|error| Violation::new(trail.path().unwrap_or_else(|| BODY.to_owned()), error.to_string()))
}

/// How deep brackets and braces nest; meaningful for valid JSON, and harmless for the rest.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Writes a message, or only one of its fields (`null` when that is unset).
///
/// Fails for what has no JSON form, such as a timestamp out of range or an `Any` of an unknown type.
pub(crate) fn write(
    message: &DynamicMessage,
    only: Option<&FieldDescriptor>,
    out: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    let Some(field) = only else {
        return message.serialize_with_options(&mut serde_json::Serializer::new(out), &WRITE);
    };
    match message.get_field(field).as_ref() {
        Value::Message(inner) if message.has_field(field) => write(inner, None, out),
        _ => {
            let whole = message.serialize_with_options(serde_json::value::Serializer, &WRITE)?;
            let value = whole.get(field.json_name()).unwrap_or(&serde_json::Value::Null);
            serde_json::to_writer(out, value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_depth() {
        let cases =
            [("", 0), ("1", 0), ("{}", 1), (r#"{"a":[{}]}"#, 3), (r#"["[[[\"[",[]]"#, 2), ("[}]]]", 1)];
        for (json, expected) in cases {
            assert_eq!(depth(json.as_bytes()), expected, "{json}");
        }
    }
}
