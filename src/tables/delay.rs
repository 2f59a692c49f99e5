//! Which moves are old enough for spectators.

use std::collections::VecDeque;

use remik_rules::chance::Millis;

use crate::codec::summary::Spectators;

/// How far spectators see. Moves before the first deal are for everybody at once; each later one gets old enough a
/// time after it was made, and never before the one in front of it.
pub(super) struct Delay {
    /// How old a move must be, in milliseconds.
    by: i64,
    /// The last move before the first deal.
    lobby: u32,
    /// When the last moves get old enough, in order; all the ones before them were when they were last counted.
    young: VecDeque<Millis>,
    latest: Millis,
}

impl Delay {
    pub(super) fn new(spectators: Spectators) -> Self {
        let seconds = match spectators {
            Spectators::Nobody => 0,
            Spectators::Anybody { delay_seconds } => delay_seconds,
        };
        Self { by: i64::from(seconds) * 1000, lobby: 0, young: VecDeque::new(), latest: Millis(i64::MIN) }
    }

    /// How old a move must be, in milliseconds.
    pub(super) fn by(&self) -> i64 {
        self.by
    }

    /// The last move before the first deal.
    pub(super) fn lobby(&self) -> u32 {
        self.lobby
    }

    /// Takes a move in; `begun` if the first deal has.
    pub(super) fn note(&mut self, number: u32, made_at: Millis, begun: bool) {
        if !begun {
            self.lobby = number;
        } else if self.by > 0 {
            // The clocks of instances may differ by a little.
            self.latest = self.latest.max(Millis(made_at.0.saturating_add(self.by)));
            self.young.push_back(self.latest);
        }
    }

    /// How many of the last moves are too young.
    pub(super) fn young(&mut self, now: Millis) -> u32 {
        while self.young.front().is_some_and(|at| *at <= now) {
            self.young.pop_front();
        }
        // A game has fewer moves than its numbers.
        self.young.len() as u32
    }

    /// When the next one is old enough.
    pub(super) fn next(&self) -> Option<Millis> {
        self.young.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_get_old_enough_one_after_the_other() {
        let mut delay = Delay::new(Spectators::Anybody { delay_seconds: 2 });
        delay.note(1, Millis(0), false);
        delay.note(2, Millis(5000), false);
        assert_eq!((delay.young(Millis(0)), delay.lobby(), delay.next()), (0, 2, None));
        for (number, at) in [(3, 6000), (4, 7500), (5, 7000), (6, 9000)] {
            delay.note(number, Millis(at), true);
        }
        for (now, young) in [(7999, 4), (8000, 3), (9000, 3), (9499, 3), (9500, 1), (9000, 1), (11_000, 0)] {
            assert_eq!(delay.young(Millis(now)), young, "at {now}");
        }
        assert_eq!(delay.lobby(), 2);
    }

    #[test]
    fn without_a_delay_nothing_waits() {
        let mut delay = Delay::new(Spectators::Anybody { delay_seconds: 0 });
        delay.note(1, Millis(0), true);
        assert_eq!((delay.young(Millis(0)), delay.next()), (0, None));
    }
}
