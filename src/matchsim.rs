//! `remik matchsim`: what a curve and a crowd lead to, by the same matcher as the service's, in a time of its own.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use remik_matchmaking::simulate::{Outcome, Scenario, percentile, run};
use remik_matchmaking::{Curve, SeatCounts};
use remik_rules::preset::Preset;
use serde::Serialize;

/// The percentiles that are told.
const PERCENTS: [u32; 4] = [50, 90, 99, 100];

/// Who comes.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// How many tickets come in a minute, one rate or several
    #[arg(long, value_delimiter = ',', default_value = "2,20,200", value_parser = rate)]
    pub rates: Vec<f64>,
    /// The standard deviation of the players' ratings, one spread or several
    #[arg(long, value_delimiter = ',', default_value = "300", value_parser = clap::value_parser!(u32).range(0..=3000))]
    pub spreads: Vec<u32>,
    /// How many tickets come
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub tickets: u32,
    /// What they play
    #[arg(long, default_value = "remik-51")]
    pub preset: Preset,
    /// How many may sit at a table, one number or several
    #[arg(long, value_delimiter = ',', default_value = "4", value_parser = clap::value_parser!(u8).range(2..=6))]
    pub seats: Vec<u8>,
    /// How many of a hundred tickets are parties of two
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub parties: u8,
    /// After how many seconds bots may take seats [default: never]
    #[arg(long)]
    pub bots_after: Option<u32>,
    /// The number that decides who comes when
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Prints the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// A rate that isn't one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a rate is a number above 0 and up to 100000")]
pub struct NoRate;

fn rate(text: &str) -> Result<f64, NoRate> {
    let rate: f64 = text.parse().map_err(|_| NoRate)?;
    if rate > 0.0 && rate <= 100_000.0 { Ok(rate) } else { Err(NoRate) }
}

/// What came of all rates and spreads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The rules.
    pub preset: String,
    /// How many may sit at a table.
    pub seats: Vec<u8>,
    /// How many tickets came each time.
    pub tickets: u32,
    /// The seed.
    pub seed: u64,
    /// The window of ratings: seconds and points.
    pub window: Curve,
    /// One for each rate and spread.
    pub crowds: Vec<Crowd>,
}

/// What came of one rate and spread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crowd {
    /// How many tickets came in a minute.
    pub per_minute: f64,
    /// The standard deviation of their ratings.
    pub spread: u32,
    /// How many games were made.
    pub games: u32,
    /// How many of them with bots.
    pub with_bots: u32,
    /// How many tickets found no game.
    pub left: u32,
    /// How long tickets waited, in milliseconds.
    pub wait_millis: Percentiles,
    /// How far the ratings in a game lay apart, in points.
    pub gap_points: Percentiles,
}

/// Values below which so many of a hundred lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Percentiles {
    /// The half.
    pub p50: u32,
    /// Nine of ten.
    pub p90: u32,
    /// All but the last hundredth.
    pub p99: u32,
    /// All.
    pub most: u32,
}

impl Percentiles {
    /// Of sorted values; zeros of none.
    fn of(sorted: &[u32]) -> Self {
        let [p50, p90, p99, most] = PERCENTS.map(|percent| percentile(sorted, percent).unwrap_or_default());
        Self { p50, p90, p99, most }
    }
}

/// Lets every crowd come.
pub fn simulate(options: &Options, window: &Curve) -> Report {
    let seats: SeatCounts = options.seats.iter().copied().collect();
    let rates = options.rates.iter();
    let crowds = rates.flat_map(|rate| options.spreads.iter().map(move |spread| (*rate, *spread)));
    let crowd = |(per_minute, spread): (f64, u32)| {
        let scenario = Scenario {
            per_minute,
            spread: spread.into(),
            preset: options.preset,
            seats,
            parties: options.parties,
            bots_after: options.bots_after.map(|seconds| Duration::from_secs(seconds.into())),
            tickets: options.tickets,
            seed: options.seed,
        };
        let Outcome { waits, gaps, games, with_bots, left } = run(&scenario, window);
        let (wait_millis, gap_points) = (Percentiles::of(&waits), Percentiles::of(&gaps));
        Crowd { per_minute, spread, games, with_bots, left, wait_millis, gap_points }
    };
    Report {
        preset: options.preset.to_string(),
        seats: options.seats.clone(),
        tickets: options.tickets,
        seed: options.seed,
        window: window.clone(),
        crowds: crowds.map(crowd).collect(),
    }
}

impl Report {
    /// Prints it, for people or as one line of JSON.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn print(&self, out: &mut impl Write, json: bool) -> io::Result<()> {
        if json {
            serde_json::to_writer(&mut *out, self)?;
            return writeln!(out);
        }
        let Self { preset, tickets, seed, .. } = self;
        let seats: Vec<String> = self.seats.iter().map(u8::to_string).collect();
        writeln!(out, "{preset}, {} at a table, {tickets} tickets each, seed {seed}", seats.join(" or "))?;
        writeln!(out, "                     waits, in seconds              gap, in points")?;
        writeln!(
            out,
            "a minute  spread     p50     p90     p99    most     p50    p90    p99   most   games  bots  left"
        )?;
        for crowd in &self.crowds {
            let Crowd { per_minute, spread, games, with_bots, left, wait_millis, gap_points } = crowd;
            write!(out, "{per_minute:>8}  {spread:>6}")?;
            for wait in wait_millis.in_order() {
                write!(out, "{:>8.1}", f64::from(wait) / 1000.0)?;
            }
            write!(out, " ")?;
            for gap in gap_points.in_order() {
                write!(out, "{gap:>7}")?;
            }
            writeln!(out, "{games:>8}{with_bots:>6}{left:>6}")?;
        }
        Ok(())
    }
}

impl Percentiles {
    const fn in_order(self) -> [u32; 4] {
        [self.p50, self.p90, self.p99, self.most]
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(line: &str) -> Result<Options, clap::Error> {
        Line::try_parse_from(std::iter::once("matchsim").chain(line.split_whitespace()))
            .map(|line| line.options)
    }

    #[test]
    fn reports_tell_of_every_rate_and_spread() {
        let options =
            options("--rates 5,50,500 --spreads 100,400 --tickets 400 --seats 2,3 --seed 9").unwrap();
        let report = simulate(&options, &Curve::default());
        assert_eq!(report, simulate(&options, &Curve::default()), "the seed decides");
        assert_eq!(report.crowds.len(), 6);
        let slow = &report.crowds[0];
        let fast = &report.crowds[4];
        assert!(slow.wait_millis.p90 > fast.wait_millis.p90, "{slow:?} {fast:?}");
        assert!(report.crowds.iter().all(|crowd| crowd.games > 100 && crowd.with_bots == 0));
        let printed = |json| {
            let mut out = Vec::new();
            report.print(&mut out, json).unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = printed(false);
        assert_eq!(text.lines().count(), 9);
        assert!(text.starts_with("remik-51, 2 or 3 at a table, 400 tickets each, seed 9\n"));
        let json: serde_json::Value = serde_json::from_str(&printed(true)).unwrap();
        assert_eq!(json["crowds"][2]["per_minute"].as_f64(), Some(50.0));
        assert_eq!(
            json["crowds"][2]["wait_millis"]["p99"].as_u64(),
            Some(report.crowds[2].wait_millis.p99.into())
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in ["--rates 0", "--rates x", "--seats 1", "--spreads 9999", "--tickets 0", "--parties 101"]
        {
            assert!(options(line).is_err(), "{line}");
        }
        assert_eq!(options("").unwrap().rates, [2.0, 20.0, 200.0]);
    }
}
