//! The command that a move's events tell of.

use std::time::Duration;

use crate::chance::{ClientSeed, Millis};
use crate::command::{Actor, Command, End, Source};
use crate::event::{Event, Forfeit, Full, GameOver};
use crate::evolve::evolve;
use crate::meld::{LONGEST, Meld, Named};
use crate::seat::Seat;
use crate::table::Table;

/// Who did what, from what came of it: a command with which `decide` makes these events of this table. `seat` is
/// whose move it is recorded as. Commands with the same outcome tell the same. `None` if no command has such an outcome.
///
/// The command names what the player may have left open: the seat taken, the end of a run, the joker swapped, what
/// the jokers of a run stand for.
pub(super) fn command_told(
    table: &Table,
    seat: Option<Seat>,
    made_at: Millis,
    events: &[Event<Full>],
) -> Option<(Actor, Command)> {
    if events.iter().any(|event| matches!(event, Event::TimedOut { .. })) {
        return Some((Actor::Clock, Command::TimeOut));
    }
    if let [resumed @ Event::SeatResumed { seat }, rest @ ..] = events {
        // Whatever the player did brought him back.
        if rest.is_empty() {
            return Some((Actor::Seat(*seat), Command::Resume));
        }
        let mut back = table.clone();
        evolve(&mut back, resumed);
        return command_told(&back, Some(*seat), made_at, rest);
    }
    if let Some(told) = before_first_deal(table, seat, made_at, events.first()?) {
        return Some(told);
    }
    match events.first()? {
        Event::GameStopped { reason } => {
            let void = matches!(events.last()?, Event::GameEnded { cause: GameOver::Voided, .. });
            return Some((Actor::Admin, Command::Stop { void, reason: reason.clone() }));
        }
        Event::BotSeated { seat, strength, absent: None } => {
            let command = Command::AddBot { seat: Some(*seat), strength: *strength };
            return Some((Actor::Seat(table.host()?), command));
        }
        Event::SeatLeft { seat } if table.bot(*seat).is_some() => {
            return Some((Actor::Seat(table.host()?), Command::RemoveBot { seat: *seat }));
        }
        _ => {}
    }
    if let Some(seat) = events.iter().find_map(left) {
        return Some((Actor::Seat(seat), Command::Leave));
    }
    // A leaver's turn is played for him, and may end the game before his seat is given up.
    let discard = events.iter().position(|event| matches!(event, Event::Discarded { .. }));
    if discard.is_some_and(|at| at > 0) {
        return Some((Actor::Seat(table.turn()?), Command::Leave));
    }
    match events.first()? {
        Event::SeatTaken { seat, player } => {
            Some((Actor::Player(*player), Command::Join { seat: Some(*seat) }))
        }
        Event::BecameReady { seat, client_seed } => {
            Some((Actor::Seat(*seat), Command::Ready { client_seed: client_seed.clone() }))
        }
        Event::DealerChosen { .. } | Event::Dealt(_) => Some(match seat {
            // Ready already, and asking again after the pause.
            Some(seat) => (Actor::Seat(seat), Command::Ready { client_seed: ClientSeed::default() }),
            None => (Actor::Clock, Command::EndPause),
        }),
        Event::ClockExtended { until, .. } => {
            let lost = until.0.checked_sub(table.deal()?.turn.deadline?.0)?;
            let by = Duration::from_millis(u64::try_from(lost).ok()?);
            Some((Actor::Clock, Command::ExtendClock { by }))
        }
        other => {
            let (seat, command) = play(table, other)?;
            // Who plays a seat himself that a bot held has come back to it first.
            let actor = if table.bot(seat).is_some() { Actor::Bot(seat) } else { Actor::Seat(seat) };
            Some((actor, command))
        }
    }
}

/// What is only done before the first deal, and the asking for another game.
fn before_first_deal(
    table: &Table,
    seat: Option<Seat>,
    made_at: Millis,
    first: &Event<Full>,
) -> Option<(Actor, Command)> {
    let by_host = |command| Some((Actor::Seat(table.host()?), command));
    let from = |earlier: Millis, until: &Millis| {
        let by = until.0.checked_sub(earlier.0)?;
        Some(Duration::from_millis(u64::try_from(by).ok()?))
    };
    match first {
        Event::PlayerRemoved { seat } => by_host(Command::Remove { player: table.player(*seat)? }),
        Event::HostChanged { seat } => by_host(Command::HandOver { player: table.player(*seat)? }),
        Event::ReadyAsked { until } => match seat {
            Some(_) => by_host(Command::AskReady { within: from(made_at, until)? }),
            None => {
                let by = from(table.lobby().ready_until?, until)?;
                Some((Actor::Clock, Command::ExtendClock { by }))
            }
        },
        Event::ReadyMissed { .. } => Some((Actor::Clock, Command::EndReadyCheck)),
        Event::SettingsChanged => by_host(Command::ChangeSettings),
        Event::SeatOffered { seat, player, until } => {
            by_host(Command::Offer { seat: *seat, player: *player, within: from(made_at, until)? })
        }
        Event::OfferEnded { seat: kept } => match seat {
            Some(_) => Some((Actor::Player(table.lobby().kept_for(*kept)?), Command::Decline)),
            None => Some((Actor::Clock, Command::EndOffers)),
        },
        Event::RematchMade { seat, game } => Some((Actor::Seat(*seat), Command::Rematch { game: *game })),
        Event::GameEnded { .. } if table.is_waiting() => Some((Actor::Clock, Command::Close)),
        _ => None,
    }
}

fn left(event: &Event<Full>) -> Option<Seat> {
    match event {
        Event::SeatLeft { seat }
        | Event::SeatForfeited { seat, cause: Forfeit::Left }
        | Event::BotSeated { seat, absent: Some(Forfeit::Left), .. } => Some(*seat),
        _ => None,
    }
}

/// A command of a turn.
fn play(table: &Table, first: &Event<Full>) -> Option<(Seat, Command)> {
    Some(match first {
        Event::StockDrawn { seat, .. } => (*seat, Command::Draw(Source::Stock)),
        // There was no card to draw: a new stock, or the end of the deal.
        Event::StockReused { .. } | Event::DealEnded(_) => (table.turn()?, Command::Draw(Source::Stock)),
        Event::DiscardTaken { seat, .. } => (*seat, Command::Draw(Source::Discard)),
        Event::Melded { seat, melds, .. } => {
            let melds = melds.iter().map(|(_, meld)| named(meld, 0..meld.cards.len())).collect();
            (*seat, Command::Meld(melds))
        }
        Event::LaidOff { seat, meld: id, low, high, .. } => {
            let mut meld = table.deal()?.meld(*id)?.meld.clone();
            if meld.cards.len() + low.len() + high.len() > LONGEST {
                return None;
            }
            meld.extend(low, high);
            let behind = meld.cards.len() - high.len();
            let mut cards = named(&meld, 0..low.len());
            cards.extend(named(&meld, behind..meld.cards.len()));
            let end = match (low.is_empty(), high.is_empty()) {
                _ if !meld.is_run() => None,
                (true, false) => Some(End::High),
                (false, true) => Some(End::Low),
                _ => None,
            };
            (*seat, Command::LayOff { meld: *id, cards, end })
        }
        Event::JokerSwapped { seat, meld, card, joker, .. } => {
            (*seat, Command::SwapJoker { meld: *meld, card: *card, joker: Some(*joker) })
        }
        Event::PlaysUndone { seat } => (*seat, Command::Undo),
        Event::Discarded { seat, card } => (*seat, Command::Discard(*card)),
        _ => return None,
    })
}

/// Some of a meld's cards as a command names them: jokers bound where the meld gives them a face.
fn named(meld: &Meld, cards: std::ops::Range<usize>) -> Vec<Named> {
    let name = |index: usize| {
        let card = meld.cards[index];
        Named { card, stands_for: if card.is_joker() { meld.face_at(index) } else { None } }
    };
    cards.map(name).collect()
}
