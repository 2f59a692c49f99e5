//! Why a ticket isn't made or changed.

use remik_rules::ruleset::RulesetFault;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use crate::store::{StoreError, TicketState};

/// What stands against a command about tickets. Nothing has changed, unless the database was unavailable.
#[derive(Debug, thiserror::Error)]
pub enum MatchmakingError {
    /// There is no such ticket, or the caller may not know of it.
    #[error("there is no such ticket")]
    NotFound,
    /// No party has the code.
    #[error("no party has this code")]
    PartyNotFound,
    /// The party has all its players.
    #[error("the party is complete: it is {0}")]
    PartyFull(u8),
    /// Two players of the party are kept apart.
    #[error("two players of the party don't want to sit together")]
    PartyApart,
    /// A player has an open ticket already.
    #[error("the player has an open ticket already")]
    AlreadyQueued {
        /// Who.
        player: PlayerId,
        /// Which, if it is still there.
        ticket: Option<Uuid>,
    },
    /// The ticket is over.
    #[error("the ticket is over")]
    Closed(TicketState),
    /// The API key has as many open tickets as it may.
    #[error("no more than {0} tickets of one key may be open")]
    TooMany(u32),
    /// There are as many open tickets as there may be.
    #[error("too many tickets are open")]
    Full,
    /// A preset isn't played by any of the numbers that were asked for.
    #[error(transparent)]
    Seats(#[from] RulesetFault),
    /// The request id belongs to another command.
    #[error("the request id was used for another command")]
    RequestReused,
    /// Others were faster too often.
    #[error("other changes were faster")]
    Contended,
    /// What is kept of a ticket or match can't be read.
    #[error("what is kept of a ticket can't be read")]
    Unreadable(#[source] serde_json::Error),
    /// The database is unavailable or damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
}
