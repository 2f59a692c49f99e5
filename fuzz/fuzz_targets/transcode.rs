//! Requests of any kind to the transcoder: the harness of its own tests, here guided by coverage.
#![no_main]

#[path = "../../crates/transcoding/tests/it/fuzz/harness.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|data: &[u8]| harness::fuzz_one(data));
