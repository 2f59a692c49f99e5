//! What several test binaries share: `#[path = "../support/mod.rs"] mod support;`.

mod cluster;
pub(crate) mod database;
