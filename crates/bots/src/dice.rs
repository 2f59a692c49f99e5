//! A small source of chance that a number decides.

use remik_rules::card::Card;
use remik_rules::chance::{Chance, Commitment, Seed, Stream};

/// SplitMix64: quick, and good enough for guesses and for decks that nobody plays for. Never for a deck that
/// somebody could want to foretell.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for the same number.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub const fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below the bound; 0 if the bound is 0.
    pub const fn under(&mut self, bound: usize) -> usize {
        // The upper half of the product: without a division, and without a bias that would matter here.
        ((self.roll() as u128 * bound as u128) >> 64) as usize
    }

    /// Puts the items in an order that is as likely as any other.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.under(place + 1));
        }
    }
}

impl Chance for Dice {
    fn commit(&mut self) -> (Seed, Commitment) {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.roll().to_be_bytes());
        (Seed(bytes), Commitment(bytes))
    }

    fn shuffle(&mut self, _: Stream<'_>, cards: &mut [Card]) {
        Self::shuffle(self, cards);
    }

    fn below(&mut self, _: Stream<'_>, bound: u32) -> u32 {
        self.under(bound as usize) as u32
    }
}
