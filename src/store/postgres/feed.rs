use std::sync::atomic::Ordering;

use sqlx::{Executor, FromRow, Row, postgres::PgRow};
use uuid::Uuid;

use super::Postgres;
use crate::store::{Cursor, Move, StoreError, rows::move_columns};

/// How many transactions the first look covers; each may hold hundreds of moves. Each further look covers four times
/// as many, so that a reader crosses a long stretch of other programs' transactions in a few steps.
const WINDOW: i64 = 16;

/// After how many moves read the index is brought up to date.
const INDEXED: usize = 4096;

/// The index covers pages only when told to. Autovacuum does so about once a minute; until then each look would read
/// all that was written since, so under load the readers see to it themselves.
const INDEX: &str = "SELECT brin_summarize_new_values('moves_tx')";

/// The row comparison gives the place, the bounds on `tx` alone let the index find it.
const WINDOW_OF_FEED: &str = concat!(
    "SELECT ",
    move_columns!(),
    ", tx FROM moves WHERE tx >= $1 AND tx < $2 AND (tx, game_id, number) > ($1, $3, $4) \
     ORDER BY tx, game_id, number LIMIT $5"
);

/// The epoch and the horizon: every transaction below it is over, so all that they wrote can be seen now, and nothing
/// will ever appear there. A transaction that commits late keeps the horizon below itself.
const HORIZON: &str =
    "SELECT epoch, tx_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM meta";

impl Postgres {
    pub(crate) async fn feed(
        &self,
        after: &Cursor,
        limit: u32,
    ) -> Result<(Vec<(Move, Cursor)>, Cursor), StoreError> {
        let (epoch, horizon) = self.horizon().await?;
        if after.epoch.is_some_and(|other| other != epoch) {
            return Err(StoreError::OtherEpoch);
        }
        let mut cursor = Cursor { epoch: Some(epoch), ..*after };
        let mut window = WINDOW;
        let mut moves: Vec<(Move, Cursor)> = Vec::new();
        while cursor.tx < horizon {
            let end = cursor.tx.saturating_add(window).min(horizon);
            let missing = i64::from(limit.max(1)) - moves.len() as i64;
            let rows: Vec<PgRow> = sqlx::query(WINDOW_OF_FEED)
                .bind(cursor.tx)
                .bind(end)
                .bind(cursor.game)
                .bind(cursor.number)
                .bind(missing)
                .fetch_all(&self.pool)
                .await?;
            for row in &rows {
                let (game, number) = (row.try_get("game_id")?, row.try_get("number")?);
                let place = Cursor { epoch: Some(epoch), tx: row.try_get("tx")?, game, number };
                moves.push((Move::from_row(row)?, place));
            }
            if let Some((_, place)) = moves.last().filter(|_| rows.len() as i64 == missing) {
                cursor = *place;
                break;
            }
            cursor = Cursor::before(epoch, end);
            window = window.saturating_mul(4);
        }
        self.index_after(moves.len()).await;
        Ok((moves, cursor))
    }

    async fn index_after(&self, read: usize) {
        if self.read.fetch_add(read, Ordering::Relaxed) + read < INDEXED {
            return;
        }
        self.read.store(0, Ordering::Relaxed);
        // A vacuum holds the lock perhaps for long, and does this too.
        let index = async {
            let mut transaction = self.pool.begin().await?;
            transaction.execute("SET LOCAL lock_timeout = '50ms'").await?;
            transaction.execute(INDEX).await?;
            transaction.commit().await
        };
        if let Err(error) = index.await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the feed's index wasn't brought up to date"
            );
        }
    }

    pub(crate) async fn feed_end(&self) -> Result<Cursor, StoreError> {
        let (epoch, horizon) = self.horizon().await?;
        Ok(Cursor::before(epoch, horizon))
    }

    async fn horizon(&self) -> Result<(Uuid, i64), StoreError> {
        Ok(sqlx::query_as(HORIZON).fetch_one(&self.pool).await?)
    }
}
