//! What of an event whom is shown.

use super::{Dealt, Event, Full, Seen, Viewer};
use crate::card::Card;
use crate::seat::Seat;

impl Event<Full> {
    /// The event as a viewer may see it. This is the only way to an `Event<Seen>` of a running game.
    pub fn observed_by(&self, viewer: Viewer) -> Event<Seen> {
        self.shown(|seat| viewer.sees(seat))
    }

    /// The event of a finished deal, all its cards open.
    pub fn revealed(&self) -> Event<Seen> {
        self.shown(|_| true)
    }

    fn shown(&self, sees: impl Fn(Seat) -> bool) -> Event<Seen> {
        match self {
            Self::SeedCommitted { deal, commitment, seed: _ } => {
                Event::SeedCommitted { deal: *deal, commitment: *commitment, seed: () }
            }
            Self::SandboxArranged { arrangement: _ } => Event::SandboxArranged { arrangement: () },
            Self::Dealt(dealt) => Event::Dealt(Box::new(dealt.shown(sees))),
            Self::StockDrawn { seat, card } => {
                Event::StockDrawn { seat: *seat, card: sees(*seat).then_some(*card) }
            }
            Self::StockReused { kept, count, stock: _ } => {
                Event::StockReused { kept: *kept, count: *count, stock: () }
            }
            Self::GameCreated { rules, rules_version, seats } => {
                Event::GameCreated { rules: rules.clone(), rules_version: *rules_version, seats: *seats }
            }
            Self::SeatTaken { seat, player } => Event::SeatTaken { seat: *seat, player: *player },
            Self::SeatLeft { seat } => Event::SeatLeft { seat: *seat },
            Self::BotSeated { seat, strength, absent } => {
                Event::BotSeated { seat: *seat, strength: *strength, absent: *absent }
            }
            Self::SeatResumed { seat } => Event::SeatResumed { seat: *seat },
            Self::PlayerRemoved { seat } => Event::PlayerRemoved { seat: *seat },
            Self::HostChanged { seat } => Event::HostChanged { seat: *seat },
            Self::ReadyAsked { until } => Event::ReadyAsked { until: *until },
            Self::ReadyMissed { seat } => Event::ReadyMissed { seat: *seat },
            Self::SettingsChanged => Event::SettingsChanged,
            Self::SeatOffered { seat, player, until } => {
                Event::SeatOffered { seat: *seat, player: *player, until: *until }
            }
            Self::OfferEnded { seat } => Event::OfferEnded { seat: *seat },
            Self::RematchMade { seat, game } => Event::RematchMade { seat: *seat, game: *game },
            Self::BecameReady { seat, client_seed } => {
                Event::BecameReady { seat: *seat, client_seed: client_seed.clone() }
            }
            Self::DealerChosen { dealer, cut } => Event::DealerChosen { dealer: *dealer, cut: cut.clone() },
            Self::TurnStarted { seat, drawn, deadline } => {
                Event::TurnStarted { seat: *seat, drawn: *drawn, deadline: *deadline }
            }
            Self::DiscardTaken { seat, card } => Event::DiscardTaken { seat: *seat, card: *card },
            Self::Melded { seat, opening, melds, points } => {
                Event::Melded { seat: *seat, opening: *opening, melds: melds.clone(), points: *points }
            }
            Self::LaidOff { seat, meld, low, high, points } => Event::LaidOff {
                seat: *seat,
                meld: *meld,
                low: low.clone(),
                high: high.clone(),
                points: *points,
            },
            Self::JokerSwapped { seat, meld, card, joker, pending, points } => Event::JokerSwapped {
                seat: *seat,
                meld: *meld,
                card: *card,
                joker: *joker,
                pending: *pending,
                points: *points,
            },
            Self::PlaysUndone { seat } => Event::PlaysUndone { seat: *seat },
            Self::Discarded { seat, card } => Event::Discarded { seat: *seat, card: *card },
            Self::TimedOut { seat, in_a_row } => Event::TimedOut { seat: *seat, in_a_row: *in_a_row },
            Self::TimeBankUsed { seat, left } => Event::TimeBankUsed { seat: *seat, left: *left },
            Self::ClockExtended { seat, until } => Event::ClockExtended { seat: *seat, until: *until },
            Self::SeatForfeited { seat, cause } => Event::SeatForfeited { seat: *seat, cause: *cause },
            Self::GameStopped { reason } => Event::GameStopped { reason: reason.clone() },
            Self::DealEnded(ended) => Event::DealEnded(ended.clone()),
            Self::GameEnded { cause, places } => Event::GameEnded { cause: *cause, places: places.clone() },
        }
    }
}

impl Dealt<Full> {
    fn shown(&self, sees: impl Fn(Seat) -> bool) -> Dealt<Seen> {
        let hand = |(seat, cards): &(Seat, Vec<Card>)| {
            let sees = sees(*seat);
            (*seat, cards.iter().map(|card| sees.then_some(*card)).collect())
        };
        Dealt {
            deal: self.deal,
            dealer: self.dealer,
            starter: self.starter,
            client_seeds: self.client_seeds.clone(),
            hands: self.hands.iter().map(hand).collect(),
            upcard: self.upcard,
            stock_count: self.stock_count,
            stock: (),
        }
    }
}
