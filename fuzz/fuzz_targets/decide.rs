//! Commands of anybody at any table, judged by the engine: the harness of the rules' own tests, here guided by
//! coverage.
#![no_main]

#[path = "../../crates/rules/tests/engine/dice.rs"]
mod dice;
#[path = "../../crates/rules/tests/engine/harness.rs"]
mod harness;
#[path = "../../crates/rules/tests/engine/input.rs"]
mod input;
#[path = "../../crates/rules/tests/engine/player.rs"]
mod player;
#[path = "../../crates/rules/tests/engine/rulesets.rs"]
mod rulesets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| harness::fuzz_one(data));
