//! What administrators have done. Nothing here is ever changed or deleted; the database sees to that.

use uuid::Uuid;

use super::{Millis, Store, StoreError, query};

/// An act of an administrator.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Act {
    /// Its id: a version 7 UUID, so ids sort about by the time at which acts were begun.
    pub id: Uuid,
    /// When it was begun.
    pub made_at: Millis,
    /// The API key by which it was done; `None` for the command line.
    pub key_id: Option<Uuid>,
    /// What the key was called then.
    pub key_name: String,
    /// What was done, as the writer numbers it.
    pub act: i16,
    /// The game, player or key that it was done to.
    pub subject: Uuid,
    /// As which seat a table was seen.
    pub seat: Option<i16>,
    /// Why; empty if it wasn't said.
    pub reason: String,
    /// Until when somebody was banned; `None` for good.
    pub until: Option<Millis>,
    /// The client's id of the command, unique for the key.
    pub request_id: Option<Uuid>,
}

/// An act, and what has come of it if that was noted apart from it.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct AuditEntry {
    /// The act.
    #[sqlx(flatten)]
    pub act: Act,
    /// Whether it was done, or refused.
    pub done: Option<bool>,
    /// The move by which it was done.
    pub version: Option<i32>,
}

/// Which acts to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of this kind.
    pub act: Option<i16>,
    /// On this game, player or key.
    pub subject: Option<Uuid>,
    /// By this key.
    pub key: Option<Uuid>,
    /// Begun then or later.
    pub from: Millis,
    /// Begun before.
    pub before: Millis,
}

/// The columns of an [`Act`].
macro_rules! act_columns {
    () => {
        "id, made_at, key_id, key_name, act, subject, seat, reason, until, request_id"
    };
}
pub(super) use act_columns;

/// Does nothing where the key's request has an act already.
pub(super) const NOTE: &str = concat!(
    "INSERT INTO audit (",
    act_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING"
);

/// Notes an act on a connection of either database; whether it is new.
macro_rules! note {
    ($act:expr, $executor:expr) => {{
        let act: &$crate::store::Act = $act;
        let note = sqlx::query($crate::store::audit::NOTE).bind(act.id).bind(act.made_at).bind(act.key_id);
        let note = note.bind(&act.key_name).bind(act.act).bind(act.subject).bind(act.seat);
        let note = note.bind(&act.reason).bind(act.until).bind(act.request_id);
        note.execute($executor).await?.rows_affected() > 0
    }};
}
pub(super) use note;

impl Store {
    /// Notes an act that is done elsewhere, before it is; whether it is new: otherwise the key's request has an act
    /// already, and nothing was noted.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn note_act(&self, act: &Act) -> Result<bool, StoreError> {
        let noted: Result<bool, sqlx::Error> = query!(self, writer, |pool| async { Ok(note!(act, pool)) });
        Ok(noted?)
    }

    /// Notes what has come of an act, unless that is known.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn conclude_act(&self, act: Uuid, done: bool, version: Option<u32>) -> Result<(), StoreError> {
        const CONCLUDE: &str = "INSERT INTO audit_outcomes (audit_id, done, version) VALUES ($1, $2, $3) \
             ON CONFLICT DO NOTHING";
        // Numbers of moves fit.
        let version = version.and_then(|version| i32::try_from(version).ok());
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(CONCLUDE).bind(act).bind(done).bind(version).execute(pool).await.map(drop)
        });
        Ok(noted?)
    }

    /// The act of a key's request.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn act_of_request(&self, key: Uuid, request: Uuid) -> Result<Option<Act>, StoreError> {
        const OF_REQUEST: &str =
            concat!("SELECT ", act_columns!(), " FROM audit WHERE key_id = $1 AND request_id = $2");
        Ok(query!(self, readers, |pool| sqlx::query_as(OF_REQUEST)
            .bind(key)
            .bind(request)
            .fetch_optional(pool))?)
    }

    /// Acts by descending id, so the latest come first, at most `limit` of those below an id.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn audit(
        &self,
        filter: &AuditFilter,
        below: Uuid,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        const AUDIT: &str = concat!(
            "SELECT ",
            act_columns!(),
            ", done, version FROM audit LEFT JOIN audit_outcomes ON audit_id = id \
              WHERE id < $1 AND ($2 IS NULL OR act = $2) AND ($3 IS NULL OR subject = $3) \
              AND ($4 IS NULL OR key_id = $4) AND made_at >= $5 AND made_at < $6 ORDER BY id DESC LIMIT $7"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(AUDIT)
            .bind(below)
            .bind(filter.act)
            .bind(filter.subject)
            .bind(filter.key)
            .bind(filter.from)
            .bind(filter.before)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }
}
