//! What else is held about a player, for him to have.

use uuid::Uuid;

use super::{GameId, Millis, RatingRow, Store, StoreError, query};

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
    ($($(#[$doc:meta])* $name:ident: $key:ty => $row:ty = $sql:literal;)+) => {
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
    ratings_of_player: &str => RatingRow =
        "SELECT player_id, family, mean, deviation, games, rated_at FROM ratings \
         WHERE player_id = $1 AND family > $2 ORDER BY family LIMIT $3";
}
