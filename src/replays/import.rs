//! Games from elsewhere.

use remik_rules::event::Viewer;
use remik_rules::seat::PlayerId;
use remik_rules::table::Table;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Access, Asker, Replay, ReplayError, Replays};
use crate::export::{Document, parse};
use crate::store::{GameId, Import, Millis};
use crate::tables::TableError;

impl Replays {
    /// Takes in a game that was exported, if everything about it is as it should be; its id, and whether it was here
    /// already.
    ///
    /// # Errors
    /// What is wrong with the document, or a store that can't take it.
    pub async fn import(&self, text: String, by: PlayerId) -> Result<(GameId, bool), ReplayError> {
        let (document, over, text) = off_thread(move || {
            let document = parse(&text)?;
            let table = document.record.judge()?;
            Ok::<_, ReplayError>((document, table.as_ref().is_some_and(Table::is_over), text))
        })
        .await?;
        if !over {
            return Err(ReplayError::Unfinished);
        }
        let game = document.record.game;
        // What this service has signed it may have itself.
        if document.key == self.public_key() {
            match self.tables.get(game).await {
                Ok(_) => return Ok((game, true)),
                Err(TableError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let id = import_id(&document);
        let import = Import {
            game_id: id,
            imported_by: Uuid::from_u128(by.0),
            imported_at: Millis(self.tables.clock().now().0),
            document: text,
        };
        let added = self.store.add_import(&import).await?;
        Ok((id, !added))
    }

    pub(super) async fn imported(&self, game: GameId, asker: Asker<'_>) -> Result<Replay, ReplayError> {
        let import = self.store.import(game).await?.ok_or(ReplayError::NotFound)?;
        let said = self.store.replay_access(game).await?;
        let access = Access::of(said.as_ref(), false);
        let own = asker.player.is_some_and(|player| player.0 == import.imported_by.as_u128());
        let invited = access.opens_by(said.as_ref(), asker.share_code);
        if !(own || access == Access::Public || invited) {
            return Err(ReplayError::NotFound);
        }
        let document: Document = off_thread(move || parse(&import.document)).await?;
        Ok(Replay {
            id: game,
            record: document.record.clone(),
            sandbox: document.record.arrangement().is_some(),
            viewer: Viewer::Public,
            open: true,
            access,
            share_code: said.and_then(|said| said.share_code).filter(|_| own && access == Access::Link),
            meta: None,
            imported: Some(document),
        })
    }
}

/// The id that a game from elsewhere has here: of the game and the key, so that nobody's signature stands in the way of
/// another's.
fn import_id(document: &Document) -> GameId {
    let mut hash = Sha256::new();
    hash.update(b"remik.import.v1");
    hash.update(document.record.game.0.as_bytes());
    hash.update(document.key.to_string());
    let hash: [u8; 32] = hash.finalize().into();
    GameId(uuid::Builder::from_custom_bytes(*hash.first_chunk().unwrap_or(&[0; 16])).into_uuid())
}

/// Reading and judging a whole game takes milliseconds of computing, which mustn't hold up who waits for a move.
async fn off_thread<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, ReplayError>
where
    T: Send + 'static,
    E: Send + 'static,
    ReplayError: From<E>,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(ReplayError::from),
        // The work doesn't panic; it is cancelled when the service stops.
        Err(_) => Err(TableError::Stopping.into()),
    }
}
