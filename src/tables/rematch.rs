//! Another game with the same people.

use std::sync::Arc;
use std::time::Duration;

use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::refusal::Refusal;
use remik_rules::seat::{GameRef, PlayerId, Seat};
use uuid::Uuid;

use super::play::TRIES;
use super::{LiveTable, NewBot, NewGame, TableError, Tables};
use crate::fairness::Fairness;
use crate::store::GameId;

impl Tables {
    /// The game that follows one that is over: with the same rules and settings, everybody a seat further, and the seats
    /// of the others kept for them. The old game's log names it first, so all who ask get the same one; whoever finds
    /// that it isn't there yet makes it.
    ///
    /// # Errors
    /// The game isn't over, the player had no seat in it, or the store can't take it.
    pub async fn rematch(
        &self,
        old: &Arc<LiveTable>,
        player: PlayerId,
        keep: Duration,
    ) -> Result<Arc<LiveTable>, TableError> {
        let game = old.name_rematch(player).await?;
        match self.get(game).await {
            Err(TableError::NotFound) => {}
            found => return found,
        }
        let new = old.followed_by(player, keep).ok_or(Refusal::NotSeated)?;
        self.open_as(&new, game).await
    }
}

impl LiveTable {
    /// The id of the game that follows this one, which the first who asks chooses.
    async fn name_rematch(self: &Arc<Self>, player: PlayerId) -> Result<GameId, TableError> {
        let table = Arc::clone(self);
        // Once begun it goes to its end, as a command does.
        let named = tokio::spawn(async move { table.agree_on_rematch(player).await });
        match named.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(named) => named,
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(Err(_)) => Err(TableError::Stopping),
        }
    }

    async fn agree_on_rematch(&self, player: PlayerId) -> Result<GameId, TableError> {
        let _order = self.commands.lock().await;
        let fresh = GameId::generate();
        let command = Command::Rematch { game: GameRef(fresh.0.as_u128()) };
        for _ in 0..TRIES {
            let now = self.clock.now();
            let (seat, decided) = {
                let state = self.state();
                let seat = state.table.seat_of(player);
                let actor = seat.map_or(Actor::Player(player), Actor::Seat);
                let mut chance = Fairness::at(self.meta.game, &state.table);
                (seat, decide(&state.table, actor, &command, now, &mut chance))
            };
            match decided {
                Ok(events) => {
                    if self.append(seat, None, events, now).await?.is_some() {
                        return Ok(fresh);
                    }
                }
                Err(Refusal::RematchMade(game)) => return Ok(GameId(Uuid::from_u128(game.0))),
                // This copy may be stale.
                Err(refusal) => {
                    if !self.catch_up().await? {
                        return Err(refusal.into());
                    }
                }
            }
        }
        Err(TableError::Contended)
    }

    /// The game after this one, opened by a player of it; `None` if he has no seat.
    fn followed_by(&self, by: PlayerId, keep: Duration) -> Option<NewGame> {
        let state = self.state();
        let (table, seats) = (&state.table, state.table.seat_count());
        let further = |seat: Seat| Seat::new((seat.number() + 1) % seats);
        let others = Seat::first(seats).filter(|seat| table.player(*seat) != Some(by));
        let mut new = NewGame {
            public: self.meta.public,
            spectators: self.meta.spectators,
            settings: state.settings.clone(),
            place: further(table.seat_of(by)?)?,
            keep,
            ..NewGame::public(by, self.meta.preset, table.rules().clone(), seats, self.meta.game.0)
        };
        for seat in others {
            match (table.player(seat), table.bot(seat)) {
                (Some(player), _) => new.offers.push((further(seat)?, player)),
                (None, Some(strength)) => new.bots.push(NewBot { strength, seat: further(seat) }),
                (None, None) => {}
            }
        }
        Some(new)
    }
}
