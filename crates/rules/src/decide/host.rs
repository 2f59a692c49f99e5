//! What the host may do before the first deal, what the clock does then, and the game after the game.

use std::time::Duration;

use super::lobby;
use crate::chance::Millis;
use crate::command::Actor;
use crate::event::{Event, Full, GameOver};
use crate::evolve::evolve;
use crate::refusal::Refusal;
use crate::seat::{GameRef, PlayerId, Seat};
use crate::table::Table;

/// The seat is the host's at a table that waits for its first deal.
pub(super) fn hosts(table: &Table, by: Seat) -> Result<(), Refusal> {
    if !table.is_waiting() {
        return Err(Refusal::AlreadyStarted);
    }
    match table.host() {
        Some(host) if host != by => Err(Refusal::NotHost(host)),
        _ => Ok(()),
    }
}

/// The seat of another player than the host.
fn other(table: &Table, by: Seat, player: PlayerId) -> Result<Seat, Refusal> {
    hosts(table, by)?;
    table.seat_of(player).filter(|seat| *seat != by).ok_or(Refusal::NoOtherPlayer)
}

pub(super) fn remove(table: &Table, by: Seat, player: PlayerId) -> Result<Event<Full>, Refusal> {
    Ok(Event::PlayerRemoved { seat: other(table, by, player)? })
}

pub(super) fn hand_over(table: &Table, by: Seat, player: PlayerId) -> Result<Event<Full>, Refusal> {
    Ok(Event::HostChanged { seat: other(table, by, player)? })
}

/// Once everybody is there, so that the first deal begins when the last one is ready.
pub(super) fn ask_ready(
    table: &Table,
    by: Seat,
    within: Duration,
    now: Millis,
) -> Result<Event<Full>, Refusal> {
    hosts(table, by)?;
    if let Some(until) = table.lobby().ready_until {
        return Err(Refusal::ReadyAsked(until));
    }
    match table.free_seats().len() {
        0 => Ok(Event::ReadyAsked { until: now.plus(within) }),
        free => Err(Refusal::SeatsFree(free)),
    }
}

pub(super) fn change_settings(table: &Table, by: Seat) -> Result<Event<Full>, Refusal> {
    hosts(table, by)?;
    Ok(Event::SettingsChanged)
}

pub(super) fn offer(
    table: &Table,
    by: Seat,
    seat: Seat,
    player: PlayerId,
    until: Millis,
) -> Result<Event<Full>, Refusal> {
    hosts(table, by)?;
    if let Some(seat) = table.seat_of(player).or_else(|| table.lobby().offer_to(player)) {
        return Err(Refusal::AlreadySeated(seat));
    }
    Ok(Event::SeatOffered { seat: lobby::free_seat(table, Some(seat), None)?, player, until })
}

pub(super) fn decline(table: &Table, actor: Actor) -> Result<Event<Full>, Refusal> {
    let Actor::Player(player) = actor else { return Err(Refusal::NoOffer) };
    let seat = table.lobby().offer_to(player).ok_or(Refusal::NoOffer)?;
    Ok(Event::OfferEnded { seat })
}

/// The clock: who isn't ready in time loses the seat. A table that nobody is left at is closed.
pub(super) fn end_ready_check(table: &Table, now: Millis) -> Result<Vec<Event<Full>>, Refusal> {
    let until = table.lobby().ready_until.ok_or(Refusal::NoClock)?;
    if now < until {
        return Err(Refusal::NotTimeYet(until));
    }
    let late = table.people().iter().filter(|seat| table.seats[seat.index()].ready.is_none());
    let mut events: Vec<_> = late.map(|seat| Event::ReadyMissed { seat }).collect();
    let mut ahead = table.clone();
    events.iter().for_each(|event| evolve(&mut ahead, event));
    if ahead.people().is_empty() {
        events.push(closed(table));
    }
    Ok(events)
}

/// The clock gives the time back in which nobody could say that he is ready.
pub(super) fn extend_ready_check(table: &Table, by: Duration) -> Result<Vec<Event<Full>>, Refusal> {
    let until = table.lobby().ready_until.ok_or(Refusal::NoDealRunning)?;
    Ok(vec![Event::ReadyAsked { until: until.plus(by) }])
}

/// The clock: seats aren't kept any longer.
pub(super) fn end_offers(table: &Table, now: Millis) -> Result<Vec<Event<Full>>, Refusal> {
    let first = table.lobby().offers.iter().map(|offer| offer.until).min().ok_or(Refusal::NoClock)?;
    if now < first {
        return Err(Refusal::NotTimeYet(first));
    }
    let ended = table.lobby().offers.iter().filter(|offer| offer.until <= now);
    Ok(ended.map(|offer| Event::OfferEnded { seat: offer.seat }).collect())
}

/// The clock: nobody comes any more.
pub(super) fn close(table: &Table) -> Result<Vec<Event<Full>>, Refusal> {
    if table.is_waiting() { Ok(vec![closed(table)]) } else { Err(Refusal::AlreadyStarted) }
}

/// The game's end before its first deal.
pub(super) fn closed(table: &Table) -> Event<Full> {
    Event::GameEnded { cause: GameOver::Abandoned, places: vec![0; table.seats.len()] }
}

/// Whoever had a seat may ask for another game, once.
pub(super) fn rematch(table: &Table, actor: Actor, game: GameRef) -> Result<Vec<Event<Full>>, Refusal> {
    let Actor::Seat(seat) = actor else { return Err(Refusal::NotSeated) };
    if table.player(seat).is_none() {
        return Err(Refusal::NotSeated);
    }
    if !table.is_over() {
        return Err(Refusal::NotOver);
    }
    match table.rematch() {
        Some(made) => Err(Refusal::RematchMade(made)),
        None => Ok(vec![Event::RematchMade { seat, game }]),
    }
}
