//! A finished game as a JSON document that proves itself: its moves are chained by their hashes, and the service
//! has signed the last one. `docs/fairness.md` describes it for who checks it without this program.

mod chain;
mod document;
#[cfg(test)]
mod golden;
mod key;
#[cfg(test)]
mod tests;

pub use document::{Document, ExportFault, export, parse};
pub use key::{PublicKey, SigningKey};
