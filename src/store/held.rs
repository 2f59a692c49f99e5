//! What else is held about a player, for him to have.

use uuid::Uuid;

use super::{GameId, Millis, RatingRow, Store, StoreError, TicketState, query};

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

/// A search for a game in which a player was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct HeldTicket {
    /// Its id.
    pub ticket_id: Uuid,
    /// When it was made.
    pub made_at: Millis,
    /// What has become of it.
    pub state: TicketState,
    /// The game that was found.
    pub game_id: Option<Uuid>,
}

/// What a game has made of a player's rating.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct HeldRatingChange {
    /// The game.
    pub game_id: Uuid,
    /// The family of rulesets.
    pub family: String,
    /// When it was rated.
    pub rated_at: Millis,
    /// His place among the players.
    pub place: i16,
    /// How many they were.
    pub players: i16,
    /// The estimate before.
    pub mean_before: f64,
    /// The estimate after.
    pub mean: f64,
}

/// What a player's games of a kind come to.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct HeldStatistics {
    /// Period, preset and kind as one text, by which these are sorted.
    pub place: String,
    /// The year, month or week; empty for all time.
    pub period: String,
    /// The preset; empty for all.
    pub preset: String,
    /// Whether they were rated, with house rules or with bots.
    pub kind: i16,
    /// Games.
    pub games: i64,
    /// Games won.
    pub wins: i64,
    /// Deals.
    pub deals: i64,
    /// Deals won.
    pub deals_won: i64,
    /// Deals won in one go.
    pub rummies: i64,
    /// Points, summed up.
    pub points: i64,
    /// Turns that ran out of time.
    pub timeouts: i64,
}

/// A table to which a player is invited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct HeldInvitation {
    /// The table's game.
    pub game_id: Uuid,
    /// By whom.
    pub invited_by: Uuid,
    /// When.
    pub made_at: Millis,
}

/// What an administrator has done about a player.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct HeldAct {
    /// Its id.
    pub id: Uuid,
    /// When.
    pub made_at: Millis,
    /// What, a number of `audit::Deed`.
    pub act: i16,
    /// Why.
    pub reason: String,
    /// Until when it holds, where it has an end.
    pub until: Option<Millis>,
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
        "SELECT player_id, family, mean, deviation, games, rated_at, points, provisional FROM ratings \
         WHERE generation = (SELECT generation FROM standings WHERE state = 1) \
         AND player_id = $1 AND family > $2 ORDER BY family LIMIT $3";
    /// What games have made of a player's ratings, by their ids.
    rating_changes_of_player: Uuid => HeldRatingChange =
        "SELECT game_id, family, rated_at, place, players, mean_before, mean FROM rating_changes \
         WHERE generation = (SELECT generation FROM standings WHERE state = 1) \
         AND player_id = $1 AND game_id > $2 ORDER BY game_id LIMIT $3";
    /// What a player's games come to, by period, preset and kind.
    statistics_of_player: &str => HeldStatistics =
        "SELECT * FROM (SELECT period || ' ' || preset || ' ' || CAST(kind AS text) AS place, period, preset, kind, \
         CAST(games AS bigint) AS games, CAST(wins AS bigint) AS wins, CAST(deals AS bigint) AS deals, \
         CAST(deals_won AS bigint) AS deals_won, CAST(rummies AS bigint) AS rummies, \
         CAST(points AS bigint) AS points, CAST(timeouts AS bigint) AS timeouts FROM statistics \
         WHERE generation = (SELECT generation FROM standings WHERE state = 1) AND player_id = $1) AS sums \
         WHERE place > $2 ORDER BY place LIMIT $3";
    /// The searches for games in which a player was, by their ids.
    tickets_of_player: Uuid => HeldTicket =
        "SELECT tickets.ticket_id, made_at, state, game_id FROM tickets JOIN ticket_players \
         ON ticket_players.ticket_id = tickets.ticket_id WHERE player_id = $1 AND tickets.ticket_id > $2 \
         ORDER BY tickets.ticket_id LIMIT $3";
    /// The tables to which a player is invited, by their ids.
    invitations_of_player: Uuid => HeldInvitation =
        "SELECT game_id, invited_by, made_at FROM invitations WHERE player_id = $1 AND game_id > $2 \
         ORDER BY game_id LIMIT $3";
    /// What administrators have done about a player, by its ids.
    acts_on_player: Uuid => HeldAct =
        "SELECT id, made_at, act, reason, until FROM audit WHERE subject = $1 AND id > $2 ORDER BY id LIMIT $3";
}
