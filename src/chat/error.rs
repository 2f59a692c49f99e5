//! Why something isn't said, read or removed.

use crate::limits::Exceeded;
use crate::store::StoreError;
use crate::tables::TableError;

/// A call about a chat that came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// Chat is switched off.
    #[error("chat is switched off")]
    Off,
    /// Only quick phrases may be said.
    #[error("only quick phrases may be said")]
    PhrasesOnly,
    /// The game has been over for a while.
    #[error("the game has been over for a while")]
    Closed,
    /// There is no such line.
    #[error("there is no message at this position")]
    NoSuchMessage,
    /// The table was opened by somebody else.
    #[error("only who has opened the table may do that")]
    NotOpener,
    /// The player was erased.
    #[error("the player was erased")]
    Erased,
    /// There is no such position yet, as far as the reader may know.
    #[error("the last position is {at}, not {asked}")]
    Ahead {
        /// The position asked for.
        asked: u32,
        /// The last one.
        at: u32,
    },
    /// The player says too much.
    #[error(transparent)]
    TooMuch(#[from] Exceeded),
    /// It is the table, or the store, that refuses.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl From<StoreError> for ChatError {
    fn from(error: StoreError) -> Self {
        Self::Table(error.into())
    }
}
