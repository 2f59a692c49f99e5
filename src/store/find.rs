//! Finding games and players, whoever may see them: for administrators.

use uuid::Uuid;

use super::player::player_columns;
use super::rows::summary_columns;
use super::{Ban, Database, GameId, Millis, Player, Store, StoreError, Summary, query};

/// Which games to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFilter {
    /// This game.
    pub game: Option<GameId>,
    /// Games in which this player has a seat.
    pub player: Option<Uuid>,
    /// Games of this preset.
    pub preset: Option<String>,
    /// In one of these statuses, each from 0 to 30; empty for all.
    pub statuses: Vec<i16>,
    /// Public ones, or private ones.
    pub public: Option<bool>,
    /// Opened then or later.
    pub made_from: Millis,
    /// Opened before.
    pub made_before: Millis,
    /// Games whose last move was made before.
    pub idle_since: Option<Millis>,
}

/// A game that was found.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct FoundGame {
    /// Its summary.
    #[sqlx(flatten)]
    pub summary: Summary,
    /// The number of its last move.
    pub latest: i32,
    /// When that was made.
    pub moved_at: Millis,
}

/// Which players to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerFilter {
    /// This player.
    pub player: Option<Uuid>,
    /// The player of this account at the integrator.
    pub external_id: Option<String>,
    /// Players whose name begins so.
    pub name_prefix: Option<String>,
    /// Only those whose ban counts now.
    pub banned: bool,
    /// The time now.
    pub now: Millis,
}

/// A player who was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPlayer {
    /// The player.
    pub player: Player,
    /// His ban, if it counts now.
    pub ban: Option<Ban>,
}

/// A player with the ban's columns beside his own.
#[derive(sqlx::FromRow)]
struct Row {
    #[sqlx(flatten)]
    player: Player,
    banned_at: Option<Millis>,
    until: Option<Millis>,
    reason: Option<String>,
}

const GAMES: &str = concat!(
    "SELECT * FROM (SELECT ",
    summary_columns!(),
    ", (SELECT m.number FROM moves m WHERE m.game_id = games.game_id ORDER BY m.number DESC LIMIT 1) AS latest, \
       (SELECT m.made_at FROM moves m WHERE m.game_id = games.game_id ORDER BY m.number DESC LIMIT 1) AS moved_at \
       FROM games WHERE games.game_id < $1 AND ($2 IS NULL OR games.game_id = $2) \
       AND ($3 IS NULL OR EXISTS (SELECT 1 FROM game_players seats \
            WHERE seats.game_id = games.game_id AND seats.player_id = $3)) \
       AND ($4 IS NULL OR games.preset = $4) AND ($5 = 0 OR (($5 >> games.status) & 1) = 1) \
       AND ($6 IS NULL OR games.public = $6) AND games.made_at >= $7 AND games.made_at < $8) AS found \
     WHERE ($9 IS NULL OR moved_at < $9) ORDER BY game_id DESC LIMIT $10"
);

/// Names sort by their characters' numbers, so all that begin alike stand together.
macro_rules! players {
    ($name:literal) => {
        concat!(
            "SELECT ",
            player_columns!(),
            ", bans.banned_at, bans.until, bans.reason FROM players LEFT JOIN \
               (SELECT player_id, bans.made_at AS banned_at, until, reason FROM bans \
                WHERE until IS NULL OR until > $6) AS bans ON player_id = id \
             WHERE id < $1 AND ($2 IS NULL OR id = $2) AND ($3 IS NULL OR external_id = $3) \
             AND ($4 IS NULL OR (",
            $name,
            " >= $4 AND ",
            $name,
            " < $5)) AND (player_id IS NOT NULL OR NOT $7) ORDER BY id DESC LIMIT $8"
        )
    };
}

impl Store {
    /// Games by descending id, so the newest come first, at most `limit` of those below an id.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn find_games(
        &self,
        filter: &GameFilter,
        below: GameId,
        limit: u32,
    ) -> Result<Vec<FoundGame>, StoreError> {
        let statuses = filter.statuses.iter().filter(|status| (0..=30).contains(*status));
        let statuses = statuses.fold(0i32, |mask, status| mask | 1 << status);
        if filter.preset.as_ref().is_some_and(|preset| preset.contains('\0')) {
            return Ok(Vec::new());
        }
        Ok(query!(self, readers, |pool| sqlx::query_as(GAMES)
            .bind(below)
            .bind(filter.game)
            .bind(filter.player)
            .bind(filter.preset.as_deref())
            .bind(statuses)
            .bind(filter.public)
            .bind(filter.made_from)
            .bind(filter.made_before)
            .bind(filter.idle_since)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// Players by descending id, so those who came last come first, at most `limit` of those below an id.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn find_players(
        &self,
        filter: &PlayerFilter,
        below: Uuid,
        limit: u32,
    ) -> Result<Vec<FoundPlayer>, StoreError> {
        let given = [&filter.external_id, &filter.name_prefix];
        if given.into_iter().flatten().any(|text| text.contains('\0')) {
            return Ok(Vec::new());
        }
        let sql = match &self.database {
            Database::Postgres(_) => players!("name COLLATE \"C\""),
            Database::Sqlite(_) => players!("name"),
        };
        // No name has the last character of all.
        let end = filter.name_prefix.as_ref().map(|prefix| format!("{prefix}{}", char::MAX));
        let rows: Vec<Row> = query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(below)
            .bind(filter.player)
            .bind(filter.external_id.as_deref())
            .bind(filter.name_prefix.as_deref())
            .bind(end.as_deref())
            .bind(filter.now)
            .bind(filter.banned)
            .bind(i64::from(limit))
            .fetch_all(pool))?;
        Ok(rows.into_iter().map(FoundPlayer::from).collect())
    }
}

impl From<Row> for FoundPlayer {
    fn from(row: Row) -> Self {
        let Row { player, banned_at, until, reason } = row;
        let ban = banned_at.map(|made_at| Ban { made_at, until, reason: reason.unwrap_or_default() });
        Self { player, ban }
    }
}
