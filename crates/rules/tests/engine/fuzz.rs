//! The fuzz target's harness without a fuzzer: over the committed corpus, and over random changes of it.
//!
//! `scripts/fuzz` runs it guided by coverage. Where that can't be built it runs this test for as long, with
//! `FUZZ_SECONDS`; without it the test makes a fixed number of changes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::dice::Dice;
use super::harness::fuzz_one;

/// How many changed inputs are tried where no time is given.
const CHANGES: u64 = 400;

/// The committed inputs, sorted by name.
fn corpus() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/decide");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "there is a corpus");
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn any_bytes_hold_every_invariant() {
    let corpus = corpus();
    corpus.iter().for_each(|input| run(input));
    let time = std::env::var("FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let end = time.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if end.map_or(number >= CHANGES, |end| Instant::now() >= end) {
                        break;
                    }
                    run(&changed(&corpus, &mut Dice(number)));
                }
            });
        }
    });
    println!("{} inputs", next.into_inner());
}

/// Plays an input; a fault names its bytes.
fn run(input: &[u8]) {
    if std::panic::catch_unwind(|| fuzz_one(input)).is_err() {
        let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
        panic!("these bytes show a fault: {hex}");
    }
}

/// An input of the corpus with a few changes.
fn changed(corpus: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = corpus[dice.under(corpus.len())].clone();
    for _ in 0..=dice.under(12) {
        let at = dice.under(bytes.len() + 1);
        let byte = dice.roll() as u8;
        match dice.under(6) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 if at < bytes.len() => bytes[at] ^= 1 << (byte % 8),
            3 => {
                let other = &corpus[dice.under(corpus.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[at.min(other.len())..]);
            }
            4 => bytes.extend((0..32).map(|_| dice.roll() as u8)),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
    bytes
}
