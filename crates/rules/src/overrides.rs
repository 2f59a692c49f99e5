//! House rules: a preset with some options changed, and the options that follow from those (RULES 19).

use crate::ruleset::{
    AbsentSeats, Aces, Blocked, FirstDealer, GameEnd, GoingRummy, JokerSwap, Ruleset, Scoring, StockEnd,
    StockReuse, SwappedJoker, Winner,
};

/// What an ace counts in hand where a house lets low aces be high.
const HIGH_ACE_IN_HAND: u16 = 15;

/// How many deals a game with payments has, where nothing says how many.
const PAID_DEALS: u16 = 6;

/// The total at which a game of meld points ends, where nothing says which: that of `remik-points`.
const MELD_POINTS_TOTAL: u16 = 500;

/// The total at which a game of hands won ends, where nothing says which: that of `rummy-200`.
const HANDS_WON_TOTAL: u16 = 200;

/// Options that differ from a ruleset; what isn't given stays, unless it follows from what is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each field is the option of the same name of a Ruleset")]
pub struct Overrides {
    pub least_seats: Option<u8>,
    pub most_seats: Option<u8>,
    pub decks: Option<u8>,
    pub jokers: Option<u8>,
    pub cards_dealt: Option<[u8; 5]>,
    pub starter_gets_extra: Option<bool>,
    pub upcard: Option<bool>,
    pub first_dealer: Option<FirstDealer>,
    pub aces: Option<Aces>,
    pub adjacent_jokers: Option<bool>,
    pub opening_points: Option<u16>,
    pub opening_pure_run: Option<bool>,
    pub several_melds: Option<bool>,
    pub lay_off_needs_own_meld: Option<bool>,
    pub joker_swap: Option<JokerSwap>,
    pub swapped_joker: Option<SwappedJoker>,
    pub final_discard: Option<bool>,
    pub going_rummy: Option<GoingRummy>,
    pub stock_end: Option<StockEnd>,
    pub stock_reuse: Option<StockReuse>,
    pub stock_uses: Option<u8>,
    pub turns_per_seat: Option<u16>,
    /// `Some(None)` for never.
    pub whole_hand_from_deal: Option<Option<u16>>,
    pub scoring: Option<Scoring>,
    pub blocked: Option<Blocked>,
    pub ace_in_hand: Option<u16>,
    pub joker_in_hand: Option<u16>,
    pub end: Option<GameEnd>,
    pub winner: Option<Winner>,
    pub tie_by_last_deal: Option<bool>,
    /// `Some(None)` for no clock.
    pub turn_seconds: Option<Option<u32>>,
    /// `Some(None)` for none.
    pub time_bank_seconds: Option<Option<u32>>,
    pub timeouts_to_forfeit: Option<u8>,
    pub pause_seconds: Option<u32>,
    pub absent_seats: Option<AbsentSeats>,
}

impl Overrides {
    /// Every option of a ruleset: on any other they make this one.
    #[must_use]
    pub fn in_full(rules: &Ruleset) -> Self {
        Self {
            least_seats: Some(rules.seats.0),
            most_seats: Some(rules.seats.1),
            decks: Some(rules.pack.decks),
            jokers: Some(rules.pack.jokers),
            cards_dealt: Some(rules.cards_dealt),
            starter_gets_extra: Some(rules.starter_gets_extra),
            upcard: Some(rules.upcard),
            first_dealer: Some(rules.first_dealer),
            aces: Some(rules.aces),
            adjacent_jokers: Some(rules.adjacent_jokers),
            opening_points: Some(rules.opening_points),
            opening_pure_run: Some(rules.opening_pure_run),
            several_melds: Some(rules.several_melds),
            lay_off_needs_own_meld: Some(rules.lay_off_needs_own_meld),
            joker_swap: Some(rules.joker_swap),
            swapped_joker: Some(rules.swapped_joker),
            final_discard: Some(rules.final_discard),
            going_rummy: Some(rules.going_rummy),
            stock_end: Some(rules.stock_end),
            stock_reuse: Some(rules.stock_reuse),
            stock_uses: Some(rules.stock_uses),
            turns_per_seat: Some(rules.turns_per_seat),
            whole_hand_from_deal: Some(rules.whole_hand_from_deal),
            scoring: Some(rules.scoring),
            blocked: Some(rules.blocked),
            ace_in_hand: Some(rules.ace_in_hand),
            joker_in_hand: Some(rules.joker_in_hand),
            end: Some(rules.end),
            winner: Some(rules.winner),
            tie_by_last_deal: Some(rules.tie_by_last_deal),
            turn_seconds: Some(rules.turn_seconds),
            time_bank_seconds: Some(rules.time_bank_seconds),
            timeouts_to_forfeit: Some(rules.timeouts_to_forfeit),
            pause_seconds: Some(rules.pause_seconds),
            absent_seats: Some(rules.absent_seats),
        }
    }

    /// The ruleset with these options. Whether they go together is for [`Ruleset::validate`] to say.
    #[must_use]
    pub fn apply(self, base: Ruleset) -> Ruleset {
        let mut rules = base;
        self.implied(&rules).set_on(&mut rules);
        self.set_on(&mut rules);
        rules
    }

    /// RULES 19: what follows from these options where the ruleset has others. Of options that are given as well
    /// what is given counts.
    #[must_use]
    pub fn implied(&self, base: &Ruleset) -> Self {
        let mut implied = Self::default();
        if base.aces == Aces::Low && self.aces.is_some_and(|aces| aces != Aces::Low) {
            implied.ace_in_hand = Some(HIGH_ACE_IN_HAND);
        }
        let Some(scoring) = self.scoring.filter(|scoring| *scoring != base.scoring) else { return implied };
        let (winner, blocked) = match scoring {
            Scoring::Penalty => (Winner::Lowest, Blocked::EverybodyCounts),
            Scoring::MeldPoints => (Winner::Highest, Blocked::CreditsStay),
            Scoring::WinnerTakesSum | Scoring::Payment => (Winner::Highest, Blocked::LowestTakesDifferences),
        };
        implied.winner = Some(winner);
        implied.blocked = Some(blocked);
        if scoring == Scoring::MeldPoints {
            implied.going_rummy = Some(GoingRummy::Plain);
        }
        // Nobody is out by points that are won, and payments end by deals only.
        implied.end = match (scoring, base.end) {
            (Scoring::Payment, GameEnd::Total(_) | GameEnd::Elimination(_)) => {
                Some(GameEnd::Deals(PAID_DEALS))
            }
            (Scoring::MeldPoints, GameEnd::Elimination(_)) => Some(GameEnd::Total(MELD_POINTS_TOTAL)),
            (Scoring::WinnerTakesSum, GameEnd::Elimination(_)) => Some(GameEnd::Total(HANDS_WON_TOTAL)),
            _ => None,
        };
        implied
    }

    fn set_on(&self, rules: &mut Ruleset) {
        set(&mut rules.seats.0, self.least_seats);
        set(&mut rules.seats.1, self.most_seats);
        set(&mut rules.pack.decks, self.decks);
        set(&mut rules.pack.jokers, self.jokers);
        set(&mut rules.cards_dealt, self.cards_dealt);
        set(&mut rules.starter_gets_extra, self.starter_gets_extra);
        set(&mut rules.upcard, self.upcard);
        set(&mut rules.first_dealer, self.first_dealer);
        set(&mut rules.aces, self.aces);
        set(&mut rules.adjacent_jokers, self.adjacent_jokers);
        set(&mut rules.opening_points, self.opening_points);
        set(&mut rules.opening_pure_run, self.opening_pure_run);
        set(&mut rules.several_melds, self.several_melds);
        set(&mut rules.lay_off_needs_own_meld, self.lay_off_needs_own_meld);
        set(&mut rules.joker_swap, self.joker_swap);
        set(&mut rules.swapped_joker, self.swapped_joker);
        set(&mut rules.final_discard, self.final_discard);
        set(&mut rules.going_rummy, self.going_rummy);
        set(&mut rules.stock_end, self.stock_end);
        set(&mut rules.stock_reuse, self.stock_reuse);
        set(&mut rules.stock_uses, self.stock_uses);
        set(&mut rules.turns_per_seat, self.turns_per_seat);
        set(&mut rules.whole_hand_from_deal, self.whole_hand_from_deal);
        set(&mut rules.scoring, self.scoring);
        set(&mut rules.blocked, self.blocked);
        set(&mut rules.ace_in_hand, self.ace_in_hand);
        set(&mut rules.joker_in_hand, self.joker_in_hand);
        set(&mut rules.end, self.end);
        set(&mut rules.winner, self.winner);
        set(&mut rules.tie_by_last_deal, self.tie_by_last_deal);
        set(&mut rules.turn_seconds, self.turn_seconds);
        set(&mut rules.time_bank_seconds, self.time_bank_seconds);
        set(&mut rules.timeouts_to_forfeit, self.timeouts_to_forfeit);
        set(&mut rules.pause_seconds, self.pause_seconds);
        set(&mut rules.absent_seats, self.absent_seats);
    }
}

fn set<T: Copy>(option: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *option = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::Preset;

    fn of(preset: Preset, overrides: Overrides) -> Ruleset {
        overrides.apply(preset.ruleset())
    }

    #[test]
    fn nothing_given_changes_nothing() {
        for preset in Preset::ALL {
            assert_eq!(of(preset, Overrides::default()), preset.ruleset());
        }
    }

    #[test]
    fn everything_given_makes_the_ruleset_from_any_other() {
        for preset in Preset::ALL {
            for base in Preset::ALL {
                assert_eq!(of(base, Overrides::in_full(&preset.ruleset())), preset.ruleset());
            }
        }
    }

    #[test]
    fn penalty_implies_the_lowest_total_and_counted_hands() {
        let given = Overrides { scoring: Some(Scoring::Penalty), ..Overrides::default() };
        let rules = of(Preset::BasicRummy, given.clone());
        assert_eq!((rules.winner, rules.blocked), (Winner::Lowest, Blocked::EverybodyCounts));
        assert_eq!(rules.validate(), Ok(()));
        let rules = of(Preset::BasicRummy, Overrides { blocked: Some(Blocked::NobodyScores), ..given });
        assert_eq!(rules.blocked, Blocked::NobodyScores);
    }

    #[test]
    fn payment_implies_deals_and_differences() {
        let given = Overrides { scoring: Some(Scoring::Payment), ..Overrides::default() };
        for preset in Preset::ALL {
            let rules = of(preset, given.clone());
            assert_eq!((rules.winner, rules.blocked), (Winner::Highest, Blocked::LowestTakesDifferences));
            assert_eq!(rules.end, GameEnd::Deals(6));
            assert_eq!(rules.validate(), Ok(()), "{preset}");
        }
        let rules = of(Preset::BasicRummy, Overrides { end: Some(GameEnd::Deals(3)), ..given });
        assert_eq!(rules.end, GameEnd::Deals(3));
    }

    #[test]
    fn every_scoring_goes_with_every_preset() {
        for preset in Preset::ALL {
            for scoring in [Scoring::Penalty, Scoring::MeldPoints, Scoring::WinnerTakesSum, Scoring::Payment]
            {
                let given = Overrides { scoring: Some(scoring), ..Overrides::default() };
                assert_eq!(of(preset, given).validate(), Ok(()), "{preset} {scoring:?}");
            }
        }
    }

    #[test]
    fn aces_that_become_high_count_15_in_hand() {
        for (preset, aces, ace) in [
            (Preset::BasicRummy, Aces::HighOrLow, 15),
            (Preset::BasicRummy, Aces::RoundTheCorner, 15),
            (Preset::BasicRummy, Aces::Low, 1),
            (Preset::Remik51, Aces::RoundTheCorner, 11),
        ] {
            let given = Overrides { aces: Some(aces), ..Overrides::default() };
            assert_eq!(of(preset, given.clone()).ace_in_hand, ace);
            assert_eq!(of(preset, Overrides { ace_in_hand: Some(20), ..given }).ace_in_hand, 20);
        }
    }
}
