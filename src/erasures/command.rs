//! `remik erasures`: the list of who was erased, out of the database and into one that was restored.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

use clap::Subcommand;
use uuid::Uuid;

use super::{apply, list};
use crate::store::Store;

/// How many erasures are read at once.
const PAGE: u32 = 1000;

/// What to do with erasures.
#[derive(Debug, Subcommand)]
pub enum ErasuresCommand {
    /// Prints all erasures, a line of JSON each: keep them apart from the database's backups
    Export,
    /// Carries out the erasures of a list that this database, set back to an older state, doesn't know of
    Apply {
        /// What `export` has printed, or `erasures.jsonl` of a data folder
        file: PathBuf,
    },
}

/// Carries out a command on a store. The list goes to `out`, what is only good to know to `note`.
///
/// # Errors
/// The list can't be read or written, or the store can't do it.
pub async fn run(
    command: &ErasuresCommand,
    store: &Store,
    out: &mut impl Write,
    note: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    match command {
        ErasuresCommand::Export => {
            let mut after = Uuid::nil();
            loop {
                let erasures = store.erasures(after, PAGE).await?;
                let Some(last) = erasures.last() else { break };
                after = last.player_id;
                for erasure in &erasures {
                    list::write(out, erasure)?;
                }
            }
        }
        ErasuresCommand::Apply { file } => {
            let erasures = list::read(BufReader::new(File::open(file)?))?;
            let applied = apply(store, &erasures, store.now().await?).await?;
            writeln!(note, "{applied} of {} players are erased now; the others were", erasures.len())?;
        }
    }
    Ok(())
}
