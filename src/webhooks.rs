//! Webhooks: what happens in games, posted to backends at least once, and of each game in order.
//!
//! The feed becomes deliveries together with the cursor up to which it has (`enqueue`), so nothing is missed or made
//! twice whenever the process ends. Deliveries are made by the one instance that has the duty (`courier`).

mod address;
mod courier;
mod enqueue;
mod sender;
mod signature;
mod target;

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::codec::wire::{NewWebhook, WebhookChange};
use crate::config::Networks;
use crate::feed::{Feed, FeedError};
use crate::identity::Secret;
use crate::store::{Delivery, DeliveryState, Millis, Store, StoreError, Webhook};
use crate::tables::Clock;
use sender::Sender;
pub use target::UrlFault;

/// The most webhooks of an API key.
pub const MOST_WEBHOOKS: u32 = 20;

/// How long deliveries are signed by a former secret too.
const OLD_SECRET: Duration = Duration::from_hours(24);

/// How long a delivery is kept that was taken, and any other.
const KEEP_DELIVERED: Duration = Duration::from_hours(24);
const KEEP_OTHERS: Duration = Duration::from_hours(24 * 30);

/// How long a deleted webhook is known to repeats of the request that has made it.
const KEEP_DELETED: Duration = Duration::from_hours(24 * 7);

/// How many dead letters are replayed that aren't named.
const MOST_REPLAYED: u32 = 1000;

/// How webhooks are posted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// Which networks may be called though they aren't public, also by http.
    pub allowed: Networks,
    /// How many attempts make a dead letter, at least 1.
    pub attempts: u32,
    /// How long after the first attempt comes the second.
    pub retry: Duration,
    /// How long an attempt may take.
    pub timeout: Duration,
}

/// Why a webhook isn't made, changed or shown.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The key has no such webhook.
    #[error("there is no such webhook")]
    NotFound,
    /// The request id was used for another webhook.
    #[error("the request id was used for another command")]
    RequestReused,
    /// The key has as many as it may.
    #[error("an API key has at most {MOST_WEBHOOKS} webhooks")]
    TooMany,
    /// The URL may not be posted to.
    #[error("the URL isn't posted to: {0}")]
    Url(#[from] UrlFault),
    /// The feed can't be read.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The webhooks of all API keys.
pub struct Webhooks {
    store: Arc<Store>,
    feed: Arc<Feed>,
    clock: Clock,
    settings: WebhookSettings,
    sender: Sender,
}

impl Webhooks {
    /// The webhooks of a store.
    ///
    /// # Errors
    /// The HTTP client can't be set up.
    pub fn new(
        store: Arc<Store>,
        feed: Arc<Feed>,
        clock: Clock,
        settings: WebhookSettings,
    ) -> Result<Self, reqwest::Error> {
        let sender = Sender::new(&settings)?;
        Ok(Self { store, feed, clock, settings, sender })
    }

    /// Makes a webhook of a key, or finds the one that the same request has made; with its secret, unless it was
    /// rotated since.
    ///
    /// # Errors
    /// The URL may not be posted to, the key has too many, or the request was another one or its webhook is deleted.
    pub async fn create(
        &self,
        key: Uuid,
        new: NewWebhook,
    ) -> Result<(Webhook, Option<Secret>), WebhookError> {
        if let Some(made) = self.made_before(key, &new).await? {
            return Ok(made);
        }
        target::check(&new.url, &self.settings.allowed).await?;
        if self.store.webhooks(key, Uuid::nil(), MOST_WEBHOOKS).await?.len() >= MOST_WEBHOOKS as usize {
            return Err(WebhookError::TooMany);
        }
        let secret = Secret::of_webhook();
        let webhook = Webhook {
            id: Uuid::now_v7(),
            key_id: key,
            request_id: new.request_id,
            fingerprint: fingerprint(&new),
            name: new.name.clone(),
            url: new.url.clone(),
            kinds: new.kinds.0,
            paused: false,
            secret: secret.reveal().to_owned(),
            old_secret: None,
            old_until: None,
            rotated_by: None,
            made_at: self.now(),
            deleted_at: None,
        };
        if self.store.add_webhook(&webhook, &self.feed.end().await?).await? {
            return Ok((webhook, Some(secret)));
        }
        // Somebody sent the same request at the same time.
        self.made_before(key, &new).await?.ok_or(WebhookError::NotFound)
    }

    async fn made_before(
        &self,
        key: Uuid,
        new: &NewWebhook,
    ) -> Result<Option<(Webhook, Option<Secret>)>, WebhookError> {
        let Some(made) = self.store.webhook_of_request(key, new.request_id).await? else { return Ok(None) };
        if made.fingerprint != fingerprint(new) {
            return Err(WebhookError::RequestReused);
        }
        if made.deleted_at.is_some() {
            return Err(WebhookError::NotFound);
        }
        let secret = made.rotated_by.is_none().then(|| Secret::stored(&made.secret));
        Ok(Some((made, secret)))
    }

    /// The webhooks of a key behind an id, at most `limit` of them, the oldest first.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list(&self, key: Uuid, after: Uuid, limit: u32) -> Result<Vec<Webhook>, WebhookError> {
        Ok(self.store.webhooks(key, after, limit).await?)
    }

    /// A webhook of a key.
    ///
    /// # Errors
    /// There is no such one, or the store fails.
    pub async fn get(&self, key: Uuid, id: Uuid) -> Result<Webhook, WebhookError> {
        let webhook = self.store.webhook(key, id).await?;
        webhook.filter(|webhook| webhook.deleted_at.is_none()).ok_or(WebhookError::NotFound)
    }

    /// Changes a webhook of a key.
    ///
    /// # Errors
    /// There is no such one, its URL may not be posted to, or the store fails.
    pub async fn change(&self, key: Uuid, id: Uuid, change: WebhookChange) -> Result<Webhook, WebhookError> {
        let mut webhook = self.get(key, id).await?;
        if let Some(url) = change.url.filter(|url| *url != webhook.url) {
            target::check(&url, &self.settings.allowed).await?;
            webhook.url = url;
        }
        webhook.name = change.name.unwrap_or(webhook.name);
        webhook.kinds = change.kinds.map_or(webhook.kinds, |kinds| kinds.0);
        webhook.paused = change.paused.unwrap_or(webhook.paused);
        self.store.change_webhook(&webhook).await?;
        Ok(webhook)
    }

    /// Deletes a webhook of a key; one that was deleted before stays so.
    ///
    /// # Errors
    /// There is no such one, or the store fails.
    pub async fn delete(&self, key: Uuid, id: Uuid) -> Result<(), WebhookError> {
        let webhook = self.store.webhook(key, id).await?.ok_or(WebhookError::NotFound)?;
        Ok(self.store.delete_webhook(webhook.id, self.now()).await?)
    }

    /// Gives a webhook of a key another secret; a repeat of the last rotation gives the same. With the end of the
    /// former one.
    ///
    /// # Errors
    /// There is no such one, or the store fails.
    pub async fn rotate(&self, key: Uuid, id: Uuid, request: Uuid) -> Result<(Secret, Millis), WebhookError> {
        self.get(key, id).await?;
        let secret = Secret::of_webhook();
        let old_until = self.later_by(OLD_SECRET);
        self.store.rotate_webhook(id, request, secret.reveal(), old_until).await?;
        let webhook = self.get(key, id).await?;
        Ok((Secret::stored(&webhook.secret), webhook.old_until.unwrap_or(old_until)))
    }

    /// The deliveries of a key's webhook behind a place, at most `limit` of them, in order.
    ///
    /// # Errors
    /// There is no such webhook, or the store fails.
    pub async fn deliveries(
        &self,
        key: Uuid,
        id: Uuid,
        state: Option<DeliveryState>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Delivery>, WebhookError> {
        self.get(key, id).await?;
        Ok(self.store.deliveries(id, state, after, limit).await?)
    }

    /// Has dead letters of a key's webhook sent again, the oldest if none are named; how many there were.
    ///
    /// # Errors
    /// There is no such webhook, or the store fails.
    pub async fn replay(&self, key: Uuid, id: Uuid, named: &[Uuid]) -> Result<u32, WebhookError> {
        self.get(key, id).await?;
        if named.is_empty() {
            return Ok(self.store.replay_deliveries(id, None, MOST_REPLAYED, self.now()).await?);
        }
        let mut replayed = 0;
        for delivery in named {
            replayed += self.store.replay_deliveries(id, Some(*delivery), 1, self.now()).await?;
        }
        Ok(replayed)
    }

    /// Forgets what is kept long enough, and says how many deliveries.
    ///
    /// # Errors
    /// The store fails.
    pub async fn sweep(&self) -> Result<u64, StoreError> {
        let before = |kept: Duration| Millis(self.now().0.saturating_sub(millis(kept)));
        let (delivered, others) = (before(KEEP_DELIVERED), before(KEEP_OTHERS));
        self.store.sweep_webhooks(delivered, others, before(KEEP_DELETED)).await
    }

    /// The time now.
    pub fn now(&self) -> Millis {
        Millis(self.clock.now().0)
    }

    fn later_by(&self, time: Duration) -> Millis {
        Millis(self.now().0.saturating_add(millis(time)))
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// A digest of what is asked for, to tell a repeat from another request. It is stored, so its form never changes.
fn fingerprint(new: &NewWebhook) -> i64 {
    let text = format!("{}\n{}\n{}", new.name, new.url, new.kinds.0);
    let digest = Sha256::digest(text);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}
