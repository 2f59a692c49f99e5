//! What can be wrong with the annotations of an API.

use std::fmt;

use crate::{field_path::PathError, template::TemplateError};

/// All faults in the HTTP annotations of a descriptor pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    faults: Vec<Fault>,
}

impl ConfigError {
    /// An error when there is any fault.
    pub(crate) fn check(faults: Vec<Fault>) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Self { faults }) }
    }

    /// Every fault, in the order of the methods in the pool. Never empty.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the HTTP annotations can't be served")?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for ConfigError {}

/// One fault. `method` is always the full name of the RPC method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The pool doesn't know `google.api.http`, so no method can have a route.
    #[error("google/api/annotations.proto isn't in the descriptor pool")]
    NoAnnotations,
    /// An annotation can't be decoded.
    #[error("{method}: option `{option}` can't be read")]
    Unreadable {
        /// The method.
        method: String,
        /// The full name of the option.
        option: &'static str,
    },
    /// Only unary and server-streaming methods can be offered over HTTP.
    #[error("{method}: a method with a client stream can't have an HTTP rule")]
    ClientStream {
        /// The method.
        method: String,
    },
    /// An HTTP rule without a pattern.
    #[error("{method}: an HTTP rule has no pattern")]
    NoPattern {
        /// The method.
        method: String,
    },
    /// A custom pattern whose kind isn't an HTTP method or `*`.
    #[error("{method}: `{kind}` isn't an HTTP method")]
    BadMethod {
        /// The method.
        method: String,
        /// The kind given.
        kind: String,
    },
    /// An additional binding has additional bindings itself.
    #[error("{method}: additional bindings are nested")]
    NestedBindings {
        /// The method.
        method: String,
    },
    /// A path template that can't be read.
    #[error("{method}: template `{template}`: {error}")]
    BadTemplate {
        /// The method.
        method: String,
        /// The template.
        template: String,
        /// What is wrong with it.
        error: TemplateError,
    },
    /// A path variable, body, response body or event field that doesn't exist.
    #[error("{method}: {role} `{path}`: {error}")]
    BadField {
        /// The method.
        method: String,
        /// What the field is for.
        role: Role,
        /// The path given.
        path: String,
        /// What is wrong with it.
        error: PathError,
    },
    /// A field for a path variable or an event's id that isn't a single scalar or enum.
    #[error("{method}: {role} `{path}` is not a single scalar field")]
    NotScalar {
        /// The method.
        method: String,
        /// What the field is for.
        role: Role,
        /// The path given.
        path: String,
    },
    /// The field that a reconnecting client sets by `Last-Event-ID` is a path variable.
    #[error("{method}: resume field `{path}` is also a path variable")]
    ResumeInPath {
        /// The method.
        method: String,
        /// The path given.
        path: String,
    },
    /// Options for server-sent events on a method that doesn't stream.
    #[error("{method}: only a server-streaming method has server-sent events")]
    EventsOfUnary {
        /// The method.
        method: String,
    },
    /// A field of a streamed message that a client couldn't tell from the end of the stream: a member of a
    /// oneof named `error`, `open` or `status` (events of those names mean something else), or a field
    /// `error` (the last line of a failed NDJSON stream has it).
    #[error("{method}: field `{field}` of the streamed `{message}` has a reserved name")]
    ReservedName {
        /// The method.
        method: String,
        /// The full name of the message.
        message: String,
        /// The JSON name of the field.
        field: String,
    },
    /// Two rules take the same paths with the same HTTP method.
    #[error("{method}: `{template}` takes the same requests as `{other_template}` of {other_method}")]
    Conflict {
        /// The method.
        method: String,
        /// Its template.
        template: String,
        /// The method whose rule came first.
        other_method: String,
        /// Its template.
        other_template: String,
    },
}

/// What an annotation uses a field for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A variable of a path template.
    PathVariable,
    /// `body`.
    Body,
    /// `response_body`.
    ResponseBody,
    /// `id_field` of the server-sent events.
    EventId,
    /// `resume_field` of the server-sent events.
    Resume,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PathVariable => "path variable",
            Self::Body => "body",
            Self::ResponseBody => "response body",
            Self::EventId => "id field",
            Self::Resume => "resume field",
        })
    }
}
