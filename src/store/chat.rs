//! What is said at tables.

use std::collections::HashSet;

use uuid::Uuid;

use super::{GameId, Millis, Store, StoreError, query};

/// A line of a table's chat: something said, or the removal of what was said before.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ChatLine {
    /// The table's game.
    pub game_id: GameId,
    /// Its place at the table: 1, 2, 3 … without gaps.
    pub number: i32,
    /// Who has said it, or whose lines are removed.
    pub player_id: Uuid,
    /// When.
    pub made_at: Millis,
    /// The words; with `phrase` and `removes` not set either, they were removed.
    pub body: Option<String>,
    /// The key of a quick phrase.
    pub phrase: Option<String>,
    /// The number of the line that this one removes; 0 for all of the player's before.
    pub removes: Option<i32>,
}

/// Something to be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLine {
    /// The table's game.
    pub game_id: GameId,
    /// Who says it.
    pub player_id: Uuid,
    /// When.
    pub made_at: Millis,
    /// The client's id for it, unique for the player.
    pub request_id: Uuid,
    /// The words.
    pub body: Option<String>,
    /// The key of a quick phrase.
    pub phrase: Option<String>,
}

/// The columns of a [`ChatLine`].
macro_rules! line_columns {
    () => {
        "game_id, number, player_id, made_at, body, phrase, removes"
    };
}

/// Whom `$2` doesn't want to hear at the table `$1`; `$3` stands for every table.
macro_rules! unheard {
    () => {
        "SELECT muted_id FROM mutes WHERE player_id = $2 AND game_id IN ($1, $3) \
         UNION SELECT blocked_id FROM blocks WHERE player_id = $2"
    };
}

impl Store {
    /// Adds a line behind the table's last; whether it was added. It isn't if another one was faster, or the player has
    /// said something under this request id already.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn add_line(&self, line: &NewLine) -> Result<bool, StoreError> {
        const ADD: &str = "INSERT INTO chat (game_id, number, player_id, made_at, request_id, body, phrase) \
             SELECT $1, (SELECT coalesce(max(number), 0) + 1 FROM chat WHERE game_id = $1), $2, $3, $4, $5, $6 \
             WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE player_id = $2) ON CONFLICT DO NOTHING";
        let added: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let add = sqlx::query(ADD).bind(line.game_id).bind(line.player_id).bind(line.made_at);
            let add = add.bind(line.request_id).bind(line.body.as_deref()).bind(line.phrase.as_deref());
            Ok(add.execute(pool).await?.rows_affected())
        });
        Ok(added? > 0)
    }

    /// What a player has said under a request id.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn line_of_request(
        &self,
        player: Uuid,
        request_id: Uuid,
    ) -> Result<Option<ChatLine>, StoreError> {
        const LINE: &str =
            concat!("SELECT ", line_columns!(), " FROM chat WHERE player_id = $1 AND request_id = $2");
        Ok(query!(self, readers, |pool| sqlx::query_as(LINE)
            .bind(player)
            .bind(request_id)
            .fetch_optional(pool))?)
    }

    /// The lines of a table behind a number, in order, at most `limit` of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn lines(&self, game: GameId, after: u32, limit: u32) -> Result<Vec<ChatLine>, StoreError> {
        const LINES: &str = concat!(
            "SELECT ",
            line_columns!(),
            " FROM chat WHERE game_id = $1 AND number > $2 ORDER BY number LIMIT $3"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(LINES)
            .bind(game)
            .bind(i64::from(after))
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// What was said at a table up to a number and wasn't removed, the newest first, at most `limit` of it; without the
    /// lines of those whom a reader doesn't want to hear.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn lines_before(
        &self,
        game: GameId,
        reader: Uuid,
        up_to: u32,
        limit: u32,
    ) -> Result<Vec<ChatLine>, StoreError> {
        const LINES: &str = concat!(
            "SELECT ",
            line_columns!(),
            " FROM chat WHERE game_id = $1 AND number <= $4 AND (body IS NOT NULL OR phrase IS NOT NULL) \
             AND player_id NOT IN (",
            unheard!(),
            ") ORDER BY number DESC LIMIT $5"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(LINES)
            .bind(game)
            .bind(reader)
            .bind(Uuid::nil())
            .bind(i64::from(up_to))
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// Whom a player doesn't want to hear at a table.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn unheard(&self, game: GameId, reader: Uuid) -> Result<HashSet<Uuid>, StoreError> {
        let unheard: Result<Vec<Uuid>, sqlx::Error> =
            query!(self, readers, |pool| sqlx::query_scalar(unheard!())
                .bind(game)
                .bind(reader)
                .bind(Uuid::nil())
                .fetch_all(pool));
        Ok(unheard?.into_iter().collect())
    }

    /// The last line of a table in front of the first one that was made after a time; 0 if there is none.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn last_line(&self, game: GameId, until: Millis) -> Result<u32, StoreError> {
        const LAST: &str = "SELECT coalesce((SELECT min(number) - 1 FROM chat WHERE game_id = $1 AND made_at > $2), \
             (SELECT max(number) FROM chat WHERE game_id = $1), 0)";
        let last: i32 =
            query!(self, readers, |pool| sqlx::query_scalar(LAST).bind(game).bind(until).fetch_one(pool))?;
        // Numbers are at least 1.
        Ok(last.unsigned_abs())
    }

    /// The tables at which something was said or removed since a time, each with its last line.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn chats_since(&self, since: Millis) -> Result<Vec<(GameId, u32)>, StoreError> {
        const SINCE: &str = "SELECT game_id, max(number) FROM chat WHERE made_at >= $1 GROUP BY game_id";
        let found: Result<Vec<(GameId, i32)>, sqlx::Error> =
            query!(self, readers, |pool| sqlx::query_as(SINCE).bind(since).fetch_all(pool));
        Ok(found?.into_iter().map(|(game, last)| (game, last.unsigned_abs())).collect())
    }

    /// Takes the words of a line away; who has said it, or `None` if nothing was said there. Safe to do again.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn blank_line(&self, game: GameId, number: u32) -> Result<Option<Uuid>, StoreError> {
        const BLANK: &str = "UPDATE chat SET body = NULL, phrase = NULL WHERE game_id = $1 AND number = $2";
        const AUTHOR: &str =
            "SELECT player_id FROM chat WHERE game_id = $1 AND number = $2 AND removes IS NULL";
        let number = i64::from(number);
        let blanked: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(BLANK).bind(game).bind(number).execute(pool).await.map(drop)
        });
        blanked?;
        Ok(query!(self, readers, |pool| sqlx::query_scalar(AUTHOR)
            .bind(game)
            .bind(number)
            .fetch_optional(pool))?)
    }

    /// Adds the line that says that a line of a player's is removed, or with 0 all of them; whether it is there now. It
    /// may not be if another line was faster.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn add_removal(
        &self,
        game: GameId,
        author: Uuid,
        removes: u32,
        now: Millis,
    ) -> Result<bool, StoreError> {
        const ADD: &str = "INSERT INTO chat (game_id, number, player_id, made_at, removes) \
             SELECT $1, (SELECT coalesce(max(number), 0) + 1 FROM chat WHERE game_id = $1), $2, $3, $4 \
             WHERE NOT EXISTS (SELECT 1 FROM chat WHERE game_id = $1 AND player_id = $2 AND removes = $4) \
             ON CONFLICT DO NOTHING";
        const THERE: &str =
            "SELECT count(*) FROM chat WHERE game_id = $1 AND player_id = $2 AND removes = $3";
        // Numbers of lines are those of a column of this type.
        let removes = i32::try_from(removes).unwrap_or(i32::MAX);
        let added: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            let add = sqlx::query(ADD).bind(game).bind(author).bind(now).bind(removes);
            add.execute(pool).await.map(drop)
        });
        added?;
        let there: i64 = query!(self, readers, |pool| sqlx::query_scalar(THERE)
            .bind(game)
            .bind(author)
            .bind(removes)
            .fetch_one(pool))?;
        Ok(there > 0)
    }

    /// What a player has said, by game and number, behind a place, at most `limit` lines.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn lines_of_player(
        &self,
        player: Uuid,
        after: (GameId, u32),
        limit: u32,
    ) -> Result<Vec<ChatLine>, StoreError> {
        const LINES: &str = concat!(
            "SELECT ",
            line_columns!(),
            " FROM chat WHERE player_id = $1 AND (game_id, number) > ($2, $3) AND removes IS NULL \
             ORDER BY game_id, number LIMIT $4"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(LINES)
            .bind(player)
            .bind(after.0)
            .bind(i64::from(after.1))
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// The games at whose tables a player has said something.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn chats_of_player(&self, player: Uuid) -> Result<Vec<GameId>, StoreError> {
        const GAMES: &str = "SELECT DISTINCT game_id FROM chat WHERE player_id = $1 AND removes IS NULL";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(GAMES).bind(player).fetch_all(pool))?)
    }

    /// What may be said at a table, as the writer numbers it; `None` if nothing was said about it.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn chat_mode(&self, game: GameId) -> Result<Option<i16>, StoreError> {
        const MODE: &str = "SELECT mode FROM chat_modes WHERE game_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(MODE).bind(game).fetch_optional(pool))?)
    }

    /// Says what may be said at a table.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn set_chat_mode(&self, game: GameId, mode: i16) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO chat_modes (game_id, mode) VALUES ($1, $2) \
             ON CONFLICT (game_id) DO UPDATE SET mode = excluded.mode";
        let set: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(SET).bind(game).bind(mode).execute(pool).await.map(drop)
        });
        Ok(set?)
    }
}
