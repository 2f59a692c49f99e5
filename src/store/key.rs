//! The backends' API keys.

use uuid::Uuid;

use super::audit::note;
use super::revocation::NOTE_REVOCATION;
use super::{Act, Millis, Store, StoreError, query, transaction};

/// A backend's API key. The store knows only its hash.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Key {
    /// Its id, which isn't secret: a version 7 UUID, so ids sort about by the time at which they were made.
    pub id: Uuid,
    /// What its owner calls it.
    pub name: String,
    /// The names of its scopes, with a space between them.
    pub scopes: String,
    /// When it was made.
    pub made_at: Millis,
    /// Some use of it in the hour of its last use.
    pub used_at: Option<Millis>,
    /// Since when it doesn't count any more.
    pub revoked_at: Option<Millis>,
}

/// The columns of a [`Key`].
macro_rules! key_columns {
    () => {
        "id, name, scopes, made_at, used_at, revoked_at"
    };
}

impl Store {
    /// Adds a key, which is an administrator's act.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if there is such an id or hash, or the database is unavailable or damaged.
    pub async fn add_key(&self, hash: &[u8; 32], key: &Key, act: &Act) -> Result<(), StoreError> {
        const ADD: &str = concat!(
            "INSERT INTO keys (hash, ",
            key_columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING"
        );
        let added: bool = transaction!(self, |connection| async {
            let insert = sqlx::query(ADD).bind(&hash[..]).bind(key.id).bind(&key.name).bind(&key.scopes);
            let insert = insert.bind(key.made_at).bind(key.used_at).bind(key.revoked_at);
            let added = insert.execute(&mut *connection).await?.rows_affected() > 0;
            Ok(added && note!(act, &mut *connection))
        });
        if added { Ok(()) } else { Err(StoreError::Taken) }
    }

    /// The key with this hash. It may be revoked.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Key>, StoreError> {
        const KEY: &str = concat!("SELECT ", key_columns!(), " FROM keys WHERE hash = $1");
        Ok(query!(self, readers, |pool| sqlx::query_as(KEY).bind(&hash[..]).fetch_optional(pool))?)
    }

    /// A key.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn key(&self, id: Uuid) -> Result<Option<Key>, StoreError> {
        const KEY: &str = concat!("SELECT ", key_columns!(), " FROM keys WHERE id = $1");
        Ok(query!(self, readers, |pool| sqlx::query_as(KEY).bind(id).fetch_optional(pool))?)
    }

    /// The keys behind an id, at most `limit` of them: by ascending id, so the oldest come first.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn keys(&self, after: Uuid, limit: u32) -> Result<Vec<Key>, StoreError> {
        const KEYS: &str =
            concat!("SELECT ", key_columns!(), " FROM keys WHERE id > $1 ORDER BY id LIMIT $2");
        Ok(query!(self, readers, |pool| sqlx::query_as(KEYS)
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// Notes that a key is used.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn key_used(&self, id: Uuid, now: Millis) -> Result<(), StoreError> {
        const USED: &str = "UPDATE keys SET used_at = $2 WHERE id = $1";
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(USED).bind(id).bind(now).execute(pool).await.map(drop)
        });
        Ok(noted?)
    }

    /// Revokes the key that an administrator's act is on, once and for all, and gives it back; `None` if there is no
    /// such key. One that was revoked before keeps that time, and nothing is noted.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn revoke_key(&self, act: &Act) -> Result<Option<Key>, StoreError> {
        const REVOKE: &str = "UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
        transaction!(self, |connection| async {
            let revoke = sqlx::query(REVOKE).bind(act.subject).bind(act.made_at);
            let revoked = revoke.execute(&mut *connection).await?.rows_affected() > 0;
            if revoked && note!(act, &mut *connection) {
                let note = sqlx::query(NOTE_REVOCATION).bind(act.subject).bind(act.made_at);
                note.execute(&mut *connection).await?;
            }
            Ok(())
        });
        self.key(act.subject).await
    }
}
