//! What a deal counts.

use crate::card::{Card, Rank};
use crate::cards::Cards;
use crate::event::Outcome;
use crate::ruleset::{Blocked, GoingRummy, MAX_SEATS, Ruleset, Scoring};
use crate::seat::{Seat, Seats};

/// The points that going rummy adds where it isn't doubled (RULES 10).
const PLUS: i32 = 10;

/// A deal as it stands at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    pub(crate) dealt_in: Seats,
    /// Dealt in and not given up.
    pub(crate) active: Seats,
    pub(crate) starter: Seat,
    pub(crate) hands: [Cards; MAX_SEATS],
    pub(crate) credited: [u16; MAX_SEATS],
}

/// What a card left in hand counts.
pub(crate) fn card_in_hand(card: Card, rules: &Ruleset) -> u16 {
    match card.face().rank() {
        None => rules.joker_in_hand,
        Some(Rank::Ace) => rules.ace_in_hand,
        Some(rank) => rank.pips(),
    }
}

/// What the cards left in a hand count.
pub fn hand_points(hand: Cards, rules: &Ruleset) -> i32 {
    hand.iter().map(|card| i32::from(card_in_hand(card, rules))).sum()
}

/// What each seat dealt in gets.
pub(crate) fn scores(finish: &Finish, outcome: Outcome, rules: &Ruleset) -> Vec<(Seat, i32)> {
    let points = |seat: Seat| hand_points(finish.hands[seat.index()], rules);
    let credits = |seat: Seat| i32::from(finish.credited[seat.index()]);
    let all = |score: &dyn Fn(Seat) -> i32| finish.dealt_in.iter().map(|s| (s, score(s))).collect();
    match outcome {
        Outcome::Abandoned => Vec::new(),
        Outcome::WentOut { seat: winner, rummy } => {
            let bonus = if rummy { rules.going_rummy } else { GoingRummy::Plain };
            let loses = |seat: Seat| match bonus {
                GoingRummy::Plain => points(seat),
                GoingRummy::Double => points(seat) * 2,
                GoingRummy::PlusTen => points(seat) + PLUS,
            };
            let losers = || finish.dealt_in.iter().filter(|&seat| seat != winner);
            match rules.scoring {
                Scoring::Penalty => all(&|s| if s == winner { 0 } else { loses(s) }),
                Scoring::MeldPoints => all(&credits),
                Scoring::Payment => {
                    let won = losers().map(loses).sum();
                    all(&|s| if s == winner { won } else { -loses(s) })
                }
                Scoring::WinnerTakesSum => {
                    let sum: i32 = losers().map(points).sum();
                    let won = match bonus {
                        GoingRummy::Plain => sum,
                        GoingRummy::Double => sum * 2,
                        GoingRummy::PlusTen => sum + PLUS,
                    };
                    all(&|s| if s == winner { won } else { 0 })
                }
            }
        }
        Outcome::Blocked(_) => match rules.blocked {
            Blocked::EverybodyCounts => all(&points),
            Blocked::CreditsStay => all(&credits),
            Blocked::NobodyScores => all(&|_| 0),
            Blocked::LowestTakesDifferences => differences(finish, rules),
        },
    }
}

/// RULES 13: the lowest hands share the differences of the others to them.
fn differences(finish: &Finish, rules: &Ruleset) -> Vec<(Seat, i32)> {
    let points = |seat: Seat| hand_points(finish.hands[seat.index()], rules);
    // A hand put aside can't be the lowest (RULES 16).
    let lowest = finish.active.iter().map(points).min().unwrap_or(0);
    let winners: Seats = finish.active.iter().filter(|&seat| points(seat) == lowest).collect();
    let pays = |seat: Seat| if winners.contains(seat) { 0 } else { (points(seat) - lowest).max(0) };
    let sum: i32 = finish.dealt_in.iter().map(pays).sum();
    let share = sum / i32::from(winners.len().max(1));
    let odd = sum - share * i32::from(winners.len());
    let nearest =
        if winners.contains(finish.starter) { Some(finish.starter) } else { winners.after(finish.starter) };
    let gets = |seat: Seat| match winners.contains(seat) {
        true => share + if Some(seat) == nearest { odd } else { 0 },
        false if rules.scoring == Scoring::Payment => -pays(seat),
        false => 0,
    };
    finish.dealt_in.iter().map(|seat| (seat, gets(seat))).collect()
}
