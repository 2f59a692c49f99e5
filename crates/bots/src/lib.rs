//! Players for any ruleset of the engine, in three strengths.
//!
//! A [`Bot`] is told the events that its seat may see and answers with its seat's next command. It has no way to
//! a table: what it reasons about are tables that it imagines from its view. Pure: no I/O and no clock; its
//! chance comes from a seed, and how long it may think is asked of a function that the caller gives.

mod appraise;
mod bot;
mod cover;
pub mod dice;
mod easy;
mod faces;
mod hard;
mod known;
mod memory;
mod normal;
mod plays;
mod race;

pub use bot::Bot;
