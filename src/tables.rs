//! Live tables: load, decide, append, evolve, publish.
//!
//! Nothing is answered and nothing is shown before the store has committed it. What one instance holds in
//! memory is only a copy of the log; whenever it may be stale (a conflict, a refusal, a wish for a later
//! version) it catches up and looks again.

mod admission;
mod advice;
mod alarm;
mod begin;
mod bots;
mod cache;
mod clock;
mod delay;
mod error;
mod follow;
mod invite;
mod list;
mod live;
mod made;
mod matched;
mod play;
mod presence;
mod rematch;
mod request;
mod sight;
mod state;
mod stop;
mod summary;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use admission::NotAdmitted;
pub use alarm::Next;
pub use bots::{BotTurn, Thinker};
use cache::Cache;
pub use clock::Clock;
pub use error::{Damage, TableError};
pub use list::Listing;
pub use live::{Glimpse, LiveTable, Meta};
pub(crate) use made::invite_code;
pub use made::{NewBot, NewGame};
pub use matched::MatchedGame;
pub use play::{Answer, outcome};
pub use request::RequestKey;
pub use sight::Onlooker;
pub use state::Played;
pub use stop::Stop;
use tokio::sync::{Semaphore, broadcast};
pub use watch::{Seen, Watcher};

use crate::store::{Alarm, GameId, Store};

/// How long a table waits for its first deal while nobody is there, if nothing else is said.
const IDLE: Duration = Duration::from_secs(1800);

/// How many alarms a listener may be behind.
const NEWS: usize = 1024;

/// All tables of this instance.
pub struct Tables {
    store: Arc<Store>,
    clock: Clock,
    cache: Mutex<Cache>,
    alarms: broadcast::Sender<Alarm>,
    /// How many long computations go on at once: as many as there are processors.
    computations: Arc<Semaphore>,
    /// How long a table waits for its first deal while nobody is there, in milliseconds.
    idle: i64,
}

impl Tables {
    /// Tables over a store; at most `capacity` idle ones are kept in memory.
    pub fn new(store: Arc<Store>, clock: Clock, capacity: usize) -> Self {
        let (alarms, _) = broadcast::channel(NEWS);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let computations = Arc::new(Semaphore::new(processors));
        let cache = Mutex::new(Cache::new(capacity));
        Self { store, clock, cache, alarms, computations, idle: 0 }.closing_after(IDLE)
    }

    /// The same tables, but those that wait for their first deal are closed when nobody was there for a time.
    pub fn closing_after(self, idle: Duration) -> Self {
        Self { idle: i64::try_from(idle.as_millis()).unwrap_or(i64::MAX).max(1), ..self }
    }

    /// The log behind the tables.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// When the clock or a bot is next needed, by the moves that this instance makes from now on. Who falls behind misses some;
    /// all are in the store.
    pub fn alarms(&self) -> broadcast::Receiver<Alarm> {
        self.alarms.subscribe()
    }

    /// The clock that moves are dated by.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The table of a game, from memory or from its log.
    ///
    /// # Errors
    /// There is no such game, or its log can't be read.
    pub async fn get(&self, game: GameId) -> Result<Arc<LiveTable>, TableError> {
        if let Some(table) = self.cache().get(game) {
            return Ok(table);
        }
        let loaded = LiveTable::load(self, game).await?;
        // Two that load at the same time must end with the same one: commands are ordered by its lock.
        Ok(self.cache().insert(game, loaded))
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // No code panics while it holds the lock; if one did, the cache would still be a valid map.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
