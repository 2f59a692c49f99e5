//! Rulesets that nobody has thought of: every option at random, as far as they go together.

use remik_rules::pack::Pack;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{
    Aces, Blocked, FirstDealer, GameEnd, GoingRummy, JokerSwap, Ruleset, Scoring, StockEnd, StockReuse,
    SwappedJoker, Winner,
};

use super::dice::Dice;

/// A valid ruleset.
pub fn random_ruleset(dice: &mut Dice) -> Ruleset {
    loop {
        let rules = any(dice);
        if rules.validate().is_ok() {
            return rules;
        }
    }
}

fn any(dice: &mut Dice) -> Ruleset {
    let decks = 1 + dice.under(2) as u8;
    let hand = 3 + dice.under(8 * usize::from(decks) - 2) as u8;
    let mut pick = |n: usize| dice.under(n);
    let scoring = [Scoring::Penalty, Scoring::MeldPoints, Scoring::WinnerTakesSum, Scoring::Payment][pick(4)];
    let limit = 1 + pick(120) as u16;
    Ruleset {
        seats: (2, 2 + pick(5) as u8),
        pack: Pack { decks, jokers: pick(7) as u8 },
        cards_dealt: [hand; 5],
        starter_gets_extra: pick(4) == 0,
        upcard: pick(4) != 0,
        first_dealer: [FirstDealer::Random, FirstDealer::Cut][pick(2)],
        aces: [Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner][pick(3)],
        adjacent_jokers: pick(2) == 0,
        opening_points: [0, 0, 20, 40][pick(4)],
        opening_pure_run: pick(3) == 0,
        several_melds: pick(3) != 0,
        lay_off_needs_own_meld: pick(2) == 0,
        joker_swap: [JokerSwap::Never, JokerSwap::AfterOpening, JokerSwap::AnyTurn][pick(3)],
        swapped_joker: [SwappedJoker::MustBeLaid, SwappedJoker::MustBeMelded, SwappedJoker::Kept][pick(3)],
        final_discard: pick(2) == 0,
        going_rummy: [GoingRummy::Plain, GoingRummy::Double, GoingRummy::PlusTen][pick(3)],
        stock_end: [StockEnd::AtTurnEnd, StockEnd::WhenAsked][pick(2)],
        stock_reuse: [StockReuse::KeepTopShuffle, StockReuse::TurnOver, StockReuse::ShuffleAll][pick(3)],
        stock_uses: 1 + pick(4) as u8,
        turns_per_seat: 1 + pick(100) as u16,
        whole_hand_from_deal: [None, None, Some(1), Some(2)][pick(4)],
        scoring,
        blocked: [
            Blocked::EverybodyCounts,
            Blocked::CreditsStay,
            Blocked::NobodyScores,
            Blocked::LowestTakesDifferences,
        ][pick(4)],
        ace_in_hand: [1, 11, 15][pick(3)],
        joker_in_hand: [0, 15, 30][pick(3)],
        end: [GameEnd::Total(limit), GameEnd::Elimination(limit), GameEnd::Deals(1 + limit % 5)][pick(3)],
        winner: if scoring == Scoring::Penalty { Winner::Lowest } else { Winner::Highest },
        tie_by_last_deal: pick(2) == 0,
        ..Preset::Remik51.ruleset()
    }
}
