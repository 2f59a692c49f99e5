//! Who calls: guests with a token each.

mod principal;
mod scope;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use remik_rules::chance::Millis;
use remik_rules::seat::PlayerId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::codec::wire::Names;
use crate::store::{self, Player, Store, StoreError};

pub use principal::{Backend, Denied, Principal};
pub use scope::{Scope, Scopes, UnknownScope};

/// What every token begins with, so that one is recognised where it was leaked.
const PREFIX: &str = "remik_guest_";

/// How many tokens are remembered, so that not every call asks the database.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");

/// The players and their tokens. A token is stored as its hash only.
pub struct Identity {
    store: Arc<Store>,
    tokens: Mutex<LruCache<[u8; 32], PlayerId>>,
    names: Mutex<LruCache<PlayerId, String>>,
}

/// A guest's secret, told once.
pub struct Token(String);

impl Token {
    fn generate() -> Self {
        let mut secret = [0u8; 32];
        rand::fill(&mut secret);
        let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("{PREFIX}{hex}"))
    }

    /// The token as text, for its owner only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl Identity {
    /// The players of a store.
    pub fn new(store: Arc<Store>) -> Self {
        let tokens = Mutex::new(LruCache::new(REMEMBERED));
        let names = Mutex::new(LruCache::new(REMEMBERED));
        Self { store, tokens, names }
    }

    /// Makes a guest.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn create_guest(&self, name: String, now: Millis) -> Result<(Player, Token), StoreError> {
        let player = Player { id: Uuid::now_v7(), name, made_at: store::Millis(now.0) };
        let token = Token::generate();
        self.store.add_player(player.clone(), hash(token.reveal())).await?;
        Ok((player, token))
    }

    /// The player whose token it is; `None` if it is nobody's.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn authenticate(&self, token: &str) -> Result<Option<PlayerId>, StoreError> {
        if !token.starts_with(PREFIX) {
            return Ok(None);
        }
        let hash = hash(token);
        if let Some(player) = lock(&self.tokens).get(&hash) {
            return Ok(Some(*player));
        }
        let Some(player) = self.store.player_by_token(&hash).await? else { return Ok(None) };
        let player = PlayerId(player.id.as_u128());
        lock(&self.tokens).put(hash, player);
        Ok(Some(player))
    }

    /// The names of those of the players that exist.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn names(&self, players: &[PlayerId]) -> Result<Names, StoreError> {
        let mut found = Names::new();
        let mut missing = Vec::new();
        {
            let mut names = lock(&self.names);
            for player in players {
                match names.get(player) {
                    Some(name) => drop(found.insert(*player, name.clone())),
                    None => missing.push(Uuid::from_u128(player.0)),
                }
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let read = self.store.players(&missing).await?;
        let mut names = lock(&self.names);
        for player in read {
            let id = PlayerId(player.id.as_u128());
            names.put(id, player.name.clone());
            found.insert(id, player.name);
        }
        Ok(found)
    }
}

/// No code panics while it holds one of these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_recognised() {
        let (one, other) = (Token::generate(), Token::generate());
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(one.reveal().len(), PREFIX.len() + 64);
    }
}
