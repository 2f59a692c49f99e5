//! Who is never seated with whom.

use std::collections::{HashMap, HashSet};

use remik_rules::seat::PlayerId;

/// Pairs of players who are kept apart, since one of them has blocked the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Apart(HashMap<PlayerId, HashSet<PlayerId>>);

impl Apart {
    /// Whether two players are kept apart.
    pub fn has(&self, one: PlayerId, other: PlayerId) -> bool {
        self.of(one).is_some_and(|others| others.contains(&other))
    }

    /// From whom a player is kept apart; `None` if from nobody.
    pub fn of(&self, player: PlayerId) -> Option<&HashSet<PlayerId>> {
        self.0.get(&player)
    }

    /// Whether any two of some players are kept apart.
    pub fn among(&self, players: &[PlayerId]) -> bool {
        !self.0.is_empty()
            && players
                .iter()
                .enumerate()
                .any(|(at, one)| players[at + 1..].iter().any(|two| self.has(*one, *two)))
    }
}

impl FromIterator<(PlayerId, PlayerId)> for Apart {
    fn from_iter<I: IntoIterator<Item = (PlayerId, PlayerId)>>(pairs: I) -> Self {
        let mut apart = Self::default();
        for (one, other) in pairs {
            apart.0.entry(one).or_default().insert(other);
            apart.0.entry(other).or_default().insert(one);
        }
        apart
    }
}
