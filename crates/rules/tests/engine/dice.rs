//! Chance that a number decides.

use remik_rules::card::Card;
use remik_rules::chance::{Chance, Commitment, Seed, Stream};

/// SplitMix64: small, and good enough to vary games.
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn under(&mut self, bound: usize) -> usize {
        (self.roll() % bound as u64) as usize
    }
}

impl Chance for Dice {
    fn commit(&mut self) -> (Seed, Commitment) {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.roll().to_be_bytes());
        (Seed(bytes), Commitment(bytes))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        // The deck follows from the seed, as in the service.
        let mut dice = Dice(u64::from_be_bytes(stream.seed.0[..8].try_into().unwrap()));
        for place in (1..cards.len()).rev() {
            cards.swap(place, dice.under(place + 1));
        }
    }

    fn below(&mut self, _: Stream<'_>, bound: u32) -> u32 {
        self.under(bound as usize) as u32
    }
}
