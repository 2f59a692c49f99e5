//! The rules of a game, written in full. They are read as they are: what was allowed then isn't judged again.

use remik_rules::pack::Pack;
use remik_rules::ruleset::{
    AbsentSeats, Aces, Blocked, FirstDealer, GameEnd, GoingRummy, JokerSwap, Ruleset, Scoring, StockEnd,
    StockReuse, SwappedJoker, Winner,
};

use super::DecodeError;
use super::field::{choice, narrow, required};
use crate::proto::log as proto;

pair! {
    FirstDealer => proto::FirstDealer { Random, Cut }
    Aces => proto::Aces { Low, HighOrLow, RoundTheCorner }
    JokerSwap => proto::JokerSwap { Never, AfterOpening, AnyTurn }
    SwappedJoker => proto::SwappedJoker { MustBeLaid, MustBeMelded, Kept }
    GoingRummy => proto::GoingRummy { Plain, Double, PlusTen }
    StockEnd => proto::StockEnd { AtTurnEnd, WhenAsked }
    StockReuse => proto::StockReuse { KeepTopShuffle, TurnOver, ShuffleAll }
    Scoring => proto::Scoring { Penalty, MeldPoints, WinnerTakesSum, Payment }
    Blocked => proto::BlockedScoring { EverybodyCounts, CreditsStay, NobodyScores, LowestTakesDifferences }
    Winner => proto::WinningTotal { Lowest, Highest }
    AbsentSeats => proto::AbsentSeats { Forfeit, EasyBot, NormalBot, HardBot }
}

pub(super) fn encode(rules: &Ruleset) -> proto::Ruleset {
    proto::Ruleset {
        least_seats: Some(rules.seats.0.into()),
        most_seats: Some(rules.seats.1.into()),
        decks: Some(rules.pack.decks.into()),
        jokers: Some(rules.pack.jokers.into()),
        cards_dealt: rules.cards_dealt.iter().map(|&n| n.into()).collect(),
        starter_gets_extra: Some(rules.starter_gets_extra),
        upcard: Some(rules.upcard),
        first_dealer: proto::FirstDealer::from(rules.first_dealer).into(),
        aces: proto::Aces::from(rules.aces).into(),
        adjacent_jokers: Some(rules.adjacent_jokers),
        opening_points: Some(rules.opening_points.into()),
        opening_pure_run: Some(rules.opening_pure_run),
        several_melds: Some(rules.several_melds),
        lay_off_needs_own_meld: Some(rules.lay_off_needs_own_meld),
        joker_swap: proto::JokerSwap::from(rules.joker_swap).into(),
        swapped_joker: proto::SwappedJoker::from(rules.swapped_joker).into(),
        final_discard: Some(rules.final_discard),
        going_rummy: proto::GoingRummy::from(rules.going_rummy).into(),
        stock_end: proto::StockEnd::from(rules.stock_end).into(),
        stock_reuse: proto::StockReuse::from(rules.stock_reuse).into(),
        stock_uses: Some(rules.stock_uses.into()),
        turns_per_seat: Some(rules.turns_per_seat.into()),
        whole_hand_from_deal: rules.whole_hand_from_deal.map(u32::from),
        scoring: proto::Scoring::from(rules.scoring).into(),
        blocked: proto::BlockedScoring::from(rules.blocked).into(),
        ace_in_hand: Some(rules.ace_in_hand.into()),
        joker_in_hand: Some(rules.joker_in_hand.into()),
        end: Some(encode_end(rules.end)),
        winner: proto::WinningTotal::from(rules.winner).into(),
        tie_by_last_deal: Some(rules.tie_by_last_deal),
        turn_seconds: rules.turn_seconds,
        timeouts_to_forfeit: Some(rules.timeouts_to_forfeit.into()),
        pause_seconds: Some(rules.pause_seconds),
        time_bank_seconds: rules.time_bank_seconds,
        absent_seats: proto::AbsentSeats::from(rules.absent_seats).into(),
    }
}

/// A number that must be there, in the type in which the rules hold it.
fn given<T: TryFrom<u32>>(field: &'static str, value: Option<u32>) -> Result<T, DecodeError> {
    narrow(field, required(field, value)?)
}

pub(super) fn decode(r: proto::Ruleset) -> Result<Ruleset, DecodeError> {
    Ok(Ruleset {
        seats: (given("Ruleset.least_seats", r.least_seats)?, given("Ruleset.most_seats", r.most_seats)?),
        pack: Pack { decks: given("Ruleset.decks", r.decks)?, jokers: given("Ruleset.jokers", r.jokers)? },
        cards_dealt: decode_cards_dealt(&r.cards_dealt)?,
        starter_gets_extra: required("Ruleset.starter_gets_extra", r.starter_gets_extra)?,
        upcard: required("Ruleset.upcard", r.upcard)?,
        first_dealer: choice::<proto::FirstDealer, _>("Ruleset.first_dealer", r.first_dealer)?,
        aces: choice::<proto::Aces, _>("Ruleset.aces", r.aces)?,
        adjacent_jokers: required("Ruleset.adjacent_jokers", r.adjacent_jokers)?,
        opening_points: given("Ruleset.opening_points", r.opening_points)?,
        opening_pure_run: required("Ruleset.opening_pure_run", r.opening_pure_run)?,
        several_melds: required("Ruleset.several_melds", r.several_melds)?,
        lay_off_needs_own_meld: required("Ruleset.lay_off_needs_own_meld", r.lay_off_needs_own_meld)?,
        joker_swap: choice::<proto::JokerSwap, _>("Ruleset.joker_swap", r.joker_swap)?,
        swapped_joker: choice::<proto::SwappedJoker, _>("Ruleset.swapped_joker", r.swapped_joker)?,
        final_discard: required("Ruleset.final_discard", r.final_discard)?,
        going_rummy: choice::<proto::GoingRummy, _>("Ruleset.going_rummy", r.going_rummy)?,
        stock_end: choice::<proto::StockEnd, _>("Ruleset.stock_end", r.stock_end)?,
        stock_reuse: choice::<proto::StockReuse, _>("Ruleset.stock_reuse", r.stock_reuse)?,
        stock_uses: given("Ruleset.stock_uses", r.stock_uses)?,
        turns_per_seat: given("Ruleset.turns_per_seat", r.turns_per_seat)?,
        whole_hand_from_deal: r
            .whole_hand_from_deal
            .map(|deal| narrow("Ruleset.whole_hand_from_deal", deal))
            .transpose()?,
        scoring: choice::<proto::Scoring, _>("Ruleset.scoring", r.scoring)?,
        blocked: choice::<proto::BlockedScoring, _>("Ruleset.blocked", r.blocked)?,
        ace_in_hand: given("Ruleset.ace_in_hand", r.ace_in_hand)?,
        joker_in_hand: given("Ruleset.joker_in_hand", r.joker_in_hand)?,
        end: decode_end("Ruleset.end", r.end)?,
        winner: choice::<proto::WinningTotal, _>("Ruleset.winner", r.winner)?,
        tie_by_last_deal: required("Ruleset.tie_by_last_deal", r.tie_by_last_deal)?,
        turn_seconds: r.turn_seconds,
        timeouts_to_forfeit: given("Ruleset.timeouts_to_forfeit", r.timeouts_to_forfeit)?,
        pause_seconds: required("Ruleset.pause_seconds", r.pause_seconds)?,
        time_bank_seconds: r.time_bank_seconds,
        // Rules from before there was a choice have none.
        absent_seats: match r.absent_seats {
            0 => AbsentSeats::Forfeit,
            given => choice::<proto::AbsentSeats, _>("Ruleset.absent_seats", given)?,
        },
    })
}

fn decode_cards_dealt(dealt: &[u32]) -> Result<[u8; 5], DecodeError> {
    let field = "Ruleset.cards_dealt";
    let dealt: [u32; 5] =
        dealt.try_into().map_err(|_| DecodeError::BadLength { field, length: dealt.len() })?;
    let mut cards = [0; 5];
    for (cards, dealt) in cards.iter_mut().zip(dealt) {
        *cards = narrow(field, dealt)?;
    }
    Ok(cards)
}

pub(in crate::codec) fn encode_end(end: GameEnd) -> proto::GameEnd {
    let end = match end {
        GameEnd::Total(points) => proto::game_end::End::Total(points.into()),
        GameEnd::Elimination(points) => proto::game_end::End::Elimination(points.into()),
        GameEnd::Deals(deals) => proto::game_end::End::Deals(deals.into()),
    };
    proto::GameEnd { end: Some(end) }
}

pub(in crate::codec) fn decode_end(
    field: &'static str,
    end: Option<proto::GameEnd>,
) -> Result<GameEnd, DecodeError> {
    Ok(match required(field, end.and_then(|end| end.end))? {
        proto::game_end::End::Total(points) => GameEnd::Total(narrow(field, points)?),
        proto::game_end::End::Elimination(points) => GameEnd::Elimination(narrow(field, points)?),
        proto::game_end::End::Deals(deals) => GameEnd::Deals(narrow(field, deals)?),
    })
}
