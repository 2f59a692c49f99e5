//! Watching a table's chat: every line once and in order, from any point.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch as channel;
use tokio::time::sleep;
use uuid::Uuid;

use super::{ChatError, Chats};
use crate::store::{ChatLine, Millis};
use crate::tables::{LiveTable, Onlooker};

/// How many lines are read at once.
const CHUNK: u32 = 64;

/// Somebody who reads along, live or with the table's delay. It holds no more than a chunk of lines.
pub struct ChatWatcher {
    chats: Arc<Chats>,
    table: Arc<LiveTable>,
    who: Onlooker,
    /// The last line handed out or passed over.
    at: u32,
    waiting: VecDeque<ChatLine>,
    /// Whom he doesn't want to hear, as it was when `waiting` was read.
    unheard: HashSet<Uuid>,
    /// When the next line that there is gets old enough.
    settles_at: Option<Millis>,
    news: channel::Receiver<u32>,
}

impl ChatWatcher {
    /// Watches a chat from behind a line on.
    ///
    /// # Errors
    /// He may not look at the game, there is no such line as far as he may know, or the store can't be asked.
    pub async fn open(
        chats: &Arc<Chats>,
        table: Arc<LiveTable>,
        who: Onlooker,
        after: u32,
    ) -> Result<Self, ChatError> {
        let game = table.meta().game;
        let news = chats.news().entry(game).or_insert_with(|| channel::Sender::new(0)).subscribe();
        // From here on its end gives the entry back.
        let watcher = Self {
            chats: Arc::clone(chats),
            table,
            who,
            at: after,
            waiting: VecDeque::new(),
            unheard: HashSet::new(),
            settles_at: None,
            news,
        };
        let until = watcher.table.hears_until(who)?;
        let last = chats.store.last_line(game, Millis(until.0)).await?;
        if after > last { Err(ChatError::Ahead { asked: after, at: last }) } else { Ok(watcher) }
    }

    /// The last line handed out or passed over.
    pub fn at(&self) -> u32 {
        self.at
    }

    /// The next line that may be seen already; `None` if everything such has been handed out. Nothing is lost if the
    /// future is dropped before it is ready.
    ///
    /// # Errors
    /// The game may not be seen any more, or the store can't be asked.
    pub async fn ready(&mut self) -> Result<Option<ChatLine>, ChatError> {
        loop {
            while let Some(line) = self.waiting.pop_front() {
                self.at = line.number.unsigned_abs();
                if line.removes.is_some() || self.is_heard(&line) {
                    return Ok(Some(line));
                }
            }
            self.read().await?;
            if self.waiting.is_empty() {
                return Ok(None);
            }
        }
    }

    /// Waits until there may be another line. Lines that are too young don't count.
    pub async fn changed(&mut self) {
        match self.settles_at {
            Some(at) => {
                let left = at.0.saturating_sub(self.chats.now().0);
                sleep(Duration::from_millis(left.max(1).unsigned_abs())).await;
            }
            // The sender is there as long as a watcher.
            None => drop(self.news.changed().await),
        }
    }

    fn is_heard(&self, line: &ChatLine) -> bool {
        let said = line.body.is_some() || line.phrase.is_some();
        said && !self.unheard.contains(&line.player_id)
    }

    async fn read(&mut self) -> Result<(), ChatError> {
        self.news.mark_unchanged();
        let game = self.table.meta().game;
        let mut lines = self.chats.store.lines(game, self.at, CHUNK).await?;
        if !lines.is_empty() && self.table.seat_of(self.who.player).is_none() {
            // Another instance may have begun the game, or taken the seat back.
            self.table.refresh().await?;
        }
        let until = self.table.hears_until(self.who)?;
        let old_enough = lines.iter().take_while(|line| line.made_at.0 <= until.0).count();
        self.settles_at = match lines.get(old_enough) {
            Some(young) if old_enough == 0 => {
                Some(Millis(young.made_at.0.saturating_add(self.table.delay_millis())))
            }
            _ => None,
        };
        lines.truncate(old_enough);
        if !lines.is_empty() {
            self.unheard = self.chats.store.unheard(game, Uuid::from_u128(self.who.player.0)).await?;
        }
        self.waiting = lines.into();
        Ok(())
    }
}

impl Drop for ChatWatcher {
    fn drop(&mut self) {
        let game = self.table.meta().game;
        let mut news = self.chats.news();
        // The last one takes the entry away; who comes now holds the lock after.
        if news.get(&game).is_some_and(|sender| sender.receiver_count() <= 1) {
            news.remove(&game);
        }
    }
}
