//! Whom players don't want to sit with.

use std::collections::HashSet;

use uuid::Uuid;

use super::{Millis, Store, StoreError, query};

/// A player with whom another doesn't want to sit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Block {
    /// Who.
    pub blocked_id: Uuid,
    /// Since when.
    pub made_at: Millis,
}

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

    /// Whom a player has blocked, by ascending id, behind one, at most `limit` of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn blocks(&self, player: Uuid, after: Uuid, limit: u32) -> Result<Vec<Block>, StoreError> {
        const BLOCKS: &str = "SELECT blocked_id, made_at FROM blocks WHERE player_id = $1 AND blocked_id > $2 \
             ORDER BY blocked_id LIMIT $3";
        Ok(query!(self, readers, |pool| sqlx::query_as(BLOCKS)
            .bind(player)
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// How many players one has blocked.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn count_blocks(&self, player: Uuid) -> Result<i64, StoreError> {
        const COUNT: &str = "SELECT count(*) FROM blocks WHERE player_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(COUNT).bind(player).fetch_one(pool))?)
    }
}
