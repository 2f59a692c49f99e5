//! How rows become values, the same for both databases.

use sqlx::{FromRow, Row, postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

use super::{Move, Request, Summary};

/// The columns of a [`Move`].
macro_rules! move_columns {
    () => {
        "game_id, number, seat, request_id, fingerprint, made_at, format, events"
    };
}

/// The columns of a [`Summary`], of the table or alias `games`.
macro_rules! summary_columns {
    () => {
        "games.game_id, games.version, games.status, games.preset, games.public, games.listed, games.settles_at, \
         games.invite_code, games.players, games.made_at, games.changed_at, games.detail"
    };
}

pub(super) use {move_columns, summary_columns};

fn bad_column(index: &str, error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: index.into(), source: Box::new(error) }
}

fn unsigned<T: TryFrom<i32, Error: std::error::Error + Send + Sync + 'static>>(
    value: i32,
    column: &str,
) -> sqlx::Result<T> {
    value.try_into().map_err(|error| bad_column(column, error))
}

/// The ids in the `players` column of `games`.
pub(super) fn players_to_blob(players: &[Uuid]) -> Vec<u8> {
    players.iter().flat_map(Uuid::as_bytes).copied().collect()
}

fn players_from_blob(blob: &[u8]) -> sqlx::Result<Vec<Uuid>> {
    blob.chunks(16).map(|id| Uuid::from_slice(id).map_err(|error| bad_column("players", error))).collect()
}

macro_rules! from_rows {
    ($row:ty) => {
        impl FromRow<'_, $row> for Move {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                let seat: Option<i16> = row.try_get("seat")?;
                Ok(Self {
                    game: row.try_get("game_id")?,
                    number: unsigned(row.try_get("number")?, "number")?,
                    seat: seat.map(|seat| unsigned(seat.into(), "seat")).transpose()?,
                    request_id: row.try_get("request_id")?,
                    fingerprint: row.try_get("fingerprint")?,
                    made_at: row.try_get("made_at")?,
                    format: row.try_get("format")?,
                    events: row.try_get::<Vec<u8>, _>("events")?.into(),
                })
            }
        }

        impl FromRow<'_, $row> for Summary {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self {
                    game: row.try_get("game_id")?,
                    version: unsigned(row.try_get("version")?, "version")?,
                    status: row.try_get("status")?,
                    preset: row.try_get("preset")?,
                    public: row.try_get("public")?,
                    listed: row.try_get("listed")?,
                    settles_at: row.try_get("settles_at")?,
                    invite_code: row.try_get("invite_code")?,
                    players: players_from_blob(row.try_get("players")?)?,
                    made_at: row.try_get("made_at")?,
                    changed_at: row.try_get("changed_at")?,
                    detail: row.try_get::<Vec<u8>, _>("detail")?.into(),
                })
            }
        }

        impl FromRow<'_, $row> for Request {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self {
                    principal: row.try_get("principal")?,
                    request_id: row.try_get("request_id")?,
                    fingerprint: row.try_get("fingerprint")?,
                    result: row.try_get::<Vec<u8>, _>("result")?.into(),
                })
            }
        }
    };
}

from_rows!(PgRow);
from_rows!(SqliteRow);
