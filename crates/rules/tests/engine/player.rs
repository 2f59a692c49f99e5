//! A player who plays sensibly and always the same: draws what helps, lays what he can, throws what is of
//! least use.

use std::cmp::Reverse;

use remik_rules::card::{Card, Face};
use remik_rules::cards::Cards;
use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::decide;
use remik_rules::event::Viewer;
use remik_rules::legal::{LegalMove, LegalMoves, legal_moves};
use remik_rules::score::hand_points;
use remik_rules::seat::Seat;
use remik_rules::suggest::{Purpose, suggest, suggest_for, suggest_lay_offs};
use remik_rules::table::Table;
use remik_rules::view::{DealView, Stage};

use super::dice::Dice;

/// The player's next command; `None` while it isn't the seat's turn.
pub fn choose(table: &Table, seat: Seat) -> Option<Command> {
    let moves = legal_moves(table, seat);
    let Stage::Playing(deal) = table.view(Viewer::Seat(seat)).stage else { return None };
    if moves.is_empty() {
        return None;
    }
    if !moves.draws().is_empty() {
        return Some(Command::Draw(draw(table, seat, &deal, &moves)));
    }
    let pending = deal.turn.pending.is_some();
    let command = |step: LegalMove| moves.command(step);
    let swap = moves.swaps().first().map(|&swap| LegalMove::Swap(swap));
    let natural = moves.lay_offs().iter().find(|lay_off| !lay_off.face.is_joker());
    let joker = moves.lay_offs().iter().find(|lay_off| pending && lay_off.face.is_joker());
    let lay_off = joker.or(natural).map(|&lay_off| LegalMove::LayOff(lay_off));
    let meld = moves.melds().first().filter(|_| pending).map(|&meld| LegalMove::Meld(meld));
    swap.and_then(command)
        .or_else(|| best_melds(table, seat))
        .or_else(|| meld.or(lay_off).and_then(command))
        .or_else(|| {
            discard(table, table.hand(seat), &moves).and_then(|face| command(LegalMove::Discard(face)))
        })
        .or_else(|| best_lay_off(table, seat))
        .or_else(|| moves.get(0).and_then(command))
}

/// Several cards at once, where a joker that must be laid has no other place (RULES 5).
fn best_lay_off(table: &Table, seat: Seat) -> Option<Command> {
    let all = suggest_lay_offs(table.hand(seat), table.melds(), table.rules());
    all.iter().map(|lay_off| lay_off.command()).find(|command| may(table, seat, command))
}

fn may(table: &Table, seat: Seat, command: &Command) -> bool {
    decide(table, Actor::Seat(seat), command, Millis(0), &mut Dice(0)).is_ok()
}

/// The best melds, where they may be laid.
fn best_melds(table: &Table, seat: Seat) -> Option<Command> {
    let best = suggest_for(table, seat);
    best.command().filter(|command| best.missing.is_none() && may(table, seat, command))
}

/// From the pile if its card makes the melds that can be laid worth more.
fn draw(table: &Table, seat: Seat, deal: &DealView, moves: &LegalMoves) -> Source {
    let opening = !deal.opened.contains(seat) && table.rules().has_opening_minimum();
    let worth = |hand: Cards| {
        let best = suggest(hand, table.rules(), if opening { Purpose::Opening } else { Purpose::Any });
        if best.missing.is_none() { best.points } else { 0 }
    };
    let hand = table.hand(seat);
    let helps = |card: &Card| worth(hand.union([*card].into_iter().collect())) > worth(hand);
    if moves.draws().contains(&Source::Discard) && table.pile().last().is_some_and(helps) {
        Source::Discard
    } else {
        moves.draws()[0]
    }
}

/// The card of least use: with the fewest cards near it, of equal ones the dearest in hand.
fn discard(table: &Table, hand: Cards, moves: &LegalMoves) -> Option<Face> {
    let near = |face: Face| {
        let Some((rank, suit)) = face.natural() else { return usize::MAX };
        let neighbour = |other: &Card| match other.face().natural() {
            Some((r, s)) if s == suit => (1..=2).contains(&(rank as i8 - r as i8).abs()),
            Some((r, _)) => r == rank,
            None => false,
        };
        hand.iter().filter(neighbour).count()
    };
    let dear =
        |face: Face| hand.pick(face).map(|card| hand_points([card].into_iter().collect(), table.rules()));
    moves.discards().min_by_key(|&face| (near(face), Reverse(dear(face)), face))
}
