//! The best melds of a hand, exactly: nothing that could be laid is worth more.

mod lay_offs;
mod search;

pub use lay_offs::{LayOffSuggestion, suggest_lay_offs};

use crate::card::Card;
use crate::cards::Cards;
use crate::command::Command;
use crate::legal::{Making, legal_moves};
use crate::meld::Meld;
use crate::ruleset::Ruleset;
use crate::seat::Seat;
use crate::table::{Deal, Part, Phase, Table};
use search::{Goal, Search};

/// What the melds are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Any turn after the opening: there is no condition.
    Any,
    /// The opening, with the points and the pure run that the rules ask for (RULES 3).
    Opening,
    /// The opening of a deal in which it must leave at most one card (RULES 14).
    WholeHand,
}

/// Melds to lay in one command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suggestion {
    /// The melds: runs, then groups, each from the lowest face.
    pub melds: Vec<Meld>,
    /// What they are worth on the table.
    pub points: u16,
    /// How many jokers they use.
    pub jokers_used: usize,
    /// How many cards they use, jokers among them.
    pub cards_used: usize,
    /// A run without a joker is among them.
    pub pure_run: bool,
    /// What they lack for the purpose; `None` if they may be laid.
    pub missing: Option<Missing>,
}

/// What the best melds lack for an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// What they are worth.
    pub have: u16,
    /// What is needed.
    pub need: u16,
    /// A pure run is needed, and none is among them.
    pub pure_run: bool,
    /// How many cards too many are left in the hand, where the whole hand must be laid.
    pub cards_left_over: usize,
}

impl Suggestion {
    /// The command that lays the melds; `None` if there are none.
    pub fn command(&self) -> Option<Command> {
        (!self.melds.is_empty()).then(|| Command::Meld(self.melds.iter().map(Meld::named).collect()))
    }
}

/// The melds of a hand that are worth most together, of equal ones those with fewest jokers, then fewest cards,
/// then fewest melds. They leave a card where a discard is required (RULES 6), and are one where only one may
/// be laid in a turn. If none meet the purpose these are the best without it, and it says what is missing.
pub fn suggest(hand: Cards, rules: &Ruleset, purpose: Purpose) -> Suggestion {
    suggest_with(hand, rules, purpose, None)
}

/// The same for a seat of a table, whether or not it is its turn: for the purpose that the deal has for it, and
/// with a joker that must be laid (RULES 5) among the melds, or no melds if it fits none.
pub fn suggest_for(table: &Table, seat: Seat) -> Suggestion {
    let Phase::Playing(deal) = &table.phase else { return Suggestion::default() };
    let rules = table.rules();
    let hand = deal.hands[seat.index()];
    let own = if deal.turn.seat == seat { Some(&deal.turn.part) } else { None };
    let pending = match own {
        Some(Part::Play(play)) if !rules.several_melds && play.melds_laid > 0 => {
            return Suggestion::default();
        }
        Some(Part::Play(play)) => play.pending,
        _ => None,
    };
    suggest_with(hand, rules, purpose_of(deal, seat, rules), pending)
}

/// Whether some command of melds, of one or several, would be the opening of the seat whose turn it is.
pub fn opening_exists(table: &Table, seat: Seat) -> bool {
    let Phase::Playing(deal) = &table.phase else { return false };
    let rules = table.rules();
    if deal.turn.seat != seat || deal.opened.contains(seat) || matches!(deal.turn.part, Part::Draw) {
        return false;
    }
    let purpose = purpose_of(deal, seat, rules);
    if purpose == Purpose::Any {
        // With no condition, also where a joker must be laid, one of the melds alone would do.
        return !legal_moves(table, seat).melds().is_empty();
    }
    let hand = deal.hands[seat.index()];
    let goal = goal(hand, rules, purpose);
    !lacks_pure_run(hand, rules, goal) && Search::new(hand, hand.len() - goal.least_left, rules).exists(goal)
}

fn purpose_of(deal: &Deal, seat: Seat, rules: &Ruleset) -> Purpose {
    if deal.opened.contains(seat) {
        Purpose::Any
    } else if rules.whole_hand_at_once(deal.number) {
        Purpose::WholeHand
    } else if rules.has_opening_minimum() {
        Purpose::Opening
    } else {
        Purpose::Any
    }
}

fn goal(hand: Cards, rules: &Ruleset, purpose: Purpose) -> Goal {
    let opening = purpose != Purpose::Any;
    Goal {
        least_left: usize::from(rules.final_discard).min(hand.len()),
        most_left: if purpose == Purpose::WholeHand { 1 } else { hand.len() },
        // An opening is at least one meld, and any meld is worth something.
        points: if opening { rules.opening_points.max(1) } else { 0 },
        pure_run: opening && rules.opening_pure_run,
        joker: false,
        one_meld: !rules.several_melds,
    }
}

/// Quicker than a search: most hands have no pure run.
fn lacks_pure_run(hand: Cards, rules: &Ruleset, goal: Goal) -> bool {
    let mut found = false;
    if goal.pure_run {
        Making::new(hand, hand.len() - goal.least_left, rules).pure_runs(|_| found = true);
    }
    goal.pure_run && !found
}

fn suggest_with(hand: Cards, rules: &Ruleset, purpose: Purpose, pending: Option<Card>) -> Suggestion {
    let goal = Goal { joker: pending.is_some(), ..goal(hand, rules, purpose) };
    let search = Search::new(hand, hand.len() - goal.least_left, rules);
    let shapes = if lacks_pure_run(hand, rules, goal) { None } else { search.best(goal) };
    let meets = shapes.is_some();
    let shapes = shapes
        .or_else(|| search.best(Goal { most_left: hand.len(), points: 0, pure_run: false, ..goal }))
        .unwrap_or_default();

    let mut left = hand;
    let mut melds: Vec<Meld> = Vec::with_capacity(shapes.len());
    for shape in shapes {
        // The shapes were made of these cards, so none is missing.
        if let Some(meld) = shape.meld(left, pending.filter(|&joker| left.contains(joker))) {
            left = left.without(meld.set());
            melds.push(meld);
        }
    }
    melds.sort_by_key(|meld| !meld.is_run());
    let points = melds.iter().map(|meld| meld.points(rules.aces)).sum();
    let pure_run = melds.iter().any(Meld::is_pure_run);
    let missing = (!meets && purpose != Purpose::Any).then(|| Missing {
        have: points,
        need: rules.opening_points,
        pure_run: rules.opening_pure_run && !pure_run,
        cards_left_over: if purpose == Purpose::WholeHand { left.len().saturating_sub(1) } else { 0 },
    });
    Suggestion {
        points,
        jokers_used: melds.iter().map(Meld::jokers).sum(),
        cards_used: hand.len() - left.len(),
        pure_run,
        missing,
        melds,
    }
}
