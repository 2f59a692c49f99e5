use std::{fmt, str::FromStr};

use bytes::Bytes;
use uuid::Uuid;

use super::{GameId, Millis, Store, StoreError, query, rows::summary_columns};

/// What lists and invitations tell about a game. It changes in the transaction of the move that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The game.
    pub game: GameId,
    /// The number of the move that wrote this summary; later moves may have left it as it is.
    pub version: u32,
    /// The phase, as the writer numbers them: lists filter by it.
    pub status: i16,
    /// The preset's name; never empty.
    pub preset: String,
    /// Whether anybody may find it.
    pub public: bool,
    /// Whether anybody may list it now.
    pub listed: bool,
    /// Until when others than its players list it as it was before; `None` if they see it as it is.
    pub settles_at: Option<Millis>,
    /// The code that invites to it, unique among all games; never empty.
    pub invite_code: Option<String>,
    /// Who may list it as theirs, in the writer's order.
    pub players: Vec<Uuid>,
    /// When the game was made.
    pub made_at: Millis,
    /// When this summary was written.
    pub changed_at: Millis,
    /// Whatever else a list shows, encoded; the store never looks inside.
    pub detail: Bytes,
}

/// Which games to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Who looks: he sees the public games and those he plays in. `None` sees the public ones.
    pub viewer: Option<Uuid>,
    /// Only the games that `viewer` plays in; without a viewer there are none.
    pub mine_only: bool,
    /// Only games in one of these statuses, and those that aren't settled yet; empty for all.
    pub statuses: Vec<i16>,
    /// The time now, to tell which games are settled.
    pub now: Millis,
    /// Only games of this preset.
    pub preset: Option<String>,
}

/// Which part of a list to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many games at most: 1 to [`Page::MAX_SIZE`], other values are moved into that range.
    pub size: u32,
    /// Where the page before ended; `None` for the first.
    pub token: Option<PageToken>,
}

impl Page {
    /// The most games that one page holds.
    pub const MAX_SIZE: u32 = 1000;

    /// The size within its range.
    pub(super) fn rows(&self) -> u32 {
        self.size.clamp(1, Self::MAX_SIZE)
    }
}

/// The end of a page of a list. Its string form is opaque to clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageToken(pub(super) GameId);

impl PageToken {
    /// The end of a page whose last game is this one.
    pub fn after(game: GameId) -> Self {
        Self(game)
    }
}

impl Store {
    /// The listed games in a status by descending id, so the newest come first, behind a page, at most `limit`.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn waiting_tables(
        &self,
        status: i16,
        after: Option<PageToken>,
        limit: u32,
    ) -> Result<Vec<Summary>, StoreError> {
        // As the index `games_open` has them, which no other games are in.
        const WAITING: &str = concat!(
            "SELECT ",
            summary_columns!(),
            " FROM games WHERE games.listed AND games.status = $1 AND games.game_id < $2 \
              ORDER BY games.game_id DESC LIMIT $3"
        );
        // No id is above the greatest one.
        let below = after.map_or(Uuid::max(), |token| token.0.0);
        Ok(query!(self, readers, |pool| sqlx::query_as(WAITING)
            .bind(status)
            .bind(below)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.simple().fmt(f)
    }
}

impl FromStr for PageToken {
    type Err = PageTokenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::parse_str(text).map(|id| Self(GameId(id))).map_err(|_| PageTokenError)
    }
}

/// The text isn't a [`PageToken`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a page token of this service")]
pub struct PageTokenError;
