//! Whole games of bots, through the public interface.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod hiding;
mod legality;
mod support;
