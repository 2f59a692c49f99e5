//! What a live table holds: the committed state and its last moves.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use remik_rules::chance::Millis;
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;

use super::delay::Delay;
use super::error::Damage;
use super::{TableError, alarm, summary};
use crate::codec::log;
use crate::codec::settings::Settings;
use crate::codec::summary::Spectators;
use crate::store;

/// How many of its last moves a table keeps at hand, for watchers and repeated commands.
const TAIL: usize = 64;

/// What is committed.
pub(super) struct State {
    pub(super) table: Table,
    pub(super) version: u32,
    /// Who has opened the table.
    pub(super) opener: Option<PlayerId>,
    /// How far spectators see.
    pub(super) delay: Delay,
    /// The move that last changed what lists say, and when it was made.
    pub(super) summed_up: (u32, Millis),
    /// When the move was made that said when the clock is next needed.
    pub(super) alarm_set_at: Millis,
    /// What the host says of the table, which its log doesn't hold.
    pub(super) settings: Settings,
    /// Who has lost a seat before the first deal otherwise than by leaving, and by which move.
    pub(super) put_out: HashMap<PlayerId, u32>,
    /// The last moves, the oldest first.
    pub(super) tail: VecDeque<Arc<Played>>,
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
    /// The client's id of the command and its fingerprint.
    pub(super) request: Option<(uuid::Uuid, i64)>,
}

impl State {
    /// The state that a whole log makes.
    pub(super) fn replay(moves: Vec<store::Move>, spectators: Spectators) -> Result<Self, TableError> {
        let mut moves = moves.into_iter();
        let Some(first) = moves.next() else { return Err(TableError::NotFound) };
        let first = Played::decode(first)?;
        let damaged = |number| TableError::Damaged(Damage::OutOfPlace(number));
        let table = Table::replay(&first.events).filter(|_| first.number == 1).ok_or(damaged(1))?;
        let mut state = Self::first(table, first, spectators);
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
    pub(super) fn first(table: Table, played: Played, spectators: Spectators) -> Self {
        let made_at = played.made_at;
        let opener = played.events.iter().find_map(|event| match event {
            Event::SeatTaken { player, .. } => Some(*player),
            _ => None,
        });
        let mut delay = Delay::new(spectators);
        delay.note(1, made_at, false);
        let tail = VecDeque::from([Arc::new(played)]);
        Self {
            table,
            version: 1,
            opener,
            delay,
            summed_up: (1, made_at),
            alarm_set_at: made_at,
            settings: Settings::default(),
            put_out: HashMap::new(),
            tail,
        }
    }

    pub(super) fn apply(&mut self, played: Played) -> Arc<Played> {
        // When it is has been decided with the move.
        let set = alarm::change(&self.table, played.made_at, &played.events, 0).is_some();
        for event in &played.events {
            match event {
                Event::PlayerRemoved { seat } | Event::ReadyMissed { seat } => {
                    let player = self.table.player(*seat).into_iter();
                    self.put_out.extend(player.map(|player| (player, played.number)));
                }
                Event::SeatTaken { player, .. } => drop(self.put_out.remove(player)),
                _ => {}
            }
            evolve(&mut self.table, event);
        }
        self.version = played.number;
        self.delay.note(played.number, played.made_at, self.table.deals() > 0);
        if summary::changes(&played.events) {
            self.summed_up = (played.number, played.made_at);
        }
        if set {
            self.alarm_set_at = played.made_at;
        }
        let played = Arc::new(played);
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(Arc::clone(&played));
        played
    }

    /// When the last move was made.
    pub(super) fn made_at(&self) -> Millis {
        self.tail.back().map_or(self.alarm_set_at, |played| played.made_at)
    }

    /// The table as it will be after some events.
    pub(super) fn after(&self, events: &[Event]) -> Table {
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

    /// Whether it changes what the lobby says of its game.
    pub fn stirs_lobby(&self) -> bool {
        summary::stirs_lobby(&self.events)
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
