//! Tickets that aren't made, joined or cancelled.

use uuid::Uuid;

use crate::matchmaking::MatchmakingError;
use crate::store::TicketState;

use super::{ApiError, Reason};

impl From<MatchmakingError> for ApiError {
    fn from(error: MatchmakingError) -> Self {
        let told = error.to_string();
        match error {
            MatchmakingError::NotFound => Self::new(Reason::TicketNotFound, told),
            MatchmakingError::PartyNotFound => Self::new(Reason::PartyNotFound, told),
            MatchmakingError::PartyFull(size) => Self::new(Reason::PartyFull, told).with("size", size),
            MatchmakingError::PartyApart => Self::new(Reason::PartyApart, told),
            MatchmakingError::AlreadyQueued { player, ticket } => {
                let error = Self::new(Reason::AlreadyQueued, told).with("player", Uuid::from_u128(player.0));
                match ticket {
                    Some(ticket) => error.with("ticket", ticket),
                    None => error,
                }
            }
            MatchmakingError::Closed(state) => {
                let state = match state {
                    TicketState::Gathering => "GATHERING",
                    TicketState::Queued => "QUEUED",
                    TicketState::Claimed | TicketState::Matched => "MATCHED",
                    TicketState::Cancelled => "CANCELLED",
                    TicketState::Expired => "EXPIRED",
                };
                Self::new(Reason::TicketClosed, told).with("state", state)
            }
            MatchmakingError::TooMany(most) => Self::new(Reason::TooManyTickets, told).with("most", most),
            MatchmakingError::Full => Self::new(Reason::Overloaded, told),
            MatchmakingError::Seats(fault) => fault.into(),
            MatchmakingError::RequestReused => Self::request_id_reused(),
            MatchmakingError::Contended => Self::new(Reason::VersionConflict, told),
            MatchmakingError::Unreadable(_) => Self::new(Reason::LogUnreadable, told).caused_by(error),
            MatchmakingError::Store(cause) => cause.into(),
        }
    }
}
