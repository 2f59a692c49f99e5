//! How strong players are, as the projector of the feed has found.

use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{GameId, Millis, Store, StoreError, query, standings::shown};

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
    /// When the last of them ended.
    pub rated_at: Millis,
    /// The estimate as leaderboards order it.
    pub points: i32,
    /// It is too unsure for a leaderboard.
    pub provisional: bool,
}

/// What a rated game has changed in a player's rating.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct RatingChange {
    /// Whose rating.
    pub player_id: Uuid,
    /// In which family of rulesets.
    pub family: String,
    /// His how manieth rated game in the family it was, from 1.
    pub number: i32,
    /// The game.
    pub game_id: GameId,
    /// When it ended.
    pub rated_at: Millis,
    /// His place in it, from 1, shared where equal.
    pub place: i16,
    /// How many players were rated by it.
    pub players: i16,
    /// The estimate of his strength before.
    pub mean_before: f64,
    /// How unsure it was before.
    pub deviation_before: f64,
    /// The estimate after it.
    pub mean: f64,
    /// How unsure it is after it.
    pub deviation: f64,
}

/// The columns of a [`RatingRow`].
macro_rules! rating_columns {
    () => {
        "player_id, family, mean, deviation, games, rated_at, points, provisional"
    };
}

/// The columns of a [`RatingChange`].
macro_rules! change_columns {
    () => {
        "player_id, family, number, game_id, rated_at, place, players, mean_before, deviation_before, mean, deviation"
    };
}
pub(super) use {change_columns, rating_columns};

impl Store {
    /// A player's rating in a family; `None` before his first rated game.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn rating(&self, player: Uuid, family: &str) -> Result<Option<RatingRow>, StoreError> {
        const RATING: &str = concat!(
            "SELECT ",
            rating_columns!(),
            " FROM ratings WHERE generation = ",
            shown!(),
            " AND player_id = $1 AND family = $2"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(RATING)
            .bind(player)
            .bind(family)
            .fetch_optional(pool))?)
    }

    /// A player's ratings in all families in which he has been rated, by the families' names.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ratings(&self, player: Uuid) -> Result<Vec<RatingRow>, StoreError> {
        const RATINGS: &str = concat!(
            "SELECT ",
            rating_columns!(),
            " FROM ratings WHERE generation = ",
            shown!(),
            " AND player_id = $1 ORDER BY family"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(RATINGS).bind(player).fetch_all(pool))?)
    }

    /// The ratings of some players in a generation.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ratings_in(&self, generation: i32, players: &[Uuid]) -> Result<Vec<RatingRow>, StoreError> {
        if players.is_empty() {
            return Ok(Vec::new());
        }
        let ratings: Result<_, sqlx::Error> = query!(self, readers, |pool| async {
            let mut select =
                QueryBuilder::new(concat!("SELECT ", rating_columns!(), " FROM ratings WHERE generation = "));
            select.push_bind(generation).push(" AND player_id IN (");
            let mut ids = select.separated(", ");
            players.iter().for_each(|player| {
                ids.push_bind(*player);
            });
            select.push(")");
            select.build_query_as().persistent(false).fetch_all(pool).await
        });
        Ok(ratings?)
    }

    /// What a player's rated games in a family have changed, the latest first: those before a number, at most `limit`.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn rating_changes(
        &self,
        player: Uuid,
        family: &str,
        before: i32,
        limit: u32,
    ) -> Result<Vec<RatingChange>, StoreError> {
        const CHANGES: &str = concat!(
            "SELECT ",
            change_columns!(),
            " FROM rating_changes WHERE generation = ",
            shown!(),
            " AND player_id = $1 AND family = $2 AND number < $3 ORDER BY number DESC LIMIT $4"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(CHANGES)
            .bind(player)
            .bind(family)
            .bind(before)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// What a game has changed in its players' ratings, by their places.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn rating_changes_of(&self, game: GameId) -> Result<Vec<RatingChange>, StoreError> {
        const CHANGES: &str = concat!(
            "SELECT ",
            change_columns!(),
            " FROM rating_changes WHERE generation = ",
            shown!(),
            " AND game_id = $1 ORDER BY place, player_id"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(CHANGES).bind(game).fetch_all(pool))?)
    }
}
