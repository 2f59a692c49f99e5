//! One live table: its commands in order, each stored before it is answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::{Event, Viewer};
use remik_rules::evolve::evolve;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;
use remik_rules::view::View;
use tokio::sync::watch;

use super::error::Damage;
use super::request::{self, RequestKey};
use super::{Clock, TableError, summary};
use crate::codec::log;
use crate::fairness::Fairness;
use crate::store::{self, Append, AppendError, GameId, Store};

/// How many of its last moves a table keeps at hand, for watchers and repeated commands.
const TAIL: usize = 64;

/// How often a command is decided anew because others were faster.
const TRIES: usize = 16;

/// A game in memory: a copy of its log that is never ahead of it.
pub struct LiveTable {
    meta: Meta,
    store: Arc<Store>,
    clock: Clock,
    /// Held by a command from its decision to its commit.
    commands: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// The number of the last move; watchers wait on it.
    version: watch::Sender<u32>,
}

/// What is fixed for a game, besides its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The game.
    pub game: GameId,
    /// The preset that its rules come from.
    pub preset: Preset,
    /// Whether anybody may find it.
    pub public: bool,
    /// The code that lets others take a seat.
    pub invite_code: Option<String>,
    /// When it was opened.
    pub made_at: store::Millis,
}

/// What is committed.
pub(super) struct State {
    pub(super) table: Table,
    pub(super) version: u32,
    /// The last moves, the oldest first.
    tail: VecDeque<Arc<Played>>,
}

/// A committed move with its events decoded.
pub struct Played {
    /// Its number.
    pub number: u32,
    /// Whose it is; `None` for the server's own.
    pub seat: Option<Seat>,
    /// When it was accepted.
    pub made_at: Millis,
    /// What happened.
    pub events: Vec<Event>,
    request: Option<(uuid::Uuid, i64)>,
}

/// The answer to a command: its move, and the table after it as the player sees it.
pub struct Answer {
    /// The move.
    pub played: Arc<Played>,
    /// Who sees it.
    pub viewer: Viewer,
    /// The table after it.
    pub view: View,
}

/// A look at a table.
pub struct Glimpse {
    /// The number of the last move.
    pub version: u32,
    /// The table.
    pub view: View,
}

impl LiveTable {
    /// Reads a game from its log.
    pub(super) async fn load(store: Arc<Store>, clock: Clock, game: GameId) -> Result<Self, TableError> {
        let summary = store.summary(game).await?.ok_or(TableError::NotFound)?;
        let moves = store.load(game, 0, None).await?;
        let state = State::replay(moves)?;
        let meta = Meta {
            game,
            preset: summary
                .preset
                .parse()
                .map_err(|_| TableError::Damaged(Damage::UnknownPreset(summary.preset)))?,
            public: summary.public,
            invite_code: summary.invite_code,
            made_at: summary.made_at,
        };
        Ok(Self::new(meta, store, clock, state))
    }

    pub(super) fn new(meta: Meta, store: Arc<Store>, clock: Clock, state: State) -> Self {
        let (version, _) = watch::channel(state.version);
        Self { meta, store, clock, commands: tokio::sync::Mutex::new(()), state: Mutex::new(state), version }
    }

    /// What is fixed for the game.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The number of the last move that this instance knows.
    pub fn version(&self) -> u32 {
        *self.version.borrow()
    }

    /// The seat of a player.
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        self.state().table.seat_of(player)
    }

    /// Whether a player may know of the game, as far as this instance knows: of a private one only who has a
    /// seat.
    pub fn may_be_seen_by(&self, player: PlayerId) -> bool {
        self.meta.public || self.seat_of(player).is_some()
    }

    /// Takes in the moves that other instances have made. To be done before anything is refused because of what
    /// this copy holds.
    ///
    /// # Errors
    /// The log can't be read.
    pub async fn refresh(&self) -> Result<(), TableError> {
        let _order = self.commands.lock().await;
        self.catch_up().await.map(drop)
    }

    /// Who a player is when he looks at the table.
    pub fn viewer(&self, player: PlayerId) -> Viewer {
        self.seat_of(player).map_or(Viewer::Public, Viewer::Seat)
    }

    /// Looks at the committed table with a function.
    pub fn with_table<T>(&self, look: impl FnOnce(&Table, u32) -> T) -> T {
        let state = self.state();
        look(&state.table, state.version)
    }

    /// The table as a player may see it, with at least the moves up to a number.
    ///
    /// # Errors
    /// The game has no such move yet, or its log can't be read.
    pub async fn look(&self, player: PlayerId, at_least: u32) -> Result<Glimpse, TableError> {
        if self.version() < at_least {
            self.refresh().await?;
        }
        let state = self.state();
        if state.version < at_least {
            return Err(TableError::NotThereYet { asked: at_least, at: state.version });
        }
        let viewer = state.table.seat_of(player).map_or(Viewer::Public, Viewer::Seat);
        Ok(Glimpse { version: state.version, view: state.table.view(viewer) })
    }

    /// Carries out a player's command, or finds the answer that it had. Of a private game only who is seated
    /// or invited learns. Once begun it goes to its end, also if nobody waits for the answer any more: a move
    /// that was stored is always applied and shown.
    ///
    /// # Errors
    /// The rule against it, another command under the same request id, or a store that can't take it.
    pub async fn play(
        self: &Arc<Self>,
        player: PlayerId,
        command: Command,
        key: RequestKey,
        invited: bool,
    ) -> Result<Answer, TableError> {
        let table = Arc::clone(self);
        let whole = tokio::spawn(async move { table.carry_out(player, &command, key, invited).await });
        match whole.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(outcome) => outcome,
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(Err(_)) => Err(TableError::Stopping),
        }
    }

    async fn carry_out(
        &self,
        player: PlayerId,
        command: &Command,
        key: RequestKey,
        invited: bool,
    ) -> Result<Answer, TableError> {
        let fingerprint = request::of_command(player, command);
        let _order = self.commands.lock().await;
        if key.known_version > self.version() {
            self.catch_up().await?;
            let at = self.version();
            if key.known_version > at {
                return Err(TableError::NotThereYet { asked: key.known_version, at });
            }
        }
        for _ in 0..TRIES {
            if let Some(played) = self.find_repeat(key, fingerprint).await? {
                return self.answer_again(player, played).await;
            }
            if !(invited || self.may_be_seen_by(player)) {
                if self.catch_up().await? {
                    continue;
                }
                return Err(TableError::NotFound);
            }
            let now = self.clock.now();
            let decided = self.decide(player, command, now);
            let events = match decided {
                Ok(events) => events,
                // This copy may be stale: only the log's word counts against a command.
                Err(refusal) => {
                    if self.catch_up().await? {
                        continue;
                    }
                    return Err(TableError::Refused(refusal));
                }
            };
            if let Some(answer) = self.append(player, events, key.id, fingerprint, now).await? {
                return Ok(answer);
            }
        }
        Err(TableError::Contended)
    }

    fn decide(&self, player: PlayerId, command: &Command, now: Millis) -> Result<Vec<Event>, Refusal> {
        let state = self.state();
        let actor = state.table.seat_of(player).map_or(Actor::Player(player), Actor::Seat);
        decide(&state.table, actor, command, now, &mut Fairness::of(self.meta.game))
    }

    /// Stores a move and applies it; `None` if the state has changed under it and must be judged anew.
    async fn append(
        &self,
        player: PlayerId,
        events: Vec<Event>,
        request_id: uuid::Uuid,
        fingerprint: i64,
        now: Millis,
    ) -> Result<Option<Answer>, TableError> {
        let (number, seat, changed) = {
            let state = self.state();
            let seat = state.table.seat_of(player).or_else(|| seat_taken(&events, player));
            let changed = summary::changes(&events).then(|| state.after(&events));
            (state.version + 1, seat, changed)
        };
        let mv = store::Move {
            game: self.meta.game,
            number,
            seat: seat.map(Seat::number),
            request_id: Some(request_id),
            fingerprint: Some(fingerprint),
            made_at: store::Millis(now.0),
            format: log::FORMAT,
            events: log::encode_move(&events),
        };
        let summary = changed.map(|table| summary::of(&self.meta, &table, number, mv.made_at));
        match self.store.append(Append { mv, summary, request: None }).await {
            Ok(()) => {}
            // Who was faster is found in the log, and so is an own move whose outcome was lost.
            Err(AppendError::Conflict | AppendError::Unknown(_)) => {
                self.catch_up().await?;
                return Ok(None);
            }
            Err(AppendError::Overloaded) => return Err(TableError::Overloaded),
            Err(AppendError::Closed) => return Err(TableError::Stopping),
            Err(
                error @ (AppendError::Rejected(_) | AppendError::InviteTaken | AppendError::RequestTaken),
            ) => return Err(TableError::Damaged(Damage::Append(error))),
        }
        let played = Played { number, seat, made_at: now, events, request: Some((request_id, fingerprint)) };
        let mut state = self.state();
        let played = state.apply(played);
        let viewer = seat.map_or(Viewer::Public, Viewer::Seat);
        let view = state.table.view(state.table.seat_of(player).map_or(Viewer::Public, Viewer::Seat));
        drop(state);
        self.version.send_replace(number);
        Ok(Some(Answer { played, viewer, view }))
    }

    /// The move that this command made before, if it did. A repeat lies behind the last move that the client
    /// had seen when it asked.
    async fn find_repeat(
        &self,
        key: RequestKey,
        fingerprint: i64,
    ) -> Result<Option<Arc<Played>>, TableError> {
        let (in_tail, tail_begins, seats) = {
            let state = self.state();
            let same = |played: &&Arc<Played>| played.request.is_some_and(|(id, _)| id == key.id);
            let found = state.tail.iter().rev().find(same).cloned();
            let begins = state.tail.front().map_or(state.version + 1, |played| played.number);
            (found, begins, state.table.seat_count())
        };
        let judge = |played: Arc<Played>| match played.request {
            Some((_, of)) if of == fingerprint => Ok(Some(played)),
            _ => Err(TableError::RequestReused),
        };
        if let Some(played) = in_tail {
            return judge(played);
        }
        if key.known_version + 1 >= tail_begins {
            return Ok(None);
        }
        // A player may have given the seat back since, so every seat is asked for.
        for seat in 0..seats {
            let found = self.store.find_request(self.meta.game, seat, key.id, key.known_version).await?;
            if let Some(mv) = found {
                return judge(Arc::new(Played::decode(mv)?));
            }
        }
        Ok(None)
    }

    /// The first answer once more: the table as it was after that move.
    async fn answer_again(&self, player: PlayerId, played: Arc<Played>) -> Result<Answer, TableError> {
        let moves = self.store.load(self.meta.game, 0, Some(played.number)).await?;
        let then = State::replay(moves)?;
        let seated = then.table.seat_of(player).map_or(Viewer::Public, Viewer::Seat);
        let viewer = played.seat.map_or(Viewer::Public, Viewer::Seat);
        Ok(Answer { played, viewer, view: then.table.view(seated) })
    }

    /// Takes in what others have written; whether there was anything. The caller holds the commands' lock.
    async fn catch_up(&self) -> Result<bool, TableError> {
        let moves = self.store.load(self.meta.game, self.version(), None).await?;
        if moves.is_empty() {
            return Ok(false);
        }
        let mut state = self.state();
        for mv in moves {
            let played = Played::decode(mv)?;
            if played.number != state.version + 1 {
                return Err(TableError::Damaged(Damage::OutOfPlace(state.version + 1)));
            }
            state.apply(played);
        }
        let version = state.version;
        drop(state);
        self.version.send_replace(version);
        Ok(true)
    }

    /// Moves behind a number: from memory, or from the log where memory doesn't reach back so far.
    pub(super) async fn moves_after(&self, after: u32, limit: u32) -> Result<Vec<Arc<Played>>, TableError> {
        {
            let state = self.state();
            let behind: Vec<_> = state.tail.iter().filter(|played| played.number > after).cloned().collect();
            let whole = behind.first().is_none_or(|first| first.number == after + 1);
            if whole && (!behind.is_empty() || state.version <= after) {
                return Ok(behind);
            }
        }
        let moves = self.store.load(self.meta.game, after, Some(limit)).await?;
        moves.into_iter().map(|mv| Played::decode(mv).map(Arc::new)).collect()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u32> {
        self.version.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock: decide and evolve are total.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The state that a whole log makes.
    pub(super) fn replay(moves: Vec<store::Move>) -> Result<Self, TableError> {
        let mut moves = moves.into_iter();
        let Some(first) = moves.next() else { return Err(TableError::NotFound) };
        let first = Played::decode(first)?;
        let damaged = |number| TableError::Damaged(Damage::OutOfPlace(number));
        let table = Table::replay(&first.events).filter(|_| first.number == 1).ok_or(damaged(1))?;
        let mut state = Self { table, version: 1, tail: VecDeque::from([Arc::new(first)]) };
        for mv in moves {
            let played = Played::decode(mv)?;
            if played.number != state.version + 1 {
                return Err(damaged(state.version + 1));
            }
            state.apply(played);
        }
        Ok(state)
    }

    /// The first state of a game, made by its first move.
    pub(super) fn first(table: Table, played: Played) -> Self {
        Self { table, version: 1, tail: VecDeque::from([Arc::new(played)]) }
    }

    fn apply(&mut self, played: Played) -> Arc<Played> {
        for event in &played.events {
            evolve(&mut self.table, event);
        }
        self.version = played.number;
        let played = Arc::new(played);
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(Arc::clone(&played));
        played
    }

    /// The table as it will be after some events.
    fn after(&self, events: &[Event]) -> Table {
        let mut table = self.table.clone();
        events.iter().for_each(|event| evolve(&mut table, event));
        table
    }
}

impl Played {
    /// A move that was just made.
    pub(super) fn new(mv: &store::Move, events: Vec<Event>) -> Self {
        Self {
            number: mv.number,
            seat: mv.seat.and_then(Seat::new),
            made_at: Millis(mv.made_at.0),
            events,
            request: mv.request_id.zip(mv.fingerprint),
        }
    }

    /// A move as it is stored.
    ///
    /// # Errors
    /// Its events can't be decoded.
    pub fn decode(mv: store::Move) -> Result<Self, TableError> {
        let events = log::decode_move(mv.format, &mv.events)
            .map_err(|source| TableError::Damaged(Damage::Move { number: mv.number, source }))?;
        Ok(Self::new(&mv, events))
    }
}

/// The seat that a player takes with these events.
fn seat_taken(events: &[Event], player: PlayerId) -> Option<Seat> {
    events.iter().find_map(|event| match event {
        Event::SeatTaken { seat, player: who } if *who == player => Some(*seat),
        _ => None,
    })
}
