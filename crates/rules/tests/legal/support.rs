//! Cards, dice and the judge.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::chance::{Chance, Commitment, Millis, Seed, Stream};
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::Event;
use remik_rules::meld::{Meld, Named};
use remik_rules::ruleset::Ruleset;
use remik_rules::seat::Seat;
use remik_rules::table::Table;

/// A multiplicative generator: enough to vary situations.
pub struct Dice(pub u64);

impl Dice {
    pub fn under(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) % bound as u64) as usize
    }

    pub fn coin(&mut self) -> bool {
        self.under(2) == 0
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.under(of.len())]
    }
}

impl Chance for Dice {
    fn commit(&mut self) -> (Seed, Commitment) {
        (Seed([1; 32]), Commitment([2; 32]))
    }

    fn shuffle(&mut self, _: Stream<'_>, cards: &mut [Card]) {
        for place in (1..cards.len()).rev() {
            cards.swap(place, self.under(place + 1));
        }
    }

    fn below(&mut self, _: Stream<'_>, bound: u32) -> u32 {
        self.under(bound as usize) as u32
    }
}

pub fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub fn cards(codes: &str) -> Cards {
    codes.split_whitespace().map(|code| code.parse().unwrap()).collect()
}

pub fn judge(table: &Table, seat: Seat, command: &Command) -> Option<Vec<Event>> {
    decide(table, Actor::Seat(seat), command, Millis(0), &mut Dice(1)).ok()
}

pub fn meld(codes: &str, rules: &Ruleset) -> Meld {
    let list: Vec<Named> = codes.split_whitespace().map(|c| c.parse::<Card>().unwrap().into()).collect();
    Meld::read(&list, rules).unwrap()
}
