//! A game printed from its log, move by move, with all cards open.

mod text;

use std::io::{self, Write};

use remik_rules::table::Table;

use crate::store::{GameId, Store, StoreError};
use crate::tables::{Played, TableError};

/// Why a game can't be printed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log holds no such game.
    #[error("there is no game {0}")]
    NotFound(GameId),
    /// The log can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A move of the log can't be read.
    #[error(transparent)]
    Log(#[from] TableError),
    /// The log doesn't begin with the opening of a game.
    #[error("the log doesn't begin with the opening of a game")]
    NoOpening,
    /// The output is closed.
    #[error("can't write")]
    Output(#[from] io::Error),
}

/// Prints a game: each move with what happened, and the table after it.
///
/// # Errors
/// There is no such game, its log can't be read, or the output is closed.
pub async fn print(store: &Store, game: GameId, out: &mut impl Write) -> Result<(), ReplayError> {
    let moves = store.load(game, 0, None).await?;
    if moves.is_empty() {
        return Err(ReplayError::NotFound(game));
    }
    let mut table: Option<Table> = None;
    let mut last = None;
    writeln!(out, "game {game}")?;
    for mv in moves {
        let played = Played::decode(mv)?;
        let mut events = played.events.as_slice();
        if table.is_none() {
            table = events.first().and_then(Table::open);
            events = events.get(1..).unwrap_or_default();
        }
        let table = table.as_mut().ok_or(ReplayError::NoOpening)?;
        events.iter().for_each(|event| remik_rules::evolve::evolve(table, event));
        text::write_move(out, &played, last, table)?;
        last = Some(played.made_at);
    }
    Ok(())
}
