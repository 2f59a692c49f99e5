//! The engine as its users see it: whole games and arranged situations through the public API.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod advice;
mod bots;
mod clock;
mod dice;
mod fuzz;
mod hands;
mod harness;
mod hosting;
mod imagine;
mod input;
mod lobby;
mod melds;
mod pending;
mod player;
mod plays;
mod playthrough;
mod presets;
mod properties;
mod rulesets;
mod sandbox;
mod scoring;
mod standings;
mod stock;
mod stop;
mod support;
mod time_bank;
mod verify;
