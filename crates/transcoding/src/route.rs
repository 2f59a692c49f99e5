//! Routes: one for each binding of an HTTP rule, checked when they are made.

use std::{ops::Range, sync::Arc};

use http::{Method, Uri};
use prost_reflect::{
    DescriptorPool, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor, OneofDescriptor,
};

use crate::{
    annotation::{self, HttpRule, Pattern, ServerSentEvents},
    fault::{Fault, Role},
    field_path::{FieldPath, PathError},
    template::{Segment, Template},
};

/// How the requests for one template and HTTP method become calls of an RPC method.
#[derive(Debug)]
pub(crate) struct Route {
    /// None takes every HTTP method.
    pub(crate) method: Option<Method>,
    pub(crate) template_text: String,
    pub(crate) template: Template,
    pub(crate) variables: Vec<PathVariable>,
    pub(crate) body: BodyRule,
    /// The only field of the answer to send; none sends all of it.
    pub(crate) response_body: Option<FieldDescriptor>,
    pub(crate) rpc: MethodDescriptor,
    pub(crate) input: MessageDescriptor,
    pub(crate) output: MessageDescriptor,
    /// The path that a gRPC client would call.
    pub(crate) grpc_path: Uri,
    /// There for a server-streaming method.
    pub(crate) stream: Option<Streaming>,
}

/// A field that is captured from the path.
#[derive(Debug)]
pub(crate) struct PathVariable {
    pub(crate) field: FieldPath,
    pub(crate) segments: Range<usize>,
    /// It ends with `**`.
    pub(crate) to_the_end: bool,
    /// It spans more than one segment, so `%2F` stays encoded.
    pub(crate) multi: bool,
}

/// What a request's body holds.
#[derive(Debug)]
pub(crate) enum BodyRule {
    /// Nothing: there may be none.
    None,
    /// Every field that isn't in the path.
    Whole,
    /// One field.
    Field(FieldDescriptor),
}

/// How a server stream is offered.
#[derive(Debug)]
pub(crate) struct Streaming {
    /// Field of a message that gives an event's id.
    pub(crate) id: Option<FieldPath>,
    /// Field of the request that `Last-Event-ID` sets.
    pub(crate) resume: Option<FieldPath>,
    /// Whose set field names an event.
    pub(crate) oneofs: Vec<OneofDescriptor>,
}

/// Makes the routes of every annotated method; a binding with a fault is left out.
pub(crate) fn read(pool: &DescriptorPool) -> (Vec<Arc<Route>>, Vec<Fault>) {
    if pool.get_extension_by_name(annotation::HTTP).is_none() {
        return (Vec::new(), vec![Fault::NoAnnotations]);
    }
    let (mut routes, mut faults) = (Vec::new(), Vec::new());
    for service in pool.services() {
        for rpc in service.methods() {
            Reader { rpc: &rpc, method: rpc.full_name().to_owned(), faults: &mut faults }.read(&mut routes);
        }
    }
    (routes, faults)
}

struct Reader<'a> {
    rpc: &'a MethodDescriptor,
    method: String,
    faults: &'a mut Vec<Fault>,
}

impl Reader<'_> {
    fn read(mut self, routes: &mut Vec<Arc<Route>>) {
        let method = self.method.clone();
        let events = match annotation::message::<ServerSentEvents>(self.rpc, annotation::SERVER_SENT_EVENTS) {
            Ok(events) => events,
            Err(_) => {
                return self
                    .faults
                    .push(Fault::Unreadable { method, option: annotation::SERVER_SENT_EVENTS });
            }
        };
        if events.is_some() && !self.rpc.is_server_streaming() {
            self.faults.push(Fault::EventsOfUnary { method: method.clone() });
        }
        let rule = match annotation::message::<HttpRule>(self.rpc, annotation::HTTP) {
            Ok(Some(rule)) => rule,
            Ok(None) => return,
            Err(_) => return self.faults.push(Fault::Unreadable { method, option: annotation::HTTP }),
        };
        if self.rpc.is_client_streaming() {
            return self.faults.push(Fault::ClientStream { method });
        }
        if rule.additional_bindings.iter().any(|b| !b.additional_bindings.is_empty()) {
            self.faults.push(Fault::NestedBindings { method });
        }
        if self.rpc.is_server_streaming() {
            self.check_names();
        }
        let events = events.unwrap_or_default();
        for binding in std::iter::once(&rule).chain(&rule.additional_bindings) {
            routes.extend(self.route(binding, &events).map(Arc::new));
        }
    }

    fn route(&mut self, rule: &HttpRule, events: &ServerSentEvents) -> Option<Route> {
        let before = self.faults.len();
        let (method, template_text) = self.pattern(rule.pattern.as_ref())?;
        let template = match Template::parse(&template_text) {
            Ok(template) => template,
            Err(error) => {
                let method = self.method.clone();
                self.faults.push(Fault::BadTemplate { method, template: template_text, error });
                return None;
            }
        };
        let (input, output) = (self.rpc.input(), self.rpc.output());
        let variables = template
            .variables
            .iter()
            .filter_map(|v| {
                let field = self.scalar(Role::PathVariable, &input, &v.field)?;
                let to_the_end = template.segments[v.segments.clone()].contains(&Segment::Rest);
                Some(PathVariable {
                    field,
                    segments: v.segments.clone(),
                    to_the_end,
                    multi: template.is_multi(v),
                })
            })
            .collect::<Vec<_>>();
        let body = match rule.body.as_str() {
            "" => BodyRule::None,
            "*" => BodyRule::Whole,
            name => self.top_level(Role::Body, &input, name).map_or(BodyRule::None, BodyRule::Field),
        };
        let response_body = match rule.response_body.as_str() {
            "" => None,
            name => self.top_level(Role::ResponseBody, &output, name),
        };
        let stream = self.rpc.is_server_streaming().then(|| self.streaming(events, &variables));
        let grpc_path = format!("/{}/{}", self.rpc.parent_service().full_name(), self.rpc.name());
        // Names in descriptors are identifiers, so this always is a path.
        let grpc_path = grpc_path.parse().ok()?;
        let rpc = self.rpc.clone();
        let whole = Route {
            method,
            template_text,
            template,
            variables,
            body,
            response_body,
            rpc,
            input,
            output,
            grpc_path,
            stream,
        };
        (self.faults.len() == before).then_some(whole)
    }

    fn pattern(&mut self, pattern: Option<&Pattern>) -> Option<(Option<Method>, String)> {
        let method = self.method.clone();
        let (http, template) = match pattern {
            None => {
                self.faults.push(Fault::NoPattern { method });
                return None;
            }
            Some(Pattern::Get(path)) => (Some(Method::GET), path),
            Some(Pattern::Put(path)) => (Some(Method::PUT), path),
            Some(Pattern::Post(path)) => (Some(Method::POST), path),
            Some(Pattern::Delete(path)) => (Some(Method::DELETE), path),
            Some(Pattern::Patch(path)) => (Some(Method::PATCH), path),
            Some(Pattern::Custom(custom)) if custom.kind == "*" => (None, &custom.path),
            Some(Pattern::Custom(custom)) => match Method::from_bytes(custom.kind.as_bytes()) {
                Ok(http) => (Some(http), &custom.path),
                Err(_) => {
                    self.faults.push(Fault::BadMethod { method, kind: custom.kind.clone() });
                    return None;
                }
            },
        };
        Some((http, template.clone()))
    }

    fn streaming(&mut self, events: &ServerSentEvents, variables: &[PathVariable]) -> Streaming {
        let (input, output) = (self.rpc.input(), self.rpc.output());
        let mut optional = |role, message: &MessageDescriptor, path: &str| {
            if path.is_empty() { None } else { self.scalar(role, message, path) }
        };
        let id = optional(Role::EventId, &output, &events.id_field);
        let resume = optional(Role::Resume, &input, &events.resume_field);
        if let Some(resume) = &resume
            && variables.iter().any(|v| v.field.is_same(resume))
        {
            let (method, path) = (self.method.clone(), resume.name.clone());
            self.faults.push(Fault::ResumeInPath { method, path });
        }
        Streaming { id, resume, oneofs: output.oneofs().filter(|o| !o.is_synthetic()).collect() }
    }

    /// A path that must lead to a single scalar or enum.
    fn scalar(&mut self, role: Role, message: &MessageDescriptor, path: &str) -> Option<FieldPath> {
        let field = self.resolve(role, message, path)?;
        if field.leaf.is_list() || matches!(field.leaf.kind(), Kind::Message(_)) {
            let (method, path) = (self.method.clone(), path.to_owned());
            self.faults.push(Fault::NotScalar { method, role, path });
            return None;
        }
        Some(field)
    }

    /// The name of any field of the message itself.
    fn top_level(&mut self, role: Role, message: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
        let found = message.get_field_by_name(name);
        if found.is_none() {
            let error = PathError::Unknown(name.to_owned());
            self.faults.push(Fault::BadField {
                method: self.method.clone(),
                role,
                path: name.to_owned(),
                error,
            });
        }
        found
    }

    fn resolve(&mut self, role: Role, message: &MessageDescriptor, path: &str) -> Option<FieldPath> {
        match FieldPath::resolve(message, path) {
            Ok(field) => Some(field),
            Err(error) => {
                let (method, path) = (self.method.clone(), path.to_owned());
                self.faults.push(Fault::BadField { method, role, path, error });
                None
            }
        }
    }

    fn check_names(&mut self) {
        let output = self.rpc.output();
        for field in output.fields() {
            let in_oneof = field.containing_oneof().is_some_and(|o| !o.is_synthetic());
            let name = field.json_name();
            if name == "error" || in_oneof && matches!(name, "open" | "status") {
                let (method, message, field) =
                    (self.method.clone(), output.full_name().to_owned(), name.to_owned());
                self.faults.push(Fault::ReservedName { method, message, field });
            }
        }
    }
}
