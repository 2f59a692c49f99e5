//! A set of physical cards in one `u128`: a hand, or a pack.

use std::fmt;

use crate::card::{Card, Face, Suit};

/// The bits of the six jokers.
const JOKERS: u128 = 0xE000_E000;
/// In a set of natural faces: the bits that a rank can have.
const NATURALS: u64 = 0x1FFF_1FFF_1FFF_1FFF;

/// A set of physical cards. Order doesn't matter; iteration goes by the cards' bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Cards(u128);

impl Cards {
    /// No cards.
    pub const EMPTY: Self = Self(0);

    const fn bit(card: Card) -> u128 {
        1 << card.to_byte()
    }

    /// Adds a card; false if it was there already.
    pub const fn insert(&mut self, card: Card) -> bool {
        let new = !self.contains(card);
        self.0 |= Self::bit(card);
        new
    }

    /// Removes a card; false if it wasn't there.
    pub const fn remove(&mut self, card: Card) -> bool {
        let had = self.contains(card);
        self.0 &= !Self::bit(card);
        had
    }

    /// Whether the card is in the set.
    pub const fn contains(self, card: Card) -> bool {
        self.0 & Self::bit(card) != 0
    }

    /// How many cards there are.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The cards of both sets.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The cards of this set that aren't in the other.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether every card of the other set is here.
    pub const fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The jokers of the set.
    pub const fn jokers(self) -> Self {
        Self(self.0 & JOKERS)
    }

    /// The cards of the set that aren't jokers.
    pub const fn naturals(self) -> Self {
        Self(self.0 & !JOKERS)
    }

    /// The natural faces as a bit set: bit `suit * 16 + rank`.
    pub const fn faces(self) -> u64 {
        (self.0 as u64 | (self.0 >> 64) as u64) & NATURALS
    }

    /// The faces of which both copies are here, as a bit set.
    pub const fn pairs(self) -> u64 {
        self.0 as u64 & (self.0 >> 64) as u64 & NATURALS
    }

    /// The ranks held in a suit: bit 0 is the ace, bit 12 the king.
    pub const fn ranks(self, suit: Suit) -> u16 {
        (self.faces() >> (suit as u32 * 16)) as u16
    }

    /// A card of the face, the first copy if both are here; for a joker the lowest.
    pub fn pick(self, face: Face) -> Option<Card> {
        if face.is_joker() {
            return self.jokers().iter().next();
        }
        [0, 1].into_iter().filter_map(|copy| Card::natural(face, copy)).find(|&card| self.contains(card))
    }

    /// How many cards of the face there are.
    pub fn count(self, face: Face) -> usize {
        self.of_face(face).len()
    }

    /// The cards of the face.
    pub const fn of_face(self, face: Face) -> Self {
        if face.is_joker() {
            self.jokers()
        } else {
            let bit = face.bit() as u128;
            Self(self.0 & (bit | bit << 64))
        }
    }

    /// The cards, by their bytes.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Card> + Clone + use<> {
        Iter(self.0)
    }
}

#[derive(Clone)]
struct Iter(u128);

impl Iterator for Iter {
    type Item = Card;

    fn next(&mut self) -> Option<Card> {
        // `trailing_zeros` of zero is 128, which no card has.
        let card = Card::from_byte(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(card)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Iter {}

impl FromIterator<Card> for Cards {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        let mut set = Self::EMPTY;
        for card in cards {
            set.insert(card);
        }
        set
    }
}

impl fmt::Debug for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(codes: &str) -> Cards {
        codes.split(' ').map(|c| c.parse().unwrap()).collect()
    }

    #[test]
    fn faces_leave_jokers_and_copies_out() {
        let cards = set("QH QH2 X1 X4 AS 2C2");
        assert_eq!((cards.len(), cards.faces().count_ones(), cards.pairs().count_ones()), (6, 3, 1));
        assert_eq!((cards.jokers().len(), cards.naturals().len()), (2, 4));
        assert_eq!(cards.ranks(Suit::Clubs), 0b10);
        assert_eq!(cards.pick("2C".parse().unwrap()), Some("2C2".parse().unwrap()));
        assert_eq!(cards.count(Face::JOKER), 2);
    }

    #[test]
    fn iteration_gives_every_card_once() {
        let all: Cards = (0..=u8::MAX).filter_map(Card::from_byte).collect();
        assert_eq!((all.len(), all.iter().len(), all.iter().collect::<Cards>()), (110, 110, all));
    }
}
