//! A good player: weighs every hand he could have by what may still come, and gives the others little.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::command::Source;
use remik_rules::table::Table;

use crate::appraise::{Outlook, neighbours, with, without};
use crate::faces::bit_of;
use crate::known::Known;
use crate::plays::{Step, next_play};

/// He waits while both are far from their ends.
pub(crate) const PATIENCE: Patience = Patience { loose: 1, fewest: 3 };

/// What the chance of a better card from the stock is worth against a sure one: a taken card shows the others
/// what he collects.
const SHOWN: i32 = 40;

/// He takes the discard if the hand it makes is worth more than what the stock gives on average.
pub(crate) fn draw(known: &Known<'_>, outlook: &Outlook<'_>) -> Source {
    if draw_gain(known, outlook) > 0 { Source::Discard } else { Source::Stock }
}

/// By how much taking the discard is better than the stock's average.
pub(crate) fn draw_gain(known: &Known<'_>, outlook: &Outlook<'_>) -> i32 {
    let Some(&top) = known.deal.pile.last() else { return i32::MIN };
    let taken = best_after(known.hand, top, outlook, true);
    let (mut sum, mut count) = (0i64, 0i64);
    for card in known.unseen().iter() {
        sum += i64::from(best_after(known.hand, card, outlook, false));
        count += 1;
    }
    let average = if count == 0 { i64::MIN / 2 } else { sum / count };
    i64::from(taken).saturating_sub(average).saturating_sub(i64::from(SHOWN)).clamp(-100_000, 100_000) as i32
}

/// The best hand that a card can make after the discard.
fn best_after(hand: Cards, card: Card, outlook: &Outlook<'_>, taken: bool) -> i32 {
    let all = with(hand, card);
    let may = |other: Card| !(taken && other.face() == card.face());
    let thrown = outlook.weakest(all, may).unwrap_or(card);
    outlook.value(without(all, thrown))
}

/// How long a player keeps his first melds to himself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// He lays them when at most so many cards would be left that he can't lay.
    pub(crate) loose: u32,
    /// He lays them when somebody has at most so many cards.
    pub(crate) fewest: u8,
}

/// What he lays now. His first melds he keeps until he is nearly out with them, or somebody else is: what lies on
/// the table helps the others to be out.
pub(crate) fn play(
    known: &Known<'_>,
    table: &Table,
    outlook: &Outlook<'_>,
    patience: Patience,
) -> Option<Step> {
    let turn = &known.deal.turn;
    let pending = turn.pending.is_some();
    // After an undo nothing is swapped again.
    let step = next_play(table, known.seat, outlook, pending, turn.undos == 0)?;
    let rules = &known.view.rules;
    let fresh = !known.deal.opened.contains(known.seat);
    // All can be laid at once only where a turn can have several melds, and melds that count are laid at once.
    let may_wait = fresh && !pending && rules.several_melds && rules.hands_count();
    let waits = may_wait
        && outlook.loose(known.hand) > patience.loose
        && known.fewest_opposing() > usize::from(patience.fewest);
    if waits { None } else { Some(step) }
}

/// The card whose loss costs him least and helps the others least.
pub(crate) fn discard(known: &Known<'_>, outlook: &Outlook<'_>, allowed: &[Card]) -> Option<Card> {
    ranked(known, outlook, allowed).first().map(|(_, card)| *card)
}

/// The cards that may be thrown away with what the hand is worth then, best first.
pub(crate) fn ranked(known: &Known<'_>, outlook: &Outlook<'_>, allowed: &[Card]) -> Vec<(i32, Card)> {
    let worth = |card: Card| outlook.value(without(known.hand, card)) - danger(known, outlook, card);
    sorted(allowed.iter().map(|&card| (worth(card), card)).collect())
}

/// What a discard gives the others.
fn danger(known: &Known<'_>, outlook: &Outlook<'_>, card: Card) -> i32 {
    if card.is_joker() {
        return 3000;
    }
    let rules = &known.view.rules;
    let bit = bit_of(card).trailing_zeros();
    let around = neighbours(bit, rules.aces);
    let Some(next) = known.others().next() else { return 0 };
    let opened = known.deal.opened.contains(next);
    let next = next.index();
    let mut danger = 0;
    if outlook.is_layable(card) && (opened || !rules.lay_off_needs_own_meld) {
        danger += 600;
    }
    // What he took he collects.
    danger += 130 * (known.memory.known[next].faces() & around).count_ones() as i32;
    // What he threw away himself he hardly needs.
    if known.memory.dropped[next].faces() & (around | bit_of(card)) != 0 {
        danger -= 40;
    }
    danger
}

/// The first so many of the cards that may be thrown away, ranked by what the hand is worth after one more draw.
pub(crate) fn ranked_ahead(
    known: &Known<'_>,
    outlook: &Outlook<'_>,
    allowed: &[Card],
    most: usize,
) -> Vec<(i32, Card)> {
    let unseen = known.unseen();
    let count = unseen.len().max(1) as i64;
    let ahead = |card: Card| {
        let hand = without(known.hand, card);
        let sum: i64 = unseen.iter().map(|drawn| i64::from(best_after(hand, drawn, outlook, false))).sum();
        (sum / count) as i32 - danger(known, outlook, card)
    };
    let first = ranked(known, outlook, allowed).into_iter().take(most);
    sorted(first.map(|(_, card)| (ahead(card), card)).collect())
}

/// Best first; of equals the card with the lowest byte.
fn sorted(mut ranked: Vec<(i32, Card)>) -> Vec<(i32, Card)> {
    ranked.sort_by_key(|(worth, card)| (std::cmp::Reverse(*worth), card.to_byte()));
    ranked
}
