//! Who may see a game again.

use rand::RngExt;
use remik_rules::seat::PlayerId;

use super::{ReplayError, Replays};
use crate::store::{self, GameId, StoreError};
use crate::tables::TableError;

/// The letters and digits of share codes: none that is easily taken for another.
const LETTERS: &[u8] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

/// How long a share code is: nobody finds one by trying.
const LENGTH: usize = 22;

/// Who may see a game's finished deals with all cards open. Whoever played in it always may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Those who play or played in it.
    Players = 1,
    /// Whoever has the share code.
    Link = 2,
    /// Everybody.
    Public = 3,
}

impl Access {
    /// What was said about a game, or what games have that nobody has said anything about.
    pub(super) fn of(said: Option<&store::Access>, public: bool) -> Self {
        match said.map(|said| said.access) {
            Some(2) => Self::Link,
            Some(3) => Self::Public,
            Some(_) => Self::Players,
            None => Self::usual(public),
        }
    }

    /// Whether a share code opens the game.
    pub(super) fn opens_by(self, said: Option<&store::Access>, share_code: &str) -> bool {
        self == Self::Link && said.is_some_and(|said| said.share_code.as_deref() == Some(share_code))
    }

    /// What games have that nobody has said anything about.
    pub(super) const fn usual(public: bool) -> Self {
        if public { Self::Public } else { Self::Players }
    }
}

impl Replays {
    /// Says who may see a game; `None` for what such games usually have. Gives the share code, where there is one.
    ///
    /// # Errors
    /// There is no such game that the player may know of, or it isn't his to say.
    pub async fn set_access(
        &self,
        game: GameId,
        player: PlayerId,
        access: Option<Access>,
        renew: bool,
    ) -> Result<(Access, Option<String>), ReplayError> {
        let (public, own) = self.owner(game, player).await?;
        if !own {
            return Err(ReplayError::NotOpener);
        }
        let access = access.unwrap_or(Access::usual(public));
        let said = self.store.replay_access(game).await?;
        let kept = said.and_then(|said| said.share_code).filter(|_| !renew);
        let share_code = match kept {
            None if access == Access::Link => Some(share_code()),
            // It opens nothing any more once it is renewed, also while access is another.
            kept => kept,
        };
        let said = store::Access { access: access as i16, share_code };
        self.store.set_replay_access(game, &said).await?;
        Ok((access, said.share_code.filter(|_| access == Access::Link)))
    }

    /// Whether a game is public, and whether it is a player's to say who may see it.
    async fn owner(&self, game: GameId, player: PlayerId) -> Result<(bool, bool), ReplayError> {
        match self.tables.get(game).await {
            Ok(table) => {
                if table.admit(player).is_err() {
                    table.refresh().await?;
                }
                match table.admit(player) {
                    Err(TableError::NotFound) => Err(ReplayError::NotFound),
                    _ => Ok((table.meta().public, table.opener() == Some(player))),
                }
            }
            Err(TableError::NotFound) => {
                let import = self.store.import(game).await?.ok_or(ReplayError::NotFound)?;
                if import.imported_by.as_u128() == player.0 {
                    Ok((false, true))
                } else {
                    Err(ReplayError::NotFound)
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn share_code() -> String {
    let mut rng = rand::rng();
    (0..LENGTH).map(|_| char::from(LETTERS[rng.random_range(0..LETTERS.len())])).collect()
}

impl From<StoreError> for ReplayError {
    fn from(error: StoreError) -> Self {
        Self::Table(error.into())
    }
}
