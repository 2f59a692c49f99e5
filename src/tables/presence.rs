//! Whether somebody is still there at a table that waits for its first deal.

use std::sync::atomic::Ordering;
use std::time::Duration;

use remik_rules::chance::Millis;
use remik_rules::seat::PlayerId;

use super::LiveTable;
use crate::store::{self, Outage, StoreError};

impl LiveTable {
    /// A player looks at the table. As long as one does who has a seat, a table that waits isn't closed: the alarm is put
    /// off, now and then.
    pub(super) async fn attend(&self, player: PlayerId) {
        let now = self.clock.now();
        let set_at = {
            let state = self.state();
            if !state.table.is_waiting() || state.table.seat_of(player).is_none() {
                return;
            }
            state.alarm_set_at
        };
        let before = self.attended_at.load(Ordering::Relaxed).max(set_at.0);
        if now.0.saturating_sub(before) < self.idle / 4 {
            return;
        }
        self.attended_at.store(now.0, Ordering::Relaxed);
        if let Err(error) = self.put_off(set_at, now).await {
            // Who stays looks again.
            tracing::warn!(game = %self.meta.game, %error, "a table's closing isn't put off");
        }
    }

    /// How often who stays at the table has to be heard of.
    pub(super) fn attendance(&self) -> Duration {
        Duration::from_millis((self.idle / 3).max(1).unsigned_abs())
    }

    /// Lets the table wait as long again as it does at most, from a time on, but not longer than until the clock has
    /// something else to do. If another move has set the alarm since, nothing changes.
    async fn put_off(&self, set_at: Millis, from: Millis) -> Result<(), StoreError> {
        let other = self.state().table.alarm().map_or(i64::MAX, |(at, _)| at.0);
        let until = store::Millis(from.0.saturating_add(self.idle).min(other));
        self.store.put_alarm_off(self.meta.game, store::Millis(set_at.0), until).await
    }

    /// Until when a table whose time is up waits nevertheless: somebody was there, or nobody could be, since the service
    /// was down.
    pub(super) async fn waits_until(&self, set_at: Millis, outages: &[Outage]) -> Result<Millis, StoreError> {
        if let Some(ended) = outages.iter().map(|outage| outage.ended.0).max().filter(|at| *at > set_at.0) {
            self.put_off(set_at, Millis(ended)).await?;
        }
        let alarm = self.store.alarm(self.meta.game).await?;
        Ok(alarm.map_or(Millis(i64::MIN), |at| Millis(at.0)))
    }
}
