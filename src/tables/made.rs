//! Opening a table.

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::{Actor, Command};
use remik_rules::decide::{create, create_sandbox, decide};
use remik_rules::event::{Event, Viewer};
use remik_rules::evolve::evolve;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{RULES_VERSION, Ruleset};
use remik_rules::sandbox::Arrangement;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::table::Table;
use uuid::Uuid;

use super::error::Damage;
use super::state::{Played, State};
use super::{Answer, LiveTable, Meta, Next, TableError, Tables, alarm, request, summary};
use crate::codec::log;
use crate::codec::settings::Settings;
use crate::codec::summary::Spectators;
use crate::fairness::Fairness;
use crate::store::{self, AlarmChange, Append, AppendError, GameId, Request, StoreError};

/// The letters and digits of invite codes: none that is easily taken for another.
const CODE_LETTERS: &[u8] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/// How long an invite code is: 31⁸ codes, so that none is found by trying.
const CODE_LENGTH: usize = 8;

/// How often another code is tried where one is taken.
pub(super) const TRIES: usize = 8;

/// What a new game is to be.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// Who asks for it: a player, or a backend's key. Request ids are his.
    pub principal: Uuid,
    /// Who opens it and takes a seat.
    pub by: PlayerId,
    /// Who takes the seats behind his.
    pub others: Vec<PlayerId>,
    /// Which seat is his.
    pub place: Seat,
    /// The seats that are kept for others,
    pub offers: Vec<(Seat, PlayerId)>,
    /// and for how long.
    pub keep: Duration,
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
    /// What is said of it.
    pub settings: Settings,
    /// What is chosen for it, if it is a sandbox.
    pub sandbox: Option<Arrangement>,
    /// The bots that have seats from the start.
    pub bots: Vec<NewBot>,
    /// Whether who opens it is ready at once, so that the cards are dealt if all others are bots.
    pub start: bool,
    /// The client's id for the command.
    pub request_id: Uuid,
}

/// A bot for a new game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewBot {
    /// How well it plays.
    pub strength: Strength,
    /// Its seat, the first free one if `None`.
    pub seat: Option<Seat>,
}

impl NewGame {
    /// A player's table that anybody may find, sit down at and watch.
    pub fn public(by: PlayerId, preset: Preset, rules: Ruleset, seats: u8, request_id: Uuid) -> Self {
        Self {
            principal: Uuid::from_u128(by.0),
            by,
            others: Vec::new(),
            place: Seat::FIRST,
            offers: Vec::new(),
            keep: Duration::ZERO,
            preset,
            rules,
            seats,
            public: true,
            spectators: Spectators::Anybody { delay_seconds: 0 },
            settings: Settings::default(),
            sandbox: None,
            bots: Vec::new(),
            start: false,
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
        for NewBot { strength, seat } in &self.bots {
            bytes.extend(format!(" {}", Command::AddBot { seat: *seat, strength: *strength }).into_bytes());
        }
        if self.start {
            bytes.extend(b" start");
        }
        if self.settings != Settings::default() {
            bytes.extend(request::settings(&self.settings));
        }
        request::fingerprint(self.by, bytes)
    }

    fn seats_taken(&self) -> impl Iterator<Item = Event> {
        let players = [self.by].into_iter().chain(self.others.iter().copied());
        let seats = Seat::first(self.seats).cycle().skip(self.place.index());
        seats.zip(players).map(|(seat, player)| Event::SeatTaken { seat, player })
    }

    /// The game's first move, and the table after it.
    fn first_events(&self, game: GameId, now: Millis) -> Result<(Table, Vec<Event>), TableError> {
        let rules = self.rules.clone();
        let mut events = match self.sandbox.clone() {
            None => create(rules, self.seats, &mut Fairness::of(game))?,
            Some(arrangement) => {
                let mut chance = Fairness::of_sandbox(&arrangement.seed, 0);
                create_sandbox(rules, self.seats, arrangement, &mut chance)?
            }
        };
        events.extend(self.seats_taken());
        let Some(mut table) = Table::replay(&events) else {
            return Err(TableError::Damaged(Damage::OutOfPlace(1)));
        };
        let mut act = |actor, command| -> Result<(), Refusal> {
            let decided = decide(&table, actor, &command, now, &mut Fairness::at(game, &table))?;
            decided.iter().for_each(|event| evolve(&mut table, event));
            events.extend(decided);
            Ok(())
        };
        let host = Actor::Seat(self.place);
        for NewBot { strength, seat } in self.bots.iter().copied() {
            act(host, Command::AddBot { seat, strength })?;
        }
        for (seat, player) in self.offers.iter().copied() {
            act(host, Command::Offer { seat, player, within: self.keep })?;
        }
        if self.start {
            act(host, Command::Ready { client_seed: ClientSeed::default() })?;
        }
        Ok((table, events))
    }
}

impl Tables {
    /// Opens a table, or finds the one that the same command has opened before.
    ///
    /// # Errors
    /// Rules that don't go together, a bot on a seat that isn't free, another command under the same request id, or a store that can't take it.
    pub async fn create(&self, new: NewGame) -> Result<(Arc<LiveTable>, Answer), TableError> {
        let principal = new.principal;
        if let Some(made) = self.made_before(&new, principal).await? {
            return Ok(made);
        }
        for _ in 0..TRIES {
            let game = GameId::generate();
            let request = Request {
                principal,
                request_id: new.request_id,
                fingerprint: new.fingerprint(),
                result: game.0.as_bytes().to_vec().into(),
            };
            match self.open(&new, game, Some(request)).await? {
                Ok(live) => {
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

    /// Opens a table for a game whose id is agreed, or finds it. The move is nobody's request, so that it is the same from
    /// every instance.
    pub(super) async fn open_as(&self, new: &NewGame, game: GameId) -> Result<Arc<LiveTable>, TableError> {
        for _ in 0..TRIES {
            match self.open(new, game, None).await? {
                Ok(live) => return Ok(live),
                Err(AppendError::InviteTaken) => {}
                // Somebody else has opened it, or this one has after all.
                Err(AppendError::Conflict) => return self.get(game).await,
                Err(AppendError::Unknown(cause)) => match self.get(game).await {
                    Err(TableError::NotFound) => {
                        return Err(TableError::Unavailable(StoreError::Unavailable(cause)));
                    }
                    found => return found,
                },
                Err(AppendError::Overloaded) => return Err(TableError::Overloaded),
                Err(AppendError::Closed) => return Err(TableError::Stopping),
                Err(error @ (AppendError::Rejected(_) | AppendError::RequestTaken)) => {
                    return Err(TableError::Damaged(Damage::Append(error)));
                }
            }
        }
        Err(TableError::Contended)
    }

    /// Writes a game's first move, which may be a command's whose answer is kept.
    async fn open(
        &self,
        new: &NewGame,
        game: GameId,
        request: Option<Request>,
    ) -> Result<Result<Arc<LiveTable>, AppendError>, TableError> {
        let now = self.clock().now();
        let (table, events) = new.first_events(game, now)?;
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
            seat: Some(new.place.number()),
            request_id: request.as_ref().map(|request| request.request_id),
            fingerprint: request.as_ref().map(|request| request.fingerprint),
            made_at: meta.made_at,
            format: log::FORMAT,
            events: log::encode_move(&events),
        };
        let played = Played::new(&mv, events);
        let summary = summary::of(&meta, &new.settings, &table, 1, meta.made_at);
        let alarm = match alarm::next_of(&table, now, self.idle) {
            Next::Players => None,
            Next::Clock(at) | Next::Bot(at) => Some(at),
        };
        let change = alarm.map(|at| AlarmChange::At(store::Millis(at.0)));
        let append = Append { mv, summary: Some(summary), request, alarm: change };
        if let Err(error) = self.store().append(append).await {
            return Ok(Err(error));
        }
        let settings = new.settings.clone();
        let state = State { settings, ..State::first(table, played, meta.spectators) };
        let live = self.cache().insert(game, LiveTable::new(meta, self, state));
        if let Some(at) = alarm {
            live.tell_alarm(at, now);
        }
        Ok(Ok(live))
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

/// A new code to invite others by.
pub(crate) fn invite_code() -> String {
    let mut rng = rand::rng();
    (0..CODE_LENGTH).map(|_| CODE_LETTERS[rng.random_range(0..CODE_LETTERS.len())] as char).collect()
}
