//! Advice for a player at a live table.

use std::sync::Arc;

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
        match self.advice_now(player).await? {
            // This copy may be stale: only the log's word counts against the player.
            Err(_) => {
                self.refresh().await?;
                Ok(self.advice_now(player).await??)
            }
            Ok(advice) => Ok(advice),
        }
    }

    /// With many jokers and cards it takes up to some tenths of a second: so on a copy of the table, where it holds up
    /// neither its commands nor other calls, and not more of them at once than there are processors.
    async fn advice_now(&self, player: PlayerId) -> Result<Result<(u32, Advice), Refusal>, TableError> {
        let now = self.clock.now();
        let (table, version) = self.with_table(|table, version| (table.clone(), version));
        let mut chance = Fairness::at(self.meta().game, &table);
        let Some(seat) = table.seat_of(player) else { return Ok(Err(Refusal::NotSeated)) };
        let permit = Arc::clone(&self.computations).acquire_owned().await;
        let permit = permit.map_err(|_| TableError::Stopping)?;
        let whole = tokio::task::spawn_blocking(move || {
            // Held to the end, also if nobody waits for the advice any more.
            let _permit = permit;
            advise(&table, seat, now, &mut chance).map(|advice| (version, advice))
        });
        match whole.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(advice) => Ok(advice),
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(Err(_)) => Err(TableError::Stopping),
        }
    }
}
