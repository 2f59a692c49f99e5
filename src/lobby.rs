//! The lobby: public tables that wait for their first deal, listed and watched.
//!
//! A list is read from the summaries by an index that holds nothing else. Changes are read off the feed once for all who
//! watch at this instance, and only while somebody does. What has changed lately is kept, within a bound: a watcher that
//! has been slow, or away for too long, begins anew.

mod recent;
mod watch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch as channel;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::codec::summary::Detail;
use crate::codec::wire::TableFilter;
use crate::proto::v1::GameState;
use crate::store::{Cursor, GameId, PageToken, StoreError, Summary};
use crate::tables::{Damage, Played, TableError, Tables};

use recent::{Change, Recent};
pub use watch::{LobbyItem, LobbyWatcher};

/// How often the feed is asked.
const POLL: Duration = Duration::from_millis(200);

/// How many moves are read at once.
const CHUNK: u32 = 1000;

/// How many tables are looked at for a page, at most: where a filter finds few of them, a page is short.
const MOST_LOOKED_AT: usize = 2000;

/// A table in the lobby.
pub type Line = (Summary, Detail);

/// The lobby as this instance knows it.
pub struct Lobby {
    tables: Arc<Tables>,
    /// What has changed lately; `None` while nobody watches.
    recent: Mutex<Option<Recent>>,
    news: channel::Sender<()>,
}

impl Lobby {
    /// The lobby of these tables.
    pub fn new(tables: Arc<Tables>) -> Self {
        let (news, _) = channel::channel(());
        Self { tables, recent: Mutex::new(None), news }
    }

    /// Tables that a filter finds, the newest first, and where the next page begins.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn page(
        &self,
        filter: &TableFilter,
        size: usize,
        token: Option<PageToken>,
    ) -> Result<(Vec<Line>, Option<PageToken>), TableError> {
        let mut found = Vec::with_capacity(size);
        let mut token = token;
        let mut looked_at = 0;
        loop {
            let limit = size.max(100);
            // The numbers of the API's states never change.
            let status = GameState::Waiting as i16;
            let read = self.tables.store().waiting_tables(status, token, limit as u32).await?;
            let whole = read.len() < limit;
            for summary in read {
                if found.len() == size || looked_at == MOST_LOOKED_AT {
                    return Ok((found, token));
                }
                looked_at += 1;
                token = Some(PageToken::after(summary.game));
                let line = line(summary)?;
                found.extend(Some(line).filter(|line| finds(filter, line)));
            }
            if whole {
                return Ok((found, None));
            }
        }
    }

    /// Watches the lobby from behind a place on, if that isn't too long ago.
    pub fn watch(self: &Arc<Self>, filter: TableFilter, after: Option<Cursor>) -> LobbyWatcher {
        LobbyWatcher::new(Arc::clone(self), filter, after, self.news.subscribe())
    }

    /// Follows the feed until `stop`, while somebody watches.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let mut polls = interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = polls.tick() => {}
            }
            if self.news.receiver_count() == 0 {
                *self.recent() = None;
            } else if let Err(error) = self.follow_on().await {
                tracing::warn!(%error, "the lobby can't follow the feed; it tries again");
            }
        }
    }

    /// How far the feed has been followed; from now on it is, if it wasn't.
    async fn end(&self) -> Result<Cursor, StoreError> {
        if let Some(recent) = &*self.recent() {
            return Ok(recent.end());
        }
        let end = self.tables.store().feed_end().await?;
        Ok(self.recent().get_or_insert_with(|| Recent::from(end)).end())
    }

    /// Takes in what the feed has behind the last place.
    async fn follow_on(&self) -> Result<(), TableError> {
        let mut after = self.end().await?;
        loop {
            let (moves, next) = match self.tables.store().feed(&after, CHUNK).await {
                // The database was set back: everybody begins anew.
                Err(StoreError::OtherEpoch) => {
                    *self.recent() = None;
                    self.news.send_replace(());
                    return Ok(());
                }
                read => read?,
            };
            let more = moves.len() == CHUNK as usize;
            let mut stirred = HashSet::new();
            for (mv, _) in moves {
                let game = mv.game;
                match Played::decode(mv) {
                    Ok(played) if played.stirs_lobby() => drop(stirred.insert(game)),
                    Ok(_) => {}
                    Err(error) => tracing::warn!(%game, %error, "the lobby can't read a move"),
                }
            }
            let mut changes = Vec::with_capacity(stirred.len());
            for game in stirred {
                changes.push(Change { game, line: self.line_of(game).await?.map(Arc::new) });
            }
            let changed = !changes.is_empty();
            if let Some(recent) = &mut *self.recent() {
                recent.add(next, changes);
            }
            if changed {
                self.news.send_replace(());
            }
            after = next;
            if !more {
                return Ok(());
            }
        }
    }

    /// A table as it is in the lobby now, if it is there.
    async fn line_of(&self, game: GameId) -> Result<Option<Line>, TableError> {
        let summary = self.tables.store().summary(game).await?;
        let waits = |summary: &Summary| summary.listed && summary.status == GameState::Waiting as i16;
        summary.filter(waits).map(line).transpose()
    }

    fn recent(&self) -> MutexGuard<'_, Option<Recent>> {
        // No code panics while it holds the lock; if one did, what is kept would still be whole.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(summary: Summary) -> Result<Line, TableError> {
    let detail = Detail::decode(&summary.detail);
    let detail = detail.map_err(|source| TableError::Damaged(Damage::Summary(source)))?;
    Ok((summary, detail))
}

fn finds(filter: &TableFilter, (summary, detail): &Line) -> bool {
    filter.finds(&summary.preset, detail.free_seats(), &detail.settings)
}
