//! One suite for the store, run on each database.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../support/mod.rs"]
mod support;

mod admin;
mod append;
mod blocks;
mod chat;
mod clocks;
mod duties;
mod faults;
mod feed;
mod fixture;
mod keys;
mod lists;
mod lobby;
mod players;
mod privacy;
mod standings;
mod tickets;
mod webhooks;

/// Makes a test of each function on each database.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::database::Backend::Sqlite).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::database::Backend::Postgres).await;
            })+
        }
    };
}

pub(crate) use on_both;
