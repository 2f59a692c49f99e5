//! Advice for a player at a live table.

use remik_rules::advice::{Advice, advise};
use remik_rules::refusal::Refusal;
use remik_rules::seat::PlayerId;

use super::{LiveTable, TableError};
use crate::fairness::Fairness;

impl LiveTable {
    /// The best that a player can do with his hand, with at least the moves up to a number, and the number of
    /// the last move that it takes in.
    ///
    /// # Errors
    /// The game has no such move yet, the player isn't seated or is out of the game, no deal is being played, or
    /// the log can't be read.
    pub async fn advice(&self, player: PlayerId, at_least: u32) -> Result<(u32, Advice), TableError> {
        self.reach(player.into(), at_least).await?;
        let found = self.advice_now(player);
        // This copy may be stale: only the log's word counts against the player.
        if found.is_err() {
            self.refresh().await?;
            return Ok(self.advice_now(player)?);
        }
        Ok(found?)
    }

    fn advice_now(&self, player: PlayerId) -> Result<(u32, Advice), Refusal> {
        let now = self.clock.now();
        self.with_table(|table, version| {
            let mut chance = Fairness::at(self.meta().game, table);
            let seat = table.seat_of(player).ok_or(Refusal::NotSeated)?;
            Ok((version, advise(table, seat, now, &mut chance)?))
        })
    }
}
