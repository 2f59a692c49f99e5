use uuid::Uuid;

use super::Postgres;
use crate::store::{
    Alarm, AlarmFilter, Lease, LeaseTerms, Outage, StoreError,
    clocks::{FORGET_OUTAGES, millis},
};

/// One statement, so that no instance holds a lock while it is away. All of it sees what was there before: an
/// instance's own last heartbeat, and who else is alive. What another instance takes in the meantime it keeps, since
/// the owner is compared once more when the row is locked.
///
/// Each instance has the same share of the shards, rounded up.
const BEAT: &str = "
    WITH clock AS (
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
    ), beat AS (
        INSERT INTO instances (id, alive_at) SELECT $1, now FROM clock
        ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at
    ), share AS (
        SELECT ceil(256.0 / (1 + count(*))) AS shards FROM instances CROSS JOIN clock
        WHERE id <> $1 AND alive_at >= now - $2
    ), free AS MATERIALIZED (
        SELECT shard, owner, coalesce(alive_at, free_since) AS last_at,
            row_number() OVER (ORDER BY owner IS DISTINCT FROM $1, shard) > shards AS surplus
        FROM leases LEFT JOIN instances ON id = owner CROSS JOIN clock CROSS JOIN share
        WHERE owner IS NULL OR owner = $1 OR alive_at IS NULL OR alive_at < now - $2
    ), taken AS (
        UPDATE leases SET owner = $1, free_since = NULL FROM free
        WHERE leases.shard = free.shard AND NOT surplus AND free.owner IS DISTINCT FROM $1
            AND leases.owner IS NOT DISTINCT FROM free.owner
        RETURNING leases.shard, last_at
    ), given AS (
        UPDATE leases SET owner = NULL, free_since = now FROM free CROSS JOIN clock
        WHERE leases.shard = free.shard AND surplus AND leases.owner = $1
    ), held AS (
        SELECT shard, last_at, false AS taken FROM free WHERE owner = $1 AND NOT surplus
        UNION ALL
        SELECT shard, last_at, true FROM taken
    ), missed AS (
        INSERT INTO outages (shard, began, ended)
        SELECT shard, last_at, now FROM held CROSS JOIN clock WHERE last_at < now - $3
        ON CONFLICT DO NOTHING
    ), gone AS (
        DELETE FROM instances USING clock WHERE id <> $1 AND alive_at < now - $2
            AND NOT EXISTS (SELECT FROM leases WHERE owner = id)
    )
    SELECT shard, taken OR coalesce(last_at < now - $3, false) AS news FROM held CROSS JOIN clock ORDER BY shard";

const RELEASE: &str = "
    WITH given AS (
        UPDATE leases SET owner = NULL, free_since = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        WHERE owner = $1
    )
    DELETE FROM instances WHERE id = $1";

const ALARMS: &str = "SELECT game_id, at, set_at FROM alarms \
     WHERE shard = ANY($1) AND at <= $2 AND set_at < $3 ORDER BY at LIMIT $4";

impl Postgres {
    pub(crate) async fn beat(&self, instance: Uuid, terms: LeaseTerms) -> Result<Vec<Lease>, StoreError> {
        Ok(sqlx::query_as(BEAT)
            .bind(instance)
            .bind(millis(terms.lapse))
            .bind(millis(terms.outage))
            .fetch_all(&self.pool)
            .await?)
    }

    pub(crate) async fn release(&self, instance: Uuid) -> Result<(), StoreError> {
        sqlx::query(RELEASE).bind(instance).execute(&self.pool).await?;
        Ok(())
    }

    pub(crate) async fn outages(&self, shards: &[u8]) -> Result<Vec<Outage>, StoreError> {
        let sql = "SELECT shard, began, ended FROM outages WHERE shard = ANY($1) ORDER BY 1, 2, 3";
        Ok(sqlx::query_as(sql).bind(numbers(shards)).fetch_all(&self.pool).await?)
    }

    pub(crate) async fn forget_outages(&self) -> Result<u64, StoreError> {
        Ok(sqlx::query(FORGET_OUTAGES).execute(&self.pool).await?.rows_affected())
    }

    pub(crate) async fn alarms(&self, filter: AlarmFilter<'_>) -> Result<Vec<Alarm>, StoreError> {
        Ok(sqlx::query_as(ALARMS)
            .bind(numbers(filter.shards))
            .bind(filter.until)
            .bind(filter.set_before.map_or(i64::MAX, |before| before.0))
            .bind(i64::from(filter.limit))
            .fetch_all(&self.pool)
            .await?)
    }
}

fn numbers(shards: &[u8]) -> Vec<i16> {
    shards.iter().copied().map(i16::from).collect()
}
