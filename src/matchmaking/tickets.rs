//! Making, joining, cancelling and showing tickets.

use remik_matchmaking::SeatCounts;
use remik_rules::preset::Preset;
use remik_rules::ruleset::RulesetFault;
use remik_rules::seat::PlayerId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::kept::{Ratings, write};
use super::{Attending, Matchmaking, MatchmakingError, Wish};
use crate::ratings::Rating;
use crate::store::{
    Millis, Request, TicketChange, TicketFilter, TicketOutcome, TicketPlayer, TicketRow, TicketState,
};
use crate::tables::invite_code;

/// How often a change is tried anew because others were faster.
const TRIES: usize = 16;

/// For whom a ticket is made, shown or cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A player, about tickets of his own.
    Player(PlayerId),
    /// A backend that looks after all of them, by its key.
    Backend(Uuid),
}

/// A ticket to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTicket {
    /// Who asks for it. Request ids are his.
    pub caller: Caller,
    /// The client's id for the command.
    pub request_id: Uuid,
    /// Who plays so far, each once: at least one, the holder first.
    pub players: Vec<PlayerId>,
    /// How many the party is to be, at least as many as are there.
    pub party_size: u8,
    /// What they wish for.
    pub wish: Wish,
    /// Whether it ends with its holder's stream.
    pub ends_with_stream: bool,
}

/// A ticket, whether or not it still waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The ticket.
    pub row: TicketRow,
    /// Its players.
    pub players: Vec<PlayerId>,
    /// What they wish for.
    pub wish: Wish,
}

/// Which tickets to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TicketQuery {
    /// Only those of this player.
    pub player: Option<PlayerId>,
    /// Only those that aren't over.
    pub open_only: bool,
    /// The last ticket of the page before.
    pub after: Option<Uuid>,
    /// How many at most.
    pub size: u32,
}

impl Caller {
    const fn principal(self) -> Uuid {
        match self {
            Self::Player(player) => Uuid::from_u128(player.0),
            Self::Backend(key) => key,
        }
    }

    /// The key that a ticket belongs to which he makes.
    const fn key(self) -> Option<Uuid> {
        match self {
            Self::Player(_) => None,
            Self::Backend(key) => Some(key),
        }
    }
}

impl NewTicket {
    fn fingerprint(&self) -> i64 {
        let ids: Vec<u128> = self.players.iter().map(|player| player.0).collect();
        let whole = write(&(ids, self.party_size, &self.wish, self.ends_with_stream));
        let digest = Sha256::new().chain_update(b"ticket").chain_update(whole).finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        i64::from_be_bytes(first)
    }

    /// Whether the party fits at a table of every preset.
    fn check_seats(&self) -> Result<(), RulesetFault> {
        for preset in &self.wish.presets {
            let (least, most) = preset.ruleset().seats;
            let wished = self.wish.seat_counts();
            if !wished.and(SeatCounts::of(*preset)).iter().any(|count| count >= self.party_size) {
                let seats = wished.iter().next_back().unwrap_or_default().max(self.party_size);
                let seats = if (least..=most).contains(&seats) { self.party_size } else { seats };
                return Err(RulesetFault::SeatsOutOfRange { seats, least, most });
            }
        }
        Ok(())
    }
}

impl Matchmaking {
    /// Makes a ticket, or finds the one that the same command has made before.
    ///
    /// # Errors
    /// A player has an open ticket, two of them are kept apart, there are too many tickets, or no table suits them.
    pub async fn create(&self, new: &NewTicket) -> Result<Waiting, MatchmakingError> {
        new.check_seats()?;
        for _ in 0..TRIES {
            if let Some(made) = self.made_before(new).await? {
                return Ok(made);
            }
            self.check_room(new.caller).await?;
            if self.are_apart(&new.players).await? {
                return Err(MatchmakingError::PartyApart);
            }
            let (row, players) = self.rows(new).await?;
            let request = Request {
                principal: new.caller.principal(),
                request_id: new.request_id,
                fingerprint: new.fingerprint(),
                result: row.ticket_id.as_bytes().to_vec().into(),
            };
            match self.store().add_ticket(&row, &players, &request).await? {
                TicketOutcome::Done => return self.waiting(row).await,
                TicketOutcome::Conflict => {}
                TicketOutcome::PlayerTaken(player) => {
                    // The same command may have come twice at the same time.
                    if let Some(made) = self.made_before(new).await? {
                        return Ok(made);
                    }
                    return Err(self.already_queued(player).await?);
                }
            }
        }
        Err(MatchmakingError::Contended)
    }

    async fn made_before(&self, new: &NewTicket) -> Result<Option<Waiting>, MatchmakingError> {
        let found = self.store().request(new.caller.principal(), new.request_id).await?;
        let Some(request) = found else { return Ok(None) };
        if request.fingerprint != new.fingerprint() {
            return Err(MatchmakingError::RequestReused);
        }
        let id = Uuid::from_slice(&request.result).map_err(|_| MatchmakingError::NotFound)?;
        let row = self.store().ticket(id).await?.ok_or(MatchmakingError::NotFound)?;
        self.waiting(row).await.map(Some)
    }

    async fn check_room(&self, caller: Caller) -> Result<(), MatchmakingError> {
        let most = self.settings.tickets;
        if self.store().count_open_tickets(None).await? >= u64::from(most) {
            return Err(MatchmakingError::Full);
        }
        let Some(key) = caller.key() else { return Ok(()) };
        let most = self.settings.tickets_of_key;
        if self.store().count_open_tickets(Some(key)).await? >= u64::from(most) {
            return Err(MatchmakingError::TooMany(most));
        }
        Ok(())
    }

    async fn rows(&self, new: &NewTicket) -> Result<(TicketRow, Vec<TicketPlayer>), MatchmakingError> {
        let (id, now) = (Uuid::now_v7(), self.now());
        let complete = new.players.len() >= new.party_size.into();
        let seconds = |seconds: u32| Millis(now.0.saturating_add(i64::from(seconds) * 1000));
        let row = TicketRow {
            ticket_id: id,
            holder: new.players.first().map_or_else(Uuid::nil, |player| Uuid::from_u128(player.0)),
            made_by_key: new.caller.key(),
            made_at: now,
            changed_at: now,
            version: 1,
            state: if complete { TicketState::Queued } else { TicketState::Gathering },
            party_size: new.party_size.into(),
            party_code: (!complete).then(invite_code),
            queued_at: complete.then_some(now),
            expires_at: seconds(self.settings.ticket_seconds.get()),
            watched_until: new.ends_with_stream.then(|| seconds(self.settings.grace_seconds.get())),
            game_id: None,
            wish: write(&new.wish),
        };
        let mut players = Vec::with_capacity(new.players.len());
        for (place, player) in (0..).zip(&new.players) {
            players.push(self.player(id, place, *player, &new.wish.presets).await?);
        }
        Ok((row, players))
    }

    async fn player(
        &self,
        ticket_id: Uuid,
        place: i16,
        player: PlayerId,
        presets: &[Preset],
    ) -> Result<TicketPlayer, MatchmakingError> {
        let player_id = Uuid::from_u128(player.0);
        let mut ratings = Ratings::new();
        for preset in presets {
            let rating = Rating::of(self.store(), player_id, *preset).await?;
            ratings.insert(preset.name().to_owned(), rating.points());
        }
        Ok(TicketPlayer { ticket_id, player_id, place, ratings: write(&ratings) })
    }

    /// Joins a party by its code; who is in it already stays.
    ///
    /// # Errors
    /// There is no such party, it is complete, or the player has another open ticket. A party with somebody from whom
    /// he is kept apart isn't there for him.
    pub async fn join(&self, player: PlayerId, code: &str) -> Result<Waiting, MatchmakingError> {
        for _ in 0..TRIES {
            let row = self.store().ticket_by_party(code).await?;
            let waiting = self.waiting(row.ok_or(MatchmakingError::PartyNotFound)?).await?;
            let Waiting { row, players, wish } = &waiting;
            if players.contains(&player) {
                return Ok(waiting);
            }
            match row.state {
                TicketState::Gathering => {}
                TicketState::Queued => return Err(MatchmakingError::PartyFull(size(row))),
                _ => return Err(MatchmakingError::PartyNotFound),
            }
            let everybody: Vec<PlayerId> = players.iter().copied().chain([player]).collect();
            if self.are_apart(&everybody).await? {
                return Err(MatchmakingError::PartyNotFound);
            }
            let complete = everybody.len() >= usize::from(size(row));
            let places = self.store().ticket_players(row.ticket_id).await?;
            let place = places.iter().map(|player| player.place + 1).max().unwrap_or_default();
            let now = self.now();
            let change = TicketChange {
                ticket_id: row.ticket_id,
                version: row.version,
                state: if complete { TicketState::Queued } else { TicketState::Gathering },
                queued_at: complete.then_some(now),
                joins: Some(self.player(row.ticket_id, place, player, &wish.presets).await?),
                leaves: None,
                now,
            };
            match self.store().change_ticket(&change).await? {
                TicketOutcome::Done => return self.changed(row.ticket_id).await,
                TicketOutcome::Conflict => {}
                TicketOutcome::PlayerTaken(player) => return Err(self.already_queued(player).await?),
            }
        }
        Err(MatchmakingError::Contended)
    }

    /// Cancels a ticket; whoever is in another's party leaves it.
    ///
    /// # Errors
    /// There is no such ticket for the caller, or it is over but for having been cancelled.
    pub async fn cancel(&self, caller: Caller, id: Uuid) -> Result<Waiting, MatchmakingError> {
        for _ in 0..TRIES {
            let waiting = self.ticket(caller, id).await?;
            let row = &waiting.row;
            match row.state {
                TicketState::Gathering | TicketState::Queued => {}
                TicketState::Cancelled => return Ok(waiting),
                state => return Err(MatchmakingError::Closed(state)),
            }
            let leaves = match caller {
                Caller::Player(player) => Some(Uuid::from_u128(player.0)).filter(|id| *id != row.holder),
                Caller::Backend(_) => None,
            };
            let change = TicketChange {
                ticket_id: id,
                version: row.version,
                // A backend's party has no code by which it could gather again.
                state: match leaves {
                    Some(_) if row.party_code.is_some() => TicketState::Gathering,
                    _ => TicketState::Cancelled,
                },
                queued_at: None,
                joins: None,
                leaves: leaves.filter(|_| row.party_code.is_some()),
                now: self.now(),
            };
            if self.store().change_ticket(&change).await? == TicketOutcome::Done {
                return self.changed(id).await;
            }
        }
        Err(MatchmakingError::Contended)
    }

    /// A ticket that the caller may see: a player his own.
    ///
    /// # Errors
    /// There is none.
    pub async fn ticket(&self, caller: Caller, id: Uuid) -> Result<Waiting, MatchmakingError> {
        let row = self.store().ticket(id).await?.ok_or(MatchmakingError::NotFound)?;
        let waiting = self.waiting(row).await?;
        match caller {
            Caller::Player(player) if !waiting.players.contains(&player) => Err(MatchmakingError::NotFound),
            _ => Ok(waiting),
        }
    }

    /// The tickets of a query, the newest first, and the last of them if there are more.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn list(&self, query: TicketQuery) -> Result<(Vec<Waiting>, Option<Uuid>), MatchmakingError> {
        let filter = TicketFilter {
            player: query.player.map(|player| Uuid::from_u128(player.0)),
            open_only: query.open_only,
            // No id is above the greatest one.
            below: query.after.unwrap_or_else(Uuid::max),
            limit: query.size + 1,
        };
        let mut rows = self.store().tickets(filter).await?;
        let more = rows.len() > query.size as usize;
        rows.truncate(query.size as usize);
        let next = rows.last().filter(|_| more).map(|row| row.ticket_id);
        let mut tickets = Vec::with_capacity(rows.len());
        for row in rows {
            tickets.push(self.waiting(row).await?);
        }
        Ok((tickets, next))
    }

    /// Begins to watch a ticket that the caller may see; whoever has it for his own keeps it from ending.
    ///
    /// # Errors
    /// There is none.
    pub async fn attend(&self, caller: Caller, id: Uuid) -> Result<(Attending, Waiting), MatchmakingError> {
        let holds = |waiting: &Waiting| match caller {
            Caller::Player(player) => waiting.row.holder == Uuid::from_u128(player.0),
            Caller::Backend(_) => true,
        };
        let holds = holds(&self.ticket(caller, id).await?);
        // Looked at again: what changes from now on is heard of.
        let attending = self.attendance.attend(id, holds);
        if holds {
            self.keep_watched(&[id]).await?;
        }
        Ok((attending, self.ticket(caller, id).await?))
    }

    /// Notes that tickets are watched: the grace begins anew.
    pub(super) async fn keep_watched(&self, tickets: &[Uuid]) -> Result<(), MatchmakingError> {
        let grace = i64::from(self.settings.grace_seconds.get()) * 1000;
        let until = Millis(self.now().0.saturating_add(grace));
        Ok(self.store().keep_tickets_watched(tickets, until).await?)
    }

    async fn changed(&self, id: Uuid) -> Result<Waiting, MatchmakingError> {
        let row = self.store().ticket(id).await?.ok_or(MatchmakingError::NotFound)?;
        self.attendance.tell(&[(id, row.version)]);
        self.waiting(row).await
    }

    async fn waiting(&self, row: TicketRow) -> Result<Waiting, MatchmakingError> {
        let players = self.store().ticket_players(row.ticket_id).await?;
        let players = players.iter().map(|player| PlayerId(player.player_id.as_u128())).collect();
        Ok(Waiting { wish: Wish::of(&row)?, players, row })
    }

    async fn are_apart(&self, players: &[PlayerId]) -> Result<bool, MatchmakingError> {
        if players.len() < 2 {
            return Ok(false);
        }
        for player in players {
            let apart = self.store().apart_from(Uuid::from_u128(player.0)).await?;
            if players.iter().any(|other| apart.contains(&Uuid::from_u128(other.0))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn already_queued(&self, player: Uuid) -> Result<MatchmakingError, MatchmakingError> {
        let ticket = self.store().open_ticket_of(player).await?;
        Ok(MatchmakingError::AlreadyQueued { player: PlayerId(player.as_u128()), ticket })
    }
}

fn size(row: &TicketRow) -> u8 {
    row.party_size.try_into().unwrap_or(u8::MAX)
}
