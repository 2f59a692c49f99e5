//! Deliveries are made: by one instance, one after another for each game at each webhook, many games at once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prost::Message;
use rand::RngExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{WebhookError, Webhooks, signature};
use crate::codec::json;
use crate::proto::v1::WebhookEvent;
use crate::store::{AfterAttempt, Attempt, Delivery, GameId, StoreError, Webhook};

/// The name of the duty.
const DUTY: &str = "webhooks";

/// How often it is looked what there is to do; and while there are no webhooks.
const ROUND: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(1);

/// How often the duty is kept.
const KEEP: Duration = Duration::from_secs(1);

/// For how long after it was kept deliveries are begun. One that was begun is over before the duty lapses, so nobody
/// else makes the next one of its game before it.
const BEGIN: Duration = Duration::from_secs(4);

/// How many deliveries are made at once, and to one webhook.
const AT_ONCE: usize = 256;
const AT_ONE: usize = 8;

/// How many deliveries of a game are made before others at the webhook have their turn.
const IN_A_ROW: usize = 32;

/// The longest time between two attempts.
const LONGEST: Duration = Duration::from_secs(3600);

/// An instance that makes deliveries while it has the duty.
struct Courier {
    webhooks: Arc<Webhooks>,
    instance: Uuid,
    /// Until when deliveries may be begun, and when the duty was kept last.
    duty: Mutex<Option<Instant>>,
    /// The lanes that are being worked on.
    busy: Mutex<HashSet<(Uuid, GameId)>>,
    slots: Arc<Semaphore>,
}

impl Webhooks {
    /// Makes deliveries until `stop`; those that were begun are ended.
    pub async fn deliver(self: Arc<Self>, stop: CancellationToken) {
        let courier = Arc::new(Courier {
            webhooks: self,
            instance: Uuid::new_v4(),
            duty: Mutex::default(),
            busy: Mutex::default(),
            slots: Arc::new(Semaphore::new(AT_ONCE)),
        });
        let mut tasks = JoinSet::new();
        let mut wait = ROUND;
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = sleep(wait) => {}
            }
            while tasks.try_join_next().is_some() {}
            let round = tokio::select! {
                () = stop.cancelled() => break,
                round = courier.round(&mut tasks) => round,
            };
            wait = match round {
                Ok(true) => ROUND,
                Ok(false) => IDLE,
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, "webhooks aren't served; it is tried again");
                    IDLE
                }
            };
        }
        courier.stop_beginning();
        while tasks.join_next().await.is_some() {}
        let store = &courier.webhooks.store;
        if store.is_shared()
            && let Err(error) = store.give_back_duty(DUTY, courier.instance).await
        {
            tracing::warn!(%error, "the duty of webhooks lapses by itself");
        }
    }
}

impl Courier {
    /// Does what there is to do; whether there are any webhooks.
    async fn round(self: &Arc<Self>, tasks: &mut JoinSet<()>) -> Result<bool, WebhookError> {
        let store = &self.webhooks.store;
        let live = store.live_webhooks().await?;
        if live.is_empty() {
            return Ok(false);
        }
        if !self.keep_duty().await? {
            return Ok(true);
        }
        let enqueued = self.webhooks.enqueue().await;
        // What is there already is sent, whatever comes of the rest.
        self.dispatch(&live, tasks).await?;
        enqueued.map(|()| true)
    }

    /// Begins the deliveries that are due.
    async fn dispatch(self: &Arc<Self>, live: &[Webhook], tasks: &mut JoinSet<()>) -> Result<(), StoreError> {
        let store = &self.webhooks.store;
        for webhook in live.iter().filter(|webhook| !webhook.paused) {
            let here = self.busy().iter().filter(|(id, _)| *id == webhook.id).count();
            let free = AT_ONE.saturating_sub(here);
            if free == 0 {
                continue;
            }
            let due = store.due_lanes(webhook.id, self.webhooks.now(), AT_ONE as u32).await?;
            let due = due.into_iter().filter(|game| !self.busy().contains(&(webhook.id, *game)));
            for game in due.take(free).collect::<Vec<_>>() {
                let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else { return Ok(()) };
                self.busy().insert((webhook.id, game));
                let lane = Lane { courier: Arc::clone(self), webhook: webhook.clone(), game, _slot: slot };
                tasks.spawn(lane.work());
            }
        }
        Ok(())
    }

    /// Takes the duty or keeps it; whether deliveries may be begun.
    async fn keep_duty(&self) -> Result<bool, StoreError> {
        let began = Instant::now();
        if self.may_begin_at(began + (BEGIN - KEEP)) {
            return Ok(true);
        }
        let store = &self.webhooks.store;
        let lapse = self.webhooks.settings.timeout + BEGIN;
        // Nobody else can be there who would have to be asked.
        let ours = !store.is_shared() || store.take_duty(DUTY, self.instance, lapse).await?;
        *self.duty() = ours.then_some(began + BEGIN);
        Ok(ours)
    }

    fn may_begin_at(&self, time: Instant) -> bool {
        self.duty().is_some_and(|until| time < until)
    }

    fn stop_beginning(&self) {
        *self.duty() = None;
    }

    // No code panics while it holds one of the locks.

    fn duty(&self) -> MutexGuard<'_, Option<Instant>> {
        self.duty.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn busy(&self) -> MutexGuard<'_, HashSet<(Uuid, GameId)>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The deliveries of a game at a webhook.
struct Lane {
    courier: Arc<Courier>,
    webhook: Webhook,
    game: GameId,
    _slot: OwnedSemaphorePermit,
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.courier.busy().remove(&(self.webhook.id, self.game));
    }
}

impl Lane {
    async fn work(mut self) {
        for _ in 0..IN_A_ROW {
            match self.next().await {
                Ok(true) => {}
                Ok(false) => return,
                // The attempt may not have been noted: then it is made again.
                Err(error) => return tracing::warn!(%error, "a delivery isn't made; it is tried again"),
            }
        }
    }

    /// Makes an attempt at the next delivery; whether another is due at once.
    async fn next(&mut self) -> Result<bool, StoreError> {
        let webhooks = Arc::clone(&self.courier.webhooks);
        let store = &webhooks.store;
        let Some(delivery) = store.first_waiting(self.webhook.id, self.game).await? else { return Ok(false) };
        // It may have been changed, paused or deleted meanwhile.
        match store.webhook(self.webhook.key_id, self.webhook.id).await? {
            Some(webhook) if !webhook.paused && webhook.deleted_at.is_none() => self.webhook = webhook,
            _ => return Ok(false),
        }
        if !self.courier.may_begin_at(Instant::now()) {
            return Ok(false);
        }
        let attempt = self.attempt(&webhooks, &delivery).await;
        let open = store.note_attempt(self.webhook.id, self.game, delivery.place, &attempt).await?;
        Ok(open && !matches!(attempt.next, AfterAttempt::Again(_)))
    }

    async fn attempt(&self, webhooks: &Webhooks, delivery: &Delivery) -> Attempt {
        let now = webhooks.now();
        // What was written is read; if it isn't, the receiver gets what is left of it.
        let event = WebhookEvent::decode(&delivery.event[..]).unwrap_or_default();
        let body = json::encode_in_full("remik.v1.WebhookEvent", &event);
        let old = self.webhook.old_secret.as_deref().filter(|_| self.webhook.old_until > Some(now));
        let secrets = [Some(self.webhook.secret.as_str()), old].into_iter().flatten();
        let headers = [
            (signature::HEADER, signature::header(secrets, now.0.div_euclid(1000), &body)),
            ("remik-delivery", delivery.id.to_string()),
        ];
        let said = webhooks.sender.post(&self.webhook.url, &headers, body).await;
        let attempts = delivery.attempts.saturating_add(1);
        let next = match said.failure {
            None => AfterAttempt::Delivered,
            Some(_) if attempts >= webhooks.settings.attempts => AfterAttempt::Dead,
            Some(_) => AfterAttempt::Again(webhooks.later_by(delay(webhooks.settings.retry, attempts))),
        };
        let at = webhooks.now();
        // Statuses have three digits, and the choices are few.
        let failure = said.failure.map_or(0, |failure| i16::try_from(i32::from(failure)).unwrap_or(0));
        Attempt { at, failure, status: i16::try_from(said.status).unwrap_or(0), next }
    }
}

/// How long to wait after so many attempts: twice as long each time, and not for all at the same time.
fn delay(first: Duration, attempts: u32) -> Duration {
    let doubled = first.saturating_mul(1 << (attempts.saturating_sub(1)).min(20)).min(LONGEST);
    doubled.mul_f64(rand::rng().random_range(0.5..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_gets_longer_up_to_an_hour() {
        let first = Duration::from_secs(2);
        for (attempts, longest) in [(1, 2), (2, 4), (3, 8), (11, 2048), (12, 3600), (u32::MAX, 3600)] {
            let longest = Duration::from_secs(longest);
            for _ in 0..100 {
                let waited = delay(first, attempts);
                assert!(waited <= longest && waited >= longest / 2, "{attempts}: {waited:?}");
            }
        }
    }
}
