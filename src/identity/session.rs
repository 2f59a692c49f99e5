//! Signing in and out: a session is what one sign-in brings forth. It has a token that refreshes, which is sent to be
//! refreshed only, and gives tokens for calls, which end soon. The one that refreshes stays the same and lasts anew from
//! each use, so that an answer that gets lost on the way locks nobody out.

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::secret::{self, Kind, Secret};
use super::{AuthError, Identity, after};
use crate::store::{Millis, Player, StoreError, Token};

/// A new session: told once.
#[derive(Debug)]
pub struct SignIn {
    /// For calls.
    pub access: Access,
    /// For new tokens, and nothing else.
    pub refresh: Access,
}

/// A token and its end.
#[derive(Debug)]
pub struct Access {
    /// The token.
    pub token: Secret,
    /// When it ends.
    pub expires_at: Millis,
}

impl Identity {
    /// Makes a guest, and signs him in.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn create_guest(&self, name: String) -> Result<(Player, SignIn), StoreError> {
        // Any name that an account brings later is newer.
        let player = self.new_player(name, None, String::new(), Millis(0));
        self.store.add_player(&player).await?;
        let signed_in = self.begin_session(PlayerId(player.id.as_u128())).await?;
        Ok((player, signed_in))
    }

    /// A new session of a player, who is there.
    ///
    /// # Errors
    /// [`AuthError::Banned`], or the database is unavailable.
    pub async fn sign_in(&self, player: PlayerId) -> Result<SignIn, AuthError> {
        self.refuse_banned(player).await?;
        Ok(self.begin_session(player).await?)
    }

    async fn begin_session(&self, player: PlayerId) -> Result<SignIn, StoreError> {
        let session = Uuid::now_v7();
        let player = Uuid::from_u128(player.0);
        let refresh = Secret::generate(Kind::Refresh);
        let expires_at = after(self.now(), self.refresh_life);
        let token = Token { player_id: player, session_id: session, refreshes: true, expires_at };
        self.store.add_token(&refresh.hash(), &token).await?;
        let access = self.give_access(player, session).await?;
        Ok(SignIn { access, refresh: Access { token: refresh, expires_at } })
    }

    /// A new token for calls, and when the one that refreshes ends from now on.
    ///
    /// # Errors
    /// The token doesn't refresh, or not any more, or its player is banned, or the database is unavailable.
    pub async fn refresh(&self, text: &str) -> Result<(Access, Millis), AuthError> {
        if Kind::of(text) != Some(Kind::Refresh) {
            return Err(AuthError::Unknown);
        }
        let (now, hash) = (self.now(), secret::hash(text));
        let token = self.store.token(&hash).await?.filter(|token| token.refreshes);
        let token = token.ok_or(AuthError::Unknown)?;
        if token.expires_at <= now {
            return Err(AuthError::Expired);
        }
        self.refuse_banned(PlayerId(token.player_id.as_u128())).await?;
        let access = self.give_access(token.player_id, token.session_id).await?;
        let expires_at = after(now, self.refresh_life);
        if self.store.extend_token(&hash, expires_at).await? {
            return Ok((access, expires_at));
        }
        // The session was ended in between; what has just been added to it mustn't outlive it.
        self.end_session(token.session_id).await?;
        Err(AuthError::Unknown)
    }

    /// Ends the session that a token of either kind belongs to. Nothing is to be done if it has ended.
    ///
    /// # Errors
    /// The text isn't a player's token of the service's making, or the database is unavailable.
    pub async fn sign_out(&self, text: &str) -> Result<(), AuthError> {
        if !matches!(Kind::of(text), Some(Kind::Player | Kind::Refresh)) {
            return Err(AuthError::Unknown);
        }
        match self.store.token(&secret::hash(text)).await? {
            Some(token) => Ok(self.end_session(token.session_id).await?),
            None => Ok(()),
        }
    }

    /// Ends all sessions of a player; whether there is such a player. The integrator's tokens that he was given before
    /// don't count any more either.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn sign_out_everywhere(&self, player: PlayerId) -> Result<bool, StoreError> {
        let player = Uuid::from_u128(player.0);
        let now = self.now();
        let found = self.store.end_sessions(player, now).await?;
        self.heed_own(player, now);
        Ok(found)
    }

    /// Gives a player another name or language; the player as he is now, or `None` if there is none who wasn't erased.
    /// Other instances know the name within seconds.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn update(
        &self,
        player: PlayerId,
        name: Option<&str>,
        locale: Option<&str>,
    ) -> Result<Option<Player>, StoreError> {
        let (id, now) = (Uuid::from_u128(player.0), self.now());
        if !self.store.update_player(id, name, locale, now).await? {
            return Ok(None);
        }
        if name.is_some() {
            self.heed_own(id, now);
        }
        self.store.player(id).await
    }

    /// Heeds at once that a player was erased.
    pub fn heed_erased(&self, player: PlayerId) {
        self.heed_own(Uuid::from_u128(player.0), self.now());
    }

    async fn end_session(&self, session: Uuid) -> Result<(), StoreError> {
        let now = self.now();
        self.store.end_session(session, now).await?;
        self.heed_own(session, now);
        Ok(())
    }

    async fn give_access(&self, player: Uuid, session: Uuid) -> Result<Access, StoreError> {
        let expires_at = after(self.now(), self.token_life);
        let secret = Secret::generate_until(Kind::Player, expires_at);
        let token = Token { player_id: player, session_id: session, refreshes: false, expires_at };
        self.store.add_token(&secret.hash(), &token).await?;
        Ok(Access { token: secret, expires_at })
    }

    pub(super) fn new_player(
        &self,
        name: String,
        external_id: Option<String>,
        locale: String,
        named_at: Millis,
    ) -> Player {
        let (id, made_at) = (Uuid::now_v7(), self.now());
        Player { id, made_at, name, external_id, locale, named_at, revoked_at: None }
    }
}
