//! The rummy family as a pure engine: rules, tables, events, views.
//!
//! No I/O, no clock, no randomness, no serialisation: the time and the shuffles are inputs, and their outcome
//! is in the events. The rules' numbers ("RULES 5") are those of `docs/rules.md`.

pub mod advice;
pub mod card;
pub mod cards;
pub mod chance;
pub mod command;
pub mod decide;
pub mod event;
pub mod evolve;
pub mod legal;
pub mod meld;
pub mod overrides;
pub mod pack;
pub mod preset;
pub mod range;
pub mod ranking;
pub mod refusal;
pub mod ruleset;
pub mod score;
pub mod seat;
pub mod situation;
pub mod suggest;
pub mod table;
pub mod view;

mod lay_off;
mod pending;
