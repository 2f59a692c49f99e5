//! One live table: a copy of its log that is never ahead of it.

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use remik_rules::chance::Millis;
use remik_rules::event::{Event, Viewer};
use remik_rules::preset::Preset;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;
use remik_rules::view::View;
use tokio::sync::{Semaphore, broadcast, watch};

use super::bots::BotsTold;
use super::error::Damage;
use super::state::{Played, State};
use super::{Clock, Next, Onlooker, TableError, Tables, alarm};
use crate::codec::settings::Settings;
use crate::codec::summary::{Detail, Spectators};
use crate::store::{self, Alarm, GameId, Store};

/// A game in memory: a copy of its log that is never ahead of it.
pub struct LiveTable {
    pub(super) meta: Meta,
    pub(super) store: Arc<Store>,
    pub(super) clock: Clock,
    pub(super) alarms: broadcast::Sender<Alarm>,
    pub(super) computations: Arc<Semaphore>,
    /// How long it waits for its first deal while nobody is there, in milliseconds.
    pub(super) idle: i64,
    /// When a player was last seen to be there before the first deal, in milliseconds.
    pub(super) attended_at: AtomicI64,
    /// Held by a command from its decision to its commit.
    pub(super) commands: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// The bots that play here, with what they have been told.
    pub(super) bots: Mutex<BotsTold>,
    /// The number of the last move; watchers wait on it.
    pub(super) version: watch::Sender<u32>,
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
    /// Who may look on.
    pub spectators: Spectators,
    /// The code that lets others take a seat.
    pub invite_code: Option<String>,
    /// When it was opened.
    pub made_at: store::Millis,
}

/// A look at a table.
pub struct Glimpse {
    /// The number of the last move.
    pub version: u32,
    /// The table.
    pub view: View,
    /// When it was like this: now, unless it is seen with a delay.
    pub now: Millis,
}

impl LiveTable {
    /// Reads a game from its log.
    pub(super) async fn load(tables: &Tables, game: GameId) -> Result<Self, TableError> {
        let store = &tables.store;
        let moves = store.load(game, 0, None).await?;
        // Behind the moves: it is at least as new.
        let summary = store.summary(game).await?.ok_or(TableError::NotFound)?;
        let Detail { spectators, settings, .. } = detail(&summary)?;
        let state = State { settings, ..State::replay(moves, spectators)? };
        let meta = Meta {
            game,
            preset: summary
                .preset
                .parse()
                .map_err(|_| TableError::Damaged(Damage::UnknownPreset(summary.preset)))?,
            public: summary.public,
            spectators,
            invite_code: summary.invite_code,
            made_at: summary.made_at,
        };
        Ok(Self::new(meta, tables, state))
    }

    pub(super) fn new(meta: Meta, tables: &Tables, state: State) -> Self {
        let (version, _) = watch::channel(state.version);
        Self {
            meta,
            store: Arc::clone(&tables.store),
            clock: tables.clock.clone(),
            alarms: tables.alarms.clone(),
            computations: Arc::clone(&tables.computations),
            idle: tables.idle,
            attended_at: AtomicI64::new(i64::MIN),
            commands: tokio::sync::Mutex::new(()),
            state: Mutex::new(state),
            bots: Mutex::default(),
            version,
        }
    }

    /// What is fixed for the game.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// What the host says of it, as far as this instance knows.
    pub fn settings(&self) -> Settings {
        self.state().settings.clone()
    }

    /// The number of the last move that this instance knows.
    pub fn version(&self) -> u32 {
        *self.version.borrow()
    }

    /// The seat of a player.
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        self.state().table.seat_of(player)
    }

    /// When the game ended, as far as this instance knows; `None` while it goes on.
    pub fn ended_at(&self) -> Option<Millis> {
        let state = self.state();
        state.table.is_over().then(|| state.made_at())
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

    /// Makes sure that this copy has the moves up to a number, and that somebody may see them.
    pub(super) async fn reach(&self, who: Onlooker, at_least: u32) -> Result<(), TableError> {
        if self.version() < at_least {
            self.refresh().await?;
        }
        let at = self.edge(who);
        if at < at_least { Err(TableError::NotThereYet { asked: at_least, at }) } else { Ok(()) }
    }

    /// Takes in what others have written; whether there was anything. The caller holds the commands' lock.
    pub(super) async fn catch_up(&self) -> Result<bool, TableError> {
        let moves = self.store.load(self.meta.game, self.version(), None).await?;
        if moves.is_empty() {
            return Ok(false);
        }
        let moves = moves.into_iter().map(Played::decode).collect::<Result<Vec<_>, _>>()?;
        let changed = |played: &Played| played.events.contains(&Event::SettingsChanged);
        let settings = match moves.iter().any(changed) {
            true => {
                let summary = self.store.summary(self.meta.game).await?.ok_or(TableError::NotFound)?;
                Some(detail(&summary)?.settings)
            }
            false => None,
        };
        let mut state = self.state();
        if let Some(settings) = settings {
            state.settings = settings;
        }
        for played in moves {
            if played.number != state.version + 1 {
                return Err(TableError::Damaged(Damage::OutOfPlace(state.version + 1)));
            }
            state.apply(played);
        }
        let (version, next, set_at) = (state.version, alarm::next(&state, self.idle), state.alarm_set_at);
        drop(state);
        self.version.send_replace(version);
        // Another instance may have left a bot's turn or a deadline to this one.
        if let Next::Clock(at) | Next::Bot(at) = next {
            self.tell_alarm(at, set_at);
        }
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

    /// Tells whoever looks after the game when it is needed.
    pub(super) fn tell_alarm(&self, at: Millis, set_at: Millis) {
        let (at, set_at) = (store::Millis(at.0), store::Millis(set_at.0));
        // Nobody may be listening.
        let _ = self.alarms.send(Alarm { game: self.meta.game, at, set_at });
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u32> {
        self.version.subscribe()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock: decide and evolve are total.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn detail(summary: &store::Summary) -> Result<Detail, TableError> {
    Detail::decode(&summary.detail).map_err(|source| TableError::Damaged(Damage::Summary(source)))
}
