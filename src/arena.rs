//! `remik arena`: two kinds of players meet over mirrored deals. Each deal is played twice with the same cards,
//! the seats swapped, so that good cards help nobody.

mod deal;
pub mod league;
mod parallel;
mod player;
mod report;
#[cfg(test)]
mod tests;

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::Args;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::RulesetFault;

pub use deal::{Played, Side};
use parallel::in_parallel;
pub use player::{Budget, Participant};
pub use report::Report;

/// What is to be played.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// One kind of player: random, easy, normal or hard
    #[arg(long, short, default_value = "normal")]
    pub a: Participant,
    /// The other kind
    #[arg(long, short, default_value = "easy")]
    pub b: Participant,
    /// The rules
    #[arg(long, default_value = "remik-51")]
    pub preset: Preset,
    /// How many deals, each played twice
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub deals: u32,
    /// How many seats; the two kinds take turns
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=6))]
    pub seats: u8,
    /// How long a hard player thinks about a move, as in 5ms, or how many deals it plays in its mind, as in 200
    #[arg(long, default_value = "5ms")]
    pub budget: Budget,
    /// How many deals are played at the same time [default: one a processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The number that decides the cards and the players' chance
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Prints the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Why a tournament stopped.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The rules don't allow so many seats.
    #[error(transparent)]
    Rules(#[from] RulesetFault),
    /// A player made a move that the rules don't allow: a fault of this program.
    #[error("deal {deal}: {participant} may not {command:?}")]
    Refused {
        /// Which deal, from 0.
        deal: u32,
        /// Who.
        participant: Participant,
        /// The command.
        command: String,
        /// The rule.
        source: Refusal,
    },
    /// A player had no move: a fault of this program.
    #[error("deal {deal}: {participant} doesn't move")]
    Stuck {
        /// Which deal, from 0.
        deal: u32,
        /// Who.
        participant: Participant,
    },
    /// A game is neither over nor anybody's turn: a fault of this program.
    #[error("game {0} doesn't end")]
    Endless(u32),
}

/// Plays the tournament. On a terminal the progress is written to `progress`.
///
/// # Errors
/// Seats that the rules don't allow; a player that breaks the rules.
pub fn run(options: &Options, progress: &mut impl Write) -> Result<Report, ArenaError> {
    let started = Instant::now();
    let mut bar = Bar::new(options.deals);
    let advance = || bar.advance(progress);
    let played = in_parallel(options.deals, options.threads, |number| mirrored(options, number), advance)?;
    bar.clear(progress);
    Ok(Report::new(options, &played, started.elapsed()))
}

/// One deal, played twice with the seats swapped.
///
/// # Errors
/// Seats that the rules don't allow; a player that breaks the rules.
pub fn mirrored(options: &Options, number: u32) -> Result<[Played; 2], ArenaError> {
    Ok([deal::play(options, number, Side::A)?, deal::play(options, number, Side::B)?])
}

/// A progress bar, on a terminal only.
struct Bar {
    all: u32,
    done: u32,
    shown: Option<Instant>,
    started: Instant,
    visible: bool,
}

impl Bar {
    const WIDTH: usize = 40;

    fn new(all: u32) -> Self {
        let visible = std::io::stderr().is_terminal();
        Self { all, done: 0, shown: None, started: Instant::now(), visible }
    }

    fn advance(&mut self, out: &mut impl Write) {
        self.done += 1;
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= Duration::from_millis(100));
        if !self.visible || !due {
            return;
        }
        self.shown = Some(Instant::now());
        let full = Self::WIDTH * self.done as usize / self.all as usize;
        let left = self.started.elapsed().mul_f64(f64::from(self.all - self.done) / f64::from(self.done));
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(Self::WIDTH - full));
        // A terminal that went away is no reason to stop.
        let _ = write!(out, "\r{bar} {}/{} deals, {} s left \x1b[K", self.done, self.all, left.as_secs());
        let _ = out.flush();
    }

    fn clear(&self, out: &mut impl Write) {
        if self.visible {
            let _ = write!(out, "\r\x1b[K");
        }
    }
}
