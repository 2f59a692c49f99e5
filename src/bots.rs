//! Bots at live tables: when they move, and who thinks for them.
//!
//! The owner of a game's shard drives its bots (`liveness`). Nothing here is needed for correctness: what a bot was told is
//! told anew from the log by whoever takes over, its move is judged and stored like any other, and of two that are made
//! for the same turn the key lets one win.

mod pool;

use std::sync::Arc;
use std::time::Duration;

use remik_rules::chance::Millis;

pub use pool::Thinkers;

use crate::tables::{BotTurn, LiveTable, Next, TableError};

/// How many moves bots make at a table before others have their turn.
const MOVES: usize = 32;

/// A bot waits and thinks at most this part of the time that its turn still has, so that it never runs out.
const PART: i64 = 8;

/// How bots behave at a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// How long a bot lets people look at the last move, in milliseconds; less where its turn's time is short.
    pub delay: i64,
    /// How long it thinks about a move at most.
    pub budget: Duration,
}

/// The bots that this instance drives.
pub struct Bots {
    thinkers: Thinkers,
    manner: Manner,
}

impl Bots {
    /// Bots that behave so, with so many threads to think.
    ///
    /// # Errors
    /// A thread can't be started.
    pub fn start(manner: Manner, threads: usize) -> std::io::Result<Self> {
        Ok(Self { thinkers: Thinkers::start(threads)?, manner })
    }

    /// When the bot of a turn moves.
    pub fn due(&self, turn: &BotTurn) -> Millis {
        let most = turn.deadline.map_or(i64::MAX, |deadline| (deadline.0 - turn.made_at.0).max(0) / PART);
        Millis(turn.made_at.0.saturating_add(self.manner.delay.min(most)))
    }

    /// Makes the moves of the bots at a table that are due, and answers what the game waits for then. To be carried to
    /// its end once begun.
    ///
    /// # Errors
    /// The log can't be read or written.
    pub async fn play(&self, table: Arc<LiveTable>) -> Result<Next, TableError> {
        for _ in 0..MOVES {
            let now = table.now();
            let Some(turn) = table.bot_turn() else { return Ok(table.next()) };
            let due = self.due(&turn);
            if now < due {
                return Ok(Next::Bot(due));
            }
            // Whose time is up is played for by the clock.
            if let Some(deadline) = turn.deadline.filter(|deadline| now >= *deadline) {
                return Ok(Next::Clock(deadline));
            }
            let thinker = table.thinker(&turn).await?;
            let (thinker, command) = self.thinkers.think(thinker, self.budget(&turn, now)).await;
            if let Some(thinker) = thinker {
                table.keep(thinker);
            }
            table.play_bot(&turn, command).await?;
        }
        Ok(Next::Bot(table.now()))
    }

    fn budget(&self, turn: &BotTurn, now: Millis) -> Duration {
        let left = turn.deadline.map_or(i64::MAX, |deadline| (deadline.0 - now.0).max(0) / PART);
        self.manner.budget.min(Duration::from_millis(left.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use remik_rules::seat::Seat;
    use remik_rules::strength::Strength;

    use super::*;

    #[test]
    fn a_bot_waits_no_longer_than_its_turn_allows() {
        let manner = Manner { delay: 700, budget: Duration::from_millis(200) };
        let bots = Bots::start(manner, 1).unwrap();
        let seat = Seat::first(1).next().unwrap();
        let turn = |deadline: Option<i64>| BotTurn {
            seat,
            strength: Strength::Hard,
            version: 7,
            made_at: Millis(1000),
            deadline: deadline.map(Millis),
        };
        for (deadline, due, budget) in
            [(None, 1700, 200), (Some(61_000), 1700, 200), (Some(2000), 1125, 125), (Some(900), 1000, 0)]
        {
            let turn = turn(deadline);
            assert_eq!(bots.due(&turn), Millis(due), "{deadline:?}");
            assert_eq!(bots.budget(&turn, Millis(1000)).as_millis(), budget, "{deadline:?}");
        }
    }
}
