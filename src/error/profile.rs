//! Refusals about what is kept of players.

use crate::profile::export::ExportError;

use super::{ApiError, Reason};

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Place(fault) => Self::new(Reason::MalformedField, fault.to_string())
                .with("field", "page_token")
                .at("page_token", fault.to_string()),
            ExportError::Summary(cause) => cause.into(),
            ExportError::Store(cause) => cause.into(),
        }
    }
}
