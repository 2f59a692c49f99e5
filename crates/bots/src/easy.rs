//! A sensible beginner: lays what he can, throws away the dearest card that goes with nothing.

use remik_rules::card::Card;
use remik_rules::command::{Command, Source};
use remik_rules::score::hand_points;
use remik_rules::table::Table;

use crate::appraise::{Outlook, each_bit, neighbours, with, without};
use crate::faces::bit_of;
use crate::known::Known;
use crate::plays::next_play;

/// He takes the discard if it makes a meld or can be laid off.
pub(crate) fn draw(known: &Known<'_>, outlook: &Outlook<'_>) -> Source {
    let Some(&top) = known.deal.pile.last() else { return Source::Stock };
    let more = outlook.cover(with(known.hand, top)).cards > outlook.cover(known.hand).cards;
    if more || outlook.fits(top) { Source::Discard } else { Source::Stock }
}

pub(crate) fn play(known: &Known<'_>, table: &Table, outlook: &Outlook<'_>) -> Option<Command> {
    let pending = known.deal.turn.pending.is_some();
    next_play(table, known.seat, outlook, pending, false).map(|step| step.command)
}

/// The dearest card that is in no meld and has no partner, else the dearest in no meld, else the dearest.
pub(crate) fn discard(known: &Known<'_>, outlook: &Outlook<'_>, allowed: &[Card]) -> Option<Card> {
    let rules = &known.view.rules;
    let left = outlook.cover(known.hand).left;
    let mut paired = 0;
    each_bit(left.one, |bit| {
        if left.one & neighbours(bit, rules.aces) != 0 {
            paired |= 1 << bit;
        }
    });
    let whole = hand_points(known.hand, rules);
    allowed.iter().copied().max_by_key(|&card| {
        let bit = bit_of(card);
        let use_of = if card.is_joker() {
            3
        } else if left.one & bit == 0 {
            2
        } else {
            u8::from(paired & bit != 0)
        };
        (std::cmp::Reverse(use_of), whole - hand_points(without(known.hand, card), rules))
    })
}
