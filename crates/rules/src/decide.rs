//! Judging commands: every rule of play is here and in the folder beside it.
//!
//! [`decide`] looks at a table and a command and answers with the events that follow, or with the rule that
//! stands against it. It changes nothing.

mod bots;
mod clock;
mod dealing;
mod draw;
mod finish;
mod host;
mod lobby;
mod plays;
mod stock;

use crate::chance::{Chance, Millis};
use crate::command::{Actor, Command};
use crate::event::{Event, Full};
use crate::refusal::Refusal;
use crate::ruleset::{RULES_VERSION, Ruleset, RulesetFault};
use crate::sandbox::{Arrangement, SandboxFault};
use crate::seat::Seat;
use crate::table::{Deal, Part, Phase, Play, Table};
use crate::view::Standing;

/// The events that open a game: the table, and the commitment to the first deal's seed.
///
/// # Errors
/// The ruleset is inconsistent, or doesn't allow so many seats.
pub fn create(rules: Ruleset, seats: u8, chance: &mut impl Chance) -> Result<Vec<Event<Full>>, RulesetFault> {
    rules.validate()?;
    let (least, most) = rules.seats;
    if !(least..=most).contains(&seats) {
        return Err(RulesetFault::SeatsOutOfRange { seats, least, most });
    }
    let created = Event::GameCreated { rules: Box::new(rules), rules_version: RULES_VERSION, seats };
    Ok(vec![created, dealing::commit(1, chance)])
}

/// The events that open a game whose decks somebody has chosen.
///
/// # Errors
/// The ruleset is inconsistent or doesn't allow so many seats, or the decks can't be like that.
pub fn create_sandbox(
    rules: Ruleset,
    seats: u8,
    arrangement: Arrangement,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, SandboxFault> {
    let mut events = create(rules.clone(), seats, chance)?;
    arrangement.check(&rules, seats)?;
    events.insert(1, Event::SandboxArranged { arrangement: Box::new(arrangement) });
    Ok(events)
}

/// Judges a command: the events that follow from it, at least one.
///
/// # Errors
/// The rule that stands against it. The table is not touched either way.
pub fn decide(
    table: &Table,
    actor: Actor,
    command: &Command,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    if let Command::Rematch { game } = command {
        return host::rematch(table, actor, *game);
    }
    if table.is_over() {
        return Err(Refusal::GameOver);
    }
    let seat = match (actor, command) {
        (_, Command::Join { seat }) => return lobby::join(table, actor, *seat),
        (Actor::Clock, Command::TimeOut) => return clock::time_out(table, now, chance),
        (_, Command::Decline) => return host::decline(table, actor).map(one),
        (Actor::Clock, Command::EndReadyCheck) => return host::end_ready_check(table, now),
        (Actor::Clock, Command::EndOffers) => return host::end_offers(table, now),
        (Actor::Clock, Command::Close) => return host::close(table),
        (Actor::Clock, Command::ExtendClock { by }) if table.is_waiting() => {
            return host::extend_ready_check(table, *by);
        }
        (Actor::Clock, Command::ExtendClock { by }) => return clock::extend(table, *by),
        (Actor::Clock, Command::EndPause) => return lobby::end_pause(table, now, chance),
        (Actor::Admin, Command::Stop { void, reason }) => {
            return Ok(finish::stop(table, *void, reason, now, chance));
        }
        (_, Command::Stop { .. }) => return Err(Refusal::AdminOnly),
        (Actor::Seat(seat), _) => {
            let seat = playing_seat(table, seat)?;
            if table.bot(seat).is_some() {
                return bots::come_back(table, seat, command, now, chance);
            }
            seat
        }
        (Actor::Bot(seat), _) => bots::acting(table, seat, command)?,
        (Actor::Player(_) | Actor::Clock | Actor::Admin, _) => return Err(Refusal::NotSeated),
    };
    let event = match command {
        Command::Leave => return clock::leave(table, seat, now, chance),
        Command::Ready { client_seed } => return lobby::ready(table, seat, client_seed, now, chance),
        Command::AddBot { seat: wanted, strength } => {
            return bots::add(table, seat, *wanted, *strength, now, chance);
        }
        Command::RemoveBot { seat: which } => return bots::remove(table, seat, *which),
        Command::Remove { player } => return host::remove(table, seat, *player).map(one),
        Command::HandOver { player } => return host::hand_over(table, seat, *player).map(one),
        Command::AskReady { within } => return host::ask_ready(table, seat, *within, now).map(one),
        Command::ChangeSettings => return host::change_settings(table, seat).map(one),
        Command::Offer { seat: kept, player, within } => {
            return host::offer(table, seat, *kept, *player, now.plus(*within)).map(one);
        }
        Command::Resume => return Err(Refusal::NoBot(seat)),
        Command::Stop { .. } => return Err(Refusal::AdminOnly),
        Command::TimeOut
        | Command::EndPause
        | Command::ExtendClock { .. }
        | Command::EndReadyCheck
        | Command::EndOffers
        | Command::Close => return Err(Refusal::ClockOnly),
        Command::Draw(source) => return draw::draw(table, turn_of(table, seat)?, *source, now, chance),
        Command::Discard(card) => {
            let (deal, play) = play_of(table, seat)?;
            let event = plays::discard(deal, play, seat, *card)?;
            return Ok(finish::after_discard(table, deal, event, *card, now, chance));
        }
        // Judged above, whoever asks.
        Command::Join { .. } | Command::Decline | Command::Rematch { .. } => {
            return Err(Refusal::AlreadySeated(seat));
        }
        Command::Meld(melds) => plays::meld(table, play_of(table, seat)?, seat, melds)?,
        Command::LayOff { meld, cards, end } => {
            plays::lay_off(table, play_of(table, seat)?, seat, *meld, cards, *end)?
        }
        Command::SwapJoker { meld, card, joker } => {
            plays::swap(table, play_of(table, seat)?, seat, *meld, *card, *joker)?
        }
        Command::Undo => plays::undo(play_of(table, seat)?.1, seat)?,
    };
    Ok(finish::after_play(table, seat, event, now, chance))
}

fn one(event: Event<Full>) -> Vec<Event<Full>> {
    vec![event]
}

/// The seat, if somebody sits there who is still in the game.
fn playing_seat(table: &Table, seat: Seat) -> Result<Seat, Refusal> {
    let state = table.seats.get(seat.index()).filter(|s| s.player.is_some()).ok_or(Refusal::NotSeated)?;
    if state.standing == Standing::In { Ok(seat) } else { Err(Refusal::OutOfGame(seat)) }
}

/// The running deal, if it is the seat's turn.
fn turn_of(table: &Table, seat: Seat) -> Result<&Deal, Refusal> {
    let Phase::Playing(deal) = &table.phase else { return Err(Refusal::NoDealRunning) };
    if deal.turn.seat == seat { Ok(deal) } else { Err(Refusal::NotYourTurn(deal.turn.seat)) }
}

/// The running deal and the play part of the seat's turn.
fn play_of(table: &Table, seat: Seat) -> Result<(&Deal, &Play), Refusal> {
    let deal = turn_of(table, seat)?;
    match &deal.turn.part {
        Part::Draw => Err(Refusal::DrawFirst),
        Part::Play(play) => Ok((deal, play)),
    }
}
