//! A whole game as text, one line a turn, without loss: `docs/notation.md` describes it for readers.
//!
//! Only what players, clock and chance decided is written; everything else follows from the rules, by which a
//! text is read.

mod phrase;
mod read;
#[cfg(test)]
mod tests;
mod token;
mod who;
mod write;

pub use read::{NotationError, Problem, read};
pub use write::write;

/// The version of the notation.
const VERSION: &str = "1";

/// How the rules are written: as all their options, in JSON.
const RULES: &str = "remik.v1.RulesetOverrides";

/// The message whose fields are the choice for a sandbox.
const SANDBOX: &str = "remik.v1.CreateSandboxGameRequest";
