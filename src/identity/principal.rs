//! Who calls.

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::scope::{Scope, Scopes};

/// Who calls, once the credentials have been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Principal {
    /// A player, with credentials of his own.
    Player(PlayerId),
    /// A backend, with an API key.
    Backend(Backend),
}

/// A program of the integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend {
    /// The id of its API key; not the key.
    pub key: Uuid,
    /// What the key is for.
    pub scopes: Scopes,
    /// The player for whom it acts in this call.
    pub player: Option<PlayerId>,
}

impl Principal {
    /// The player who calls, or for whom the call is made.
    pub const fn player(&self) -> Option<PlayerId> {
        match self {
            Self::Player(player) => Some(*player),
            Self::Backend(backend) => backend.player,
        }
    }

    /// Whether it is a backend whose key has a scope; a player has none.
    pub const fn has(&self, scope: Scope) -> bool {
        match self {
            Self::Player(_) => false,
            Self::Backend(backend) => backend.scopes.has(scope),
        }
    }

    /// Asks for a scope on top of what a method asks for: a part of a request may need one.
    ///
    /// # Errors
    /// The scope is missing.
    pub fn require(&self, scope: Scope) -> Result<(), Denied> {
        if self.has(scope) { Ok(()) } else { Err(Denied::ScopeMissing(scope)) }
    }
}

/// Why a principal may not do something, whatever it is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// It takes an API key with a scope.
    #[error("that takes an API key with the scope `{0}`")]
    ScopeMissing(Scope),
    /// A backend has to say for which player it acts.
    #[error("the header `remik-player` has to name the player for whom the call is made")]
    PlayerRequired,
}
