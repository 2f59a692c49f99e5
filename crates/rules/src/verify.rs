//! Judging a log that somebody else has written: does every move follow from the rules, and every card from the
//! seeds?
//!
//! A log holds outcomes, so it replays without the rules. Here each move's command is read off its events,
//! judged again by [`decide`], and what should have come of it compared with what is recorded.

mod told;

use std::fmt;
use std::ops::Range;

use crate::card::Card;
use crate::chance::{Chance, Commitment, Millis, Seed, Stream};
use crate::command::{Actor, Command};
use crate::decide::{create, create_sandbox, decide};
use crate::event::{Event, Full};
use crate::evolve::evolve;
use crate::refusal::Refusal;
use crate::ruleset::{RULES_VERSION, RulesetFault};
use crate::sandbox::SandboxFault;
use crate::seat::Seat;
use crate::table::Table;

use told::command_told;

/// What is wrong with a recorded move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It has no events.
    #[error("the move is empty")]
    Empty,
    /// The first move doesn't begin with the opening of a table.
    #[error("the log doesn't begin with the opening of a table")]
    NoOpening,
    /// Moves are judged by a version of the rules that this build doesn't have.
    #[error("version {0} of the rules is not known here")]
    UnknownRules(u32),
    /// No table may have such rules.
    #[error("no table may have such rules: {0}")]
    Rules(#[from] RulesetFault),
    /// No sandbox may have such decks.
    #[error("no sandbox may have such decks: {0}")]
    Sandbox(SandboxFault),
    /// No command leads to these events.
    #[error("nobody can do that: {0:?}")]
    Unexplained(Box<Event<Full>>),
    /// Another seat is recorded than the events tell of.
    #[error("recorded for {}, but made by {}", who(*.recorded), who(*.made))]
    OtherSeat {
        /// Who is recorded; `None` for the clock.
        recorded: Option<Seat>,
        /// Whose the events are; `None` for the clock.
        made: Option<Seat>,
    },
    /// The rules refuse the command.
    #[error("the rules refuse `{command}`: {refusal}")]
    Refused {
        /// The command, in its notation.
        command: String,
        /// Why.
        refusal: Refusal,
    },
    /// Something else comes of the command than what is recorded.
    #[error("`{command}` makes {}, not {}", told(.expected), told(.recorded))]
    Differs {
        /// The command, in its notation.
        command: String,
        /// Which event of the move is the first that differs, from 0.
        at: usize,
        /// What the rules and the seeds make; `None` for nothing more.
        expected: Option<Box<Event<Full>>>,
        /// What is recorded there; `None` for nothing more.
        recorded: Option<Box<Event<Full>>>,
    },
    /// The commitment of a deal isn't its seed's.
    #[error("the commitment of deal {deal} is not that of its seed")]
    Commitment {
        /// The deal.
        deal: u16,
    },
}

impl From<SandboxFault> for Fault {
    fn from(fault: SandboxFault) -> Self {
        match fault {
            SandboxFault::Ruleset(fault) => Self::Rules(fault),
            fault => Self::Sandbox(fault),
        }
    }
}

fn told(event: &Option<Box<Event<Full>>>) -> String {
    event.as_ref().map_or_else(|| "nothing more".to_owned(), |event| format!("{event:?}"))
}

fn who(seat: Option<Seat>) -> String {
    seat.map_or_else(|| "the clock".to_owned(), |seat| format!("seat {seat}"))
}

/// A command of a move that was found true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Who gave it.
    pub actor: Actor,
    /// What it was.
    pub command: Command,
    /// Whose it is; `None` for the clock's.
    pub seat: Option<Seat>,
    /// Which events of the move it has made, from 0.
    pub events: Range<usize>,
}

/// Judges the moves of one game, one after the other.
pub struct Verifier<C> {
    chance: C,
    commitment: fn(&Seed) -> Commitment,
    table: Option<Table>,
}

impl<C: Chance> Verifier<C> {
    /// For a game whose shuffles `chance` makes, and whose commitments `commitment`.
    pub const fn new(chance: C, commitment: fn(&Seed) -> Commitment) -> Self {
        Self { chance, commitment, table: None }
    }

    /// The table after the moves so far; `None` before the first.
    pub const fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// Judges the next move: who made it (`None` for the clock), when, and what came of it. Gives the command that it
    /// was; of the first move, which opens the table, those that came with it.
    ///
    /// # Errors
    /// What is wrong with it. No further move can be judged then.
    pub fn judge(
        &mut self,
        seat: Option<Seat>,
        made_at: Millis,
        events: &[Event<Full>],
    ) -> Result<Vec<Step>, Fault> {
        for event in events {
            if let Event::SeedCommitted { deal, commitment, seed } = event
                && (self.commitment)(seed) != *commitment
            {
                return Err(Fault::Commitment { deal: *deal });
            }
        }
        let Some(table) = &mut self.table else { return self.open(seat, made_at, events) };
        let read = Read::of(table, seat, made_at, events)?;
        if read.seat != seat {
            return Err(Fault::OtherSeat { recorded: seat, made: read.seat });
        }
        let step = read.follow(table, made_at, events, 0, &mut self.chance)?;
        // A move is one command.
        match events.get(step.events.end) {
            None => Ok(vec![step]),
            Some(more) => Err(Fault::Unexplained(Box::new(more.clone()))),
        }
    }

    /// The first move opens the table; what follows in it are commands that came with it: who opens a table may seat
    /// others at once.
    fn open(
        &mut self,
        seat: Option<Seat>,
        made_at: Millis,
        events: &[Event<Full>],
    ) -> Result<Vec<Step>, Fault> {
        let Some(Event::GameCreated { rules, rules_version, seats }) = events.first() else {
            return Err(Fault::NoOpening);
        };
        if *rules_version != RULES_VERSION {
            return Err(Fault::UnknownRules(*rules_version));
        }
        let mut chance = Recorded::of(&mut self.chance, events);
        let opening = match events.get(1) {
            Some(Event::SandboxArranged { arrangement }) => {
                create_sandbox(*rules.clone(), *seats, *arrangement.clone(), &mut chance)?
            }
            _ => create(*rules.clone(), *seats, &mut chance)?,
        };
        let mut used = agree(&"open", &opening, events, 0)?;
        let table = self.table.insert(Table::replay(&events[..used]).ok_or(Fault::NoOpening)?);
        let mut steps = Vec::new();
        while used < events.len() {
            let read = Read::of(table, seat, made_at, &events[used..])?;
            let step = read.follow(table, made_at, events, used, &mut self.chance)?;
            used = step.events.end;
            steps.push(step);
        }
        Ok(steps)
    }
}

/// A command as its events tell of it, not judged yet.
struct Read {
    actor: Actor,
    command: Command,
    /// Whose it is; `None` for the clock's.
    seat: Option<Seat>,
}

impl Read {
    /// The command that has made the first of these events. `seat` is whose move it is recorded as.
    fn of(table: &Table, seat: Option<Seat>, made_at: Millis, events: &[Event<Full>]) -> Result<Self, Fault> {
        let first = events.first().ok_or(Fault::Empty)?;
        let told = command_told(table, seat, made_at, events);
        let (actor, command) = told.ok_or_else(|| Fault::Unexplained(Box::new(first.clone())))?;
        let seat = match (actor, first) {
            (Actor::Player(_), Event::SeatTaken { seat, .. } | Event::OfferEnded { seat }) => Some(*seat),
            (Actor::Seat(seat) | Actor::Bot(seat), _) => Some(seat),
            _ => None,
        };
        Ok(Self { actor, command, seat })
    }

    /// Judges it and applies its outcome, which must be the move's events from `from` on.
    fn follow(
        self,
        table: &mut Table,
        made_at: Millis,
        events: &[Event<Full>],
        from: usize,
        chance: &mut impl Chance,
    ) -> Result<Step, Fault> {
        let Self { actor, command, seat } = self;
        let rest = &events[from..];
        let expected = decide(table, actor, &command, made_at, &mut Recorded::of(chance, rest))
            .map_err(|refusal| Fault::Refused { command: command.to_string(), refusal })?;
        let used = agree(&command, &expected, rest, from)?;
        expected.iter().for_each(|event| evolve(table, event));
        Ok(Step { actor, command, seat, events: from..from + used })
    }
}

/// How many events a command makes, if they are those recorded; the first of them is the move's event `from`.
fn agree(
    command: &impl fmt::Display,
    expected: &[Event<Full>],
    recorded: &[Event<Full>],
    from: usize,
) -> Result<usize, Fault> {
    let differs = |(at, event): &(usize, &Event<Full>)| recorded.get(*at) != Some(event);
    match expected.iter().enumerate().find(differs) {
        None => Ok(expected.len()),
        Some((at, event)) => Err(Fault::Differs {
            command: command.to_string(),
            at: from + at,
            expected: Some(Box::new(event.clone())),
            recorded: recorded.get(at).cloned().map(Box::new),
        }),
    }
}

/// Chance whose seeds are those that a move records: what the server chose, it may have chosen. Shuffles follow
/// from the seeds.
struct Recorded<'a, C> {
    chance: &'a mut C,
    seeds: std::vec::IntoIter<(Seed, Commitment)>,
}

impl<'a, C> Recorded<'a, C> {
    fn of(chance: &'a mut C, events: &[Event<Full>]) -> Self {
        let seed = |event: &Event<Full>| match event {
            Event::SeedCommitted { seed, commitment, .. } => Some((*seed, *commitment)),
            _ => None,
        };
        let seeds: Vec<_> = events.iter().filter_map(seed).collect();
        Self { chance, seeds: seeds.into_iter() }
    }
}

impl<C: Chance> Chance for Recorded<'_, C> {
    /// A seed that isn't recorded is none that a service would draw, so the move is found to differ.
    fn commit(&mut self) -> (Seed, Commitment) {
        self.seeds.next().unwrap_or((Seed([0; 32]), Commitment([0; 32])))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        self.chance.shuffle(stream, cards);
    }

    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32 {
        self.chance.below(stream, bound)
    }
}
