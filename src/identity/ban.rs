//! Bans: a banned player calls nothing, and nobody calls for him.

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::pass::REMEMBERED;
use super::{AuthError, Identity};
use crate::store::{Act, Ban, Millis, StoreError};

/// The player is banned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the player is banned")]
pub struct Banned {
    /// When the ban ends; `None` for never.
    pub until: Option<Millis>,
}

impl Identity {
    /// Refuses a player who is banned, by what is remembered.
    ///
    /// # Errors
    /// [`AuthError::Banned`], or the store can't be asked.
    pub async fn refuse_banned(&self, player: PlayerId) -> Result<(), AuthError> {
        let ban = match self.bans.get(&player).filter(|_| self.hears_revocations()) {
            Some((_, ban)) => ban,
            None => {
                let id = Uuid::from_u128(player.0);
                let ban = self.store.ban(id).await?;
                self.bans.put(player, (id, ban.clone()), REMEMBERED);
                ban
            }
        };
        self.judge(ban)
    }

    /// The same, by the store itself.
    pub(super) async fn recheck_ban(&self, player: PlayerId) -> Result<(), AuthError> {
        self.judge(self.store.ban(Uuid::from_u128(player.0)).await?)
    }

    fn judge(&self, ban: Option<Ban>) -> Result<(), AuthError> {
        match ban.filter(|ban| ban.counts(self.now())) {
            Some(Ban { until, .. }) => Err(Banned { until }.into()),
            None => Ok(()),
        }
    }

    /// Bans the player whom an act is on, at once for this instance; whether the act is new: otherwise nothing was
    /// done.
    ///
    /// # Errors
    /// The database is unavailable; then it is to be done again.
    pub async fn ban(&self, act: &Act) -> Result<bool, StoreError> {
        let new = self.store.ban_player(act).await?;
        self.heed_own(act.subject, act.made_at);
        Ok(new)
    }

    /// Lifts the ban of the player whom an act is on; whether the act is new.
    ///
    /// # Errors
    /// The database is unavailable; then it is to be done again.
    pub async fn lift_ban(&self, act: &Act) -> Result<bool, StoreError> {
        let new = self.store.lift_ban(act).await?;
        self.heed_own(act.subject, act.made_at);
        Ok(new)
    }

    /// Ends all sessions of the player whom an administrator's act is on; whether the act is new.
    ///
    /// # Errors
    /// The database is unavailable; then it is to be done again.
    pub async fn sign_out_by(&self, act: &Act) -> Result<bool, StoreError> {
        let new = self.store.sign_out(act).await?;
        self.heed_own(act.subject, act.made_at);
        Ok(new)
    }
}
