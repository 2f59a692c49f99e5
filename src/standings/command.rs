//! The command `remik ratings rebuild`.

use std::io::{self, Write};

use super::{ProjectorError, rebuild};
use crate::store::Store;

/// Why it failed.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// Games can't be counted.
    #[error(transparent)]
    Projector(#[from] ProjectorError),
    /// The output can't be written to.
    #[error("the result can't be printed")]
    Output(#[from] io::Error),
}

/// Counts all games anew, also beside the running service, and says how many there are.
///
/// # Errors
/// Games can't be counted, or `out` can't be written to.
pub async fn run(store: &Store, out: &mut impl Write) -> Result<(), RebuildError> {
    let games = rebuild(store).await?;
    Ok(writeln!(out, "{games} games are counted anew")?)
}
