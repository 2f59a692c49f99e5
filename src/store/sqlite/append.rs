use std::sync::Arc;

use serde_json::json;
use sqlx::{Connection, Sqlite, SqliteConnection, SqlitePool, Transaction};
use uuid::Uuid;

use super::keep_if_sound;
use crate::store::{
    AlarmChange, Append, AppendError, Move, Rejection, Request, Summary,
    error::Trouble,
    rows::players_to_blob,
    writer::{Fault, Landing, Sink},
};

/// The writer task's way to the one connection that writes.
pub(crate) struct SqliteSink {
    writer: SqlitePool,
}

impl SqliteSink {
    pub(super) fn new(writer: SqlitePool) -> Self {
        Self { writer }
    }

    async fn fault(&self, error: sqlx::Error, round: &[&Append]) -> Fault {
        match Trouble::of(&error) {
            Trouble::Again => Fault::Again(error),
            Trouble::Data => match self.refusal(error, round).await {
                Ok(refusal) => Fault::Data(refusal),
                Err(error) => Fault::Lost(error),
            },
            Trouble::Unavailable | Trouble::Corrupt | Trouble::Other => Fault::Lost(error),
        }
    }

    /// SQLite doesn't name the rule that was violated, so this looks for the row that an append alone ran into.
    async fn refusal(&self, error: sqlx::Error, round: &[&Append]) -> sqlx::Result<AppendError> {
        let unique = error.as_database_error().is_some_and(|error| error.is_unique_violation());
        if let ([append], true) = (round, unique) {
            if let Some(request) = &append.request {
                let sql = "SELECT true FROM requests WHERE principal = $1 AND request_id = $2";
                let query = sqlx::query(sql).bind(request.principal).bind(request.request_id);
                if query.fetch_optional(&self.writer).await?.is_some() {
                    return Ok(AppendError::RequestTaken);
                }
            }
            // The other unique columns are keys whose conflicts the statements settle.
            return Ok(AppendError::InviteTaken);
        }
        Ok(AppendError::Rejected(Rejection::Value(Arc::new(error))))
    }
}

impl Sink for SqliteSink {
    async fn write(&mut self, round: &[&Append]) -> Result<Vec<Landing>, Fault> {
        match write(&self.writer, round).await {
            Ok(landings) => Ok(landings),
            Err(error) => Err(self.fault(error, round).await),
        }
    }
}

async fn write(writer: &SqlitePool, round: &[&Append]) -> sqlx::Result<Vec<Landing>> {
    let mut connection = writer.acquire().await?;
    let written = write_on(&mut connection, round).await;
    keep_if_sound(connection, written).await
}

async fn write_on(connection: &mut SqliteConnection, round: &[&Append]) -> sqlx::Result<Vec<Landing>> {
    // Undone when it is dropped without a commit.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let landed = insert_moves(&mut transaction, round).await?;
    let mut landings = Vec::with_capacity(round.len());
    for append in round {
        if landed.binary_search(&append.mv.game.0).is_err() {
            landings.push(why_not(&mut transaction, &append.mv).await?);
            continue;
        }
        landings.push(Landing::Landed);
        if let Some(summary) = &append.summary {
            save_summary(&mut transaction, summary).await?;
        }
        if let Some(request) = &append.request {
            insert_request(&mut transaction, request, &append.mv).await?;
        }
        if let Some(alarm) = append.alarm {
            set_alarm(&mut transaction, alarm, &append.mv).await?;
        }
    }
    transaction.commit().await?;
    Ok(landings)
}

/// All moves in one statement, since each statement costs a hop to the connection's thread: the columns as one JSON
/// text, and the events as one blob to cut them from (nothing cut from nothing is NULL).
const INSERT_MOVES: &str = "
    INSERT INTO moves (game_id, number, seat, request_id, fingerprint, made_at, format, events)
    SELECT unhex(value ->> 0), value ->> 1, value ->> 2, unhex(value ->> 3), value ->> 4, value ->> 5, value ->> 6,
        coalesce(substr($2, value ->> 7, value ->> 8), x'')
    FROM json_each($1)
    WHERE value ->> 1 = 1
        OR EXISTS (SELECT 1 FROM moves WHERE game_id = unhex(value ->> 0) AND number = (value ->> 1) - 1)
    ON CONFLICT (game_id, number) DO NOTHING
    RETURNING game_id";

/// Returns the games whose moves landed, sorted.
async fn insert_moves(
    transaction: &mut Transaction<'_, Sqlite>,
    round: &[&Append],
) -> sqlx::Result<Vec<Uuid>> {
    let mut events = Vec::new();
    let mut columns = Vec::with_capacity(round.len());
    for Append { mv, .. } in round {
        let game = mv.game.0.simple().to_string();
        let request_id = mv.request_id.map(|id| id.simple().to_string());
        // SQLite counts from 1.
        let from = events.len() + 1;
        columns.push(json!([
            game,
            mv.number,
            mv.seat,
            request_id,
            mv.fingerprint,
            mv.made_at.0,
            mv.format,
            from,
            mv.events.len()
        ]));
        events.extend_from_slice(&mv.events);
    }
    let columns = serde_json::Value::Array(columns).to_string();
    let query = sqlx::query_scalar(INSERT_MOVES).bind(columns).bind(events);
    let mut landed: Vec<Uuid> = query.fetch_all(&mut **transaction).await?;
    landed.sort_unstable();
    Ok(landed)
}

/// A move that didn't land lost its place to another, unless the one before is missing.
async fn why_not(transaction: &mut Transaction<'_, Sqlite>, mv: &Move) -> sqlx::Result<Landing> {
    let sql = "SELECT true FROM moves WHERE game_id = $1 AND number = $2";
    let taken = sqlx::query(sql).bind(mv.game).bind(mv.number).fetch_optional(&mut **transaction).await?;
    Ok(if taken.is_some() { Landing::Conflict } else { Landing::Gap })
}

async fn save_summary(transaction: &mut Transaction<'_, Sqlite>, summary: &Summary) -> sqlx::Result<()> {
    let sql = "INSERT INTO games
            (game_id, made_at, changed_at, version, status, public, preset, invite_code, players, detail, listed,
                settles_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (game_id) DO UPDATE SET changed_at = excluded.changed_at, version = excluded.version,
            status = excluded.status, public = excluded.public, preset = excluded.preset,
            invite_code = excluded.invite_code, players = excluded.players, detail = excluded.detail,
            listed = excluded.listed, settles_at = excluded.settles_at";
    sqlx::query(sql)
        .bind(summary.game)
        .bind(summary.made_at)
        .bind(summary.changed_at)
        .bind(summary.version)
        .bind(summary.status)
        .bind(summary.public)
        .bind(&summary.preset)
        .bind(&summary.invite_code)
        .bind(players_to_blob(&summary.players))
        .bind(&summary.detail[..])
        .bind(summary.listed)
        .bind(summary.settles_at)
        .execute(&mut **transaction)
        .await?;
    let players: Vec<_> = summary.players.iter().map(|id| id.simple().to_string()).collect();
    let players = json!(players).to_string();
    let went = "DELETE FROM game_players WHERE game_id = $1
        AND player_id NOT IN (SELECT unhex(value) FROM json_each($2))";
    sqlx::query(went).bind(summary.game).bind(&players).execute(&mut **transaction).await?;
    let came = "INSERT OR IGNORE INTO game_players (player_id, game_id)
        SELECT unhex(value), $1 FROM json_each($2)";
    sqlx::query(came).bind(summary.game).bind(&players).execute(&mut **transaction).await?;
    Ok(())
}

async fn insert_request(
    transaction: &mut Transaction<'_, Sqlite>,
    request: &Request,
    mv: &Move,
) -> sqlx::Result<()> {
    let sql = "INSERT INTO requests (principal, request_id, fingerprint, made_at, result) VALUES ($1, $2, $3, $4, $5)";
    sqlx::query(sql)
        .bind(request.principal)
        .bind(request.request_id)
        .bind(request.fingerprint)
        .bind(mv.made_at)
        .bind(&request.result[..])
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

async fn set_alarm(
    transaction: &mut Transaction<'_, Sqlite>,
    alarm: AlarmChange,
    mv: &Move,
) -> sqlx::Result<()> {
    let query = match alarm {
        AlarmChange::Off => sqlx::query("DELETE FROM alarms WHERE game_id = $1").bind(mv.game),
        AlarmChange::At(at) => {
            let sql = "INSERT INTO alarms (game_id, at, set_at, shard) VALUES ($1, $2, $3, $4)
                ON CONFLICT (game_id) DO UPDATE SET at = excluded.at, set_at = excluded.set_at";
            sqlx::query(sql).bind(mv.game).bind(at).bind(mv.made_at).bind(mv.game.shard())
        }
    };
    query.execute(&mut **transaction).await?;
    Ok(())
}
