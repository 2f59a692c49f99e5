//! The presets: one ruleset for each source.

use std::fmt;
use std::str::FromStr;

use crate::pack::Pack;
use crate::ruleset::{
    AbsentSeats, Aces, Blocked, FirstDealer, GameEnd, GoingRummy, JokerSwap, Ruleset, Scoring, StockEnd,
    StockReuse, SwappedJoker, Winner,
};

/// A named ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// Polish remik with an opening of 51 points and a pure run.
    #[default]
    Remik51,
    /// Remik that counts the points of the melds.
    RemikPoints,
    /// Remi with an opening of 30 points and elimination.
    Remi30,
    /// Plain rummy to 200 points.
    Rummy200,
    /// Basic rummy for two to six.
    BasicRummy,
    /// Basic rummy in which the stock is never reused.
    BlockRummy,
    /// Six deals, the last three laid in one go.
    WrothamRummy,
    /// Rommé with an opening of 40 points.
    Romme40,
}

impl Preset {
    /// All of them, in the order of the rules' table.
    pub const ALL: [Self; 8] = [
        Self::Remik51,
        Self::RemikPoints,
        Self::Remi30,
        Self::Rummy200,
        Self::BasicRummy,
        Self::BlockRummy,
        Self::WrothamRummy,
        Self::Romme40,
    ];

    /// Its name, as in `remik-51`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Remik51 => "remik-51",
            Self::RemikPoints => "remik-points",
            Self::Remi30 => "remi-30",
            Self::Rummy200 => "rummy-200",
            Self::BasicRummy => "basic-rummy",
            Self::BlockRummy => "block-rummy",
            Self::WrothamRummy => "wrotham-rummy",
            Self::Romme40 => "romme-40",
        }
    }

    /// Its rules: the column of the rules' table.
    pub const fn ruleset(self) -> Ruleset {
        match self {
            Self::Remik51 => REMIK_51,
            Self::RemikPoints => Ruleset {
                first_dealer: FirstDealer::Cut,
                swapped_joker: SwappedJoker::MustBeMelded,
                going_rummy: GoingRummy::Plain,
                scoring: Scoring::MeldPoints,
                blocked: Blocked::CreditsStay,
                end: GameEnd::Total(500),
                winner: Winner::Highest,
                tie_by_last_deal: false,
                ..REMIK_51
            },
            Self::Remi30 => Ruleset {
                pack: Pack { decks: 2, jokers: 6 },
                adjacent_jokers: true,
                opening_points: 30,
                opening_pure_run: false,
                swapped_joker: SwappedJoker::Kept,
                final_discard: false,
                ace_in_hand: 15,
                joker_in_hand: 30,
                end: GameEnd::Elimination(50),
                tie_by_last_deal: false,
                ..REMIK_51
            },
            Self::Rummy200 => Ruleset {
                seats: (2, 4),
                cards_dealt: [7; 5],
                several_melds: true,
                lay_off_needs_own_meld: true,
                stock_end: StockEnd::AtTurnEnd,
                stock_uses: 2,
                blocked: Blocked::NobodyScores,
                end: GameEnd::Total(200),
                ..BASIC
            },
            Self::BasicRummy => BASIC,
            Self::BlockRummy => Ruleset { stock_uses: 1, ..BASIC },
            Self::WrothamRummy => Ruleset {
                pack: Pack { decks: 1, jokers: 3 },
                cards_dealt: [7; 5],
                starter_gets_extra: true,
                upcard: false,
                adjacent_jokers: true,
                several_melds: true,
                joker_swap: JokerSwap::AnyTurn,
                joker_in_hand: 15,
                whole_hand_from_deal: Some(4),
                end: GameEnd::Deals(6),
                ..BASIC
            },
            Self::Romme40 => Ruleset {
                pack: Pack { decks: 2, jokers: 6 },
                opening_points: 40,
                opening_pure_run: false,
                joker_in_hand: 20,
                end: GameEnd::Total(300),
                ..REMIK_51
            },
        }
    }
}

const REMIK_51: Ruleset = Ruleset {
    seats: (2, 4),
    pack: Pack { decks: 2, jokers: 4 },
    cards_dealt: [13; 5],
    starter_gets_extra: false,
    upcard: true,
    first_dealer: FirstDealer::Random,
    aces: Aces::HighOrLow,
    adjacent_jokers: false,
    opening_points: 51,
    opening_pure_run: true,
    several_melds: true,
    lay_off_needs_own_meld: true,
    joker_swap: JokerSwap::AfterOpening,
    swapped_joker: SwappedJoker::MustBeLaid,
    final_discard: true,
    going_rummy: GoingRummy::Double,
    stock_end: StockEnd::AtTurnEnd,
    stock_reuse: StockReuse::KeepTopShuffle,
    stock_uses: 3,
    turns_per_seat: 100,
    whole_hand_from_deal: None,
    scoring: Scoring::Penalty,
    blocked: Blocked::EverybodyCounts,
    ace_in_hand: 11,
    joker_in_hand: 25,
    end: GameEnd::Total(100),
    winner: Winner::Lowest,
    tie_by_last_deal: true,
    turn_seconds: None,
    time_bank_seconds: None,
    timeouts_to_forfeit: 3,
    pause_seconds: 15,
    absent_seats: AbsentSeats::Forfeit,
};

const BASIC: Ruleset = Ruleset {
    seats: (2, 6),
    pack: Pack { decks: 1, jokers: 0 },
    cards_dealt: [10, 7, 7, 6, 6],
    starter_gets_extra: false,
    upcard: true,
    first_dealer: FirstDealer::Random,
    aces: Aces::Low,
    adjacent_jokers: false,
    opening_points: 0,
    opening_pure_run: false,
    several_melds: false,
    lay_off_needs_own_meld: false,
    joker_swap: JokerSwap::Never,
    swapped_joker: SwappedJoker::Kept,
    final_discard: false,
    going_rummy: GoingRummy::Plain,
    stock_end: StockEnd::WhenAsked,
    stock_reuse: StockReuse::TurnOver,
    stock_uses: 3,
    turns_per_seat: 100,
    whole_hand_from_deal: None,
    scoring: Scoring::WinnerTakesSum,
    blocked: Blocked::LowestTakesDifferences,
    ace_in_hand: 1,
    joker_in_hand: 0,
    end: GameEnd::Total(100),
    winner: Winner::Highest,
    tie_by_last_deal: false,
    turn_seconds: None,
    time_bank_seconds: None,
    timeouts_to_forfeit: 3,
    pause_seconds: 15,
    absent_seats: AbsentSeats::Forfeit,
};

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no preset has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no preset is called {0:?}")]
pub struct UnknownPreset(pub String);

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .ok_or_else(|| UnknownPreset(name.chars().take(32).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_consistent_and_found_by_name() {
        for preset in Preset::ALL {
            assert_eq!(preset.ruleset().validate(), Ok(()), "{preset}");
            assert_eq!(preset.name().parse(), Ok(preset));
        }
    }
}
