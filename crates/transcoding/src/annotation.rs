//! The method options that this crate reads, as typed messages.

use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, MethodDescriptor, OneofDescriptor, ReflectMessage as _,
    Value,
};

/// The full name of the HTTP rule's option.
pub(crate) const HTTP: &str = "google.api.http";
/// The full name of the option for server-sent events.
pub(crate) const SERVER_SENT_EVENTS: &str = "remik.transcoding.v1.server_sent_events";
/// The full name of the option that lists error reasons.
pub(crate) const ERROR_REASONS: &str = "remik.transcoding.v1.error_reasons";
/// The full name of the option for methods that anybody may call.
const NEEDS_NO_CREDENTIALS: &str = "remik.transcoding.v1.needs_no_credentials";
const HEEDS_CREDENTIALS: &str = "remik.transcoding.v1.heeds_credentials";
/// The full name of the option for oneofs of which one field has to be given.
const NEEDS_ONE: &str = "remik.transcoding.v1.needs_one";
/// The full name of the option for what values a field takes.
const SCHEMA: &str = "remik.transcoding.v1.schema";

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

/// `remik.transcoding.v1.Schema`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Schema {
    #[prost(string, tag = "1")]
    pub(crate) format: String,
    #[prost(string, tag = "2")]
    pub(crate) pattern: String,
    #[prost(uint32, optional, tag = "3")]
    pub(crate) min_length: Option<u32>,
    #[prost(uint32, optional, tag = "4")]
    pub(crate) max_length: Option<u32>,
    #[prost(int64, optional, tag = "5")]
    pub(crate) minimum: Option<i64>,
    #[prost(int64, optional, tag = "6")]
    pub(crate) maximum: Option<i64>,
    #[prost(string, repeated, tag = "7")]
    pub(crate) one_of: Vec<String>,
    #[prost(bool, tag = "8")]
    pub(crate) or_default: bool,
    #[prost(uint32, optional, tag = "9")]
    pub(crate) min_items: Option<u32>,
    #[prost(uint32, optional, tag = "10")]
    pub(crate) max_items: Option<u32>,
    #[prost(string, repeated, tag = "11")]
    pub(crate) examples: Vec<String>,
    #[prost(string, tag = "12")]
    pub(crate) also: String,
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

/// What credentials mean to a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credentials {
    Needed,
    /// They count if they are sent.
    Heeded,
    Unneeded,
}

pub(crate) fn credentials(method: &MethodDescriptor) -> Credentials {
    let is_set = |option| get(method, option).and_then(|value| value.as_bool()).unwrap_or_default();
    match (is_set(NEEDS_NO_CREDENTIALS), is_set(HEEDS_CREDENTIALS)) {
        (false, _) => Credentials::Needed,
        (true, true) => Credentials::Heeded,
        (true, false) => Credentials::Unneeded,
    }
}

/// Whether one of a oneof's fields has to be given.
pub(crate) fn needs_one(oneof: &OneofDescriptor) -> bool {
    let value = extension(oneof.parent_pool(), &oneof.options(), NEEDS_ONE);
    value.and_then(|value| value.as_bool()).unwrap_or_default()
}

/// What values a field takes; nothing is said by default, nor by what can't be read.
pub(crate) fn schema(field: &FieldDescriptor) -> Schema {
    let value = extension(field.parent_pool(), &field.options(), SCHEMA);
    let message = value.as_ref().and_then(Value::as_message);
    message.and_then(|message| message.transcode_to().ok()).unwrap_or_default()
}

fn get(method: &MethodDescriptor, option: &str) -> Option<Value> {
    extension(method.parent_pool(), &method.options(), option)
}

fn extension(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Option<Value> {
    let extension = pool.get_extension_by_name(name)?;
    let belongs = options.descriptor() == extension.containing_message();
    (belongs && options.has_extension(&extension)).then(|| options.get_extension(&extension).into_owned())
}
