use std::{fmt, str::FromStr};

use uuid::Uuid;

/// A place in the feed of all moves. Its string form is opaque, and lasts as long as the feed's epoch: a database that
/// was restored from a backup has another one, since it may give the same places to other moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// `None` at the start, which is the same place in every epoch.
    pub(super) epoch: Option<Uuid>,
    /// The last move read: its transaction (PostgreSQL) or row (SQLite) …
    pub(super) tx: i64,
    /// … and, in a transaction, its key.
    pub(super) game: Uuid,
    pub(super) number: i32,
}

impl Cursor {
    /// Before the first move of all.
    pub const START: Self = Self { epoch: None, tx: 0, game: Uuid::nil(), number: 0 };

    /// Whether this place is as far in the feed as another one of the same epoch, or farther.
    pub fn reaches(&self, other: &Self) -> bool {
        let place = |cursor: &Self| (cursor.tx, cursor.game, cursor.number);
        self.epoch == other.epoch && place(self) >= place(other)
    }

    /// After all moves of the transactions before `tx`.
    pub(super) fn before(epoch: Uuid, tx: i64) -> Self {
        Self { epoch: Some(epoch), tx, game: Uuid::nil(), number: 0 }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epoch = self.epoch.unwrap_or_default();
        write!(f, "{}.{}.{}.{}", epoch.simple(), self.tx, self.game.simple(), self.number)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('.');
        let mut part = || parts.next().ok_or(CursorError);
        let epoch = Uuid::parse_str(part()?).map_err(|_| CursorError)?;
        let cursor = Self {
            epoch: (!epoch.is_nil()).then_some(epoch),
            tx: part()?.parse().map_err(|_| CursorError)?,
            game: Uuid::parse_str(part()?).map_err(|_| CursorError)?,
            number: part()?.parse().map_err(|_| CursorError)?,
        };
        // A place without an epoch would be read in any: only the start may be.
        let whole = parts.next().is_none() && (cursor.epoch.is_some() || cursor == Self::START);
        whole.then_some(cursor).ok_or(CursorError)
    }
}

/// The text isn't a [`Cursor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of this service's feed")]
pub struct CursorError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let cursor = Cursor { epoch: Some(Uuid::from_u128(7)), tx: 12, game: Uuid::from_u128(9), number: 3 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        assert_eq!(Cursor::START.to_string().parse(), Ok(Cursor::START));
    }

    #[test]
    fn a_place_reaches_those_before_it_in_its_epoch() {
        let at = |tx, number| Cursor { epoch: Some(Uuid::from_u128(7)), tx, game: Uuid::nil(), number };
        assert!(at(2, 0).reaches(&at(1, 9)) && at(2, 1).reaches(&at(2, 1)));
        assert!(!at(2, 0).reaches(&at(2, 1)) && !at(1, 9).reaches(&at(2, 0)));
        assert!(!at(9, 9).reaches(&Cursor { epoch: Some(Uuid::from_u128(8)), ..at(1, 1) }));
    }

    #[test]
    fn other_text_is_refused() {
        let cursor = Cursor::before(Uuid::from_u128(7), 12).to_string();
        let other_place = Cursor { tx: 5, ..Cursor::START }.to_string();
        for text in [
            "",
            "1",
            "x.1.2.3",
            &format!("{cursor}.1"),
            &cursor[1..],
            &cursor[..cursor.len() - 1],
            &other_place,
        ] {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text:?}");
        }
    }
}
