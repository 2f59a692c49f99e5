//! `remik replay`: a game printed move by move, with all cards open.

mod json;
mod range;
mod text;

use std::io::{self, Write};

use clap::Args;
use remik_rules::table::Table;

use crate::notation;
use crate::record::{Record, Source, Verdict};

pub use range::{Moves, NoRange};

/// What is to be printed, and how.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// A game's id, or a file: an export, or a game in the notation
    pub source: Source,
    /// Only these moves, as in 17, 10..20, 10.. or ..20
    #[arg(long, default_value = "..", value_name = "RANGE")]
    pub moves: Moves,
    /// Only this deal, from 1
    #[arg(long, value_name = "NUMBER")]
    pub deal: Option<u16>,
    /// One JSON object a move: the move, the table after it, and all hands
    #[arg(long, conflicts_with = "notation")]
    pub json: bool,
    /// The whole game in the notation
    #[arg(long)]
    pub notation: bool,
}

/// Why a game can't be printed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log doesn't begin with the opening of a game.
    #[error("the log doesn't begin with the opening of a game")]
    NoOpening,
    /// A move doesn't follow from the rules, so the notation has no words for it.
    #[error("the notation can't tell it")]
    NotByRules(#[from] Verdict),
    /// The output is closed.
    #[error("can't write")]
    Output(#[from] io::Error),
}

/// Prints a game.
///
/// # Errors
/// The log is no game, or the output is closed.
pub fn print(record: &Record, options: &Options, out: &mut impl Write) -> Result<(), ReplayError> {
    if options.notation {
        out.write_all(notation::write(record)?.as_bytes())?;
        return Ok(());
    }
    let mut table: Option<Table> = None;
    let mut last = None;
    if !options.json {
        writeln!(out, "game {}", record.game)?;
    }
    for (number, mv) in (1u32..).zip(&record.moves) {
        mv.apply(&mut table);
        let table = table.as_ref().ok_or(ReplayError::NoOpening)?;
        if options.moves.contains(number) && options.deal.is_none_or(|deal| deal == table.deals()) {
            if options.json {
                json::write_move(out, record, number, mv, table)?;
            } else {
                text::write_move(out, number, mv, last, table)?;
            }
        }
        last = Some(mv.made_at);
    }
    Ok(())
}
