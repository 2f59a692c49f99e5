//! What is wrong with a request before any rule is asked.

use std::fmt;

/// A field of a request that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct Fault {
    /// The field's path in the request, as in `melds[0].cards[2]`.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is required, and empty.
    #[error("is required")]
    Missing,
    /// Its text isn't what the field holds.
    #[error("{text:?} is not {wanted}")]
    Malformed {
        /// The text, at most its first 40 characters.
        text: String,
        /// What the field holds, with its article: "a card".
        wanted: &'static str,
    },
    /// No preset has the name, of which this is at most the beginning.
    #[error("no preset is called {0:?}")]
    UnknownPreset(String),
    /// Its number isn't one of the enum's, or the unspecified one.
    #[error("{0} is not one of the choices")]
    UnknownChoice(i32),
    /// Its number is too low or too high.
    #[error("{value} is not from {least} to {most}")]
    OutOfRange {
        /// The number.
        value: u32,
        /// The least that is allowed.
        least: u32,
        /// The most that is allowed.
        most: u32,
    },
    /// It has too few or too many items, characters or bytes.
    #[error("has {length} {of}, not {least} to {most}")]
    BadLength {
        /// How many it has.
        length: usize,
        /// Of what: "cards", "bytes".
        of: &'static str,
        /// The least that is allowed.
        least: usize,
        /// The most that is allowed.
        most: usize,
    },
}

impl Fault {
    /// A field whose text isn't what the field holds, such as "a card".
    pub fn malformed(field: impl fmt::Display, text: &str, wanted: &'static str) -> Self {
        Problem::malformed(text, wanted).at(field)
    }

    /// A required field that is empty.
    pub fn missing(field: impl fmt::Display) -> Self {
        Problem::Missing.at(field)
    }
}

impl Problem {
    /// A text that isn't what the field holds. Only its beginning is kept: it comes from outside.
    pub(super) fn malformed(text: &str, wanted: &'static str) -> Self {
        Self::Malformed { text: beginning(text), wanted }
    }

    /// A name that no preset has.
    pub(super) fn unknown_preset(name: &str) -> Self {
        Self::UnknownPreset(beginning(name))
    }

    /// The fault of a field.
    pub(super) fn at(self, field: impl fmt::Display) -> Fault {
        Fault { field: field.to_string(), problem: self }
    }
}

/// What of a text from outside is told back.
fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
