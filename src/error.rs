//! What a client is told when a call fails: a reason of one table, with its numbers and cards.

mod chat;
mod fault;
mod feed;
mod identity;
mod key;
mod language;
mod limit;
mod localize;
mod matchmaking;
mod profile;
mod reason;
mod refusal;
mod replay;
mod sandbox;
mod standings;
mod status;
mod table;
mod texts;
mod webhook;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use crate::proto::v1::ErrorReason as Reason;
pub use key::{Key, Kind};
pub use language::Language;
pub use localize::{localize, localize_headers, localized, of_transcoder};

/// The domain of every reason.
pub const DOMAIN: &str = "remik";

/// A failed call. Its text, reason and metadata are for the client; the cause is for the service's log alone.
#[derive(Debug, Clone)]
pub struct ApiError {
    reason: Reason,
    message: String,
    metadata: BTreeMap<String, String>,
    violations: Vec<Violation>,
    retry_after: Option<Duration>,
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

/// A field of the request that is at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Its path, as in `melds[0].cards[2]`.
    pub field: String,
    /// What is wrong with it.
    pub description: String,
}

impl ApiError {
    /// A failure for a reason, with a text for developers.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        let rule = reason.rule().map(|rule| ("rule".to_owned(), rule.to_string()));
        Self {
            reason,
            message: message.into(),
            metadata: rule.into_iter().collect(),
            violations: Vec::new(),
            retry_after: reason.retry_after(),
            cause: None,
        }
    }

    /// Adds a number, a card or the like for programs to read.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl fmt::Display) -> Self {
        self.metadata.insert(key.to_owned(), value.to_string());
        self
    }

    /// Names a field that is at fault.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>, description: impl Into<String>) -> Self {
        self.violations.push(Violation { field: field.into(), description: description.into() });
        self
    }

    /// Says when to try again, where the reason's usual time isn't right.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// Keeps what went wrong inside, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// There is no such game, or the caller may not know of it: the answer is the same.
    pub fn game_not_found() -> Self {
        Self::new(Reason::GameNotFound, "there is no such game")
    }

    /// The call carries no valid credentials.
    pub fn unauthenticated() -> Self {
        Self::new(Reason::Unauthenticated, "the call carries no valid credentials")
    }

    /// There is no such player.
    pub fn player_not_found() -> Self {
        Self::new(Reason::PlayerNotFound, "there is no such player")
    }

    /// The player was erased.
    pub fn player_erased() -> Self {
        Self::new(Reason::PlayerErased, "the player was erased")
    }

    /// The service is being stopped.
    pub fn draining() -> Self {
        Self::new(Reason::Draining, "the service is being stopped")
    }

    /// The request id was used for another command.
    pub fn request_id_reused() -> Self {
        Self::new(Reason::RequestIdReused, "the request id was used for another command")
            .at("request_id", "was used for another command")
    }

    /// The client names a move that the game doesn't have yet.
    pub fn version_ahead(field: &str, named: u32, last: u32) -> Self {
        let message = format!("the last move is {last}, not {named}");
        Self::new(Reason::VersionAhead, message.clone())
            .with("version", last)
            .with("named", named)
            .at(field, message)
    }

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The numbers and cards, by name; `rule` is the rule that stands against a command, by its number in RULES.
    pub const fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// The fields at fault.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ApiError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests;
