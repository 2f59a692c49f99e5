//! Who sees how much of a table, and when.

use remik_rules::chance::Millis;
use remik_rules::event::Viewer;
use remik_rules::refusal::Refusal;
use remik_rules::seat::PlayerId;
use remik_rules::table::Table;

use super::state::State;
use super::{Glimpse, LiveTable, Meta, TableError, summary};
use crate::codec::summary::Spectators;
use crate::store;

/// Somebody who looks at a table or asks something of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Onlooker {
    /// Who.
    pub player: PlayerId,
    /// He knows the game's invite code, or the host has invited him.
    pub invited: bool,
}

impl From<PlayerId> for Onlooker {
    fn from(player: PlayerId) -> Self {
        Self { player, invited: false }
    }
}

/// What somebody sees of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// What happens, when it happens.
    Live,
    /// What everybody may see, when it is old enough.
    Delayed,
    /// Nothing since the first deal began.
    Barred,
    /// Not even that it is there.
    Nothing,
}

impl State {
    pub(super) fn sight(&self, meta: &Meta, who: Onlooker) -> Sight {
        let kept = self.table.lobby().offer_to(who.player).is_some();
        if kept || self.opener == Some(who.player) || self.table.seat_of(who.player).is_some() {
            return Sight::Live;
        }
        if !(meta.public || who.invited) {
            return Sight::Nothing;
        }
        match meta.spectators {
            Spectators::Anybody { delay_seconds: 0 } => Sight::Live,
            Spectators::Anybody { .. } => Sight::Delayed,
            // Who may sit down sees the table before.
            Spectators::Nobody if self.table.deals() == 0 => Sight::Live,
            Spectators::Nobody => Sight::Barred,
        }
    }

    /// The last move that somebody sees.
    pub(super) fn edge(&mut self, sight: Sight, now: Millis) -> u32 {
        match sight {
            Sight::Live => self.version,
            Sight::Delayed => self.version - self.delay.young(now),
            Sight::Barred => self.delay.lobby(),
            Sight::Nothing => 0,
        }
    }
}

impl LiveTable {
    /// Who has opened the table.
    pub fn opener(&self) -> Option<PlayerId> {
        self.state().opener
    }

    /// Whether somebody may look at the table now, as far as this instance knows.
    ///
    /// # Errors
    /// [`TableError::NotFound`] if he isn't to know that it is there, or [`TableError::NoSpectators`].
    pub fn admit(&self, who: impl Into<Onlooker>) -> Result<(), TableError> {
        self.admitted_edge(who.into()).map(drop)
    }

    /// The last move that somebody sees who may look at the table, as far as this instance knows.
    ///
    /// # Errors
    /// [`TableError::NotFound`] if he isn't to know that it is there, or [`TableError::NoSpectators`].
    pub fn admitted_edge(&self, who: Onlooker) -> Result<u32, TableError> {
        let mut state = self.state();
        match state.sight(&self.meta, who) {
            Sight::Nothing => Err(TableError::NotFound),
            Sight::Barred => Err(TableError::NoSpectators),
            sight => Ok(state.edge(sight, self.clock.now())),
        }
    }

    /// The last move that a watcher sees who has those up to `at`. Who has lost his seat at a private table still sees how,
    /// and is told so at last.
    pub(super) fn edge_of_watcher(&self, who: Onlooker, at: u32) -> Result<u32, TableError> {
        match self.admitted_edge(who) {
            Err(TableError::NotFound) => {
                let state = self.state();
                let number = state.put_out.get(&who.player).copied().filter(|number| at < *number);
                let removed = state.table.lobby().removed.contains(&who.player);
                number.ok_or(if removed { Refusal::Removed.into() } else { TableError::NotFound })
            }
            edge => edge,
        }
    }

    /// Up to which time somebody may know what is said at the table, as far as this instance knows. Since a word can give
    /// cards away, spectators with a delay hear everything so much later.
    ///
    /// # Errors
    /// [`TableError::NotFound`] if he isn't to know that it is there, or [`TableError::NoSpectators`].
    pub fn hears_until(&self, who: Onlooker) -> Result<Millis, TableError> {
        match self.state().sight(&self.meta, who) {
            Sight::Nothing => Err(TableError::NotFound),
            Sight::Barred => Err(TableError::NoSpectators),
            Sight::Delayed => Ok(Millis(self.clock.now().0.saturating_sub(self.delay_millis()))),
            Sight::Live => Ok(Millis(i64::MAX)),
        }
    }

    /// How much later than players spectators see and hear everything, in milliseconds.
    pub fn delay_millis(&self) -> i64 {
        match self.meta.spectators {
            Spectators::Nobody => 0,
            Spectators::Anybody { delay_seconds } => i64::from(delay_seconds) * 1000,
        }
    }

    /// The last move that somebody may learn of, whether or not he may look.
    pub(super) fn edge(&self, who: Onlooker) -> u32 {
        let mut state = self.state();
        let sight = state.sight(&self.meta, who);
        state.edge(sight, self.clock.now())
    }

    /// When the next move gets old enough for somebody who sees all with a delay; `None` if there is none, or he sees
    /// moves when they are made.
    pub(super) fn next_settles(&self, who: Onlooker) -> Option<Millis> {
        let state = self.state();
        let delayed = state.sight(&self.meta, who) == Sight::Delayed;
        state.delay.next().filter(|_| delayed)
    }

    /// The table as somebody may see it, with at least the moves up to a number.
    ///
    /// # Errors
    /// He may not look, the game has no such move yet as far as he may know, or its log can't be read.
    pub async fn look(&self, who: impl Into<Onlooker>, at_least: u32) -> Result<Glimpse, TableError> {
        let who = who.into();
        self.reach(who, at_least).await?;
        self.attend(who.player).await;
        let edge = self.admitted_edge(who)?;
        let now = {
            let state = self.state();
            let now = self.clock.now();
            let now = match state.sight(&self.meta, who) {
                Sight::Delayed => Millis(now.0.saturating_sub(state.delay.by())),
                Sight::Live | Sight::Barred | Sight::Nothing => now,
            };
            if edge == state.version {
                let viewer = state.table.seat_of(who.player).map_or(Viewer::Public, Viewer::Seat);
                return Ok(Glimpse { version: edge, view: state.table.view(viewer), now });
            }
            now
        };
        let then = self.table_after(edge).await?;
        Ok(Glimpse { version: edge, view: then.view(Viewer::Public), now })
    }

    /// What lists tell somebody of the game: as it is, or as it was when he may see it.
    ///
    /// # Errors
    /// He may not look, or the log can't be read.
    pub async fn listed_for(&self, who: impl Into<Onlooker>) -> Result<store::Summary, TableError> {
        let edge = self.admitted_edge(who.into())?;
        let moves = self.store.load(self.meta.game, 0, Some(edge)).await?;
        let then = State::replay(moves, self.meta.spectators)?;
        let (version, changed_at) = then.summed_up;
        let settings = self.settings();
        Ok(summary::of(&self.meta, &settings, &then.table, version, store::Millis(changed_at.0)))
    }

    /// The table as it was after a move.
    pub(super) async fn table_after(&self, number: u32) -> Result<Table, TableError> {
        let moves = self.store.load(self.meta.game, 0, Some(number)).await?;
        Ok(State::replay(moves, self.meta.spectators)?.table)
    }
}
