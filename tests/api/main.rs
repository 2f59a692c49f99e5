//! The whole program over real sockets: clients by gRPC and by REST with server-sent events, against the real
//! binary on each database.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../support/bot.rs"]
mod bot;
#[path = "../support/client/mod.rs"]
mod client;
#[path = "../support/cutter.rs"]
mod cutter;
#[path = "../support/log.rs"]
mod log;
#[path = "../support/raw.rs"]
mod raw;
#[path = "../support/receiver.rs"]
mod receiver;
#[path = "../support/service.rs"]
mod service;
#[path = "../support/stream.rs"]
mod stream;
#[path = "../support/mod.rs"]
mod support;

mod access;
mod accounts;
mod admin;
mod authorization;
mod bans;
mod bots;
mod call;
mod cancelled;
mod chat;
mod cli;
mod clocks;
mod cuts;
mod delayed;
mod edge;
mod feed;
mod games;
mod hosting;
mod identity;
mod instances;
mod jwt;
mod keys;
mod languages;
mod limits;
mod listing;
mod load;
mod lobby;
mod malformed;
mod matched;
mod matched_once;
mod noninterference;
mod party;
mod play;
mod practice;
mod profile;
mod program;
mod rematch;
mod repeats;
mod replays;
mod rulesets;
mod sandbox;
mod secrets;
mod spectators;
mod standings;
mod suggestions;
mod surface;
mod tables;
mod takeover;
mod thinking;
mod tickets;
mod watching;
mod webhooks;

/// Runs each test on each database.
macro_rules! on_each_backend {
    ($($(#[$attribute:meta])* $name:ident)+) => {
        mod sqlite {
            $($(#[$attribute])* #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::database::Backend::Sqlite).await;
            })+
        }
        mod postgres {
            $($(#[$attribute])* #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::database::Backend::Postgres).await;
            })+
        }
    };
}
use on_each_backend;
