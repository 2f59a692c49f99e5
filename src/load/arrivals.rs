use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::tally::Tally;

/// The moves of a table that aren't on every player's stream yet.
pub(super) struct Arrivals {
    tally: Arc<Tally>,
    expected: Mutex<Vec<Expected>>,
}

struct Expected {
    version: u32,
    due: Instant,
    /// How many streams don't have it.
    missing: usize,
}

impl Arrivals {
    pub(super) fn new(tally: Arc<Tally>) -> Self {
        Self { tally, expected: Mutex::new(Vec::new()) }
    }

    /// A move is about to be sent that `streams` players will be told.
    pub(super) fn expect(&self, version: u32, due: Instant, streams: usize) {
        if streams > 0 {
            self.expected().push(Expected { version, due, missing: streams });
        }
    }

    /// A move wasn't made.
    pub(super) fn withdraw(&self, version: u32) {
        self.expected().retain(|expected| expected.version != version);
    }

    /// A player has a move on his stream.
    pub(super) fn seen(&self, version: u32) {
        let mut expected = self.expected();
        let Some(at) = expected.iter().position(|expected| expected.version == version) else { return };
        expected[at].missing -= 1;
        if expected[at].missing == 0 {
            let expected = expected.swap_remove(at);
            self.tally.seen(expected.due.elapsed());
        }
    }

    /// Another game begins.
    pub(super) fn forget(&self) {
        self.expected().clear();
    }

    fn expected(&self) -> MutexGuard<'_, Vec<Expected>> {
        // No code panics while it holds the lock.
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
