//! Faults of requests, of what is stored, and of the store.

use crate::codec::log::DecodeError;
use crate::codec::wire::{Fault, Problem};
use crate::store::{AppendError, PageTokenError, StoreError};

use super::{ApiError, Reason};

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        let error = |reason| Self::new(reason, fault.to_string());
        let error = match &fault.problem {
            Problem::Missing => error(Reason::MissingField),
            Problem::Malformed { text, wanted: _ } => error(Reason::MalformedField).with("value", text),
            Problem::UnknownPreset(name) => error(Reason::UnknownPreset).with("value", name),
            Problem::UnknownChoice(number) => error(Reason::FieldOutOfRange).with("value", number),
            Problem::OutOfRange { value, least, most } => {
                error(Reason::FieldOutOfRange).with("value", value).with("least", least).with("most", most)
            }
            Problem::BadLength { length, of: _, least, most } => {
                error(Reason::FieldOutOfRange).with("length", length).with("least", least).with("most", most)
            }
        };
        let error = error.with("field", &fault.field);
        error.at(fault.field, fault.problem.to_string())
    }
}

impl From<PageTokenError> for ApiError {
    fn from(fault: PageTokenError) -> Self {
        Self::new(Reason::MalformedField, fault.to_string())
            .with("field", "page_token")
            .at("page_token", fault.to_string())
    }
}

impl From<DecodeError> for ApiError {
    fn from(cause: DecodeError) -> Self {
        Self::new(Reason::LogUnreadable, "a stored game can't be read").caused_by(cause)
    }
}

impl From<StoreError> for ApiError {
    fn from(cause: StoreError) -> Self {
        let error = match &cause {
            StoreError::Unavailable(_) => Self::new(Reason::StorageUnavailable, "the store can't be reached"),
            StoreError::Corrupt(_) => Self::new(Reason::LogUnreadable, "what is stored can't be read"),
            StoreError::Taken | StoreError::OtherEpoch | StoreError::Other(_) => internal(),
        };
        error.caused_by(cause)
    }
}

impl From<AppendError> for ApiError {
    fn from(cause: AppendError) -> Self {
        let error = match &cause {
            AppendError::Conflict | AppendError::RequestTaken | AppendError::InviteTaken => {
                Self::new(Reason::VersionConflict, "another move came in between, again and again")
            }
            AppendError::Unknown(_) => Self::new(
                Reason::StorageUnavailable,
                "the command may have been stored or not: send it again with its request id",
            ),
            AppendError::Overloaded => {
                Self::new(Reason::Overloaded, "the service has more to do than it can take on")
            }
            AppendError::Closed => Self::draining(),
            AppendError::Rejected(_) => internal(),
        };
        error.caused_by(cause)
    }
}

fn internal() -> ApiError {
    ApiError::new(Reason::Internal, "a fault of the service")
}
