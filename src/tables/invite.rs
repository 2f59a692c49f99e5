//! Whom the host invites to a table that waits for its first deal.

use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::refusal::Refusal;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::{LiveTable, TableError};
use crate::fairness::Fairness;
use crate::store::{Invitation, InvitationPlace, Millis};

/// The most invitations of a table.
const MOST: u32 = 50;

impl LiveTable {
    /// Invites players, who are known to exist.
    ///
    /// # Errors
    /// Who invites isn't the host of a table that waits, there would be too many invitations, or the database is
    /// unavailable or damaged.
    pub async fn invite(&self, by: PlayerId, players: &[Uuid]) -> Result<(), TableError> {
        self.hosted_by(by).await?;
        let made_at = Millis(self.clock.now().0);
        for &player_id in players {
            let invited_by = Uuid::from_u128(by.0);
            let invitation = Invitation { game_id: self.meta.game, player_id, invited_by, made_at };
            if !self.store.invite(&invitation, MOST).await? {
                return Err(TableError::TooManyInvitations(MOST));
            }
        }
        Ok(())
    }

    /// Takes an invitation back.
    ///
    /// # Errors
    /// Who takes it back isn't the host of a table that waits, or the database is unavailable or damaged.
    pub async fn withdraw_invitation(&self, by: PlayerId, player: Uuid) -> Result<(), TableError> {
        self.hosted_by(by).await?;
        Ok(self.store.withdraw_invitation(self.meta.game, player).await?)
    }

    /// Who is invited, the newest invitation first, behind a place in this list.
    ///
    /// # Errors
    /// Who asks isn't the host of a table that waits, or the database is unavailable or damaged.
    pub async fn invitations(
        &self,
        by: PlayerId,
        after: Option<InvitationPlace>,
        limit: u32,
    ) -> Result<Vec<Invitation>, TableError> {
        self.hosted_by(by).await?;
        Ok(self.store.invitations_to(self.meta.game, after, limit).await?)
    }

    /// Makes sure that a player is the host of a table that waits: whoever may change what is said of it.
    async fn hosted_by(&self, player: PlayerId) -> Result<(), TableError> {
        if self.may_change(player).is_err() {
            // This copy may be stale.
            self.refresh().await?;
        }
        Ok(self.may_change(player)?)
    }

    fn may_change(&self, player: PlayerId) -> Result<(), Refusal> {
        let state = self.state();
        let table = &state.table;
        let actor = table.seat_of(player).map_or(Actor::Player(player), Actor::Seat);
        let mut chance = Fairness::at(self.meta.game, table);
        decide(table, actor, &Command::ChangeSettings, self.clock.now(), &mut chance).map(drop)
    }
}
