//! The rules of a case: a preset and the overrides that the situation writes.

use remik_rules::overrides::Overrides;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{
    Aces, Blocked, FirstDealer, GameEnd, GoingRummy, JokerSwap, Ruleset, Scoring, StockEnd, StockReuse,
    SwappedJoker, Winner,
};
use serde::Deserialize;

use super::case::{Case, Limit, Scene};
use super::unclear::Unclear;

/// The ruleset of a case, checked.
pub(super) fn ruleset(case: &Case, scene: &Scene) -> Result<Ruleset, Unclear> {
    let preset: Preset = case.preset.parse()?;
    let base = preset.ruleset();
    let written: Written = serde_json::from_value(scene.rules.clone().into()).map_err(Unclear::Rules)?;
    let mut overrides = written.overrides(&base);
    if let Some(end) = end_of(scene, &base) {
        overrides.end = Some(end);
    }
    let rules = overrides.apply(base);
    rules.validate()?;
    Ok(rules)
}

/// The end that `limit` or `rounds` sets; a limit eliminates where the preset's does.
fn end_of(scene: &Scene, base: &Ruleset) -> Option<GameEnd> {
    match (&scene.limit, scene.rounds, base.end) {
        (_, Some(deals), _) => Some(GameEnd::Deals(deals)),
        (Some(Limit::Word(_)), None, _) => Some(GameEnd::Deals(1)),
        (Some(Limit::Points(points)), None, GameEnd::Elimination(_)) => Some(GameEnd::Elimination(*points)),
        (Some(Limit::Points(points)), None, _) => Some(GameEnd::Total(*points)),
        (None, None, _) => None,
    }
}

/// The options of `situation.rules`, as `cases/README.md` lists them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    least_seats: Option<u8>,
    most_seats: Option<u8>,
    decks: Option<u8>,
    jokers: Option<u8>,
    cards_dealt: Option<CardsDealt>,
    starter_gets_extra: Option<bool>,
    upcard: Option<bool>,
    first_dealer: Option<WrittenFirstDealer>,
    #[serde(alias = "aces")]
    ace: Option<WrittenAces>,
    adjacent_jokers: Option<bool>,
    opening_points: Option<u16>,
    opening_pure_run: Option<bool>,
    #[serde(alias = "several_melds")]
    multiple_melds: Option<bool>,
    #[serde(alias = "lay_off_needs_own_meld")]
    layoff_needs_own_meld: Option<bool>,
    joker_swap: Option<WrittenSwap>,
    swapped_joker: Option<WrittenSwapped>,
    final_discard: Option<bool>,
    going_rummy: Option<WrittenRummy>,
    stock_end: Option<WrittenStock>,
    stock_uses: Option<u8>,
    turns_per_seat: Option<u16>,
    whole_hand_from_deal: Option<u16>,
    scoring: Option<WrittenScoring>,
    blocked: Option<WrittenBlocked>,
    ace_in_hand: Option<u16>,
    joker_in_hand: Option<u16>,
    limit: Option<u16>,
    elimination: Option<u16>,
    deals: Option<u16>,
    winner: Option<WrittenWinner>,
    tie_by_last_deal: Option<bool>,
}

/// How many cards are dealt: always so many, or for 2, 3, 4, 5 and 6 seats.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
enum CardsDealt {
    Always(u8),
    BySeats([u8; 5]),
}

/// An enum of JSON words, each for a value of the engine.
macro_rules! words {
    ($name:ident for $target:ident { $($word:ident = $value:ident),+ $(,)? }) => {
        #[derive(Debug, Clone, Copy, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum $name {
            $($word),+
        }

        impl From<$name> for $target {
            fn from(word: $name) -> Self {
                match word {
                    $($name::$word => Self::$value),+
                }
            }
        }
    };
}

words!(WrittenFirstDealer for FirstDealer { Random = Random, Cut = Cut });
words!(WrittenAces for Aces { Low = Low, HighOrLow = HighOrLow, RoundTheCorner = RoundTheCorner });
words!(WrittenSwap for JokerSwap { Never = Never, AfterOpening = AfterOpening, AnyTurn = AnyTurn });
words!(WrittenSwapped for SwappedJoker { Laid = MustBeLaid, Melded = MustBeMelded, Kept = Kept });
words!(WrittenRummy for GoingRummy { Plain = Plain, Double = Double, Plus10 = PlusTen });
words!(WrittenScoring for Scoring {
    Penalty = Penalty,
    MeldPoints = MeldPoints,
    WinnerTakesSum = WinnerTakesSum,
    Payment = Payment,
});
words!(WrittenBlocked for Blocked {
    EverybodyCounts = EverybodyCounts,
    CreditsStay = CreditsStay,
    NobodyScores = NobodyScores,
    LowestTakesDifferences = LowestTakesDifferences,
});
words!(WrittenWinner for Winner { Lowest = Lowest, Highest = Highest });

/// What becomes of the pile when the stock is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenStock {
    /// It is shuffled: all of it, or what lies under a top card that stays.
    Shuffle,
    /// All of it is shuffled.
    ShuffleAll,
    /// The top card stays, the rest is shuffled.
    KeepTop,
    /// It is turned over.
    TurnOver,
    /// Nothing: the deal ends.
    Never,
}

impl Written {
    fn overrides(self, base: &Ruleset) -> Overrides {
        let cards_dealt = self.cards_dealt.map(|cards| match cards {
            CardsDealt::Always(number) => [number; 5],
            CardsDealt::BySeats(numbers) => numbers,
        });
        let end = (self.limit.map(GameEnd::Total))
            .or(self.elimination.map(GameEnd::Elimination))
            .or(self.deals.map(GameEnd::Deals));
        let stock_reuse = self.stock_end.and_then(|word| match word {
            WrittenStock::Shuffle if base.stock_end == StockEnd::WhenAsked => Some(StockReuse::ShuffleAll),
            WrittenStock::ShuffleAll => Some(StockReuse::ShuffleAll),
            WrittenStock::Shuffle | WrittenStock::KeepTop => Some(StockReuse::KeepTopShuffle),
            WrittenStock::TurnOver => Some(StockReuse::TurnOver),
            WrittenStock::Never => None,
        });
        let never = self.stock_end == Some(WrittenStock::Never);
        Overrides {
            least_seats: self.least_seats,
            most_seats: self.most_seats,
            decks: self.decks,
            jokers: self.jokers,
            cards_dealt,
            starter_gets_extra: self.starter_gets_extra,
            upcard: self.upcard,
            first_dealer: self.first_dealer.map(Into::into),
            aces: self.ace.map(Into::into),
            adjacent_jokers: self.adjacent_jokers,
            opening_points: self.opening_points,
            opening_pure_run: self.opening_pure_run,
            several_melds: self.multiple_melds,
            lay_off_needs_own_meld: self.layoff_needs_own_meld,
            joker_swap: self.joker_swap.map(Into::into),
            swapped_joker: self.swapped_joker.map(Into::into),
            final_discard: self.final_discard,
            going_rummy: self.going_rummy.map(Into::into),
            stock_reuse,
            stock_uses: self.stock_uses.or(never.then_some(1)),
            turns_per_seat: self.turns_per_seat,
            whole_hand_from_deal: self.whole_hand_from_deal.map(Some),
            scoring: self.scoring.map(Into::into),
            blocked: self.blocked.map(Into::into),
            ace_in_hand: self.ace_in_hand,
            joker_in_hand: self.joker_in_hand,
            end,
            winner: self.winner.map(Into::into),
            tie_by_last_deal: self.tie_by_last_deal,
            ..Overrides::default()
        }
    }
}
