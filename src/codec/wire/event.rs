//! Moves and their events, as one viewer sees them.

use remik_rules::chance::Millis;
use remik_rules::event::{Dealt, Event, Seen};
use remik_rules::ruleset::Aces;
use remik_rules::seat::Seat;

use super::field::{code, codes, duration, game_id, hex, number, player_id, timestamp};
use super::{deal, game, meld, ruleset};
use crate::proto::v1;
use crate::proto::v1::event::Kind;

/// A move of a game as its viewer may see it. `seat` is whose move it is, `None` for the clock's; `aces` is the
/// game's option, by which melds are worth their points.
pub fn game_move(
    version: u32,
    made_at: Millis,
    seat: Option<Seat>,
    aces: Aces,
    events: &[Event<Seen>],
) -> v1::GameMove {
    v1::GameMove {
        version,
        made_at: Some(timestamp(made_at)),
        seat: seat.map(number),
        events: events.iter().map(|event| v1::Event { kind: Some(kind(event, aces)) }).collect(),
    }
}

fn kind(event: &Event<Seen>, aces: Aces) -> Kind {
    match event {
        Event::GameCreated { rules, rules_version, seats } => Kind::GameCreated(v1::GameCreated {
            rules: Some(ruleset(rules)),
            rules_version: *rules_version,
            seats: (*seats).into(),
        }),
        Event::SandboxArranged { arrangement: () } => Kind::SandboxArranged(v1::SandboxArranged {}),
        Event::SeedCommitted { deal, commitment, seed: () } => {
            Kind::SeedCommitted(v1::SeedCommitted { deal: (*deal).into(), commitment: hex(&commitment.0) })
        }
        Event::SeatTaken { seat, player } => {
            Kind::SeatTaken(v1::SeatTaken { seat: number(*seat), player_id: player_id(*player) })
        }
        Event::SeatLeft { seat } => Kind::SeatLeft(v1::SeatLeft { seat: number(*seat) }),
        Event::BotSeated { seat, strength, absent } => Kind::BotSeated(v1::BotSeated {
            seat: number(*seat),
            strength: v1::BotStrength::from(*strength).into(),
            absent: absent.map_or(v1::ForfeitCause::Unspecified, v1::ForfeitCause::from).into(),
        }),
        Event::SeatResumed { seat } => Kind::SeatResumed(v1::SeatResumed { seat: number(*seat) }),
        Event::PlayerRemoved { seat } => Kind::PlayerRemoved(v1::PlayerRemoved { seat: number(*seat) }),
        Event::HostChanged { seat } => Kind::HostChanged(v1::HostChanged { seat: number(*seat) }),
        Event::ReadyAsked { until } => Kind::ReadyAsked(v1::ReadyAsked { until: Some(timestamp(*until)) }),
        Event::ReadyMissed { seat } => Kind::ReadyMissed(v1::ReadyMissed { seat: number(*seat) }),
        Event::SettingsChanged => Kind::SettingsChanged(v1::SettingsChanged {}),
        Event::SeatOffered { seat, player, until } => Kind::SeatOffered(v1::SeatOffered {
            seat: number(*seat),
            player_id: player_id(*player),
            until: Some(timestamp(*until)),
        }),
        Event::OfferEnded { seat } => Kind::OfferEnded(v1::OfferEnded { seat: number(*seat) }),
        Event::RematchMade { seat, game } => {
            Kind::RematchMade(v1::RematchMade { seat: number(*seat), game_id: game_id(*game) })
        }
        Event::BecameReady { seat, client_seed } => {
            Kind::BecameReady(v1::BecameReady { seat: number(*seat), client_seed: hex(client_seed.bytes()) })
        }
        Event::DealerChosen { dealer, cut } => Kind::DealerChosen(v1::DealerChosen {
            dealer_seat: number(*dealer),
            cut: cut
                .iter()
                .map(|(seat, card)| v1::CutCard { seat: number(*seat), card: card.to_string() })
                .collect(),
        }),
        Event::Dealt(dealt) => Kind::Dealt(encode_dealt(dealt)),
        Event::TurnStarted { seat, drawn, deadline } => Kind::TurnStarted(v1::TurnStarted {
            seat: number(*seat),
            phase: deal::phase(*drawn).into(),
            deadline: deadline.map(timestamp),
        }),
        Event::StockDrawn { seat, card } => {
            Kind::StockDrawn(v1::StockDrawn { seat: number(*seat), card: code(*card) })
        }
        Event::DiscardTaken { seat, card } => {
            Kind::DiscardTaken(v1::DiscardTaken { seat: number(*seat), card: card.to_string() })
        }
        Event::Melded { seat, opening, melds, points } => Kind::Melded(v1::Melded {
            seat: number(*seat),
            opening: *opening,
            melds: melds.iter().map(|(id, meld)| meld::encode(*id, *seat, meld, aces)).collect(),
            points: (*points).into(),
        }),
        Event::LaidOff { seat, meld, low, high, points } => Kind::LaidOff(v1::LaidOff {
            seat: number(*seat),
            meld_id: meld.to_string(),
            low: codes(low),
            high: codes(high),
            points: (*points).into(),
        }),
        Event::JokerSwapped { seat, meld, card, joker, pending, points } => {
            Kind::JokerSwapped(v1::JokerSwapped {
                seat: number(*seat),
                meld_id: meld.to_string(),
                card: card.to_string(),
                joker: joker.to_string(),
                pending: *pending,
                points: (*points).into(),
            })
        }
        Event::PlaysUndone { seat } => Kind::PlaysUndone(v1::PlaysUndone { seat: number(*seat) }),
        Event::Discarded { seat, card } => {
            Kind::Discarded(v1::Discarded { seat: number(*seat), card: card.to_string() })
        }
        Event::StockReused { kept, count, stock: () } => {
            Kind::StockReused(v1::StockReused { kept: code(*kept), count: (*count).into() })
        }
        Event::TimedOut { seat, in_a_row } => {
            Kind::TimedOut(v1::TimedOut { seat: number(*seat), in_a_row: (*in_a_row).into() })
        }
        Event::TimeBankUsed { seat, left } => {
            Kind::TimeBankUsed(v1::TimeBankUsed { seat: number(*seat), left: Some(duration(*left)) })
        }
        Event::ClockExtended { seat, until } => {
            Kind::ClockExtended(v1::ClockExtended { seat: number(*seat), until: Some(timestamp(*until)) })
        }
        Event::SeatForfeited { seat, cause } => Kind::SeatForfeited(v1::SeatForfeited {
            seat: number(*seat),
            cause: v1::ForfeitCause::from(*cause).into(),
        }),
        Event::GameStopped { reason } => {
            Kind::GameStopped(v1::GameStopped { reason: reason.text().to_owned() })
        }
        Event::DealEnded(ended) => Kind::DealEnded(deal::result(ended)),
        Event::GameEnded { cause, places } => Kind::GameEnded(game::result(*cause, places)),
    }
}

fn encode_dealt(dealt: &Dealt<Seen>) -> v1::Dealt {
    v1::Dealt {
        deal: dealt.deal.into(),
        dealer_seat: number(dealt.dealer),
        starter_seat: number(dealt.starter),
        client_seeds: deal::client_seeds(&dealt.client_seeds),
        hands: dealt.hands.iter().map(|(seat, cards)| deal::hand(*seat, cards.iter().copied())).collect(),
        upcard: code(dealt.upcard),
        stock_count: dealt.stock_count.into(),
    }
}
