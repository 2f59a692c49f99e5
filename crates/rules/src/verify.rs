//! Judging a log that somebody else has written: does every move follow from the rules, and every card from the
//! seeds?
//!
//! A log holds outcomes, so it replays without the rules. Here each move's command is read off its events,
//! judged again by [`decide`], and what should have come of it compared with what is recorded.

mod told;

use std::fmt;

use crate::card::Card;
use crate::chance::{Chance, Commitment, Millis, Seed, Stream};
use crate::command::Actor;
use crate::decide::{create, create_sandbox, decide};
use crate::event::{Event, Full};
use crate::evolve::evolve;
use crate::refusal::Refusal;
use crate::ruleset::{RULES_VERSION, RulesetFault};
use crate::sandbox::SandboxFault;
use crate::seat::Seat;
use crate::table::Table;

pub use told::command_told;

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
    #[error("nobody can do that: {0}")]
    Unexplained(Told),
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
        expected: Option<Told>,
        /// What is recorded there; `None` for nothing more.
        recorded: Option<Told>,
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

/// An event in a [`Fault`].
#[derive(Clone, PartialEq, Eq)]
pub struct Told(pub Box<Event<Full>>);

impl From<&Event<Full>> for Told {
    fn from(event: &Event<Full>) -> Self {
        Self(Box::new(event.clone()))
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

fn told(event: &Option<Told>) -> String {
    event.as_ref().map_or_else(|| "nothing more".to_owned(), Told::to_string)
}

fn who(seat: Option<Seat>) -> String {
    seat.map_or_else(|| "the clock".to_owned(), |seat| format!("seat {seat}"))
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

    /// Judges the next move: who made it (`None` for the clock), when, and what came of it.
    ///
    /// # Errors
    /// What is wrong with it. No further move can be judged then.
    pub fn judge(
        &mut self,
        seat: Option<Seat>,
        made_at: Millis,
        events: &[Event<Full>],
    ) -> Result<(), Fault> {
        for event in events {
            if let Event::SeedCommitted { deal, commitment, seed } = event
                && (self.commitment)(seed) != *commitment
            {
                return Err(Fault::Commitment { deal: *deal });
            }
        }
        match &self.table {
            None => self.open(seat, made_at, events),
            Some(_) => self.judge_command(seat, made_at, events, 0).and_then(|used| {
                // A move is one command.
                match events.get(used) {
                    None => Ok(()),
                    Some(more) => Err(Fault::Unexplained(more.into())),
                }
            }),
        }
    }

    /// The first move opens the table; what follows in it are commands that came with it: who opens a table may seat
    /// others at once.
    fn open(&mut self, seat: Option<Seat>, made_at: Millis, events: &[Event<Full>]) -> Result<(), Fault> {
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
        let mut table = Table::open(&events[0]).ok_or(Fault::NoOpening)?;
        events[1..used].iter().for_each(|event| evolve(&mut table, event));
        self.table = Some(table);
        while used < events.len() {
            let made = self.made_by(seat, events, used)?;
            used = self.judge_command(made, made_at, events, used)?;
        }
        Ok(())
    }

    /// Whose command the one is that begins at an event.
    fn made_by(
        &self,
        seat: Option<Seat>,
        events: &[Event<Full>],
        from: usize,
    ) -> Result<Option<Seat>, Fault> {
        let table = self.table.as_ref().ok_or(Fault::NoOpening)?;
        let rest = events.get(from..).unwrap_or_default();
        let first = rest.first().ok_or(Fault::Empty)?;
        let told = command_told(table, seat, rest).ok_or_else(|| Fault::Unexplained(first.into()))?;
        Ok(match (told.0, first) {
            (Actor::Player(_), Event::SeatTaken { seat, .. }) => Some(*seat),
            (Actor::Seat(seat) | Actor::Bot(seat), _) => Some(seat),
            _ => None,
        })
    }

    /// Judges the command whose outcome begins at an event, and says where it ends.
    fn judge_command(
        &mut self,
        seat: Option<Seat>,
        made_at: Millis,
        events: &[Event<Full>],
        from: usize,
    ) -> Result<usize, Fault> {
        let made = self.made_by(seat, events, from)?;
        if made != seat {
            return Err(Fault::OtherSeat { recorded: seat, made });
        }
        let Some(table) = &mut self.table else { return Err(Fault::NoOpening) };
        let rest = &events[from..];
        let first = rest.first().ok_or(Fault::Empty)?;
        let (actor, command) =
            command_told(table, seat, rest).ok_or_else(|| Fault::Unexplained(first.into()))?;
        let mut chance = Recorded::of(&mut self.chance, rest);
        let expected = decide(table, actor, &command, made_at, &mut chance)
            .map_err(|refusal| Fault::Refused { command: command.to_string(), refusal })?;
        let used = agree(&command, &expected, rest, from)?;
        expected.iter().for_each(|event| evolve(table, event));
        Ok(from + used)
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
            expected: Some(event.into()),
            recorded: recorded.get(at).map(Told::from),
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
