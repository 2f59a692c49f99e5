//! Cases of the rules, one a line, judged by the engine: what `remik check FILE.jsonl` runs.
//!
//! The notation is described in `cases/README.md`. Nothing here knows a rule: a case is turned into a table,
//! its actions into commands, and what the engine answers is held against what the case expects.

mod case;
mod chance;
mod claim;
mod expect;
mod finding;
mod notation;
mod play;
mod rules;
mod scenario;
mod situation;
mod split;
mod unclear;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, BufRead, Write};

use self::case::Case;
use self::expect::Expect;

/// How many cases went how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Judged as expected.
    pub ok: usize,
    /// Judged otherwise, or not understood.
    pub differing: usize,
    /// Prose that only people can judge.
    pub for_people: usize,
}

impl Summary {
    /// Whether no case differs.
    pub const fn all_ok(&self) -> bool {
        self.differing == 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ok, differing, for_people } = self;
        write!(f, "{ok} ok, {differing} differing, {for_people} for people")
    }
}

/// Why a file of cases can't be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A line is no case: not a JSON object with a text `id` and `preset`, an object `situation` and an
    /// `expect`.
    #[error("line {line} is no case: {source}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line can't be read; it may not be UTF-8.
    #[error("line {line} can't be read: {source}")]
    Read {
        /// The line, from 1.
        line: usize,
        /// Why.
        source: io::Error,
    },
    /// The report can't be written.
    #[error("the report can't be written: {0}")]
    Write(#[source] io::Error),
}

/// Runs cases, one a line, and reports each in a line of its own: the id, what the engine says, what was
/// expected, and `ok` or `DIFFERS`; `for people` for a case that is marked so. Empty lines are passed over.
///
/// A case with a card, an action or an option that isn't understood is reported as `DIFFERS`, with the reason.
///
/// # Errors
/// A line that is no case ends the run, as does a failing reader or writer.
pub fn run(input: impl BufRead, out: &mut impl Write) -> Result<Summary, CheckError> {
    let mut summary = Summary::default();
    for (line, text) in (1..).zip(input.lines()) {
        let text = text.map_err(|source| CheckError::Read { line, source })?;
        if text.trim().is_empty() {
            continue;
        }
        let case: Case =
            serde_json::from_str(&text).map_err(|source| CheckError::Malformed { line, source })?;
        let report = report(&case, &mut summary);
        writeln!(out, "{}: {report}", case.id).map_err(CheckError::Write)?;
    }
    Ok(summary)
}

/// The case's line, but for its id.
fn report(case: &Case, summary: &mut Summary) -> String {
    if case.people {
        summary.for_people += 1;
        return "for people".to_owned();
    }
    let judged = Expect::read(&case.expect).and_then(|expect| {
        let finding = scenario::find(case)?;
        Ok((expect.holds(&finding, case.points)?, expect.describe(&finding)?))
    });
    let (as_expected, found) = judged.unwrap_or_else(|unclear| (false, format!("not understood: {unclear}")));
    let verdict = if as_expected { "ok" } else { "DIFFERS" };
    *(if as_expected { &mut summary.ok } else { &mut summary.differing }) += 1;
    let expected = expect::text_of(&case.expect, case.points);
    format!("{found}; expected {expected}; {verdict}")
}
