//! Tickets that are made and changed.

use uuid::Uuid;

use super::undoable;
use super::{Millis, Request, Store, StoreError, TicketPlayer, TicketRow, TicketState, query};

/// What became of a new ticket, or of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketOutcome {
    /// It is written.
    Done,
    /// Somebody else was faster: nothing is written.
    Conflict,
    /// The player has another open ticket: nothing is written.
    PlayerTaken(Uuid),
}

/// A change of one ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketChange {
    /// The ticket.
    pub ticket_id: Uuid,
    /// The version that it has; after the change it has the next.
    pub version: i32,
    /// Where it stands then. If that isn't open, its players may have other tickets.
    pub state: TicketState,
    /// Since when it waits then.
    pub queued_at: Option<Millis>,
    /// Who joins it.
    pub joins: Option<TicketPlayer>,
    /// Who leaves it.
    pub leaves: Option<Uuid>,
    /// When it is changed.
    pub now: Millis,
}

const ADD: &str = "INSERT INTO tickets (ticket_id, holder, made_by_key, made_at, changed_at, version, state, \
     party_size, party_code, queued_at, expires_at, watched_until, game_id, wish) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING";

const ADD_PLAYER: &str = "INSERT INTO ticket_players (ticket_id, player_id, place, ratings, open) \
     VALUES ($1, $2, $3, $4, TRUE) ON CONFLICT DO NOTHING";

const ANSWER: &str = "INSERT INTO requests (principal, request_id, fingerprint, made_at, result) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";

const CHANGE: &str = "UPDATE tickets SET state = $3, queued_at = $4, changed_at = $5, version = version + 1 \
     WHERE ticket_id = $1 AND version = $2";

const LEAVE: &str = "DELETE FROM ticket_players WHERE ticket_id = $1 AND player_id = $2";

const CLOSE: &str = "UPDATE ticket_players SET open = FALSE WHERE ticket_id = $1";

/// Whether a row of `ticket_players` is of somebody who is erased, or banned at a time.
macro_rules! barred {
    ($now:literal) => {
        concat!(
            "(EXISTS (SELECT 1 FROM bans WHERE bans.player_id = ticket_players.player_id \
             AND (bans.until IS NULL OR bans.until > ",
            $now,
            ")) OR EXISTS (SELECT 1 FROM erasures WHERE erasures.player_id = ticket_players.player_id))"
        )
    };
}

/// Whoever isn't watched any more, whose time is over, or who mayn't play.
macro_rules! overdue {
    () => {
        concat!(
            "state <= 2 AND (expires_at <= $1 OR watched_until <= $1 OR EXISTS (SELECT 1 FROM ticket_players \
             WHERE ticket_players.ticket_id = tickets.ticket_id AND ",
            barred!("$1"),
            "))"
        )
    };
}

const OVERDUE: &str = concat!("SELECT count(*) FROM tickets WHERE ", overdue!());

const END_OVERDUE: &str = concat!(
    "UPDATE tickets SET state = CASE WHEN expires_at <= $1 THEN 6 ELSE 5 END, version = version + 1, \
     changed_at = $1 WHERE ",
    overdue!()
);

/// `$1` is the player, `$2` the time; watchers are told of what has changed lately.
pub(super) const CANCEL_OF_PLAYER: &str = "UPDATE tickets SET state = 5, version = version + 1, \
     changed_at = CASE WHEN changed_at > $2 THEN changed_at ELSE $2 END \
     WHERE state <= 2 AND ticket_id IN (SELECT ticket_id FROM ticket_players WHERE player_id = $1 AND open)";

pub(super) const CLOSE_OF_PLAYER: &str = "UPDATE ticket_players SET open = FALSE WHERE open AND ticket_id IN \
     (SELECT tickets.ticket_id FROM tickets JOIN ticket_players AS his ON his.ticket_id = tickets.ticket_id \
     WHERE his.player_id = $1 AND tickets.state = 5)";

/// Cancels the open tickets in which a player is. Safe to do again.
macro_rules! cancel_tickets {
    ($player:expr, $now:expr, $executor:expr) => {{
        use $crate::store::ticket_change::{CANCEL_OF_PLAYER, CLOSE_OF_PLAYER};
        sqlx::query(CANCEL_OF_PLAYER).bind($player).bind($now).execute($executor).await?;
        sqlx::query(CLOSE_OF_PLAYER).bind($player).execute($executor).await?;
    }};
}

pub(super) use {barred, cancel_tickets};

const CLOSE_ENDED: &str = "UPDATE ticket_players SET open = FALSE WHERE open AND EXISTS \
     (SELECT 1 FROM tickets WHERE tickets.ticket_id = ticket_players.ticket_id AND tickets.state >= 5)";

impl Store {
    /// Keeps a new ticket with its players and the answer to the command that has made it.
    ///
    /// # Errors
    /// The database is unavailable or damaged: the ticket may be there or not.
    pub async fn add_ticket(
        &self,
        ticket: &TicketRow,
        players: &[TicketPlayer],
        request: &Request,
    ) -> Result<TicketOutcome, StoreError> {
        let outcome = undoable!(self, |connection| async {
            let answer = sqlx::query(ANSWER).bind(request.principal).bind(request.request_id);
            let answer = answer.bind(request.fingerprint).bind(ticket.made_at).bind(&request.result[..]);
            if answer.execute(&mut *connection).await?.rows_affected() == 0 {
                return Ok::<_, sqlx::Error>((TicketOutcome::Conflict, false));
            }
            let add = sqlx::query(ADD).bind(ticket.ticket_id).bind(ticket.holder).bind(ticket.made_by_key);
            let add = add.bind(ticket.made_at).bind(ticket.changed_at).bind(ticket.version);
            let add = add.bind(ticket.state).bind(ticket.party_size).bind(&ticket.party_code);
            let add = add.bind(ticket.queued_at).bind(ticket.expires_at).bind(ticket.watched_until);
            let add = add.bind(ticket.game_id).bind(&ticket.wish[..]);
            // Another party has this code.
            if add.execute(&mut *connection).await?.rows_affected() == 0 {
                return Ok((TicketOutcome::Conflict, false));
            }
            for player in players {
                let add = sqlx::query(ADD_PLAYER).bind(player.ticket_id).bind(player.player_id);
                let add = add.bind(player.place).bind(&player.ratings[..]);
                if add.execute(&mut *connection).await?.rows_affected() == 0 {
                    return Ok((TicketOutcome::PlayerTaken(player.player_id), false));
                }
            }
            Ok((TicketOutcome::Done, true))
        });
        Ok(outcome)
    }

    /// Changes a ticket, if it still has the version that the change is for.
    ///
    /// # Errors
    /// The database is unavailable or damaged: the change may be made or not.
    pub async fn change_ticket(&self, change: &TicketChange) -> Result<TicketOutcome, StoreError> {
        let outcome = undoable!(self, |connection| async {
            let update = sqlx::query(CHANGE).bind(change.ticket_id).bind(change.version).bind(change.state);
            let update = update.bind(change.queued_at).bind(change.now);
            if update.execute(&mut *connection).await?.rows_affected() == 0 {
                return Ok::<_, sqlx::Error>((TicketOutcome::Conflict, false));
            }
            if let Some(player) = change.leaves {
                let leave = sqlx::query(LEAVE).bind(change.ticket_id).bind(player);
                leave.execute(&mut *connection).await?;
            }
            if let Some(player) = &change.joins {
                let join = sqlx::query(ADD_PLAYER).bind(player.ticket_id).bind(player.player_id);
                let join = join.bind(player.place).bind(&player.ratings[..]);
                if join.execute(&mut *connection).await?.rows_affected() == 0 {
                    return Ok((TicketOutcome::PlayerTaken(player.player_id), false));
                }
            }
            if !change.state.is_open() {
                sqlx::query(CLOSE).bind(change.ticket_id).execute(&mut *connection).await?;
            }
            Ok((TicketOutcome::Done, true))
        });
        Ok(outcome)
    }

    /// Ends the open tickets whose time is over, that nobody watches any more though they end with their stream, or in
    /// which somebody is banned or erased. Says how many.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn end_overdue_tickets(&self, now: Millis) -> Result<u64, StoreError> {
        let overdue: i64 =
            query!(self, readers, |pool| sqlx::query_scalar(OVERDUE).bind(now).fetch_one(pool))?;
        if overdue == 0 {
            return Ok(0);
        }
        let ended = undoable!(self, |connection| async {
            let ended = sqlx::query(END_OVERDUE).bind(now).execute(&mut *connection).await?.rows_affected();
            sqlx::query(CLOSE_ENDED).execute(&mut *connection).await?;
            Ok::<_, sqlx::Error>((ended, true))
        });
        Ok(ended)
    }

    /// Notes that open tickets are watched until a time, those of them that end with their stream.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn keep_tickets_watched(&self, tickets: &[Uuid], until: Millis) -> Result<(), StoreError> {
        const KEEP: &str = "UPDATE tickets SET watched_until = $2 \
             WHERE ticket_id = $1 AND state <= 2 AND watched_until < $2";
        undoable!(self, |connection| async {
            for ticket in tickets {
                sqlx::query(KEEP).bind(*ticket).bind(until).execute(&mut *connection).await?;
            }
            Ok::<_, sqlx::Error>(((), true))
        });
        Ok(())
    }

    /// Forgets the tickets and matches that were over before a time, and says how many tickets.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sweep_tickets(&self, older_than: Millis) -> Result<u64, StoreError> {
        const PLAYERS: &str = "DELETE FROM ticket_players WHERE ticket_id IN \
             (SELECT ticket_id FROM tickets WHERE changed_at < $1 AND state >= 4)";
        const TICKETS: &str = "DELETE FROM tickets WHERE changed_at < $1 AND state >= 4";
        const MATCHES: &str = "DELETE FROM matches WHERE made_at < $1 AND state = 3";
        let swept = undoable!(self, |connection| async {
            sqlx::query(PLAYERS).bind(older_than).execute(&mut *connection).await?;
            let swept = sqlx::query(TICKETS).bind(older_than).execute(&mut *connection).await?;
            sqlx::query(MATCHES).bind(older_than).execute(&mut *connection).await?;
            Ok::<_, sqlx::Error>((swept.rows_affected(), true))
        });
        Ok(swept)
    }
}
