//! The engine as its users see it: whole games and arranged situations through the public API.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod advice;
mod clock;
mod hands;
mod imagine;
mod lobby;
mod melds;
mod pending;
mod plays;
mod properties;
mod rulesets;
mod standings;
mod stock;
mod support;
