//! What can go wrong about identity.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Banned, Denied};
use crate::store::StoreError;

/// Why credentials don't count.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// They are nobody's: forged, revoked or garbage. Which of these isn't told.
    #[error("the credentials are nobody's")]
    Unknown,
    /// They were good, and their time is over.
    #[error("the token has expired")]
    Expired,
    /// The integrator's keys have never been fetched yet, so nothing can be said of a token that they sign.
    #[error("the integrator's keys can't be fetched")]
    NoKeys,
    /// They are a banned player's, or a backend's that calls for one.
    #[error(transparent)]
    Banned(#[from] Banned),
    /// The store can't be asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a backend can't act for somebody.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ActError {
    /// Only a backend acts for others.
    #[error("only an API key may act for a player")]
    NotABackend,
    /// There is no such player.
    #[error("there is no such player")]
    NoSuchPlayer,
    /// The key's scopes don't allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The player can't be acted for.
    #[error(transparent)]
    Refused(#[from] AuthError),
    /// The store can't be asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a guest isn't linked to an account.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LinkError {
    /// The service doesn't take the integrator's tokens.
    #[error("the service isn't configured to take the integrator's tokens")]
    NotConfigured,
    /// The token that is to prove the account doesn't.
    #[error("the account's token doesn't count")]
    Account(#[source] AuthError),
    /// The account has another player.
    #[error("the account has another player")]
    AccountTaken,
    /// The player has another account.
    #[error("the player has another account")]
    AlreadyLinked,
    /// The store can't be asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why identity can't be set up as configured.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file can't be read.
    #[error("can't read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Two settings say the same thing.
    #[error("{one} and {other} can't both be set")]
    Both {
        /// A setting.
        one: &'static str,
        /// Another one.
        other: &'static str,
    },
    /// A secret that could be found by trying.
    #[error("the JWT secret has {0} bytes, and needs at least 32")]
    ShortSecret(usize),
    /// Keys alone say too little: an issuer signs tokens for other services by the same ones.
    #[error(
        "a JWKS needs jwt_issuer or jwt_audience beside it: the issuer may sign for others by the same keys"
    )]
    Unbound,
    /// A URL that isn't fit to fetch keys from.
    #[error("jwt_jwks_url has to be https, or http on a loopback address")]
    Url,
    /// A file of keys can't be used.
    #[error("{} has no keys that can be used", path.display())]
    Keys {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The HTTP client can't be made.
    #[error("can't make an HTTP client")]
    Client(#[source] reqwest::Error),
    /// The store can't be asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}
