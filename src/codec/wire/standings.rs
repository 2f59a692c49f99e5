//! Ratings, statistics and leaderboards.

use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;

use super::fault::{Fault, Problem};
use super::request::preset;
use super::{Names, stored_time};
use crate::proto::v1;
use crate::ratings::Rating;
use crate::standings::{Counted, Leader, Period};
use crate::store::{Figure, Millis, RatingChange, RatingRow, StatisticsRow};

/// A player's rating.
pub fn player_rating(row: &RatingRow) -> v1::PlayerRating {
    let rating = Rating::from(row.clone());
    v1::PlayerRating {
        preset: row.family.clone(),
        points: rating.points(),
        deviation: rating.deviation_points().unsigned_abs(),
        games: rating.games,
        provisional: rating.is_provisional(),
        rated_at: Some(stored_time(row.rated_at)),
    }
}

/// What a game has changed in a rating; the game's id only if it may be told.
pub fn rating_change(change: &RatingChange, with_game: bool) -> v1::RatingChange {
    let games = change.number.unsigned_abs();
    let before = Rating { mean: change.mean_before, deviation: change.deviation_before, games };
    let after = Rating { mean: change.mean, deviation: change.deviation, games };
    v1::RatingChange {
        player_id: change.player_id.to_string(),
        game_id: if with_game { change.game_id.to_string() } else { String::new() },
        preset: change.family.clone(),
        number: games,
        rated_at: Some(stored_time(change.rated_at)),
        place: change.place.unsigned_abs().into(),
        players: change.players.unsigned_abs().into(),
        points_before: before.points(),
        points: after.points(),
        deviation_before: before.deviation_points().unsigned_abs(),
        deviation: after.deviation_points().unsigned_abs(),
        provisional: after.is_provisional(),
    }
}

/// What a game is counted as, by the number that is stored; `None` before it is counted.
pub fn game_counting(stored: Option<i16>) -> v1::GameCounting {
    const NAMES: [(Counted, v1::GameCounting); 7] = [
        (Counted::Rated, v1::GameCounting::Rated),
        (Counted::HouseRules, v1::GameCounting::HouseRules),
        (Counted::WithBots, v1::GameCounting::WithBots),
        (Counted::Sandbox, v1::GameCounting::Sandbox),
        (Counted::NotPlayed, v1::GameCounting::NotPlayed),
        (Counted::Unreadable, v1::GameCounting::Unreadable),
        (Counted::Voided, v1::GameCounting::Voided),
    ];
    let Some(stored) = stored else { return v1::GameCounting::Pending };
    let name = NAMES.into_iter().find(|(counted, _)| *counted as i16 == stored);
    // What a newer build counts otherwise counts nowhere here.
    name.map_or(v1::GameCounting::Unspecified, |(_, counting)| counting)
}

/// Sums of a player's games.
pub fn statistics(row: &StatisticsRow) -> v1::Statistics {
    let deals = row.deals.unsigned_abs();
    v1::Statistics {
        counting: game_counting(Some(row.kind)).into(),
        games: row.games.unsigned_abs(),
        wins: row.wins.unsigned_abs(),
        deals,
        deals_won: row.deals_won.unsigned_abs(),
        rummies: row.rummies.unsigned_abs(),
        points: row.points,
        average_points: if deals == 0 { 0.0 } else { row.points as f64 / f64::from(deals) },
        timeouts: row.timeouts.unsigned_abs(),
        streak: row.streak.unsigned_abs(),
        longest_streak: row.longest_streak.unsigned_abs(),
    }
}

/// A player on a leaderboard.
pub fn leader(leader: &Leader, names: &Names) -> v1::Leader {
    let name = names.get(&PlayerId(leader.player.as_u128()));
    v1::Leader {
        rank: u32::try_from(leader.rank).unwrap_or(u32::MAX),
        player_id: leader.player.to_string(),
        display_name: name.cloned().unwrap_or_default(),
        value: leader.value,
        games: leader.games.unsigned_abs(),
    }
}

/// What a leaderboard is ordered by.
///
/// # Errors
/// The number is none of the choices.
pub fn figure(number: i32) -> Result<Figure, Fault> {
    Ok(match v1::LeaderboardOrder::try_from(number) {
        Ok(v1::LeaderboardOrder::Unspecified | v1::LeaderboardOrder::Rating) => Figure::Rating,
        Ok(v1::LeaderboardOrder::Wins) => Figure::Wins,
        Ok(v1::LeaderboardOrder::DealsWon) => Figure::DealsWon,
        Ok(v1::LeaderboardOrder::Rummies) => Figure::Rummies,
        Ok(v1::LeaderboardOrder::LongestStreak) => Figure::LongestStreak,
        Err(_) => return Err(Problem::UnknownChoice(number).at("order")),
    })
}

/// A preset; `None` if none is named.
///
/// # Errors
/// There is none of the name.
pub fn optional_preset(name: &str) -> Result<Option<Preset>, Fault> {
    (!name.is_empty()).then(|| preset(name)).transpose()
}

/// A period by its name, or the year, month or week that is now.
///
/// # Errors
/// The text names none.
pub fn period(text: &str, now: Millis) -> Result<Period, Fault> {
    Ok(match text {
        "year" => Period::year_of(now),
        "month" => Period::month_of(now),
        "week" => Period::week_of(now),
        name => {
            let wanted = "a period, such as month or 2026-11";
            name.parse().map_err(|_| Problem::malformed(name, wanted).at("period"))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_counted_is_told_as_that() {
        let told: Vec<_> = (1..=8).map(|stored| game_counting(Some(stored)).as_str_name()).collect();
        let names = [
            "RATED",
            "HOUSE_RULES",
            "WITH_BOTS",
            "SANDBOX",
            "NOT_PLAYED",
            "UNREADABLE",
            "VOIDED",
            "UNSPECIFIED",
        ];
        assert_eq!(told, names.map(|name| format!("GAME_COUNTING_{name}")));
        assert_eq!(game_counting(None), v1::GameCounting::Pending);
    }

    #[test]
    fn periods_are_named_or_are_now() {
        // 2026-11-30, a Monday.
        let now = Millis(1_796_000_000_000);
        let names =
            ["", "year", "month", "week", "2025-W07"].map(|text| period(text, now).unwrap().to_string());
        assert_eq!(names, ["", "2026", "2026-11", "2026-W49", "2025-W07"]);
        assert_eq!(period("day", now).unwrap_err().field, "period");
    }
}
