//! Numbers of seats that are acceptable.

use remik_rules::preset::Preset;
use remik_rules::ruleset::MAX_SEATS;

/// A set of numbers of seats, each from 2 to 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatCounts(u8);

impl SeatCounts {
    /// Those that a preset can be played with.
    pub const fn of(preset: Preset) -> Self {
        let (least, most) = preset.ruleset().seats;
        let (mut set, mut count) = (0, least);
        while count <= most {
            set |= 1 << count;
            count += 1;
        }
        Self(set)
    }

    /// Whether a number is among them.
    pub const fn has(self, count: u8) -> bool {
        count as usize <= MAX_SEATS && self.0 & 1 << count != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The numbers, the smallest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u8> + Clone {
        (2..=MAX_SEATS as u8).filter(move |count| self.has(*count))
    }
}

/// Numbers outside of 2 to 6 are left out.
impl FromIterator<u8> for SeatCounts {
    fn from_iter<I: IntoIterator<Item = u8>>(counts: I) -> Self {
        let counts = counts.into_iter().filter(|count| (2..=MAX_SEATS as u8).contains(count));
        Self(counts.fold(0, |set, count| set | 1 << count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_say_how_many_play() {
        assert_eq!(SeatCounts::of(Preset::Remik51).iter().collect::<Vec<_>>(), [2, 3, 4]);
        let some: SeatCounts = [4, 2, 9, 0, 6].into_iter().collect();
        assert_eq!(some.iter().collect::<Vec<_>>(), [2, 4, 6]);
        assert_eq!(some.and(SeatCounts::of(Preset::Remik51)).iter().rev().collect::<Vec<_>>(), [4, 2]);
        assert!(SeatCounts::default().is_empty() && !some.has(200));
    }
}
