//! Writing a game down.

use std::fmt::Write;

use remik_rules::chance::Millis;
use remik_rules::command::Command;
use remik_rules::event::{DealEnded, Event, Outcome};
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use remik_rules::verify::Step;

use super::token::Token;
use super::who::Who;
use super::{RULES, SANDBOX, VERSION};
use crate::codec::{json, wire};
use crate::record::{Record, RecordedMove, Verdict};

/// The game as text. Every card and seed is in it.
///
/// # Errors
/// A move that doesn't follow from the rules: it has no notation.
pub fn write(record: &Record) -> Result<String, Verdict> {
    let mut text = Text { out: String::new(), line: None, turns: 0, last: Millis(0) };
    let mut verifier = record.verifier();
    for (number, mv) in (1..).zip(&record.moves) {
        let turn = verifier.table().and_then(Table::turn);
        let judged = verifier.judge(mv.seat, mv.made_at, &mv.events);
        let steps = judged.map_err(|fault| Verdict { number, fault })?;
        if number == 1 {
            text.opening(record, mv, steps);
        } else {
            steps.into_iter().for_each(|step| text.one(turn, mv, step));
        }
    }
    text.end_line();
    Ok(text.out)
}

struct Text {
    out: String,
    /// Whose line it is, if one was begun.
    line: Option<Who>,
    /// Turns begun in the deal.
    turns: u32,
    /// When the move before was made.
    last: Millis,
}

/// Writing to a string can't fail.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {{ let _ = write!($text.out, $($arguments)*); }};
}

impl Text {
    fn opening(&mut self, record: &Record, mv: &RecordedMove, steps: Vec<Step>) {
        let Some(Event::GameCreated { rules, rules_version, seats }) = mv.events.first() else { return };
        put!(self, "[Remik {VERSION}]\n[Game {}]\n[Preset {}]\n", record.game, record.preset);
        put!(
            self,
            "[RulesVersion {rules_version}]\n[Rules {}]\n",
            json::encode(RULES, &wire::options_in_full(rules))
        );
        put!(self, "[Seats {seats}]\n[Opened {}]\n", mv.made_at.0);
        if let Some(arrangement) = record.arrangement() {
            put!(self, "[Sandbox {}]\n", json::encode(SANDBOX, &wire::arrangement_in_full(arrangement)));
        }
        self.last = mv.made_at;
        // What else the first move did: who opens a table sits down in the same move, and may seat others.
        for step in steps {
            let who = Who::of(step.actor, step.seat);
            put!(self, "[Opening {who} {}]\n", Token::of(step, &mv.events));
        }
        self.turns =
            mv.events.iter().filter(|event| matches!(event, Event::TurnStarted { .. })).count() as u32;
        self.seeds(&mv.events);
    }

    fn one(&mut self, turn: Option<Seat>, mv: &RecordedMove, step: Step) {
        self.begin(turn, Who::of(step.actor, step.seat), &step.command);
        let since = mv.made_at.0.saturating_sub(self.last.0);
        if since != 0 {
            put!(self, " +{since}");
        }
        self.last = mv.made_at;
        put!(self, " {}", Token::of(step, &mv.events));
        self.seeds(&mv.events);
        for event in &mv.events {
            match event {
                Event::Dealt(dealt) => {
                    self.end_line();
                    self.turns = 0;
                    put!(self, "\n; deal {}, dealt by seat {}\n", dealt.deal, dealt.dealer);
                }
                Event::DealEnded(ended) => {
                    self.end_line();
                    put!(self, "; {}\n", result(ended));
                }
                Event::GameEnded { places, .. } => {
                    self.end_line();
                    let places: Vec<String> = places.iter().map(u8::to_string).collect();
                    put!(self, "; game over, places by seat: {}\n", places.join(" "));
                }
                Event::TurnStarted { .. } => {
                    self.end_line();
                    self.turns += 1;
                }
                _ => {}
            }
        }
    }

    /// The line of whoever acts, with the number of the turn where it is that seat's `turn`.
    fn begin(&mut self, turn: Option<Seat>, who: Who, command: &Command) {
        if self.line == Some(who) {
            return;
        }
        self.end_line();
        if turn.is_some() && turn == who.seat() && !matches!(command, Command::Leave) {
            put!(self, "{}. ", self.turns);
        }
        put!(self, "{who}");
        self.line = Some(who);
    }

    fn end_line(&mut self) {
        if self.line.take().is_some() {
            self.out.push('\n');
        }
    }

    fn seeds(&mut self, events: &[Event]) {
        for event in events {
            if let Event::SeedCommitted { deal, seed, .. } = event {
                self.end_line();
                put!(self, "seed {deal} {}\n", hex::encode(seed.0));
            }
        }
    }
}

fn result(ended: &DealEnded) -> String {
    let how = match ended.outcome {
        Outcome::WentOut { seat, rummy: false } => format!("seat {seat} goes out"),
        Outcome::WentOut { seat, rummy: true } => format!("seat {seat} goes rummy"),
        Outcome::Blocked(_) => "blocked".to_owned(),
        Outcome::Abandoned => "left".to_owned(),
    };
    let scores = ended.scores.iter().map(|(seat, score)| format!(", {seat} {score:+}"));
    how + &scores.collect::<String>()
}
