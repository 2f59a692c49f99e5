//! Events of the turns and the seats; those of a deal are in [`deal`](super::deal).

use remik_rules::card::{Rank, Suit};
use remik_rules::chance::Millis;
use remik_rules::command::MeldId;
use remik_rules::event::{Event, Forfeit, Full, GameOver};
use remik_rules::meld::{LONGEST, Meld, Shape};
use remik_rules::reason::Reason;
use remik_rules::seat::GameRef;
use remik_rules::strength::Strength;

use super::field::{
    byte, bytes, card, cards, choice, client_seed, meld_id, narrow, number, player, required, seat,
};
use super::{DecodeError, deal, ruleset, sandbox};
use crate::proto::log as proto;
use crate::proto::log::event::Kind;

pair! {
    Forfeit => proto::ForfeitCause { Left, TimedOut }
    Strength => proto::BotStrength { Easy, Normal, Hard }
    GameOver => proto::GameOverCause { LimitReached, AllButOneOut, DealsPlayed, Forfeited, Abandoned, Stopped, Voided }
}

pub(super) fn encode(event: &Event<Full>) -> proto::Event {
    let kind = match event {
        Event::GameCreated { rules, rules_version, seats } => Kind::GameCreated(proto::GameCreated {
            rules: Some(ruleset::encode(rules)),
            rules_version: Some(*rules_version),
            seats: Some((*seats).into()),
        }),
        Event::SandboxArranged { arrangement } => Kind::SandboxArranged(sandbox::encode(arrangement)),
        Event::SeedCommitted { deal, commitment, seed } => {
            Kind::SeedCommitted(deal::encode_commitment(*deal, commitment, seed))
        }
        Event::SeatTaken { seat, player } => {
            Kind::SeatTaken(proto::SeatTaken { seat: number(*seat), player: player.0.to_be_bytes().to_vec() })
        }
        Event::SeatLeft { seat } => Kind::SeatLeft(proto::SeatLeft { seat: number(*seat) }),
        Event::BotSeated { seat, strength, absent } => Kind::BotSeated(proto::BotSeated {
            seat: number(*seat),
            strength: proto::BotStrength::from(*strength).into(),
            absent: absent.map_or_else(Default::default, proto::ForfeitCause::from).into(),
        }),
        Event::SeatResumed { seat } => Kind::SeatResumed(proto::SeatResumed { seat: number(*seat) }),
        Event::PlayerRemoved { seat } => Kind::PlayerRemoved(proto::PlayerRemoved { seat: number(*seat) }),
        Event::HostChanged { seat } => Kind::HostChanged(proto::HostChanged { seat: number(*seat) }),
        Event::ReadyAsked { until } => Kind::ReadyAsked(proto::ReadyAsked { until: Some(until.0) }),
        Event::ReadyMissed { seat } => Kind::ReadyMissed(proto::ReadyMissed { seat: number(*seat) }),
        Event::SettingsChanged => Kind::SettingsChanged(proto::SettingsChanged {}),
        Event::SeatOffered { seat, player, until } => Kind::SeatOffered(proto::SeatOffered {
            seat: number(*seat),
            player: player.0.to_be_bytes().to_vec(),
            until: Some(until.0),
        }),
        Event::OfferEnded { seat } => Kind::OfferEnded(proto::OfferEnded { seat: number(*seat) }),
        Event::RematchMade { seat, game } => {
            Kind::RematchMade(proto::RematchMade { seat: number(*seat), game: game.0.to_be_bytes().to_vec() })
        }
        Event::BecameReady { seat, client_seed } => Kind::BecameReady(proto::BecameReady {
            seat: number(*seat),
            client_seed: client_seed.bytes().to_vec(),
        }),
        Event::DealerChosen { dealer, cut } => Kind::DealerChosen(deal::encode_dealer(*dealer, cut)),
        Event::Dealt(dealt) => Kind::Dealt(deal::encode_dealt(dealt)),
        Event::TurnStarted { seat, drawn, deadline } => Kind::TurnStarted(proto::TurnStarted {
            seat: number(*seat),
            drawn: *drawn,
            deadline: deadline.map(|at| at.0),
        }),
        Event::StockDrawn { seat, card } => {
            Kind::StockDrawn(proto::StockDrawn { seat: number(*seat), card: Some(byte(*card)) })
        }
        Event::DiscardTaken { seat, card } => {
            Kind::DiscardTaken(proto::DiscardTaken { seat: number(*seat), card: Some(byte(*card)) })
        }
        Event::Melded { seat, opening, melds, points } => Kind::Melded(proto::Melded {
            seat: number(*seat),
            opening: *opening,
            melds: melds.iter().map(|(id, meld)| encode_meld(*id, meld)).collect(),
            points: (*points).into(),
        }),
        Event::LaidOff { seat, meld, low, high, points } => Kind::LaidOff(proto::LaidOff {
            seat: number(*seat),
            meld: Some(meld.0.into()),
            low: bytes(low),
            high: bytes(high),
            points: (*points).into(),
        }),
        Event::JokerSwapped { seat, meld, card, joker, pending, points } => {
            Kind::JokerSwapped(proto::JokerSwapped {
                seat: number(*seat),
                meld: Some(meld.0.into()),
                card: Some(byte(*card)),
                joker: Some(byte(*joker)),
                pending: *pending,
                points: (*points).into(),
            })
        }
        Event::PlaysUndone { seat } => Kind::PlaysUndone(proto::PlaysUndone { seat: number(*seat) }),
        Event::Discarded { seat, card } => {
            Kind::Discarded(proto::Discarded { seat: number(*seat), card: Some(byte(*card)) })
        }
        Event::StockReused { kept, count: _, stock } => {
            Kind::StockReused(proto::StockReused { kept: kept.map(byte), stock: bytes(stock) })
        }
        Event::TimedOut { seat, in_a_row } => {
            Kind::TimedOut(proto::TimedOut { seat: number(*seat), in_a_row: (*in_a_row).into() })
        }
        Event::TimeBankUsed { seat, left } => {
            Kind::TimeBankUsed(proto::TimeBankUsed { seat: number(*seat), left: *left })
        }
        Event::ClockExtended { seat, until } => {
            Kind::ClockExtended(proto::ClockExtended { seat: number(*seat), until: Some(until.0) })
        }
        Event::SeatForfeited { seat, cause } => Kind::SeatForfeited(proto::SeatForfeited {
            seat: number(*seat),
            cause: proto::ForfeitCause::from(*cause).into(),
        }),
        Event::GameStopped { reason } => {
            Kind::GameStopped(proto::GameStopped { reason: reason.text().to_owned() })
        }
        Event::DealEnded(ended) => Kind::DealEnded(deal::encode_ended(ended)),
        Event::GameEnded { cause, places } => Kind::GameEnded(proto::GameEnded {
            cause: proto::GameOverCause::from(*cause).into(),
            places: places.iter().map(|&place| place.into()).collect(),
        }),
    };
    proto::Event { kind: Some(kind) }
}

pub(super) fn decode(event: proto::Event) -> Result<Event<Full>, DecodeError> {
    Ok(match event.kind.ok_or(DecodeError::UnknownEvent)? {
        Kind::GameCreated(e) => Event::GameCreated {
            rules: Box::new(ruleset::decode(required("GameCreated.rules", e.rules)?)?),
            rules_version: required("GameCreated.rules_version", e.rules_version)?,
            seats: narrow("GameCreated.seats", required("GameCreated.seats", e.seats)?)?,
        },
        Kind::SandboxArranged(e) => Event::SandboxArranged { arrangement: Box::new(sandbox::decode(e)?) },
        Kind::SeedCommitted(e) => deal::decode_commitment(&e)?,
        Kind::SeatTaken(e) => Event::SeatTaken {
            seat: seat("SeatTaken.seat", e.seat)?,
            player: player("SeatTaken.player", &e.player)?,
        },
        Kind::SeatLeft(e) => Event::SeatLeft { seat: seat("SeatLeft.seat", e.seat)? },
        Kind::BotSeated(e) => Event::BotSeated {
            seat: seat("BotSeated.seat", e.seat)?,
            strength: choice::<proto::BotStrength, _>("BotSeated.strength", e.strength)?,
            absent: (e.absent != 0)
                .then(|| choice::<proto::ForfeitCause, _>("BotSeated.absent", e.absent))
                .transpose()?,
        },
        Kind::SeatResumed(e) => Event::SeatResumed { seat: seat("SeatResumed.seat", e.seat)? },
        Kind::PlayerRemoved(e) => Event::PlayerRemoved { seat: seat("PlayerRemoved.seat", e.seat)? },
        Kind::HostChanged(e) => Event::HostChanged { seat: seat("HostChanged.seat", e.seat)? },
        Kind::ReadyAsked(e) => Event::ReadyAsked { until: Millis(required("ReadyAsked.until", e.until)?) },
        Kind::ReadyMissed(e) => Event::ReadyMissed { seat: seat("ReadyMissed.seat", e.seat)? },
        Kind::SettingsChanged(_) => Event::SettingsChanged,
        Kind::SeatOffered(e) => Event::SeatOffered {
            seat: seat("SeatOffered.seat", e.seat)?,
            player: player("SeatOffered.player", &e.player)?,
            until: Millis(required("SeatOffered.until", e.until)?),
        },
        Kind::OfferEnded(e) => Event::OfferEnded { seat: seat("OfferEnded.seat", e.seat)? },
        Kind::RematchMade(e) => Event::RematchMade {
            seat: seat("RematchMade.seat", e.seat)?,
            // An id of 16 bytes, as a player's is.
            game: GameRef(player("RematchMade.game", &e.game)?.0),
        },
        Kind::BecameReady(e) => Event::BecameReady {
            seat: seat("BecameReady.seat", e.seat)?,
            client_seed: client_seed("BecameReady.client_seed", e.client_seed)?,
        },
        Kind::DealerChosen(e) => deal::decode_dealer(e)?,
        Kind::Dealt(e) => Event::Dealt(Box::new(deal::decode_dealt(e)?)),
        Kind::TurnStarted(e) => Event::TurnStarted {
            seat: seat("TurnStarted.seat", e.seat)?,
            drawn: e.drawn,
            deadline: e.deadline.map(Millis),
        },
        Kind::StockDrawn(e) => Event::StockDrawn {
            seat: seat("StockDrawn.seat", e.seat)?,
            card: card("StockDrawn.card", e.card)?,
        },
        Kind::DiscardTaken(e) => Event::DiscardTaken {
            seat: seat("DiscardTaken.seat", e.seat)?,
            card: card("DiscardTaken.card", e.card)?,
        },
        Kind::Melded(e) => Event::Melded {
            seat: seat("Melded.seat", e.seat)?,
            opening: e.opening,
            melds: e.melds.into_iter().map(decode_meld).collect::<Result<_, _>>()?,
            points: narrow("Melded.points", e.points)?,
        },
        Kind::LaidOff(e) => Event::LaidOff {
            seat: seat("LaidOff.seat", e.seat)?,
            meld: meld_id("LaidOff.meld", e.meld)?,
            low: cards("LaidOff.low", &e.low, LONGEST)?,
            high: cards("LaidOff.high", &e.high, LONGEST)?,
            points: narrow("LaidOff.points", e.points)?,
        },
        Kind::JokerSwapped(e) => Event::JokerSwapped {
            seat: seat("JokerSwapped.seat", e.seat)?,
            meld: meld_id("JokerSwapped.meld", e.meld)?,
            card: card("JokerSwapped.card", e.card)?,
            joker: card("JokerSwapped.joker", e.joker)?,
            pending: e.pending,
            points: narrow("JokerSwapped.points", e.points)?,
        },
        Kind::PlaysUndone(e) => Event::PlaysUndone { seat: seat("PlaysUndone.seat", e.seat)? },
        Kind::Discarded(e) => {
            Event::Discarded { seat: seat("Discarded.seat", e.seat)?, card: card("Discarded.card", e.card)? }
        }
        Kind::StockReused(e) => deal::decode_reuse(&e)?,
        Kind::TimedOut(e) => Event::TimedOut {
            seat: seat("TimedOut.seat", e.seat)?,
            in_a_row: narrow("TimedOut.in_a_row", e.in_a_row)?,
        },
        Kind::TimeBankUsed(e) => {
            Event::TimeBankUsed { seat: seat("TimeBankUsed.seat", e.seat)?, left: e.left }
        }
        Kind::ClockExtended(e) => Event::ClockExtended {
            seat: seat("ClockExtended.seat", e.seat)?,
            until: Millis(required("ClockExtended.until", e.until)?),
        },
        Kind::SeatForfeited(e) => Event::SeatForfeited {
            seat: seat("SeatForfeited.seat", e.seat)?,
            cause: choice::<proto::ForfeitCause, _>("SeatForfeited.cause", e.cause)?,
        },
        Kind::GameStopped(e) => {
            let (field, length) = ("GameStopped.reason", e.reason.len());
            let reason = Reason::new(e.reason).ok_or(DecodeError::BadLength { field, length })?;
            Event::GameStopped { reason }
        }
        Kind::DealEnded(e) => Event::DealEnded(Box::new(deal::decode_ended(e)?)),
        Kind::GameEnded(e) => Event::GameEnded {
            cause: choice::<proto::GameOverCause, _>("GameEnded.cause", e.cause)?,
            places: e
                .places
                .into_iter()
                .map(|place| narrow("GameEnded.places", place))
                .collect::<Result<_, _>>()?,
        },
    })
}

fn encode_meld(id: MeldId, meld: &Meld) -> proto::Meld {
    let shape = match meld.shape {
        Shape::Run { suit, low } => proto::meld::Shape::Run(suit as u32 * 16 + u32::from(low)),
        Shape::Group { rank } => proto::meld::Shape::Group(rank as u32),
    };
    proto::Meld { id: Some(id.0.into()), cards: bytes(&meld.cards), shape: Some(shape) }
}

fn decode_meld(meld: proto::Meld) -> Result<(MeldId, Meld), DecodeError> {
    let index = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
    let shape = match required("Meld.shape", meld.shape)? {
        proto::meld::Shape::Run(run) => match (Suit::ALL.get(index(run / 16)), run % 16) {
            (Some(&suit), low @ 0..=12) => Some(Shape::Run { suit, low: low as u8 }),
            _ => None,
        }
        .ok_or(DecodeError::Meaningless { field: "Meld.run", value: run.into() })?,
        proto::meld::Shape::Group(rank) => Rank::ALL
            .get(index(rank))
            .map(|&rank| Shape::Group { rank })
            .ok_or(DecodeError::Meaningless { field: "Meld.group", value: rank.into() })?,
    };
    Ok((meld_id("Meld.id", meld.id)?, Meld { shape, cards: cards("Meld.cards", &meld.cards, LONGEST)? }))
}
