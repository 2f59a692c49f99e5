//! The ranges of the options that are numbers.

use std::fmt;

use crate::ruleset::{MAX_SEATS, RulesetFault};

/// Thirty days, in seconds.
const MONTH: u32 = 30 * 24 * 3600;

/// An option that is a number, or the number in one of the ways for a game to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberOption {
    /// Fewest seats.
    LeastSeats,
    /// Most seats; no fewer than the fewest.
    MostSeats,
    /// 52-card decks in the pack.
    Decks,
    /// Jokers in the pack.
    Jokers,
    /// Cards dealt to a seat, as far as the pack goes.
    CardsDealt,
    /// Points that the opening must be worth.
    OpeningPoints,
    /// The time at which a used-up stock blocks the deal.
    StockUses,
    /// Turns for each seat after which a deal is blocked.
    TurnsPerSeat,
    /// The first deal in which the whole hand is laid at once, if there is one.
    WholeHandFromDeal,
    /// Points of an ace left in hand.
    AceInHand,
    /// Points of a joker left in hand.
    JokerInHand,
    /// The total that ends a game.
    Total,
    /// The total that may not be exceeded.
    Elimination,
    /// How many deals a game has.
    Deals,
    /// Seconds for a turn, if there is a clock.
    TurnSeconds,
    /// Seconds that a seat may overdraw in a deal, if there are time banks.
    TimeBankSeconds,
    /// Timeouts in a row after which a seat is given up.
    TimeoutsToForfeit,
    /// Seconds between deals.
    PauseSeconds,
}

impl NumberOption {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::LeastSeats,
        Self::MostSeats,
        Self::Decks,
        Self::Jokers,
        Self::CardsDealt,
        Self::OpeningPoints,
        Self::StockUses,
        Self::TurnsPerSeat,
        Self::WholeHandFromDeal,
        Self::AceInHand,
        Self::JokerInHand,
        Self::Total,
        Self::Elimination,
        Self::Deals,
        Self::TurnSeconds,
        Self::TimeBankSeconds,
        Self::TimeoutsToForfeit,
        Self::PauseSeconds,
    ];

    /// Its name among the house rules of the API, as in `opening_points`; `end.deals` is a field of `end`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LeastSeats => "least_seats",
            Self::MostSeats => "most_seats",
            Self::Decks => "decks",
            Self::Jokers => "jokers",
            Self::CardsDealt => "cards_dealt",
            Self::OpeningPoints => "opening_points",
            Self::StockUses => "stock_uses",
            Self::TurnsPerSeat => "turns_per_seat",
            Self::WholeHandFromDeal => "whole_hand_from_deal",
            Self::AceInHand => "ace_in_hand",
            Self::JokerInHand => "joker_in_hand",
            Self::Total => "end.total",
            Self::Elimination => "end.elimination",
            Self::Deals => "end.deals",
            Self::TurnSeconds => "turn_seconds",
            Self::TimeBankSeconds => "time_bank_seconds",
            Self::TimeoutsToForfeit => "timeouts_to_forfeit",
            Self::PauseSeconds => "pause_seconds",
        }
    }

    /// The least and the most that [`Ruleset::validate`](crate::ruleset::Ruleset::validate) allows.
    pub const fn range(self) -> (u32, u32) {
        match self {
            Self::LeastSeats | Self::MostSeats => (2, MAX_SEATS as u32),
            Self::Decks => (1, 2),
            Self::Jokers => (0, 6),
            Self::CardsDealt => (3, 26),
            Self::OpeningPoints => (0, 200),
            Self::StockUses | Self::TimeoutsToForfeit => (1, 100),
            Self::TurnsPerSeat | Self::WholeHandFromDeal | Self::Deals => (1, 1000),
            Self::AceInHand => (1, 50),
            Self::JokerInHand => (0, 100),
            Self::Total | Self::Elimination => (1, 10_000),
            Self::TurnSeconds | Self::TimeBankSeconds => (1, MONTH),
            Self::PauseSeconds => (0, MONTH),
        }
    }

    pub(crate) fn check(self, value: impl Into<u32>) -> Result<(), RulesetFault> {
        let (least, most) = self.range();
        self.within(value.into(), least, most)
    }

    /// Judges by a narrower range.
    pub(crate) fn within(self, value: u32, least: u32, most: u32) -> Result<(), RulesetFault> {
        if (least..=most).contains(&value) {
            Ok(())
        } else {
            Err(RulesetFault::OutOfRange { option: self, value, least, most })
        }
    }
}

impl fmt::Display for NumberOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::Preset;
    use crate::ruleset::{GameEnd, JokerSwap, Ruleset};

    /// Rules that any single option goes with, this one at a value.
    fn with(option: NumberOption, value: u32) -> Ruleset {
        let byte = || u8::try_from(value).unwrap();
        let short = || u16::try_from(value).unwrap();
        let remik = Preset::Remik51.ruleset();
        let mut rules = Ruleset { joker_swap: JokerSwap::Never, cards_dealt: [3; 5], seats: (2, 6), ..remik };
        match option {
            NumberOption::LeastSeats => rules.seats.0 = byte(),
            NumberOption::MostSeats => rules.seats.1 = byte(),
            NumberOption::Decks => rules.pack.decks = byte(),
            NumberOption::Jokers => rules.pack.jokers = byte(),
            NumberOption::CardsDealt => (rules.cards_dealt, rules.seats.1) = ([byte(); 5], 2),
            NumberOption::OpeningPoints => rules.opening_points = short(),
            NumberOption::StockUses => rules.stock_uses = byte(),
            NumberOption::TurnsPerSeat => rules.turns_per_seat = short(),
            NumberOption::WholeHandFromDeal => rules.whole_hand_from_deal = Some(short()),
            NumberOption::AceInHand => rules.ace_in_hand = short(),
            NumberOption::JokerInHand => rules.joker_in_hand = short(),
            NumberOption::Total => rules.end = GameEnd::Total(short()),
            NumberOption::Elimination => rules.end = GameEnd::Elimination(short()),
            NumberOption::Deals => rules.end = GameEnd::Deals(short()),
            NumberOption::TurnSeconds => rules.turn_seconds = Some(value),
            NumberOption::TimeBankSeconds => {
                (rules.turn_seconds, rules.time_bank_seconds) = (Some(1), Some(value));
            }
            NumberOption::TimeoutsToForfeit => rules.timeouts_to_forfeit = byte(),
            NumberOption::PauseSeconds => rules.pause_seconds = value,
        }
        rules
    }

    #[test]
    fn every_range_is_the_one_that_rulesets_are_held_to() {
        for option in NumberOption::ALL {
            let (least, most) = option.range();
            for value in [least, most] {
                assert_eq!(with(option, value).validate(), Ok(()), "{option:?} {value}");
            }
            for value in [least.checked_sub(1), Some(most + 1)].into_iter().flatten() {
                let fault = RulesetFault::OutOfRange { option, value, least, most };
                assert_eq!(with(option, value).validate(), Err(fault));
            }
        }
    }

    #[test]
    fn the_most_seats_are_no_fewer_than_the_fewest() {
        let rules = Ruleset { seats: (4, 3), ..Preset::Remik51.ruleset() };
        let fault = RulesetFault::OutOfRange { option: NumberOption::MostSeats, value: 3, least: 4, most: 6 };
        assert_eq!(rules.validate(), Err(fault));
    }
}
