//! Failures of the feed.

use crate::feed::FeedError;

use super::{ApiError, Reason};

impl From<FeedError> for ApiError {
    fn from(error: FeedError) -> Self {
        match error {
            FeedError::Outdated => Self::new(Reason::CursorOutdated, error.to_string())
                .at("after", "is of a database that was set back since"),
            FeedError::Store(cause) => cause.into(),
            FeedError::Damaged(cause) => {
                Self::new(Reason::LogUnreadable, "a stored game can't be read").caused_by(cause)
            }
        }
    }
}
