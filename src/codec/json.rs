//! Messages of the API as canonical JSON.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};

use crate::proto::DESCRIPTORS;

/// Why a JSON text isn't a message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

/// The API's descriptors; they are built in, and the tests read them.
static POOL: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());

/// A message as JSON on one line, its fields in the order of their numbers. `name` is its full name; the text is
/// empty if the API has no such message.
pub fn encode(name: &str, message: &impl Message) -> String {
    let dynamic = descriptor(name).and_then(|descriptor| {
        let mut dynamic = DynamicMessage::new(descriptor);
        dynamic.transcode_from(message).ok()?;
        serde_json::to_string(&dynamic).ok()
    });
    dynamic.unwrap_or_default()
}

/// The same with fields that have their defaults, as REST answers.
pub fn encode_in_full(name: &str, message: &impl Message) -> String {
    let options = SerializeOptions::new().skip_default_fields(false);
    let dynamic = descriptor(name).and_then(|descriptor| {
        let mut dynamic = DynamicMessage::new(descriptor);
        dynamic.transcode_from(message).ok()?;
        let mut text = Vec::new();
        dynamic.serialize_with_options(&mut serde_json::Serializer::new(&mut text), &options).ok()?;
        String::from_utf8(text).ok()
    });
    dynamic.unwrap_or_default()
}

/// The message that a JSON text is. `name` is its full name.
///
/// # Errors
/// It isn't one.
pub fn decode<M: Message + Default>(name: &str, text: &str) -> Result<M, JsonError> {
    let descriptor = descriptor(name).ok_or_else(|| JsonError(format!("the API has no {name}")))?;
    let fault = |error: serde_json::Error| JsonError(error.to_string());
    let mut reader = serde_json::Deserializer::from_str(text);
    let dynamic = DynamicMessage::deserialize(descriptor, &mut reader).map_err(fault)?;
    reader.end().map_err(fault)?;
    dynamic.transcode_to().map_err(|error| JsonError(error.to_string()))
}

fn descriptor(name: &str) -> Option<MessageDescriptor> {
    POOL.as_ref()?.get_message_by_name(name)
}
