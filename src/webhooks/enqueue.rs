//! The feed becomes deliveries.

use std::time::Duration;

use prost::Message;
use uuid::Uuid;

use super::{WebhookError, Webhooks, millis};
use crate::codec::wire::{WebhookKinds, webhook_events};
use crate::feed::{FeedEntry, FeedFilter};
use crate::proto::v1::WebhookEvent;
use crate::store::{NewDelivery, Webhook};

/// How many moves become deliveries at once.
const CHUNK: u32 = 250;

/// A webhook is told of moves that are up to so much older than itself: clocks of instances differ a little, and what is
/// made after the answer must not be left out.
const BEFORE: Duration = Duration::from_secs(2);

impl Webhooks {
    /// Turns what the feed has brought into deliveries. Two instances may do so at once: what one has done is undone at
    /// the other.
    pub(super) async fn enqueue(&self) -> Result<(), WebhookError> {
        loop {
            let (cursor, version) = self.store.webhook_cursor().await?;
            let page = self.feed.read(&cursor, CHUNK, &FeedFilter::default()).await?;
            if page.entries.is_empty() {
                return Ok(());
            }
            // After the page was read: a webhook that was there before one of its moves is found.
            let webhooks = self.store.live_webhooks().await?;
            let deliveries: Vec<NewDelivery> =
                page.entries.iter().flat_map(|entry| deliveries(entry, &webhooks)).collect();
            let added = self.store.add_deliveries(version, &page.next, &deliveries, self.now()).await?;
            if page.caught_up || !added {
                return Ok(());
            }
        }
    }
}

fn deliveries(entry: &FeedEntry, webhooks: &[Webhook]) -> Vec<NewDelivery> {
    let mut deliveries = Vec::new();
    for event in webhook_events(entry) {
        let wants = |webhook: &&Webhook| {
            WebhookKinds(webhook.kinds).has(event.kind())
                && entry.made_at.0.saturating_add(millis(BEFORE)) >= webhook.made_at.0
        };
        for webhook in webhooks.iter().filter(wants) {
            let id = Uuid::now_v7();
            let event = WebhookEvent { delivery_id: id.to_string(), ..event.clone() };
            let event = event.encode_to_vec().into();
            deliveries.push(NewDelivery { id, webhook: webhook.id, game: entry.game, event });
        }
    }
    deliveries
}
