//! Which tables are in memory: the ones in use, and so many idle ones.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};

use lru::LruCache;

use super::LiveTable;
use crate::store::GameId;

/// A table that somebody holds is always found here, so there is never a second copy of it in this instance.
pub(super) struct Cache {
    /// The tables used last.
    recent: LruCache<GameId, Arc<LiveTable>>,
    /// Everything that may be alive; dead entries are swept when they outnumber the recent ones.
    alive: HashMap<GameId, Weak<LiveTable>>,
}

impl Cache {
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = NonZeroUsize::new(capacity).unwrap_or(NonZeroUsize::MIN);
        Self { recent: LruCache::new(capacity), alive: HashMap::new() }
    }

    pub(super) fn get(&mut self, game: GameId) -> Option<Arc<LiveTable>> {
        if let Some(table) = self.recent.get(&game) {
            return Some(Arc::clone(table));
        }
        let table = self.alive.get(&game)?.upgrade()?;
        self.recent.put(game, Arc::clone(&table));
        Some(table)
    }

    /// A table that is in memory, without counting this as a use.
    pub(super) fn peek(&self, game: GameId) -> Option<Arc<LiveTable>> {
        self.alive.get(&game)?.upgrade()
    }

    /// Adds a table, unless there is one: then that one counts.
    pub(super) fn insert(&mut self, game: GameId, table: LiveTable) -> Arc<LiveTable> {
        if let Some(first) = self.get(game) {
            return first;
        }
        let table = Arc::new(table);
        if self.alive.len() >= self.recent.cap().get().saturating_mul(2) {
            self.alive.retain(|_, table| table.strong_count() > 0);
        }
        self.alive.insert(game, Arc::downgrade(&table));
        self.recent.put(game, Arc::clone(&table));
        table
    }
}
