//! Natural cards by face, both copies counted: what a hand is worth doesn't depend on copies.

use remik_rules::card::{Card, Rank, Suit};
use remik_rules::cards::Cards;

/// A multiset of natural faces; bit `suit * 16 + rank`, as in [`Cards::faces`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Faces {
    /// The faces there are.
    pub(crate) one: u64,
    /// The faces of which there are two.
    pub(crate) two: u64,
}

impl Faces {
    pub(crate) const fn of(cards: Cards) -> Self {
        Self { one: cards.faces(), two: cards.pairs() }
    }

    /// How many cards of the given faces there are.
    pub(crate) const fn count_of(self, faces: u64) -> u32 {
        (self.one & faces).count_ones() + (self.two & faces).count_ones()
    }

    /// What is left without one card of each of the faces; `None` if one is missing.
    pub(crate) const fn without(self, faces: u64) -> Option<Self> {
        if faces & !self.one != 0 {
            return None;
        }
        let doubled = self.two & faces;
        Some(Self { one: self.one & !(faces & !doubled), two: self.two & !doubled })
    }
}

/// The bit of a natural card's face; 0 for a joker.
pub(crate) const fn bit_of(card: Card) -> u64 {
    if card.is_joker() { 0 } else { 1 << (card.to_byte() & 63) }
}

/// The bit of a natural face.
pub(crate) const fn bit_at(rank: Rank, suit: Suit) -> u64 {
    1 << (suit as u32 * 16 + rank as u32)
}

/// The four faces of the rank that a bit has.
pub(crate) const fn rank_mates(bit: u32) -> u64 {
    0x0001_0001_0001_0001 << (bit & 15)
}
