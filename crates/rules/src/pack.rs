//! Packs: which physical cards a game is played with.

use crate::card::{Card, Face, Rank, Suit};
use crate::cards::Cards;

/// One or two 52-card decks and up to six jokers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    /// 52-card decks: 1 or 2.
    pub decks: u8,
    /// Jokers: 0 to 6.
    pub jokers: u8,
}

impl Pack {
    /// How many cards it has: 52 to 110.
    pub const fn size(self) -> usize {
        self.decks as usize * 52 + self.jokers as usize
    }

    /// All its cards.
    pub fn cards(self) -> Cards {
        let naturals = (0..self.decks).flat_map(|copy| {
            Suit::ALL.into_iter().flat_map(move |suit| {
                Rank::ALL.into_iter().filter_map(move |rank| Card::natural(Face::new(rank, suit), copy))
            })
        });
        naturals.chain((1..=self.jokers).filter_map(Card::joker)).collect()
    }

    /// All its cards sorted by code as text, the order from which every shuffle starts.
    pub fn sorted(self) -> Vec<Card> {
        let mut cards: Vec<Card> = self.cards().iter().collect();
        sort_by_code(&mut cards);
        cards
    }
}

/// Sorts cards by their codes as text: `2C` `2C2` `2D` … `TS2` `X1`.
pub fn sort_by_code(cards: &mut [Card]) {
    cards.sort_unstable_by_key(|card| card.code_order());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_have_their_size() {
        for (decks, jokers, size) in [(1, 0, 52), (1, 3, 55), (2, 4, 108), (2, 6, 110)] {
            let pack = Pack { decks, jokers };
            assert_eq!((pack.size(), pack.cards().len(), pack.sorted().len()), (size, size, size));
        }
    }
}
