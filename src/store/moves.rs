use std::{fmt, str::FromStr};

use bytes::Bytes;
use uuid::Uuid;

use super::{AlarmChange, Request, Summary};

/// A game's id: a version 7 UUID, so ids sort about by the time at which they were made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct GameId(pub Uuid);

impl GameId {
    /// A new id, made of the system's clock and randomness.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({})", self.0)
    }
}

impl FromStr for GameId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// A time: milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type, Default)]
#[sqlx(transparent)]
pub struct Millis(pub i64);

/// One accepted command of a game with all its events: a row of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The game.
    pub game: GameId,
    /// Its place in the game: 1, 2, 3 … without gaps, at most `i32::MAX`.
    pub number: u32,
    /// Whose move it is; `None` for the server's own (a timeout, a deal).
    pub seat: Option<u8>,
    /// The id that the client gave to its command.
    pub request_id: Option<Uuid>,
    /// A digest of the command, to tell a repeat from another command under the same id.
    pub fingerprint: Option<i64>,
    /// When it was accepted.
    pub made_at: Millis,
    /// The version of the encoding of `events`.
    pub format: i16,
    /// The encoded events; the store never looks inside.
    pub events: Bytes,
}

/// A move to write with all that changes together with it: everything is stored, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The move. It must have been decided on the stored state after the move before it.
    pub mv: Move,
    /// The game's summary as this move leaves it, if it changes.
    pub summary: Option<Summary>,
    /// The answer to keep for a command that can't be found by its game (such as making one).
    pub request: Option<Request>,
    /// When the game next needs the clock, if the move changes that.
    pub alarm: Option<AlarmChange>,
}
