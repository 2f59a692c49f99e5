//! Numbers, strings, bytes and enums from JSON values and from plain text.

use std::fmt;

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, Value};
use serde::de::{Error, IntoDeserializer as _, Unexpected, Visitor, value::StrDeserializer};

use crate::well_known::WellKnown;

/// Reads a value of a kind that isn't a message. Numbers may be JSON numbers or strings; bytes are base64 in
/// either alphabet, padded or not; enums are names or numbers.
pub(super) struct Scalar<'a>(pub(super) &'a Kind);

impl Visitor<'_> for Scalar<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(expected(self.0))
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<Value, E> {
        match self.0 {
            Kind::Bool => Ok(Value::Bool(v)),
            _ => Err(E::invalid_type(Unexpected::Bool(v), &self)),
        }
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Value, E> {
        integer(self.0, v.into()).ok_or_else(|| E::invalid_value(Unexpected::Signed(v), &self))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Value, E> {
        integer(self.0, v.into()).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(v), &self))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
        float(self.0, v).ok_or_else(|| E::invalid_value(Unexpected::Float(v), &self))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Value, E> {
        let value = match self.0 {
            Kind::String => Some(Value::String(v.to_owned())),
            Kind::Bytes => bytes(v),
            Kind::Enum(values) => values.get_value_by_name(v).map(|value| Value::EnumNumber(value.number())),
            Kind::Float | Kind::Double => match v {
                "NaN" => not_finite(self.0, f64::NAN),
                "Infinity" => not_finite(self.0, f64::INFINITY),
                "-Infinity" => not_finite(self.0, f64::NEG_INFINITY),
                _ => decimal(v).and_then(|v| float(self.0, v)),
            },
            Kind::Bool | Kind::Message(_) => None,
            // Whole numbers: as the plain digits, or as JSON would write them, such as "1e3".
            _ => match v.parse::<i128>() {
                Ok(whole) if !v.starts_with('+') => integer(self.0, whole),
                _ => decimal(v).and_then(|v| float(self.0, v)),
            },
        };
        value.ok_or_else(|| E::invalid_value(Unexpected::Str(v), &self))
    }

    fn visit_string<E: Error>(self, v: String) -> Result<Value, E> {
        match self.0 {
            Kind::String => Ok(Value::String(v)),
            _ => self.visit_str(&v),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        match self.0 {
            Kind::Enum(values) if WellKnown::is_null(values) => Ok(Value::EnumNumber(0)),
            _ => Err(E::invalid_type(Unexpected::Unit, &self)),
        }
    }
}

/// Reads a value from a path, a query or the key of a map.
///
/// Takes every scalar and the well-known messages whose JSON is a single value; says what was expected
/// instead of the rest.
pub(crate) fn from_text(kind: &Kind, text: &str) -> Result<Value, String> {
    type TextError = serde::de::value::Error;
    let value = match kind {
        Kind::Message(message) => return well_known(message, text),
        Kind::Bool => text.parse().ok().map(Value::Bool),
        Kind::Enum(values) => {
            let by_number = || text.parse().ok().filter(|_| !text.starts_with('+'));
            let by_name = values.get_value_by_name(text).map(|value| value.number());
            by_name.or_else(by_number).map(Value::EnumNumber)
        }
        scalar => Scalar(scalar).visit_str::<TextError>(text).ok(),
    };
    value.ok_or_else(|| format!("expected {}, not `{text}`", expected(kind)))
}

fn well_known(message: &MessageDescriptor, text: &str) -> Result<Value, String> {
    let made = match WellKnown::of(message) {
        Some(WellKnown::Wrapper) => {
            // Every wrapper has one field, `value`.
            let field = message.get_field(1).ok_or("expected a wrapper")?;
            let mut wrapper = DynamicMessage::new(message.clone());
            wrapper.set_field(&field, from_text(&field.kind(), text)?);
            return Ok(Value::Message(wrapper));
        }
        Some(WellKnown::Timestamp | WellKnown::Duration | WellKnown::FieldMask) => {
            let text: StrDeserializer<'_, serde::de::value::Error> = text.into_deserializer();
            DynamicMessage::deserialize(message.clone(), text)
        }
        _ => return Err("this field can't be given as text: give the fields inside it".to_owned()),
    };
    made.map(Value::Message).map_err(|error| error.to_string())
}

fn integer(kind: &Kind, v: i128) -> Option<Value> {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => v.try_into().ok().map(Value::I32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => v.try_into().ok().map(Value::I64),
        Kind::Uint32 | Kind::Fixed32 => v.try_into().ok().map(Value::U32),
        Kind::Uint64 | Kind::Fixed64 => v.try_into().ok().map(Value::U64),
        Kind::Enum(values) if !WellKnown::is_null(values) => v.try_into().ok().map(Value::EnumNumber),
        Kind::Double | Kind::Float => float(kind, v as f64),
        _ => None,
    }
}

/// A finite number; for a whole kind it must be whole.
fn float(kind: &Kind, v: f64) -> Option<Value> {
    match kind {
        Kind::Double => v.is_finite().then_some(Value::F64(v)),
        Kind::Float => Some(v as f32).filter(|v| v.is_finite()).map(Value::F32),
        Kind::Enum(_) => None,
        // Beyond this a cast to i128 would still be exact, but no kind holds it.
        _ if v.fract() == 0.0 && v.abs() < 2_f64.powi(65) => integer(kind, v as i128),
        _ => None,
    }
}

fn not_finite(kind: &Kind, v: f64) -> Option<Value> {
    Some(if matches!(kind, Kind::Float) { Value::F32(v as f32) } else { Value::F64(v) })
}

/// A number as JSON writes one: Rust's own parser takes more, such as `inf` or `+1`.
fn decimal(text: &str) -> Option<f64> {
    serde_json::from_str::<f64>(text).ok().filter(|_| !text.contains(char::is_whitespace))
}

fn bytes(text: &str) -> Option<Value> {
    const EITHER: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, EITHER);
    const FOR_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, EITHER);
    let engine = if text.contains(['-', '_']) { FOR_URLS } else { PLAIN };
    engine.decode(text).ok().map(|bytes| Value::Bytes(bytes.into()))
}

fn expected(kind: &Kind) -> &'static str {
    match kind {
        Kind::Double => "a number",
        Kind::Float => "a 32-bit number",
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => "a 32-bit integer",
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => "a 64-bit integer",
        Kind::Uint32 | Kind::Fixed32 => "a 32-bit integer of 0 or more",
        Kind::Uint64 | Kind::Fixed64 => "a 64-bit integer of 0 or more",
        Kind::Bool => "true or false",
        Kind::String => "a string",
        Kind::Bytes => "base64",
        Kind::Enum(_) => "the name or number of an enum value",
        Kind::Message(_) => "an object",
    }
}
