//! Melds of natural cards that cover as much of a hand as can be: quick rather than exact, for judging hands.
//! What is laid is found by the engine's own search.

use arrayvec::ArrayVec;
use remik_rules::card::{Rank, Suit};
use remik_rules::legal::MeldShape;
use remik_rules::ruleset::{Aces, Ruleset};

use crate::faces::Faces;

/// The most melds that are looked at; more are had only by hands that are covered anyhow.
const MOST_MELDS: usize = 40;
/// The most combinations of them that are looked at.
const MOST_STEPS: u32 = 300;

/// A hand parted into melds and the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cover {
    /// The cards in no meld.
    pub(crate) left: Faces,
    /// How many cards the melds have.
    pub(crate) cards: u32,
    /// What the melds are worth on the table.
    pub(crate) points: u16,
    /// There is a run among them.
    pub(crate) run: bool,
}

#[derive(Clone, Copy)]
struct Candidate {
    faces: u64,
    cards: u32,
    points: u16,
    run: bool,
}

/// The natural melds that cover most cards, of equal ones those worth most. A run counts as so many points
/// more where an opening needs one.
pub(crate) fn cover(hand: Faces, rules: &Ruleset, run_needed: bool) -> Cover {
    let mut melds = ArrayVec::new();
    runs(hand.one, rules.aces, &mut melds);
    groups(hand.one, rules.aces, &mut melds);
    let nothing = Cover { left: hand, ..Cover::default() };
    if melds.is_empty() {
        return nothing;
    }
    let mut search = Search { melds, best: nothing, steps: 0, run_needed };
    search.from(0, nothing);
    search.best
}

struct Search {
    melds: ArrayVec<Candidate, MOST_MELDS>,
    best: Cover,
    steps: u32,
    run_needed: bool,
}

impl Search {
    fn worth(&self, cover: &Cover) -> u32 {
        let run = if self.run_needed && cover.run { 250 } else { 0 };
        cover.cards * 100 + u32::from(cover.points) + run
    }

    fn from(&mut self, first: usize, cover: Cover) {
        if self.worth(&cover) > self.worth(&self.best) {
            self.best = cover;
        }
        for index in first..self.melds.len() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return;
            }
            let meld = self.melds[index];
            if let Some(left) = cover.left.without(meld.faces) {
                let next = Cover {
                    left,
                    cards: cover.cards + meld.cards,
                    points: cover.points + meld.points,
                    run: cover.run || meld.run,
                };
                // A meld may be there twice.
                self.from(index, next);
            }
        }
    }
}

/// Runs of three to five; any longer one is made of these.
fn runs(faces: u64, aces: Aces, melds: &mut ArrayVec<Candidate, MOST_MELDS>) {
    for suit in Suit::ALL {
        let ranks = (faces >> (suit as u32 * 16) & 0x1FFF) as u32;
        let line = match aces {
            Aces::Low => ranks,
            Aces::HighOrLow => ranks | (ranks & 1) << 13,
            Aces::RoundTheCorner => ranks | (ranks & 7) << 13,
        };
        let mut starts = ranks & line >> 1 & line >> 2;
        while starts != 0 {
            let low = starts.trailing_zeros() as u8;
            starts &= starts - 1;
            let longest = (line >> low).trailing_ones().min(5);
            for len in 3..=longest {
                let bits = ((1u32 << len) - 1) << low;
                let run = MeldShape::Run { suit, low, len: len as u8, jokers: 0 };
                let candidate = Candidate {
                    faces: u64::from((bits | bits >> 13) & 0x1FFF) << (suit as u32 * 16),
                    cards: len,
                    points: run.points(aces),
                    run: true,
                };
                if melds.try_push(candidate).is_err() {
                    return;
                }
            }
        }
    }
}

fn groups(faces: u64, aces: Aces, melds: &mut ArrayVec<Candidate, MOST_MELDS>) {
    for rank in Rank::ALL {
        let mates = faces & crate::faces::rank_mates(rank as u32);
        let count = mates.count_ones();
        if count < 3 {
            continue;
        }
        let mut add = |faces: u64, cards: u32| {
            let suits = (1u8 << cards) - 1;
            let points = MeldShape::Group { rank, suits, jokers: 0 }.points(aces);
            melds.try_push(Candidate { faces, cards, points, run: false }).is_ok()
        };
        if !add(mates, count) {
            return;
        }
        if count == 4 {
            let mut each = mates;
            while each != 0 {
                if !add(mates & !(each & each.wrapping_neg()), 3) {
                    return;
                }
                each &= each - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remik_rules::cards::Cards;
    use remik_rules::preset::Preset;

    #[track_caller]
    fn check(hand: &str, cards: u32, points: u16) {
        let hand: Cards = hand.split(' ').map(|code| code.parse().unwrap()).collect();
        let found = cover(Faces::of(hand), &Preset::Remik51.ruleset(), false);
        assert_eq!((found.cards, found.points), (cards, points), "{hand:?}");
    }

    #[test]
    fn the_most_cards_are_covered() {
        check("2C 5D 9H KS", 0, 0);
        check("7H 8H 9H KS KH KD 2C", 6, 54);
        check("7H 8H 9H 7S 7D 4C", 3, 24);
        check("7H 7H2 8H 9H 7S 7D 4C", 6, 45);
        check("2H 3H 4H 5H 6H 7H 8H", 7, 35);
        check("QH KH AH AS AD", 3, 33);
        check("KH KD KS KC QC JC", 6, 60);
        check("5H 5H2 6H 6H2 7H 7H2", 6, 36);
    }
}
