//! What is stored, looked at after the service has ended.

use remik::{
    codec::log::decode_move,
    store::{GameId, Move, Store, StoreOptions},
};
use remik_rules::{
    event::{DealEnded, Event, Outcome},
    ruleset::Ruleset,
    score::hand_points,
    table::Table,
};

/// The log of a game.
pub(crate) struct Log {
    pub(crate) moves: Vec<Move>,
    /// The events of each move.
    pub(crate) events: Vec<Vec<Event>>,
}

impl Log {
    pub(crate) async fn read(database_url: &str, game: &str) -> Self {
        let game: GameId = game.parse().unwrap();
        let store = Store::open(database_url, StoreOptions::default()).await.unwrap();
        let moves = store.load(game, 0, None).await.unwrap();
        store.close().await;
        for (mv, number) in moves.iter().zip(1..) {
            assert_eq!(mv.number, number);
        }
        let events = moves.iter().map(|mv| decode_move(mv.format, &mv.events).unwrap()).collect();
        Self { moves, events }
    }

    /// The table after a move.
    pub(crate) fn table(&self, version: u32) -> Table {
        Table::replay(self.events[..version as usize].iter().flatten()).unwrap()
    }

    /// Every deal that was finished.
    pub(crate) fn deals(&self) -> impl Iterator<Item = &DealEnded> {
        self.events.iter().flatten().filter_map(|event| match event {
            Event::DealEnded(ended) => Some(&**ended),
            _ => None,
        })
    }
}

/// Checks the scores of finished deals in penalty scoring by the hands that were revealed, and gives the totals.
pub(crate) fn reckon<'a>(
    deals: impl Iterator<Item = &'a DealEnded>,
    rules: &Ruleset,
    seats: usize,
) -> Vec<i32> {
    let mut totals = vec![0; seats];
    for ended in deals {
        let (winner, factor) = match ended.outcome {
            Outcome::WentOut { seat, rummy } => (Some(seat), if rummy { 2 } else { 1 }),
            Outcome::Blocked(_) => (None, 1),
            Outcome::Abandoned => continue,
        };
        for (seat, cards) in &ended.hands {
            let points = factor * hand_points(cards.iter().copied().collect(), rules);
            let points = if Some(*seat) == winner { 0 } else { points };
            assert_eq!(ended.scores.iter().find(|(of, _)| of == seat), Some(&(*seat, points)));
            totals[seat.index()] += points;
        }
        assert_eq!(ended.totals, totals);
    }
    totals
}
