//! What is remembered for a while, so that not every call asks the database.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

/// How much is remembered at most; what was used longest ago goes first.
const MOST: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");

/// Values that are good for a while.
pub(super) struct Memory<K: Hash + Eq, V>(Mutex<LruCache<K, (V, Instant)>>);

impl<K: Hash + Eq + Clone, V: Clone> Memory<K, V> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }

    pub(super) fn get(&self, key: &K) -> Option<V> {
        let mut values = self.lock();
        let (value, until) = values.get(key)?;
        if *until > Instant::now() {
            return Some(value.clone());
        }
        values.pop(key);
        None
    }

    pub(super) fn put(&self, key: K, value: V, good_for: Duration) {
        self.lock().put(key, (value, Instant::now() + good_for));
    }

    /// Forgets the value of a key.
    pub(super) fn forget_key(&self, key: &K) {
        self.lock().pop(key);
    }

    /// Forgets the values that a function picks.
    pub(super) fn forget(&self, picked: impl Fn(&V) -> bool) {
        let mut values = self.lock();
        let keys: Vec<K> =
            values.iter().filter(|(_, (value, _))| picked(value)).map(|(key, _)| key.clone()).collect();
        for key in keys {
            values.pop(&key);
        }
    }

    /// No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, LruCache<K, (V, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_longer_good_is_forgotten() {
        let memory = Memory::new();
        memory.put(1, "one", Duration::ZERO);
        memory.put(2, "two", Duration::from_secs(60));
        memory.put(3, "three", Duration::from_secs(60));
        assert_eq!([1, 2, 3].map(|key| memory.get(&key)), [None, Some("two"), Some("three")]);
        memory.forget(|value| *value == "two");
        assert_eq!([2, 3].map(|key| memory.get(&key)), [None, Some("three")]);
        memory.forget_key(&3);
        assert_eq!(memory.get(&3), None);
    }
}
