use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

/// What was measured so far, by all tables.
pub(super) struct Tally {
    counting: AtomicBool,
    counts: Mutex<Counts>,
}

/// The figures of a measurement. Times are in microseconds.
#[derive(Debug, Clone)]
pub(super) struct Counts {
    /// From the time that a move was due to its answer, by kind of move.
    pub(super) answered: BTreeMap<&'static str, Histogram<u64>>,
    /// Of all moves.
    pub(super) moves: Histogram<u64>,
    /// From the time that a move was due until the last player had it on his stream.
    pub(super) seen: Histogram<u64>,
    /// Questions for legal moves.
    pub(super) asked: Histogram<u64>,
    /// What was refused or failed, by reason.
    pub(super) troubles: BTreeMap<String, u64>,
    /// Commands that were sent once more.
    pub(super) repeats: u64,
    /// Games that were played to their end.
    pub(super) games: u64,
    /// Deals that were.
    pub(super) deals: u64,
}

/// How it goes.
pub(super) struct Standing {
    pub(super) moves: u64,
    pub(super) p50_us: u64,
    pub(super) p99_us: u64,
    pub(super) troubles: u64,
}

impl Default for Tally {
    fn default() -> Self {
        let counts = Counts {
            answered: BTreeMap::new(),
            moves: histogram(),
            seen: histogram(),
            asked: histogram(),
            troubles: BTreeMap::new(),
            repeats: 0,
            games: 0,
            deals: 0,
        };
        Self { counting: AtomicBool::new(false), counts: Mutex::new(counts) }
    }
}

/// To three digits, growing as it needs to.
fn histogram() -> Histogram<u64> {
    // Refused are only more than five digits.
    Histogram::new(3).expect("three digits are allowed")
}

fn record(histogram: &mut Histogram<u64>, micros: u64) {
    // It grows to whatever comes; an hour has some 4 * 10^9 microseconds.
    let _ = histogram.record(micros);
}

fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

impl Tally {
    pub(super) fn is_counting(&self) -> bool {
        self.counting.load(Ordering::Relaxed)
    }

    pub(super) fn count_from_now(&self) {
        self.counting.store(true, Ordering::Relaxed);
    }

    pub(super) fn stop_counting(&self) {
        self.counting.store(false, Ordering::Relaxed);
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        if self.is_counting() {
            change(&mut self.counts());
        }
    }

    pub(super) fn answered(&self, kind: &'static str, took: Duration) {
        self.count(|counts| {
            let took = micros(took);
            record(&mut counts.moves, took);
            record(counts.answered.entry(kind).or_insert_with(histogram), took);
        });
    }

    pub(super) fn seen(&self, took: Duration) {
        self.count(|counts| record(&mut counts.seen, micros(took)));
    }

    pub(super) fn asked(&self, took: Duration) {
        self.count(|counts| record(&mut counts.asked, micros(took)));
    }

    pub(super) fn trouble(&self, reason: &str) {
        self.count(|counts| *counts.troubles.entry(reason.to_owned()).or_default() += 1);
    }

    pub(super) fn repeated(&self) {
        self.count(|counts| counts.repeats += 1);
    }

    pub(super) fn deal_over(&self) {
        self.count(|counts| counts.deals += 1);
    }

    pub(super) fn game_over(&self) {
        self.count(|counts| counts.games += 1);
    }

    pub(super) fn progress(&self) -> Standing {
        let counts = self.counts();
        Standing {
            moves: counts.moves.len(),
            p50_us: counts.moves.value_at_quantile(0.5),
            p99_us: counts.moves.value_at_quantile(0.99),
            troubles: counts.troubles.values().sum(),
        }
    }

    pub(super) fn counts(&self) -> MutexGuard<'_, Counts> {
        // A histogram that a panic left is still one.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
