//! Watching the lobby: what a filter finds, then what changes in it.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::timeout;

use super::recent::{After, Change};
use super::{Line, Lobby, POLL, finds};
use crate::codec::wire::TableFilter;
use crate::store::{Cursor, GameId, PageToken};
use crate::tables::TableError;

/// How many tables are read at once.
const PAGE: usize = 100;

/// What a watcher is told.
#[derive(Debug, Clone)]
pub enum LobbyItem {
    /// All tables follow: what was told before doesn't count.
    Restart,
    /// Tables that the filter finds, as they are now.
    Tables(Vec<Arc<Line>>),
    /// A table that it doesn't find now; perhaps it never did.
    Removed(GameId),
    /// Everything has been told.
    CaughtUp,
}

/// Somebody who watches the lobby. It holds no more than a page of tables or the changes that were read together, however
/// slow its reader is.
pub struct LobbyWatcher {
    lobby: Arc<Lobby>,
    filter: TableFilter,
    stage: Stage,
    /// The place behind which it goes on.
    at: Option<Cursor>,
    /// What is told next, each with the place that has been reached then.
    ready: VecDeque<(Option<Cursor>, LobbyItem)>,
    caught_up: bool,
    /// How far the feed was when it began: before that it hasn't caught up.
    until: Option<Cursor>,
    news: watch::Receiver<()>,
}

#[derive(Debug)]
enum Stage {
    /// Before the first item.
    Begin,
    /// The tables are read page by page; changes are told from `from` on.
    Reading { from: Cursor, token: Option<PageToken> },
    /// Changes are told behind this place.
    Live(Cursor),
}

impl LobbyWatcher {
    pub(super) fn new(
        lobby: Arc<Lobby>,
        filter: TableFilter,
        after: Option<Cursor>,
        news: watch::Receiver<()>,
    ) -> Self {
        Self {
            lobby,
            filter,
            stage: Stage::Begin,
            at: after,
            ready: VecDeque::new(),
            caught_up: false,
            until: None,
            news,
        }
    }

    /// The place behind which a stream goes on that has been told all so far; `None` if it begins anew.
    pub fn at(&self) -> Option<Cursor> {
        self.at
    }

    /// The next item, when there is one. Nothing is lost if the future is dropped before it is ready.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn next(&mut self) -> Result<LobbyItem, TableError> {
        loop {
            if let Some((at, item)) = self.ready.pop_front() {
                self.at = at;
                return Ok(item);
            }
            match self.stage {
                Stage::Begin => self.begin().await?,
                Stage::Reading { from, token } => self.read(from, token).await?,
                Stage::Live(place) => self.go_on(place).await,
            }
        }
    }

    async fn begin(&mut self) -> Result<(), TableError> {
        // From here on changes are kept.
        let end = self.lobby.end().await?;
        let known = |place: &Cursor| {
            let recent = self.lobby.recent();
            recent.as_ref().is_some_and(|recent| !matches!(recent.after(place), After::Unknown))
        };
        match self.at.filter(known) {
            Some(place) => {
                self.until = Some(self.lobby.tables.store().feed_end().await?);
                self.stage = Stage::Live(place);
            }
            None => self.restart(end),
        }
        Ok(())
    }

    fn restart(&mut self, from: Cursor) {
        self.caught_up = false;
        self.until = None;
        self.stage = Stage::Reading { from, token: None };
        self.ready.push_back((None, LobbyItem::Restart));
    }

    async fn read(&mut self, from: Cursor, token: Option<PageToken>) -> Result<(), TableError> {
        let (lines, next) = self.lobby.page(&self.filter, PAGE, token).await?;
        self.stage = match next {
            Some(_) => Stage::Reading { from, token: next },
            None => Stage::Live(from),
        };
        if !lines.is_empty() {
            let lines = lines.into_iter().map(Arc::new).collect();
            self.ready.push_back((None, LobbyItem::Tables(lines)));
        }
        Ok(())
    }

    /// Tells what follows a place, or waits for it.
    async fn go_on(&mut self, place: Cursor) {
        self.news.mark_unchanged();
        let after = self.lobby.recent().as_ref().map_or(After::Unknown, |recent| recent.after(&place));
        match after {
            After::Unknown => self.stage = Stage::Begin,
            After::Changes(batch) => {
                self.stage = Stage::Live(batch.end);
                let (found, gone): (Vec<_>, Vec<_>) =
                    batch.changes.iter().partition(|change| self.finds(change));
                let found: Vec<_> = found.into_iter().filter_map(|change| change.line.clone()).collect();
                let gone = gone.into_iter().map(|change| LobbyItem::Removed(change.game));
                let items = gone.chain((!found.is_empty()).then_some(LobbyItem::Tables(found)));
                // A stream that breaks in between is told all of them again.
                self.ready.extend(items.map(|item| (Some(place), item)));
                if let Some((at, _)) = self.ready.back_mut() {
                    *at = Some(batch.end);
                }
            }
            After::Nothing(end) => {
                self.stage = Stage::Live(end);
                self.at = Some(end);
                if self.caught_up {
                    // The sender lives as long as the lobby, which this watcher holds.
                    let _ = self.news.changed().await;
                } else if self.until.is_none_or(|until| end.reaches(&until)) {
                    self.caught_up = true;
                    self.ready.push_back((Some(end), LobbyItem::CaughtUp));
                } else {
                    // Of what isn't about the lobby there is no news.
                    let _ = timeout(POLL, self.news.changed()).await;
                }
            }
        }
    }

    fn finds(&self, change: &Change) -> bool {
        change.line.as_ref().is_some_and(|line| finds(&self.filter, line))
    }
}
