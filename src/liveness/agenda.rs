//! What is due soon.

use std::collections::{BTreeSet, HashMap};

use remik_rules::chance::Millis;

use crate::store::GameId;

/// Games by the time at which they need the clock, each once.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    due: BTreeSet<(Millis, GameId)>,
    planned: HashMap<GameId, Millis>,
    /// Games that nothing is done for before this time.
    resting: HashMap<GameId, Millis>,
}

impl Agenda {
    /// Plans a game; the earlier time counts, since being early costs little.
    pub(super) fn plan(&mut self, game: GameId, at: Millis) {
        let at = self.resting.get(&game).map_or(at, |until| at.max(*until));
        match self.planned.get(&game) {
            Some(planned) if *planned <= at => {}
            planned => {
                if let Some(planned) = planned {
                    self.due.remove(&(*planned, game));
                }
                self.due.insert((at, game));
                self.planned.insert(game, at);
            }
        }
    }

    /// Does nothing for a game before a time.
    pub(super) fn rest(&mut self, game: GameId, until: Millis) {
        self.resting.insert(game, until);
    }

    /// Whether a game is planned.
    pub(super) fn plans(&self, game: GameId) -> bool {
        self.planned.contains_key(&game)
    }

    /// When something is due next.
    pub(super) fn next(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }

    /// The game that has been due for longest, if any is.
    pub(super) fn take_due(&mut self, now: Millis) -> Option<GameId> {
        let (at, game) = *self.due.first().filter(|(at, _)| *at <= now)?;
        self.due.remove(&(at, game));
        self.planned.remove(&game);
        self.resting.remove(&game);
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn game(number: u128) -> GameId {
        GameId(Uuid::from_u128(number))
    }

    #[test]
    fn games_come_in_time_and_once() {
        let mut agenda = Agenda::default();
        for (number, at) in [(1, 30), (2, 20), (1, 10), (2, 25), (3, 20)] {
            agenda.plan(game(number), Millis(at));
        }
        assert_eq!((agenda.next(), agenda.take_due(Millis(9))), (Some(Millis(10)), None));
        assert_eq!(agenda.take_due(Millis(10)), Some(game(1)));
        assert_eq!(agenda.take_due(Millis(19)), None);
        assert_eq!(agenda.take_due(Millis(99)), Some(game(2)));
        assert_eq!(agenda.take_due(Millis(99)), Some(game(3)));
        assert_eq!((agenda.take_due(Millis(99)), agenda.next()), (None, None));
    }

    #[test]
    fn a_game_that_rests_waits() {
        let mut agenda = Agenda::default();
        agenda.rest(game(1), Millis(50));
        agenda.plan(game(1), Millis(10));
        assert_eq!(agenda.next(), Some(Millis(50)));
        assert_eq!(agenda.take_due(Millis(50)), Some(game(1)));
        agenda.plan(game(1), Millis(10));
        assert_eq!(agenda.next(), Some(Millis(10)));
    }
}
