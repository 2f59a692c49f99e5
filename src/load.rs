//! `remik load`: plays real games against a running service and says how fast it answers. The moves come at the rate
//! that is asked for, whether or not the service keeps up: a late answer counts from the time at which its move was
//! due.

mod arrivals;
mod line;
mod player;
mod report;
mod step;
mod table;
mod tally;
mod target;

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use futures::{StreamExt, TryStreamExt, stream};
use remik_rules::preset::Preset;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tonic::transport::Channel;

pub use line::Trouble;
pub use report::Report;
pub use target::{Target, TargetError};

use table::Table;
use tally::Tally;

/// How many tables are set up at the same time.
const SETTING_UP: usize = 64;

/// How long moves that are under way may take to end when the time is up.
const DRAIN: Duration = Duration::from_secs(10);

/// How players talk to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Via {
    /// A gRPC call for each move.
    Calls,
    /// A stream of games (`Play`) for each player.
    Play,
    /// REST for each move, over HTTP/1.1.
    Rest,
}

/// What is to be played, and how fast.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// The service, such as http://127.0.0.1:8080
    pub target: Target,
    /// How many tables are played at the same time
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: u32,
    /// How many players sit at a table
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=6))]
    pub players: u8,
    /// The rules
    #[arg(long, default_value = "remik-51")]
    pub preset: Preset,
    /// How many moves are due a second, at all tables together; without it, as many as the service takes
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
    /// How many moves are under way at most
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub in_flight: u32,
    /// How long a table rests between two moves, in milliseconds
    #[arg(long, default_value_t = 0)]
    pub think_ms: u64,
    /// For how long is measured, in seconds
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// For how long is played before that, in seconds
    #[arg(long, default_value_t = 5)]
    pub warm_up: u64,
    /// How players talk to the service
    #[arg(long, value_enum, default_value = "calls")]
    pub via: Via,
    /// Nobody has a stream of his table; otherwise all have, and it is measured when the last has a move
    #[arg(long)]
    pub no_streams: bool,
    /// Over how many connections all players talk together
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// In every so many turns the service is asked what is legal, and one of that is played; in the others a card is
    /// drawn and one discarded
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub ask_every: u32,
    /// The number that decides what players choose
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Lets the target be another machine
    #[arg(long)]
    pub allow_remote: bool,
    /// Prints the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The target can't be used.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The tables couldn't be set up.
    #[error("the tables can't be set up: {0}")]
    SetUp(#[from] Trouble),
}

/// Plays, and reports what was measured. On a terminal the progress is written to `progress`.
///
/// # Errors
/// A target that isn't this machine without leave for it, or at which no tables can be set up.
pub async fn run(options: &Options, progress: &mut impl Write) -> Result<Report, LoadError> {
    options.target.check(options.allow_remote).await?;
    // Plain HTTP doesn't ask for it; a second time does nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tally = Arc::new(Tally::default());
    let channels = options.target.connect(options.connections)?;
    let mut shows = Progress::new(options, progress);
    let tables = set_up(options, &channels, &tally, &mut shows).await?;

    let began = Instant::now() + Duration::from_secs(options.warm_up);
    let ends = began + Duration::from_secs(options.seconds);
    let (idle, mut ready) = mpsc::channel(tables.len());
    for table in tables {
        // There is room for all of them.
        let _ = idle.try_send(table);
    }
    let places = Arc::new(Semaphore::new(options.in_flight as usize));
    let think = Duration::from_millis(options.think_ms);
    let opened = Instant::now();
    let mut dispatched = 0_u64;
    let mut shown = opened;
    loop {
        let due = options.rate.map(|rate| opened + Duration::from_secs(dispatched) / rate);
        if let Some(due) = due {
            sleep_until(due.min(ends)).await;
        }
        let now = Instant::now();
        if now >= ends {
            break;
        }
        if !tally.is_counting() && now >= began {
            tally.count_from_now();
        }
        if now >= shown + Duration::from_secs(1) {
            shown = now;
            shows.playing(&tally, began, now);
        }
        // Neither is ever closed: this function holds both.
        let next = async { (Arc::clone(&places).acquire_owned().await.ok(), ready.recv().await) };
        let Ok((Some(place), Some(mut table))) = tokio::time::timeout_at(ends, next).await else { break };
        dispatched += 1;
        let (idle, due) = (idle.clone(), due.unwrap_or_else(Instant::now));
        tokio::spawn(async move {
            table.step(due).await;
            drop(place);
            if !think.is_zero() {
                tokio::time::sleep(think).await;
            }
            // Once all is over nobody takes the table any more.
            let _ = idle.send(table).await;
        });
    }
    tally.stop_counting();
    let took = Instant::now().saturating_duration_since(began);
    // Whatever is under way is waited for, so that the service isn't left with calls that nobody listens to.
    let _ = timeout(DRAIN, places.acquire_many(options.in_flight)).await;
    shows.clear();
    Ok(Report::new(options, &tally, took))
}

/// Opens the tables, each with its own players.
async fn set_up(
    options: &Options,
    channels: &[Channel],
    tally: &Arc<Tally>,
    shows: &mut Progress<'_, impl Write>,
) -> Result<Vec<Table>, Trouble> {
    let made = stream::iter(0..options.games).map(|number| {
        let first = number as usize * usize::from(options.players);
        let channels =
            (0..usize::from(options.players)).map(|seat| &channels[(first + seat) % channels.len()]);
        Table::open(options, number, channels.cloned().collect(), Arc::clone(tally))
    });
    let mut made = made.buffer_unordered(SETTING_UP);
    let mut tables = Vec::new();
    while let Some(table) = made.try_next().await? {
        tables.push(table);
        shows.setting_up(tables.len());
    }
    Ok(tables)
}

/// A line on the terminal that tells how it goes.
struct Progress<'a, W> {
    out: &'a mut W,
    games: u32,
    shows: bool,
}

impl<'a, W: Write> Progress<'a, W> {
    fn new(options: &Options, out: &'a mut W) -> Self {
        Self { out, games: options.games, shows: std::io::stderr().is_terminal() }
    }

    fn setting_up(&mut self, tables: usize) {
        if tables.is_multiple_of(16) || tables == self.games as usize {
            self.show(&format!("{tables} of {} tables", self.games));
        }
    }

    fn playing(&mut self, tally: &Tally, began: Instant, now: Instant) {
        let line = match now.checked_duration_since(began) {
            None => "warming up".to_owned(),
            Some(played) => {
                let progress = tally.progress();
                let seconds = played.as_secs_f64().max(1e-3);
                format!(
                    "{seconds:.0} s: {:.0} moves/s, p50 {:.2} ms, p99 {:.2} ms, {} refused",
                    progress.moves as f64 / seconds,
                    progress.p50_us as f64 / 1000.0,
                    progress.p99_us as f64 / 1000.0,
                    progress.troubles
                )
            }
        };
        self.show(&line);
    }

    fn show(&mut self, line: &str) {
        if self.shows {
            // A terminal that can't be written to is no reason to stop.
            let _ = write!(self.out, "\r\x1b[K{line}").and_then(|()| self.out.flush());
        }
    }

    fn clear(&mut self) {
        self.show("");
    }
}
