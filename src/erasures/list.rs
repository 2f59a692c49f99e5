//! Erasures as lines of JSON.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::Path;

use prost_types::Timestamp;
use remik_rules::chance;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::codec::wire;
use crate::store::{Erasure, Millis};

/// A line of the list.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    player_id: String,
    erased_at: String,
}

/// Why a list can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The file can't be read.
    #[error("the list can't be read")]
    Read(#[from] io::Error),
    /// A line isn't an erasure.
    #[error("line {number} isn't an erasure")]
    Line {
        /// Which, from 1.
        number: usize,
        /// Why, where it is no JSON of this form; else its id or time is none.
        source: Option<serde_json::Error>,
    },
}

/// Writes an erasure as a line.
///
/// # Errors
/// It can't be written.
pub fn write(out: &mut impl Write, erasure: &Erasure) -> io::Result<()> {
    let at = wire::timestamp(chance::Millis(erasure.erased_at.0));
    let line = Line { player_id: erasure.player_id.to_string(), erased_at: at.to_string() };
    writeln!(out, "{}", serde_json::to_string(&line)?)
}

/// Reads a list. A last line that isn't whole was never acknowledged, and counts as none.
///
/// # Errors
/// It can't be read, or a line isn't an erasure.
pub fn read(input: impl BufRead) -> Result<Vec<Erasure>, ListError> {
    let mut lines = input.lines().enumerate().peekable();
    let mut erasures = Vec::new();
    while let Some((index, line)) = lines.next() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let fault = |source| ListError::Line { number: index + 1, source };
        match serde_json::from_str::<Line>(&line) {
            Ok(line) => {
                let player_id = Uuid::try_parse(&line.player_id).map_err(|_| fault(None))?;
                let at: Timestamp = line.erased_at.parse().map_err(|_| fault(None))?;
                let erased_at = Millis(at.seconds * 1000 + i64::from(at.nanos / 1_000_000));
                erasures.push(Erasure { player_id, erased_at });
            }
            Err(error) if error.is_eof() && lines.peek().is_none() => {}
            Err(error) => return Err(fault(Some(error))),
        }
    }
    Ok(erasures)
}

/// Reads a file's list; one that isn't there is empty.
pub(super) fn read_file(path: &Path) -> Result<Vec<Erasure>, ListError> {
    match File::open(path) {
        Ok(file) => read(BufReader::new(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Adds an erasure to a file, which is made if need be, and returns when it is on disk.
pub(super) fn append(path: &Path, erasure: &Erasure) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // A line of its own, also behind one that was cut short.
    let mut line = b"\n".to_vec();
    write(&mut line, erasure)?;
    let mut file = File::options().create(true).append(true).open(path)?;
    file.write_all(&line)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn erasure(id: u128, at: i64) -> Erasure {
        Erasure { player_id: Uuid::from_u128(id), erased_at: Millis(at) }
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data").join("list");
        assert!(read_file(&path).unwrap().is_empty());
        let erasures = [erasure(7, 1_700_000_000_123), erasure(8, 0)];
        erasures.iter().for_each(|erasure| append(&path, erasure).unwrap());
        assert_eq!(read_file(&path).unwrap(), erasures);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"erasedAt\":\"2023-11-14T22:13:20.123Z\""), "{text}");
    }

    #[test]
    fn what_was_cut_short_is_no_line_and_what_is_wrong_is_told() {
        let mut text = Vec::new();
        write(&mut text, &erasure(7, 5)).unwrap();
        let whole = text.clone();
        text.extend_from_slice(&whole[..20]);
        assert_eq!(read(&text[..]).unwrap(), [erasure(7, 5)]);
        for wrong in ["{}", "x", "{\"playerId\":\"x\",\"erasedAt\":\"x\"}"] {
            let text = [&whole, wrong.as_bytes()].concat();
            assert!(matches!(read(&text[..]), Err(ListError::Line { number: 2, .. })), "{wrong}");
        }
    }
}
