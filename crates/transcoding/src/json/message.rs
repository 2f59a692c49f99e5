//! Messages, lists and maps from JSON.

use std::{collections::HashMap, fmt};

use prost_reflect::{
    DeserializeOptions, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{
    scalar::{Scalar, from_text},
    trail::Trail,
};
use crate::{field_path, well_known::WellKnown};

const STRICT: DeserializeOptions = DeserializeOptions::new().deny_unknown_fields(true);

/// Reads a message.
pub(super) struct MessageSeed<'a> {
    pub(super) descriptor: &'a MessageDescriptor,
    pub(super) trail: &'a Trail,
}

impl<'de> DeserializeSeed<'de> for MessageSeed<'_> {
    type Value = DynamicMessage;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DynamicMessage, D::Error> {
        if WellKnown::of(self.descriptor).is_some() {
            // These have a JSON form of their own.
            return DynamicMessage::deserialize_with_options(self.descriptor.clone(), deserializer, &STRICT);
        }
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MessageSeed<'_> {
    type Value = DynamicMessage;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DynamicMessage, A::Error> {
        let Self { descriptor, trail } = self;
        let mut message = DynamicMessage::new(descriptor.clone());
        let mut seen = Vec::new();
        while let Some(field) = map.next_key_seed(NameSeed { descriptor, trail })? {
            let value = map.next_value_seed(FieldSeed { field: &field, trail });
            let value = trail.in_field(field.json_name(), value)?;
            let problem = if seen.contains(&field.number()) {
                Some("given more than once".to_owned())
            } else if value.is_some() {
                field_path::taken_oneof(&message, &field)
                    .map(|oneof| format!("another field of `{oneof}` is given too"))
            } else {
                None
            };
            if let Some(problem) = problem {
                return trail.in_field(field.json_name(), Err(A::Error::custom(problem)));
            }
            seen.push(field.number());
            if let Some(value) = value {
                message.set_field(&field, value);
            }
        }
        Ok(message)
    }
}

/// Reads the name of a field.
struct NameSeed<'a> {
    descriptor: &'a MessageDescriptor,
    trail: &'a Trail,
}

impl<'de> DeserializeSeed<'de> for NameSeed<'_> {
    type Value = FieldDescriptor;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<FieldDescriptor, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameSeed<'_> {
    type Value = FieldDescriptor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FieldDescriptor, E> {
        let found = field_path::find(self.descriptor, name);
        self.trail.in_field(name, found.ok_or_else(|| E::custom("there is no such field")))
    }
}

/// Reads the value of a field; none for `null`, which leaves a field unset.
pub(super) struct FieldSeed<'a> {
    pub(super) field: &'a FieldDescriptor,
    pub(super) trail: &'a Trail,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Value>, D::Error> {
        let takes_null = match self.field.kind() {
            Kind::Message(message) => WellKnown::of(&message) == Some(WellKnown::Value),
            Kind::Enum(values) => WellKnown::is_null(&values),
            _ => false,
        };
        if takes_null && !self.field.is_list() && !self.field.is_map() {
            ValueSeed { kind: &self.field.kind(), trail: self.trail }.deserialize(deserializer).map(Some)
        } else {
            deserializer.deserialize_option(self)
        }
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E: Error>(self) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Value>, D::Error> {
        let Self { field, trail } = self;
        let kind = field.kind();
        let value = if field.is_map() {
            match &kind {
                Kind::Message(entry) => deserializer.deserialize_map(MapVisitor { entry, trail })?,
                _ => return Err(D::Error::custom("not a map entry")),
            }
        } else if field.is_list() {
            deserializer.deserialize_seq(ListVisitor { kind: &kind, trail })?
        } else {
            ValueSeed { kind: &kind, trail }.deserialize(deserializer)?
        };
        Ok(Some(value))
    }
}

/// Reads one value of a kind.
struct ValueSeed<'a> {
    kind: &'a Kind,
    trail: &'a Trail,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.kind {
            Kind::Message(descriptor) => {
                MessageSeed { descriptor, trail: self.trail }.deserialize(deserializer).map(Value::Message)
            }
            scalar => deserializer.deserialize_any(Scalar(scalar)),
        }
    }
}

struct ListVisitor<'a> {
    kind: &'a Kind,
    trail: &'a Trail,
}

impl<'de> Visitor<'de> for ListVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let Self { kind, trail } = self;
        let mut values = Vec::new();
        loop {
            let next = list.next_element_seed(ValueSeed { kind, trail });
            match trail.in_element(values.len(), next)? {
                Some(value) => values.push(value),
                None => return Ok(Value::List(values)),
            }
        }
    }
}

struct MapVisitor<'a> {
    entry: &'a MessageDescriptor,
    trail: &'a Trail,
}

impl<'de> Visitor<'de> for MapVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Self { entry, trail } = self;
        let (key_kind, value_kind) =
            (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
        let mut values = HashMap::new();
        while let Some(text) = map.next_key::<String>()? {
            let value = map.next_value_seed(ValueSeed { kind: &value_kind, trail });
            let value = trail.in_entry(&text, value)?;
            let key = from_text(&key_kind, &text).map_err(A::Error::custom);
            let key = trail.in_entry(&text, key.and_then(|key| map_key(key).map_err(A::Error::custom)))?;
            if values.insert(key, value).is_some() {
                return trail.in_entry(&text, Err(A::Error::custom("given more than once")));
            }
        }
        Ok(Value::Map(values))
    }
}

fn map_key(value: Value) -> Result<MapKey, &'static str> {
    value.into_map_key().ok_or("not a key")
}
