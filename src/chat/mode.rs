//! How much may be said.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What may be said, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing.
    Off,
    /// Quick phrases alone.
    Phrases,
    /// Texts and quick phrases.
    On,
}

impl Mode {
    /// As the store keeps it.
    pub(super) const fn number(self) -> i16 {
        match self {
            Self::On => 1,
            Self::Phrases => 2,
            Self::Off => 3,
        }
    }

    /// From what the store keeps. What a newer version may have written allows nothing.
    pub(super) const fn stored(number: i16) -> Self {
        match number {
            1 => Self::On,
            2 => Self::Phrases,
            _ => Self::Off,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_stored_by_their_numbers() {
        for mode in [Mode::Off, Mode::Phrases, Mode::On] {
            assert_eq!(Mode::stored(mode.number()), mode);
        }
        assert_eq!(Mode::stored(9), Mode::Off);
        assert_eq!(Mode::Phrases.min(Mode::On), Mode::Phrases);
    }
}
