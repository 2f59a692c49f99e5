//! Which cards to lay: melds, lay-offs and swaps in the order in which they help most.

use remik_rules::cards::Cards;
use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::{Event, Full};
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::ruleset::{JokerSwap, Ruleset};
use remik_rules::seat::Seat;
use remik_rules::suggest::{Purpose, suggest, suggest_for, suggest_lay_offs};
use remik_rules::table::Table;

use crate::appraise::{Outlook, without};
use crate::dice::Dice;

/// A command that the judge accepts at an imagined table, and what follows from it there.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) command: Command,
    pub(crate) events: Vec<Event<Full>>,
}

impl Step {
    /// The step; `None` if it is refused.
    pub(crate) fn judged(table: &Table, seat: Seat, command: Command) -> Option<Self> {
        // What the chance decides is in the hidden cards, which are guesses anyhow.
        let mut dice = Dice::new(u64::from(table.deals()));
        let events = decide(table, Actor::Seat(seat), &command, Millis::default(), &mut dice).ok()?;
        Some(Self { command, events })
    }

    pub(crate) fn apply(&self, table: &mut Table) {
        self.events.iter().for_each(|event| evolve(table, event));
    }
}

/// The best cards to lay now, if any. With a joker pending there is always a step, an undo at worst, which an
/// imagined table can't judge.
pub(crate) fn next_play(
    table: &Table,
    seat: Seat,
    outlook: &Outlook<'_>,
    pending: bool,
    keen: bool,
) -> Option<Step> {
    let all = if keen && !pending { lay_all(table, seat, outlook) } else { None };
    all.or_else(|| melds(table, seat, outlook, pending))
        .or_else(|| lay_off(table, seat, outlook, pending))
        .or_else(|| if pending { any_play(table, seat) } else { None })
        .or_else(|| if keen && !pending { swap(table, seat, outlook) } else { None })
}

/// Melds that leave nothing but what can be laid off and a discard: those worth most may leave more.
pub(crate) fn lay_all(table: &Table, seat: Seat, outlook: &Outlook<'_>) -> Option<Step> {
    let hand = table.hand(seat);
    let rules = table.rules();
    let jokers = hand.jokers().len() as u32;
    if !rules.several_melds || outlook.loose(hand) > 1 + jokers || outlook.lacks_run(hand) {
        return None;
    }
    // The discard is chosen here.
    let all = Ruleset { final_discard: false, ..rules.clone() };
    let purpose = if outlook.is_opening() { Purpose::Opening } else { Purpose::Any };
    let discards = hand.iter().map(|card| without(hand, card));
    let hands = discards.chain((!rules.final_discard).then_some(hand));
    hands.filter(|hand| !hand.is_empty()).find_map(|hand| {
        let suggestion = suggest(hand, &all, purpose);
        let laid = suggestion.melds.iter().fold(Cards::EMPTY, |laid, meld| laid.union(meld.set()));
        let left = hand.without(laid);
        if suggestion.missing.is_some() || left.iter().any(|card| !outlook.is_layable(card)) {
            return None;
        }
        let step = Step::judged(table, seat, suggestion.command()?)?;
        if left.is_empty() || leaves_nothing(table, &step, seat) { Some(step) } else { None }
    })
}

/// Whether lay-offs after a step leave a discard at most.
fn leaves_nothing(table: &Table, step: &Step, seat: Seat) -> bool {
    let mut table = table.clone();
    step.apply(&mut table);
    while table.hand(seat).len() > 1 {
        let lay_offs = suggest_lay_offs(table.hand(seat), table.melds(), table.rules());
        let mut steps = lay_offs.iter().filter_map(|lay_off| Step::judged(&table, seat, lay_off.command()));
        let Some(step) = steps.next() else { return false };
        drop(steps);
        step.apply(&mut table);
        if table.turn() != Some(seat) {
            return true;
        }
    }
    true
}

fn melds(table: &Table, seat: Seat, outlook: &Outlook<'_>, pending: bool) -> Option<Step> {
    let hand = table.hand(seat);
    // The engine's search is exact but slower: ask only where there can be something.
    if hand.jokers().is_empty() {
        let cover = outlook.cover(hand);
        if cover.cards == 0 || !outlook.may_open(&cover) {
            return None;
        }
    } else if !pending && outlook.lacks_run(hand) {
        return None;
    }
    let suggestion = suggest_for(table, seat);
    if suggestion.missing.is_some() {
        return None;
    }
    Step::judged(table, seat, suggestion.command()?)
}

fn lay_off(table: &Table, seat: Seat, outlook: &Outlook<'_>, pending: bool) -> Option<Step> {
    let hand = table.hand(seat);
    if !outlook.any_fits(hand) && hand.jokers().is_empty() {
        return None;
    }
    suggest_lay_offs(hand, table.melds(), table.rules()).into_iter().find_map(|lay_off| {
        // A joker is worth keeping unless it must go or ends the deal.
        let last = hand.len() - lay_off.cards.len() <= 1;
        let wanted = lay_off.jokers_used == 0 && !pending || lay_off.jokers_used > 0 && (pending || last);
        if wanted { Step::judged(table, seat, lay_off.command()) } else { None }
    })
}

/// A legal play that lays a card, whatever it is: a pending joker's last resort.
fn any_play(table: &Table, seat: Seat) -> Option<Step> {
    let moves = legal_moves(table, seat);
    let plays = moves.iter().filter(|step| matches!(step, LegalMove::Meld(_) | LegalMove::LayOff(_)));
    plays.filter_map(|step| moves.command(step)).find_map(|command| Step::judged(table, seat, command))
}

fn swap(table: &Table, seat: Seat, outlook: &Outlook<'_>) -> Option<Step> {
    let rules = table.rules();
    let has_joker = |laid: &remik_rules::view::TableMeld| laid.meld.jokers() > 0;
    if rules.joker_swap == JokerSwap::Never || !table.melds().iter().any(has_joker) {
        return None;
    }
    let moves = legal_moves(table, seat);
    moves.swaps().iter().find_map(|swap| {
        let step = Step::judged(table, seat, moves.command(LegalMove::Swap(*swap))?)?;
        if rules.joker_must_be_laid() {
            let mut after = table.clone();
            step.apply(&mut after);
            next_play(&after, seat, outlook, true, false)?;
        }
        Some(step)
    })
}
