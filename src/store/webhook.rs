//! Where events are posted.

use uuid::Uuid;

use super::{Cursor, Millis, Store, StoreError, query};

/// A webhook of an API key.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Webhook {
    /// Its id: a version 7 UUID, so ids sort about by the time at which they were made.
    pub id: Uuid,
    /// Whose it is.
    pub key_id: Uuid,
    /// The id of the request that has made it, unique for the key.
    pub request_id: Uuid,
    /// A digest of that request, to tell a repeat from another under the same id.
    pub fingerprint: i64,
    /// What its owner calls it.
    pub name: String,
    /// Where to post.
    pub url: String,
    /// What it is told of, as a set of bits.
    pub kinds: i64,
    /// Nothing is sent.
    pub paused: bool,
    /// What deliveries are signed with.
    pub secret: String,
    /// What they are signed with besides …
    pub old_secret: Option<String>,
    /// … until then.
    pub old_until: Option<Millis>,
    /// The request of the last rotation of the secret.
    pub rotated_by: Option<Uuid>,
    /// When it was made.
    pub made_at: Millis,
    /// Since when it isn't there any more.
    pub deleted_at: Option<Millis>,
}

/// The columns of a [`Webhook`].
macro_rules! webhook_columns {
    () => {
        "webhooks.id, webhooks.key_id, webhooks.request_id, webhooks.fingerprint, webhooks.name, webhooks.url, \
         webhooks.kinds, webhooks.paused, webhooks.secret, webhooks.old_secret, webhooks.old_until, \
         webhooks.rotated_by, webhooks.made_at, webhooks.deleted_at"
    };
}

/// Those that are told of events: not deleted, and their key isn't revoked.
macro_rules! live {
    () => {
        " FROM webhooks LEFT JOIN keys ON keys.id = webhooks.key_id \
         WHERE webhooks.deleted_at IS NULL AND keys.revoked_at IS NULL"
    };
}

impl Store {
    /// Adds a webhook, unless its request has made one before; whether it was added. The first one that is told of
    /// events has the [cursor of deliveries](Store::webhook_cursor) begin at `now_in_feed`, which was asked for before.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn add_webhook(&self, webhook: &Webhook, now_in_feed: &Cursor) -> Result<bool, StoreError> {
        const SKIP: &str = concat!(
            "UPDATE webhook_feed SET cursor = $1, version = version + 1 WHERE NOT EXISTS (SELECT 1",
            live!(),
            ")"
        );
        const ADD: &str = "INSERT INTO webhooks (id, key_id, request_id, fingerprint, name, url, kinds, paused, \
                 secret, made_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
        let added: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let mut transaction = pool.begin().await?;
            sqlx::query(SKIP).bind(now_in_feed.to_string()).execute(&mut *transaction).await?;
            let add = sqlx::query(ADD)
                .bind(webhook.id)
                .bind(webhook.key_id)
                .bind(webhook.request_id)
                .bind(webhook.fingerprint)
                .bind(&webhook.name)
                .bind(&webhook.url)
                .bind(webhook.kinds)
                .bind(webhook.paused)
                .bind(&webhook.secret)
                .bind(webhook.made_at);
            let added = add.execute(&mut *transaction).await?.rows_affected();
            transaction.commit().await?;
            Ok(added)
        });
        Ok(added? > 0)
    }

    /// The webhook that a key's request has made. It may be deleted.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn webhook_of_request(&self, key: Uuid, request: Uuid) -> Result<Option<Webhook>, StoreError> {
        const OF_REQUEST: &str =
            concat!("SELECT ", webhook_columns!(), " FROM webhooks WHERE key_id = $1 AND request_id = $2");
        let found = query!(self, readers, |pool| sqlx::query_as(OF_REQUEST)
            .bind(key)
            .bind(request)
            .fetch_optional(pool));
        Ok(found?)
    }

    /// A webhook of a key. It may be deleted.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn webhook(&self, key: Uuid, id: Uuid) -> Result<Option<Webhook>, StoreError> {
        const WEBHOOK: &str =
            concat!("SELECT ", webhook_columns!(), " FROM webhooks WHERE id = $1 AND key_id = $2");
        Ok(query!(self, readers, |pool| sqlx::query_as(WEBHOOK).bind(id).bind(key).fetch_optional(pool))?)
    }

    /// The webhooks of a key behind an id that aren't deleted, at most `limit` of them: the oldest first.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn webhooks(&self, key: Uuid, after: Uuid, limit: u32) -> Result<Vec<Webhook>, StoreError> {
        const WEBHOOKS: &str = concat!(
            "SELECT ",
            webhook_columns!(),
            " FROM webhooks WHERE key_id = $1 AND id > $2 AND deleted_at IS NULL ORDER BY id LIMIT $3"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(WEBHOOKS)
            .bind(key)
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// All webhooks that are told of events: they aren't deleted, and their keys aren't revoked. Paused ones are among
    /// them.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn live_webhooks(&self) -> Result<Vec<Webhook>, StoreError> {
        const LIVE: &str = concat!("SELECT ", webhook_columns!(), live!());
        Ok(query!(self, readers, |pool| sqlx::query_as(LIVE).fetch_all(pool))?)
    }

    /// Sets what a webhook is called, where it posts what, and whether it does so.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn change_webhook(&self, webhook: &Webhook) -> Result<(), StoreError> {
        const CHANGE: &str = "UPDATE webhooks SET name = $2, url = $3, kinds = $4, paused = $5 WHERE id = $1";
        let changed: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            let change = sqlx::query(CHANGE).bind(webhook.id).bind(&webhook.name).bind(&webhook.url);
            change.bind(webhook.kinds).bind(webhook.paused).execute(pool).await.map(drop)
        });
        Ok(changed?)
    }

    /// Gives a webhook another secret by a request, unless that was its last rotation already.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn rotate_webhook(
        &self,
        id: Uuid,
        request: Uuid,
        secret: &str,
        old_until: Millis,
    ) -> Result<(), StoreError> {
        const ROTATE: &str = "UPDATE webhooks SET old_secret = secret, old_until = $4, secret = $3, \
                 rotated_by = $2 WHERE id = $1 AND (rotated_by IS NULL OR rotated_by <> $2)";
        let rotated: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            let rotate = sqlx::query(ROTATE).bind(id).bind(request).bind(secret).bind(old_until);
            rotate.execute(pool).await.map(drop)
        });
        Ok(rotated?)
    }

    /// Deletes a webhook. Its deliveries go with the next [sweep](Store::sweep_webhooks).
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn delete_webhook(&self, id: Uuid, now: Millis) -> Result<(), StoreError> {
        const DELETE: &str = "UPDATE webhooks SET deleted_at = coalesce(deleted_at, $2) WHERE id = $1";
        let deleted: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(DELETE).bind(id).bind(now).execute(pool).await.map(drop)
        });
        Ok(deleted?)
    }
}
