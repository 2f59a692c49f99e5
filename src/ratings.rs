//! How strong players are, in each family of rulesets: by Weng-Lin, as points on the scale that chess players know.

use remik_rules::preset::Preset;
use uuid::Uuid;

use crate::store::{RatingRow, Store, StoreError};

/// Where everybody begins, and how many points there are to a unit of the model.
const BEGINNING: f64 = 25.0;
const BEGINNING_POINTS: f64 = 1500.0;
const POINTS: f64 = 60.0;

/// A rating is provisional while it is less sure than this, in points.
const PROVISIONAL: i32 = 200;

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
}
