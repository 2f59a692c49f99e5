//! Programs in other languages against the real service.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../support/service.rs"]
mod service;
#[path = "../support/mod.rs"]
mod support;

mod curl;
mod cuts;
mod played;
mod program;
mod python;
mod schemathesis;
mod typescript;
mod webhooks;
