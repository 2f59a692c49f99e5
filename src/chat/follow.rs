//! Learning of what is said at other instances.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::Chats;
use crate::store::Millis;

/// How often the store is asked.
const POLL: Duration = Duration::from_millis(250);

/// How much of the past is asked for each time: more than clocks of instances differ by, and a statement takes.
const WINDOW: i64 = 15_000;

impl Chats {
    /// Asks what was said lately until `stop`, and wakes those who watch. Ends at once where no other instance can be.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        if !self.store.is_shared() {
            return;
        }
        let mut polls = interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut read_at = self.now();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = polls.tick() => {}
            }
            let now = self.now();
            if self.news().is_empty() {
                // Who begins to watch reads all there is himself.
                read_at = now;
                continue;
            }
            match self.store.chats_since(Millis(read_at.0 - WINDOW)).await {
                Ok(tables) => {
                    read_at = now;
                    tables.into_iter().for_each(|(game, last)| self.tell(game, last));
                }
                Err(error) => tracing::warn!(%error, "what was said can't be read; it is tried again"),
            }
        }
    }
}
