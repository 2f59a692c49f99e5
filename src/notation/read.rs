//! Reading a game that was written down.

use std::str::FromStr;

use remik_rules::card::Card;
use remik_rules::chance::{Chance, Commitment, Millis, Seed, Stream};
use remik_rules::decide::{create, create_sandbox, decide};
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{RULES_VERSION, Ruleset, RulesetFault};
use remik_rules::sandbox::{Arrangement, SandboxFault};
use remik_rules::table::Table;

use super::token::Token;
use super::who::Who;
use super::{RULES, SANDBOX, VERSION};
use crate::codec::{json, wire};
use crate::fairness::{Fairness, commitment};
use crate::record::{Record, RecordedMove};
use crate::store::GameId;

/// Why a text is no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It isn't a line of the notation.
    #[error("can't be read: {0:?}")]
    Unreadable(String),
    /// A tag of the head is missing or can't be read.
    #[error("the tag [{0} …] is missing or can't be read")]
    Tag(&'static str),
    /// Written in a notation or by rules that this build doesn't know.
    #[error("{0} is not known here")]
    Unknown(String),
    /// No table may have such rules.
    #[error("no table may have such rules: {0}")]
    Rules(#[from] RulesetFault),
    /// No sandbox may have such decks.
    #[error("no sandbox may have such decks: {0}")]
    Sandbox(#[from] SandboxFault),
    /// The rules refuse the command.
    #[error("the rules refuse `{command}`: {refusal}")]
    Refused {
        /// The command as it is written.
        command: String,
        /// Why.
        refusal: Refusal,
    },
    /// Another card is drawn than is written.
    #[error("`{command}` draws {}", card_or_none(.drawn))]
    OtherCard {
        /// The command as it is written.
        command: String,
        /// The card that follows from the seeds; `None` for none.
        drawn: Option<Card>,
    },
    /// A command commits to a seed that isn't written.
    #[error("a seed is missing behind this line")]
    NoSeed,
    /// A seed that no command commits to.
    #[error("no command commits to this seed")]
    StraySeed,
}

fn card_or_none(card: &Option<Card>) -> String {
    card.map_or_else(|| "nothing".to_owned(), |card| card.to_string())
}

/// Reads a game: the same moves that were written.
///
/// # Errors
/// The line at which the text stops being a game.
pub fn read(text: &str) -> Result<Record, NotationError> {
    let mut lines = Lines { lines: text.lines().zip(1usize..).collect(), at: 0 };
    let head = Head::read(&mut lines)?;
    let mut game = Game::open(head, &mut lines)?;
    while let Some((line, number)) = lines.next() {
        game.line(line, number, &mut lines)?;
    }
    Ok(game.record)
}

impl Problem {
    fn unreadable(text: &str) -> Self {
        Self::Unreadable(text.chars().take(80).collect())
    }

    fn at(self, line: usize) -> NotationError {
        NotationError { line, problem: self }
    }
}

/// The lines that are neither empty nor comments.
struct Lines<'a> {
    lines: Vec<(&'a str, usize)>,
    at: usize,
}

impl<'a> Lines<'a> {
    fn peek(&mut self) -> Option<(&'a str, usize)> {
        while let Some((line, number)) = self.lines.get(self.at) {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with(';') {
                return Some((line, *number));
            }
            self.at += 1;
        }
        None
    }

    fn next(&mut self) -> Option<(&'a str, usize)> {
        let line = self.peek();
        self.at += usize::from(line.is_some());
        line
    }

    /// The value of the tag that stands next, which must have this name, and its line.
    fn tag(&mut self, name: &'static str) -> Result<(&'a str, usize), NotationError> {
        let (line, number) = self.peek().unwrap_or(("", self.lines.len().max(1)));
        let value = line
            .strip_prefix('[')
            .and_then(|tag| tag.strip_suffix(']')?.strip_prefix(name)?.strip_prefix(' '))
            .ok_or_else(|| Problem::Tag(name).at(number))?;
        self.at += 1;
        Ok((value, number))
    }

    fn parsed<T: FromStr>(&mut self, name: &'static str) -> Result<T, NotationError> {
        let (value, number) = self.tag(name)?;
        value.parse().map_err(|_| Problem::Tag(name).at(number))
    }

    /// The seeds that stand next, in order.
    fn seeds(&mut self) -> Result<Vec<(u16, Seed)>, NotationError> {
        let mut seeds = Vec::new();
        while let Some((line, number)) = self.peek() {
            let Some(rest) = line.strip_prefix("seed ") else { break };
            self.at += 1;
            let seed = rest.split_once(' ').and_then(|(deal, seed)| {
                Some((deal.parse().ok()?, Seed(hex::decode(seed).ok()?.try_into().ok()?)))
            });
            seeds.push(seed.ok_or_else(|| Problem::unreadable(line).at(number))?);
        }
        Ok(seeds)
    }
}

/// The head of a text.
struct Head {
    game: GameId,
    preset: Preset,
    rules: Ruleset,
    seats: u8,
    opened: Millis,
    /// What was chosen, if it is a sandbox.
    arrangement: Option<Arrangement>,
    /// Its last line.
    line: usize,
}

impl Head {
    fn read(lines: &mut Lines<'_>) -> Result<Self, NotationError> {
        let (version, line) = lines.tag("Remik")?;
        if version != VERSION {
            return Err(Problem::Unknown(format!("notation {version}")).at(line));
        }
        let game = lines.parsed("Game")?;
        let preset = lines.parsed("Preset")?;
        let (version, line) = lines.tag("RulesVersion")?;
        if version != RULES_VERSION.to_string() {
            return Err(Problem::Unknown(format!("version {version} of the rules")).at(line));
        }
        let (rules, line) = lines.tag("Rules")?;
        let rules = json::decode(RULES, rules).ok().and_then(|options| wire::ruleset_of(&options).ok());
        let rules = rules.ok_or_else(|| Problem::Tag("Rules").at(line))?;
        let seats = lines.parsed("Seats")?;
        let (opened, line) = lines.tag("Opened")?;
        let opened = opened.parse().map(Millis).map_err(|_| Problem::Tag("Opened").at(line))?;
        let mut arrangement = None;
        if let Ok((choice, line)) = lines.tag("Sandbox") {
            let choice =
                json::decode(SANDBOX, choice).ok().and_then(|choice| wire::arrangement(&choice).ok());
            arrangement = Some(choice.ok_or_else(|| Problem::Tag("Sandbox").at(line))?);
        }
        Ok(Self { game, preset, rules, seats, opened, arrangement, line })
    }
}

/// A game as far as it was read.
struct Game {
    record: Record,
    table: Table,
}

impl Game {
    /// The first move: the table, and what its opener did in the same move.
    fn open(head: Head, lines: &mut Lines<'_>) -> Result<Self, NotationError> {
        let mut steps: Vec<(Who, &str, usize)> = Vec::new();
        while let Ok((step, line)) = lines.tag("Opening") {
            let (who, word) = step.split_once(' ').ok_or_else(|| Problem::unreadable(step).at(line))?;
            steps.push((who.parse().map_err(|_| Problem::unreadable(step).at(line))?, word, line));
        }
        let mut chance = Written::new(fairness(head.game, head.arrangement.as_ref()), lines.seeds()?);
        let created = match head.arrangement {
            Some(chosen) => {
                create_sandbox(head.rules, head.seats, chosen, &mut chance).map_err(Problem::from)
            }
            None => create(head.rules, head.seats, &mut chance).map_err(Problem::from),
        };
        let mut events = created.map_err(|problem| problem.at(head.line))?;
        let mut table = Table::replay(&events).ok_or_else(|| Problem::Tag("Rules").at(head.line))?;
        for (who, word, line) in &steps {
            let more = act(&table, *who, word, head.opened, &mut chance).map_err(|p| p.at(*line))?;
            more.iter().for_each(|event| evolve(&mut table, event));
            events.extend(more);
        }
        chance.finish(&events).map_err(|problem| problem.at(head.line))?;
        let first =
            RecordedMove { seat: steps.first().and_then(|step| step.0.seat()), made_at: head.opened, events };
        let record = Record { game: head.game, preset: head.preset, moves: vec![first] };
        Ok(Self { record, table })
    }

    /// A line of commands: a number where it is a turn, who acts, and the commands with the times between them.
    fn line(&mut self, line: &str, number: usize, lines: &mut Lines<'_>) -> Result<(), NotationError> {
        let mut words = line.split_whitespace().peekable();
        words.next_if(|word| word.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok()));
        let who = words.next().and_then(|who| who.parse::<Who>().ok());
        let who = who.ok_or_else(|| Problem::unreadable(line).at(number))?;
        while let Some(word) = words.next() {
            let mut made_at = self.record.moves.last().map_or(Millis(0), |last| last.made_at);
            let mut command = word;
            if let Some(since) = word.strip_prefix('+') {
                let since: i64 = since.parse().map_err(|_| Problem::unreadable(word).at(number))?;
                made_at = Millis(made_at.0.saturating_add(since));
                command = words.next().ok_or_else(|| Problem::unreadable(line).at(number))?;
            }
            // Seeds stand behind the line whose last command commits to them.
            let seeds = if words.peek().is_none() { lines.seeds()? } else { Vec::new() };
            let mut chance = Written::new(fairness(self.record.game, self.record.arrangement()), seeds);
            let events = act(&self.table, who, command, made_at, &mut chance)
                .and_then(|events| chance.finish(&events).map(|()| events))
                .map_err(|problem| problem.at(number))?;
            events.iter().for_each(|event| evolve(&mut self.table, event));
            self.record.moves.push(RecordedMove { seat: who.seat(), made_at, events });
        }
        Ok(())
    }
}

/// What comes of a written command; what it draws must be what is written.
fn act(
    table: &Table,
    who: Who,
    word: &str,
    made_at: Millis,
    chance: &mut Written,
) -> Result<Vec<Event>, Problem> {
    let token = Token::read(table, who, word).ok_or_else(|| Problem::unreadable(word))?;
    let events = decide(table, token.actor, &token.command, made_at, chance)
        .map_err(|refusal| Problem::Refused { command: word.to_owned(), refusal })?;
    let made = Token::made(token.actor, token.command, &events);
    if made.back != token.back {
        return Err(Problem::unreadable(word));
    }
    if made.drawn != token.drawn {
        return Err(Problem::OtherCard { command: word.to_owned(), drawn: made.drawn });
    }
    Ok(events)
}

/// The shuffles of a game, or of a sandbox.
fn fairness(game: GameId, sandbox: Option<&Arrangement>) -> Fairness {
    sandbox.map_or_else(|| Fairness::of(game), |chosen| Fairness::of_sandbox(&chosen.seed, 0))
}

/// Chance with the seeds that are written.
struct Written {
    fairness: Fairness,
    seeds: std::vec::IntoIter<(u16, Seed)>,
    /// The deals of the seeds that were wanted, as they are written.
    deals: Vec<u16>,
    /// How many seeds were wanted and not there.
    missing: bool,
}

impl Written {
    fn new(fairness: Fairness, seeds: Vec<(u16, Seed)>) -> Self {
        Self { fairness, seeds: seeds.into_iter(), deals: Vec::new(), missing: false }
    }

    /// Every seed was wanted, and every one that was wanted was there and for its deal.
    fn finish(self, events: &[Event]) -> Result<(), Problem> {
        let committed = events.iter().filter_map(|event| match event {
            Event::SeedCommitted { deal, .. } => Some(*deal),
            _ => None,
        });
        match self.seeds.as_slice() {
            _ if self.missing => Err(Problem::NoSeed),
            [] if committed.eq(self.deals) => Ok(()),
            _ => Err(Problem::StraySeed),
        }
    }
}

impl Chance for Written {
    fn commit(&mut self) -> (Seed, Commitment) {
        let next = self.seeds.next();
        self.missing |= next.is_none();
        self.deals.extend(next.map(|(deal, _)| deal));
        let seed = next.map_or(Seed([0; 32]), |(_, seed)| seed);
        (seed, commitment(&seed))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        self.fairness.shuffle(stream, cards);
    }

    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32 {
        self.fairness.below(stream, bound)
    }
}
