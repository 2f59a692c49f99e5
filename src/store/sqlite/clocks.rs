use serde_json::json;
use sqlx::{Connection, SqliteConnection};
use uuid::Uuid;

use super::{Sqlite, keep_if_sound};
use crate::store::{
    Alarm, AlarmFilter, Lease, LeaseTerms, Millis, Outage, StoreError,
    clocks::{FORGET_OUTAGES, millis},
};

/// Nobody else has the file open, so whoever looked after a shard before is gone.
const MISSED: &str = "INSERT OR IGNORE INTO outages (shard, began, ended)
    SELECT shard, last_at, $1 FROM (
        SELECT shard, coalesce(alive_at, free_since) AS last_at FROM leases LEFT JOIN instances ON id = owner
    ) WHERE last_at < $1 - $2";

const ALARMS: &str = "SELECT game_id, at, set_at FROM alarms \
     WHERE shard IN (SELECT value FROM json_each($1)) AND at <= $2 AND set_at < $3 ORDER BY at LIMIT $4";

impl Sqlite {
    pub(crate) async fn beat(&self, instance: Uuid, terms: LeaseTerms) -> Result<Vec<Lease>, StoreError> {
        let mut connection = self.writer.acquire().await?;
        let beaten = beat(&mut connection, instance, self.now(), terms).await;
        let news = keep_if_sound(connection, beaten).await?;
        Ok((0..=u8::MAX).map(|shard| Lease { shard, news }).collect())
    }

    pub(crate) async fn release(&self, instance: Uuid) -> Result<(), StoreError> {
        let sql = "UPDATE leases SET owner = NULL, free_since = $2 WHERE owner = $1";
        sqlx::query(sql).bind(instance).bind(self.now()).execute(&self.writer).await?;
        Ok(())
    }

    pub(crate) async fn outages(&self, shards: &[u8]) -> Result<Vec<Outage>, StoreError> {
        let sql = "SELECT shard, began, ended FROM outages WHERE shard IN (SELECT value FROM json_each($1)) \
             ORDER BY 1, 2, 3";
        Ok(sqlx::query_as(sql).bind(json!(shards).to_string()).fetch_all(&self.readers).await?)
    }

    pub(crate) async fn forget_outages(&self) -> Result<u64, StoreError> {
        Ok(sqlx::query(FORGET_OUTAGES).execute(&self.writer).await?.rows_affected())
    }

    pub(crate) async fn alarms(&self, filter: AlarmFilter<'_>) -> Result<Vec<Alarm>, StoreError> {
        Ok(sqlx::query_as(ALARMS)
            .bind(json!(filter.shards).to_string())
            .bind(filter.until)
            .bind(filter.set_before.map_or(i64::MAX, |before| before.0))
            .bind(i64::from(filter.limit))
            .fetch_all(&self.readers)
            .await?)
    }
}

/// Whether there is news of any shard.
async fn beat(
    connection: &mut SqliteConnection,
    instance: Uuid,
    now: Millis,
    terms: LeaseTerms,
) -> sqlx::Result<bool> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let missed = sqlx::query(MISSED).bind(now).bind(millis(terms.outage));
    let missed = missed.execute(&mut *transaction).await?.rows_affected();
    let taken = sqlx::query("UPDATE leases SET owner = $1, free_since = NULL WHERE owner IS NOT $1");
    let taken = taken.bind(instance).execute(&mut *transaction).await?.rows_affected();
    sqlx::query("DELETE FROM instances WHERE id <> $1").bind(instance).execute(&mut *transaction).await?;
    let beat = "INSERT INTO instances (id, alive_at) VALUES ($1, $2)
        ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at";
    sqlx::query(beat).bind(instance).bind(now).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(missed + taken > 0)
}
