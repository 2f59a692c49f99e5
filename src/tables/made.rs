//! Opening a table.

use std::sync::Arc;

use rand::RngExt;
use remik_rules::decide::{create, create_sandbox};
use remik_rules::event::{Event, Viewer};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{RULES_VERSION, Ruleset};
use remik_rules::sandbox::Arrangement;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;
use uuid::Uuid;

use super::error::Damage;
use super::state::{Played, State};
use super::{Answer, LiveTable, Meta, TableError, Tables, request, summary};
use crate::codec::log;
use crate::codec::summary::Spectators;
use crate::fairness::Fairness;
use crate::store::{self, Append, AppendError, GameId, Request, StoreError};

/// The letters and digits of invite codes: none that is easily taken for another.
const CODE_LETTERS: &[u8] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/// How long an invite code is: 31⁸ codes, so that none is found by trying.
const CODE_LENGTH: usize = 8;

/// How often another code is tried where one is taken.
const TRIES: usize = 8;

/// What a new game is to be.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// Who asks for it: a player, or a backend's key. Request ids are his.
    pub principal: Uuid,
    /// Who opens it and takes its first seat.
    pub by: PlayerId,
    /// Who takes the seats behind it.
    pub others: Vec<PlayerId>,
    /// The preset that the rules come from.
    pub preset: Preset,
    /// The rules in full.
    pub rules: Ruleset,
    /// How many seats it has.
    pub seats: u8,
    /// Whether anybody may find it.
    pub public: bool,
    /// Who may look on.
    pub spectators: Spectators,
    /// What is chosen for it, if it is a sandbox.
    pub sandbox: Option<Arrangement>,
    /// The client's id for the command.
    pub request_id: Uuid,
}

impl NewGame {
    /// A player's table that anybody may find, sit down at and watch.
    pub fn public(by: PlayerId, preset: Preset, rules: Ruleset, seats: u8, request_id: Uuid) -> Self {
        Self {
            principal: Uuid::from_u128(by.0),
            by,
            others: Vec::new(),
            preset,
            rules,
            seats,
            public: true,
            spectators: Spectators::Anybody { delay_seconds: 0 },
            sandbox: None,
            request_id,
        }
    }

    /// What tells this command from another one under the same request id.
    fn fingerprint(&self) -> i64 {
        let created = Event::GameCreated {
            rules: Box::new(self.rules.clone()),
            rules_version: RULES_VERSION,
            seats: self.seats,
        };
        let arranged = self.sandbox.clone().map(Box::new);
        let arranged = arranged.map(|arrangement| Event::SandboxArranged { arrangement });
        let events: Vec<Event> = [created].into_iter().chain(arranged).chain(self.seats_taken()).collect();
        let delay = match self.spectators {
            Spectators::Nobody => "none".to_owned(),
            Spectators::Anybody { delay_seconds } => delay_seconds.to_string(),
        };
        let mut bytes = format!("create {} {} {delay} ", self.preset, self.public).into_bytes();
        bytes.extend(log::encode_move(&events));
        request::fingerprint(self.by, bytes)
    }

    fn seats_taken(&self) -> impl Iterator<Item = Event> {
        let players = [self.by].into_iter().chain(self.others.iter().copied());
        Seat::first(self.seats).zip(players).map(|(seat, player)| Event::SeatTaken { seat, player })
    }

    /// The events of its first move.
    fn events(&self, game: GameId) -> Result<Vec<Event>, TableError> {
        let rules = self.rules.clone();
        let mut events = match self.sandbox.clone() {
            None => create(rules, self.seats, &mut Fairness::of(game))?,
            Some(arrangement) => {
                let mut chance = Fairness::of_sandbox(&arrangement.seed, 0);
                create_sandbox(rules, self.seats, arrangement, &mut chance)?
            }
        };
        events.extend(self.seats_taken());
        Ok(events)
    }
}

impl Tables {
    /// Opens a table, or finds the one that the same command has opened before.
    ///
    /// # Errors
    /// Rules that don't go together, another command under the same request id, or a store that can't take it.
    pub async fn create(&self, new: NewGame) -> Result<(Arc<LiveTable>, Answer), TableError> {
        let principal = new.principal;
        if let Some(made) = self.made_before(&new, principal).await? {
            return Ok(made);
        }
        for _ in 0..TRIES {
            let game = GameId::generate();
            let events = new.events(game)?;
            let Some(table) = Table::replay(&events) else {
                return Err(TableError::Damaged(Damage::OutOfPlace(1)));
            };
            let now = self.clock().now();
            let meta = Meta {
                game,
                preset: new.preset,
                public: new.public,
                spectators: new.spectators,
                invite_code: Some(invite_code()),
                made_at: store::Millis(now.0),
            };
            let mv = store::Move {
                game,
                number: 1,
                seat: Some(0),
                request_id: Some(new.request_id),
                fingerprint: Some(new.fingerprint()),
                made_at: meta.made_at,
                format: log::FORMAT,
                events: log::encode_move(&events),
            };
            let request = Request {
                principal,
                request_id: new.request_id,
                fingerprint: new.fingerprint(),
                result: game.0.as_bytes().to_vec().into(),
            };
            let played = Played::new(&mv, events);
            let summary = summary::of(&meta, &table, 1, meta.made_at);
            let append = Append { mv, summary: Some(summary), request: Some(request), alarm: None };
            match self.store().append(append).await {
                Ok(()) => {
                    let state = State::first(table, played, meta.spectators);
                    let live = LiveTable::new(meta, self, state);
                    let live = self.cache().insert(game, live);
                    let answer = live.first_answer(new.by).await?;
                    return Ok((live, answer));
                }
                Err(AppendError::InviteTaken | AppendError::Conflict) => {}
                // Somebody sent the same command at the same time.
                Err(AppendError::RequestTaken) => {
                    if let Some(made) = self.made_before(&new, principal).await? {
                        return Ok(made);
                    }
                }
                // The game may be there; if it isn't, the client sends the command again.
                Err(AppendError::Unknown(cause)) => {
                    let made = self.made_before(&new, principal).await?;
                    return made.ok_or(TableError::Unavailable(StoreError::Unavailable(cause)));
                }
                Err(AppendError::Overloaded) => return Err(TableError::Overloaded),
                Err(AppendError::Closed) => return Err(TableError::Stopping),
                Err(error @ AppendError::Rejected(_)) => {
                    return Err(TableError::Damaged(Damage::Append(error)));
                }
            }
        }
        Err(TableError::Contended)
    }

    async fn made_before(
        &self,
        new: &NewGame,
        principal: Uuid,
    ) -> Result<Option<(Arc<LiveTable>, Answer)>, TableError> {
        let Some(request) = self.store().request(principal, new.request_id).await? else { return Ok(None) };
        if request.fingerprint != new.fingerprint() {
            return Err(TableError::RequestReused);
        }
        let id = Uuid::from_slice(&request.result).map_err(|_| TableError::NotFound)?;
        let live = self.get(GameId(id)).await?;
        let answer = live.first_answer(new.by).await?;
        Ok(Some((live, answer)))
    }
}

impl LiveTable {
    /// The answer to the command that opened the table.
    async fn first_answer(&self, player: PlayerId) -> Result<Answer, TableError> {
        let first = self.moves_after(0, 1).await?.into_iter().next();
        let played = first.ok_or(TableError::Damaged(Damage::OutOfPlace(1)))?;
        let table = Table::replay(&played.events).ok_or(TableError::Damaged(Damage::OutOfPlace(1)))?;
        let viewer = table.seat_of(player).map_or(Viewer::Public, Viewer::Seat);
        Ok(Answer { view: table.view(viewer), viewer, played })
    }
}

fn invite_code() -> String {
    let mut rng = rand::rng();
    (0..CODE_LENGTH).map(|_| CODE_LETTERS[rng.random_range(0..CODE_LETTERS.len())] as char).collect()
}
