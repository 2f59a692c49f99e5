//! What is stored, looked at after the service has ended.

use remik::{
    codec::log::decode_move,
    store::{GameId, Move, Store, StoreOptions},
};
use remik_rules::{event::Event, table::Table};

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
}
