//! What the clock works with: when games need it, which instance looks after them, and when nobody did.

use std::time::Duration;

use sqlx::{FromRow, Row, postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

use super::{Database, GameId, Millis, Store, StoreError, query};

/// How many shards the games are in; see [`GameId::shard`].
pub const SHARDS: usize = 256;

/// What a move changes in when its game next needs the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmChange {
    /// At this time, unless something happens before.
    At(Millis),
    /// Not any more.
    Off,
}

/// A game that needs the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// The game.
    pub game: GameId,
    /// When.
    pub at: Millis,
    /// When the move was made that set it.
    pub set_at: Millis,
}

/// How long an instance may be silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTerms {
    /// After this silence others take its shards over.
    pub lapse: Duration,
    /// A longer time in which nobody looked after a shard is kept as an [`Outage`].
    pub outage: Duration,
}

/// A shard that an instance looks after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The shard.
    pub shard: u8,
    /// It was taken over just now, or nobody had looked after it for a while.
    pub news: bool,
}

/// A time in which nobody looked after a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// The shard.
    pub shard: u8,
    /// The last heartbeat before it.
    pub began: Millis,
    /// The first one after it.
    pub ended: Millis,
}

/// Which alarms to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlarmFilter<'a> {
    /// Those of games in these shards
    pub shards: &'a [u8],
    /// that are set for a time up to this one,
    pub until: Millis,
    /// by a move before this time, if given.
    pub set_before: Option<Millis>,
    /// At most so many, the earliest first.
    pub limit: u32,
}

impl GameId {
    /// The shard that the game is in: its id's last byte, which is random.
    pub fn shard(&self) -> u8 {
        self.0.as_bytes()[15]
    }
}

impl Store {
    /// An instance's heartbeat: keeps its shards, takes over those that nobody looks after, gives back what is more
    /// than its share, and keeps the outages that it finds. Answers with all that it has now. Two instances may both
    /// believe for a moment that they have a shard.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn beat(&self, instance: Uuid, terms: LeaseTerms) -> Result<Vec<Lease>, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.beat(instance, terms).await,
            Database::Sqlite(sqlite) => sqlite.beat(instance, terms).await,
        }
    }

    /// When a game next needs the clock.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn alarm(&self, game: GameId) -> Result<Option<Millis>, StoreError> {
        const ALARM: &str = "SELECT at FROM alarms WHERE game_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(ALARM).bind(game).fetch_optional(pool))?)
    }

    /// Puts off to a later time what a move made at `set_at` has set, if no other move has since.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn put_alarm_off(&self, game: GameId, set_at: Millis, at: Millis) -> Result<(), StoreError> {
        const PUT_OFF: &str = "UPDATE alarms SET at = $3 WHERE game_id = $1 AND set_at = $2 AND at < $3";
        let put_off: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(PUT_OFF).bind(game).bind(set_at).bind(at).execute(pool).await.map(drop)
        });
        Ok(put_off?)
    }

    /// Gives all shards of an instance back.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn release(&self, instance: Uuid) -> Result<(), StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.release(instance).await,
            Database::Sqlite(sqlite) => sqlite.release(instance).await,
        }
    }

    /// The outages of some shards, by shard and time.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn outages(&self, shards: &[u8]) -> Result<Vec<Outage>, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.outages(shards).await,
            Database::Sqlite(sqlite) => sqlite.outages(shards).await,
        }
    }

    /// Forgets the outages that no alarm is older than: nobody lost time to them any more. Says how many.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn forget_outages(&self) -> Result<u64, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.forget_outages().await,
            Database::Sqlite(sqlite) => sqlite.forget_outages().await,
        }
    }

    /// The alarms that a filter lets through, the earliest first.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn alarms(&self, filter: AlarmFilter<'_>) -> Result<Vec<Alarm>, StoreError> {
        match &self.database {
            Database::Postgres(postgres) => postgres.alarms(filter).await,
            Database::Sqlite(sqlite) => sqlite.alarms(filter).await,
        }
    }
}

/// A duration as the databases reckon.
pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

pub(super) const FORGET_OUTAGES: &str = "DELETE FROM outages WHERE NOT EXISTS \
     (SELECT 1 FROM alarms WHERE alarms.shard = outages.shard AND alarms.set_at < outages.ended)";

fn shard(value: i16) -> sqlx::Result<u8> {
    u8::try_from(value)
        .map_err(|error| sqlx::Error::ColumnDecode { index: "shard".into(), source: Box::new(error) })
}

macro_rules! from_rows {
    ($row:ty) => {
        impl FromRow<'_, $row> for Alarm {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self {
                    game: row.try_get("game_id")?,
                    at: row.try_get("at")?,
                    set_at: row.try_get("set_at")?,
                })
            }
        }

        impl FromRow<'_, $row> for Outage {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self {
                    shard: shard(row.try_get("shard")?)?,
                    began: row.try_get("began")?,
                    ended: row.try_get("ended")?,
                })
            }
        }

        impl FromRow<'_, $row> for Lease {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self { shard: shard(row.try_get("shard")?)?, news: row.try_get("news")? })
            }
        }
    };
}

from_rows!(PgRow);
from_rows!(SqliteRow);
