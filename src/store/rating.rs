//! How strong players are, as the projector of the feed has found.

use uuid::Uuid;

use super::{Millis, Store, StoreError, query};

/// A player's rating in a family of rulesets, as it is kept. `crate::ratings` says what the numbers mean.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct RatingRow {
    /// Whose it is.
    pub player_id: Uuid,
    /// The family of rulesets.
    pub family: String,
    /// The estimate of his strength.
    pub mean: f64,
    /// How unsure it is, above 0.
    pub deviation: f64,
    /// How many rated games it rests on, at least 1.
    pub games: i32,
    /// When the last of them was rated.
    pub rated_at: Millis,
}

impl Store {
    /// A player's rating in a family; `None` before his first rated game.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn rating(&self, player: Uuid, family: &str) -> Result<Option<RatingRow>, StoreError> {
        const RATING: &str = "SELECT player_id, family, mean, deviation, games, rated_at FROM ratings \
             WHERE player_id = $1 AND family = $2";
        Ok(query!(self, readers, |pool| sqlx::query_as(RATING)
            .bind(player)
            .bind(family)
            .fetch_optional(pool))?)
    }
}
