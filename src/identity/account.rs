//! Players who have an account of the integrator's.

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::accounts::Account;
use super::{Identity, LinkError, NAME};
use crate::codec::wire;
use crate::store::{Millis, Player, StoreError};

/// The name of a player of whom none is known, or none that can be shown.
const NAMELESS: &str = "Player";

impl Identity {
    /// The player of an account, who is made when it is first seen. His name follows the account's: a name that can't
    /// be shown is cleaned and cut rather than refused, since the player can't change it.
    pub(super) async fn player_of(&self, account: &Account) -> Result<Player, StoreError> {
        let name = account.name.as_deref().and_then(wire::cleaned_name);
        let named_at = account.issued_at.unwrap_or_else(|| self.now());
        let (player, _) = self.meet(&account.id, name, account.locale.clone(), named_at).await?;
        Ok(player)
    }

    /// The player of an account, and whether he was made now. What is given of name and locale was true at `named_at`,
    /// and replaces what is older.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn meet(
        &self,
        external_id: &str,
        name: Option<String>,
        locale: Option<String>,
        named_at: Millis,
    ) -> Result<(Player, bool), StoreError> {
        if let Some(player) = self.store.player_by_external_id(external_id).await? {
            return Ok((self.bring_up_to_date(player, name, locale, named_at).await?, false));
        }
        let name = name.unwrap_or_else(|| NAMELESS.to_owned());
        let locale = locale.unwrap_or_default();
        let new = self.new_player(name, Some(external_id.to_owned()), locale, named_at);
        match self.store.add_player(&new).await {
            Ok(()) => Ok((new, true)),
            // Somebody else has made him at the same time.
            Err(StoreError::Taken) => {
                let player = self.store.player_by_external_id(external_id).await?;
                player.map(|player| (player, false)).ok_or(StoreError::Taken)
            }
            Err(error) => Err(error),
        }
    }

    async fn bring_up_to_date(
        &self,
        player: Player,
        name: Option<String>,
        locale: Option<String>,
        named_at: Millis,
    ) -> Result<Player, StoreError> {
        let name = name.unwrap_or_else(|| player.name.clone());
        let locale = locale.unwrap_or_else(|| player.locale.clone());
        if named_at <= player.named_at || (&name, &locale) == (&player.name, &player.locale) {
            return Ok(player);
        }
        if self.store.rename_player(player.id, &name, &locale, named_at).await? {
            self.names.put(PlayerId(player.id.as_u128()), name.clone(), NAME);
        }
        Ok(Player { name, locale, named_at, ..player })
    }

    /// Gives a guest the account that a token of the integrator's proves. His id, his games and his tokens stay. Safe
    /// to do again.
    ///
    /// # Errors
    /// See [`LinkError`]; then nothing has changed.
    pub async fn link(&self, player: PlayerId, token: &str) -> Result<Player, LinkError> {
        let accounts = self.accounts.as_ref().ok_or(LinkError::NotConfigured)?;
        let account = accounts.verify(token).await.map_err(LinkError::Account)?;
        let id = Uuid::from_u128(player.0);
        match self.store.link_player(id, &account.id).await {
            Ok(_) => {}
            Err(StoreError::Taken) => return Err(LinkError::AccountTaken),
            Err(error) => return Err(error.into()),
        }
        // Whether it was done now or before, or he has another one.
        let linked = self.store.player(id).await?;
        let linked = linked.filter(|player| player.external_id.as_ref() == Some(&account.id));
        let linked = linked.ok_or(LinkError::AlreadyLinked)?;
        let name = account.name.as_deref().and_then(wire::cleaned_name);
        let named_at = account.issued_at.unwrap_or_else(|| self.now());
        Ok(self.bring_up_to_date(linked, name, account.locale, named_at).await?)
    }
}
