//! Refusals of credentials, and for want of a permission.

use crate::codec::wire;
use crate::identity::{ActError, AuthError, Banned, Denied, LinkError};

use super::{ApiError, Reason};

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::ScopeMissing(scope) => {
                Self::new(Reason::ScopeMissing, denied.to_string()).with("scope", scope)
            }
            Denied::PlayerRequired => {
                Self::new(Reason::PlayerRequired, denied.to_string()).at("remik-player", "is required")
            }
        }
    }
}

impl From<Banned> for ApiError {
    fn from(banned: Banned) -> Self {
        let error = Self::new(Reason::PlayerBanned, banned.to_string());
        match banned.until {
            Some(until) => error.with("until", wire::stored_time(until)),
            None => error,
        }
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Unknown => Self::unauthenticated(),
            AuthError::Expired => Self::new(Reason::TokenExpired, "the token has expired"),
            AuthError::NoKeys => {
                Self::new(Reason::IdentityUnavailable, "the token can't be verified now").caused_by(error)
            }
            AuthError::Banned(banned) => banned.into(),
            AuthError::Store(cause) => cause.into(),
        }
    }
}

impl From<ActError> for ApiError {
    fn from(error: ActError) -> Self {
        match error {
            ActError::NotABackend => Self::new(Reason::PermissionDenied, error.to_string())
                .at("remik-player", "only an API key may act for a player"),
            ActError::NoSuchPlayer => Self::player_not_found().at("remik-player", "there is no such player"),
            ActError::Denied(denied) => denied.into(),
            ActError::Refused(refused) => refused.into(),
            ActError::Store(cause) => cause.into(),
        }
    }
}

impl From<LinkError> for ApiError {
    fn from(error: LinkError) -> Self {
        let refused = |reason| Self::new(reason, error.to_string());
        match &error {
            LinkError::NotConfigured => refused(Reason::AccountsNotConfigured),
            LinkError::Account(AuthError::Unknown) => {
                refused(Reason::AccountTokenInvalid).at("account_token", "doesn't count")
            }
            LinkError::Account(AuthError::Expired) => refused(Reason::AccountTokenInvalid)
                .with("fault", "EXPIRED")
                .at("account_token", "has expired"),
            LinkError::Account(cause) => cause.clone().into(),
            LinkError::AccountTaken => refused(Reason::AccountTaken),
            LinkError::AlreadyLinked => refused(Reason::AlreadyLinked),
            LinkError::Store(cause) => cause.clone().into(),
        }
    }
}
