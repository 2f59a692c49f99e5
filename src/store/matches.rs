//! Games that tickets are claimed for: claimed, made, begun.
//!
//! A claim names the game before it is there, so that whoever finds it unfinished makes that very game: nothing is
//! lost or done twice, whoever dies when.

use sqlx::Connection;
use uuid::Uuid;

use super::ticket_change::barred;
use super::undoable;
use super::{GameId, Millis, Store, StoreError, query};

/// How far a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[repr(i16)]
pub enum MatchState {
    /// Its game has to be made.
    Claimed = 1,
    /// Its game is there, and waits until everybody is ready.
    Made = 2,
    /// Its game has begun, or doesn't any more.
    Begun = 3,
}

/// A game that tickets are claimed for.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct MatchRow {
    /// The game.
    pub game_id: GameId,
    /// When the tickets were claimed.
    pub made_at: Millis,
    /// How far it is.
    pub state: MatchState,
    /// When it begins if somebody isn't ready.
    pub begins_at: Millis,
    /// Who plays what, encoded; the store never looks inside.
    pub plan: Vec<u8>,
}

/// Tickets to be claimed for a game, each with the version at which it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The match, which is still to be written.
    pub of: MatchRow,
    /// The tickets, which all must wait still.
    pub tickets: Vec<(Uuid, i32)>,
}

const CLAIM: &str = "UPDATE tickets SET state = 3, game_id = $3, version = version + 1, changed_at = $4 \
     WHERE ticket_id = $1 AND version = $2 AND state = 2";

const CLOSE: &str = "UPDATE ticket_players SET open = FALSE WHERE ticket_id = $1";

/// Players of a game's tickets who have blocked each other.
const APART: &str = "SELECT count(*) FROM tickets \
     JOIN ticket_players ON ticket_players.ticket_id = tickets.ticket_id \
     JOIN blocks ON blocks.player_id = ticket_players.player_id \
     JOIN ticket_players other ON other.player_id = blocks.blocked_id \
     JOIN tickets theirs ON theirs.ticket_id = other.ticket_id AND theirs.game_id = $1 \
     WHERE tickets.game_id = $1";

/// Players of a game's tickets who are banned at a time, or erased.
const BARRED: &str = concat!(
    "SELECT count(*) FROM tickets JOIN ticket_players ON ticket_players.ticket_id = tickets.ticket_id \
     WHERE tickets.game_id = $1 AND ",
    barred!("$2")
);

const ADD: &str =
    "INSERT INTO matches (game_id, made_at, state, begins_at, plan) VALUES ($1, $2, $3, $4, $5)";

const MADE: &str = "UPDATE matches SET state = 2 WHERE game_id = $1 AND state = 1";

const MATCHED: &str = "UPDATE tickets SET state = 4, version = version + 1, changed_at = $2 \
     WHERE game_id = $1 AND state = 3";

impl Store {
    /// Claims tickets for games: each game gets all of its tickets, or none if one of them has changed since, if two of
    /// their players are kept apart by now, or if one is banned or erased. Says of each whether it got them.
    ///
    /// # Errors
    /// The database is unavailable or damaged: the claims may be written or not.
    pub async fn claim_tickets(&self, claims: &[Claim]) -> Result<Vec<bool>, StoreError> {
        let claimed = undoable!(self, |connection| async {
            let mut claimed = Vec::with_capacity(claims.len());
            for claim in claims {
                let mut one = connection.begin().await?;
                let game = claim.of.game_id;
                let mut all = true;
                for (ticket, version) in &claim.tickets {
                    let update = sqlx::query(CLAIM).bind(*ticket).bind(*version);
                    let update = update.bind(game).bind(claim.of.made_at);
                    all = all && update.execute(&mut *one).await?.rows_affected() == 1;
                    sqlx::query(CLOSE).bind(*ticket).execute(&mut *one).await?;
                }
                let apart: i64 = sqlx::query_scalar(APART).bind(game).fetch_one(&mut *one).await?;
                let barred = sqlx::query_scalar(BARRED).bind(game).bind(claim.of.made_at);
                let barred: i64 = barred.fetch_one(&mut *one).await?;
                if all && apart == 0 && barred == 0 {
                    let MatchRow { made_at, state, begins_at, plan, .. } = &claim.of;
                    let add = sqlx::query(ADD).bind(game).bind(*made_at).bind(*state);
                    add.bind(*begins_at).bind(&plan[..]).execute(&mut *one).await?;
                    one.commit().await?;
                    claimed.push(true);
                } else {
                    one.rollback().await?;
                    claimed.push(false);
                }
            }
            Ok::<_, sqlx::Error>((claimed, true))
        });
        Ok(claimed)
    }

    /// Notes that the games of matches are there: their tickets are matched.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn matches_made(&self, games: &[GameId], now: Millis) -> Result<(), StoreError> {
        undoable!(self, |connection| async {
            for game in games {
                sqlx::query(MADE).bind(*game).execute(&mut *connection).await?;
                sqlx::query(MATCHED).bind(*game).bind(now).execute(&mut *connection).await?;
            }
            Ok::<_, sqlx::Error>(((), true))
        });
        Ok(())
    }

    /// Notes that the game of a match has begun, or doesn't any more.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn match_begun(&self, game: GameId) -> Result<(), StoreError> {
        const BEGUN: &str = "UPDATE matches SET state = 3 WHERE game_id = $1 AND state = 2";
        let noted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(BEGUN).bind(game).execute(pool).await.map(drop)
        });
        Ok(noted?)
    }

    /// A match.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn match_of(&self, game: GameId) -> Result<Option<MatchRow>, StoreError> {
        const MATCH: &str = "SELECT game_id, made_at, state, begins_at, plan FROM matches WHERE game_id = $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(MATCH).bind(game).fetch_optional(pool))?)
    }

    /// The matches whose game has to be made, and those whose game has to begin by a time; at most `limit`.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn unfinished_matches(&self, now: Millis, limit: u32) -> Result<Vec<MatchRow>, StoreError> {
        const UNFINISHED: &str = "SELECT game_id, made_at, state, begins_at, plan FROM matches \
             WHERE state < 3 AND (state = 1 OR begins_at <= $1) ORDER BY state, begins_at LIMIT $2";
        Ok(query!(self, readers, |pool| sqlx::query_as(UNFINISHED)
            .bind(now)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }
}
