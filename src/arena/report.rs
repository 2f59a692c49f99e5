//! What a tournament has shown.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::{Options, Played};

/// 95 % of a normal distribution lie within so many standard deviations.
const NORMAL_95: f64 = 1.959_964;

/// The outcome of a tournament. Rates are A's, from 0 to 1; a blocked deal counts half.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// One kind of player.
    pub a: String,
    /// The other.
    pub b: String,
    /// The rules.
    pub preset: String,
    /// Seats.
    pub seats: u8,
    /// Deals, each played twice.
    pub deals: u32,
    /// What a hard player may think.
    pub budget: String,
    /// The seed.
    pub seed: u64,
    /// Plays that A won, shared ones in part.
    pub won_by_a: f64,
    /// Plays that B won, shared ones in part.
    pub won_by_b: f64,
    /// Plays that nobody won.
    pub blocked: u32,
    /// What A won of all plays.
    pub rate: f64,
    /// The lower end of the rate's 95 % interval, over mirrored deals.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// What a seat of A scored in a play on average, in points of the game.
    pub points_a: f64,
    /// What a seat of B scored.
    pub points_b: f64,
    /// Turns in a play, on average.
    pub turns: f64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What 99 of 100 moves of hard bots took at most, in milliseconds; `None` where there were none.
    pub hard_move_p99_ms: Option<f64>,
}

impl Report {
    pub(super) fn new(options: &Options, deals: &[[Played; 2]], took: Duration) -> Self {
        let plays = || deals.iter().flatten();
        let count = plays().count().max(1) as f64;
        let mean = |value: &dyn Fn(&Played) -> f64| plays().map(value).sum::<f64>() / count;
        let blocked = plays().filter(|play| play.blocked).count() as u32;
        let won_by_a = plays().filter(|play| !play.blocked).map(|play| play.share).sum::<f64>();
        let (rate, half) = interval(deals);
        Self {
            a: options.a.to_string(),
            b: options.b.to_string(),
            preset: options.preset.to_string(),
            seats: options.seats,
            deals: deals.len() as u32,
            budget: options.budget.to_string(),
            seed: options.seed,
            won_by_a,
            won_by_b: count - f64::from(blocked) - won_by_a,
            blocked,
            rate,
            low: (rate - half).max(0.0),
            high: (rate + half).min(1.0),
            points_a: mean(&|play| play.points.0),
            points_b: mean(&|play| play.points.1),
            turns: mean(&|play| f64::from(play.turns)),
            seconds: took.as_secs_f64(),
            hard_move_p99_ms: p99(plays().flat_map(|play| play.thought.iter().copied()).collect()),
        }
    }

    /// Prints it, for people or as one line of JSON.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn print(&self, out: &mut impl Write, json: bool) -> io::Result<()> {
        if json {
            serde_json::to_writer(&mut *out, self)?;
            return writeln!(out);
        }
        let Self { a, b, preset, seats, deals, seed, .. } = self;
        writeln!(out, "{a} against {b}: {preset}, {seats} seats, {deals} mirrored deals, seed {seed}")?;
        let percent = |rate: f64| rate * 100.0;
        writeln!(
            out,
            "{a} wins {:.1} % (95 % interval {:.1} to {:.1} %)",
            percent(self.rate),
            percent(self.low),
            percent(self.high)
        )?;
        writeln!(
            out,
            "{} won, {} lost, {} blocked; points {:.1} : {:.1} a deal; {:.1} turns a deal; {:.1} s",
            self.won_by_a,
            self.won_by_b,
            self.blocked,
            self.points_a,
            self.points_b,
            self.turns,
            self.seconds
        )?;
        match self.hard_move_p99_ms {
            Some(p99) => writeln!(out, "a move of hard within {p99:.1} ms at the 99th percentile"),
            None => Ok(()),
        }
    }
}

/// The 99th percentile, in milliseconds.
fn p99(mut times: Vec<Duration>) -> Option<f64> {
    let place = (times.len() * 99).div_ceil(100).checked_sub(1)?;
    let (_, time, _) = times.select_nth_unstable(place);
    Some(time.as_secs_f64() * 1000.0)
}

/// A's rate and half the width of its interval. The two plays of a deal hang together, so it is the deals' rates
/// that vary independently.
fn interval(deals: &[[Played; 2]]) -> (f64, f64) {
    let rates: Vec<f64> = deals.iter().map(|[one, other]| (one.share + other.share) / 2.0).collect();
    let count = rates.len().max(1) as f64;
    let mean = rates.iter().sum::<f64>() / count;
    if mean == 0.0 || mean == 1.0 {
        // Nothing but wins doesn't tell how rare a loss is: none in n deals is likely enough up to a rate of 3 / n.
        return (mean, 3.0 / count);
    }
    let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, NORMAL_95 * (variance / count).sqrt())
}
