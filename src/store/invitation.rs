//! Whom hosts have invited to their tables.

use uuid::Uuid;

use super::{GameId, Millis, Store, StoreError, query};

/// An invitation.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Invitation {
    /// To which game.
    pub game_id: GameId,
    /// Who.
    pub player_id: Uuid,
    /// By whom.
    pub invited_by: Uuid,
    /// When.
    pub made_at: Millis,
}

/// The columns of an [`Invitation`].
macro_rules! invitation_columns {
    () => {
        "invitations.game_id, invitations.player_id, invitations.invited_by, invitations.made_at"
    };
}
pub(super) use invitation_columns;

/// Where a page of invitations ended: the time of its last one, and its player or game.
pub type InvitationPlace = (Millis, Uuid);

/// The place before the newest invitation.
const NEWEST: InvitationPlace = (Millis(i64::MAX), Uuid::max());

impl Store {
    /// Keeps an invitation, if the game has fewer than `most`; one that is there already stays as it is. Whether it is
    /// there now.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn invite(&self, invitation: &Invitation, most: u32) -> Result<bool, StoreError> {
        const INVITE: &str = "INSERT INTO invitations (game_id, player_id, invited_by, made_at) \
             SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM invitations WHERE game_id = $1) < $5 \
             ON CONFLICT DO NOTHING";
        let Invitation { game_id, player_id, invited_by, made_at } = invitation;
        let made: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let invite = sqlx::query(INVITE).bind(game_id).bind(player_id).bind(invited_by).bind(made_at);
            Ok(invite.bind(i64::from(most)).execute(pool).await?.rows_affected())
        });
        Ok(made? > 0 || self.is_invited(*game_id, *player_id).await?)
    }

    /// Forgets an invitation.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn withdraw_invitation(&self, game: GameId, player: Uuid) -> Result<(), StoreError> {
        const WITHDRAW: &str = "DELETE FROM invitations WHERE game_id = $1 AND player_id = $2";
        let gone: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(WITHDRAW).bind(game).bind(player).execute(pool).await.map(drop)
        });
        Ok(gone?)
    }

    /// Whether a player is invited to a game.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn is_invited(&self, game: GameId, player: Uuid) -> Result<bool, StoreError> {
        const INVITED: &str = "SELECT 1 FROM invitations WHERE game_id = $1 AND player_id = $2";
        let found: Option<i32> = query!(self, readers, |pool| sqlx::query_scalar(INVITED)
            .bind(game)
            .bind(player)
            .fetch_optional(pool))?;
        Ok(found.is_some())
    }

    /// The invitations to a game behind a place, the newest first, at most `limit`.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn invitations_to(
        &self,
        game: GameId,
        after: Option<InvitationPlace>,
        limit: u32,
    ) -> Result<Vec<Invitation>, StoreError> {
        const TO: &str = concat!(
            "SELECT ",
            invitation_columns!(),
            " FROM invitations WHERE game_id = $1 AND (made_at, player_id) < ($2, $3) \
              ORDER BY made_at DESC, player_id DESC LIMIT $4"
        );
        let (made_at, player) = after.unwrap_or(NEWEST);
        Ok(query!(self, readers, |pool| sqlx::query_as(TO)
            .bind(game)
            .bind(made_at)
            .bind(player)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// The invitations of a player to games in a status, behind a place, the newest first, at most `limit`. Those of
    /// whoever has blocked him, or is blocked by him, are left out.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn invitations_of(
        &self,
        player: Uuid,
        status: i16,
        after: Option<InvitationPlace>,
        limit: u32,
    ) -> Result<Vec<Invitation>, StoreError> {
        const OF: &str = concat!(
            "SELECT ",
            invitation_columns!(),
            " FROM invitations JOIN games ON games.game_id = invitations.game_id \
              WHERE invitations.player_id = $1 AND games.status = $2 \
              AND (invitations.made_at, invitations.game_id) < ($3, $4) \
              AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocks.player_id = $1 \
                  AND blocks.blocked_id = invitations.invited_by) \
              AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocks.blocked_id = $1 \
                  AND blocks.player_id = invitations.invited_by) \
              ORDER BY invitations.made_at DESC, invitations.game_id DESC LIMIT $5"
        );
        let (made_at, game) = after.unwrap_or(NEWEST);
        Ok(query!(self, readers, |pool| sqlx::query_as(OF)
            .bind(player)
            .bind(status)
            .bind(made_at)
            .bind(game)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// Forgets the invitations that were made before a time.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sweep_invitations(&self, older_than: Millis) -> Result<(), StoreError> {
        const SWEEP: &str = "DELETE FROM invitations WHERE made_at < $1";
        let gone: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(SWEEP).bind(older_than).execute(pool).await.map(drop)
        });
        Ok(gone?)
    }
}
