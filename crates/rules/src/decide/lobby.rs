//! Before the first deal and between two: sitting down, being ready.

use super::dealing;
use crate::chance::{Chance, ClientSeed, Millis};
use crate::command::Actor;
use crate::event::{Event, Full};
use crate::refusal::Refusal;
use crate::seat::{Seat, Seats};
use crate::table::{Phase, Table};

pub(super) fn join(table: &Table, actor: Actor, wanted: Option<Seat>) -> Result<Vec<Event<Full>>, Refusal> {
    let player = match actor {
        Actor::Player(player) => player,
        Actor::Seat(seat) => return Err(Refusal::AlreadySeated(seat)),
        Actor::Clock => return Err(Refusal::NotSeated),
    };
    if let Some(seat) = table.seat_of(player) {
        return Err(Refusal::AlreadySeated(seat));
    }
    if !table.is_waiting() {
        return Err(Refusal::AlreadyStarted);
    }
    let seats = table.seat_count();
    let mut free = Seat::first(seats).filter(|seat| table.player(*seat).is_none());
    let seat = match wanted {
        None => free.next().ok_or(Refusal::TableFull(seats))?,
        Some(seat) if seat.number() >= seats => return Err(Refusal::NoSuchSeat { seat, seats }),
        Some(seat) => free.find(|s| *s == seat).ok_or(Refusal::SeatTaken(seat))?,
    };
    Ok(vec![Event::SeatTaken { seat, player }])
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
    let mut ready: Seats = dealing::seeds_given(table).iter().map(|(seat, _)| *seat).collect();
    ready.insert(seat);
    let everybody = if table.is_waiting() {
        ready.len() == table.seat_count()
    } else {
        ready.contains_all(table.seats_in())
    };
    if everybody || pause_over {
        let mut seeds = dealing::seeds_given(table);
        if !events.is_empty() {
            seeds.push((seat, client_seed.clone()));
            seeds.sort_by_key(|(seat, _)| *seat);
        }
        events.extend(dealing::deal(table, seeds, now, chance));
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
