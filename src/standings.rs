//! What finished games come to: ratings, statistics, leaderboards.
//!
//! A [`Projector`] reads the feed of all moves, and counts each game when it sees its end, by what the log says. What it
//! keeps follows from the log alone, in the order of the feed: counted again, it is the same to the bit.

mod board;
mod command;
mod count;
mod finished;
mod period;
mod projector;

pub use board::{Leader, Leaderboard, LeaderboardAsk, NotListed, leaderboard};
pub use command::{RebuildError, run};
pub use finished::{Counted, Finished, SeatResult};
pub use period::{Period, PeriodError};
pub use projector::{Projector, ProjectorError, rebuild};
