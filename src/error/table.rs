//! Failures of live tables.

use crate::tables::{NotAdmitted, TableError};

use super::{ApiError, Reason};

impl ApiError {
    /// The failure of a look at a table, where `field` of the request names the version that is asked for.
    pub(crate) fn of_look(error: TableError, field: &str) -> Self {
        match error {
            TableError::NotThereYet { asked, at } => Self::version_ahead(field, asked, at),
            other => other.into(),
        }
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::NotFound => Self::game_not_found(),
            TableError::Refused(refusal) => refusal.into(),
            TableError::Ruleset(fault) => fault.into(),
            TableError::Sandbox(fault) => fault.into(),
            TableError::NoSpectators => {
                Self::new(Reason::NoSpectators, "the game has begun, and allows no spectators")
            }
            TableError::NotAdmitted(why) => {
                let error = |reason| Self::new(reason, why.to_string());
                match why {
                    NotAdmitted::Rating { points, least, most } => error(Reason::RatingOutOfRange)
                        .with("points", points)
                        .with("least", least)
                        .with("most", most),
                    NotAdmitted::Uninvited => error(Reason::InvitationNeeded),
                    NotAdmitted::Apart => error(Reason::KeptApart),
                }
            }
            TableError::TooManyInvitations(most) => {
                Self::new(Reason::TooManyInvitations, format!("a table has at most {most} invitations"))
                    .with("most", most)
            }
            TableError::RequestReused => Self::request_id_reused(),
            TableError::NotThereYet { asked, at } => Self::version_ahead("known_version", asked, at),
            TableError::Contended => {
                Self::new(Reason::VersionConflict, "another move came in between, again and again")
            }
            TableError::Overloaded => {
                Self::new(Reason::Overloaded, "the service has more to do than it can take on")
            }
            TableError::Unavailable(cause) => cause.into(),
            TableError::Stopping => Self::draining(),
            TableError::Damaged(cause) => {
                Self::new(Reason::LogUnreadable, "a stored game can't be read").caused_by(cause)
            }
        }
    }
}
