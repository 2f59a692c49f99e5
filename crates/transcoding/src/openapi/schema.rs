//! JSON Schemas of messages and enums, as canonical proto3 JSON writes them.

use std::collections::BTreeMap;

use prost_reflect::{
    DescriptorPool, EnumDescriptor, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value,
};
use serde_json::{Map, Value as Json, json};

use super::{comments::Comments, describe};
use crate::well_known::WellKnown;

/// The key of the schema of error answers. No message can have it: names have no hyphens.
const ERROR: &str = "error-answer";

/// Details of errors that are worth a schema.
const DETAILS: [&str; 4] =
    ["google.rpc.ErrorInfo", "google.rpc.BadRequest", "google.rpc.RetryInfo", "google.rpc.LocalizedMessage"];

/// The schemas that a document refers to.
pub(super) struct Schemas<'a> {
    pool: &'a DescriptorPool,
    comments: &'a Comments,
    behavior: Option<ExtensionDescriptor>,
    components: BTreeMap<String, Json>,
}

/// What `google.api.field_behavior` says of a field.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Behavior {
    pub(super) required: bool,
    pub(super) output_only: bool,
    pub(super) input_only: bool,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(pool: &'a DescriptorPool, comments: &'a Comments) -> Self {
        let behavior = pool.get_extension_by_name("google.api.field_behavior");
        Self { pool, comments, behavior, components: BTreeMap::new() }
    }

    pub(super) fn into_components(self) -> BTreeMap<String, Json> {
        self.components
    }

    pub(super) fn behavior(&self, field: &FieldDescriptor) -> Behavior {
        let Some(extension) = &self.behavior else { return Behavior::default() };
        let options = field.options();
        let value = options.get_extension(extension);
        let has = |number| value.as_list().unwrap_or_default().contains(&Value::EnumNumber(number));
        Behavior { required: has(2), output_only: has(3), input_only: has(4) }
    }

    /// A reference to the schema of a message, or the schema of a well-known type itself.
    pub(super) fn message(&mut self, message: &MessageDescriptor) -> Json {
        if let Some(well_known) = WellKnown::of(message) {
            return self.well_known(well_known, message);
        }
        let name = message.full_name();
        if !self.components.contains_key(name) {
            // Stands here while the fields are written, for messages that contain themselves.
            self.components.insert(name.to_owned(), Json::Null);
            let mut schema = self.object(message.fields());
            describe(&mut schema, &self.description_of(message));
            let oneofs: Map<String, Json> = message
                .oneofs()
                .filter(|oneof| !oneof.is_synthetic())
                .map(|oneof| {
                    let members = oneof.fields().map(|field| Json::from(field.json_name())).collect();
                    (oneof.name().to_owned(), members)
                })
                .collect();
            if !oneofs.is_empty() {
                schema["x-oneofs"] = oneofs.into();
            }
            self.components.insert(name.to_owned(), schema);
        }
        reference(name)
    }

    /// An object with these fields.
    pub(super) fn object(&mut self, fields: impl Iterator<Item = FieldDescriptor>) -> Json {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for field in fields {
            if self.behavior(&field).required {
                required.push(field.json_name().to_owned());
            }
            properties.insert(field.json_name().to_owned(), self.field(&field));
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }

    /// The schema of a field with what is said of it.
    pub(super) fn field(&mut self, field: &FieldDescriptor) -> Json {
        let mut schema = self.value_of(field);
        describe(&mut schema, self.comments.of_field(field));
        let behavior = self.behavior(field);
        for (key, holds) in [
            ("readOnly", behavior.output_only),
            ("writeOnly", behavior.input_only),
            ("deprecated", is_deprecated(field)),
        ] {
            if holds {
                schema[key] = true.into();
            }
        }
        schema
    }

    fn value_of(&mut self, field: &FieldDescriptor) -> Json {
        match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let values = self.kind(&entry.map_entry_value_field().kind());
                let mut schema = json!({"type": "object", "additionalProperties": values});
                if let Some(names) = key_schema(&entry.map_entry_key_field().kind()) {
                    schema["propertyNames"] = names;
                }
                schema
            }
            kind if field.is_list() => json!({"type": "array", "items": self.kind(&kind)}),
            kind => self.kind(&kind),
        }
    }

    /// The schema of one value.
    fn kind(&mut self, kind: &Kind) -> Json {
        match kind {
            Kind::Double => json!({"type": "number", "format": "double"}),
            Kind::Float => json!({"type": "number", "format": "float"}),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => json!({"type": "integer", "format": "int32"}),
            Kind::Uint32 | Kind::Fixed32 => json!({"type": "integer", "minimum": 0, "maximum": u32::MAX}),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                json!({"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"})
            }
            Kind::Uint64 | Kind::Fixed64 => {
                json!({"type": "string", "format": "uint64", "pattern": "^[0-9]+$"})
            }
            Kind::Bool => json!({"type": "boolean"}),
            Kind::String => json!({"type": "string"}),
            Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
            Kind::Message(message) => self.message(message),
            Kind::Enum(values) if WellKnown::is_null(values) => json!({"type": "null"}),
            Kind::Enum(values) => self.enumeration(values),
        }
    }

    fn enumeration(&mut self, values: &EnumDescriptor) -> Json {
        let name = values.full_name();
        if !self.components.contains_key(name) {
            let names: Vec<_> = values.values().map(|value| value.name().to_owned()).collect();
            let mut description = vec![self.comments.of_enum(values).to_owned()];
            description.extend(values.values().filter_map(|value| {
                let comment = self.comments.of_value(&value).replace('\n', " ");
                (!comment.is_empty()).then(|| format!("* `{}`: {comment}", value.name()))
            }));
            let mut schema = json!({"type": "string", "enum": names});
            describe(&mut schema, description.join("\n").trim());
            self.components.insert(name.to_owned(), schema);
        }
        reference(name)
    }

    fn well_known(&mut self, well_known: WellKnown, message: &MessageDescriptor) -> Json {
        match well_known {
            WellKnown::Any => json!({
                "type": "object",
                "required": ["@type"],
                "properties": {"@type": {"type": "string"}},
            }),
            WellKnown::Duration => json!({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$"}),
            WellKnown::Empty | WellKnown::Struct => json!({"type": "object"}),
            WellKnown::FieldMask => json!({"type": "string"}),
            WellKnown::ListValue => json!({"type": "array", "items": {}}),
            WellKnown::Timestamp => json!({"type": "string", "format": "date-time"}),
            WellKnown::Value => json!({}),
            WellKnown::Wrapper => message.get_field(1).map_or(json!({}), |value| self.kind(&value.kind())),
        }
    }

    /// The comment of a message, and which of its fields exclude each other.
    fn description_of(&self, message: &MessageDescriptor) -> String {
        let mut parts = vec![self.comments.of_message(message).to_owned()];
        for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
            let members: Vec<_> = oneof.fields().map(|field| format!("`{}`", field.json_name())).collect();
            parts.push(format!("At most one of {} is given.", members.join(", ")));
        }
        parts.join("\n\n").trim().to_owned()
    }

    /// A reference to the schema of every error answer.
    pub(super) fn error(&mut self) -> Json {
        let details: Vec<Json> = DETAILS
            .iter()
            .filter_map(|name| self.pool.get_message_by_name(name))
            .map(|message| self.message(&message))
            .collect();
        let mut detail = json!({
            "type": "object",
            "description": "One of the messages of `google.rpc`; its `@type` says which one.",
            "required": ["@type"],
            "properties": {"@type": {"type": "string"}},
        });
        if !details.is_empty() {
            detail["anyOf"] = details.into();
        }
        let schema = json!({
            "type": "object",
            "required": ["error"],
            "properties": {"error": {
                "type": "object",
                "required": ["code", "status", "message", "details"],
                "properties": {
                    "code": {"type": "integer", "description": "The HTTP status."},
                    "status": {"type": "string", "description": "The name of the `google.rpc.Code`."},
                    "message": {"type": "string", "description": "What is wrong, for a developer."},
                    "details": {"type": "array", "items": detail},
                },
            }},
        });
        self.components.insert(ERROR.to_owned(), schema);
        reference(ERROR)
    }
}

fn reference(name: &str) -> Json {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// What the keys of a map look like; none for any string.
fn key_schema(kind: &Kind) -> Option<Json> {
    match kind {
        Kind::String => None,
        Kind::Bool => Some(json!({"enum": ["false", "true"]})),
        Kind::Uint32 | Kind::Uint64 | Kind::Fixed32 | Kind::Fixed64 => Some(json!({"pattern": "^[0-9]+$"})),
        _ => Some(json!({"pattern": "^-?[0-9]+$"})),
    }
}

fn is_deprecated(field: &FieldDescriptor) -> bool {
    field.field_descriptor_proto().options.as_ref().is_some_and(|options| options.deprecated())
}
