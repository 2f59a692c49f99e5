//! Learning of moves that other instances make, so that this one's watchers see them too.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{TableError, Tables};
use crate::store::{Cursor, GameId, StoreError};

/// How often the feed is asked. A command needs no waiting for it: it catches up before it is refused.
const POLL: Duration = Duration::from_millis(200);

/// How many moves are read at once.
const CHUNK: u32 = 1000;

impl Tables {
    /// Follows the feed until `stop`: a table in memory whose game has moved on at another instance catches up,
    /// and its watchers are told. Ends at once where no other instance can be.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        if !self.store().is_shared() {
            return;
        }
        let mut cursor = None;
        let mut polls = tokio::time::interval(POLL);
        polls.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = polls.tick() => {}
            }
            if let Err(error) = self.follow_on(&mut cursor).await {
                tracing::warn!(%error, "the feed can't be followed; it is tried again");
            }
        }
    }

    /// Takes in what the feed has behind the cursor.
    async fn follow_on(&self, cursor: &mut Option<Cursor>) -> Result<(), TableError> {
        let mut after = match cursor.take() {
            Some(cursor) => cursor,
            None => self.store().feed_end().await?,
        };
        loop {
            let (moves, next) = match self.store().feed(&after, CHUNK).await {
                // The database was set back: what is in memory is checked by the next command at each table.
                Err(StoreError::OtherEpoch) => return Ok(()),
                Err(error) => {
                    *cursor = Some(after);
                    return Err(error.into());
                }
                Ok(read) => read,
            };
            let more = moves.len() == CHUNK as usize;
            let latest: HashMap<GameId, u32> = moves.iter().map(|(mv, _)| (mv.game, mv.number)).collect();
            for (game, number) in latest {
                let table = self.cache().peek(game);
                if let Some(table) = table.filter(|table| table.version() < number) {
                    // In a task of its own: a table that waits for an append holds nobody else up.
                    tokio::spawn(async move {
                        if let Err(error) = table.refresh().await {
                            tracing::warn!(%error, "a table can't catch up; it is tried again with its next move");
                        }
                    });
                }
            }
            after = next;
            if !more {
                *cursor = Some(after);
                return Ok(());
            }
        }
    }
}
