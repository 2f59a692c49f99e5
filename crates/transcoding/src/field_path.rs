//! Dotted paths to fields inside messages.

use std::borrow::Cow;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};

/// Deeper paths are refused: a recursive message could otherwise be nested beyond what decoders accept.
pub(crate) const MAX_DEPTH: usize = 16;

/// A path whose every field exists, and whose every field but the last is a single message.
#[derive(Debug, Clone)]
pub(crate) struct FieldPath {
    /// As it was written.
    pub(crate) name: String,
    parents: Vec<FieldDescriptor>,
    /// The field that the path leads to.
    pub(crate) leaf: FieldDescriptor,
}

/// Why a path leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A message has no such field.
    #[error("there is no field `{0}`")]
    Unknown(String),
    /// A field that the path goes through isn't a single message.
    #[error("`{0}` has no fields inside")]
    NotAMessage(String),
    /// The path has too many parts.
    #[error("the path is too deep")]
    TooDeep,
}

impl FieldPath {
    /// Follows a path from a message; each part may be a field's proto name or its JSON name.
    pub(crate) fn resolve(message: &MessageDescriptor, path: &str) -> Result<Self, PathError> {
        let mut parents: Vec<FieldDescriptor> = Vec::new();
        let mut message = message.clone();
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            let field = find(&message, part).ok_or_else(|| PathError::Unknown(part.to_owned()))?;
            if parts.peek().is_none() {
                return Ok(Self { name: path.to_owned(), parents, leaf: field });
            }
            match field.kind() {
                Kind::Message(inner) if !field.is_list() && !field.is_map() => message = inner,
                _ => return Err(PathError::NotAMessage(part.to_owned())),
            }
            parents.push(field);
            if parents.len() == MAX_DEPTH {
                return Err(PathError::TooDeep);
            }
        }
        // `split` yields at least one part, which has returned above.
        Err(PathError::Unknown(path.to_owned()))
    }

    /// The first field of the path.
    pub(crate) fn root(&self) -> &FieldDescriptor {
        self.parents.first().unwrap_or(&self.leaf)
    }

    /// Whether both lead to the same field, however they are written.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.leads_to(&other.parents, &other.leaf)
    }

    /// Whether it leads to this field inside these parents.
    pub(crate) fn leads_to(&self, parents: &[FieldDescriptor], leaf: &FieldDescriptor) -> bool {
        self.parents == parents && self.leaf == *leaf
    }

    /// The value there, unless it is unset, or a default value that can't be told from unset.
    pub(crate) fn get<'m>(&self, message: &'m DynamicMessage) -> Option<Cow<'m, Value>> {
        let message = self.parents.iter().try_fold(message, inner)?;
        message.has_field(&self.leaf).then(|| message.get_field(&self.leaf))
    }

    /// The name of a oneof on the way of which another member is already set, so that setting this field
    /// would clear that one.
    pub(crate) fn taken_oneof(&self, message: &DynamicMessage) -> Option<String> {
        let mut message = message;
        for field in self.parents.iter().chain([&self.leaf]) {
            if let Some(name) = taken_oneof(message, field) {
                return Some(name);
            }
            message = inner(message, field)?;
        }
        None
    }

    /// Puts a value there: replaces a single one, appends to a list.
    pub(crate) fn put(&self, message: &mut DynamicMessage, value: Value) {
        put(message, &self.parents, &self.leaf, value);
    }
}

fn put(message: &mut DynamicMessage, parents: &[FieldDescriptor], leaf: &FieldDescriptor, value: Value) {
    match parents {
        [parent, rest @ ..] => {
            // `resolve` let only single messages through.
            if let Some(inner) = message.get_field_mut(parent).as_message_mut() {
                put(inner, rest, leaf, value);
            }
        }
        [] if leaf.is_list() => {
            if let Some(list) = message.get_field_mut(leaf).as_list_mut() {
                list.push(value);
            }
        }
        [] => message.set_field(leaf, value),
    }
}

/// The message in a field, when there is one.
fn inner<'m>(message: &'m DynamicMessage, field: &FieldDescriptor) -> Option<&'m DynamicMessage> {
    match message.get_field(field) {
        // An owned value would be the default of an unset field.
        Cow::Borrowed(value) => value.as_message(),
        Cow::Owned(_) => None,
    }
}

/// The field of a message by its proto name or its JSON name.
pub(crate) fn find(message: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    message.get_field_by_json_name(name).or_else(|| message.get_field_by_name(name))
}

/// The name of the field's oneof when another member of it is set.
pub(crate) fn taken_oneof(message: &DynamicMessage, field: &FieldDescriptor) -> Option<String> {
    let oneof = field.containing_oneof()?;
    oneof.fields().any(|other| other != *field && message.has_field(&other)).then(|| oneof.name().to_owned())
}
