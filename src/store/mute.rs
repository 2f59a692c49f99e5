//! Whom players don't want to hear.

use uuid::Uuid;

use super::{GameId, Millis, Store, StoreError, query};

/// A player who isn't heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Mute {
    /// Who.
    pub muted_id: Uuid,
    /// At the table of which game; all zeros for everywhere.
    pub game_id: GameId,
    /// Since when.
    pub made_at: Millis,
}

impl Mute {
    /// What stands for every table.
    pub const EVERYWHERE: GameId = GameId(Uuid::nil());
}

impl Store {
    /// Notes that a player doesn't want to hear another, if it isn't known yet.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn mute(&self, player: Uuid, mute: Mute) -> Result<(), StoreError> {
        const MUTE: &str = "INSERT INTO mutes (player_id, muted_id, game_id, made_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT DO NOTHING";
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            let insert = sqlx::query(MUTE).bind(player).bind(mute.muted_id).bind(mute.game_id);
            insert.bind(mute.made_at).execute(pool).await.map(drop)
        });
        Ok(noted?)
    }

    /// Forgets that a player didn't want to hear another, at a table or everywhere.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn unmute(&self, player: Uuid, muted: Uuid, game: GameId) -> Result<(), StoreError> {
        const UNMUTE: &str = "DELETE FROM mutes WHERE player_id = $1 AND muted_id = $2 AND game_id = $3";
        let forgotten: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(UNMUTE).bind(player).bind(muted).bind(game).execute(pool).await.map(drop)
        });
        Ok(forgotten?)
    }

    /// Whom a player doesn't want to hear, by player and game, behind a place, at most `limit` lines.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn mutes(
        &self,
        player: Uuid,
        after: Option<(Uuid, GameId)>,
        limit: u32,
    ) -> Result<Vec<Mute>, StoreError> {
        const MUTES: &str = "SELECT muted_id, game_id, made_at FROM mutes \
             WHERE player_id = $1 AND ($2 IS NULL OR (muted_id, game_id) > ($2, $3)) \
             ORDER BY muted_id, game_id LIMIT $4";
        let (muted, game) = after.unzip();
        Ok(query!(self, readers, |pool| sqlx::query_as(MUTES)
            .bind(player)
            .bind(muted)
            .bind(game)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// How many mutes a player has.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn count_mutes(&self, player: Uuid) -> Result<i64, StoreError> {
        const COUNT: &str = "SELECT count(*) FROM mutes WHERE player_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(COUNT).bind(player).fetch_one(pool))?)
    }
}
