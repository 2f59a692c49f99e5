//! Credentials, and what they are good for.

use std::time::Duration;

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::secret::{self, Kind};
use super::{ActError, AuthError, Backend, Identity, Principal, Scope, Scopes, after};
use crate::store::Millis;

/// How long it is remembered what a token or a key is good for. That it was revoked is heard of sooner.
pub(super) const REMEMBERED: Duration = Duration::from_secs(600);

/// How long it is remembered of the integrator's token: a key that he has withdrawn isn't heard of.
const ACCOUNT_REMEMBERED: Duration = Duration::from_secs(60);

/// How exactly a key's last use is kept.
const USE: Duration = Duration::from_secs(3600);

/// Credentials that were good when they were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Who has them.
    pub principal: Principal,
    pub(super) origin: Origin,
}

/// What makes credentials count, and can be revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A sign-in with the service.
    Session(Uuid),
    /// A token of the integrator's, by the time at which it was issued.
    Account(Millis),
    /// An API key.
    Key(Uuid),
    /// The key that was made for this run.
    Console,
}

/// What is remembered of credentials.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) pass: Pass,
    /// When they end.
    expires_at: Option<Millis>,
}

impl Known {
    fn at(self, now: Millis) -> Result<Pass, AuthError> {
        if self.expires_at.is_some_and(|end| end <= now) { Err(AuthError::Expired) } else { Ok(self.pass) }
    }
}

impl Pass {
    /// The sessions, players and keys whose end may be the end of this.
    pub(super) fn subjects(&self) -> [Option<Uuid>; 2] {
        let origin = match self.origin {
            Origin::Session(id) | Origin::Key(id) => Some(id),
            Origin::Account(_) | Origin::Console => None,
        };
        // A backend isn't stopped when the player for whom it acts signs out, but when he is banned.
        let player = self.principal.player().map(|player| Uuid::from_u128(player.0));
        [origin, player]
    }
}

impl Identity {
    /// Who has these credentials: a player's token, the integrator's, or an API key.
    ///
    /// # Errors
    /// They don't count, or that can't be found out.
    pub async fn authenticate(&self, credentials: &str) -> Result<Pass, AuthError> {
        let pass = self.identify(credentials).await?;
        if let Principal::Player(player) = pass.principal {
            self.refuse_banned(player).await?;
        }
        Ok(pass)
    }

    async fn identify(&self, credentials: &str) -> Result<Pass, AuthError> {
        let now = self.now();
        let hash = secret::hash(credentials);
        if let Some(known) = self.known.get(&hash).filter(|_| self.hears_revocations()) {
            return known.at(now);
        }
        let (known, good_for) = match Kind::of(credentials) {
            Some(Kind::Player) => (self.of_token(credentials, &hash, now).await?, REMEMBERED),
            Some(Kind::Key) => (self.of_key(&hash, now).await?, REMEMBERED),
            Some(Kind::Refresh | Kind::Ticket | Kind::Webhook) => return Err(AuthError::Unknown),
            None => (self.of_account(credentials).await?, ACCOUNT_REMEMBERED),
        };
        self.known.put(hash, known, good_for);
        known.at(now)
    }

    async fn of_token(&self, token: &str, hash: &[u8; 32], now: Millis) -> Result<Known, AuthError> {
        let end = secret::end_of(Kind::Player, token).ok_or(AuthError::Unknown)?;
        if end <= now {
            // Nothing is given away: whoever wrote the time knows it.
            return Err(AuthError::Expired);
        }
        let token = self.store.token(hash).await?.filter(|token| !token.refreshes);
        let token = token.ok_or(AuthError::Unknown)?;
        let principal = Principal::Player(PlayerId(token.player_id.as_u128()));
        let pass = Pass { principal, origin: Origin::Session(token.session_id) };
        Ok(Known { pass, expires_at: Some(token.expires_at) })
    }

    async fn of_key(&self, hash: &[u8; 32], now: Millis) -> Result<Known, AuthError> {
        if self.console_key.as_ref() == Some(hash) {
            let backend = Backend { key: Uuid::nil(), scopes: Scopes::all(), player: None };
            let pass = Pass { principal: Principal::Backend(backend), origin: Origin::Console };
            return Ok(Known { pass, expires_at: None });
        }
        let key = self.store.key_by_hash(hash).await?.filter(|key| key.revoked_at.is_none());
        let key = key.ok_or(AuthError::Unknown)?;
        if key.used_at.is_none_or(|used| after(used, USE) <= now)
            && let Err(error) = self.store.key_used(key.id, now).await
        {
            tracing::warn!(%error, "the use of a key wasn't noted");
        }
        let backend = Backend { key: key.id, scopes: Scopes::stored(&key.scopes), player: None };
        let pass = Pass { principal: Principal::Backend(backend), origin: Origin::Key(key.id) };
        Ok(Known { pass, expires_at: None })
    }

    async fn of_account(&self, token: &str) -> Result<Known, AuthError> {
        let accounts = self.accounts.as_ref().ok_or(AuthError::Unknown)?;
        let account = accounts.verify(token).await?;
        let player = self.player_of(&account).await?;
        // One that doesn't say when it was issued may be old.
        let issued_at = account.issued_at.unwrap_or(Millis(0));
        // A time in whole seconds is before any in the same second.
        if player.revoked_at.is_some_and(|revoked| issued_at <= revoked) {
            return Err(AuthError::Unknown);
        }
        let principal = Principal::Player(PlayerId(player.id.as_u128()));
        let pass = Pass { principal, origin: Origin::Account(issued_at) };
        Ok(Known { pass, expires_at: Some(account.expires_at) })
    }

    /// The same pass, for a player whom a backend names.
    ///
    /// # Errors
    /// Whoever has it isn't a backend that may act for players, or there is no such player, or he is banned.
    pub async fn act_for(&self, pass: Pass, player: PlayerId) -> Result<Pass, ActError> {
        let backend = match pass.principal {
            // He acts for himself anyhow.
            Principal::Player(own) if own == player => return Ok(pass),
            Principal::Player(_) => return Err(ActError::NotABackend),
            Principal::Backend(backend) => backend,
        };
        pass.principal.require(Scope::Games)?;
        // An erased one is nobody any more.
        if self.kept_names(&[player]).await?.get(&player).is_none_or(String::is_empty) {
            return Err(ActError::NoSuchPlayer);
        }
        self.refuse_banned(player).await?;
        let principal = Principal::Backend(Backend { player: Some(player), ..backend });
        Ok(Pass { principal, ..pass })
    }

    /// Whether a pass still counts, by the store itself. That its time is up doesn't matter: what was begun in time may
    /// go on.
    ///
    /// # Errors
    /// [`AuthError::Unknown`] or [`AuthError::Banned`], or the store can't be asked.
    pub async fn recheck(&self, pass: &Pass) -> Result<(), AuthError> {
        let counts = match (pass.origin, pass.principal.player()) {
            (Origin::Session(session), _) => self.store.session_lives(session, self.now()).await?,
            (Origin::Key(key), _) => self.store.key(key).await?.is_some_and(|key| key.revoked_at.is_none()),
            (Origin::Account(issued_at), Some(player)) => {
                let player = self.player(player).await?;
                player.is_some_and(|player| player.revoked_at.is_none_or(|revoked| issued_at > revoked))
            }
            (Origin::Account(_), None) => false,
            (Origin::Console, _) => true,
        };
        match pass.principal.player() {
            _ if !counts => Err(AuthError::Unknown),
            Some(player) => self.recheck_ban(player).await,
            None => Ok(()),
        }
    }
}
