use std::collections::HashSet;

use remik_rules::seat::PlayerId;

use super::{FeedEntry, Kind};
use crate::store::GameId;

/// Which entries of the feed are wanted; what is empty or `None` leaves nothing out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedFilter {
    /// Of these games.
    pub games: HashSet<GameId>,
    /// Of this preset.
    pub preset: Option<String>,
    /// That bring one of these.
    pub kinds: Vec<Kind>,
    /// Of games at which this player sits before the move or after it.
    pub player: Option<PlayerId>,
}

impl FeedFilter {
    /// Whether entries of a game may pass.
    pub fn wants_game(&self, game: GameId) -> bool {
        self.games.is_empty() || self.games.contains(&game)
    }

    /// Whether an entry passes.
    pub fn passes(&self, entry: &FeedEntry) -> bool {
        let sits = |player| {
            let seats = entry.seats_before.iter().chain(&entry.seats);
            seats.into_iter().any(|seat| seat.player == Some(player))
        };
        self.wants_game(entry.game)
            && self.preset.as_ref().is_none_or(|preset| *preset == entry.preset)
            && (self.kinds.is_empty() || entry.kinds.iter().any(|kind| self.kinds.contains(kind)))
            && self.player.is_none_or(sits)
    }
}
