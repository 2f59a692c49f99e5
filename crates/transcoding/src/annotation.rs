//! The method options that this crate reads, as typed messages.

use prost_reflect::{MethodDescriptor, ReflectMessage as _, Value};

/// The full name of the HTTP rule's option.
pub(crate) const HTTP: &str = "google.api.http";
/// The full name of the option for server-sent events.
pub(crate) const SERVER_SENT_EVENTS: &str = "remik.transcoding.v1.server_sent_events";
/// The full name of the option that lists error reasons.
pub(crate) const ERROR_REASONS: &str = "remik.transcoding.v1.error_reasons";

/// `google.api.HttpRule`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct HttpRule {
    #[prost(string, tag = "7")]
    pub(crate) body: String,
    #[prost(string, tag = "12")]
    pub(crate) response_body: String,
    #[prost(message, repeated, tag = "11")]
    pub(crate) additional_bindings: Vec<HttpRule>,
    #[prost(oneof = "Pattern", tags = "2, 3, 4, 5, 6, 8")]
    pub(crate) pattern: Option<Pattern>,
}

/// `google.api.HttpRule.pattern`.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Pattern {
    #[prost(string, tag = "2")]
    Get(String),
    #[prost(string, tag = "3")]
    Put(String),
    #[prost(string, tag = "4")]
    Post(String),
    #[prost(string, tag = "5")]
    Delete(String),
    #[prost(string, tag = "6")]
    Patch(String),
    #[prost(message, tag = "8")]
    Custom(CustomPattern),
}

/// `google.api.CustomHttpPattern`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CustomPattern {
    #[prost(string, tag = "1")]
    pub(crate) kind: String,
    #[prost(string, tag = "2")]
    pub(crate) path: String,
}

/// `remik.transcoding.v1.ServerSentEvents`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ServerSentEvents {
    #[prost(string, tag = "1")]
    pub(crate) id_field: String,
    #[prost(string, tag = "2")]
    pub(crate) resume_field: String,
}

/// An option of a method that is there but can't be decoded.
pub(crate) struct Unreadable;

/// Reads a message option of a method; none when the pool doesn't have the option or the method doesn't.
pub(crate) fn message<M: prost::Message + Default>(
    method: &MethodDescriptor,
    option: &str,
) -> Result<Option<M>, Unreadable> {
    let Some(value) = get(method, option) else { return Ok(None) };
    let message = value.as_message().ok_or(Unreadable)?;
    message.transcode_to().map(Some).map_err(|_| Unreadable)
}

/// Reads a repeated string option of a method.
pub(crate) fn strings(method: &MethodDescriptor, option: &str) -> Vec<String> {
    let value = get(method, option);
    let list = value.as_ref().and_then(Value::as_list).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn get(method: &MethodDescriptor, option: &str) -> Option<Value> {
    let extension = method.parent_pool().get_extension_by_name(option)?;
    let options = method.options();
    let belongs = options.descriptor() == extension.containing_message();
    (belongs && options.has_extension(&extension)).then(|| options.get_extension(&extension).into_owned())
}
