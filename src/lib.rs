//! The remik game service: rules, event log, live tables, API.
//!
//! ARCHITECTURE.md walks through it.

pub mod api;
pub mod arena;
pub mod authorization;
pub mod bots;
pub mod check;
pub mod codec;
pub mod config;
pub mod error;
pub mod export;
pub mod fairness;
pub mod feed;
pub mod identity;
pub mod keys;
pub mod limits;
pub mod liveness;
pub mod load;
pub mod notation;
pub mod proto;
pub mod ratings;
pub mod record;
pub mod replay;
pub mod replays;
pub mod rulesets;
pub mod server;
pub mod store;
pub mod tables;
pub mod telemetry;
pub mod verify;
pub mod webhooks;
