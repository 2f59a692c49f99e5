//! What else is held about a player, for him to have.

use uuid::Uuid;

use super::audit::act_columns;
use super::invitation::invitation_columns;
use super::rating::{change_columns, rating_columns};
use super::standings::shown;
use super::statistics::{statistics_columns, statistics_place};
use super::ticket::ticket_columns;
use super::{
    Act, GameId, Invitation, Millis, RatingChange, RatingRow, StatisticsRow, Store, StoreError, TicketRow,
    query,
};

/// A sign-in that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Session {
    /// Its id, which isn't secret.
    pub session_id: Uuid,
    /// When the last of its tokens ends.
    pub expires_at: Millis,
}

/// A command whose answer is kept for a repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct KeptRequest {
    /// The client's id of the command.
    pub request_id: Uuid,
    /// When it was carried out.
    pub made_at: Millis,
}

/// A game that was brought from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ImportedGame {
    /// Its id here.
    pub game_id: GameId,
    /// When.
    pub imported_at: Millis,
}

/// Declares reads of a player's rows by ascending key behind one, at most `limit` of them.
macro_rules! of_player {
    ($($(#[$doc:meta])* $name:ident: $key:ty => $row:ty = $sql:expr;)+) => {
        impl Store { $(
            $(#[$doc])*
            ///
            /// # Errors
            /// The database is unavailable or damaged.
            pub async fn $name(&self, player: Uuid, after: $key, limit: u32) -> Result<Vec<$row>, StoreError> {
                Ok(query!(self, readers, |pool| sqlx::query_as($sql)
                    .bind(player)
                    .bind(after)
                    .bind(i64::from(limit))
                    .fetch_all(pool))?)
            }
        )+ }
    };
}

of_player! {
    /// A player's sign-ins, by their ids.
    sessions_of_player: Uuid => Session =
        "SELECT session_id, max(expires_at) AS expires_at FROM tokens WHERE player_id = $1 AND session_id > $2 \
         GROUP BY session_id ORDER BY session_id LIMIT $3";
    /// A player's commands whose answers are kept, by their ids.
    requests_of_player: Uuid => KeptRequest =
        "SELECT request_id, made_at FROM requests WHERE principal = $1 AND request_id > $2 \
         ORDER BY request_id LIMIT $3";
    /// The games that a player has brought from elsewhere, by their ids.
    imports_of_player: Uuid => ImportedGame =
        "SELECT game_id, imported_at FROM imports WHERE imported_by = $1 AND game_id > $2 \
         ORDER BY game_id LIMIT $3";
    /// A player's ratings, by their families.
    ratings_of_player: &str => RatingRow = concat!(
        "SELECT ", rating_columns!(), " FROM ratings WHERE generation = ", shown!(),
        " AND player_id = $1 AND family > $2 ORDER BY family LIMIT $3"
    );
    /// What games have made of a player's ratings, by their ids.
    rating_changes_of_player: Uuid => RatingChange = concat!(
        "SELECT ", change_columns!(), " FROM rating_changes WHERE generation = ", shown!(),
        " AND player_id = $1 AND game_id > $2 ORDER BY game_id LIMIT $3"
    );
    /// What a player's games come to, by their [places](StatisticsRow::place).
    statistics_of_player: &str => StatisticsRow = concat!(
        "SELECT ", statistics_columns!(), " FROM statistics WHERE generation = ", shown!(),
        " AND player_id = $1 AND ", statistics_place!(), " > $2 ORDER BY ", statistics_place!(), " LIMIT $3"
    );
    /// The searches for games in which a player was, by their ids.
    tickets_of_player: Uuid => TicketRow = concat!(
        "SELECT ", ticket_columns!(), " FROM tickets JOIN ticket_players \
         ON ticket_players.ticket_id = tickets.ticket_id WHERE player_id = $1 AND tickets.ticket_id > $2 \
         ORDER BY tickets.ticket_id LIMIT $3"
    );
    /// The tables to which a player is invited, by their ids.
    invitations_of_player: Uuid => Invitation = concat!(
        "SELECT ", invitation_columns!(), " FROM invitations WHERE player_id = $1 AND game_id > $2 \
         ORDER BY game_id LIMIT $3"
    );
    /// What administrators have done about a player, by its ids.
    acts_on_player: Uuid => Act = concat!(
        "SELECT ", act_columns!(), " FROM audit WHERE subject = $1 AND id > $2 ORDER BY id LIMIT $3"
    );
}
