//! The remik game service: rules, event log, live tables, API.
//!
//! ARCHITECTURE.md walks through it.

pub mod admin;
pub mod administration;
pub mod api;
pub mod arena;
pub mod audit;
pub mod authorization;
pub mod bots;
pub mod chat;
pub mod check;
pub mod codec;
pub mod config;
pub mod erasures;
pub mod error;
pub mod export;
pub mod fairness;
pub mod feed;
pub mod identity;
pub mod keys;
pub mod limits;
pub mod liveness;
pub mod load;
pub mod lobby;
pub mod matchmaking;
pub mod matchsim;
pub mod notation;
pub mod profile;
pub mod proto;
pub mod ratings;
pub mod record;
pub mod replay;
pub mod replays;
pub mod rulesets;
pub mod server;
pub mod standings;
pub mod store;
pub mod tables;
pub mod telemetry;
pub mod verify;
pub mod webhooks;
