//! What is wrong with a part of a request.

/// Longer names and descriptions are cut: both may repeat what a client sent.
const MAX_CHARS: usize = 200;

/// A faulty part of a request, as in `google.rpc.BadRequest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The path of the field as the client wrote it (or would write it in JSON), `body`, or a header's name.
    pub(crate) field: String,
    /// What is wrong, for a developer.
    pub(crate) description: String,
}

impl Violation {
    pub(crate) fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: clip(field.into()), description: clip(description.into()) }
    }
}

fn clip(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}
