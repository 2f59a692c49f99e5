//! A deal played on to its end at an imagined table, every seat by quick rules of thumb and by what it sees.

use remik_rules::cards::Cards;
use remik_rules::command::{Command, Source};
use remik_rules::event::{Event, Full, Outcome};
use remik_rules::seat::Seat;
use remik_rules::table::Table;

use crate::appraise::{Outlook, with};
use crate::plays::{Step, next_play};

/// What a deal was worth to a seat: 1 won, 0 lost, between if nobody won.
pub(crate) type Worth = f32;

/// Plays the deal on and says what it was worth to a seat. `drawn` says whether the turn is past its draw.
pub(crate) fn play_on(table: &mut Table, seat: Seat, mut drawn: bool) -> Worth {
    // RULES 9 bounds a deal.
    while let Some(turn) = table.turn() {
        if let Some(worth) = play_turn(table, turn, drawn, seat) {
            return worth;
        }
        drawn = false;
    }
    0.5
}

/// The rest of a turn; the worth if it ended the deal.
fn play_turn(table: &mut Table, turn: Seat, drawn: bool, seat: Seat) -> Option<Worth> {
    let rules = table.rules().clone();
    let unseen = unseen(table, turn);
    let outlook_at = |table: &Table| Outlook::new(&rules, turn, table.melds(), unseen, fewest(table, turn));
    let mut outlook = outlook_at(table);
    let mut taken = None;
    if !drawn {
        let source = draw(table, turn, &outlook);
        if source == Source::Discard {
            taken = table.pile().last().copied();
        }
        let step = Step::judged(table, turn, Command::Draw(source))?;
        if let Some(worth) = carry_out(table, &step, seat) {
            return Some(worth);
        }
    }
    let mut pending = false;
    while let Some(step) = next_play(table, turn, &outlook, pending, true) {
        pending = matches!(step.command, Command::SwapJoker { .. }) && rules.joker_must_be_laid();
        if let Some(worth) = carry_out(table, &step, seat) {
            return Some(worth);
        }
        outlook = outlook_at(table);
    }
    let hand = table.hand(turn);
    let ban = taken.filter(|card| hand.contains(*card)).map(|card| card.face());
    let card = outlook
        .weakest(hand, |card| Some(card.face()) != ban && !card.is_joker())
        .or_else(|| crate::bot::allowed_discards(table, turn).first().copied());
    let step = card.and_then(|card| Step::judged(table, turn, Command::Discard(card))).or_else(|| {
        // The ban may be lifted or extended in ways that the quick look above doesn't know (RULES 7).
        let allowed = crate::bot::allowed_discards(table, turn);
        Step::judged(table, turn, Command::Discard(*allowed.first()?))
    });
    match step {
        Some(step) => carry_out(table, &step, seat),
        // A turn that can't be ended without an undo is worth nothing.
        None => Some(0.5),
    }
}

/// Applies a step; the worth if it ended the deal.
pub(crate) fn carry_out(table: &mut Table, step: &Step, seat: Seat) -> Option<Worth> {
    for event in &step.events {
        if let Event::DealEnded(_) = event {
            return Some(worth(event, table, seat));
        }
    }
    step.apply(table);
    None
}

fn draw(table: &Table, turn: Seat, outlook: &Outlook<'_>) -> Source {
    let Some(&top) = table.pile().last() else { return Source::Stock };
    let hand = table.hand(turn);
    if top.is_joker() || outlook.fits(top) {
        return Source::Discard;
    }
    let more = outlook.cover(with(hand, top)).cards > outlook.cover(hand).cards;
    if more { Source::Discard } else { Source::Stock }
}

fn worth(event: &Event<Full>, table: &Table, seat: Seat) -> Worth {
    let Event::DealEnded(ended) = event else { return 0.5 };
    let score = |seat: Seat| {
        ended.scores.iter().find(|(of, _)| *of == seat).map_or(0, |(_, score)| *score) as f32
    };
    let others = || ended.scores.iter().filter(|(of, _)| *of != seat).map(|(_, score)| *score as f32);
    // Points matter too, but less than the deal.
    let sign = if table.rules().winner == remik_rules::ruleset::Winner::Lowest { -1.0 } else { 1.0 };
    let mean = others().sum::<f32>() / others().count().max(1) as f32;
    let margin = (sign * (score(seat) - mean) / 100.0).clamp(-1.0, 1.0) * 0.1;
    let won = match ended.outcome {
        Outcome::WentOut { .. } if table.rules().hands_count() => match ended.outcome {
            Outcome::WentOut { seat: winner, .. } if winner == seat => 1.0,
            _ => 0.0,
        },
        // Where melds count, who has more points wins.
        Outcome::WentOut { .. } => 0.5 + margin * 4.0,
        Outcome::Blocked(_) | Outcome::Abandoned => 0.5,
    };
    won + margin
}

/// The cards that a seat doesn't see.
fn unseen(table: &Table, seat: Seat) -> Cards {
    let melds = table.melds().iter().flat_map(|laid| laid.meld.cards.iter().copied());
    let open: Cards = melds.chain(table.pile().iter().copied()).collect();
    table.rules().pack.cards().without(open).without(table.hand(seat))
}

fn fewest(table: &Table, seat: Seat) -> usize {
    let others = Seat::first(table.seat_count()).filter(|other| *other != seat);
    others.map(|other| table.hand(other).len()).filter(|count| *count > 0).min().unwrap_or(0)
}
