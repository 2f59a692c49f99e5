//! Which moves to print.

use std::str::FromStr;

/// A range of moves, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moves {
    first: u32,
    last: u32,
}

/// A text that is no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a range is 17, 10..20, 10.. or ..20")]
pub struct NoRange;

impl Moves {
    /// Whether a move is to be printed.
    pub const fn contains(self, number: u32) -> bool {
        self.first <= number && number <= self.last
    }
}

impl FromStr for Moves {
    type Err = NoRange;

    fn from_str(text: &str) -> Result<Self, NoRange> {
        let number = |text: &str, open: u32| match text {
            "" => Ok(open),
            text => text.parse().map_err(|_| NoRange),
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first, 1)?, number(last, u32::MAX)?),
            None => (text.parse().map_err(|_| NoRange)?, text.parse().map_err(|_| NoRange)?),
        };
        if first <= last { Ok(Self { first, last }) } else { Err(NoRange) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let within = |text: &str| {
            let range: Moves = text.parse().unwrap();
            (1..=9).filter(|number| range.contains(*number)).collect::<Vec<_>>()
        };
        assert_eq!(within("3..5"), [3, 4, 5]);
        assert_eq!(within("4"), [4]);
        assert_eq!(within("8.."), [8, 9]);
        assert_eq!(within("..2"), [1, 2]);
        assert_eq!(within("..").len(), 9);
        for text in ["", "x", "5..3", "1..x", "-1"] {
            assert_eq!(text.parse::<Moves>(), Err(NoRange), "{text}");
        }
    }
}
