//! Operations: what one route takes and gives.

use std::collections::HashSet;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Value as Json, json};

use super::{
    comments::{self, Comments},
    describe,
    errors::{self, ErrorReason, Scope},
    path::wildcards,
    schema::Schemas,
};
use crate::{
    annotation::{self, Credentials},
    field_path::MAX_DEPTH,
    route::{BodyRule, PathVariable, Route},
    template::Segment,
    well_known::WellKnown,
};

/// Writes operations; their ids are unique among all that one of these writes.
pub(super) struct Operations<'s, 'a> {
    comments: &'a Comments,
    schemas: &'s mut Schemas<'a>,
    errors: &'a [ErrorReason],
    ids: HashSet<String>,
}

impl<'s, 'a> Operations<'s, 'a> {
    pub(super) fn new(
        comments: &'a Comments,
        schemas: &'s mut Schemas<'a>,
        errors: &'a [ErrorReason],
    ) -> Self {
        Self { comments, schemas, errors, ids: HashSet::new() }
    }

    /// `names` are those of the path's parameters.
    pub(super) fn operation(&mut self, route: &Route, names: &[String]) -> Json {
        let mut parameters = self.path_parameters(route, names);
        if !matches!(route.body, BodyRule::Whole) {
            self.query_parameters(route, &route.input, &mut Vec::new(), &mut parameters);
        }
        if route.stream.as_ref().is_some_and(|stream| stream.resume.is_some()) {
            parameters.push(json!({
                "name": "Last-Event-ID",
                "in": "header",
                "description": "The id of the last event that the client has: the stream goes on after it.",
                "schema": {"type": "string"},
            }));
        }
        let mut operation = json!({
            "operationId": self.id(route),
            "tags": [route.rpc.parent_service().name()],
            "parameters": parameters,
            "responses": self.responses(route),
        });
        match annotation::credentials(&route.rpc) {
            Credentials::Needed => {}
            Credentials::Heeded => operation["security"] = json!([{}, {"bearer": []}]),
            Credentials::Unneeded => operation["security"] = json!([]),
        }
        let comment = self.comments.of_method(&route.rpc);
        if !comment.is_empty() {
            operation["summary"] = comments::summary(comment).into();
        }
        let mut description = comment.to_owned();
        let reasons = annotation::strings(&route.rpc, annotation::ERROR_REASONS);
        if !reasons.is_empty() {
            if self.errors.is_empty() {
                let list: Vec<_> = reasons.iter().map(|reason| format!("`{reason}`")).collect();
                description += &format!("\n\nError reasons: {}.", list.join(", "));
            }
            operation["x-error-reasons"] = reasons.into();
        }
        describe(&mut operation, description.trim());
        if let Some(body) = self.body(route) {
            operation["requestBody"] = body;
        }
        let options = route.rpc.method_descriptor_proto().options.as_ref();
        if options.is_some_and(|options| options.deprecated()) {
            operation["deprecated"] = true.into();
        }
        operation
    }

    fn responses(&mut self, route: &Route) -> Json {
        let mut responses = json!({"200": self.answer(route)});
        if self.errors.is_empty() {
            responses["default"] = json!({"$ref": "#/components/responses/error"});
            return responses;
        }
        let listed = annotation::strings(&route.rpc, annotation::ERROR_REASONS);
        let applies = |error: &&ErrorReason| match error.scope {
            _ if listed.contains(&error.reason) => true,
            Scope::Listed => false,
            Scope::All => true,
            Scope::WithCredentials => annotation::credentials(&route.rpc) != Credentials::Unneeded,
            Scope::WithBody => !matches!(route.body, BodyRule::None),
        };
        for (status, response) in errors::responses(self.errors.iter().filter(applies)) {
            responses[status] = response;
        }
        responses
    }

    /// The method's name when that is free, else a longer one, else a numbered one.
    fn id(&mut self, route: &Route) -> String {
        let (service, method) = (route.rpc.parent_service(), route.rpc.name());
        let long = format!("{}_{method}", service.full_name().replace('.', "_"));
        let mut id = method.to_owned();
        let mut number = 1;
        while !self.ids.insert(id.clone()) {
            id = if number == 1 { long.clone() } else { format!("{long}_{number}") };
            number += 1;
        }
        id
    }

    fn path_parameters(&mut self, route: &Route, names: &[String]) -> Vec<Json> {
        let parameter = |(i, name): (usize, &String)| {
            let variable = route.variables.iter().find(|v| v.segments.contains(&i));
            let mut schema = json!({"type": "string"});
            let mut description = String::new();
            match variable {
                Some(variable) if variable.segments.len() == 1 => {
                    schema = self.schemas.field(&variable.field.leaf);
                    description += self.comments.of_field(&variable.field.leaf);
                    if let Some(schema) = schema.as_object_mut() {
                        schema.remove("description");
                    }
                }
                Some(variable) => description += &format!("A part of `{}`.", variable.field.name),
                None => {}
            }
            if route.template.segments[i] == Segment::Rest {
                description += "\n\nAny number of segments, with slashes between them.";
            }
            let mut parameter = json!({"name": name, "in": "path", "required": true, "schema": schema});
            describe(&mut parameter, description.trim());
            parameter
        };
        wildcards(&route.template).zip(names).map(parameter).collect()
    }

    /// One parameter for each field that is neither in the path nor in the body; those of messages with
    /// their path. A message inside itself is left out.
    fn query_parameters(
        &mut self,
        route: &Route,
        message: &MessageDescriptor,
        parents: &mut Vec<FieldDescriptor>,
        parameters: &mut Vec<Json>,
    ) {
        for field in message.fields() {
            let in_path = |v: &PathVariable| v.field.leads_to(parents, &field);
            let in_body =
                matches!(&route.body, BodyRule::Field(body) if *body == field && parents.is_empty());
            let behavior = self.schemas.behavior(&field);
            if in_body || field.is_map() || behavior.output_only || route.variables.iter().any(in_path) {
                continue;
            }
            if let Kind::Message(inner) = field.kind() {
                match WellKnown::of(&inner) {
                    Some(
                        WellKnown::Duration
                        | WellKnown::FieldMask
                        | WellKnown::Timestamp
                        | WellKnown::Wrapper,
                    ) => {}
                    Some(_) => continue,
                    None => {
                        let inside_itself = inner == *message
                            || parents.iter().any(|p| p.kind().as_message() == Some(&inner))
                            || inner == route.input;
                        if !field.is_list() && !inside_itself && parents.len() + 1 < MAX_DEPTH {
                            parents.push(field);
                            self.query_parameters(route, &inner, parents, parameters);
                            parents.pop();
                        }
                        continue;
                    }
                }
            }
            let path: Vec<&str> = parents.iter().map(|p| p.json_name()).chain([field.json_name()]).collect();
            let mut schema = self.schemas.field(&field);
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("description");
            }
            let mut parameter = json!({"name": path.join("."), "in": "query", "schema": schema});
            if behavior.required && parents.is_empty() {
                parameter["required"] = true.into();
            }
            describe(&mut parameter, self.comments.of_field(&field));
            parameters.push(parameter);
        }
    }

    fn body(&mut self, route: &Route) -> Option<Json> {
        let in_path = |field: &FieldDescriptor| route.variables.iter().any(|v| v.field.leads_to(&[], field));
        let (schema, required) = match &route.body {
            BodyRule::None => return None,
            BodyRule::Field(field) => (self.schemas.field(field), self.schemas.behavior(field).required),
            BodyRule::Whole => {
                let fields: Vec<_> = route.input.fields().filter(|field| !in_path(field)).collect();
                let required = fields.iter().any(|field| self.schemas.behavior(field).required);
                let schema = if fields.len() == route.input.fields().len() {
                    self.schemas.message(&route.input)
                } else {
                    self.schemas.object(fields.into_iter(), true)
                };
                (schema, required)
            }
        };
        Some(json!({"required": required, "content": {"application/json": {"schema": schema}}}))
    }

    fn answer(&mut self, route: &Route) -> Json {
        let schema = match &route.response_body {
            Some(field) => self.schemas.field(field),
            None => self.schemas.message(&route.output),
        };
        if route.stream.is_none() {
            return json!({"description": "The answer.", "content": {"application/json": {"schema": schema}}});
        }
        json!({
            "description": "A stream. Server-sent events carry one message in each `data:`, are named after \
                the field that is set, and end with an event `status` (a `google.rpc.Status`). Otherwise \
                each line is a message, and the last line of a stream that failed is an error answer.",
            "content": {
                "text/event-stream": {"schema": {"type": "string"}, "x-item-schema": schema},
                "application/x-ndjson": {"schema": {"type": "string"}, "x-item-schema": schema},
            },
        })
    }
}
