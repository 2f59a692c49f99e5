//! The durable log: every move of every game, and what must change together with it. It never decides a rule, and
//! knows nothing of cards: events, answers and details are bytes to it.
//!
//! An SQLite file serves one process, a PostgreSQL database several instances. Both keep the same promises:
//! * an append returns after its commit is on disk;
//! * the key `(game, number)` lets one of two writers win, and numbers have no gaps;
//! * a move, its summary and its kept answer are written together or not at all;
//! * the [feed](Store::feed) shows every move once, in an order in which none is ever added behind a reader.

mod audit;
mod ban;
mod block;
mod chat;
mod clocks;
mod cursor;
mod delivery;
mod duty;
mod erasure;
mod error;
mod find;
mod held;
mod invitation;
mod key;
mod leaderboard;
mod matches;
mod moves;
mod mute;
mod player;
mod postgres;
mod rating;
mod replay;
mod request;
mod revocation;
mod rows;
mod sqlite;
mod standings;
mod statistics;
mod summary;
mod ticket;
mod ticket_change;
mod token;
mod transaction;
mod webhook;
mod writer;

pub use audit::{Act, AuditEntry, AuditFilter};
pub use ban::Ban;
pub use block::Block;
pub use chat::{ChatLine, NewLine};
pub use clocks::{Alarm, AlarmChange, AlarmFilter, Lease, LeaseTerms, Outage, SHARDS};
pub use cursor::{Cursor, CursorError};
pub use delivery::{AfterAttempt, Attempt, Delivery, DeliveryState, NewDelivery};
pub use erasure::Erasure;
pub use error::{AppendError, Cause, OpenError, Rejection, StoreError};
pub use find::{FoundGame, FoundPlayer, GameFilter, PlayerFilter};
pub use held::{ImportedGame, KeptRequest, Session};
pub use invitation::{Invitation, InvitationPlace};
pub use key::Key;
pub use leaderboard::{Board, BoardPlace, BoardRow, Figure};
pub use matches::{Claim, MatchRow, MatchState};
pub use moves::{Append, GameId, Millis, Move};
pub use mute::Mute;
pub use player::Player;
pub use rating::{RatingChange, RatingRow};
pub use replay::{Access, Import, Search};
pub use request::Request;
pub use standings::{Generation, StandingsBatch};
pub use statistics::StatisticsRow;
pub use summary::{ListFilter, Page, PageToken, PageTokenError, Summary};
pub use ticket::{TicketFilter, TicketPlayer, TicketRow, TicketState};
pub use ticket_change::{TicketChange, TicketOutcome};
pub use token::Token;
pub use webhook::Webhook;

use std::path::Path;

use postgres::Postgres;
use rows::{move_columns, summary_columns};
use sqlite::Sqlite;
use transaction::{transaction, undoable};
use uuid::Uuid;
use writer::Writers;

/// How much of the database to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Connections that read, at least 1.
    pub readers: u32,
    /// Connections that write to PostgreSQL, at least 1; SQLite has one.
    pub writers: usize,
    /// How many appends may wait for each writer before further ones are [refused](AppendError::Overloaded).
    pub queue: usize,
    /// How many appends are committed together at most.
    pub batch: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { readers: 8, writers: 3, queue: 4096, batch: 500 }
    }
}

/// The log of all games.
pub struct Store {
    database: Database,
    writers: Writers,
}

enum Database {
    Postgres(Postgres),
    Sqlite(Sqlite),
}

/// The same query on either database; SQLite has one pool for `readers` and one for the `writer`.
macro_rules! query {
    ($store:expr, $sqlite_pool:ident, |$pool:ident| $query:expr) => {
        match &$store.database {
            $crate::store::Database::Postgres($crate::store::Postgres { pool: $pool, .. }) => $query.await,
            $crate::store::Database::Sqlite($crate::store::Sqlite { $sqlite_pool: $pool, .. }) => {
                $query.await
            }
        }
    };
}
use query;

impl Store {
    /// Opens the database that `url` names, `sqlite:PATH` or `postgres://USER@HOST/NAME`, and brings its tables up to
    /// date. The SQLite file and its folder are made if need be.
    ///
    /// # Errors
    /// An unknown kind of URL, an SQLite file that is in use, or a database that can't be reached or migrated.
    pub async fn open(url: &str, options: StoreOptions) -> Result<Self, OpenError> {
        if let Some(path) = sqlite_path(url)? {
            let sqlite = Sqlite::open(path, &options).await?;
            let writers = Writers::start(vec![sqlite.sink()], options.queue, options.batch);
            return Ok(Self { database: Database::Sqlite(sqlite), writers });
        }
        if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
            return Err(OpenError::Url(None));
        }
        let postgres = Postgres::open(url, &options).await?;
        let writers = Writers::start(postgres.sinks(options.writers), options.queue, options.batch);
        Ok(Self { database: Database::Postgres(postgres), writers })
    }

    /// Opens the database to read what is there, also beside the process that has an SQLite file for itself. Its
    /// tables must be up to date.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub async fn open_to_read(url: &str, options: StoreOptions) -> Result<Self, OpenError> {
        let Some(path) = sqlite_path(url)? else { return Self::open(url, options).await };
        let sqlite = Sqlite::open_to_read(path, &options).await?;
        let writers = Writers::start(vec![sqlite.sink()], options.queue, options.batch);
        Ok(Self { database: Database::Sqlite(sqlite), writers })
    }

    /// Opens the database to change something besides the games, such as API keys: also beside the process that has an
    /// SQLite file for itself, which has brought its tables up to date. Nothing may be appended.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub async fn open_beside(url: &str, options: StoreOptions) -> Result<Self, OpenError> {
        match (Self::open(url, options.clone()).await, sqlite_path(url)?) {
            (Err(OpenError::InUse { .. }), Some(path)) => {
                let sqlite = Sqlite::open_beside(path, &options).await?;
                let writers = Writers::start(vec![sqlite.sink()], options.queue, options.batch);
                Ok(Self { database: Database::Sqlite(sqlite), writers })
            }
            (opened, _) => opened,
        }
    }

    /// Whether other instances can write to the same database.
    pub fn is_shared(&self) -> bool {
        matches!(self.database, Database::Postgres(_))
    }

    /// Writes a move, and returns after the commit. A move may be appended when the one before it was acknowledged or
    /// read. Once called, the append is carried out even if the caller stops waiting.
    ///
    /// # Errors
    /// See [`AppendError`]; except after [`AppendError::Unknown`] nothing was written.
    pub async fn append(&self, append: Append) -> Result<(), AppendError> {
        check(&append).map_err(AppendError::Rejected)?;
        self.writers.append(append).await
    }

    /// The moves of a game after number `after`, in order, at most `limit` of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn load(&self, game: GameId, after: u32, limit: Option<u32>) -> Result<Vec<Move>, StoreError> {
        const LOAD: &str = concat!(
            "SELECT ",
            move_columns!(),
            " FROM moves WHERE game_id = $1 AND number > $2 ORDER BY number LIMIT $3"
        );
        let limit = limit.map_or(i64::MAX, i64::from);
        let query = query!(self, readers, |pool| sqlx::query_as(LOAD)
            .bind(game)
            .bind(i64::from(after))
            .bind(limit)
            .fetch_all(pool));
        Ok(query?)
    }

    /// The number of a game's last move; `None` if there is no such game.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn latest(&self, game: GameId) -> Result<Option<u32>, StoreError> {
        const LATEST: &str = "SELECT number FROM moves WHERE game_id = $1 ORDER BY number DESC LIMIT 1";
        let number: Option<i32> =
            query!(self, readers, |pool| sqlx::query_scalar(LATEST).bind(game).fetch_optional(pool))?;
        // Numbers are at least 1.
        Ok(number.map(i32::unsigned_abs))
    }

    /// The move after number `after` that carries this seat's request id, whatever its fingerprint.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn find_request(
        &self,
        game: GameId,
        seat: u8,
        request_id: Uuid,
        after: u32,
    ) -> Result<Option<Move>, StoreError> {
        const FIND: &str = concat!(
            "SELECT ",
            move_columns!(),
            " FROM moves WHERE game_id = $1 AND number > $2 AND request_id = $3 AND seat = $4 ORDER BY number LIMIT 1"
        );
        let found = query!(self, readers, |pool| sqlx::query_as(FIND)
            .bind(game)
            .bind(i64::from(after))
            .bind(request_id)
            .bind(i16::from(seat))
            .fetch_optional(pool));
        Ok(found?)
    }

    /// The next moves of all games after a cursor, at most `limit` (at least 1) of them, each with the cursor after it,
    /// and the cursor after all of them. Each game's moves come in order, and no move ever appears before a cursor that was handed out. A move shows up
    /// when every transaction older than its own is over. The cursor may advance without a move.
    ///
    /// # Errors
    /// [`StoreError::OtherEpoch`], or the database is unavailable or damaged.
    pub async fn feed(
        &self,
        after: &Cursor,
        limit: u32,
    ) -> Result<(Vec<(Move, Cursor)>, Cursor), StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.feed(after, limit).await,
            Database::Sqlite(sqlite) => sqlite.feed(after, limit).await,
        }
    }

    /// A cursor that skips the past: every move committed from now on comes after it, and perhaps some recent ones.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn feed_end(&self) -> Result<Cursor, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.feed_end().await,
            Database::Sqlite(sqlite) => sqlite.feed_end().await,
        }
    }

    /// Makes all cursors invalid. Call it after the database was set back to an older state (a copy of the SQLite
    /// file, a point in time of PostgreSQL), before anything is appended: places of the feed may be given out anew.
    /// A dump restored into another PostgreSQL cluster is noticed by itself.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn renew_epoch(&self) -> Result<(), StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.renew_epoch().await,
            Database::Sqlite(sqlite) => sqlite.renew_epoch().await,
        }
    }

    /// A game's summary.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn summary(&self, game: GameId) -> Result<Option<Summary>, StoreError> {
        const SUMMARY: &str = concat!("SELECT ", summary_columns!(), " FROM games WHERE game_id = $1");
        Ok(query!(self, readers, |pool| sqlx::query_as(SUMMARY).bind(game).fetch_optional(pool))?)
    }

    /// The game that an invite code leads to.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn by_invite(&self, code: &str) -> Result<Option<Summary>, StoreError> {
        const BY_INVITE: &str = concat!("SELECT ", summary_columns!(), " FROM games WHERE invite_code = $1");
        if code.contains('\0') {
            return Ok(None);
        }
        Ok(query!(self, readers, |pool| sqlx::query_as(BY_INVITE).bind(code).fetch_optional(pool))?)
    }

    /// A page of games by descending id, so the newest come first, and the token of the next page if there is one.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn list(
        &self,
        filter: &ListFilter,
        page: Page,
    ) -> Result<(Vec<Summary>, Option<PageToken>), StoreError> {
        if filter.preset.as_ref().is_some_and(|preset| preset.contains('\0')) {
            return Ok((Vec::new(), None));
        }
        // Each reads one row too many, which tells whether there is more.
        let mut summaries = match &self.database {
            Database::Postgres(postgres) => postgres.list(filter, page).await,
            Database::Sqlite(sqlite) => sqlite.list(filter, page).await,
        }?;
        let size = page.rows() as usize;
        let more = summaries.len() > size;
        summaries.truncate(size);
        let token = summaries.last().filter(|_| more).map(|last| PageToken(last.game));
        Ok((summaries, token))
    }

    /// The kept answer to a principal's command.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn request(&self, principal: Uuid, request_id: Uuid) -> Result<Option<Request>, StoreError> {
        const REQUEST: &str = "SELECT principal, request_id, fingerprint, result FROM requests \
             WHERE principal = $1 AND request_id = $2";
        let found = query!(self, readers, |pool| sqlx::query_as(REQUEST)
            .bind(principal)
            .bind(request_id)
            .fetch_optional(pool));
        Ok(found?)
    }

    /// Forgets the kept answers of moves made before a time, and says how many.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sweep_requests(&self, older_than: Millis) -> Result<u64, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.sweep_requests(older_than).await,
            Database::Sqlite(sqlite) => sqlite.sweep_requests(older_than).await,
        }
    }

    /// Those of the players that exist, each once, in no particular order.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn players(&self, ids: &[Uuid]) -> Result<Vec<Player>, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.players(ids).await,
            Database::Sqlite(sqlite) => sqlite.players(ids).await,
        }
    }

    /// The time by the clock that all instances share: the database's.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn now(&self) -> Result<Millis, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.now().await,
            Database::Sqlite(sqlite) => Ok(sqlite.now()),
        }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// It doesn't.
    pub async fn ping(&self) -> Result<(), StoreError> {
        query!(self, readers, |pool| sqlx::query_scalar::<_, i32>("SELECT 1").fetch_one(pool))?;
        Ok(())
    }

    /// Takes no more appends, writes those that wait, and closes the connections. Reads fail from then on.
    pub async fn close(&self) {
        self.writers.close().await;
        match &self.database {
            Database::Postgres(postgres) => postgres.pool.close().await,
            Database::Sqlite(sqlite) => sqlite.close().await,
        }
    }
}

/// The file of an SQLite URL; `None` for another kind of URL.
fn sqlite_path(url: &str) -> Result<Option<&Path>, OpenError> {
    let Some(path) = url.strip_prefix("sqlite:") else { return Ok(None) };
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() || path == ":memory:" {
        return Err(OpenError::Url(None));
    }
    Ok(Some(Path::new(path)))
}

/// What either database would refuse, or worse, wouldn't.
fn check(append: &Append) -> Result<(), Rejection> {
    let Append { mv, summary, .. } = append;
    if mv.number == 0 || i32::try_from(mv.number).is_err() {
        return Err(Rejection::Number(mv.number));
    }
    if let Some(summary) = summary {
        if summary.game != mv.game || summary.version != mv.number {
            return Err(Rejection::OtherSummary);
        }
        if summary.preset.contains('\0')
            || summary.invite_code.as_ref().is_some_and(|code| code.contains('\0'))
        {
            return Err(Rejection::Nul);
        }
    }
    Ok(())
}
