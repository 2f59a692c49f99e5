//! Who plays: the bots, and for comparison somebody who makes any legal move.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use remik_bots::Bot;
use remik_bots::dice::Dice;
use remik_rules::command::Command;
use remik_rules::event::{Event, Full, Viewer};
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::seat::Seat;
use remik_rules::strength::Strength;
use remik_rules::table::Table;

/// A kind of player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Participant {
    /// Makes any legal move but undo, each as likely as another.
    Random,
    /// A bot.
    Bot(Strength),
}

impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Bot(strength) => strength.fmt(f),
        }
    }
}

impl FromStr for Participant {
    type Err = UnknownParticipant;

    fn from_str(name: &str) -> Result<Self, UnknownParticipant> {
        match name {
            "random" => Ok(Self::Random),
            _ => name.parse().map(Self::Bot).map_err(|_| UnknownParticipant),
        }
    }
}

/// A name that no kind of player has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a player is random, easy, normal or hard")]
pub struct UnknownParticipant;

/// How much a hard player may think about a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// For so long.
    Time(Duration),
    /// So many deals played in its mind: the same on every machine.
    Deals(u32),
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => write!(f, "{}ms", time.as_millis()),
            Self::Deals(deals) => deals.fmt(f),
        }
    }
}

impl FromStr for Budget {
    type Err = UnknownBudget;

    fn from_str(text: &str) -> Result<Self, UnknownBudget> {
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| UnknownBudget);
        match text.strip_suffix("ms") {
            Some(digits) => Ok(Self::Time(Duration::from_millis(number(digits)?.into()))),
            None => number(text).map(Self::Deals),
        }
    }
}

/// A text that is no budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a budget is a time as in 5ms or a number of deals as in 200")]
pub struct UnknownBudget;

/// A player at a seat.
pub(super) enum Player {
    Random { seat: Seat, dice: Dice },
    Bot { bot: Box<Bot>, budget: Budget, thought: Vec<Duration> },
}

impl Player {
    pub(super) fn new(participant: Participant, seat: Seat, seed: u64, budget: Budget) -> Self {
        match participant {
            Participant::Random => Self::Random { seat, dice: Dice::new(seed) },
            Participant::Bot(strength) => {
                Self::Bot { bot: Box::new(Bot::new(strength, seat, seed)), budget, thought: Vec::new() }
            }
        }
    }

    /// Takes in an event, a bot only what its seat may see.
    pub(super) fn see(&mut self, event: &Event<Full>) {
        if let Self::Bot { bot, .. } = self {
            let viewer = Viewer::Seat(bot.seat());
            bot.see(&event.observed_by(viewer));
        }
    }

    /// The next command in its turn.
    pub(super) fn next(&mut self, table: &Table) -> Option<Command> {
        match self {
            Self::Random { seat, dice } => {
                let moves = legal_moves(table, *seat);
                let legal: Vec<LegalMove> = moves.iter().filter(|step| *step != LegalMove::Undo).collect();
                // With a joker whose only place takes several cards at once, single steps leave nothing but undo.
                let step = legal.get(dice.under(legal.len())).copied().unwrap_or(LegalMove::Undo);
                moves.command(step)
            }
            Self::Bot { bot, budget, thought } => {
                let began = Instant::now();
                let command = match *budget {
                    Budget::Time(time) => bot.next(&mut || began.elapsed() >= time),
                    Budget::Deals(deals) => {
                        let mut played = 0..deals;
                        bot.next(&mut || played.next().is_none())
                    }
                };
                if bot.strength() == Strength::Hard {
                    thought.push(began.elapsed());
                }
                command
            }
        }
    }

    /// How long a hard bot has thought about each of its moves.
    pub(super) fn thought(&self) -> &[Duration] {
        match self {
            Self::Random { .. } => &[],
            Self::Bot { thought, .. } => thought,
        }
    }
}
