//! Who is banned.

use uuid::Uuid;

use super::audit::note;
use super::revocation::NOTE_REVOCATION;
use super::ticket_change::cancel_tickets;
use super::{Act, Millis, Store, StoreError, query, transaction};

/// A player's ban.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Ban {
    /// When it was imposed.
    pub made_at: Millis,
    /// When it ends; `None` for never.
    pub until: Option<Millis>,
    /// Why.
    pub reason: String,
}

impl Ban {
    /// Whether it counts at a time.
    pub fn counts(&self, now: Millis) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

impl Store {
    /// A player's ban, which may be over.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ban(&self, player: Uuid) -> Result<Option<Ban>, StoreError> {
        const BAN: &str = "SELECT made_at, until, reason FROM bans WHERE player_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(BAN).bind(player).fetch_optional(pool))?)
    }

    /// Bans the player whom an act is on, as it says, in place of any ban before, and cancels his tickets; whether the
    /// act is new: otherwise nothing was done. Instances hear of it as of a revocation.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ban_player(&self, act: &Act) -> Result<bool, StoreError> {
        const BAN: &str = "INSERT INTO bans (player_id, made_at, until, reason) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (player_id) DO UPDATE SET made_at = excluded.made_at, until = excluded.until, \
             reason = excluded.reason";
        let new: bool = transaction!(self, |connection| async {
            if !note!(act, &mut *connection) {
                return Ok(false);
            }
            let note = sqlx::query(NOTE_REVOCATION).bind(act.subject).bind(act.made_at);
            note.execute(&mut *connection).await?;
            let ban = sqlx::query(BAN).bind(act.subject).bind(act.made_at).bind(act.until).bind(&act.reason);
            ban.execute(&mut *connection).await?;
            cancel_tickets!(act.subject, act.made_at, &mut *connection);
            Ok(true)
        });
        Ok(new)
    }

    /// Lifts the ban of the player whom an act is on; whether the act is new: otherwise nothing was done.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn lift_ban(&self, act: &Act) -> Result<bool, StoreError> {
        const LIFT: &str = "DELETE FROM bans WHERE player_id = $1";
        let new: bool = transaction!(self, |connection| async {
            if !note!(act, &mut *connection) {
                return Ok(false);
            }
            let note = sqlx::query(NOTE_REVOCATION).bind(act.subject).bind(act.made_at);
            note.execute(&mut *connection).await?;
            sqlx::query(LIFT).bind(act.subject).execute(&mut *connection).await?;
            Ok(true)
        });
        Ok(new)
    }
}
