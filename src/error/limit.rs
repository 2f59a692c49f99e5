//! Limits that a caller has reached.

use crate::limits::Exceeded;

use super::{ApiError, Reason};

impl From<Exceeded> for ApiError {
    fn from(limit: Exceeded) -> Self {
        match limit {
            Exceeded::Rate(wait) => {
                Self::new(Reason::RateLimited, "too many calls in too short a time").retry_after(wait)
            }
            Exceeded::Messages(wait) => {
                Self::new(Reason::TooManyMessages, "too many messages in too short a time").retry_after(wait)
            }
            Exceeded::Streams(most) => {
                Self::new(Reason::TooManyStreams, "no more streams may be open at once").with("most", most)
            }
            Exceeded::Work => Self::new(Reason::Overloaded, "the service has more to do than it can take on"),
            Exceeded::Time(most) => {
                Self::new(Reason::TimedOut, "the call took too long").with("mostMillis", most.as_millis())
            }
        }
    }
}
