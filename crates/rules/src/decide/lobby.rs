//! Before the first deal and between two: sitting down, being ready.

use super::dealing;
use crate::chance::{Chance, ClientSeed, Millis};
use crate::command::Actor;
use crate::event::{Event, Full};
use crate::evolve::evolve;
use crate::refusal::Refusal;
use crate::seat::{PlayerId, Seat};
use crate::table::{Phase, Table};

pub(super) fn join(table: &Table, actor: Actor, wanted: Option<Seat>) -> Result<Vec<Event<Full>>, Refusal> {
    let player = match actor {
        Actor::Player(player) => player,
        Actor::Seat(seat) => return Err(Refusal::AlreadySeated(seat)),
        Actor::Bot(_) | Actor::Clock | Actor::Admin => return Err(Refusal::NotSeated),
    };
    if let Some(seat) = table.seat_of(player) {
        return Err(Refusal::AlreadySeated(seat));
    }
    if !table.is_waiting() {
        return Err(Refusal::AlreadyStarted);
    }
    if table.lobby().removed.contains(&player) {
        return Err(Refusal::Removed);
    }
    Ok(vec![Event::SeatTaken { seat: free_seat(table, wanted, Some(player))?, player }])
}

/// The seat wanted; else the one that is kept for the player, or the first one that is free. A seat that is kept for
/// somebody is free for him alone.
pub(super) fn free_seat(
    table: &Table,
    wanted: Option<Seat>,
    player: Option<PlayerId>,
) -> Result<Seat, Refusal> {
    let seats = table.seat_count();
    let free = table.free_seats();
    let kept = |seat: Seat| table.lobby().kept_for(seat).is_some_and(|whose| Some(whose) != player);
    let offered = player.and_then(|player| table.lobby().offer_to(player));
    match wanted.or(offered) {
        None => match free.iter().find(|seat| !kept(*seat)) {
            Some(seat) => Ok(seat),
            None => Err(free.iter().next().map_or(Refusal::TableFull(seats), Refusal::SeatKept)),
        },
        Some(seat) if seat.number() >= seats => Err(Refusal::NoSuchSeat { seat, seats }),
        Some(seat) if !free.contains(seat) => Err(Refusal::SeatTaken(seat)),
        Some(seat) if kept(seat) => Err(Refusal::SeatKept(seat)),
        Some(seat) => Ok(seat),
    }
}

/// RULES 17: the next deal begins when everybody is ready, or when somebody is and the pause is over.
pub(super) fn ready(
    table: &Table,
    seat: Seat,
    client_seed: &ClientSeed,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    let pause_over = match &table.phase {
        Phase::Waiting => false,
        Phase::Between(last) => now >= last.pause_until,
        Phase::Playing(_) => return Err(Refusal::DealRunning),
        Phase::Over { .. } => return Err(Refusal::GameOver),
    };
    let mut events = Vec::new();
    if table.seats[seat.index()].ready.is_none() {
        events.push(Event::BecameReady { seat, client_seed: client_seed.clone() });
    } else if !pause_over {
        return Err(Refusal::AlreadyReady(seat));
    }
    let mut ahead = table.clone();
    events.iter().for_each(|event| evolve(&mut ahead, event));
    if ahead.all_ready() || pause_over {
        events.extend(dealing::deal(&ahead, dealing::seeds_given(&ahead), now, chance));
    }
    Ok(events)
}

/// RULES 17: the pause is over.
pub(super) fn end_pause(
    table: &Table,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    let Phase::Between(last) = &table.phase else {
        return Err(if table.is_waiting() { Refusal::NoDealRunning } else { Refusal::DealRunning });
    };
    if now < last.pause_until {
        return Err(Refusal::NotTimeYet(last.pause_until));
    }
    Ok(dealing::deal(table, dealing::seeds_given(table), now, chance))
}
