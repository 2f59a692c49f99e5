//! Who may see games again, and games from elsewhere.

use uuid::Uuid;

use super::rows::summary_columns;
use super::{GameId, Millis, PageToken, Store, StoreError, Summary, query};

/// What was said about who may see a game again.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Access {
    /// Who, as the writer numbers it.
    pub access: i16,
    /// The code for others to see it by; unique among all games.
    pub share_code: Option<String>,
}

/// A game from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Import {
    /// The game.
    pub game_id: GameId,
    /// Who has brought it.
    pub imported_by: Uuid,
    /// When.
    pub imported_at: Millis,
    /// The document, as it was exported.
    pub document: String,
}

/// Which games to find again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Only games of this player; `None` for all public ones.
    pub player: Option<Uuid>,
    /// Who asks: he finds his own games, and those of others that he has played in or that everybody may see again.
    pub viewer: Option<Uuid>,
    /// In this status.
    pub status: i16,
    /// The number of the access that lets everybody see.
    pub everybody: i16,
    /// Only games of this preset.
    pub preset: Option<String>,
    /// Opened then or later.
    pub made_from: Millis,
    /// Opened before.
    pub made_before: Millis,
    /// What is seen with a delay is found when it has settled by then.
    pub now: Millis,
}

/// What games of a search have in common: `$1` the status, `$2` below which id, `$3` and `$4` when opened, `$5` the
/// preset, `$6` who asks, `$7` the access of everybody, `$8` the time.
macro_rules! found {
    () => {
        "games.status = $1 AND games.game_id < $2 AND games.made_at >= $3 AND games.made_at < $4 \
         AND ($5 IS NULL OR games.preset = $5) AND (EXISTS (SELECT 1 FROM game_players seen \
             WHERE seen.game_id = games.game_id AND seen.player_id = $6) \
         OR (coalesce(replays.access, CASE WHEN games.public THEN $7 ELSE 0 END) = $7 \
             AND (games.settles_at IS NULL OR games.settles_at <= $8)))"
    };
}

const OF_PLAYER: &str = concat!(
    "SELECT ",
    summary_columns!(),
    " FROM game_players JOIN games ON games.game_id = game_players.game_id \
      LEFT JOIN replays ON replays.game_id = games.game_id WHERE ",
    found!(),
    " AND game_players.player_id = $10 ORDER BY games.game_id DESC LIMIT $9"
);

const PUBLIC: &str = concat!(
    "SELECT ",
    summary_columns!(),
    " FROM games LEFT JOIN replays ON replays.game_id = games.game_id WHERE ",
    found!(),
    " AND games.public AND $10 IS NULL ORDER BY games.game_id DESC LIMIT $9"
);

impl Store {
    /// What was said about who may see a game again; `None` if nothing was.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn replay_access(&self, game: GameId) -> Result<Option<Access>, StoreError> {
        const ACCESS: &str = "SELECT access, share_code FROM replays WHERE game_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(ACCESS).bind(game).fetch_optional(pool))?)
    }

    /// Says who may see a game again.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if another game has the share code, or the database is unavailable or damaged.
    pub async fn set_replay_access(&self, game: GameId, access: &Access) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO replays (game_id, access, share_code) VALUES ($1, $2, $3) \
             ON CONFLICT (game_id) DO UPDATE SET access = excluded.access, share_code = excluded.share_code";
        let set: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            let set = sqlx::query(SET).bind(game).bind(access.access).bind(&access.share_code);
            set.execute(pool).await.map(drop)
        });
        match set {
            Err(error) if error.as_database_error().is_some_and(|e| e.is_unique_violation()) => {
                Err(StoreError::Taken)
            }
            other => Ok(other?),
        }
    }

    /// A game from elsewhere.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn import(&self, game: GameId) -> Result<Option<Import>, StoreError> {
        const IMPORT: &str =
            "SELECT game_id, imported_by, imported_at, document FROM imports WHERE game_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(IMPORT).bind(game).fetch_optional(pool))?)
    }

    /// Keeps a game from elsewhere, if there is none of its id; whether it was kept.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn add_import(&self, import: &Import) -> Result<bool, StoreError> {
        const ADD: &str = "INSERT INTO imports (game_id, imported_by, imported_at, document) \
             VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
        let added: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let add = sqlx::query(ADD).bind(import.game_id).bind(import.imported_by);
            let add = add.bind(import.imported_at).bind(&import.document);
            Ok(add.execute(pool).await?.rows_affected())
        });
        Ok(added? > 0)
    }

    /// Finished games by descending id, so the newest come first, at most `limit` of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn search_replays(
        &self,
        search: &Search,
        token: Option<PageToken>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        let sql = if search.player.is_some() { OF_PLAYER } else { PUBLIC };
        // No id is above the greatest one.
        let below = token.map_or(Uuid::max(), |token| token.0.0);
        Ok(query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(search.status)
            .bind(below)
            .bind(search.made_from)
            .bind(search.made_before)
            .bind(search.preset.as_deref())
            .bind(search.viewer)
            .bind(search.everybody)
            .bind(search.now)
            .bind(i64::from(limit))
            .bind(search.player)
            .fetch_all(pool))?)
    }

    /// The secret key that all instances sign exports with.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn signing_key(&self) -> Result<[u8; 32], StoreError> {
        const KEY: &str = "SELECT signing_key FROM secrets";
        let key: Vec<u8> = query!(self, readers, |pool| sqlx::query_scalar(KEY).fetch_one(pool))?;
        key.try_into().map_err(|key: Vec<u8>| {
            let source = format!("{} bytes, not 32", key.len()).into();
            sqlx::Error::ColumnDecode { index: "signing_key".into(), source }.into()
        })
    }
}
