//! Why a game isn't shown again.

use crate::export::ExportFault;
use crate::record::Verdict;
use crate::tables::TableError;

/// A game that isn't shown, exported or taken in.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is no such game, or who asks isn't to know of it.
    #[error("there is no such game")]
    NotFound,
    /// Its cards aren't open to who asks.
    #[error("the cards of the game aren't open to you")]
    Closed,
    /// It isn't over.
    #[error("the game isn't over")]
    NotOver,
    /// Only who opened the table, or imported the game, may say who sees it.
    #[error("only who opened the table may say who sees the game again")]
    NotOpener,
    /// A document that isn't as it was signed.
    #[error("the document isn't as it was signed: {0}")]
    Document(#[from] ExportFault),
    /// A document whose moves break the rules, or whose cards don't follow from the seeds.
    #[error("the game isn't true: {0}")]
    Untrue(#[from] Verdict),
    /// A document of a game that isn't over.
    #[error("the game of the document isn't over")]
    Unfinished,
    /// The game or the store can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
}
