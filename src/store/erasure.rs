//! Players whose data are gone, and must stay so.

use uuid::Uuid;

use super::ticket_change::cancel_tickets;
use super::{Millis, Store, StoreError, query};

/// That somebody was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Erasure {
    /// Who.
    pub player_id: Uuid,
    /// When.
    pub erased_at: Millis,
}

/// What else is taken from whom; `$1` is his id. Each may be done again. A table that holds something about players has
/// its line here, and its section in `profile::export`.
const TAKEN: [&str; 6] = [
    "DELETE FROM tokens WHERE player_id = $1",
    "DELETE FROM blocks WHERE player_id = $1 OR blocked_id = $1",
    "DELETE FROM mutes WHERE player_id = $1 OR muted_id = $1",
    "UPDATE chat SET body = NULL, phrase = NULL WHERE player_id = $1",
    "DELETE FROM requests WHERE principal = $1",
    "DELETE FROM invitations WHERE player_id = $1 OR invited_by = $1",
];

impl Store {
    /// Notes that a player is erased, and erases him; see [`Store::finish_erasure`]. From the note on nothing new is
    /// kept about him. Safe to do again: the first time counts.
    ///
    /// # Errors
    /// The database is unavailable or damaged: if the note is there, the rest is done later.
    pub async fn erase(&self, player: Uuid, now: Millis) -> Result<(), StoreError> {
        const NOTE: &str = "INSERT INTO erasures (player_id, erased_at) VALUES ($1, $2) \
             ON CONFLICT (player_id) DO UPDATE SET done_at = NULL";
        // Names, tokens and accounts can't come back: no name is newer than the end of time.
        const PLAYER: &str = "UPDATE players SET name = '', external_id = NULL, locale = '', named_at = $3, \
             revoked_at = $2 WHERE id = $1";
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(NOTE).bind(player).bind(now).execute(pool).await.map(drop)
        });
        noted?;
        self.note_revocation(player, now).await?;
        let erased: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(PLAYER).bind(player).bind(now).bind(i64::MAX).execute(pool).await?;
            for taken in TAKEN {
                sqlx::query(taken).bind(player).execute(pool).await?;
            }
            cancel_tickets!(player, now, pool);
            Ok(())
        });
        Ok(erased?)
    }

    /// Notes that all of an erasure was carried out.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn finish_erasure(&self, player: Uuid, now: Millis) -> Result<(), StoreError> {
        const DONE: &str = "UPDATE erasures SET done_at = $2 WHERE player_id = $1";
        let done: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(DONE).bind(player).bind(now).execute(pool).await.map(drop)
        });
        Ok(done?)
    }

    /// The erasures of players behind an id, by ascending id, at most `limit` of them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn erasures(&self, after: Uuid, limit: u32) -> Result<Vec<Erasure>, StoreError> {
        const ERASURES: &str = "SELECT player_id, erased_at FROM erasures WHERE player_id > $1 \
             ORDER BY player_id LIMIT $2";
        Ok(query!(self, readers, |pool| sqlx::query_as(ERASURES)
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// The erasures that weren't carried out to their end, or were so after a time.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn unfinished_erasures(&self, since: Millis) -> Result<Vec<Erasure>, StoreError> {
        const OPEN: &str =
            "SELECT player_id, erased_at FROM erasures WHERE done_at IS NULL OR erased_at >= $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(OPEN).bind(since).fetch_all(pool))?)
    }

    /// Whether a player was erased.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn is_erased(&self, player: Uuid) -> Result<bool, StoreError> {
        const ERASED: &str = "SELECT count(*) FROM erasures WHERE player_id = $1";
        let erased: i64 =
            query!(self, readers, |pool| sqlx::query_scalar(ERASED).bind(player).fetch_one(pool))?;
        Ok(erased > 0)
    }
}
