//! Who calls: players by the service's own tokens or by the integrator's, backends by API keys.
//!
//! What was read of credentials is remembered, so that not every call asks the database. What is revoked is noted in
//! the store; every instance reads those notes once a second, and remembers nothing longer than it can read them.

mod account;
mod accounts;
mod ban;
mod error;
mod key;
mod keys;
mod memory;
mod pass;
mod principal;
mod revoked;
mod scope;
mod secret;
mod session;
mod ticket;

use std::sync::Arc;
use std::time::Duration;

use remik_rules::seat::PlayerId;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use accounts::Accounts;
use memory::Memory;
use pass::Known;
use revoked::Revoked;

use crate::codec::wire::{self, Names};
use crate::config::Config;
use crate::store::{Ban, Millis, Player, Store, StoreError};
use crate::tables::Clock;

pub use ban::Banned;
pub use error::{ActError, AuthError, LinkError, SetupError};
pub use key::{create_key, revoke_key};
pub use pass::Pass;
pub use principal::{Backend, Denied, Principal};
pub use revoked::Revocations;
pub use scope::{Scope, Scopes, UnknownScope};
pub use secret::Secret;
pub use session::{Access, SignIn};
pub use ticket::Ticket;

/// How long a name is remembered: so long others may see an old one.
const NAME: Duration = Duration::from_secs(60);

/// Players, backends, and how they prove who they are.
pub struct Identity {
    store: Arc<Store>,
    clock: Clock,
    known: Memory<[u8; 32], Known>,
    names: Memory<PlayerId, String>,
    /// Players with their bans, or none.
    bans: Memory<PlayerId, (Uuid, Option<Ban>)>,
    revoked: watch::Sender<Revoked>,
    accounts: Option<Accounts>,
    /// How often the integrator's keys are read again.
    reread: Duration,
    token_life: Duration,
    refresh_life: Duration,
    ticket_key: Vec<u8>,
    /// The hash of the key that was made for this run.
    console_key: Option<[u8; 32]>,
}

impl Identity {
    /// As configured, over a store.
    ///
    /// # Errors
    /// The settings don't go together, a file can't be read, or the database is unavailable.
    pub async fn open(store: Arc<Store>, clock: Clock, config: &Config) -> Result<Self, SetupError> {
        let minutes = Duration::from_secs(60);
        let ticket_key = store.ticket_key().await?;
        Ok(Self {
            store,
            clock,
            known: Memory::new(),
            names: Memory::new(),
            bans: Memory::new(),
            revoked: watch::Sender::new(Revoked::default()),
            accounts: Accounts::open(config).await?,
            reread: Duration::from_secs(config.jwt_jwks_seconds.max(1).into()),
            token_life: minutes * config.token_minutes.max(1),
            refresh_life: minutes * 24 * 60 * config.refresh_days.max(1),
            ticket_key,
            console_key: None,
        })
    }

    /// Reads what was revoked, and the integrator's keys, again and again until `stop` is cancelled.
    pub async fn keep_up(self: Arc<Self>, stop: CancellationToken) {
        let work = async { tokio::join!(self.heed_revocations(), self.reread_keys()) };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = work => {}
        }
    }

    async fn reread_keys(&self) {
        let Some(keys) = self.accounts.as_ref().and_then(|accounts| accounts.keys.as_ref()) else { return };
        let mut again = tokio::time::interval(self.reread);
        // They were read at the start.
        again.tick().await;
        loop {
            again.tick().await;
            keys.refresh().await;
        }
    }

    /// A player.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn player(&self, player: PlayerId) -> Result<Option<Player>, StoreError> {
        self.store.player(Uuid::from_u128(player.0)).await
    }

    /// The names of those of the players that exist, as others see them.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn names(&self, players: &[PlayerId]) -> Result<Names, StoreError> {
        let mut names = self.kept_names(players).await?;
        for (player, name) in names.iter_mut().filter(|(_, name)| name.is_empty()) {
            *name = wire::anonymous(Uuid::from_u128(player.0));
        }
        Ok(names)
    }

    /// The names of those of the players that exist; of erased ones empty ones.
    async fn kept_names(&self, players: &[PlayerId]) -> Result<Names, StoreError> {
        let mut found = Names::new();
        let mut missing = Vec::new();
        for player in players {
            match self.names.get(player) {
                Some(name) => drop(found.insert(*player, name)),
                None => missing.push(Uuid::from_u128(player.0)),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        for player in self.store.players(&missing).await? {
            let id = PlayerId(player.id.as_u128());
            self.names.put(id, player.name.clone(), NAME);
            found.insert(id, player.name);
        }
        Ok(found)
    }

    fn now(&self) -> Millis {
        Millis(self.clock.now().0)
    }
}

/// The time some while after another.
fn after(at: Millis, while_: Duration) -> Millis {
    let millis = i64::try_from(while_.as_millis()).unwrap_or(i64::MAX);
    Millis(at.0.saturating_add(millis))
}
