//! Legal moves against the judge: whatever single step `decide` accepts is listed, and nothing else.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod judge;
mod situations;
mod support;
mod turns;
