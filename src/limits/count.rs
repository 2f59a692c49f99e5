//! How many of something each of many callers has.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

/// One of those that are counted; it counts until it is dropped.
pub struct Slot {
    /// What counts it; none for one that doesn't count.
    _held: Option<Box<dyn Send + Sync>>,
}

impl Slot {
    /// One that doesn't count.
    pub(super) fn free() -> Self {
        Self { _held: None }
    }
}

/// A count for all together.
pub(super) struct Count(Arc<Semaphore>);

impl Count {
    pub(super) fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))))
    }

    /// One more; `None` if there are as many as may be.
    pub(super) fn take(&self) -> Option<Slot> {
        let permit = Arc::clone(&self.0).try_acquire_owned().ok()?;
        Some(Slot { _held: Some(Box::new(permit)) })
    }
}

/// A count for each caller who has any.
pub(super) struct Counts<K> {
    most: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Hash + Eq + Copy + Send + Sync + 'static> Counts<K> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, counts: Arc::default() }
    }

    /// One more of a caller's; `None` if he has as many as he may.
    pub(super) fn take(&self, caller: K) -> Option<Slot> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(caller).or_default();
        if *count >= self.most {
            if self.most == 0 {
                counts.remove(&caller);
            }
            return None;
        }
        *count += 1;
        let counted = Counted { counts: Arc::clone(&self.counts), caller };
        Some(Slot { _held: Some(Box::new(counted)) })
    }
}

struct Counted<K: Hash + Eq> {
    counts: Arc<Mutex<HashMap<K, usize>>>,
    caller: K,
}

impl<K: Hash + Eq> Drop for Counted<K> {
    fn drop(&mut self) {
        // No code panics while it holds the lock.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back() {
        let counts = Counts::new(2);
        let first = counts.take('a');
        let second = counts.take('a');
        assert!(first.is_some() && second.is_some() && counts.take('a').is_none());
        assert!(counts.take('b').is_some());
        drop(first);
        assert!(counts.take('a').is_some());
        drop(second);
        assert_eq!(counts.counts.lock().unwrap().len(), 0, "who has none takes no memory");
        assert!(Counts::new(0).take('a').is_none());
    }

    #[test]
    fn all_together_are_counted() {
        let count = Count::new(1);
        let one = count.take();
        assert!(one.is_some() && count.take().is_none());
        drop(one);
        assert!(count.take().is_some());
    }
}
