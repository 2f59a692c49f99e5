//! Bots at a live table: what they are told, and their moves.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};

use remik_bots::Bot;
use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::decide;
use remik_rules::event::{Event, Viewer};
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::refusal::Refusal;
use remik_rules::seat::Seat;
use remik_rules::strength::Strength;
use remik_rules::table::Table;

use super::{LiveTable, Next, TableError, alarm, request};
use crate::fairness::Fairness;
use crate::store::GameId;

/// How many moves a bot is told at once.
const CHUNK: u32 = 256;

/// Bots by their seats, each with the last move that it was told. What is lost here is told anew from the log.
pub(super) type BotsTold = HashMap<Seat, (Bot, u32)>;

/// A turn of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BotTurn {
    /// Whose.
    pub seat: Seat,
    /// How well it plays.
    pub strength: Strength,
    /// The last move, behind which the bot's comes.
    pub version: u32,
    /// When the last move was made.
    pub made_at: Millis,
    /// When the bot's time is up, if there is a clock.
    pub deadline: Option<Millis>,
}

/// A bot that was told everything up to its turn, as its seat sees it.
pub struct Thinker {
    /// The bot.
    pub bot: Bot,
    told: u32,
}

impl LiveTable {
    /// The time by which moves are dated.
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// What the game waits for, as far as this instance knows.
    pub fn next(&self) -> Next {
        alarm::next(&self.state(), self.idle)
    }

    /// The turn of a bot, if it is one's.
    pub fn bot_turn(&self) -> Option<BotTurn> {
        let state = self.state();
        let (seat, strength) = state.table.bot_to_move()?;
        Some(BotTurn {
            seat,
            strength,
            version: state.version,
            made_at: state.made_at(),
            deadline: state.table.alarm().map(|(at, _)| at),
        })
    }

    /// The bot of a turn. It is told what its seat has seen and nothing else.
    ///
    /// # Errors
    /// The log can't be read.
    pub async fn thinker(&self, turn: &BotTurn) -> Result<Thinker, TableError> {
        let known = self
            .bots()
            .remove(&turn.seat)
            .filter(|(bot, told)| bot.strength() == turn.strength && *told <= turn.version);
        let fresh = || (Bot::new(turn.strength, turn.seat, chance(self.meta.game)), 0);
        let (mut bot, mut told) = known.unwrap_or_else(fresh);
        while told < turn.version {
            for played in self.moves_after(told, CHUNK).await? {
                if played.number <= turn.version {
                    let viewer = Viewer::Seat(turn.seat);
                    played.events.iter().for_each(|event| bot.see(&event.observed_by(viewer)));
                }
                told = played.number;
            }
        }
        Ok(Thinker { bot, told: turn.version })
    }

    /// Keeps a bot for its next turn.
    pub fn keep(&self, thinker: Thinker) {
        self.bots().insert(thinker.bot.seat(), (thinker.bot, thinker.told));
    }

    /// Makes a bot's move, if it is still its turn behind the same move. Where the rules stand against it, which no bot
    /// means, it makes a simple move instead, so that the game goes on. To be carried to its end once begun.
    ///
    /// # Errors
    /// The log can't be read or written.
    pub async fn play_bot(&self, turn: &BotTurn, command: Option<Command>) -> Result<(), TableError> {
        let _order = self.commands.lock().await;
        if self.version() != turn.version {
            return Ok(());
        }
        let now = self.clock.now();
        let decided = command.as_ref().map(|command| self.decide_for_bot(turn.seat, command, now));
        let (command, events) = match (command, decided) {
            (Some(command), Some(Ok(events))) => (command, events),
            (command, refused) => {
                // The player may be back, or another instance faster.
                if self.catch_up().await? {
                    return Ok(());
                }
                let refusal = refused.and_then(Result::err).map(|refusal| refusal.to_string());
                let meant = command.map(|command| command.to_string());
                tracing::error!(game = %self.meta.game, seat = %turn.seat, meant, refusal, "a bot has no legal move");
                let command = self.with_table(|table, _| simple_move(table, turn.seat));
                let Some(command) = command else { return Err(TableError::Contended) };
                let events = self.decide_for_bot(turn.seat, &command, now)?;
                (command, events)
            }
        };
        let request = request::of_bot(self.meta.game, turn.version + 1, &command);
        // Who was faster is found in the log; then it is another turn.
        self.append(Some(turn.seat), Some(request), events, now).await?;
        Ok(())
    }

    fn decide_for_bot(&self, seat: Seat, command: &Command, now: Millis) -> Result<Vec<Event>, Refusal> {
        let state = self.state();
        let mut chance = Fairness::at(self.meta.game, &state.table);
        decide(&state.table, Actor::Bot(seat), command, now, &mut chance)
    }

    fn bots(&self) -> MutexGuard<'_, BotsTold> {
        // No code panics while it holds the lock.
        self.bots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What decides a bot's own chance: the same at every instance. It has nothing to do with the cards'.
fn chance(game: GameId) -> u64 {
    let (high, low) = game.0.as_u64_pair();
    high ^ low
}

/// A move that is always there in a turn: a draw, a discard, or an undo where a joker waits to be laid.
fn simple_move(table: &Table, seat: Seat) -> Option<Command> {
    let moves = legal_moves(table, seat);
    let simple = |step: &LegalMove| matches!(step, LegalMove::Draw(Source::Stock) | LegalMove::Discard(_));
    let step = moves.iter().find(simple).or_else(|| moves.iter().last())?;
    moves.command(step)
}
