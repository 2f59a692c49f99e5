//! Whom players don't want to sit with.

use std::collections::HashSet;

use uuid::Uuid;

use super::{Millis, Store, StoreError, query};

impl Store {
    /// Notes that a player doesn't want to sit with another, if it isn't known yet.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn block(&self, player: Uuid, blocked: Uuid, now: Millis) -> Result<(), StoreError> {
        const BLOCK: &str = "INSERT INTO blocks (player_id, blocked_id, made_at) VALUES ($1, $2, $3) \
             ON CONFLICT DO NOTHING";
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(BLOCK).bind(player).bind(blocked).bind(now).execute(pool).await.map(drop)
        });
        Ok(noted?)
    }

    /// Forgets that a player didn't want to sit with another.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn unblock(&self, player: Uuid, blocked: Uuid) -> Result<(), StoreError> {
        const UNBLOCK: &str = "DELETE FROM blocks WHERE player_id = $1 AND blocked_id = $2";
        let forgotten: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(UNBLOCK).bind(player).bind(blocked).execute(pool).await.map(drop)
        });
        Ok(forgotten?)
    }

    /// Those whom a player has blocked or who have blocked him: he sits with none of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn apart_from(&self, player: Uuid) -> Result<HashSet<Uuid>, StoreError> {
        const APART: &str = "SELECT blocked_id FROM blocks WHERE player_id = $1 \
             UNION SELECT player_id FROM blocks WHERE blocked_id = $1";
        let apart: Result<Vec<Uuid>, sqlx::Error> =
            query!(self, readers, |pool| sqlx::query_scalar(APART).bind(player).fetch_all(pool));
        Ok(apart?.into_iter().collect())
    }
}
