//! Sums of players' games.

use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Store, StoreError, query, standings::shown};

/// Sums of a player's games of one kind, in a preset and a period.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StatisticsRow {
    /// Whose they are.
    pub player_id: Uuid,
    /// The period's name; empty for all time.
    pub period: String,
    /// The preset's name; empty for all of them together.
    pub preset: String,
    /// The number of the kind.
    pub kind: i16,
    /// Games.
    pub games: i32,
    /// Those won, also shared.
    pub wins: i32,
    /// Deals that counted.
    pub deals: i32,
    /// Those in which he went out.
    pub deals_won: i32,
    /// Those in which he went rummy.
    pub rummies: i32,
    /// What his deals counted.
    pub points: i64,
    /// How often his time ran out.
    pub timeouts: i32,
    /// Games won in a row up to the last one.
    pub streak: i32,
    /// The most games won in a row.
    pub longest_streak: i32,
}

/// The columns of a [`StatisticsRow`].
macro_rules! statistics_columns {
    () => {
        "player_id, period, preset, kind, games, wins, deals, deals_won, rummies, points, timeouts, streak, \
         longest_streak"
    };
}

/// The [`StatisticsRow::place`] of a row.
macro_rules! statistics_place {
    () => {
        "(period || ' ' || preset || ' ' || CAST(kind AS text))"
    };
}
pub(super) use {statistics_columns, statistics_place};

impl StatisticsRow {
    /// Period, preset and kind as one text: no two of a player's rows have the same.
    pub fn place(&self) -> String {
        format!("{} {} {}", self.period, self.preset, self.kind)
    }
}

impl Store {
    /// A player's sums in a preset and a period, by kind; nothing for kinds of which he has played no game.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn statistics(
        &self,
        player: Uuid,
        preset: &str,
        period: &str,
    ) -> Result<Vec<StatisticsRow>, StoreError> {
        const STATISTICS: &str = concat!(
            "SELECT ",
            statistics_columns!(),
            " FROM statistics WHERE generation = ",
            shown!(),
            " AND player_id = $1 AND preset = $2 AND period = $3 ORDER BY kind"
        );
        Ok(query!(self, readers, |pool| sqlx::query_as(STATISTICS)
            .bind(player)
            .bind(preset)
            .bind(period)
            .fetch_all(pool))?)
    }

    /// The sums of some players in some periods in a generation.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn statistics_in(
        &self,
        generation: i32,
        players: &[Uuid],
        periods: &[String],
    ) -> Result<Vec<StatisticsRow>, StoreError> {
        if players.is_empty() || periods.is_empty() {
            return Ok(Vec::new());
        }
        let sums: Result<_, sqlx::Error> = query!(self, readers, |pool| async {
            let mut select = QueryBuilder::new(concat!(
                "SELECT ",
                statistics_columns!(),
                " FROM statistics WHERE generation = "
            ));
            select.push_bind(generation).push(" AND player_id IN (");
            let mut ids = select.separated(", ");
            players.iter().for_each(|player| {
                ids.push_bind(*player);
            });
            select.push(") AND period IN (");
            let mut names = select.separated(", ");
            periods.iter().for_each(|period| {
                names.push_bind(period.as_str());
            });
            select.push(")");
            select.build_query_as().persistent(false).fetch_all(pool).await
        });
        Ok(sums?)
    }
}
