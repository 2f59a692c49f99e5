//! What a single caller, an address and all together may ask of the service, so that nobody takes it from others.
//!
//! Whoever is over a limit is refused and told when to come back; nothing waits in a queue without bound.

mod address;
mod body;
mod connections;
mod count;
mod guard;
mod http;
mod rate;
mod settings;
mod time;

use std::sync::Arc;
use std::time::Duration;

use remik_rules::seat::PlayerId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use address::Network;
pub use connections::Gate;
pub use count::Slot;
use count::{Count, Counts};
pub use guard::{Guard, guard};
pub use http::harden;
use rate::Rate;
pub use settings::LimitSettings;

/// A limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// The caller calls too often; after this time he may again.
    #[error("too many calls: the next one may come after {0:?}")]
    Rate(Duration),
    /// The player says too much; after this time he may say something again.
    #[error("too many messages: the next one may come after {0:?}")]
    Messages(Duration),
    /// The caller has so many streams open, which is the most.
    #[error("no more than {0} streams may be open")]
    Streams(usize),
    /// Too many calls are being carried out.
    #[error("too many calls at once")]
    Work,
    /// The call has had so much time, which is the most.
    #[error("the call took longer than {0:?}")]
    Time(Duration),
}

/// The limits, and how near to them everybody is.
pub struct Limits {
    settings: LimitSettings,
    players: Rate<PlayerId>,
    addresses: Rate<Network>,
    guests: Rate<Network>,
    messages: Rate<PlayerId>,
    streams: Count,
    streams_of_players: Counts<PlayerId>,
    streams_of_addresses: Counts<Network>,
    connections: Count,
    connections_of_addresses: Counts<Network>,
    work: Arc<Semaphore>,
}

impl Limits {
    /// Limits that nobody has come near to.
    pub fn new(settings: LimitSettings) -> Self {
        let second = Duration::from_secs(1);
        Self {
            players: Rate::new(settings.calls_of_player, second, settings.burst),
            addresses: Rate::new(settings.calls_of_address, second, settings.burst),
            guests: Rate::new(settings.guests_of_address, Duration::from_secs(60), 1),
            messages: Rate::new(settings.messages_of_player, Duration::from_secs(60), 1),
            streams: Count::new(settings.streams),
            streams_of_players: Counts::new(settings.streams_of_player),
            streams_of_addresses: Counts::new(settings.streams_of_address),
            connections: Count::new(settings.connections),
            connections_of_addresses: Counts::new(settings.connections_of_address),
            work: Arc::new(Semaphore::new(settings.calls_at_once.min(Semaphore::MAX_PERMITS))),
            settings,
        }
    }

    /// Counts a call of a player.
    ///
    /// # Errors
    /// It is one too many.
    pub fn admit(&self, player: PlayerId) -> Result<(), Exceeded> {
        if !self.settings.per_caller {
            return Ok(());
        }
        self.players.check(&player).map_err(Exceeded::Rate)
    }

    /// Counts a message that a player says.
    ///
    /// # Errors
    /// It is one too many.
    pub fn admit_message(&self, player: PlayerId) -> Result<(), Exceeded> {
        if !self.settings.per_caller {
            return Ok(());
        }
        self.messages.check(&player).map_err(Exceeded::Messages)
    }

    /// Counts a call from an address, which may make a guest.
    fn admit_address(&self, network: Network, makes_guest: bool) -> Result<(), Exceeded> {
        if !self.settings.per_caller {
            return Ok(());
        }
        self.addresses.check(&network).map_err(Exceeded::Rate)?;
        if makes_guest { self.guests.check(&network).map_err(Exceeded::Rate) } else { Ok(()) }
    }

    /// Counts a stream of a player until the slot is dropped.
    ///
    /// # Errors
    /// It is one too many.
    pub fn stream_of(&self, player: PlayerId) -> Result<Slot, Exceeded> {
        if !self.settings.per_caller {
            return Ok(Slot::free());
        }
        let most = self.settings.streams_of_player;
        self.streams_of_players.take(player).ok_or(Exceeded::Streams(most))
    }

    /// The same for an address, if it is known, and for all together.
    fn stream_from(&self, network: Option<Network>) -> Result<[Slot; 2], Exceeded> {
        let whole = self.streams.take().ok_or(Exceeded::Work)?;
        let Some(network) = network.filter(|_| self.settings.per_caller) else {
            return Ok([whole, Slot::free()]);
        };
        let most = self.settings.streams_of_address;
        let of_address = self.streams_of_addresses.take(network).ok_or(Exceeded::Streams(most))?;
        Ok([whole, of_address])
    }

    /// Counts a connection; `None` if it is one too many. Behind proxies, addresses of connections are theirs.
    fn connection_from(&self, network: Network) -> Option<(Slot, Slot)> {
        let whole = self.connections.take()?;
        let of_address = match self.settings.per_caller && self.settings.proxies == 0 {
            true => self.connections_of_addresses.take(network)?,
            false => Slot::free(),
        };
        Some((whole, of_address))
    }

    /// Counts work on a call until the permit is dropped.
    ///
    /// # Errors
    /// There is too much already.
    pub fn begin_work(&self) -> Result<OwnedSemaphorePermit, Exceeded> {
        Arc::clone(&self.work).try_acquire_owned().map_err(|_| Exceeded::Work)
    }

    /// Waits for a call no longer than its client wants to, and the service allows. What a command has begun goes on.
    ///
    /// # Errors
    /// The time is up.
    pub async fn in_time<T>(
        &self,
        wanted: Option<Duration>,
        call: impl Future<Output = T>,
    ) -> Result<T, Exceeded> {
        let most = self.call_time();
        let most = wanted.map_or(most, |wanted| wanted.min(most));
        tokio::time::timeout(most, call).await.map_err(|_| Exceeded::Time(most))
    }

    fn call_time(&self) -> Duration {
        Duration::from_secs(self.settings.call_seconds.get().into())
    }
}
