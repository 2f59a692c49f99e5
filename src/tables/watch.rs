//! Watching a table: every move once and in order, from any point, for as long as one likes.

use std::collections::VecDeque;
use std::sync::Arc;

use remik_rules::event::{Event, Seen as SeenKnowledge, Viewer};
use remik_rules::seat::PlayerId;
use tokio::sync::watch;

use super::{LiveTable, Played, TableError};

/// How many moves are read from the log at once.
const CHUNK: u32 = 256;

/// Somebody who watches. It holds no more than a chunk of moves, however slow its reader is: what it hasn't
/// read yet stays in the log.
pub struct Watcher {
    table: Arc<LiveTable>,
    player: PlayerId,
    /// The last move handed out.
    at: u32,
    waiting: VecDeque<Arc<Played>>,
    version: watch::Receiver<u32>,
}

/// A move as one watcher may see it.
pub struct Seen {
    /// The move; its events are for the server only.
    pub played: Arc<Played>,
    /// Who sees it.
    pub viewer: Viewer,
    /// What he sees of it.
    pub events: Vec<Event<SeenKnowledge>>,
}

impl Watcher {
    /// Watches a table from behind a move on, as a player.
    pub fn new(table: Arc<LiveTable>, player: PlayerId, after: u32) -> Self {
        let version = table.subscribe();
        Self { table, player, at: after, waiting: VecDeque::new(), version }
    }

    /// The table that is watched.
    pub fn table(&self) -> &Arc<LiveTable> {
        &self.table
    }

    /// Whether the player may see the game still: who gives his seat at a private table back is a stranger to it.
    pub fn may_watch(&self) -> bool {
        self.table.may_be_seen_by(self.player)
    }

    /// The last move handed out.
    pub fn at(&self) -> u32 {
        self.at
    }

    /// The next move that is committed already; `None` if everything has been handed out.
    ///
    /// # Errors
    /// The log can't be read.
    pub async fn ready(&mut self) -> Result<Option<Seen>, TableError> {
        if self.waiting.is_empty() {
            self.version.mark_unchanged();
            self.waiting = self.table.moves_after(self.at, CHUNK).await?.into();
        }
        let Some(played) = self.waiting.pop_front() else { return Ok(None) };
        self.at = played.number;
        // Seats are fixed before any card is dealt, so the seat held now is the seat that counts.
        let viewer = self.table.viewer(self.player);
        let events = played.events.iter().map(|event| event.observed_by(viewer)).collect();
        Ok(Some(Seen { played, viewer, events }))
    }

    /// Waits until there may be another move.
    pub async fn changed(&mut self) {
        // The sender lives as long as the table, which this watcher holds.
        let _ = self.version.changed().await;
    }
}
