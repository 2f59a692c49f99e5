//! The chance of a checked table: nothing is left to it.

use std::collections::VecDeque;

use remik_rules::card::Card;
use remik_rules::chance::{Chance, Commitment, Purpose, Seed, Stream};

/// Chance that always falls the same way for a number, and remembers whether a stock was shuffled.
#[derive(Debug, Clone, Default)]
pub(super) struct Dice {
    number: u32,
    /// Cards that the starter is to hold, with how many seats are dealt in.
    starter: VecDeque<Card>,
    seats: usize,
    /// The pile was shuffled to make a stock of it.
    pub(super) stock_shuffled: bool,
}

impl Dice {
    /// Dice for a deal in which the starter's first cards are given.
    pub(super) fn for_deal(number: u32, starter: Vec<Card>, seats: u8) -> Self {
        Self { number, starter: starter.into(), seats: usize::from(seats), stock_shuffled: false }
    }
}

impl Chance for Dice {
    fn commit(&mut self) -> (Seed, Commitment) {
        (Seed([0; 32]), Commitment([0; 32]))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        // A linear congruential generator is enough: it only has to differ from number to number.
        let mut state = u64::from(self.number).wrapping_add(1);
        for place in (1..cards.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = (state >> 33) as usize % (place + 1);
            cards.swap(place, other);
        }
        match stream.purpose {
            Purpose::Reuse(_) => self.stock_shuffled = true,
            Purpose::FirstDealer => {}
            // Cards are dealt one at a time, to the starter first.
            Purpose::Deck => {
                for (round, card) in self.starter.iter().enumerate() {
                    let from = cards.iter().position(|other| other == card);
                    if let (Some(from), true) = (from, round * self.seats < cards.len()) {
                        cards.swap(round * self.seats, from);
                    }
                }
            }
        }
    }

    fn below(&mut self, _: Stream<'_>, bound: u32) -> u32 {
        self.number % bound.max(1)
    }
}
