//! JSON Schemas of messages and enums, as canonical proto3 JSON writes them.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use prost_reflect::{
    DescriptorPool, EnumDescriptor, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor,
    OneofDescriptor, Value,
};
use serde_json::{Map, Value as Json, json};

use super::{comments::Comments, constraint, describe};
use crate::{
    annotation,
    route::{BodyRule, Route},
    well_known::WellKnown,
};

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
    /// The names of messages that requests hold.
    given: HashSet<String>,
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
    pub(super) fn new(pool: &'a DescriptorPool, comments: &'a Comments, routes: &[Arc<Route>]) -> Self {
        let behavior = pool.get_extension_by_name("google.api.field_behavior");
        let mut given = HashSet::new();
        for route in routes {
            match &route.body {
                BodyRule::None => {}
                BodyRule::Whole => add_given(&route.input, &mut given),
                BodyRule::Field(field) => {
                    field.kind().as_message().into_iter().for_each(|m| add_given(m, &mut given))
                }
            }
        }
        Self { pool, comments, behavior, given, components: BTreeMap::new() }
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
            let mut schema = self.object(message.fields(), self.given.contains(name));
            describe(&mut schema, &self.description_of(message));
            add_oneofs(message, &mut schema);
            self.components.insert(name.to_owned(), schema);
        }
        reference(name)
    }

    /// An object with these fields. In one that is given by a client, other fields are refused, and `null` stands
    /// for a field that isn't given.
    pub(super) fn object(&mut self, fields: impl Iterator<Item = FieldDescriptor>, given: bool) -> Json {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for field in fields {
            let mut schema = self.field(&field);
            if self.behavior(&field).required {
                required.push(field.json_name().to_owned());
            } else if given && !field.containing_oneof().is_some_and(|oneof| annotation::needs_one(&oneof)) {
                constraint::or_null(&mut schema);
            }
            properties.insert(field.json_name().to_owned(), schema);
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        if given {
            schema["additionalProperties"] = false.into();
        }
        schema
    }

    /// The schema of a field with what is said of it.
    pub(super) fn field(&mut self, field: &FieldDescriptor) -> Json {
        let mut schema = self.value_of(field);
        constraint::add(&annotation::schema(field), field, &mut schema);
        self.leave_out_unspecified(field, &mut schema);
        let says_more = |key| schema.get(key).is_some();
        if field.kind() == Kind::String
            && !field.is_list()
            && self.behavior(field).required
            && !["format", "pattern", "minLength", "anyOf"].into_iter().any(says_more)
        {
            // An empty text is none.
            schema["minLength"] = 1.into();
        }
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

    /// An enum's value for "not given" isn't for a field that has another way to say so, or must be given.
    fn leave_out_unspecified(&self, field: &FieldDescriptor, schema: &mut Json) {
        let Kind::Enum(values) = field.kind() else { return };
        let told_otherwise = field.is_list() || field.supports_presence() || self.behavior(field).required;
        let unspecified = values.get_value(0).filter(|value| value.name().ends_with("_UNSPECIFIED"));
        if let Some(unspecified) = unspecified.filter(|_| told_otherwise && !field.is_map()) {
            let schema = if field.is_list() { &mut schema["items"] } else { schema };
            schema["not"] = json!({"const": unspecified.name()});
        }
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

    /// Adds the schema of every error answer.
    pub(super) fn add_error(&mut self) {
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
    }
}

/// A reference to the schema of every error answer.
pub(super) fn error_reference() -> Json {
    reference(ERROR)
}

/// Adds the names of a message and of all that it holds.
fn add_given(message: &MessageDescriptor, given: &mut HashSet<String>) {
    if WellKnown::of(message).is_none() && given.insert(message.full_name().to_owned()) {
        message
            .fields()
            .filter_map(|field| field.kind().as_message().cloned())
            .for_each(|m| add_given(&m, given));
    }
}

/// Says which fields exclude each other.
fn add_oneofs(message: &MessageDescriptor, schema: &mut Json) {
    let oneofs: Vec<OneofDescriptor> = message.oneofs().filter(|oneof| !oneof.is_synthetic()).collect();
    let names = |oneof: &OneofDescriptor| -> Vec<String> {
        oneof.fields().map(|field| field.json_name().to_owned()).collect()
    };
    match oneofs.as_slice() {
        [] => return,
        [only] if only.fields().len() == message.fields().len() => {
            schema["maxProperties"] = 1.into();
            if annotation::needs_one(only) {
                schema["minProperties"] = 1.into();
            }
        }
        _ => {
            let pairs = oneofs.iter().flat_map(|oneof| {
                let names = names(oneof);
                (0..names.len())
                    .flat_map(|one| (one + 1..names.len()).map(move |other| (one, other)))
                    .map(|(one, other)| json!({"required": [names[one], names[other]]}))
                    .collect::<Vec<_>>()
            });
            schema["not"] = json!({"anyOf": pairs.collect::<Vec<_>>()});
            let needed = oneofs.iter().filter(|oneof| annotation::needs_one(oneof));
            let any_of = |oneof: &OneofDescriptor| -> Json {
                let one = |name| json!({"required": [name]});
                json!({"anyOf": names(oneof).into_iter().map(one).collect::<Vec<_>>()})
            };
            let needed: Vec<Json> = needed.map(any_of).collect();
            if !needed.is_empty() {
                schema["allOf"] = needed.into();
            }
        }
    }
    let listed = oneofs.iter().map(|oneof| (oneof.name().to_owned(), names(oneof).into()));
    schema["x-oneofs"] = listed.collect::<Map<_, _>>().into();
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
