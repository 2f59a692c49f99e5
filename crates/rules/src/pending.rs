//! Whether a swapped joker can still be laid in the turn (RULES 5).

use crate::card::{Card, Suit};
use crate::cards::Cards;
use crate::meld::{LONGEST, Meld, Shape, run_fits};
use crate::ruleset::{Aces, Ruleset};
use crate::view::TableMeld;

/// The aces in a set of faces, whose lanes have spare bits past the king.
const ACES: u64 = 0x0001_0001_0001_0001;

/// Whether one further command lays the joker, alone or with other cards of the hand that holds it: a new meld
/// or a lay-off, as far as they are allowed. It leaves a card where a discard is required.
pub(crate) fn joker_has_place(
    joker: Card,
    hand: Cards,
    melds: &[TableMeld],
    may_meld: bool,
    may_lay_off: bool,
    rules: &Ruleset,
) -> bool {
    hand.contains(joker) && has_place(hand, melds.iter().map(|laid| &laid.meld), may_meld, may_lay_off, rules)
}

/// The same for any joker of the hand, with the melds given one by one.
pub(crate) fn has_place<'a>(
    hand: Cards,
    mut melds: impl Iterator<Item = &'a Meld>,
    may_meld: bool,
    may_lay_off: bool,
    rules: &Ruleset,
) -> bool {
    let most = hand.len().saturating_sub(usize::from(rules.final_discard));
    may_meld && makes_meld(hand, most, rules)
        || may_lay_off && most > 0 && melds.any(|meld| takes_joker(meld, hand, most, rules))
}

/// Whether some meld of at most so many cards of the hand has a joker.
///
/// Two natural cards are enough: of any legal meld with jokers, two natural cards next to each other with one
/// joker beside them, or with the jokers between them, are legal too. More than two natural cards are never
/// needed, since a meld whose natural cards all stand three or more places apart has more jokers than those.
fn makes_meld(hand: Cards, most: usize, rules: &Ruleset) -> bool {
    if most < 3 {
        return false;
    }
    let faces = hand.faces();
    // The spare bits of each lane hold the ranks past the king.
    let past_king = match rules.aces {
        Aces::Low => 0,
        Aces::HighOrLow => faces & ACES,
        Aces::RoundTheCorner => faces & (ACES * 0b111),
    };
    let line = faces | past_king << 13;
    let apart = |distance: u32| faces & (line >> distance) != 0;
    let mut once = 0u64;
    let mut twice = 0u64;
    for suit in Suit::ALL {
        let ranks = u64::from(hand.ranks(suit));
        twice |= once & ranks;
        once |= ranks;
    }
    twice != 0
        || apart(1)
        || apart(2)
        || rules.adjacent_jokers && most >= 4 && hand.jokers().len() >= 2 && apart(3)
}

/// Whether at most so many cards of the hand, with a joker among them, can be laid off onto a meld.
fn takes_joker(meld: &Meld, hand: Cards, most: usize, rules: &Ruleset) -> bool {
    match meld.shape {
        // A group of three has one joker at most, so there is room for another.
        Shape::Group { .. } => meld.cards.len() == 3,
        Shape::Run { suit, low } => run_takes_joker(meld, suit, low, hand, most, rules),
    }
}

fn run_takes_joker(meld: &Meld, suit: Suit, low: u8, hand: Cards, most: usize, rules: &Ruleset) -> bool {
    let len = meld.cards.len();
    let most = most.min(LONGEST.saturating_sub(len));
    let jokers_in_hand = hand.jokers().len();
    let ranks = u32::from(hand.ranks(suit));
    let line = ranks | ranks << 13;
    let jokers_there = meld.jokers();
    let naturals_there = len - jokers_there;
    let joker_bits =
        (0u32..).zip(&meld.cards).filter(|(_, c)| c.is_joker()).fold(0, |set, (i, _)| set | 1 << i);

    for added in 1..=most {
        for below in 0..=added {
            let Some(new_low) = lower(low, below, rules.aces) else { break };
            if !run_fits(new_low, len + added, rules.aces) {
                continue;
            }
            // Bit 0 is the first card of the longer run.
            let there = bits(len) << below;
            let new = bits(len + added) & !there;
            let missing = new & !(line >> new_low);
            let jokers = joker_bits << below;
            let beside = jokers << 1 | jokers >> 1;
            // Jokers fill what is missing; if nothing is, one takes any card's place.
            let laid = if missing != 0 { missing.count_ones() as usize } else { 1 };
            let apart = rules.adjacent_jokers
                || if missing != 0 { missing & (beside | missing << 1) == 0 } else { new & !beside != 0 };
            if laid <= jokers_in_hand && jokers_there + laid <= naturals_there + added - laid && apart {
                return true;
            }
        }
    }
    false
}

/// The first position of a run that gets so many cards below.
fn lower(low: u8, below: usize, aces: Aces) -> Option<u8> {
    let below = below as u8;
    match low.checked_sub(below) {
        None if aces == Aces::RoundTheCorner => Some(low + 13 - below),
        position => position,
    }
}

const fn bits(count: usize) -> u32 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::command::MeldId;
    use crate::lay_off::lay_off;
    use crate::lay_off::tests::named;
    use crate::meld::Named;
    use crate::preset::Preset;
    use crate::seat::Seat;

    fn hand(codes: &str) -> Cards {
        named(codes).iter().map(|c| c.card).collect()
    }

    fn table(rules: &Ruleset, melds: &[&str]) -> Vec<TableMeld> {
        let seat = Seat::new(0).unwrap();
        let meld = |codes: &&str| Meld::read(&named(codes), rules).unwrap();
        melds.iter().map(|m| TableMeld { id: MeldId(1), owner: seat, meld: meld(m) }).collect()
    }

    #[test]
    fn places_by_hand() {
        let remik = Preset::Remik51.ruleset();
        let remi = Ruleset { final_discard: true, ..Preset::Remi30.ruleset() };
        let corner = Ruleset { aces: Aces::RoundTheCorner, ..remi.clone() };
        let full = "QS QH QD QC";
        for (rules, cards, melds, expected) in [
            (&remik, "X1 KD 4S", &["8S 8H 8D 8C", full][..], false),
            (&remik, "X1", &["TH JH QH"], false),
            (&remik, "X1 5S", &["TH JH QH"], true),
            (&remik, "X1 7C 7D KS", &[full], true),
            (&remik, "X1 7C 7D", &[full], false),
            (&remik, "X1 7C 9C KS", &[full], true),
            (&remik, "X1 X2 7C TC KS", &[full], false),
            (&remi, "X1 X2 7C TC KS", &[full], true),
            (&remi, "X1 X2 7C TC", &[full], false),
            (&remik, "X1 KC AC 2D", &[full], true),
            (&remik, "X1 KC 2C 3D", &[full], false),
            (&corner, "X1 KC 2C 3D", &[full], true),
            (&corner, "X1 X2 KC 3C 4D", &[full], true),
            (&corner, "X1 X2 QC 3C 4D", &[full], false),
            // Both ends are jokers: an eight must go between, and then there are enough natural cards.
            (&remik, "X1 2D", &["X2 5S 6S X3"], false),
            (&remik, "X1 8S 2D", &["X2 5S 6S X3"], true),
            (&remik, "X1 8S", &["X2 5S 6S X3"], false),
        ] {
            assert_eq!(
                joker_has_place("X1".parse().unwrap(), hand(cards), &table(rules, melds), true, true, rules),
                expected,
                "{cards} {melds:?}"
            );
        }
    }

    #[test]
    fn a_duty_to_meld_or_to_lay_off() {
        let remik = Preset::Remik51.ruleset();
        let remi = Ruleset { final_discard: true, ..Preset::Remi30.ruleset() };
        let place = |rules, cards, melds: &[&str], may_meld, may_lay_off| {
            let melds = table(rules, melds);
            joker_has_place("X1".parse().unwrap(), hand(cards), &melds, may_meld, may_lay_off, rules)
        };
        assert!(!place(&remik, "X1 KD 4S", &["5S 6S 7S"], true, false));
        assert!(place(&remik, "X1 KD 4S", &["5S 6S 7S"], false, true));
        assert!(!place(&remik, "X1 AS 2S KD", &["TH JH X2"], false, false));
        // Two jokers below the run would do but for lying side by side.
        assert!(!place(&remik, "X1 X4 AS 2S KD", &["5S X2 7S X3"], false, true));
        assert!(place(&remi, "X1 X4 AS 2S KD", &["5S X2 7S X3"], false, true));
        assert!(!place(&remik, "X2 AS 2S KD", &["5S 6S 7S"], true, true), "X1 isn't in the hand");
    }

    /// Tries every set of cards with the joker.
    fn brute_force(
        joker: Card,
        hand: Cards,
        melds: &[TableMeld],
        (may_meld, may_lay_off): (bool, bool),
        rules: &Ruleset,
    ) -> bool {
        let cards: Vec<Card> = hand.iter().collect();
        (1u32..1 << cards.len()).any(|set| {
            let laid: Vec<Named> =
                (0..cards.len()).filter(|i| set & 1 << i != 0).map(|i| cards[i].into()).collect();
            let left = cards.len() - laid.len();
            laid.iter().any(|c| c.card == joker)
                && (left > 0 || !rules.final_discard)
                && (may_meld && Meld::read(&laid, rules).is_ok()
                    || may_lay_off && melds.iter().any(|m| lay_off(&m.meld, &laid, None, rules).is_ok()))
        })
    }

    /// Rules that differ in what matters here.
    fn some_rules() -> impl Strategy<Value = Ruleset> {
        (any::<bool>(), any::<bool>(), 0..3usize).prop_map(|(adjacent_jokers, final_discard, aces)| Ruleset {
            adjacent_jokers,
            final_discard,
            aces: [Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner][aces],
            ..Preset::Remi30.ruleset()
        })
    }

    /// A run or group read from some cards of few faces, so that a good part of the lists are melds.
    fn some_meld(rules: &Ruleset, picks: &[u8]) -> Option<Meld> {
        let (&first, rest) = picks.split_first()?;
        let low = first % 13;
        let cards: Vec<Named> = rest
            .iter()
            .enumerate()
            .map(|(i, pick)| {
                if pick % 3 == 0 {
                    Card::joker(1 + i as u8 % 6).unwrap()
                } else {
                    Card::from_byte((low + i as u8) % 13).unwrap()
                }
                .into()
            })
            .collect();
        Meld::read(&cards, rules).ok()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn agrees_with_trying_everything(
            rules in some_rules(),
            melds in prop::collection::vec(prop::collection::vec(any::<u8>(), 4..14), 0..3),
            naturals in prop::collection::vec((0u8..13, 0u8..6), 0..6),
            jokers in 1u8..4,
            may in (any::<bool>(), any::<bool>()),
        ) {
            let melds: Vec<TableMeld> = melds
                .iter()
                .filter_map(|picks| some_meld(&rules, picks))
                .map(|meld| TableMeld { id: MeldId(1), owner: Seat::new(0).unwrap(), meld })
                .collect();
            // Most are clubs, the suit of the runs.
            let natural = |&(rank, lane): &(u8, u8)| Card::from_byte(rank + 16 * lane.saturating_sub(3)).unwrap();
            let hand: Cards =
                naturals.iter().map(natural).chain((1..=jokers).filter_map(Card::joker)).collect();
            let joker = Card::joker(1).unwrap();
            prop_assert_eq!(
                joker_has_place(joker, hand, &melds, may.0, may.1, &rules),
                brute_force(joker, hand, &melds, may, &rules)
            );
        }
    }
}
