//! Games seen again: move by move, by whom the game's access lets, searched, exported and imported.

mod access;
mod error;
mod import;
mod search;
mod show;

use std::sync::Arc;

use remik_rules::event::{Event, Viewer};
use remik_rules::seat::PlayerId;

pub use access::Access;
pub use error::ReplayError;
pub use search::Found;
pub use show::{Deal, Position, Show};

use crate::export::{Document, PublicKey, SigningKey, export};
use crate::record::Record;
use crate::store::{GameId, Store, StoreError};
use crate::tables::{LiveTable, Meta, Onlooker, TableError, Tables};

/// Nobody: who looks without credentials.
const NOBODY: PlayerId = PlayerId(0);

/// The games of a store, seen again.
pub struct Replays {
    store: Arc<Store>,
    tables: Arc<Tables>,
    key: SigningKey,
}

/// Who wants to see a game again.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The player; `None` for who has no credentials.
    pub player: Option<PlayerId>,
    /// The share code that he has; empty if none.
    pub share_code: &'a str,
}

/// A game as somebody may see it again.
pub struct Replay {
    /// Its id here: the game's own, but for a game that was imported.
    pub id: GameId,
    /// Its moves up to the last one that he may see.
    pub record: Record,
    /// Whether its cards were chosen.
    pub sandbox: bool,
    /// Who he is at the table.
    pub viewer: Viewer,
    /// Whether the cards of finished deals are open to him.
    pub open: bool,
    /// Who may see it.
    pub access: Access,
    /// The code for others to see it by, if he may tell it.
    pub share_code: Option<String>,
    /// What is fixed for the game, if it was played here.
    pub meta: Option<Meta>,
    /// Whose signature it has come with, if it was imported.
    pub imported: Option<Document>,
}

impl Replay {
    /// Its moves as he may see them.
    pub fn show(&self) -> Show<'_> {
        Show::new(&self.record.moves, self.viewer, self.open)
    }

    /// Whether the game is over, as far as he may see it.
    pub fn is_over(&self) -> bool {
        let last = self.record.moves.last();
        last.is_some_and(|mv| matches!(mv.events.last(), Some(Event::GameEnded { .. })))
    }
}

impl Replays {
    /// The games of a store and its tables.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn open(store: Arc<Store>, tables: Arc<Tables>) -> Result<Self, StoreError> {
        let key = SigningKey::from_secret(&store.signing_key().await?);
        Ok(Self { store, tables, key })
    }

    /// The public key of the signatures under exports.
    pub fn public_key(&self) -> PublicKey {
        self.key.public()
    }

    /// A game as somebody may see it again.
    ///
    /// # Errors
    /// There is none that he may know of, or it can't be read.
    pub async fn replay(&self, game: GameId, asker: Asker<'_>) -> Result<Replay, ReplayError> {
        match self.tables.get(game).await {
            Ok(table) => self.played_here(&table, asker).await,
            Err(TableError::NotFound) => self.imported(game, asker).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn played_here(&self, table: &LiveTable, asker: Asker<'_>) -> Result<Replay, ReplayError> {
        let meta = table.meta();
        let said = self.store.replay_access(meta.game).await?;
        let access = Access::of(said.as_ref(), meta.public);
        let player = asker.player.unwrap_or(NOBODY);
        // This copy may not know yet who has sat down.
        if table.seat_of(player).is_none() {
            table.refresh().await?;
        }
        let viewer = table.viewer(player);
        let plays = viewer != Viewer::Public || table.opener() == Some(player);
        let invited = access.opens_by(said.as_ref(), asker.share_code);
        let open = plays || invited || access == Access::Public;
        let onlooker = Onlooker { player, invited };
        let edge = match table.admitted_edge(onlooker) {
            Ok(edge) => edge,
            // Whoever may see the game again may do so when it is over, whether or not he could look on.
            Err(TableError::NotFound | TableError::NoSpectators)
                if open && table.with_table(|t, _| t.is_over()) =>
            {
                table.version()
            }
            Err(TableError::NoSpectators) if meta.public || open => {
                return Err(TableError::NoSpectators.into());
            }
            Err(_) => return Err(ReplayError::NotFound),
        };
        let moves = self.store.load(meta.game, 0, Some(edge)).await?;
        Ok(Replay {
            id: meta.game,
            record: Record::decode(meta.game, meta.preset, moves)?,
            sandbox: table.with_table(|table, _| table.sandbox().is_some()),
            viewer,
            open,
            access,
            share_code: said.and_then(|said| said.share_code).filter(|_| plays && access == Access::Link),
            meta: Some(meta.clone()),
            imported: None,
        })
    }

    /// A finished game as a document, and in the notation.
    ///
    /// # Errors
    /// There is none whose cards are open to him, it isn't over, or it can't be read.
    pub async fn export(&self, game: GameId, asker: Asker<'_>) -> Result<Document, ReplayError> {
        let replay = self.replay(game, asker).await?;
        if let Some(document) = replay.imported {
            return Ok(document);
        }
        if !replay.open {
            return Err(ReplayError::Closed);
        }
        if !replay.is_over() {
            return Err(ReplayError::NotOver);
        }
        Ok(export(replay.record, &self.key))
    }
}
