//! Beginning a game for which somebody keeps the others waiting.

use std::sync::Arc;

use remik_rules::chance::ClientSeed;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::Event;
use remik_rules::seat::Seat;
use remik_rules::strength::Strength;

use super::{LiveTable, TableError};
use crate::fairness::Fairness;
use crate::tables::play::{TRIES, outcome};

impl LiveTable {
    /// Has the first deal begin: bots take the seats that are free, and whoever hasn't said that he is ready counts as
    /// ready; what he misses then is the clock's to play. Does nothing at a table that has begun, or where nobody sits
    /// any more.
    ///
    /// # Errors
    /// The log can't be read or written.
    pub async fn begin_game(self: &Arc<Self>, strength: Strength) -> Result<(), TableError> {
        let table = Arc::clone(self);
        // Carried out to its end: a move that was stored is always applied and shown.
        outcome(tokio::spawn(async move { table.begin_whole(strength).await }).await)
    }

    async fn begin_whole(&self, strength: Strength) -> Result<(), TableError> {
        let _order = self.commands.lock().await;
        self.catch_up().await?;
        // Each move seats a bot or readies a player; others may come in between.
        for _ in 0..TRIES {
            let now = self.clock.now();
            let Some((seat, events)) = self.next_to_begin(strength, now) else { return Ok(()) };
            self.append(Some(seat), None, events, now).await?;
        }
        Err(TableError::Contended)
    }

    /// The next move on the way to the first deal, and whose it is; `None` if there is none.
    fn next_to_begin(
        &self,
        strength: Strength,
        now: remik_rules::chance::Millis,
    ) -> Option<(Seat, Vec<Event>)> {
        let state = self.state();
        let table = &state.table;
        if !table.is_waiting() {
            return None;
        }
        let host = table.host()?;
        let add = (host, Command::AddBot { seat: None, strength });
        let ready = |seat| (seat, Command::Ready { client_seed: ClientSeed::default() });
        // The rules say whether a seat is free, and who is ready already.
        std::iter::once(add).chain(Seat::first(table.seat_count()).map(ready)).find_map(|(seat, command)| {
            let mut chance = Fairness::at(self.meta.game, table);
            let events = decide(table, Actor::Seat(seat), &command, now, &mut chance).ok()?;
            Some((seat, events))
        })
    }
}
