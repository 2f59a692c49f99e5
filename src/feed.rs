//! The moves of all games in one order, decoded for backends: with what everybody at the table may see.
//!
//! The order, and that nothing is missed, are the [store's](Store::feed). A reader keeps nothing but its cursor.

mod entry;
mod filter;
mod seating;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use remik_rules::event::{Event, Viewer};

pub use entry::{FeedEntry, Kind};
pub use filter::FeedFilter;
pub use seating::{FeedSeat, Seating};

use crate::codec::log::decode_move;
use crate::store::{Cursor, GameId, Move, Store, StoreError};
use crate::tables::Damage;

/// Of how many games it is kept in memory who sits where.
const GAMES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);

/// How many moves are read at once where a game's seats aren't known.
const CHUNK: u32 = 256;

/// Why the feed can't be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum FeedError {
    /// The cursor is of another epoch: the database was set back since.
    #[error("the cursor is older than the database, which was set back: begin anew")]
    Outdated,
    /// The store fails.
    #[error(transparent)]
    Store(StoreError),
    /// A stored move can't be read.
    #[error("a stored game can't be read")]
    Damaged(#[source] Arc<Damage>),
}

impl From<StoreError> for FeedError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::OtherEpoch => Self::Outdated,
            other => Self::Store(other),
        }
    }
}

impl From<Damage> for FeedError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(Arc::new(damage))
    }
}

/// A part of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    /// The entries that pass the filter, in order.
    pub entries: Vec<FeedEntry>,
    /// Where to read on.
    pub next: Cursor,
    /// There was nothing behind it.
    pub caught_up: bool,
}

/// The feed of a store.
pub struct Feed {
    store: Arc<Store>,
    /// What doesn't change any more once it is read, so readers anywhere in the feed share it.
    seatings: Mutex<LruCache<GameId, Seating>>,
}

impl Feed {
    /// The feed of a store.
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, seatings: Mutex::new(LruCache::new(GAMES)) }
    }

    /// The place from which on everything is new.
    ///
    /// # Errors
    /// The store fails.
    pub async fn end(&self) -> Result<Cursor, FeedError> {
        Ok(self.store.feed_end().await?)
    }

    /// Looks at the next `limit` moves after a cursor (at least 1), and gives those that pass the filter.
    ///
    /// # Errors
    /// The cursor is outdated, or the log can't be read.
    pub async fn read(&self, after: &Cursor, limit: u32, filter: &FeedFilter) -> Result<FeedPage, FeedError> {
        let (moves, next) = self.store.feed(after, limit).await?;
        let caught_up = moves.len() < limit.max(1) as usize;
        let mut entries = Vec::new();
        for (mv, cursor) in moves {
            // Cheaper than to know a game that isn't asked for.
            if !filter.wants_game(mv.game) {
                continue;
            }
            let entry = self.entry(&mv, cursor).await?;
            if filter.passes(&entry) {
                entries.push(entry);
            }
        }
        Ok(FeedPage { entries, next, caught_up })
    }

    async fn entry(&self, mv: &Move, cursor: Cursor) -> Result<FeedEntry, FeedError> {
        let events = decode(mv)?;
        let seating = self.seating(mv, &events).await?;
        Ok(FeedEntry {
            cursor,
            game: mv.game,
            number: mv.number,
            made_at: mv.made_at,
            seat: mv.seat,
            kinds: Kind::of_move(&events),
            events: events.iter().map(|event| event.observed_by(Viewer::Public)).collect(),
            seats_before: seating.seats_after(mv.number - 1),
            seats: seating.seats_after(mv.number),
            preset: seating.preset,
            aces: seating.aces,
        })
    }

    /// Who sat where in a game, known up to a move at least.
    async fn seating(&self, mv: &Move, events: &[Event]) -> Result<Seating, FeedError> {
        let known = self.seatings().get(&mv.game).cloned();
        let mut seating = match known {
            Some(seating) => seating,
            None => {
                let summary = self.store.summary(mv.game).await?.ok_or(Damage::NoSummary)?;
                Seating::new(summary.preset)
            }
        };
        if seating.read_to() < mv.number {
            while seating.read_to() + 1 < mv.number {
                let missing = (mv.number - 1 - seating.read_to()).min(CHUNK);
                let gap = self.store.load(mv.game, seating.read_to(), Some(missing)).await?;
                if gap.is_empty() {
                    return Err(Damage::OutOfPlace(seating.read_to() + 1).into());
                }
                for before in &gap {
                    seating.take_in(before.number, &decode(before)?)?;
                }
            }
            seating.take_in(mv.number, events)?;
            let mut all = self.seatings();
            // Another reader may have come further meanwhile.
            if all.peek(&mv.game).is_none_or(|other| other.read_to() < seating.read_to()) {
                all.put(mv.game, seating.clone());
            }
        }
        Ok(seating)
    }

    fn seatings(&self) -> std::sync::MutexGuard<'_, LruCache<GameId, Seating>> {
        // No code panics while it holds the lock.
        self.seatings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn decode(mv: &Move) -> Result<Vec<Event>, Damage> {
    decode_move(mv.format, &mv.events).map_err(|source| Damage::Move { number: mv.number, source })
}
