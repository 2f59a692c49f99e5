//! Leaderboards that a player isn't on.

use crate::standings::NotListed;

use super::{ApiError, Reason};

impl From<NotListed> for ApiError {
    fn from(error: NotListed) -> Self {
        match error {
            NotListed::Nowhere => {
                let told = error.to_string();
                Self::new(Reason::NotOnLeaderboard, told.clone()).at("around_player_id", told)
            }
            NotListed::Store(cause) => cause.into(),
        }
    }
}
