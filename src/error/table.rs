//! Failures of live tables.

use crate::tables::TableError;

use super::{ApiError, Reason};

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::NotFound => Self::game_not_found(),
            TableError::Refused(refusal) => refusal.into(),
            TableError::Ruleset(fault) => fault.into(),
            TableError::RequestReused => Self::request_id_reused(),
            TableError::NotThereYet { asked, at } => Self::version_ahead("version", asked, at),
            TableError::Contended => {
                Self::new(Reason::VersionConflict, "another move came in between, again and again")
            }
            TableError::Overloaded => {
                Self::new(Reason::Overloaded, "the service has more to do than it can take on")
            }
            TableError::Unavailable(cause) => cause.into(),
            TableError::Stopping => Self::new(Reason::Draining, "the service is being stopped"),
            TableError::Damaged(cause) => {
                Self::new(Reason::LogUnreadable, "a stored game can't be read").caused_by(cause)
            }
        }
    }
}
