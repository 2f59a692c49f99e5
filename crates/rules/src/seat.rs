//! Seats, and who sits there.

use std::fmt;

use crate::ruleset::MAX_SEATS;

/// A place at the table, counted clockwise from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(u8);

impl Seat {
    /// The first one.
    pub const FIRST: Self = Self(0);

    /// The seat of a number; `None` from [`MAX_SEATS`] on.
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < MAX_SEATS { Some(Self(number)) } else { None }
    }

    /// The first so many seats, in order.
    pub fn first(seats: u8) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..seats).filter_map(Self::new)
    }

    /// Its number, from 0.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its number as an index into a list by seats.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A set of seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seats(u8);

impl Seats {
    /// No seats.
    pub const EMPTY: Self = Self(0);

    /// Adds a seat.
    pub const fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// Removes a seat.
    pub const fn remove(&mut self, seat: Seat) {
        self.0 &= !(1 << seat.0);
    }

    /// Adds or removes a seat.
    pub const fn set(&mut self, seat: Seat, to: bool) {
        if to { self.insert(seat) } else { self.remove(seat) }
    }

    /// Whether the seat is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & 1 << seat.0 != 0
    }

    /// Whether every seat of the other set is here.
    pub const fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// How many there are.
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Seat> + Clone {
        Seat::first(MAX_SEATS as u8).filter(move |&seat| self.contains(seat))
    }

    /// The next seat of the set clockwise from another, which may be the same one if it is alone.
    pub fn after(self, seat: Seat) -> Option<Seat> {
        (1..=MAX_SEATS as u8).map(|n| Seat((seat.0 + n) % MAX_SEATS as u8)).find(|&next| self.contains(next))
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut set = Self::EMPTY;
        for seat in seats {
            set.insert(seat);
        }
        set
    }
}

/// A player, by the service's internal id. Names are kept elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub u128);

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A game, by the service's internal id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameRef(pub u128);

impl fmt::Display for GameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
