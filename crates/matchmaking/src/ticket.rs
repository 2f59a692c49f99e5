//! Somebody who waits for a game, or several who want to play it together.

use std::time::Duration;

use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;

use crate::{Attributes, Condition, SeatCounts};

/// A ticket's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketId(pub u128);

/// A ticket that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// Its id.
    pub id: TicketId,
    /// Since when it waits.
    pub since: Millis,
    /// Who plays, each once: one, or a party that sits at the same table.
    pub players: Vec<PlayerId>,
    /// What they would play, each preset once, the dearest first.
    pub offers: Vec<Offer>,
    /// How many may sit at the table. Numbers that a preset doesn't allow don't count for it.
    pub seats: SeatCounts,
    /// What the ticket says of itself.
    pub attributes: Attributes,
    /// What it asks of every other ticket of its group.
    pub conditions: Vec<Condition>,
    /// Whether bots may take seats.
    pub bots: Option<Bots>,
}

/// A preset that somebody would play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The preset.
    pub preset: Preset,
    /// How strong the players are in it, in points; of a party the mean.
    pub rating: i32,
}

/// Bots that may take the seats for which nobody was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bots {
    /// How long to wait for players first.
    pub after: Duration,
    /// How well they play.
    pub strength: Strength,
}

impl Ticket {
    /// How long it has waited, in milliseconds.
    pub const fn waited(&self, now: Millis) -> i64 {
        now.0.saturating_sub(self.since.0)
    }

    /// How well bots play that may take seats now; `None` if none may.
    pub fn bots_now(&self, now: Millis) -> Option<Strength> {
        let waited = Duration::from_millis(u64::try_from(self.waited(now)).unwrap_or(0));
        self.bots.filter(|bots| bots.after <= waited).map(|bots| bots.strength)
    }
}
