//! Finding others to play with: tickets are kept in the store, matched by `remik_matchmaking`, and turned into games.
//!
//! A ticket is changed by compare-and-set on its version. A match claims its tickets and fixes the id of its game in
//! one transaction; the game is then opened under that id by whoever comes first, so that a crash in between, or two
//! instances that both believe that it is their turn, neither lose a match nor make two games of it.

mod attendance;
mod error;
mod kept;
mod rounds;
mod settings;
mod tickets;

use std::sync::Arc;

pub use attendance::{Attendance, Attending};
pub use error::MatchmakingError;
pub use kept::{Plan, Wish};
pub use settings::MatchmakingSettings;
pub use tickets::{Caller, NewTicket, TicketQuery, Waiting};

use crate::store::{Millis, Store};
use crate::tables::Tables;

/// The tickets of all players, as this instance works on them.
pub struct Matchmaking {
    tables: Arc<Tables>,
    settings: MatchmakingSettings,
    attendance: Attendance,
}

impl Matchmaking {
    /// Over tables and their store.
    pub fn new(tables: Arc<Tables>, settings: MatchmakingSettings) -> Self {
        Self { tables, settings, attendance: Attendance::default() }
    }

    /// How it is set.
    pub fn settings(&self) -> &MatchmakingSettings {
        &self.settings
    }

    /// The time now, by the clock that all instances share.
    pub fn now(&self) -> Millis {
        Millis(self.tables.clock().now().0)
    }

    /// How long a ticket has waited, in milliseconds; `None` while its party gathers.
    pub fn waited(&self, waiting: &Waiting) -> Option<i64> {
        // One that is over has waited until then.
        let row = &waiting.row;
        let until = if row.state.is_open() { self.now() } else { row.changed_at };
        row.queued_at.map(|since| until.0.saturating_sub(since.0))
    }

    /// The gap of ratings that a ticket accepts, in points.
    pub fn window(&self, waiting: &Waiting) -> u32 {
        self.settings.window.at(self.waited(waiting).unwrap_or_default())
    }

    fn store(&self) -> &Store {
        self.tables.store()
    }
}
