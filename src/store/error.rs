use std::{error::Error, io, path::PathBuf, sync::Arc};

use sqlx::{migrate::MigrateError, postgres::PgDatabaseError};

/// What the database said; shared, since a failed batch fails each of its moves.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Why a read, or a write outside the log, failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database can't be reached or is too busy; it may work when tried again.
    #[error("the database is unavailable")]
    Unavailable(#[source] Cause),
    /// What is stored can't be read: damage, or rows that this program never wrote.
    #[error("the stored data can't be read")]
    Corrupt(#[source] Cause),
    /// An id or a token that must be new is there already.
    #[error("the id or the token is taken")]
    Taken,
    /// The cursor belongs to another epoch of the feed: what it says was read may not be in this database.
    #[error("the cursor is of another epoch of the feed")]
    OtherEpoch,
    /// A fault of this program or of the database's set-up.
    #[error("the database refused")]
    Other(#[source] Cause),
}

/// Why a move wasn't written; but see [`AppendError::Unknown`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The game has a move of this number already: reload, and decide again.
    #[error("the game has moved on")]
    Conflict,
    /// The principal's request id has an answer already: read it with [`Store::request`](super::Store::request).
    #[error("the request has been answered before")]
    RequestTaken,
    /// Another game has the invite code.
    #[error("the invite code is taken")]
    InviteTaken,
    /// These data can't be stored, now or later. Only this append failed.
    #[error("the move can't be stored")]
    Rejected(#[source] Rejection),
    /// The database failed in the middle, so the move may be stored or not: reload the game, and look.
    #[error("the outcome of the write is unknown")]
    Unknown(#[source] Cause),
    /// Too many moves wait to be written. Nothing happened.
    #[error("too many moves wait to be written")]
    Overloaded,
    /// The store was closed. Nothing happened.
    #[error("the store is closed")]
    Closed,
}

/// What is wrong with the data of an [`Append`](super::Append).
#[derive(Clone, Debug, thiserror::Error)]
pub enum Rejection {
    /// The move before this one isn't in the log.
    #[error("the move before this one isn't stored")]
    Gap,
    /// The number isn't in 1..=`i32::MAX`.
    #[error("a move can't have the number {0}")]
    Number(u32),
    /// The summary's game or version isn't the move's.
    #[error("the summary belongs to another move")]
    OtherSummary,
    /// A text contains U+0000, which PostgreSQL can't store.
    #[error("a text contains a NUL character")]
    Nul,
    /// The database found a value out of its range, or too long.
    #[error("the database rejected a value")]
    Value(#[source] Cause),
}

/// Why the store didn't open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL isn't of a known kind. It isn't shown, as it may hold a password.
    #[error("a database is given as sqlite:PATH or postgres://USER@HOST/NAME")]
    Url(#[source] Option<Cause>),
    /// The database's folder or lock file can't be made.
    #[error("can't make {}", path.display())]
    File {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process (or another store in this one) has the SQLite file open.
    #[error("{} is in use by another process; several can share PostgreSQL only", path.display())]
    InUse {
        /// The database file.
        path: PathBuf,
    },
    /// The tables can't be brought to this program's version; a newer program may have been here.
    #[error("can't migrate the database")]
    Migration(#[source] Cause),
    /// The database can't be reached or read.
    #[error(transparent)]
    Database(#[from] StoreError),
}

/// What a database error means for what to do next.
pub(super) enum Trouble {
    /// A deadlock or the like undid the transaction: do it again.
    Again,
    /// A value or a uniqueness rule was violated; nothing was written.
    Data,
    /// No connection, no room, a shutdown: later it may work.
    Unavailable,
    /// Damage.
    Corrupt,
    /// Anything else.
    Other,
}

impl Trouble {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(error) => match error.try_downcast_ref::<PgDatabaseError>() {
                Some(error) => Self::of_sqlstate(error.code()),
                None => error.code().and_then(|code| code.parse().ok()).map_or(Self::Other, Self::of_sqlite),
            },
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => Self::Unavailable,
            sqlx::Error::Encode(_) => Self::Data,
            sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } => Self::Corrupt,
            _ => Self::Other,
        }
    }

    /// By the classes of <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    fn of_sqlstate(code: &str) -> Self {
        match (code, code.get(..2)) {
            // Serialisation failure, deadlock.
            ("40001" | "40P01", _) => Self::Again,
            // Read-only: a standby that was the primary.
            ("25006", _) => Self::Unavailable,
            // Data exception, integrity constraint, program limit exceeded.
            (_, Some("22" | "23" | "54")) => Self::Data,
            // Connection, transaction undone, no resources, lock not available, operator's intervention, system error.
            (_, Some("08" | "40" | "53" | "55" | "57" | "58")) => Self::Unavailable,
            (_, Some("XX")) => Self::Corrupt,
            _ => Self::Other,
        }
    }

    /// By the low byte of <https://www.sqlite.org/rescode.html>.
    fn of_sqlite(code: i32) -> Self {
        match code & 0xff {
            // BUSY, LOCKED
            5 | 6 => Self::Again,
            // TOOBIG, CONSTRAINT, MISMATCH
            18..=20 => Self::Data,
            // NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL
            7..=10 | 13..=15 => Self::Unavailable,
            // CORRUPT, NOTADB
            11 | 26 => Self::Corrupt,
            _ => Self::Other,
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match Trouble::of(&error) {
            Trouble::Again | Trouble::Unavailable => Self::Unavailable(Arc::new(error)),
            Trouble::Corrupt => Self::Corrupt(Arc::new(error)),
            Trouble::Data | Trouble::Other => Self::Other(Arc::new(error)),
        }
    }
}

impl From<sqlx::Error> for OpenError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

impl From<MigrateError> for OpenError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::Execute(error) => error.into(),
            other => Self::Migration(Arc::new(other)),
        }
    }
}
