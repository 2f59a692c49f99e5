//! API keys: made, listed and revoked, by the API or by hand.

use uuid::Uuid;

use super::secret::{Kind, Secret};
use super::{Backend, Identity, Pass, Principal, Scopes};
use crate::audit::{Administrator, Deed};
use crate::store::{Key, Millis, Store, StoreError};

/// Makes an API key. The secret is told this once.
///
/// # Errors
/// The database is unavailable.
pub async fn create_key(
    store: &Store,
    name: String,
    scopes: Scopes,
    by: &Administrator,
    now: Millis,
) -> Result<(Key, Secret), StoreError> {
    let secret = Secret::generate(Kind::Key);
    let (id, scopes) = (Uuid::now_v7(), scopes.to_string());
    let key = Key { id, name, scopes, made_at: now, used_at: None, revoked_at: None };
    store.add_key(&secret.hash(), &key, &by.act(Deed::CreateKey, id, now)).await?;
    Ok((key, secret))
}

/// Revokes an API key; `None` if there is none of this id. Instances that run hear of it within seconds.
///
/// # Errors
/// The database is unavailable; then it is to be done again.
pub async fn revoke_key(
    store: &Store,
    id: Uuid,
    by: &Administrator,
    now: Millis,
) -> Result<Option<Key>, StoreError> {
    store.revoke_key(&by.act(Deed::RevokeKey, id, now)).await
}

impl Identity {
    /// Makes an API key. The secret is told this once.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn create_key(
        &self,
        name: String,
        scopes: Scopes,
        by: &Administrator,
    ) -> Result<(Key, Secret), StoreError> {
        create_key(&self.store, name, scopes, by, self.now()).await
    }

    /// Who administers the service by a pass: a backend, by its key; `None` for a player.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn administrator(&self, pass: &Pass) -> Result<Option<Administrator>, StoreError> {
        let Principal::Backend(Backend { key, .. }) = pass.principal else { return Ok(None) };
        // The key that was made for this run is kept nowhere.
        let name = self.store.key(key).await?.map_or_else(|| "console".to_owned(), |key| key.name);
        Ok(Some(Administrator { key: Some(key), name }))
    }

    /// The API keys behind an id, at most `limit` of them, the oldest first.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn keys(&self, after: Uuid, limit: u32) -> Result<Vec<Key>, StoreError> {
        self.store.keys(after, limit).await
    }

    /// Revokes an API key, at once for this instance; `None` if there is none of this id.
    ///
    /// # Errors
    /// The database is unavailable; then it is to be done again.
    pub async fn revoke_key(&self, id: Uuid, by: &Administrator) -> Result<Option<Key>, StoreError> {
        let now = self.now();
        let key = revoke_key(&self.store, id, by, now).await?;
        self.heed_own(id, now);
        Ok(key)
    }

    /// Makes a key with all scopes that counts for this run only, where nothing is configured by which anybody but
    /// guests could come in: no token of the integrator's, and no key was ever made.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn make_console_key(&mut self) -> Result<Option<Secret>, StoreError> {
        if self.accounts.is_some() || !self.store.keys(Uuid::nil(), 1).await?.is_empty() {
            return Ok(None);
        }
        let secret = Secret::generate(Kind::Key);
        self.console_key = Some(secret.hash());
        Ok(Some(secret))
    }
}
