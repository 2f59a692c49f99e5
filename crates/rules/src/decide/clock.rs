//! Seats that don't act: timeouts, leaving, forfeits.

use std::time::Duration;

use super::{dealing, finish};
use crate::card::Card;
use crate::chance::{Chance, Millis};
use crate::command::{Actor, Command, Source};
use crate::event::{Event, Forfeit, Full, Outcome};
use crate::evolve::evolve;
use crate::meld::group_value;
use crate::ranking;
use crate::refusal::Refusal;
use crate::score::card_in_hand;
use crate::seat::Seat;
use crate::table::{Deal, Part, Phase, Play, Table};

/// A copy of the table that goes ahead with the events made so far.
struct Ahead {
    table: Table,
    events: Vec<Event<Full>>,
}

impl Ahead {
    fn of(table: &Table) -> Self {
        Self { table: table.clone(), events: Vec::new() }
    }

    fn push(&mut self, event: Event<Full>) {
        evolve(&mut self.table, &event);
        self.events.push(event);
    }

    fn extend(&mut self, events: impl IntoIterator<Item = Event<Full>>) {
        for event in events {
            self.push(event);
        }
    }
}

/// RULES 15: the time of the seat whose turn it is has run out.
pub(super) fn time_out(
    table: &Table,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    let Phase::Playing(deal) = &table.phase else { return Err(Refusal::NoDealRunning) };
    let deadline = deal.turn.deadline.ok_or(Refusal::NoClock)?;
    if now < deadline {
        return Err(Refusal::NotTimeYet(deadline));
    }
    let seat = deal.turn.seat;
    let in_a_row = table.seats[seat.index()].timeouts.saturating_add(1);
    let mut ahead = Ahead::of(table);
    let rest = play_for(&mut ahead, seat, now, chance);
    // Last, since what the server plays for a seat would otherwise count as the player's own.
    ahead.push(Event::TimedOut { seat, in_a_row });
    let awake = table.bot(seat).is_some() || in_a_row < table.rules.timeouts_to_forfeit;
    if !awake && ahead.table.seats_in().len() > 1 {
        go_away(&mut ahead, seat, Forfeit::TimedOut, rest, now, chance);
    } else {
        finish_turn(&mut ahead, rest, now, chance);
    }
    Ok(ahead.events)
}

/// RULES 15: the seat whose turn it is gets the time back that it lost while the service was down.
pub(super) fn extend(table: &Table, by: Duration) -> Result<Vec<Event<Full>>, Refusal> {
    let Phase::Playing(deal) = &table.phase else { return Err(Refusal::NoDealRunning) };
    let deadline = deal.turn.deadline.ok_or(Refusal::NoClock)?;
    Ok(vec![Event::ClockExtended { seat: deal.turn.seat, until: deadline.plus(by) }])
}

/// RULES 16: a player leaves; before the first deal the seat is free again.
pub(super) fn leave(
    table: &Table,
    seat: Seat,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    let mut ahead = Ahead::of(table);
    match &table.phase {
        Phase::Over { .. } => return Err(Refusal::GameOver),
        Phase::Waiting => {
            ahead.push(Event::SeatLeft { seat });
            if ahead.table.people().is_empty() {
                ahead.push(super::host::closed(table));
            }
        }
        Phase::Between(_) => go_away(&mut ahead, seat, Forfeit::Left, Rest::Nothing, now, chance),
        Phase::Playing(deal) => {
            let forfeits = table.rules.absent_seats.bot().is_none();
            let others = table.seats_in().len() > 2 && table.people().len() > 1;
            let in_turn = deal.turn.seat == seat && forfeits && others;
            let rest = if in_turn { play_for(&mut ahead, seat, now, chance) } else { Rest::Nothing };
            go_away(&mut ahead, seat, Forfeit::Left, rest, now, chance);
        }
    }
    Ok(ahead.events)
}

/// What is left to follow a turn that the server has played.
enum Rest {
    /// Nothing: no turn was played.
    Nothing,
    /// The turn passes on.
    PassTurn,
    /// The deal has ended; these events say so.
    DealEnds(Vec<Event<Full>>),
}

/// RULES 15: draws from the stock if nothing was drawn, takes the plays back if a joker is pending, discards.
fn play_for(ahead: &mut Ahead, seat: Seat, now: Millis, chance: &mut impl Chance) -> Rest {
    if ahead.table.deal().is_some_and(|deal| matches!(deal.turn.part, Part::Draw)) {
        let draw = Command::Draw(Source::Stock);
        let actor = if ahead.table.bot(seat).is_some() { Actor::Bot(seat) } else { Actor::Seat(seat) };
        let Ok(events) = super::decide(&ahead.table, actor, &draw, now, chance) else {
            return Rest::PassTurn;
        };
        if events.iter().any(|e| matches!(e, Event::DealEnded(_))) {
            return Rest::DealEnds(events);
        }
        ahead.extend(events);
    }
    let pending = |deal: &Deal| matches!(&deal.turn.part, Part::Play(play) if play.pending.is_some());
    if ahead.table.deal().is_some_and(pending) {
        ahead.push(Event::PlaysUndone { seat });
    }
    let Some(deal) = ahead.table.deal() else { return Rest::Nothing };
    let Part::Play(play) = &deal.turn.part else { return Rest::PassTurn };
    let Some(card) = card_to_discard(&ahead.table, deal, play, seat) else { return Rest::PassTurn };
    let goes_out = deal.hands[seat.index()].len() == 1;
    if goes_out {
        let event = Event::Discarded { seat, card };
        let mut events = finish::after_discard(&ahead.table, deal, event, card, now, chance);
        let end = events.split_off(1);
        ahead.extend(events);
        return Rest::DealEnds(end);
    }
    ahead.push(Event::Discarded { seat, card });
    Rest::PassTurn
}

/// The card just drawn or, where it is gone or not allowed, the dearest natural card that is; a joker only if
/// there is nothing else.
fn card_to_discard(table: &Table, deal: &Deal, play: &Play, seat: Seat) -> Option<Card> {
    let allowed = super::plays::discardable(deal.hands[seat.index()], play);
    if let Some(card) = play.drawn.filter(|card| allowed.contains(*card)) {
        return Some(card);
    }
    let rules = table.rules();
    let worth = |card: Card| match card.face().rank() {
        Some(rank) if !rules.hands_count() => group_value(rank, rules.aces),
        _ => card_in_hand(card, rules),
    };
    // The dearest, at equal worth the first by its code.
    let dearest = |cards: crate::cards::Cards| {
        cards.iter().min_by_key(|card| (std::cmp::Reverse(worth(*card)), card.code_order()))
    };
    dearest(allowed.naturals()).or_else(|| dearest(allowed.jokers()))
}

/// RULES 16: a bot plays on, or the hand is put aside and the seat is skipped. One seat left alone has won; bots left
/// alone don't play on.
fn go_away(ahead: &mut Ahead, seat: Seat, cause: Forfeit, rest: Rest, now: Millis, chance: &mut impl Chance) {
    // A deal that the last turn has ended is scored first, and may have ended the game.
    let rest = match rest {
        Rest::DealEnds(events) => {
            ahead.extend(events);
            if ahead.table.is_over() {
                return;
            }
            Rest::Nothing
        }
        rest => rest,
    };
    ahead.push(match ahead.table.rules.absent_seats.bot() {
        Some(strength) => Event::BotSeated { seat, strength, absent: Some(cause) },
        None => Event::SeatForfeited { seat, cause },
    });
    let alone = ahead.table.seats_in().len() <= 1 || ahead.table.people().is_empty();
    match &ahead.table.phase {
        Phase::Playing(deal) if alone => {
            let finish = finish::standing(deal);
            let events = finish::end_deal(&ahead.table, &finish, Outcome::Abandoned, now, chance);
            ahead.extend(events);
        }
        Phase::Between(_) if alone => {
            let records = finish::records(&ahead.table);
            let places = ranking::places(&records, ahead.table.rules());
            ahead.push(Event::GameEnded { cause: finish::gone(&ahead.table), places });
        }
        Phase::Between(last) => {
            // The seat may have been the only one that wasn't ready.
            if ahead.table.all_ready() || now >= last.pause_until {
                let seeds = dealing::seeds_given(&ahead.table);
                let events = dealing::deal(&ahead.table, seeds, now, chance);
                ahead.extend(events);
            }
        }
        _ => finish_turn(ahead, rest, now, chance),
    }
}

fn finish_turn(ahead: &mut Ahead, rest: Rest, now: Millis, chance: &mut impl Chance) {
    let mut events = Vec::new();
    match (rest, ahead.table.deal()) {
        (Rest::PassTurn, Some(deal)) => {
            let standing = finish::standing(deal);
            finish::pass_turn(&ahead.table, deal, &standing, None, now, chance, &mut events);
        }
        (Rest::DealEnds(end), _) => events = end,
        _ => {}
    }
    ahead.extend(events);
}
