//! What was revoked lately, so that no instance goes on by what it remembers.

use uuid::Uuid;

use super::{Millis, Store, StoreError, query};

/// Notes that something was revoked; to be done before it is marked so, or with it.
pub(super) const NOTE_REVOCATION: &str = "INSERT INTO revocations (subject, at) VALUES ($1, $2) \
     ON CONFLICT (subject) DO UPDATE SET at = excluded.at";

impl Store {
    /// The sessions, players and keys that were revoked after a time, and when.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn revocations(&self, after: Millis) -> Result<Vec<(Uuid, Millis)>, StoreError> {
        const REVOKED: &str = "SELECT subject, at FROM revocations WHERE at > $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(REVOKED).bind(after).fetch_all(pool))?)
    }

    /// To be done before what is revoked is marked so: who reads the note reads the rest in the time in which the note
    /// counts, even if all he has read of it so far is older.
    pub(super) async fn note_revocation(&self, subject: Uuid, now: Millis) -> Result<(), StoreError> {
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(NOTE_REVOCATION).bind(subject).bind(now).execute(pool).await.map(drop)
        });
        Ok(noted?)
    }

    /// Forgets the revocations before a time, and says how many. What was revoked stays so.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sweep_revocations(&self, before: Millis) -> Result<u64, StoreError> {
        const SWEEP: &str = "DELETE FROM revocations WHERE at < $1";
        let swept: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            Ok(sqlx::query(SWEEP).bind(before).execute(pool).await?.rows_affected())
        });
        Ok(swept?)
    }

    /// What all instances sign tickets with.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ticket_key(&self) -> Result<Vec<u8>, StoreError> {
        const KEY: &str = "SELECT ticket_key FROM secrets";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(KEY).fetch_one(pool))?)
    }
}
