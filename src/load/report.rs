use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::tally::Tally;
use super::{Options, Via};

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// How players talked to the service: `calls`, `play` or `rest`.
    pub via: &'static str,
    /// Tables.
    pub games: u32,
    /// Players at each.
    pub players: u8,
    /// The rules.
    pub preset: &'static str,
    /// Moves that were due a second; `None` if as many as possible were made.
    pub rate: Option<u32>,
    /// Moves that were under way at most.
    pub in_flight: u32,
    /// The seed of all choices.
    pub seed: u64,
    /// For how long was measured, in seconds.
    pub seconds: f64,
    /// Moves that were answered a second.
    pub moves_per_second: f64,
    /// From the time that a move was due to its answer.
    pub answered: Times,
    /// The same by kind of move.
    pub by_kind: BTreeMap<&'static str, Times>,
    /// From the time that a move was due until every player had it on his stream.
    pub seen_by_all: Times,
    /// Questions for legal moves, each from when it was asked.
    pub legal_moves: Times,
    /// What was refused or failed, by reason.
    pub troubles: BTreeMap<String, u64>,
    /// Commands that were sent once more.
    pub repeats: u64,
    /// Deals that were played to their end.
    pub deals: u64,
    /// Games that were.
    pub finished_games: u64,
}

/// How long something took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// How often it was measured.
    pub count: u64,
    /// What half of them took at most.
    pub p50: f64,
    /// What 9 of 10 took at most.
    pub p90: f64,
    /// What 99 of 100 took at most.
    pub p99: f64,
    /// What 999 of 1,000 took at most.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
}

impl From<&Histogram<u64>> for Times {
    fn from(micros: &Histogram<u64>) -> Self {
        let at = |part: f64| micros.value_at_quantile(part) as f64 / 1000.0;
        let max = micros.max() as f64 / 1000.0;
        Self { count: micros.len(), p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max }
    }
}

impl Report {
    pub(super) fn new(options: &Options, tally: &Tally, took: Duration) -> Self {
        let counts = tally.counts().clone();
        let seconds = took.as_secs_f64();
        let via = match options.via {
            Via::Calls => "calls",
            Via::Play => "play",
            Via::Rest => "rest",
        };
        Self {
            via,
            games: options.games,
            players: options.players,
            preset: options.preset.name(),
            rate: options.rate,
            in_flight: options.in_flight,
            seed: options.seed,
            seconds,
            moves_per_second: counts.moves.len() as f64 / seconds.max(1e-3),
            answered: (&counts.moves).into(),
            by_kind: counts.answered.iter().map(|(kind, times)| (*kind, times.into())).collect(),
            seen_by_all: (&counts.seen).into(),
            legal_moves: (&counts.asked).into(),
            troubles: counts.troubles,
            repeats: counts.repeats,
            deals: counts.deals,
            finished_games: counts.games,
        }
    }

    /// Writes the report, as text or as JSON.
    ///
    /// # Errors
    /// It can't be written.
    pub fn print(&self, out: &mut impl Write, json: bool) -> io::Result<()> {
        if json {
            return writeln!(out, "{}", serde_json::to_string_pretty(self)?);
        }
        let rate =
            self.rate.map_or_else(|| "as fast as it goes".to_owned(), |rate| format!("{rate} moves/s due"));
        writeln!(
            out,
            "{} tables of {} ({}), via {}, {rate}, at most {} under way, seed {}",
            self.games, self.players, self.preset, self.via, self.in_flight, self.seed
        )?;
        writeln!(
            out,
            "{:.0} moves/s over {:.1} s; {} deals and {} games played to their end\n",
            self.moves_per_second, self.seconds, self.deals, self.finished_games
        )?;
        writeln!(
            out,
            "{:<14}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "ms", "count", "p50", "p90", "p99", "p99.9", "max"
        )?;
        let mut rows = vec![("answered", self.answered)];
        rows.extend(self.by_kind.iter().map(|(kind, times)| (*kind, *times)));
        rows.extend([("seen by all", self.seen_by_all), ("legal moves", self.legal_moves)]);
        for (name, times) in rows.into_iter().filter(|(_, times)| times.count > 0) {
            let Times { count, p50, p90, p99, p999, max } = times;
            writeln!(out, "{name:<14}{count:>10}{p50:>10.2}{p90:>10.2}{p99:>10.2}{p999:>10.2}{max:>10.2}")?;
        }
        if !self.troubles.is_empty() {
            writeln!(out, "\nrefused or failed ({} sent once more):", self.repeats)?;
            for (reason, count) in &self.troubles {
                writeln!(out, "{count:>10} {reason}")?;
            }
        }
        Ok(())
    }
}
