//! How often each of many callers may come.

use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

/// How many callers are told apart: the memory that a rate takes is bounded, whoever comes. Of more, some share what
/// one may do; nobody can choose with whom.
const SLOTS: u64 = 1 << 16;

/// After how many calls those who haven't come for a while are forgotten.
const SWEEP: u32 = 1 << 14;

/// A rate for callers of one kind.
pub(super) struct Rate<K, C: Clock = DefaultClock> {
    limiter: RateLimiter<u64, DashMapStateStore<u64>, C, NoOpMiddleware<C::Instant>>,
    clock: C,
    hasher: RandomState,
    calls: AtomicU32,
    callers: PhantomData<fn(K)>,
}

impl<K: Hash> Rate<K> {
    /// So many calls each `period`, and those of `burst` periods at once.
    pub(super) fn new(calls: NonZeroU32, period: Duration, burst: u32) -> Self {
        Self::by(DefaultClock::default(), calls, period, burst)
    }
}

impl<K: Hash, C: Clock + Clone> Rate<K, C> {
    fn by(clock: C, calls: NonZeroU32, period: Duration, burst: u32) -> Self {
        let at_once = calls.saturating_mul(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN));
        // A rate beyond a call a nanosecond is none.
        let quota = Quota::with_period(period / calls.get()).unwrap_or(Quota::per_second(NonZeroU32::MAX));
        Self {
            limiter: RateLimiter::new(
                quota.allow_burst(at_once),
                DashMapStateStore::default(),
                clock.clone(),
            ),
            clock,
            hasher: RandomState::new(),
            calls: AtomicU32::new(0),
            callers: PhantomData,
        }
    }

    /// Counts a call, or tells how long the caller has to wait for it.
    pub(super) fn check(&self, caller: &K) -> Result<(), Duration> {
        if self.calls.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        let slot = self.hasher.hash_one(caller) % SLOTS;
        self.limiter.check_key(&slot).map_err(|early| early.wait_time_from(self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn rate(clock: &FakeRelativeClock) -> Rate<u128, FakeRelativeClock> {
        Rate::by(clock.clone(), NonZeroU32::new(10).unwrap(), Duration::from_secs(1), 2)
    }

    #[test]
    fn each_has_his_own_rate() {
        let clock = FakeRelativeClock::default();
        let rate = rate(&clock);
        for _ in 0..20 {
            assert_eq!(rate.check(&1), Ok(()));
        }
        let wait = rate.check(&1).unwrap_err();
        assert!(wait <= Duration::from_millis(100), "{wait:?}");
        assert_eq!(rate.check(&2), Ok(()));
        clock.advance(wait);
        assert_eq!(rate.check(&1), Ok(()));
        assert!(rate.check(&1).is_err());
        clock.advance(Duration::from_secs(60));
        assert_eq!((0..100).filter(|_| rate.check(&1).is_ok()).count(), 20);
    }

    #[test]
    fn memory_is_bounded_and_the_idle_are_forgotten() {
        let clock = FakeRelativeClock::default();
        let rate = rate(&clock);
        for caller in 0..300_000 {
            let _ = rate.check(&caller);
        }
        assert!(rate.limiter.len() <= SLOTS as usize);
        clock.advance(Duration::from_secs(60));
        for _ in 0..=SWEEP {
            let _ = rate.check(&1);
        }
        assert_eq!(rate.limiter.len(), 1);
    }
}
