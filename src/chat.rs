//! What players say to each other at a table: kept beside the log, never in it, so that it can be erased.
//!
//! Each table counts its lines. A line is read from the store, whoever watches: in memory is only the number of the last
//! one, which wakes watchers.

mod error;
mod follow;
mod mode;
mod phrase;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use remik_rules::refusal::Refusal;
use remik_rules::seat::PlayerId;
use tokio::sync::watch as channel;
use uuid::Uuid;

pub use error::ChatError;
pub use mode::Mode;
pub use phrase::{PHRASES, QuickPhrase};
pub use watch::ChatWatcher;

use crate::limits::Limits;
use crate::store::{ChatLine, GameId, Millis, NewLine, Store, StoreError};
use crate::tables::{LiveTable, Onlooker, TableError, Tables};

/// How long after its end something can be said at a game.
const OPEN_AFTER_END: Duration = Duration::from_secs(600);

/// How often a line is added anew because others were faster.
const TRIES: usize = 32;

/// Something to be said, in a form that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A text of the player's own.
    Text(String),
    /// The key of a quick phrase.
    Phrase(&'static str),
}

/// The chats of all tables.
pub struct Chats {
    tables: Arc<Tables>,
    store: Arc<Store>,
    limits: Arc<Limits>,
    /// What may be said anywhere.
    mode: Mode,
    /// The last line of each table that is watched here, as far as it is known.
    news: Mutex<HashMap<GameId, channel::Sender<u32>>>,
}

/// A page of what was said at a table.
pub struct ChatPage {
    /// The lines, the newest first.
    pub lines: Vec<ChatLine>,
    /// Whether there are older ones.
    pub more: bool,
    /// The last line that the reader may know of.
    pub last: u32,
}

impl Chats {
    /// The chats of some tables.
    pub fn new(tables: Arc<Tables>, limits: Arc<Limits>, mode: Mode) -> Self {
        let store = Arc::clone(tables.store());
        Self { tables, store, limits, mode, news: Mutex::default() }
    }

    /// Says something at a table, or finds what was said under the same request id.
    ///
    /// # Errors
    /// The player doesn't sit there, it can't be said there or not now, he says too much, or the store can't take it.
    pub async fn say(
        &self,
        table: &LiveTable,
        player: PlayerId,
        request_id: Uuid,
        content: Content,
    ) -> Result<ChatLine, ChatError> {
        let (game_id, player_id) = (table.meta().game, Uuid::from_u128(player.0));
        let (body, phrase) = match content {
            Content::Text(text) => (Some(text), None),
            Content::Phrase(key) => (None, Some(key.to_owned())),
        };
        let mut line = NewLine { game_id, player_id, made_at: self.now(), request_id, body, phrase };
        if let Some(said) = self.said_before(&line).await? {
            return Ok(said);
        }
        if table.seat_of(player).is_none() {
            table.refresh().await?;
        }
        if table.seat_of(player).is_none() {
            return Err(TableError::Refused(Refusal::NotSeated).into());
        }
        match self.mode(game_id).await? {
            Mode::Off => return Err(ChatError::Off),
            Mode::Phrases if line.body.is_some() => return Err(ChatError::PhrasesOnly),
            Mode::Phrases | Mode::On => {}
        }
        let open = OPEN_AFTER_END.as_millis() as i64;
        if table.ended_at().is_some_and(|end| end.0.saturating_add(open) < line.made_at.0) {
            return Err(ChatError::Closed);
        }
        self.limits.admit_message(player)?;
        for _ in 0..TRIES {
            line.made_at = self.now();
            let added = self.store.add_line(&line).await?;
            if let Some(said) = self.said_before(&line).await? {
                self.tell(game_id, said.number.unsigned_abs());
                return Ok(said);
            }
            if !added && self.store.is_erased(player_id).await? {
                return Err(ChatError::Erased);
            }
        }
        Err(TableError::Contended.into())
    }

    /// What was said under the same request id.
    async fn said_before(&self, line: &NewLine) -> Result<Option<ChatLine>, ChatError> {
        let said = self.store.line_of_request(line.player_id, line.request_id).await?;
        let Some(said) = said else { return Ok(None) };
        let removed = said.body.is_none() && said.phrase.is_none();
        let same = removed || (&said.body, &said.phrase) == (&line.body, &line.phrase);
        if same && said.game_id == line.game_id {
            Ok(Some(said))
        } else {
            Err(TableError::RequestReused.into())
        }
    }

    /// A page of what was said at a table, as somebody may see it: in front of a line, or the newest.
    ///
    /// # Errors
    /// He may not look at the game, or the store can't be asked.
    pub async fn page(
        &self,
        table: &LiveTable,
        who: Onlooker,
        before: Option<u32>,
        size: u32,
    ) -> Result<ChatPage, ChatError> {
        let game = table.meta().game;
        let until = table.hears_until(who)?;
        let last = self.store.last_line(game, Millis(until.0)).await?;
        let up_to = before.map_or(last, |before| before.saturating_sub(1).min(last));
        let reader = Uuid::from_u128(who.player.0);
        let mut lines = self.store.lines_before(game, reader, up_to, size + 1).await?;
        let more = lines.len() > size as usize;
        lines.truncate(size as usize);
        Ok(ChatPage { lines, more, last })
    }

    /// Removes a line for good. Safe to do again.
    ///
    /// # Errors
    /// There is no such line, or the store can't do it.
    pub async fn remove(&self, game: GameId, number: u32) -> Result<(), ChatError> {
        let author = self.store.blank_line(game, number).await?.ok_or(ChatError::NoSuchMessage)?;
        self.note_removal(game, author, number).await
    }

    async fn note_removal(&self, game: GameId, author: Uuid, number: u32) -> Result<(), ChatError> {
        if !note_removal(&self.store, game, author, number, self.now()).await? {
            return Err(TableError::Contended.into());
        }
        self.look_again(game).await
    }

    /// Wakes those who watch a table whose chat was changed beside this.
    ///
    /// # Errors
    /// The store can't be asked.
    pub async fn look_again(&self, game: GameId) -> Result<(), ChatError> {
        let last = self.store.last_line(game, Millis(i64::MAX)).await?;
        self.tell(game, last);
        Ok(())
    }

    /// What may be said at a table.
    ///
    /// # Errors
    /// The store can't be asked.
    pub async fn mode(&self, game: GameId) -> Result<Mode, ChatError> {
        let table = self.store.chat_mode(game).await?.map_or(Mode::On, Mode::stored);
        Ok(self.mode.min(table))
    }

    /// Says what may be said at a table; `None` for what the service allows. Gives what may be said from now on.
    ///
    /// # Errors
    /// There is no such game that the player may know of, somebody else has opened it, or the store can't do it.
    pub async fn set_mode(
        &self,
        table: &LiveTable,
        player: PlayerId,
        mode: Option<Mode>,
    ) -> Result<Mode, ChatError> {
        if table.opener() != Some(player) {
            return Err(ChatError::NotOpener);
        }
        let game = table.meta().game;
        self.store.set_chat_mode(game, mode.unwrap_or(Mode::On).number()).await?;
        self.mode(game).await
    }

    /// Wakes those who watch a table.
    fn tell(&self, game: GameId, last: u32) {
        if let Some(news) = self.news().get(&game) {
            news.send_if_modified(|known| {
                let is_new = last > *known;
                *known = last.max(*known);
                is_new
            });
        }
    }

    fn news(&self) -> MutexGuard<'_, HashMap<GameId, channel::Sender<u32>>> {
        // No code panics while it holds the lock.
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Millis {
        Millis(self.tables.clock().now().0)
    }
}

/// Adds the line that says that a line of somebody's was removed, or with 0 all of them; whether it is there now.
///
/// # Errors
/// The store can't do it.
pub async fn note_removal(
    store: &Store,
    game: GameId,
    author: Uuid,
    number: u32,
    now: Millis,
) -> Result<bool, StoreError> {
    for _ in 0..TRIES {
        if store.add_removal(game, author, number, now).await? {
            return Ok(true);
        }
    }
    Ok(false)
}
