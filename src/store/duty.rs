//! What one instance does for all of them.

use std::time::Duration;

use uuid::Uuid;

use super::{Store, StoreError, clocks::millis, query};

impl Store {
    /// Takes a duty that nobody holds, or keeps it: whether it is this instance's for the next `lapse`, unless it is
    /// kept in time. It says who should do the work, not that nobody else is still at it: what is written in its
    /// course has to bear that two do it at once.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn take_duty(&self, name: &str, instance: Uuid, lapse: Duration) -> Result<bool, StoreError> {
        const TAKE: &str = "INSERT INTO duties (name, owner, lapses_at) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lapses_at = excluded.lapses_at \
             WHERE duties.owner = excluded.owner OR duties.lapses_at <= $4";
        let now = self.now().await?;
        let lapses_at = now.0.saturating_add(millis(lapse));
        let taken: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let take = sqlx::query(TAKE).bind(name).bind(instance).bind(lapses_at).bind(now);
            Ok(take.execute(pool).await?.rows_affected())
        });
        Ok(taken? > 0)
    }

    /// Gives a duty back, so that another instance needn't wait for it to lapse.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn give_back_duty(&self, name: &str, instance: Uuid) -> Result<(), StoreError> {
        const GIVE: &str = "DELETE FROM duties WHERE name = $1 AND owner = $2";
        let given: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(GIVE).bind(name).bind(instance).execute(pool).await.map(drop)
        });
        Ok(given?)
    }
}
