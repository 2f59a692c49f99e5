//! Which cards to lay: melds, lay-offs and swaps in the order in which they help most.

use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::{Event, Full};
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::ruleset::JokerSwap;
use remik_rules::seat::Seat;
use remik_rules::suggest::{suggest_for, suggest_lay_offs};
use remik_rules::table::Table;

use crate::appraise::Outlook;
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
    swaps: bool,
) -> Option<Step> {
    melds(table, seat, outlook, pending)
        .or_else(|| lay_off(table, seat, outlook, pending))
        .or_else(|| if pending { any_play(table, seat) } else { None })
        .or_else(|| if swaps && !pending { swap(table, seat, outlook) } else { None })
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
