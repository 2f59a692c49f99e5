//! The fuzz target's harness without a fuzzer: over the committed corpus, and over random changes of it.
//!
//! `scripts/fuzz` runs it guided by coverage. Where that can't be built it runs this test for as long, with
//! `FUZZ_SECONDS`; without it the test makes a fixed number of changes.

mod harness;

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use harness::fuzz_one;

/// How many changed inputs are tried where no time is given.
const CHANGES: u64 = 20_000;

/// The committed inputs, sorted by name.
fn corpus() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/transcode");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "there is a corpus");
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn any_bytes_keep_every_promise() {
    let corpus = corpus();
    corpus.iter().for_each(|input| run(input));
    let time = std::env::var("FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let end = time.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut number = 0;
    while end.map_or(number < CHANGES, |end| Instant::now() < end) {
        run(&changed(&corpus, number));
        number += 1;
    }
    println!("{number} inputs");
}

/// Sends an input; a broken promise names its bytes.
fn run(input: &[u8]) {
    if std::panic::catch_unwind(|| fuzz_one(input)).is_err() {
        panic!("these bytes show a fault: {:?}", input.escape_ascii().to_string());
    }
}

/// An input of the corpus with a few changes, which a number decides.
fn changed(corpus: &[Vec<u8>], number: u64) -> Vec<u8> {
    // SplitMix64: small, and good enough to vary requests.
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut roll = |bound: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    };
    let mut bytes = corpus[roll(corpus.len())].clone();
    for _ in 0..=roll(6) {
        let (at, byte) = (roll(bytes.len() + 1), roll(256) as u8);
        match roll(6) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 if at < bytes.len() => bytes[at] ^= 1 << (byte % 8),
            3 => {
                let other = &corpus[roll(corpus.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[at.min(other.len())..]);
            }
            // What means something in a path, in a query or in JSON.
            4 => bytes.insert(at, b"%/?&=:.{}[]\",\\0-1e "[roll(19)]),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
    bytes
}
