//! What follows a play or a discard: the next turn, the end of a deal, the end of a game.

use super::{dealing, stock};
use crate::card::Card;
use crate::chance::{Chance, Millis};
use crate::event::{Block, DealEnded, Event, Full, GameOver, Outcome};
use crate::ranking::{self, AfterDeal, Record};
use crate::reason::Reason;
use crate::ruleset::StockEnd;
use crate::score::{self, Finish};
use crate::seat::Seat;
use crate::table::{Deal, Part, Phase, Table};

/// A deal as it stands now, for its end.
pub(super) fn standing(deal: &Deal) -> Finish {
    Finish {
        dealt_in: deal.dealt_in,
        active: deal.active,
        starter: deal.starter,
        hands: deal.hands,
        credited: deal.credited,
    }
}

/// The play, and the end of the deal if it has used up the hand.
pub(super) fn after_play(
    table: &Table,
    seat: Seat,
    event: Event<Full>,
    now: Millis,
    chance: &mut impl Chance,
) -> Vec<Event<Full>> {
    let mut events = vec![event];
    let Some(deal) = table.deal() else { return events };
    let (laid, points) = match &events[0] {
        Event::Melded { melds, points, .. } => (melds.iter().map(|(_, m)| m.cards.len()).sum(), *points),
        Event::LaidOff { low, high, points, .. } => (low.len() + high.len(), *points),
        _ => return events,
    };
    if laid < deal.hands[seat.index()].len() {
        return events;
    }
    let mut finish = standing(deal);
    finish.hands[seat.index()] = crate::cards::Cards::EMPTY;
    finish.credited[seat.index()] += points;
    events.extend(end_deal(table, &finish, went_out(deal, seat), now, chance));
    events
}

/// The discard, and the next turn or the end of the deal.
pub(super) fn after_discard(
    table: &Table,
    deal: &Deal,
    event: Event<Full>,
    card: Card,
    now: Millis,
    chance: &mut impl Chance,
) -> Vec<Event<Full>> {
    let mut events = vec![event];
    let mut finish = standing(deal);
    let hand = &mut finish.hands[deal.turn.seat.index()];
    hand.remove(card);
    if hand.is_empty() {
        events.extend(end_deal(table, &finish, went_out(deal, deal.turn.seat), now, chance));
        return events;
    }
    pass_turn(table, deal, &finish, Some(card), now, chance, &mut events);
    events
}

fn went_out(deal: &Deal, seat: Seat) -> Outcome {
    // RULES 10.
    let rummy = matches!(&deal.turn.part, Part::Play(play) if play.fresh);
    Outcome::WentOut { seat, rummy }
}

/// The turn passes on, unless the stock or the turns are used up. `discarded` lies on the pile already in
/// the table's future, not yet in `deal`.
pub(super) fn pass_turn(
    table: &Table,
    deal: &Deal,
    finish: &Finish,
    discarded: Option<Card>,
    now: Millis,
    chance: &mut impl Chance,
    events: &mut Vec<Event<Full>>,
) {
    // RULES 9.
    let most = u32::from(table.rules.turns_per_seat) * u32::from(deal.dealt_in.len());
    let mut block = (u32::from(deal.turns) >= most).then_some(Block::TurnLimit);
    if deal.stock.is_empty() && table.rules.stock_end == StockEnd::AtTurnEnd {
        // RULES 8: the turn that took the last card has ended.
        let mut pile = deal.pile.clone();
        pile.extend(discarded);
        match stock::renew(table, deal, &pile, chance) {
            Ok((reused, _)) if block.is_none() => events.push(reused),
            Ok(_) => {}
            Err(cause) => block = Some(cause),
        }
    }
    match (block, finish.active.after(deal.turn.seat)) {
        (None, Some(next)) => {
            let (seat, left) = (deal.turn.seat, deal.time_bank_left(now));
            if left < deal.time_banks[seat.index()] {
                events.push(Event::TimeBankUsed { seat, left });
            }
            events.push(dealing::start_turn(table, next, false, deal.time_banks[next.index()], now));
        }
        (block, _) => {
            let outcome = block.map_or(Outcome::Abandoned, Outcome::Blocked);
            events.extend(end_deal(table, finish, outcome, now, chance));
        }
    }
}

/// The end of a deal, and what follows: the game's end, or the commitment to the next deal's seed.
pub(super) fn end_deal(
    table: &Table,
    finish: &Finish,
    outcome: Outcome,
    now: Millis,
    chance: &mut impl Chance,
) -> Vec<Event<Full>> {
    let Some(deal) = table.deal() else { return Vec::new() };
    let rules = table.rules();
    let scores = score::scores(finish, outcome, rules);
    let mut records = records(table);
    for (seat, score) in &scores {
        if let Some(Some(record)) = records.get_mut(seat.index()) {
            record.total = record.total.saturating_add(*score);
            record.last = *score;
        }
    }
    // A deal that doesn't count puts nobody out, and too few are left to go on.
    let after = match outcome {
        Outcome::Abandoned => AfterDeal { eliminated: Vec::new(), over: Some(gone(table)) },
        Outcome::WentOut { .. } | Outcome::Blocked(_) => {
            ranking::after_deal(&mut records, table.deals, rules)
        }
    };
    // RULES 16: bots don't play on alone.
    let people = table.people().iter().any(|seat| !after.eliminated.contains(&seat));
    let over = after.over.or((!people).then_some(GameOver::Abandoned));
    let ended = DealEnded {
        outcome,
        hands: finish.dealt_in.iter().map(|s| (s, finish.hands[s.index()].iter().collect())).collect(),
        scores,
        totals: records.iter().map(|r| r.map_or(0, |r| r.total)).collect(),
        eliminated: after.eliminated,
        seed: deal.seed,
        pause_until: now.plus_seconds(rules.pause_seconds),
    };
    let next = match over {
        Some(cause) => Event::GameEnded { cause, places: ranking::places(&records, rules) },
        None => dealing::commit(table.deals.saturating_add(1), chance),
    };
    vec![Event::DealEnded(Box::new(ended)), next]
}

/// RULES 21: an administrator ends the game with what the finished deals have counted, or voids it.
pub(super) fn stop(
    table: &Table,
    void: bool,
    reason: &Reason,
    now: Millis,
    chance: &mut impl Chance,
) -> Vec<Event<Full>> {
    let mut events = vec![Event::GameStopped { reason: reason.clone() }];
    if let Some(deal) = table.deal() {
        // What follows a deal that is broken off by its players isn't what follows here.
        events.extend(end_deal(table, &standing(deal), Outcome::Abandoned, now, chance).into_iter().take(1));
    }
    let (cause, places) = match (void, table.is_waiting()) {
        (true, _) => (GameOver::Voided, vec![0; table.seats.len()]),
        (false, true) => (GameOver::Stopped, vec![0; table.seats.len()]),
        (false, false) => {
            let records = records_after(table, table.sheet.last());
            (GameOver::Stopped, ranking::places(&records, table.rules()))
        }
    };
    events.push(Event::GameEnded { cause, places });
    events
}

/// Why a game is over that too few play on.
pub(super) fn gone(table: &Table) -> GameOver {
    if table.seats_in().len() <= 1 { GameOver::Forfeited } else { GameOver::Abandoned }
}

/// What the seats are ranked by now.
pub(super) fn records(table: &Table) -> Vec<Option<Record>> {
    let last = match &table.phase {
        Phase::Playing(_) => None,
        _ => table.sheet.last(),
    };
    records_after(table, last)
}

/// The same, the last deal having counted this.
fn records_after(table: &Table, last: Option<&Vec<i32>>) -> Vec<Option<Record>> {
    table
        .seats
        .iter()
        .enumerate()
        .map(|(index, state)| {
            if !state.is_taken() {
                return None;
            }
            let last = last.and_then(|row| row.get(index)).copied().unwrap_or(0);
            Some(Record { total: state.total, last, standing: state.standing })
        })
        .collect()
}
