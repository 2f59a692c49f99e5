//! Why a table doesn't do what it is asked.

use remik_rules::refusal::Refusal;
use remik_rules::ruleset::RulesetFault;
use remik_rules::sandbox::SandboxFault;

use super::NotAdmitted;
use crate::codec::log::DecodeError;
use crate::store::{AppendError, StoreError};

/// A command or a look that came to nothing. Nothing has changed, but see [`TableError::Unavailable`].
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// There is no such game.
    #[error("there is no such game")]
    NotFound,
    /// The game has begun, and allows no spectators.
    #[error("the game allows no spectators")]
    NoSpectators,
    /// The table doesn't admit the player.
    #[error(transparent)]
    NotAdmitted(#[from] NotAdmitted),
    /// The table has as many invitations as it may.
    #[error("a table has at most {0} invitations")]
    TooManyInvitations(u32),
    /// A rule stands against it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The rules of the new game don't go together.
    #[error(transparent)]
    Ruleset(#[from] RulesetFault),
    /// The decks chosen for a sandbox can't be dealt.
    #[error(transparent)]
    Sandbox(#[from] SandboxFault),
    /// The request id belongs to another command.
    #[error("the request id was used for another command")]
    RequestReused,
    /// The game has no move of this number yet.
    #[error("the game is at version {at}, not {asked}")]
    NotThereYet {
        /// The move asked for.
        asked: u32,
        /// The last move.
        at: u32,
    },
    /// Other commands were faster too often.
    #[error("other commands were faster")]
    Contended,
    /// Too many moves wait to be written.
    #[error("too many moves wait to be written")]
    Overloaded,
    /// The database doesn't answer. A command may have been carried out: it is safe to send it again.
    #[error("the database is unavailable")]
    Unavailable(#[source] StoreError),
    /// The service is stopping.
    #[error("the service is stopping")]
    Stopping,
    /// The game's log can't be read.
    #[error("the log of the game can't be read")]
    Damaged(#[source] Damage),
}

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// A move's events can't be decoded.
    #[error("move {number}")]
    Move {
        /// The move.
        number: u32,
        /// Why.
        source: DecodeError,
    },
    /// The log doesn't begin with the opening of a game, or a move is missing.
    #[error("move {0} is missing or out of place")]
    OutOfPlace(u32),
    /// The game's summary can't be read.
    #[error("the summary")]
    Summary(#[source] DecodeError),
    /// The game has no summary.
    #[error("the game has no summary")]
    NoSummary,
    /// The game's preset isn't one of this build's.
    #[error("no preset is called {0:?}")]
    UnknownPreset(String),
    /// The database can't read its own rows, or refuses ours.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database refused a move.
    #[error(transparent)]
    Append(#[from] AppendError),
}

impl From<StoreError> for TableError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error),
            StoreError::Corrupt(_) | StoreError::Taken | StoreError::OtherEpoch | StoreError::Other(_) => {
                Self::Damaged(Damage::Store(error))
            }
        }
    }
}
