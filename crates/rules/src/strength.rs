//! How well a bot plays.

use std::fmt;
use std::str::FromStr;

/// How well a bot plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// A sensible beginner.
    Easy,
    /// Weighs what may still come, and remembers what was taken and thrown away.
    Normal,
    /// Plays the deal on at tables that it imagines, for as long as it may think.
    Hard,
}

impl Strength {
    /// All of them, the weakest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Normal, Self::Hard];

    /// Its name, as in `easy`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Normal => "normal",
            Self::Hard => "hard",
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no strength has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a strength is easy, normal or hard")]
pub struct UnknownStrength;

impl FromStr for Strength {
    type Err = UnknownStrength;

    fn from_str(name: &str) -> Result<Self, UnknownStrength> {
        Self::ALL.into_iter().find(|strength| strength.name() == name).ok_or(UnknownStrength)
    }
}
