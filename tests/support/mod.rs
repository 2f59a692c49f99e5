//! What several test binaries share: `#[path = "../support/mod.rs"] mod support;`. Those that run the program
//! declare `service` and `client` next to it.

mod cluster;
pub(crate) mod database;
