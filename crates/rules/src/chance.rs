//! What a game takes from outside: chance and the time. Their outcome is written into events, so a log
//! replays without them.

use std::fmt;
use std::time::Duration;

use crate::card::Card;
use crate::seat::Seat;

/// A moment, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub i64);

impl Millis {
    /// The moment so much later.
    pub fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The moment so many seconds later.
    pub const fn plus_seconds(self, seconds: u32) -> Self {
        Self(self.0.saturating_add(seconds as i64 * 1000))
    }
}

/// The server's secret for one deal; it is revealed when the deal ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl fmt::Debug for Seed {
    /// Never prints the secret: a seed can end up in a log line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// What binds the server to a [`Seed`] before players add theirs: its SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commitment(pub [u8; 32]);

/// A player's part in a shuffle, at most [`ClientSeed::LONGEST`] bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientSeed(Box<[u8]>);

impl ClientSeed {
    /// The most bytes a client seed has.
    pub const LONGEST: usize = 64;

    /// A client seed; `None` if it is too long.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        (bytes.len() <= Self::LONGEST).then_some(Self(bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What a stream of chance is for; each has its own, so that none tells anything of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Finding the first dealer.
    FirstDealer,
    /// The deck of a deal.
    Deck,
    /// The pile made into a new stock, for the time that is given, from 1.
    Reuse(u8),
}

/// One stream of chance: everything that a shuffle is derived from but the game's id.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    /// The server's seed of the deal.
    pub seed: &'a Seed,
    /// The players' seeds in the order in which they count.
    pub client_seeds: &'a [(Seat, ClientSeed)],
    /// The deal, from 1.
    pub deal: u16,
    /// What it is for.
    pub purpose: Purpose,
}

/// Where a game's chance comes from. An implementation knows the game's id.
pub trait Chance {
    /// A new secret seed and the commitment to it.
    fn commit(&mut self) -> (Seed, Commitment);

    /// Shuffles cards, which come sorted by code. The first card of the result is dealt first.
    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]);

    /// A number below the bound, which is at least 1.
    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32;
}
