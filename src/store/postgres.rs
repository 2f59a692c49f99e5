//! The log on PostgreSQL (13 or later), which several instances may share.

mod append;
mod clocks;
mod feed;

use std::{
    io,
    str::FromStr,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use sqlx::{
    Connection, Executor, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::time::timeout;
use uuid::Uuid;

use super::{
    ListFilter, Millis, OpenError, Page, Player, StoreError, StoreOptions, Summary, player::player_columns,
    rows::summary_columns,
};
pub(super) use append::PgSink;

/// Every session says so itself, whatever the server's, the database's or the role's default is: an answer after the
/// commit means that the commit is on disk. A statement that hangs (on a lock, say) mustn't hold its writer for ever.
///
/// The rest is for the planner: every statement has its indexes and touches few rows, which it doesn't see as long as
/// a new table has no statistics; compiling and parallel workers cost more than they give.
const SESSION: &str = "SET synchronous_commit = on; SET statement_timeout = '10s'; SET enable_seqscan = off; \
     SET jit = off; SET max_parallel_workers_per_gather = 0";

/// How long to wait for an answer when the network went silent: a little longer than the server's own limit for a
/// statement.
const PATIENCE: Duration = Duration::from_secs(12);

/// How long a reader waits for a connection: a server that is down is told of while the client still listens.
const CONNECT: Duration = Duration::from_secs(3);

pub(super) struct Postgres {
    pub(super) pool: PgPool,
    /// Moves that the feed's readers read since its index was brought up to date.
    read: AtomicUsize,
}

impl Postgres {
    pub(super) async fn open(url: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let connect = PgConnectOptions::from_str(url)
            .map_err(|error| OpenError::Url(Some(Arc::new(error))))?
            .application_name("remik");
        migrate(&connect).await?;
        let pool = PgPoolOptions::new()
            .max_connections(options.readers.max(1))
            .acquire_timeout(CONNECT)
            .after_connect(|connection, _| {
                Box::pin(async move { connection.execute(SESSION).await.map(drop) })
            })
            .connect_with(connect)
            .await?;
        Ok(Self { pool, read: AtomicUsize::new(0) })
    }

    /// The writer tasks' connections.
    pub(super) fn sinks(&self, count: usize) -> Vec<PgSink> {
        (0..count.max(1)).map(|_| PgSink::new(self.pool.connect_options())).collect()
    }

    pub(super) async fn renew_epoch(&self) -> Result<(), StoreError> {
        sqlx::query(RENEW_EPOCH).execute(&self.pool).await?;
        Ok(())
    }

    pub(super) async fn list(&self, filter: &ListFilter, page: Page) -> Result<Vec<Summary>, StoreError> {
        let sql = if filter.mine_only { MINE } else { VISIBLE };
        let statuses = (!filter.statuses.is_empty()).then_some(&filter.statuses[..]);
        // No id is above the greatest one.
        let below = page.token.map_or(Uuid::max(), |token| token.0.0);
        Ok(sqlx::query_as(sql)
            .bind(filter.viewer)
            .bind(below)
            .bind(statuses)
            .bind(filter.preset.as_deref())
            .bind(i64::from(page.rows()) + 1)
            .bind(filter.now)
            .fetch_all(&self.pool)
            .await?)
    }

    pub(super) async fn players(&self, ids: &[Uuid]) -> Result<Vec<Player>, StoreError> {
        let sql = concat!("SELECT ", player_columns!(), " FROM players WHERE id = ANY($1)");
        Ok(sqlx::query_as(sql).bind(ids).fetch_all(&self.pool).await?)
    }

    pub(super) async fn sweep_requests(&self, older_than: Millis) -> Result<u64, StoreError> {
        let sql = "DELETE FROM requests WHERE made_at < $1";
        Ok(sqlx::query(sql).bind(older_than).execute(&self.pool).await?.rows_affected())
    }

    pub(super) async fn now(&self) -> Result<Millis, StoreError> {
        let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        Ok(sqlx::query_scalar(sql).fetch_one(&self.pool).await?)
    }
}

/// Lifts the ids of transactions to come above all in the log, and starts a new epoch.
const RENEW_EPOCH: &str = "UPDATE meta SET epoch = gen_random_uuid(), \
     cluster = (SELECT system_identifier FROM pg_control_system()), \
     tx_base = greatest(tx_base, (SELECT max(tx) FROM moves))";

macro_rules! filters {
    () => {
        "games.game_id < $2 AND ($3::smallint[] IS NULL OR games.status = ANY($3) OR games.settles_at > $6) \
         AND ($4::text IS NULL OR games.preset = $4)"
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
    " FROM games WHERE game_id IN ((SELECT games.game_id FROM games WHERE listed AND ",
    filters!(),
    " ORDER BY games.game_id DESC LIMIT $5) UNION (",
    mine!("games.game_id"),
    ")) ORDER BY games.game_id DESC LIMIT $5"
);

/// Brings the tables up to date, on a connection without a time limit; instances that start together take turns.
async fn migrate(connect: &PgConnectOptions) -> Result<(), OpenError> {
    let mut connection = connect_in_time(connect).await?;
    sqlx::migrate!("migrations/postgres").run(&mut connection).await?;
    let mut transaction = connection.begin().await?;
    let moved = "SELECT cluster <> (SELECT system_identifier FROM pg_control_system()) FROM meta FOR UPDATE";
    if sqlx::query_scalar(moved).fetch_one(&mut *transaction).await? {
        sqlx::query(RENEW_EPOCH).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(connection.close().await?)
}

async fn connect_in_time(connect: &PgConnectOptions) -> sqlx::Result<PgConnection> {
    timeout(CONNECT, PgConnection::connect_with(connect)).await.unwrap_or_else(|_| Err(timed_out()))
}

fn timed_out() -> sqlx::Error {
    sqlx::Error::Io(io::ErrorKind::TimedOut.into())
}
