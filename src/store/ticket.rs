//! Who waits for a game.

use uuid::Uuid;

use super::{GameId, Millis, Store, StoreError, query};

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[repr(i16)]
pub enum TicketState {
    /// Its party isn't complete yet.
    Gathering = 1,
    /// It waits.
    Queued = 2,
    /// It was claimed for a game that isn't there yet.
    Claimed = 3,
    /// Its game is there.
    Matched = 4,
    /// It was cancelled.
    Cancelled = 5,
    /// Its time is over.
    Expired = 6,
}

impl TicketState {
    /// Whether it may still find a game.
    pub fn is_open(self) -> bool {
        self <= Self::Queued
    }
}

/// A ticket as it is kept. `crate::matchmaking` says what it wishes for.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct TicketRow {
    /// Its id: a version 7 UUID, so ids sort about by the time at which they were made.
    pub ticket_id: Uuid,
    /// The player whose ticket it is.
    pub holder: Uuid,
    /// The API key that has made it; `None` for a player's own.
    pub made_by_key: Option<Uuid>,
    /// When it was made.
    pub made_at: Millis,
    /// When it last changed.
    pub changed_at: Millis,
    /// How often it has changed, from 1.
    pub version: i32,
    /// Where it stands.
    pub state: TicketState,
    /// How many the party is, at least 1.
    pub party_size: i16,
    /// The code by which others join, unique among all tickets.
    pub party_code: Option<String>,
    /// Since when it waits.
    pub queued_at: Option<Millis>,
    /// When it ends if nobody is found.
    pub expires_at: Millis,
    /// Until when it counts as watched; `None` if it doesn't end with its holder's stream.
    pub watched_until: Option<Millis>,
    /// The game that it was claimed for.
    pub game_id: Option<GameId>,
    /// What is wished for, encoded; the store never looks inside.
    pub wish: Vec<u8>,
}

/// The columns of a [`TicketRow`].
macro_rules! ticket_columns {
    () => {
        "tickets.ticket_id, holder, made_by_key, made_at, changed_at, version, state, party_size, party_code, \
         queued_at, expires_at, watched_until, game_id, wish"
    };
}
pub(super) use ticket_columns;

/// A player of a ticket.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct TicketPlayer {
    /// The ticket.
    pub ticket_id: Uuid,
    /// The player.
    pub player_id: Uuid,
    /// The order in which they came, from 0.
    pub place: i16,
    /// How strong he was when he came, encoded; the store never looks inside.
    pub ratings: Vec<u8>,
}

/// Which tickets to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketFilter {
    /// Only those of this player.
    pub player: Option<Uuid>,
    /// Only those that may still find a game, or are claimed for one.
    pub open_only: bool,
    /// Only those with a smaller id.
    pub below: Uuid,
    /// At most so many, by descending id.
    pub limit: u32,
}

impl Store {
    /// A ticket.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ticket(&self, id: Uuid) -> Result<Option<TicketRow>, StoreError> {
        const TICKET: &str = concat!("SELECT ", ticket_columns!(), " FROM tickets WHERE ticket_id = $1");
        Ok(query!(self, readers, |pool| sqlx::query_as(TICKET).bind(id).fetch_optional(pool))?)
    }

    /// The ticket of the party that has a code.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ticket_by_party(&self, code: &str) -> Result<Option<TicketRow>, StoreError> {
        const TICKET: &str = concat!("SELECT ", ticket_columns!(), " FROM tickets WHERE party_code = $1");
        Ok(query!(self, readers, |pool| sqlx::query_as(TICKET).bind(code).fetch_optional(pool))?)
    }

    /// The open ticket of a player.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn open_ticket_of(&self, player: Uuid) -> Result<Option<Uuid>, StoreError> {
        const OPEN: &str = "SELECT ticket_id FROM ticket_players WHERE player_id = $1 AND open";
        Ok(query!(self, readers, |pool| sqlx::query_scalar(OPEN).bind(player).fetch_optional(pool))?)
    }

    /// The players of a ticket, in the order in which they came.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn ticket_players(&self, id: Uuid) -> Result<Vec<TicketPlayer>, StoreError> {
        const PLAYERS: &str = "SELECT ticket_id, player_id, place, ratings FROM ticket_players \
             WHERE ticket_id = $1 ORDER BY place";
        Ok(query!(self, readers, |pool| sqlx::query_as(PLAYERS).bind(id).fetch_all(pool))?)
    }

    /// Tickets by descending id, so the newest come first.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn tickets(&self, filter: TicketFilter) -> Result<Vec<TicketRow>, StoreError> {
        const ALL: &str = concat!(
            "SELECT ",
            ticket_columns!(),
            " FROM tickets WHERE tickets.ticket_id < $1 AND (state <= 3 OR NOT $2) AND $4 IS NULL \
             ORDER BY tickets.ticket_id DESC LIMIT $3"
        );
        const OF_PLAYER: &str = concat!(
            "SELECT ",
            ticket_columns!(),
            " FROM ticket_players JOIN tickets ON tickets.ticket_id = ticket_players.ticket_id \
             WHERE ticket_players.ticket_id < $1 AND (state <= 3 OR NOT $2) AND ticket_players.player_id = $4 \
             ORDER BY ticket_players.ticket_id DESC LIMIT $3"
        );
        let sql = if filter.player.is_some() { OF_PLAYER } else { ALL };
        Ok(query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(filter.below)
            .bind(filter.open_only)
            .bind(i64::from(filter.limit))
            .bind(filter.player)
            .fetch_all(pool))?)
    }

    /// All tickets that wait, and then the players of all that may still find a game: a ticket that has changed in
    /// between has another version by then.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn queued_tickets(&self) -> Result<(Vec<TicketRow>, Vec<TicketPlayer>), StoreError> {
        const QUEUED: &str = concat!("SELECT ", ticket_columns!(), " FROM tickets WHERE state = 2");
        const PLAYERS: &str = "SELECT ticket_id, player_id, place, ratings FROM ticket_players WHERE open";
        let tickets: Vec<TicketRow> = query!(self, readers, |pool| sqlx::query_as(QUEUED).fetch_all(pool))?;
        if tickets.is_empty() {
            return Ok((tickets, Vec::new()));
        }
        Ok((tickets, query!(self, readers, |pool| sqlx::query_as(PLAYERS).fetch_all(pool))?))
    }

    /// Pairs of players with open tickets of whom the first has blocked the second.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn blocks_among_waiting(&self) -> Result<Vec<(Uuid, Uuid)>, StoreError> {
        const BLOCKS: &str = "SELECT blocks.player_id, blocks.blocked_id FROM blocks \
             JOIN ticket_players one ON one.player_id = blocks.player_id AND one.open \
             JOIN ticket_players other ON other.player_id = blocks.blocked_id AND other.open";
        Ok(query!(self, readers, |pool| sqlx::query_as(BLOCKS).fetch_all(pool))?)
    }

    /// How many tickets may still find a game: all, or those that an API key has made.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn count_open_tickets(&self, key: Option<Uuid>) -> Result<u64, StoreError> {
        const COUNT: &str =
            "SELECT count(*) FROM tickets WHERE state <= 3 AND (made_by_key = $1 OR $1 IS NULL)";
        let count: i64 = query!(self, readers, |pool| sqlx::query_scalar(COUNT).bind(key).fetch_one(pool))?;
        Ok(count.unsigned_abs())
    }

    /// The versions of the tickets that have changed at a time or since.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn changed_tickets(&self, since: Millis) -> Result<Vec<(Uuid, i32)>, StoreError> {
        const CHANGED: &str = "SELECT ticket_id, version FROM tickets WHERE changed_at >= $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(CHANGED).bind(since).fetch_all(pool))?)
    }
}
