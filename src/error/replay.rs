//! Games that aren't shown again.

use crate::export::ExportFault;
use crate::replays::ReplayError;

use super::{ApiError, Reason};

impl From<ReplayError> for ApiError {
    fn from(error: ReplayError) -> Self {
        let told = error.to_string();
        match error {
            ReplayError::NotFound => Self::game_not_found(),
            ReplayError::Closed => Self::new(Reason::ReplayClosed, told),
            ReplayError::NotOver => Self::new(Reason::GameNotOver, told),
            ReplayError::Unfinished => Self::new(Reason::DocumentChanged, told.clone()).at("document", told),
            ReplayError::NotOpener => Self::new(Reason::NotOpener, told),
            ReplayError::Document(fault) => {
                let error = Self::new(Reason::DocumentChanged, told).at("document", fault.to_string());
                match fault {
                    ExportFault::Shape { line, column, .. } | ExportFault::Changed { line, column } => {
                        error.with("line", line).with("column", column)
                    }
                    ExportFault::Events { number, .. } | ExportFault::Chain(number) => {
                        error.with("move", number)
                    }
                    ExportFault::Version(_) | ExportFault::Part(_) | ExportFault::Signature => error,
                }
            }
            ReplayError::Untrue(verdict) => Self::new(Reason::GameUntrue, told)
                .with("move", verdict.number)
                .with("why", &verdict.fault)
                .at("document", verdict.to_string()),
            ReplayError::Table(error) => error.into(),
        }
    }
}
