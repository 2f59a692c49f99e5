//! How strong players are, in each family of rulesets: by Weng-Lin, as points on the scale that chess players know.

use remik_rules::preset::Preset;
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use uuid::Uuid;

use crate::store::{RatingRow, Store, StoreError};

/// Where everybody begins, and how many points there are to a unit of the model.
const BEGINNING: f64 = 25.0;
const BEGINNING_POINTS: f64 = 1500.0;
const POINTS: f64 = 60.0;

/// A rating is provisional while it is less sure than this, in points: for 30 games between equals at two seats, 10 at four.
const PROVISIONAL: i32 = 250;

/// No rating gets surer than this, so that it goes on following its player.
const SUREST: f64 = 0.75;

/// How strong a player is held to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The estimate, in units of the model.
    pub mean: f64,
    /// How unsure it is, above 0, in the same units.
    pub deviation: f64,
    /// How many rated games it rests on.
    pub games: u32,
}

impl Default for Rating {
    /// Before the first rated game: 1500 points, give or take 500.
    fn default() -> Self {
        Self { mean: BEGINNING, deviation: BEGINNING / 3.0, games: 0 }
    }
}

impl From<RatingRow> for Rating {
    fn from(row: RatingRow) -> Self {
        Self { mean: row.mean, deviation: row.deviation, games: row.games.unsigned_abs() }
    }
}

impl Rating {
    /// A player's rating in the family of a preset.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn of(store: &Store, player: Uuid, preset: Preset) -> Result<Self, StoreError> {
        Ok(store.rating(player, family(preset)).await?.map(Self::from).unwrap_or_default())
    }

    /// In points, as players see it: 1500 at the beginning.
    pub fn points(self) -> i32 {
        // Far within an i32 for any mean that the model can reach.
        (BEGINNING_POINTS + (self.mean - BEGINNING) * POINTS).round() as i32
    }

    /// How unsure it is, in points: 500 at the beginning.
    pub fn deviation_points(self) -> i32 {
        (self.deviation * POINTS).round() as i32
    }

    /// Whether too little is known of the player to hold him to it.
    pub fn is_provisional(self) -> bool {
        self.deviation_points() > PROVISIONAL
    }
}

/// The ratings after a game, by those before it and the places, from 1 and shared where equal, in the same order: each
/// player against each other one. Every step is the same on every machine but for the last bit of an exponential
/// function, which is that of its system.
pub fn rate(players: &[(Rating, u8)]) -> Vec<Rating> {
    let before: Vec<[WengLinRating; 1]> = players
        .iter()
        .map(|(rating, _)| [WengLinRating { rating: rating.mean, uncertainty: rating.deviation }])
        .collect();
    let places = players.iter().map(|(_, place)| MultiTeamOutcome::new(usize::from(*place)));
    let ranked: Vec<_> = before.iter().map(|team| &team[..]).zip(places).collect();
    let after = weng_lin_multi_team(&ranked, &WengLinConfig::new());
    let rating = |(after, (before, _)): (&WengLinRating, &(Rating, u8))| Rating {
        mean: after.rating,
        deviation: after.uncertainty.max(SUREST),
        games: before.games.saturating_add(1),
    };
    after.iter().flatten().zip(players).map(rating).collect()
}

/// The family that games of a preset are rated in: each preset is its own.
pub fn family(preset: Preset) -> &'static str {
    preset.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_begins_in_the_middle() {
        let beginner = Rating::default();
        assert_eq!((beginner.points(), beginner.deviation_points()), (1500, 500));
        assert!(beginner.is_provisional());
        assert!(!Rating { deviation: 3.0, ..beginner }.is_provisional());
        assert_eq!(Rating { mean: 30.0, ..beginner }.points(), 1800);
    }

    /// Rates beginners by their places, and says their points.
    fn points(places: &[u8]) -> Vec<i32> {
        let players: Vec<_> = places.iter().map(|place| (Rating::default(), *place)).collect();
        rate(&players).into_iter().map(Rating::points).collect()
    }

    #[test]
    fn a_better_place_is_worth_more() {
        assert_eq!(points(&[1, 2]), [1658, 1342]);
        let four = points(&[3, 1, 4, 2]);
        assert!(four[1] > four[3] && four[3] > 1500 && 1500 > four[0] && four[0] > four[2], "{four:?}");
        assert_eq!(four.iter().sum::<i32>(), 6000, "what some win others lose");
    }

    #[test]
    fn who_shares_a_place_shares_what_it_is_worth() {
        assert_eq!(points(&[1, 1]), [1500, 1500]);
        let three = points(&[1, 3, 1]);
        assert_eq!(three[0], three[2]);
        assert!(three[0] > 1500 && three[1] < 1500);
        assert!(rate(&[]).is_empty());
    }

    #[test]
    fn a_rating_gets_sure_but_not_for_ever() {
        let (mut one, mut other) = (Rating::default(), Rating::default());
        let mut provisional = 0;
        for game in 0..5000 {
            let places = if game % 2 == 0 { [1, 2] } else { [2, 1] };
            let after = rate(&[(one, places[0]), (other, places[1])]);
            provisional += u32::from(one.is_provisional());
            (one, other) = (after[0], after[1]);
        }
        assert_eq!((one.games, provisional), (5000, 30));
        assert_eq!(one.deviation_points(), 45);
        assert!((1400..1600).contains(&one.points()), "{}", one.points());
        // Then somebody who has got better is soon seen to be.
        let before = one.points();
        for _ in 0..30 {
            one = rate(&[(one, 1), (other, 2)])[0];
        }
        assert!(one.points() > before + 60, "{}", one.points());
    }
}
