//! What is agreed at a table before its first deal, besides who sits where.

use crate::chance::Millis;
use crate::event::{Event, Knowledge};
use crate::seat::{PlayerId, Seat};

/// What is agreed before the first deal. Everybody may see it; from the first deal on, and after the game, it is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lobby {
    /// The seat that was made the host's; `None` while the first of the players' seats has it of itself.
    pub host: Option<Seat>,
    /// Whom a host has removed: they don't sit down here again.
    pub removed: Vec<PlayerId>,
    /// Until when everybody has to be ready, while the host has asked.
    pub ready_until: Option<Millis>,
    /// The seats that are kept for somebody, each once.
    pub offers: Vec<Offer>,
}

/// A free seat that is kept for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Which.
    pub seat: Seat,
    /// For whom.
    pub player: PlayerId,
    /// Until when.
    pub until: Millis,
}

impl Lobby {
    /// The seat that is kept for a player.
    pub fn offer_to(&self, player: PlayerId) -> Option<Seat> {
        self.offers.iter().find(|offer| offer.player == player).map(|offer| offer.seat)
    }

    /// The player for whom a seat is kept.
    pub fn kept_for(&self, seat: Seat) -> Option<PlayerId> {
        self.offers.iter().find(|offer| offer.seat == seat).map(|offer| offer.player)
    }

    /// The first time that the clock has to see to.
    pub(crate) fn alarm(&self) -> Option<Millis> {
        self.ready_until.into_iter().chain(self.offers.iter().map(|offer| offer.until)).min()
    }

    /// Takes an event in. `player` tells who had the seats before it.
    pub(crate) fn note<K: Knowledge>(&mut self, event: &Event<K>, player: impl Fn(Seat) -> Option<PlayerId>) {
        match event {
            Event::SeatTaken { seat, .. } | Event::BotSeated { seat, .. } | Event::OfferEnded { seat } => {
                self.offers.retain(|offer| offer.seat != *seat);
            }
            Event::SeatLeft { seat } | Event::ReadyMissed { seat } => self.freed(*seat),
            Event::PlayerRemoved { seat } => {
                self.removed.extend(player(*seat));
                self.freed(*seat);
            }
            Event::HostChanged { seat } => self.host = Some(*seat),
            Event::ReadyAsked { until } => self.ready_until = Some(*until),
            Event::SeatOffered { seat, player, until } => {
                self.offers.push(Offer { seat: *seat, player: *player, until: *until });
            }
            Event::Dealt(_) | Event::GameEnded { .. } => *self = Self::default(),
            _ => {}
        }
    }

    /// Nobody is asked to be ready for a deal that can't begin.
    fn freed(&mut self, seat: Seat) {
        self.host = self.host.filter(|host| *host != seat);
        self.ready_until = None;
    }
}
