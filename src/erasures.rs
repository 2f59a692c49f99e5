//! Erasing players, and keeping them erased: also when the database is set back to a time before.
//!
//! An erasure is noted in the database, and besides in a file of the data folder, which a copy of the database doesn't
//! set back. When the service starts it carries out what that file has and the database hasn't. Where the folder is lost
//! as well, `remik erasures export` and `remik erasures apply` do the same by hand. docs/privacy.md tells how.

mod command;
mod list;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

pub use command::{ErasuresCommand, run};
pub use list::{ListError, read, write};

use crate::chat::note_removal;
use crate::store::{Erasure, GameId, Millis, Store, StoreError};

/// The file's name in the data folder.
const FILE: &str = "erasures.jsonl";

/// How long erasures are looked after: what was being written about a player when he was erased may have come late.
const LOOKED_AFTER: Duration = Duration::from_secs(24 * 3600);

/// The erasures of a service.
pub struct Erasures {
    store: Arc<Store>,
    file: PathBuf,
}

impl Erasures {
    /// The erasures of a store, noted in a folder too.
    pub fn new(store: Arc<Store>, folder: &std::path::Path) -> Self {
        Self { store, file: folder.join(FILE) }
    }

    /// Erases a player, and gives the games at whose tables he has said something. Safe to do again.
    ///
    /// # Errors
    /// The database is unavailable or damaged. What is left is done later, if the erasure was noted.
    pub async fn erase(&self, player: Uuid, now: Millis) -> Result<Vec<GameId>, StoreError> {
        if !self.store.is_erased(player).await? {
            self.note(Erasure { player_id: player, erased_at: now }).await;
        }
        carry_out(&self.store, player, now).await
    }

    /// Carries out what the file has and the database hasn't, such as one from a backup.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn catch_up(&self, now: Millis) -> Result<(), StoreError> {
        let file = self.file.clone();
        let noted = tokio::task::spawn_blocking(move || list::read_file(&file)).await;
        match noted {
            Ok(Ok(noted)) => {
                let applied = apply(&self.store, &noted, now).await?;
                if applied > 0 {
                    tracing::warn!(applied, "erased players were in the database, and are erased again");
                }
            }
            Ok(Err(error)) => {
                tracing::error!(%error, file = %self.file.display(), "erasures can't be read");
            }
            Err(error) => tracing::error!(%error, "erasures weren't read"),
        }
        self.look_after(now).await
    }

    /// Carries out to its end what was begun, and once more what is new.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn look_after(&self, now: Millis) -> Result<(), StoreError> {
        let since = Millis(now.0 - LOOKED_AFTER.as_millis() as i64);
        for erasure in self.store.unfinished_erasures(since).await? {
            carry_out(&self.store, erasure.player_id, erasure.erased_at).await?;
        }
        Ok(())
    }

    /// The player is erased also if this fails: then a restore needs the list that was exported.
    async fn note(&self, erasure: Erasure) {
        let file = self.file.clone();
        let noted = tokio::task::spawn_blocking(move || list::append(&file, &erasure)).await;
        if let Ok(Err(error)) = noted {
            tracing::error!(%error, file = %self.file.display(), "an erasure can't be noted in its file");
        }
    }
}

/// Erases those players who aren't erased yet, and says how many.
///
/// # Errors
/// The database is unavailable or damaged.
pub async fn apply(store: &Store, erasures: &[Erasure], now: Millis) -> Result<usize, StoreError> {
    let mut applied = 0;
    for erasure in erasures {
        if !store.is_erased(erasure.player_id).await? {
            carry_out(store, erasure.player_id, now).await?;
            applied += 1;
        }
    }
    Ok(applied)
}

/// Erases a player, to the end, and gives the games at whose tables he has said something.
async fn carry_out(store: &Store, player: Uuid, now: Millis) -> Result<Vec<GameId>, StoreError> {
    store.erase(player, now).await?;
    let games = store.chats_of_player(player).await?;
    let mut told = true;
    for game in &games {
        told &= note_removal(store, *game, player, 0, now).await?;
    }
    // Else streams are told later: the words are gone.
    if told {
        store.finish_erasure(player, now).await?;
    }
    Ok(games)
}
