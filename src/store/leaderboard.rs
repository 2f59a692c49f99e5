//! Who is ahead: players in order of a figure, without those who aren't to be shown.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use super::{PageTokenError, Store, StoreError, query, standings::shown};

/// A leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board<'a> {
    /// What it is ordered by.
    pub by: Figure,
    /// The family of ratings, or the preset of statistics; of these empty for all.
    pub preset: &'a str,
    /// The period of statistics; empty for all time, and for ratings.
    pub period: &'a str,
}

/// What players are ordered by, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Points of a rating that isn't provisional.
    Rating,
    /// Games won.
    Wins,
    /// Deals won.
    DealsWon,
    /// Deals won by going rummy.
    Rummies,
    /// The most games won in a row.
    LongestStreak,
}

/// A player's place in the order: by the figure, and where that is equal by his id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct BoardPlace {
    /// The figure.
    pub value: i32,
    /// The player.
    pub player_id: Uuid,
}

impl BoardPlace {
    /// Before everybody.
    pub const TOP: Self = Self { value: i32::MAX, player_id: Uuid::nil() };
}

/// Its string form is opaque to clients.
impl fmt::Display for BoardPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.value, self.player_id.simple())
    }
}

impl FromStr for BoardPlace {
    type Err = PageTokenError;

    fn from_str(text: &str) -> Result<Self, PageTokenError> {
        let (value, player_id) = text.split_once('.').ok_or(PageTokenError)?;
        let value = value.parse().map_err(|_| PageTokenError)?;
        Ok(Self { value, player_id: Uuid::parse_str(player_id).map_err(|_| PageTokenError)? })
    }
}

/// A player on a leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct BoardRow {
    /// His place.
    #[sqlx(flatten)]
    pub place: BoardPlace,
    /// How many games it rests on.
    pub games: i32,
}

/// The statements for a figure; `$1` is the preset, `$2` the period, `$3` and `$4` a place, `$5` a limit.
struct Statements {
    /// Who comes behind a place, the nearest first.
    behind: &'static str,
    /// The places before one, the nearest first.
    before: &'static str,
    /// How many come before a place, and how many of them have a higher figure.
    ahead: &'static str,
    /// The place of a player, who is `$3`.
    own: &'static str,
}

macro_rules! statements {
    ($from:literal, $figure:literal) => {{
        macro_rules! listed {
            () => {
                concat!(
                    " FROM ",
                    $from,
                    " AND generation = ",
                    shown!(),
                    " AND NOT EXISTS (SELECT 1 FROM bans WHERE bans.player_id = board.player_id AND until IS NULL) \
                     AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.player_id = board.player_id) "
                )
            };
        }
        &Statements {
            behind: concat!(
                "SELECT ",
                $figure,
                " AS value, player_id, games",
                listed!(),
                "AND ",
                $figure,
                " <= $3 AND (",
                $figure,
                " < $3 OR player_id > $4) ORDER BY ",
                $figure,
                " DESC, player_id LIMIT $5"
            ),
            before: concat!(
                "SELECT ",
                $figure,
                " AS value, player_id",
                listed!(),
                "AND ",
                $figure,
                " >= $3 AND (",
                $figure,
                " > $3 OR player_id < $4) ORDER BY ",
                $figure,
                ", player_id DESC LIMIT $5"
            ),
            ahead: concat!(
                "SELECT count(*), count(*) FILTER (WHERE ",
                $figure,
                " > $3)",
                listed!(),
                "AND ",
                $figure,
                " >= $3 AND (",
                $figure,
                " > $3 OR player_id < $4)"
            ),
            own: concat!("SELECT ", $figure, " AS value, player_id", listed!(), "AND player_id = $3"),
        }
    }};
}

impl Figure {
    const fn statements(self) -> &'static Statements {
        match self {
            Self::Rating => statements!(
                "ratings AS board WHERE family = $1 AND CAST($2 AS text) = '' AND NOT provisional",
                "points"
            ),
            // An index serves a query that says what it leaves out.
            Self::Wins => statements!(
                "statistics AS board WHERE preset = $1 AND period = $2 AND kind = 1 AND wins > 0",
                "wins"
            ),
            Self::DealsWon => statements!(
                "statistics AS board WHERE preset = $1 AND period = $2 AND kind = 1 AND deals_won > 0",
                "deals_won"
            ),
            Self::Rummies => statements!(
                "statistics AS board WHERE preset = $1 AND period = $2 AND kind = 1 AND rummies > 0",
                "rummies"
            ),
            Self::LongestStreak => statements!(
                "statistics AS board WHERE preset = $1 AND period = $2 AND kind = 1 AND longest_streak > 0",
                "longest_streak"
            ),
        }
    }
}

impl Store {
    /// Who comes behind a place of a leaderboard, the nearest first, at most `limit` players.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn leaderboard(
        &self,
        board: Board<'_>,
        behind: BoardPlace,
        limit: u32,
    ) -> Result<Vec<BoardRow>, StoreError> {
        let sql = board.by.statements().behind;
        Ok(query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(board.preset)
            .bind(board.period)
            .bind(behind.value)
            .bind(behind.player_id)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// The places before one of a leaderboard, the nearest first, at most `limit`.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn places_before(
        &self,
        board: Board<'_>,
        place: BoardPlace,
        limit: u32,
    ) -> Result<Vec<BoardPlace>, StoreError> {
        let sql = board.by.statements().before;
        Ok(query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(board.preset)
            .bind(board.period)
            .bind(place.value)
            .bind(place.player_id)
            .bind(i64::from(limit))
            .fetch_all(pool))?)
    }

    /// How many players come before a place of a leaderboard, and how many of them have a higher figure.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn count_ahead(&self, board: Board<'_>, place: BoardPlace) -> Result<(i64, i64), StoreError> {
        let sql = board.by.statements().ahead;
        Ok(query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(board.preset)
            .bind(board.period)
            .bind(place.value)
            .bind(place.player_id)
            .fetch_one(pool))?)
    }

    /// A player's place on a leaderboard; `None` if he isn't on it.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn board_place(
        &self,
        board: Board<'_>,
        player: Uuid,
    ) -> Result<Option<BoardPlace>, StoreError> {
        let sql = board.by.statements().own;
        Ok(query!(self, readers, |pool| sqlx::query_as(sql)
            .bind(board.preset)
            .bind(board.period)
            .bind(player)
            .fetch_optional(pool))?)
    }
}
