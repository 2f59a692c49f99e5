//! Random turns in which much may be done.

use remik_rules::card::{Face, Rank, Suit};
use remik_rules::cards::Cards;
use remik_rules::meld::Meld;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Aces, JokerSwap, Ruleset, SwappedJoker};
use remik_rules::situation::Situation;

use super::support::{Dice, seat};

/// Rules that differ in all that the moves depend on.
fn some_rules(dice: &mut Dice) -> Ruleset {
    loop {
        let preset = dice.one(&Preset::ALL).ruleset();
        let rules = Ruleset {
            adjacent_jokers: dice.coin(),
            final_discard: dice.coin(),
            several_melds: dice.coin() || dice.coin(),
            lay_off_needs_own_meld: dice.coin(),
            opening_points: dice.one(&[0, 0, 15, 40]),
            opening_pure_run: dice.under(3) == 0,
            aces: dice.one(&[Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner]),
            joker_swap: dice.one(&[JokerSwap::Never, JokerSwap::AfterOpening, JokerSwap::AnyTurn]),
            swapped_joker: dice.one(&[
                SwappedJoker::Kept,
                SwappedJoker::MustBeLaid,
                SwappedJoker::MustBeMelded,
            ]),
            whole_hand_from_deal: if dice.under(4) == 0 { Some(1) } else { None },
            ..preset
        };
        if rules.validate().is_ok() {
            return rules;
        }
    }
}

/// A meld of cards that are still there, with a few jokers.
fn some_meld(dice: &mut Dice, left: &mut Cards, rules: &Ruleset) -> Option<Meld> {
    let faces: Vec<Face> = if dice.coin() {
        let (suit, low) = (dice.one(&Suit::ALL), dice.under(13));
        let length = 3 + dice.under(3) + dice.under(2) * dice.under(7);
        (low..low + length).map(|position| Face::new(Rank::ALL[position % 13], suit)).collect()
    } else {
        let rank = dice.one(&Rank::ALL);
        let without = dice.one(&Suit::ALL);
        let four = dice.coin();
        Suit::ALL.into_iter().filter(|s| four || *s != without).map(|suit| Face::new(rank, suit)).collect()
    };
    let mut after = *left;
    let mut named = Vec::new();
    for face in faces {
        let joker = after.jokers().iter().next().filter(|_| dice.under(3) == 0);
        let card = joker.or_else(|| after.pick(face))?;
        after.remove(card);
        named.push(card.into());
    }
    let meld = Meld::read(&named, rules).ok()?;
    *left = after;
    Some(meld)
}

/// A turn after the draw, with melds on the table and a small hand in which much fits.
pub fn some_situation(dice: &mut Dice) -> Situation {
    let rules = some_rules(dice);
    let mut left = rules.pack.cards();
    let mut situation = Situation::new(rules, 2);
    for _ in 0..dice.under(4) {
        if let Some(meld) = some_meld(dice, &mut left, &situation.rules) {
            situation.melds.push((seat(dice.under(2) as u8), meld));
        }
    }
    let (base, ranks, suits) = (dice.under(13), 3 + dice.under(8), 1 + dice.under(4));
    let joker_share = 2 + dice.under(4);
    let mut hand = Cards::EMPTY;
    for _ in 0..1 + dice.under(8) {
        let face = Face::new(Rank::ALL[(base + dice.under(ranks)) % 13], Suit::ALL[dice.under(suits)]);
        let face = if dice.under(joker_share) == 0 { Face::JOKER } else { face };
        if let Some(card) = left.pick(face) {
            left.remove(card);
            hand.insert(card);
        }
    }
    // A card that frees a joker, to see swaps often.
    for (_, meld) in &situation.melds {
        let joker = (0..meld.cards.len()).find(|&i| meld.cards[i].is_joker());
        if let Some(card) = joker.and_then(|i| left.pick(meld.face_at(i)?)) {
            left.remove(card);
            hand.insert(card);
        }
    }
    if hand.is_empty() {
        let card = left.iter().next().unwrap();
        left.remove(card);
        hand.insert(card);
    }
    if dice.coin() {
        situation.taken = hand.iter().nth(dice.under(hand.len()));
    }
    if dice.coin() {
        situation.opened.insert(seat(0));
    }
    situation.hands = vec![Some(hand), Some([left.iter().next().unwrap()].into_iter().collect())];
    situation
}
