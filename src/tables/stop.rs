//! Stopping a game from outside, and seeing its table as anybody.

use std::sync::Arc;

use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::reason::Reason;
use remik_rules::refusal::Refusal;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;
use uuid::Uuid;

use super::play::TRIES;
use super::{LiveTable, Played, TableError, request};
use crate::fairness::Fairness;

/// A game to be stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// It has no result; otherwise its result is that of the finished deals.
    pub void: bool,
    /// Why, for everybody to read.
    pub reason: Reason,
    /// Whose command it is: an API key.
    pub by: Uuid,
    /// His id for the command.
    pub request_id: Uuid,
}

impl LiveTable {
    /// Ends or voids the game, or finds the move by which the same command has done so. To be carried to its end once
    /// begun.
    ///
    /// # Errors
    /// The game is over, another command has the request id, or the log can't be read or written.
    pub async fn stop(&self, stop: &Stop) -> Result<Arc<Played>, TableError> {
        let command = Command::Stop { void: stop.void, reason: stop.reason.clone() };
        let fingerprint = request::fingerprint(PlayerId(stop.by.as_u128()), command.to_string());
        let _order = self.commands.lock().await;
        self.catch_up().await?;
        for _ in 0..TRIES {
            let now = self.clock.now();
            let decided = {
                let state = self.state();
                // Behind the end there is at most what leads to another game.
                let mut nobodys = state.tail.iter().rev().filter(|made| made.seat.is_none());
                let first = nobodys
                    .find_map(|made| Some((made, made.request.filter(|(id, _)| *id == stop.request_id)?)));
                if let Some((made, (_, of))) = first {
                    let same = of == fingerprint;
                    return if same { Ok(Arc::clone(made)) } else { Err(TableError::RequestReused) };
                }
                let mut chance = Fairness::at(self.meta.game, &state.table);
                decide(&state.table, Actor::Admin, &command, now, &mut chance)
            };
            let request = Some((stop.request_id, fingerprint));
            // Whoever was faster has been caught up with: then it is decided anew.
            if let Some(played) = self.append(None, request, decided?, now).await? {
                return Ok(played);
            }
        }
        Err(TableError::Contended)
    }

    /// The table with all its cards, after a move or, if that is 0, after the last one, and the move's number.
    ///
    /// # Errors
    /// There is no such move, or the log can't be read.
    pub async fn open_table(&self, at: u32) -> Result<(u32, Table), TableError> {
        self.refresh().await?;
        let version = self.version();
        match at {
            0 => Ok(self.with_table(|table, version| (version, table.clone()))),
            at if at > version => Err(TableError::NotThereYet { asked: at, at: version }),
            at => Ok((at, self.table_after(at).await?)),
        }
    }

    /// The moves behind a number, whoever may see them: in order, at most `limit`.
    ///
    /// # Errors
    /// There is no move of that number yet, or the log can't be read.
    pub async fn all_moves_after(&self, after: u32, limit: u32) -> Result<Vec<Arc<Played>>, TableError> {
        self.refresh().await?;
        let at = self.version();
        if after > at {
            return Err(TableError::NotThereYet { asked: after, at });
        }
        self.moves_after(after, limit).await
    }

    /// A seat of the table.
    ///
    /// # Errors
    /// The table has no such seat.
    pub fn existing_seat(&self, seat: Seat) -> Result<Seat, TableError> {
        let seats = self.with_table(|table, _| table.seat_count());
        if seat.number() < seats { Ok(seat) } else { Err(Refusal::NoSuchSeat { seat, seats }.into()) }
    }
}
