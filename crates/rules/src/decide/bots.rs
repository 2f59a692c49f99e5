//! Bots at the table: asked by the host before the first deal (RULES 16), playing for who is away, and giving the seat
//! back (RULES 15).

use super::host::hosts;
use super::{dealing, decide, lobby};
use crate::chance::{Chance, Millis};
use crate::command::{Actor, Command};
use crate::event::{Event, Full};
use crate::evolve::evolve;
use crate::refusal::Refusal;
use crate::seat::Seat;
use crate::strength::Strength;
use crate::table::Table;
use crate::view::Standing;

/// RULES 16: the host lets a bot have a free seat. The cards are dealt if everybody has waited for it alone.
pub(super) fn add(
    table: &Table,
    by: Seat,
    wanted: Option<Seat>,
    strength: Strength,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    hosts(table, by)?;
    let seat = lobby::free_seat(table, wanted, None)?;
    let mut events = vec![Event::BotSeated { seat, strength, absent: None }];
    let mut ahead = table.clone();
    evolve(&mut ahead, &events[0]);
    if ahead.all_ready() {
        events.extend(dealing::deal(&ahead, dealing::seeds_given(&ahead), now, chance));
    }
    Ok(events)
}

/// The host takes a bot's seat back.
pub(super) fn remove(table: &Table, by: Seat, seat: Seat) -> Result<Vec<Event<Full>>, Refusal> {
    hosts(table, by)?;
    match table.bot(seat) {
        Some(_) => Ok(vec![Event::SeatLeft { seat }]),
        None => Err(Refusal::NoBot(seat)),
    }
}

/// RULES 15: whatever a player does whose seat a bot holds, he is back; if it is against the rules, nothing has
/// happened.
pub(super) fn come_back(
    table: &Table,
    seat: Seat,
    command: &Command,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    let mut events = vec![Event::SeatResumed { seat }];
    match command {
        Command::Resume => {}
        Command::Leave => return Err(Refusal::BotPlays(seat)),
        _ => {
            let mut back = table.clone();
            evolve(&mut back, &events[0]);
            events.extend(decide(&back, Actor::Seat(seat), command, now, chance)?);
        }
    }
    Ok(events)
}

/// The seat of a bot that acts: it plays, and does nothing else.
pub(super) fn acting(table: &Table, seat: Seat, command: &Command) -> Result<Seat, Refusal> {
    let state = table.seats.get(seat.index()).filter(|s| s.bot.is_some()).ok_or(Refusal::NoBot(seat))?;
    if state.standing != Standing::In {
        return Err(Refusal::OutOfGame(seat));
    }
    match command {
        Command::Draw(_)
        | Command::Meld(_)
        | Command::LayOff { .. }
        | Command::SwapJoker { .. }
        | Command::Discard(_)
        | Command::Undo => Ok(seat),
        _ => Err(Refusal::BotPlays(seat)),
    }
}
