//! When a game is over, and who has won it.

use std::cmp::{Ordering, Reverse};

use crate::event::GameOver;
use crate::ruleset::{GameEnd, Ruleset, Winner};
use crate::seat::{Seat, Seats};
use crate::view::Standing;

/// What a seat is ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Points of all deals.
    pub total: i32,
    /// Points of the last deal.
    pub last: i32,
    /// Whether it is still in.
    pub standing: Standing,
}

/// What the end of a deal means for the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AfterDeal {
    /// Who is out from here on.
    pub eliminated: Vec<Seat>,
    /// Why the game is over, if it is.
    pub over: Option<GameOver>,
}

/// Judges the records with a deal's points in them: who is out, which the records show afterwards, and whether
/// the game is over (RULES 12). `deals` is how many have been played.
pub fn after_deal(records: &mut [Option<Record>], deals: u16, rules: &Ruleset) -> AfterDeal {
    let eliminated = eliminated(records, rules);
    for seat in &eliminated {
        if let Some(record) = &mut records[seat.index()] {
            record.standing = Standing::Eliminated { deal: deals };
        }
    }
    AfterDeal { eliminated, over: over(records, deals, rules) }
}

/// Who has passed the limit of an elimination in this deal (RULES 12).
fn eliminated(records: &[Option<Record>], rules: &Ruleset) -> Vec<Seat> {
    let GameEnd::Elimination(limit) = rules.end else { return Vec::new() };
    playing(records)
        .iter()
        .filter(|seat| records[seat.index()].is_some_and(|r| r.total > i32::from(limit)))
        .collect()
}

/// Why the game is over after a deal, if it is (RULES 12).
fn over(records: &[Option<Record>], deals: u16, rules: &Ruleset) -> Option<GameOver> {
    let still_in = playing(records);
    match rules.end {
        // The total of a seat that was given up ends nothing (RULES 16).
        GameEnd::Total(limit) => still_in
            .iter()
            .any(|seat| records[seat.index()].is_some_and(|r| r.total >= i32::from(limit)))
            .then_some(GameOver::LimitReached),
        GameEnd::Elimination(_) => (still_in.len() <= 1).then_some(GameOver::AllButOneOut),
        GameEnd::Deals(most) => (deals >= most).then_some(GameOver::DealsPlayed),
    }
}

/// The place of each seat from 1, shared where equal; 0 for an empty seat.
pub fn places(records: &[Option<Record>], rules: &Ruleset) -> Vec<u8> {
    let place = |record: &Option<Record>| {
        let Some(record) = record else { return 0 };
        let better = records.iter().flatten().filter(|other| compare(other, record, rules).is_lt());
        better.count() as u8 + 1
    };
    records.iter().map(place).collect()
}

/// Better is less.
fn compare(one: &Record, other: &Record, rules: &Ruleset) -> Ordering {
    let points = |record: &Record| (record.total, if rules.tie_by_last_deal { record.last } else { 0 });
    match (one.standing, other.standing) {
        (Standing::In, Standing::In) => match rules.winner {
            Winner::Lowest => points(one).cmp(&points(other)),
            Winner::Highest => points(other).cmp(&points(one)),
        },
        // Who is out later ranks higher, out in the same deal by lower total, then shared (RULES 12).
        (Standing::Eliminated { deal: a }, Standing::Eliminated { deal: b }) => {
            (Reverse(a), one.total).cmp(&(Reverse(b), other.total))
        }
        (Standing::Forfeited { order: a }, Standing::Forfeited { order: b }) => b.cmp(&a),
        (a, b) => group(a).cmp(&group(b)),
    }
}

const fn group(standing: Standing) -> u8 {
    match standing {
        Standing::In => 0,
        Standing::Eliminated { .. } => 1,
        Standing::Forfeited { .. } => 2,
    }
}

fn playing(records: &[Option<Record>]) -> Seats {
    Seat::first(records.len() as u8)
        .filter(|seat| records[seat.index()].is_some_and(|r| r.standing == Standing::In))
        .collect()
}
