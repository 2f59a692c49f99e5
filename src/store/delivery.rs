//! Events on their way to webhooks. Those of one game are a lane at each webhook: they go one after another.

use std::collections::BTreeSet;

use bytes::Bytes;
use sqlx::{FromRow, Row, postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

use super::{Cursor, GameId, Millis, Store, StoreError, query};

/// How many rows are swept at once, so that moves needn't wait long for SQLite's one writer.
const SWEEP: i64 = 1000;

/// Where a delivery stands; the numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be sent.
    Waiting = 1,
    /// Taken by its receiver.
    Delivered = 2,
    /// Given up.
    Dead = 3,
}

/// An event for a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDelivery {
    /// Its id.
    pub id: Uuid,
    /// The webhook.
    pub webhook: Uuid,
    /// The game that the event is of.
    pub game: GameId,
    /// The event, encoded; the store never looks inside.
    pub event: Bytes,
}

/// An event for a webhook, and what has come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its place: those of one game are in the order of its events.
    pub place: i64,
    /// Its id.
    pub id: Uuid,
    /// The event, encoded.
    pub event: Bytes,
    /// When it was made.
    pub made_at: Millis,
    /// Where it stands.
    pub state: DeliveryState,
    /// How often it was sent.
    pub attempts: u32,
    /// When it was sent last.
    pub attempted_at: Option<Millis>,
    /// Why the last attempt failed, as the writer numbers it; 0 if it hasn't.
    pub failure: i16,
    /// The status of the last answer; 0 if there was none.
    pub status: i16,
}

/// What has come of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When.
    pub at: Millis,
    /// Why it failed, as the writer numbers it; 0 if it hasn't.
    pub failure: i16,
    /// The status of the answer; 0 if there was none.
    pub status: i16,
    /// What is next.
    pub next: AfterAttempt,
}

/// What is next for a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAttempt {
    /// Nothing: it is delivered.
    Delivered,
    /// Another attempt.
    Again(Millis),
    /// Nothing: it is given up.
    Dead,
}

/// The columns of a [`Delivery`].
macro_rules! delivery_columns {
    () => {
        "place, id, event, made_at, state, attempts, attempted_at, failure, status"
    };
}

/// Locks a lane's row, so that what waits in it is known for sure.
const LOCK_LANE: &str = "UPDATE webhook_lanes SET due_at = $3 WHERE webhook_id = $1 AND game_id = $2";

/// Closes a lane in which nothing waits.
const CLOSE_LANE: &str = "DELETE FROM webhook_lanes WHERE webhook_id = $1 AND game_id = $2 AND NOT EXISTS \
     (SELECT 1 FROM webhook_deliveries waiting WHERE waiting.webhook_id = $1 AND waiting.game_id = $2 \
         AND waiting.state = 1)";

/// Opens a lane, or locks it as it is.
const OPEN_LANE: &str = "INSERT INTO webhook_lanes (webhook_id, game_id, due_at) VALUES ($1, $2, $3) \
     ON CONFLICT (webhook_id, game_id) DO UPDATE SET due_at = webhook_lanes.due_at";

impl Store {
    /// Up to where the feed has become deliveries, and the version of that. It is kept with the moves, so it counts in
    /// any epoch.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn webhook_cursor(&self) -> Result<(Cursor, i64), StoreError> {
        const CURSOR: &str = "SELECT cursor, version FROM webhook_feed";
        let (cursor, version): (String, i64) =
            query!(self, readers, |pool| sqlx::query_as(CURSOR).fetch_one(pool))?;
        let cursor: Cursor = cursor.parse().map_err(|error: super::CursorError| {
            sqlx::Error::ColumnDecode { index: "cursor".into(), source: Box::new(error) }
        })?;
        Ok((Cursor { epoch: None, ..cursor }, version))
    }

    /// Moves the cursor of deliveries on and adds those that the feed has brought up to there: all of it, or nothing
    /// if the version isn't the cursor's any more. Whether it was done.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn add_deliveries(
        &self,
        version: i64,
        cursor: &Cursor,
        deliveries: &[NewDelivery],
        now: Millis,
    ) -> Result<bool, StoreError> {
        const MOVE_ON: &str = "UPDATE webhook_feed SET cursor = $1, version = version + 1 WHERE version = $2";
        const ADD: &str = "INSERT INTO webhook_deliveries \
                 (id, webhook_id, game_id, event, made_at, state, attempts, failure, status) \
                 VALUES ($1, $2, $3, $4, $5, 1, 0, 0, 0)";
        // In one order, so that no two transactions wait for each other.
        let lanes: BTreeSet<_> =
            deliveries.iter().map(|delivery| (delivery.webhook, delivery.game)).collect();
        let done: Result<bool, sqlx::Error> = query!(self, writer, |pool| async {
            let mut transaction = pool.begin().await?;
            let moved = sqlx::query(MOVE_ON).bind(cursor.to_string()).bind(version);
            if moved.execute(&mut *transaction).await?.rows_affected() == 0 {
                return Ok(false);
            }
            for delivery in deliveries {
                let add = sqlx::query(ADD).bind(delivery.id).bind(delivery.webhook).bind(delivery.game);
                add.bind(&delivery.event[..]).bind(now).execute(&mut *transaction).await?;
            }
            for (webhook, game) in &lanes {
                let open = sqlx::query(OPEN_LANE).bind(webhook).bind(game).bind(now);
                open.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(true)
        });
        Ok(done?)
    }

    /// The games of which a delivery to a webhook is due, the longest due first, at most `limit` of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn due_lanes(&self, webhook: Uuid, now: Millis, limit: u32) -> Result<Vec<GameId>, StoreError> {
        const DUE: &str = "SELECT game_id FROM webhook_lanes WHERE webhook_id = $1 AND due_at <= $2 \
             ORDER BY due_at LIMIT $3";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(DUE)
            .bind(webhook)
            .bind(now)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// The first delivery that waits in a lane. A lane in which nothing waits is closed.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn first_waiting(&self, webhook: Uuid, game: GameId) -> Result<Option<Delivery>, StoreError> {
        const FIRST: &str = concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries WHERE webhook_id = $1 AND game_id = $2 AND state = 1 ORDER BY place LIMIT 1"
        );
        let first: Option<Delivery> = query!(self, readers, |pool| sqlx::query_as(FIRST)
            .bind(webhook)
            .bind(game)
            .fetch_optional(pool))?;
        if first.is_none() {
            let closed: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
                let mut transaction = pool.begin().await?;
                // Due at once, if there is something after all.
                let lock = sqlx::query(LOCK_LANE).bind(webhook).bind(game).bind(Millis(0));
                lock.execute(&mut *transaction).await?;
                sqlx::query(CLOSE_LANE).bind(webhook).bind(game).execute(&mut *transaction).await?;
                transaction.commit().await
            });
            closed?;
        }
        Ok(first)
    }

    /// Notes what has come of an attempt at the first delivery of a lane; whether another waits there, or it again.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn note_attempt(
        &self,
        webhook: Uuid,
        game: GameId,
        place: i64,
        attempt: &Attempt,
    ) -> Result<bool, StoreError> {
        const NOTE: &str = "UPDATE webhook_deliveries SET state = $2, attempts = attempts + 1, attempted_at = $3, \
                 failure = $4, status = $5 WHERE place = $1 AND state = 1";
        let (state, due_at) = match attempt.next {
            AfterAttempt::Delivered => (DeliveryState::Delivered, attempt.at),
            AfterAttempt::Again(at) => (DeliveryState::Waiting, at),
            AfterAttempt::Dead => (DeliveryState::Dead, attempt.at),
        };
        let open: Result<bool, sqlx::Error> = query!(self, writer, |pool| async {
            let mut transaction = pool.begin().await?;
            let note = sqlx::query(NOTE).bind(place).bind(state as i16).bind(attempt.at);
            note.bind(attempt.failure).bind(attempt.status).execute(&mut *transaction).await?;
            let lock = sqlx::query(LOCK_LANE).bind(webhook).bind(game).bind(due_at);
            lock.execute(&mut *transaction).await?;
            let mut open = true;
            if state != DeliveryState::Waiting {
                let close = sqlx::query(CLOSE_LANE).bind(webhook).bind(game);
                open = close.execute(&mut *transaction).await?.rows_affected() == 0;
            }
            transaction.commit().await?;
            Ok(open)
        });
        Ok(open?)
    }

    /// A webhook's deliveries behind a place, in order, at most `limit` of them; only those in a state if one is given.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn deliveries(
        &self,
        webhook: Uuid,
        state: Option<DeliveryState>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        const DELIVERIES: &str = concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries WHERE webhook_id = $1 AND place > $2 AND state BETWEEN $3 AND $4 \
             ORDER BY place LIMIT $5"
        );
        let (least, most) = state.map_or((1, 3), |state| (state as i16, state as i16));
        Ok(query!(self, readers, |pool| sqlx::query_as(DELIVERIES)
            .bind(webhook)
            .bind(after)
            .bind(least)
            .bind(most)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// Has dead letters of a webhook sent again: one, or the oldest `limit`. How many there were.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn replay_deliveries(
        &self,
        webhook: Uuid,
        id: Option<Uuid>,
        limit: u32,
        now: Millis,
    ) -> Result<u32, StoreError> {
        const REPLAY: &str = "UPDATE webhook_deliveries SET state = 1, attempts = 0, failure = 0, status = 0 \
             WHERE place IN (SELECT place FROM webhook_deliveries dead WHERE dead.webhook_id = $1 AND dead.state = 3 \
                 AND dead.id = coalesce($2, dead.id) ORDER BY place LIMIT $3) AND state = 3 RETURNING game_id";
        let replayed: Result<usize, sqlx::Error> = query!(self, writer, |pool| async {
            let mut transaction = pool.begin().await?;
            let replay = sqlx::query_scalar(REPLAY).bind(webhook).bind(id).bind(i64::from(limit));
            let games: Vec<GameId> = replay.fetch_all(&mut *transaction).await?;
            for game in games.iter().collect::<BTreeSet<_>>() {
                let open = sqlx::query(OPEN_LANE).bind(webhook).bind(game).bind(now);
                open.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(games.len())
        });
        Ok(u32::try_from(replayed?).unwrap_or(u32::MAX))
    }

    /// Forgets deliveries that were made before a time, delivered ones and others, and what belongs to webhooks that
    /// were deleted before a time; says how many deliveries.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sweep_webhooks(
        &self,
        delivered: Millis,
        others: Millis,
        deleted: Millis,
    ) -> Result<u64, StoreError> {
        const OLD: &str = "DELETE FROM webhook_deliveries WHERE place IN (SELECT place FROM webhook_deliveries old \
                 WHERE old.state = $1 AND old.made_at < $2 LIMIT $3)";
        const OF_DELETED: &str = "DELETE FROM webhook_deliveries WHERE place IN (SELECT place FROM webhook_deliveries \
             old JOIN webhooks ON webhooks.id = old.webhook_id WHERE webhooks.deleted_at IS NOT NULL LIMIT $1)";
        const LANES: &str = "DELETE FROM webhook_lanes WHERE webhook_id IN \
             (SELECT id FROM webhooks WHERE deleted_at IS NOT NULL)";
        const DELETED: &str = "DELETE FROM webhooks WHERE deleted_at < $1 AND NOT EXISTS \
             (SELECT 1 FROM webhook_deliveries old WHERE old.webhook_id = webhooks.id)";
        let mut swept = 0;
        let old = [
            (DeliveryState::Waiting, others),
            (DeliveryState::Delivered, delivered),
            (DeliveryState::Dead, others),
        ];
        for (state, before) in old {
            loop {
                let rows: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
                    let old = sqlx::query(OLD).bind(state as i16).bind(before).bind(SWEEP);
                    Ok(old.execute(pool).await?.rows_affected())
                });
                let rows = rows?;
                swept += rows;
                if rows < SWEEP as u64 {
                    break;
                }
            }
        }
        loop {
            let rows: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
                Ok(sqlx::query(OF_DELETED).bind(SWEEP).execute(pool).await?.rows_affected())
            });
            let rows = rows?;
            swept += rows;
            if rows < SWEEP as u64 {
                break;
            }
        }
        let forgotten: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(LANES).execute(pool).await?;
            sqlx::query(DELETED).bind(deleted).execute(pool).await.map(drop)
        });
        forgotten?;
        Ok(swept)
    }
}

macro_rules! from_rows {
    ($row:ty) => {
        impl FromRow<'_, $row> for Delivery {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                let state = match row.try_get::<i16, _>("state")? {
                    1 => DeliveryState::Waiting,
                    2 => DeliveryState::Delivered,
                    3 => DeliveryState::Dead,
                    other => {
                        let source = format!("{other} is no state").into();
                        return Err(sqlx::Error::ColumnDecode { index: "state".into(), source });
                    }
                };
                Ok(Self {
                    place: row.try_get("place")?,
                    id: row.try_get("id")?,
                    event: row.try_get::<Vec<u8>, _>("event")?.into(),
                    made_at: row.try_get("made_at")?,
                    state,
                    // It counts up from 0.
                    attempts: row.try_get::<i32, _>("attempts")?.unsigned_abs(),
                    attempted_at: row.try_get("attempted_at")?,
                    failure: row.try_get("failure")?,
                    status: row.try_get("status")?,
                })
            }
        }
    };
}

from_rows!(PgRow);
from_rows!(SqliteRow);
