//! Watching a table: every move once and in order, from any point, for as long as one likes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use remik_rules::event::{Event, Seen as SeenKnowledge, Viewer};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::{LiveTable, Onlooker, Played, TableError};

/// How many moves are read from the log at once.
const CHUNK: u32 = 256;

/// Somebody who watches, live or with the table's delay. It holds no more than a chunk of moves, however slow its reader is: what it hasn't
/// read yet stays in the log.
pub struct Watcher {
    table: Arc<LiveTable>,
    who: Onlooker,
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
    /// Watches a table from behind a move on.
    pub fn new(table: Arc<LiveTable>, who: impl Into<Onlooker>, after: u32) -> Self {
        let version = table.subscribe();
        Self { table, who: who.into(), at: after, waiting: VecDeque::new(), version }
    }

    /// The table that is watched.
    pub fn table(&self) -> &Arc<LiveTable> {
        &self.table
    }

    /// The last move handed out.
    pub fn at(&self) -> u32 {
        self.at
    }

    /// The next move that may be seen already; `None` if everything such has been handed out.
    ///
    /// # Errors
    /// The game may not be seen any more: its seat at a private table was given back, or it has begun and allows no
    /// spectators. Or the log can't be read.
    pub async fn ready(&mut self) -> Result<Option<Seen>, TableError> {
        self.version.mark_unchanged();
        let edge = self.table.edge_of_watcher(self.who, self.at)?;
        if self.waiting.is_empty() && self.at < edge {
            self.waiting = self.table.moves_after(self.at, CHUNK).await?.into();
        }
        let Some(played) = self.waiting.pop_front_if(|played| played.number <= edge) else { return Ok(None) };
        self.at = played.number;
        // Seats are fixed before any card is dealt, so the seat held now is the seat that counts.
        let viewer = self.table.viewer(self.who.player);
        let events = played.events.iter().map(|event| event.observed_by(viewer)).collect();
        Ok(Some(Seen { played, viewer, events }))
    }

    /// Waits until there may be another move. Moves that are too young for this watcher don't count, so that when it
    /// returns tells nothing of them.
    pub async fn changed(&mut self) {
        loop {
            if let Some(at) = self.table.next_settles(self.who) {
                let left = at.0.saturating_sub(self.table.clock.now().0);
                return sleep(Duration::from_millis(left.max(1).unsigned_abs())).await;
            }
            self.table.attend(self.who.player).await;
            // The sender lives as long as the table, which this watcher holds. Who stays is heard of now and then.
            if timeout(self.table.attendance(), self.version.changed()).await.is_err() {
                continue;
            }
            if !matches!(self.table.admitted_edge(self.who), Ok(edge) if edge <= self.at) {
                return;
            }
        }
    }
}
