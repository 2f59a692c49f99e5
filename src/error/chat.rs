//! Refusals of what is said at tables.

use crate::chat::ChatError;

use super::{ApiError, Reason};

impl From<ChatError> for ApiError {
    fn from(error: ChatError) -> Self {
        let told = error.to_string();
        match error {
            ChatError::Off => Self::new(Reason::ChatOff, told),
            ChatError::PhrasesOnly => {
                Self::new(Reason::PhrasesOnly, told).at("content.text", "only phrases are allowed")
            }
            ChatError::Closed => Self::new(Reason::ChatClosed, told),
            ChatError::NoSuchMessage => Self::new(Reason::MessageNotFound, told),
            ChatError::NotOpener => Self::new(Reason::NotOpener, told),
            ChatError::Erased => Self::player_erased(),
            ChatError::Ahead { asked, at } => Self::new(Reason::ChatPositionAhead, told.clone())
                .with("position", at)
                .with("named", asked)
                .at("after_position", told),
            ChatError::TooMuch(limit) => limit.into(),
            ChatError::Table(error) => error.into(),
        }
    }
}
