//! Opening the game of players who were matched.

use std::sync::Arc;

use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;
use uuid::Uuid;

use super::{LiveTable, NewBot, NewGame, TableError, Tables};
use crate::codec::summary::Spectators;
use crate::store::GameId;

/// A game that was promised to players before it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedGame {
    /// Its id, which was fixed by the promise.
    pub game: GameId,
    /// Who plays, in the order of seats; at least one.
    pub players: Vec<PlayerId>,
    /// What is played.
    pub preset: Preset,
    /// How many seats the table has.
    pub seats: u8,
    /// The bots that take the seats behind the players, and how well they play.
    pub bots: (u8, Strength),
}

impl Tables {
    /// Opens the game of a match with everybody seated, unless it is there: a private one that isn't watched. Whoever
    /// calls this, and how often, one game comes of it.
    ///
    /// # Errors
    /// The database is unavailable: the game may be there or not.
    pub async fn open_matched(&self, matched: &MatchedGame) -> Result<Arc<LiveTable>, TableError> {
        let Some((by, others)) = matched.players.split_first() else { return Err(TableError::NotFound) };
        let (bots, strength) = matched.bots;
        // The same from every instance.
        let new = NewGame {
            others: others.to_vec(),
            public: false,
            spectators: Spectators::Nobody,
            bots: vec![NewBot { strength, seat: None }; bots.into()],
            ..NewGame::public(*by, matched.preset, matched.preset.ruleset(), matched.seats, Uuid::nil())
        };
        self.open_as(&new, matched.game).await
    }
}
