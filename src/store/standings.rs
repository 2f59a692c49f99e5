//! What finished games come to, by generations: one is shown, and perhaps others are being made anew beside it.
//!
//! What a batch of games comes to is written together with the place in the feed up to which they are counted, and only
//! if nobody else has moved that place. So no game counts twice, whoever counts.

use sqlx::{Connection, QueryBuilder};

use super::{
    Cursor, Database, GameId, Postgres, RatingChange, RatingRow, Sqlite, StatisticsRow, Store, StoreError,
    query, sqlite::keep_if_sound,
};

/// How many rows one statement writes: far fewer than would have more values than a statement may.
const ROWS: usize = 500;

/// How many old rows go at once, so that moves needn't wait long for SQLite's one writer.
const SWEEP: i64 = 1000;

/// The number of the generation that is shown.
macro_rules! shown {
    () => {
        "(SELECT generation FROM standings WHERE state = 1)"
    };
}
pub(super) use shown;

/// A generation of standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Its number: later ones are newer.
    pub number: i32,
    /// Up to where in the feed games are counted in it.
    pub cursor: Cursor,
    /// A game that it has counted turned out to be otherwise: it is to be made anew.
    pub stale: bool,
}

/// What a stretch of the feed comes to.
#[derive(Clone, Debug)]
pub struct StandingsBatch {
    /// The generation that it is for.
    pub generation: i32,
    /// Where the stretch begins: where the generation's cursor has to be.
    pub from: Cursor,
    /// Where it ends.
    pub to: Cursor,
    /// A game that was counted before turned out to be otherwise.
    pub stale: bool,
    /// The games, each with the number of what it is counted as.
    pub games: Vec<(GameId, i16)>,
    /// The ratings after them.
    pub ratings: Vec<RatingRow>,
    /// What each game has changed in them.
    pub changes: Vec<RatingChange>,
    /// The statistics after them.
    pub statistics: Vec<StatisticsRow>,
}

/// Writes a batch on a connection of either database; whether the cursor was where it had to be.
macro_rules! write_batch {
    ($connection:expr, $batch:expr) => {
        async {
            let batch: &StandingsBatch = $batch;
            let mut transaction = $connection.begin().await?;
            let advance = sqlx::query(ADVANCE).bind(batch.generation).bind(batch.from.to_string());
            let advance = advance.bind(batch.to.to_string()).bind(batch.stale);
            if advance.execute(&mut *transaction).await?.rows_affected() == 0 {
                return Ok(false);
            }
            for games in batch.games.chunks(ROWS) {
                let mut insert =
                    QueryBuilder::new("INSERT INTO counted_games (generation, game_id, counted_as) ");
                insert.push_values(games, |mut row, (game, counted_as)| {
                    row.push_bind(batch.generation).push_bind(*game).push_bind(*counted_as);
                });
                insert.push(" ON CONFLICT DO NOTHING");
                insert.build().persistent(false).execute(&mut *transaction).await?;
            }
            for ratings in batch.ratings.chunks(ROWS) {
                let mut insert = QueryBuilder::new(
                    "INSERT INTO ratings (generation, player_id, family, mean, deviation, games, rated_at, points, \
                     provisional) ",
                );
                insert.push_values(ratings, |mut row, rating| {
                    row.push_bind(batch.generation).push_bind(rating.player_id);
                    row.push_bind(rating.family.as_str()).push_bind(rating.mean);
                    row.push_bind(rating.deviation).push_bind(rating.games).push_bind(rating.rated_at);
                    row.push_bind(rating.points).push_bind(rating.provisional);
                });
                insert.push(
                    " ON CONFLICT (generation, player_id, family) DO UPDATE SET mean = excluded.mean, \
                     deviation = excluded.deviation, games = excluded.games, rated_at = excluded.rated_at, \
                     points = excluded.points, provisional = excluded.provisional",
                );
                insert.build().persistent(false).execute(&mut *transaction).await?;
            }
            for changes in batch.changes.chunks(ROWS) {
                let mut insert = QueryBuilder::new(
                    "INSERT INTO rating_changes (generation, player_id, family, number, game_id, rated_at, place, \
                     players, mean_before, deviation_before, mean, deviation) ",
                );
                insert.push_values(changes, |mut row, change| {
                    row.push_bind(batch.generation).push_bind(change.player_id);
                    row.push_bind(change.family.as_str()).push_bind(change.number);
                    row.push_bind(change.game_id).push_bind(change.rated_at).push_bind(change.place);
                    row.push_bind(change.players).push_bind(change.mean_before);
                    row.push_bind(change.deviation_before).push_bind(change.mean);
                    row.push_bind(change.deviation);
                });
                insert.build().persistent(false).execute(&mut *transaction).await?;
            }
            for statistics in batch.statistics.chunks(ROWS) {
                let mut insert = QueryBuilder::new(
                    "INSERT INTO statistics (generation, player_id, period, preset, kind, games, wins, deals, \
                     deals_won, rummies, points, timeouts, streak, longest_streak) ",
                );
                insert.push_values(statistics, |mut row, sums| {
                    row.push_bind(batch.generation).push_bind(sums.player_id);
                    row.push_bind(sums.period.as_str()).push_bind(sums.preset.as_str());
                    row.push_bind(sums.kind).push_bind(sums.games).push_bind(sums.wins);
                    row.push_bind(sums.deals).push_bind(sums.deals_won).push_bind(sums.rummies);
                    row.push_bind(sums.points).push_bind(sums.timeouts).push_bind(sums.streak);
                    row.push_bind(sums.longest_streak);
                });
                insert.push(
                    " ON CONFLICT (generation, player_id, period, preset, kind) DO UPDATE SET \
                     games = excluded.games, wins = excluded.wins, deals = excluded.deals, \
                     deals_won = excluded.deals_won, rummies = excluded.rummies, points = excluded.points, \
                     timeouts = excluded.timeouts, streak = excluded.streak, \
                     longest_streak = excluded.longest_streak",
                );
                insert.build().persistent(false).execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok::<bool, sqlx::Error>(true)
        }
    };
}

/// Shows a generation on a connection of either database; whether it was still being made.
macro_rules! show {
    ($connection:expr, $generation:expr) => {
        async {
            let mut transaction = $connection.begin().await?;
            sqlx::query(RETIRE).bind($generation).execute(&mut *transaction).await?;
            let shown = sqlx::query(SHOW).bind($generation).execute(&mut *transaction).await?.rows_affected();
            if shown == 0 {
                return Ok(false);
            }
            transaction.commit().await?;
            Ok::<bool, sqlx::Error>(true)
        }
    };
}

/// The condition is on the row alone: PostgreSQL judges it anew when it has waited for another's transaction.
const ADVANCE: &str = "UPDATE standings SET cursor = $3, stale = (stale OR $4) \
     WHERE generation = $1 AND cursor = $2 AND state <> 2";

const RETIRE: &str = "UPDATE standings SET state = 2 WHERE generation < $1 AND state <> 2";

const SHOW: &str = "UPDATE standings SET state = 1 WHERE generation = $1 AND state = 0";

impl Store {
    /// The generation that is shown, and the newest one that is being made after it, if there is one.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn standings(&self) -> Result<(Generation, Option<Generation>), StoreError> {
        const STANDINGS: &str = "SELECT generation, cursor, stale, state FROM standings WHERE state <> 2 ORDER BY generation DESC";
        let rows: Vec<(i32, String, bool, i16)> =
            query!(self, readers, |pool| sqlx::query_as(STANDINGS).fetch_all(pool))?;
        let (mut shown, mut made) = (None, None);
        for (number, cursor, stale, state) in rows {
            let cursor = cursor.parse().map_err(|error| sqlx::Error::ColumnDecode {
                index: "cursor".into(),
                source: Box::<super::CursorError>::new(error),
            })?;
            let generation = Generation { number, cursor, stale };
            match state {
                1 => shown = Some(generation),
                _ if made.is_none() => made = Some(generation),
                _ => {}
            }
        }
        Ok((shown.ok_or(sqlx::Error::RowNotFound)?, made))
    }

    /// Begins a generation, newer than all, of which nothing is counted yet.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn begin_standings(&self) -> Result<Generation, StoreError> {
        const BEGIN: &str = "INSERT INTO standings (generation, cursor, state) \
             SELECT max(generation) + 1, $1, 0 FROM standings WHERE true ON CONFLICT DO NOTHING";
        const NEWEST: &str = "SELECT max(generation) FROM standings WHERE state = 0";
        let start = Cursor::START.to_string();
        let begun: Result<i32, sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(BEGIN).bind(&start).execute(pool).await?;
            sqlx::query_scalar(NEWEST).fetch_one(pool).await
        });
        // If another one was begun at the same time, it is as good.
        Ok(Generation { number: begun?, cursor: Cursor::START, stale: false })
    }

    /// Writes what a stretch of the feed comes to; whether it was written, which it isn't if the generation's cursor isn't
    /// where the stretch begins, or the generation isn't to be shown any more.
    ///
    /// # Errors
    /// The database is unavailable or damaged. Nothing was written, unless it is [`StoreError::Unavailable`]: then the
    /// cursor tells.
    pub async fn commit_standings(&self, batch: &StandingsBatch) -> Result<bool, StoreError> {
        let written = match &self.database {
            Database::Postgres(Postgres { pool, .. }) => {
                let mut connection = pool.acquire().await?;
                write_batch!(connection, batch).await
            }
            Database::Sqlite(Sqlite { writer, .. }) => {
                let mut connection = writer.acquire().await?;
                let written = write_batch!(connection, batch).await;
                keep_if_sound(connection, written).await
            }
        };
        Ok(written?)
    }

    /// Shows a generation instead of the one before; whether it is shown, which it isn't if a newer one is.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn show_standings(&self, generation: i32) -> Result<bool, StoreError> {
        let shown = match &self.database {
            Database::Postgres(Postgres { pool, .. }) => {
                let mut connection = pool.acquire().await?;
                show!(connection, generation).await
            }
            Database::Sqlite(Sqlite { writer, .. }) => {
                let mut connection = writer.acquire().await?;
                let shown = show!(connection, generation).await;
                keep_if_sound(connection, shown).await
            }
        };
        Ok(shown?)
    }

    /// Those of the games that a generation has counted, each with the number of what it is counted as.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn counted_games(
        &self,
        generation: i32,
        games: &[GameId],
    ) -> Result<Vec<(GameId, i16)>, StoreError> {
        if games.is_empty() {
            return Ok(Vec::new());
        }
        let counted: Result<_, sqlx::Error> = query!(self, readers, |pool| async {
            let mut select =
                QueryBuilder::new("SELECT game_id, counted_as FROM counted_games WHERE generation = ");
            select.push_bind(generation).push(" AND game_id IN (");
            let mut ids = select.separated(", ");
            games.iter().for_each(|game| {
                ids.push_bind(*game);
            });
            select.push(")");
            select.build_query_as().persistent(false).fetch_all(pool).await
        });
        Ok(counted?)
    }

    /// What a game is counted as in what is shown; `None` if it isn't counted yet.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn counted_as(&self, game: GameId) -> Result<Option<i16>, StoreError> {
        const COUNTED: &str = concat!(
            "SELECT counted_as FROM counted_games WHERE generation = ",
            shown!(),
            " AND game_id = $1"
        );
        Ok(query!(self, readers, |pool| sqlx::query_scalar(COUNTED).bind(game).fetch_optional(pool))?)
    }

    /// How many games are counted in what is shown.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn count_games(&self) -> Result<u64, StoreError> {
        const COUNT: &str = concat!("SELECT count(*) FROM counted_games WHERE generation = ", shown!());
        let games: i64 = query!(self, readers, |pool| sqlx::query_scalar(COUNT).fetch_one(pool))?;
        Ok(games.unsigned_abs())
    }

    /// Forgets the generations that aren't shown any more, and says how many rows went.
    ///
    /// # Errors
    /// The database is unavailable or damaged; it is to be done again.
    pub async fn sweep_standings(&self) -> Result<u64, StoreError> {
        // The generations themselves go last: as long as they are there, their rows are looked for.
        let mut swept = 0;
        for sql in SWEEPS {
            loop {
                let rows: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
                    Ok(sqlx::query(sql).bind(SWEEP).execute(pool).await?.rows_affected())
                });
                let rows = rows?;
                swept += rows;
                if rows < SWEEP as u64 {
                    break;
                }
            }
        }
        Ok(swept)
    }
}

macro_rules! sweep {
    ($table:literal, $key:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE (",
            $key,
            ") IN (SELECT ",
            $key,
            " FROM ",
            $table,
            " WHERE generation IN (SELECT generation FROM standings WHERE state = 2) LIMIT $1)"
        )
    };
}

const SWEEPS: [&str; 5] = [
    sweep!("counted_games", "generation, game_id"),
    sweep!("ratings", "generation, player_id, family"),
    sweep!("rating_changes", "generation, player_id, family, number"),
    sweep!("statistics", "generation, player_id, period, preset, kind"),
    // Alone it may be gone even if a row has come since: nobody writes to a generation that isn't shown any more.
    "DELETE FROM standings WHERE generation IN (SELECT generation FROM standings WHERE state = 2 LIMIT $1)",
];
