//! Refusals for want of a permission.

use crate::identity::Denied;

use super::{ApiError, Reason};

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::ScopeMissing(scope) => {
                Self::new(Reason::ScopeMissing, denied.to_string()).with("scope", scope)
            }
            Denied::PlayerRequired => {
                Self::new(Reason::PlayerRequired, denied.to_string()).at("remik-player", "is required")
            }
        }
    }
}
