//! The whole program over real sockets: clients by gRPC and by REST with server-sent events, against the real
//! binary on each database.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../support/bot.rs"]
mod bot;
#[path = "../support/client/mod.rs"]
mod client;
#[path = "../support/log.rs"]
mod log;
#[path = "../support/service.rs"]
mod service;
#[path = "../support/mod.rs"]
mod support;

mod access;
mod bots;
mod cancelled;
mod clocks;
mod games;
mod instances;
mod languages;
mod listing;
mod malformed;
mod party;
mod program;
mod repeats;
mod rulesets;
mod secrets;
mod suggestions;
mod surface;
mod takeover;
mod thinking;
mod watching;

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
