//! Who acts in a line.

use std::fmt;
use std::str::FromStr;

use remik_rules::command::Actor;
use remik_rules::seat::Seat;

/// Whose commands a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// A seat's: its player's, or its bot's.
    Seat(Seat),
    /// The clock's.
    Clock,
    /// An administrator's.
    Admin,
}

impl Who {
    /// Who has given a command; `seat` is whose move it is.
    pub(super) fn of(actor: Actor, seat: Option<Seat>) -> Self {
        match (actor, seat) {
            (_, Some(seat)) => Self::Seat(seat),
            (Actor::Admin, None) => Self::Admin,
            (_, None) => Self::Clock,
        }
    }

    /// Whose move it is.
    pub(super) fn seat(self) -> Option<Seat> {
        match self {
            Self::Seat(seat) => Some(seat),
            Self::Clock | Self::Admin => None,
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seat(seat) => seat.fmt(f),
            Self::Clock => f.write_str("clock"),
            Self::Admin => f.write_str("admin"),
        }
    }
}

/// The text is nobody.
#[derive(Debug)]
pub(super) struct Nobody;

impl FromStr for Who {
    type Err = Nobody;

    fn from_str(text: &str) -> Result<Self, Nobody> {
        match text {
            "clock" => Ok(Self::Clock),
            "admin" => Ok(Self::Admin),
            seat => seat.parse().ok().and_then(Seat::new).map(Self::Seat).ok_or(Nobody),
        }
    }
}
