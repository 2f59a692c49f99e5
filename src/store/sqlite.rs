//! The log in an SQLite file, which one process has for itself: one connection writes, several read.

mod append;
mod clocks;

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::json;
use sqlx::{
    FromRow, Row, SqlitePool,
    pool::PoolConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous},
};
use uuid::Uuid;

use super::{
    Cursor, ListFilter, Millis, Move, OpenError, Page, Player, StoreError, StoreOptions, Summary,
    error::Trouble,
    player::player_columns,
    rows::{move_columns, summary_columns},
};
pub(super) use append::SqliteSink;

/// How many old requests go at once, so that moves needn't wait long for the one writer.
const SWEEP: i64 = 1000;

pub(super) struct Sqlite {
    pub(super) readers: SqlitePool,
    /// Of one connection.
    pub(super) writer: SqlitePool,
    /// Held as long as the file is open to write; the system releases it when the process dies.
    lock: Option<File>,
}

/// How many rows the thread that reads may be ahead of whoever takes them: a whole game, so that they don't wake each
/// other in turns.
const ROWS_AHEAD: usize = 1024;

fn connect_options(path: &Path) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new().filename(path);
    let options = options.busy_timeout(Duration::from_secs(5)).row_buffer_size(ROWS_AHEAD);
    // What is deleted is overwritten: erased names and words aren't left in the file.
    options.pragma("secure_delete", "on")
}

impl Sqlite {
    pub(super) async fn open(path: &Path, options: &StoreOptions) -> Result<Self, OpenError> {
        let lock = Some(lock(path)?);
        let connect = connect_options(path)
            .journal_mode(SqliteJournalMode::Wal)
            // FULL: a commit returns when it is on disk; fullfsync asks macOS to mean it.
            .synchronous(SqliteSynchronous::Full)
            .pragma("fullfsync", "on");
        let one = SqlitePoolOptions::new().max_connections(1);
        let writer = one.connect_with(connect.clone().create_if_missing(true)).await?;
        sqlx::migrate!("migrations/sqlite").run(&writer).await?;
        let many = SqlitePoolOptions::new().max_connections(options.readers.max(1));
        let readers = many.connect_with(connect.read_only(true)).await?;
        Ok(Self { readers, writer, lock })
    }

    /// Beside the process that has the lock, which takes turns with this one at writing.
    pub(super) async fn open_beside(path: &Path, options: &StoreOptions) -> Result<Self, OpenError> {
        let connect = connect_options(path).synchronous(SqliteSynchronous::Full).pragma("fullfsync", "on");
        let one = SqlitePoolOptions::new().max_connections(1);
        let writer = one.connect_with(connect.clone()).await?;
        let many = SqlitePoolOptions::new().max_connections(options.readers.max(1));
        let readers = many.connect_with(connect.read_only(true)).await?;
        Ok(Self { readers, writer, lock: None })
    }

    /// Beside the process that writes; what is appended is refused by the database.
    pub(super) async fn open_to_read(path: &Path, options: &StoreOptions) -> Result<Self, OpenError> {
        let many = SqlitePoolOptions::new().max_connections(options.readers.max(1));
        let readers = many.connect_with(connect_options(path).read_only(true)).await?;
        Ok(Self { writer: readers.clone(), readers, lock: None })
    }

    pub(super) fn sink(&self) -> SqliteSink {
        SqliteSink::new(self.writer.clone())
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        // Last, as the last connection to close tidies up the write-ahead log, which a reader can't.
        self.writer.close().await;
        // Nothing to do if it fails: then it goes with the process.
        let _ = self.lock.as_ref().map(File::unlock);
    }

    pub(super) async fn feed(
        &self,
        after: &Cursor,
        limit: u32,
    ) -> Result<(Vec<(Move, Cursor)>, Cursor), StoreError> {
        let epoch = self.epoch().await?;
        if after.epoch.is_some_and(|other| other != epoch) {
            return Err(StoreError::OtherEpoch);
        }
        let sql = concat!(
            "SELECT position, ",
            move_columns!(),
            " FROM moves WHERE position > $1 ORDER BY position LIMIT $2"
        );
        let rows: Vec<SqliteRow> =
            sqlx::query(sql).bind(after.tx).bind(limit.max(1)).fetch_all(&self.readers).await?;
        let placed = |row: &SqliteRow| {
            let place = Cursor::before(epoch, row.try_get("position")?);
            Ok((Move::from_row(row)?, place))
        };
        let moves = rows.iter().map(placed).collect::<sqlx::Result<Vec<_>>>()?;
        let end = moves.last().map_or(Cursor::before(epoch, after.tx), |(_, place)| *place);
        Ok((moves, end))
    }

    pub(super) async fn feed_end(&self) -> Result<Cursor, StoreError> {
        let epoch = self.epoch().await?;
        let sql = "SELECT coalesce(max(position), 0) FROM moves";
        Ok(Cursor::before(epoch, sqlx::query_scalar(sql).fetch_one(&self.readers).await?))
    }

    async fn epoch(&self) -> Result<Uuid, StoreError> {
        Ok(sqlx::query_scalar("SELECT epoch FROM meta").fetch_one(&self.readers).await?)
    }

    pub(super) async fn renew_epoch(&self) -> Result<(), StoreError> {
        sqlx::query("UPDATE meta SET epoch = randomblob(16)").execute(&self.writer).await?;
        Ok(())
    }

    pub(super) async fn list(&self, filter: &ListFilter, page: Page) -> Result<Vec<Summary>, StoreError> {
        let sql = if filter.mine_only { MINE } else { VISIBLE };
        let statuses = (!filter.statuses.is_empty()).then(|| json!(filter.statuses).to_string());
        // No id is above the greatest one.
        let below = page.token.map_or(Uuid::max(), |token| token.0.0);
        Ok(sqlx::query_as(sql)
            .bind(filter.viewer)
            .bind(below)
            .bind(statuses)
            .bind(filter.preset.as_deref())
            .bind(page.rows() + 1)
            .bind(filter.now)
            .fetch_all(&self.readers)
            .await?)
    }

    pub(super) async fn players(&self, ids: &[Uuid]) -> Result<Vec<Player>, StoreError> {
        let sql = concat!(
            "SELECT ",
            player_columns!(),
            " FROM players WHERE id IN (SELECT unhex(value) FROM json_each($1))"
        );
        let ids: Vec<_> = ids.iter().map(|id| id.simple().to_string()).collect();
        Ok(sqlx::query_as(sql).bind(json!(ids).to_string()).fetch_all(&self.readers).await?)
    }

    pub(super) async fn sweep_requests(&self, older_than: Millis) -> Result<u64, StoreError> {
        let sql =
            "DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests WHERE made_at < $1 LIMIT $2)";
        let mut swept = 0;
        loop {
            let query = sqlx::query(sql).bind(older_than).bind(SWEEP);
            let rows = query.execute(&self.writer).await?.rows_affected();
            swept += rows;
            if rows < SWEEP as u64 {
                return Ok(swept);
            }
        }
    }

    /// SQLite runs in this process, so its clock is the system's.
    pub(super) fn now(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// Gives the writer's connection back after a transaction, or closes it after anything unexpected: on a full disk or the
/// like SQLite undoes a transaction by itself, and the connection doesn't know, so that every later transaction on it
/// would fail. The pool opens another one.
pub(super) async fn keep_if_sound<T>(
    connection: PoolConnection<sqlx::Sqlite>,
    written: sqlx::Result<T>,
) -> sqlx::Result<T> {
    if let Err(error) = &written
        && !matches!(Trouble::of(error), Trouble::Again | Trouble::Data)
    {
        let _ = connection.close().await;
    }
    written
}

/// Makes the folder, and takes the lock file next to the database. It stays there for ever: deleting it would let two
/// processes lock two different files of the same name.
fn lock(path: &Path) -> Result<File, OpenError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|source| OpenError::File { path: folder.to_owned(), source })?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let file = File::options().create(true).truncate(false).write(true).open(&name);
    let file = file.map_err(|source| OpenError::File { path: name.clone(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(OpenError::File { path: name, source }),
    }
}

macro_rules! filters {
    () => {
        "games.game_id < $2 AND ($3 IS NULL OR games.status IN (SELECT value FROM json_each($3)) \
         OR games.settles_at > $6) AND ($4 IS NULL OR games.preset = $4)"
    };
}

macro_rules! mine {
    ($columns:expr) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM game_players JOIN games USING (game_id) WHERE game_players.player_id = $1 AND ",
            filters!(),
            " ORDER BY games.game_id DESC LIMIT $5"
        )
    };
}

const MINE: &str = mine!(summary_columns!());

/// Two short ordered reads rather than one `OR`, which no index serves.
const VISIBLE: &str = concat!(
    "SELECT ",
    summary_columns!(),
    " FROM games WHERE game_id IN (SELECT * FROM (SELECT games.game_id FROM games WHERE listed AND ",
    filters!(),
    " ORDER BY games.game_id DESC LIMIT $5) UNION SELECT * FROM (",
    mine!("games.game_id"),
    ")) ORDER BY games.game_id DESC LIMIT $5"
);
