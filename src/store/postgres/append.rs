use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sqlx::{Connection, Executor, PgConnection, postgres::PgConnectOptions};
use tokio::time::timeout;
use uuid::Uuid;

use super::{PATIENCE, SESSION, connect_in_time, timed_out};
use crate::store::{
    AlarmChange, Append, AppendError, Millis, Rejection,
    error::Trouble,
    rows::players_to_blob,
    writer::{Fault, Landing, Sink},
};

/// A connection that was idle this long is tried before it is trusted with moves: firewalls forget quiet ones.
const TRUSTED: Duration = Duration::from_secs(5);

/// A writer task's own connection, made anew when it is lost.
pub(crate) struct PgSink {
    connect: Arc<PgConnectOptions>,
    connection: Option<(PgConnection, Instant)>,
}

impl PgSink {
    pub(super) fn new(connect: Arc<PgConnectOptions>) -> Self {
        Self { connect, connection: None }
    }

    async fn connection(&mut self) -> sqlx::Result<PgConnection> {
        if let Some((mut connection, used)) = self.connection.take()
            && (used.elapsed() < TRUSTED || matches!(timeout(PATIENCE, connection.ping()).await, Ok(Ok(()))))
        {
            return Ok(connection);
        }
        let mut connection = connect_in_time(&self.connect).await?;
        connection.execute(SESSION).await?;
        Ok(connection)
    }
}

impl Sink for PgSink {
    async fn write(&mut self, round: &[&Append]) -> Result<Vec<Landing>, Fault> {
        let mut connection = self.connection().await.map_err(Fault::Lost)?;
        let written = timeout(PATIENCE, write(&mut connection, round)).await;
        let written = written.unwrap_or_else(|_| Err(timed_out())).map_err(fault);
        // After anything unexpected the connection isn't used again: dropping it is the only sure end of what it did.
        if !matches!(written, Err(Fault::Lost(_))) {
            self.connection = Some((connection, Instant::now()));
        }
        written
    }
}

fn fault(error: sqlx::Error) -> Fault {
    match Trouble::of(&error) {
        Trouble::Again => Fault::Again(error),
        Trouble::Data => Fault::Data(match error.as_database_error().and_then(|error| error.constraint()) {
            Some("requests_key") => AppendError::RequestTaken,
            Some("games_invite_code") => AppendError::InviteTaken,
            _ => AppendError::Rejected(Rejection::Value(Arc::new(error))),
        }),
        Trouble::Unavailable | Trouble::Corrupt | Trouble::Other => Fault::Lost(error),
    }
}

/// One statement is one transaction, and one round trip. A move that loses its key to another one is left out quietly
/// with all that depends on it; a taken request id or invite code fails the statement, hence all of it.
///
/// The rows of each table are written in the order of their keys, so two statements that meet wait in one direction.
/// Whether the move before is there is asked by a scalar subquery: unlike EXISTS, it can't become a join that reads
/// the whole log when the planner's statistics are old.
const APPEND: &str = "
    WITH input AS MATERIALIZED (
        SELECT t.*,
            t.number = 1 OR (
                SELECT m.number FROM moves m WHERE m.game_id = t.game_id AND m.number = t.number - 1
            ) IS NOT NULL AS linked
        FROM unnest($1::uuid[], $2::integer[], $3::smallint[], $4::uuid[], $5::bigint[], $6::bigint[],
                $7::smallint[], $8::bytea[])
            AS t (game_id, number, seat, request_id, fingerprint, made_at, format, events)
    ), landed AS (
        INSERT INTO moves (game_id, request_id, fingerprint, made_at, tx, number, seat, format, events)
        SELECT game_id, request_id, fingerprint, made_at,
            (SELECT tx_base FROM meta) + pg_current_xact_id()::text::bigint, number, seat, format, events
        FROM input WHERE linked ORDER BY game_id
        ON CONFLICT (game_id, number) DO NOTHING
        RETURNING game_id
    ), summary AS MATERIALIZED (
        SELECT s.* FROM unnest($9::uuid[], $10::bigint[], $11::bigint[], $12::integer[], $13::smallint[],
                $14::boolean[], $15::text[], $16::text[], $17::bytea[], $18::bytea[], $19::boolean[], $20::bigint[])
            AS s (game_id, made_at, changed_at, version, status, public, preset, invite_code, players, detail, listed,
                settles_at)
        JOIN landed USING (game_id)
    ), saved AS (
        INSERT INTO games (game_id, made_at, changed_at, version, status, public, preset, invite_code, players, detail,
            listed, settles_at)
        SELECT * FROM summary ORDER BY game_id
        ON CONFLICT (game_id) DO UPDATE SET changed_at = excluded.changed_at, version = excluded.version,
            status = excluded.status, public = excluded.public, preset = excluded.preset,
            invite_code = excluded.invite_code, players = excluded.players, detail = excluded.detail,
            listed = excluded.listed, settles_at = excluded.settles_at
    ), player AS MATERIALIZED (
        SELECT DISTINCT player_id, game_id FROM unnest($21::uuid[], $22::uuid[]) AS p (game_id, player_id)
        JOIN landed USING (game_id)
    ), came AS (
        INSERT INTO game_players (player_id, game_id) SELECT player_id, game_id FROM player ORDER BY 1, 2
        ON CONFLICT DO NOTHING
    ), went AS (
        DELETE FROM game_players USING summary WHERE game_players.game_id = summary.game_id
            AND NOT EXISTS (SELECT FROM player
                WHERE player.game_id = game_players.game_id AND player.player_id = game_players.player_id)
    ), answered AS (
        INSERT INTO requests (principal, request_id, fingerprint, made_at, result)
        SELECT principal, r.request_id, r.fingerprint, r.made_at, result
        FROM unnest($23::uuid[], $24::uuid[], $25::uuid[], $26::bigint[], $27::bigint[], $28::bytea[])
            AS r (game_id, principal, request_id, fingerprint, made_at, result)
        JOIN landed USING (game_id) ORDER BY principal, r.request_id
    ), alarm AS MATERIALIZED (
        SELECT a.* FROM unnest($29::uuid[], $30::bigint[], $31::bigint[], $32::smallint[])
            AS a (game_id, at, set_at, shard)
        JOIN landed USING (game_id)
    ), set_off AS (
        DELETE FROM alarms USING alarm WHERE alarms.game_id = alarm.game_id AND alarm.at IS NULL
    ), set_on AS (
        INSERT INTO alarms (game_id, at, set_at, shard) SELECT * FROM alarm WHERE at IS NOT NULL ORDER BY game_id
        ON CONFLICT (game_id) DO UPDATE SET at = excluded.at, set_at = excluded.set_at
    )
    SELECT input.linked, landed.game_id IS NOT NULL FROM input LEFT JOIN landed USING (game_id)
    ORDER BY input.game_id";

async fn write(connection: &mut PgConnection, round: &[&Append]) -> sqlx::Result<Vec<Landing>> {
    let moves = || round.iter().map(|append| &append.mv);
    let summaries = || round.iter().filter_map(|append| append.summary.as_ref());
    let requests = || round.iter().filter_map(|append| Some((&append.mv, append.request.as_ref()?)));
    let alarms = || round.iter().filter_map(|append| Some((&append.mv, append.alarm?)));
    let alarm_at = |alarm| match alarm {
        AlarmChange::At(at) => Some(at),
        AlarmChange::Off => None,
    };
    let players =
        || summaries().flat_map(|summary| summary.players.iter().map(|player| (summary.game.0, *player)));
    let query = sqlx::query_as(APPEND)
        .bind(moves().map(|mv| mv.game.0).collect::<Vec<_>>())
        .bind(moves().map(|mv| mv.number as i32).collect::<Vec<_>>())
        .bind(moves().map(|mv| mv.seat.map(i16::from)).collect::<Vec<_>>())
        .bind(moves().map(|mv| mv.request_id).collect::<Vec<_>>())
        .bind(moves().map(|mv| mv.fingerprint).collect::<Vec<_>>())
        .bind(moves().map(|mv| mv.made_at.0).collect::<Vec<_>>())
        .bind(moves().map(|mv| mv.format).collect::<Vec<_>>())
        .bind(moves().map(|mv| &mv.events[..]).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.game.0).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.made_at.0).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.changed_at.0).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.version as i32).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.status).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.public).collect::<Vec<_>>())
        .bind(summaries().map(|summary| &summary.preset[..]).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.invite_code.as_deref()).collect::<Vec<_>>())
        .bind(summaries().map(|summary| players_to_blob(&summary.players)).collect::<Vec<_>>())
        .bind(summaries().map(|summary| &summary.detail[..]).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.listed).collect::<Vec<_>>())
        .bind(summaries().map(|summary| summary.settles_at).collect::<Vec<Option<Millis>>>())
        .bind(players().map(|(game, _)| game).collect::<Vec<Uuid>>())
        .bind(players().map(|(_, player)| player).collect::<Vec<Uuid>>())
        .bind(requests().map(|(mv, _)| mv.game.0).collect::<Vec<_>>())
        .bind(requests().map(|(_, request)| request.principal).collect::<Vec<_>>())
        .bind(requests().map(|(_, request)| request.request_id).collect::<Vec<_>>())
        .bind(requests().map(|(_, request)| request.fingerprint).collect::<Vec<_>>())
        .bind(requests().map(|(mv, _)| mv.made_at).collect::<Vec<Millis>>())
        .bind(requests().map(|(_, request)| &request.result[..]).collect::<Vec<_>>())
        .bind(alarms().map(|(mv, _)| mv.game.0).collect::<Vec<_>>())
        .bind(alarms().map(|(_, alarm)| alarm_at(alarm)).collect::<Vec<Option<Millis>>>())
        .bind(alarms().map(|(mv, _)| mv.made_at).collect::<Vec<Millis>>())
        .bind(alarms().map(|(mv, _)| i16::from(mv.game.shard())).collect::<Vec<_>>());
    // Reads up to the server's "ready for query", which follows the commit; the rows alone come before it.
    let landings: Vec<(bool, bool)> = query.fetch_all(connection).await?;
    if landings.len() != round.len() {
        return Err(sqlx::Error::Protocol("an append went unanswered".into()));
    }
    Ok(landings
        .into_iter()
        .map(|(linked, landed)| match (linked, landed) {
            (_, true) => Landing::Landed,
            (true, false) => Landing::Conflict,
            (false, false) => Landing::Gap,
        })
        .collect())
}
