//! The rules of a game.

use remik_rules::ruleset::{
    AbsentSeats, Aces, Blocked, FirstDealer, GameEnd, GoingRummy, JokerSwap, Ruleset, Scoring, StockEnd,
    StockReuse, SwappedJoker, Winner,
};

use crate::proto::v1;

pair! {
    FirstDealer => v1::FirstDealer { Random, Cut }
    Aces => v1::Aces { Low, HighOrLow, RoundTheCorner }
    JokerSwap => v1::JokerSwap { Never, AfterOpening, AnyTurn }
    SwappedJoker => v1::SwappedJoker { MustBeLaid, MustBeMelded, Kept }
    GoingRummy => v1::GoingRummy { Plain, Double, PlusTen }
    StockEnd => v1::StockEnd { AtTurnEnd, WhenAsked }
    StockReuse => v1::StockReuse { KeepTopShuffle, TurnOver, ShuffleAll }
    Scoring => v1::Scoring { Penalty, MeldPoints, WinnerTakesSum, Payment }
    Blocked => v1::BlockedScoring { EverybodyCounts, CreditsStay, NobodyScores, LowestTakesDifferences }
    Winner => v1::WinningTotal { Lowest, Highest }
    AbsentSeats => v1::AbsentSeats { Forfeit, EasyBot, NormalBot, HardBot }
}

/// A ruleset in full.
pub fn ruleset(rules: &Ruleset) -> v1::Ruleset {
    v1::Ruleset {
        least_seats: rules.seats.0.into(),
        most_seats: rules.seats.1.into(),
        decks: rules.pack.decks.into(),
        jokers: rules.pack.jokers.into(),
        cards_dealt: rules.cards_dealt.iter().map(|&n| n.into()).collect(),
        starter_gets_extra: rules.starter_gets_extra,
        upcard: rules.upcard,
        first_dealer: v1::FirstDealer::from(rules.first_dealer).into(),
        aces: v1::Aces::from(rules.aces).into(),
        adjacent_jokers: rules.adjacent_jokers,
        opening_points: rules.opening_points.into(),
        opening_pure_run: rules.opening_pure_run,
        several_melds: rules.several_melds,
        lay_off_needs_own_meld: rules.lay_off_needs_own_meld,
        joker_swap: v1::JokerSwap::from(rules.joker_swap).into(),
        swapped_joker: v1::SwappedJoker::from(rules.swapped_joker).into(),
        final_discard: rules.final_discard,
        going_rummy: v1::GoingRummy::from(rules.going_rummy).into(),
        stock_end: v1::StockEnd::from(rules.stock_end).into(),
        stock_reuse: v1::StockReuse::from(rules.stock_reuse).into(),
        stock_uses: rules.stock_uses.into(),
        turns_per_seat: rules.turns_per_seat.into(),
        whole_hand_from_deal: rules.whole_hand_from_deal.map(u32::from),
        scoring: v1::Scoring::from(rules.scoring).into(),
        blocked: v1::BlockedScoring::from(rules.blocked).into(),
        ace_in_hand: rules.ace_in_hand.into(),
        joker_in_hand: rules.joker_in_hand.into(),
        end: Some(game_end(rules.end)),
        winner: v1::WinningTotal::from(rules.winner).into(),
        tie_by_last_deal: rules.tie_by_last_deal,
        turn_seconds: rules.turn_seconds,
        timeouts_to_forfeit: rules.timeouts_to_forfeit.into(),
        pause_seconds: rules.pause_seconds,
        time_bank_seconds: rules.time_bank_seconds,
        absent_seats: v1::AbsentSeats::from(rules.absent_seats).into(),
    }
}

pub(super) fn game_end(end: GameEnd) -> v1::GameEnd {
    let end = match end {
        GameEnd::Total(points) => v1::game_end::End::Total(points.into()),
        GameEnd::Elimination(points) => v1::game_end::End::Elimination(points.into()),
        GameEnd::Deals(deals) => v1::game_end::End::Deals(deals.into()),
    };
    v1::GameEnd { end: Some(end) }
}
