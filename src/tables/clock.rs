//! The time that moves are dated by: the database's, which all instances share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use remik_rules::chance::Millis;

use crate::store::{Store, StoreError};

/// The database's clock, read from this machine's with the difference seen last.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// Database minus machine, in milliseconds.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    /// The time now.
    pub fn now(&self) -> Millis {
        Millis(machine_time() + self.ahead.load(Ordering::Relaxed))
    }

    /// Asks the database for its time. To be done at the start, and now and then.
    ///
    /// # Errors
    /// The database is unavailable; the clock goes on as before.
    pub async fn set(&self, store: &Store) -> Result<(), StoreError> {
        let before = machine_time();
        let theirs = store.now().await?;
        // The answer was made about halfway between the question and now.
        let ours = before + (machine_time() - before) / 2;
        self.ahead.store(theirs.0 - ours, Ordering::Relaxed);
        Ok(())
    }
}

fn machine_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
