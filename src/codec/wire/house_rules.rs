//! House rules: the options that a request gives.

use remik_rules::overrides::Overrides;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{GameEnd, Ruleset};

use super::fault::{Fault, Problem};
use super::field::{choice, narrow};
use super::ruleset;
use crate::proto::v1;

/// A ruleset with the options that were given, and those that follow from them (RULES 19). Whether they go
/// together is for [`Ruleset::validate`] to say.
pub(super) fn apply(rules: Ruleset, given: &v1::RulesetOverrides) -> Result<Ruleset, Fault> {
    Ok(decode(given)?.apply(rules))
}

/// Every option of a ruleset, as house rules.
pub fn options_in_full(rules: &Ruleset) -> v1::RulesetOverrides {
    encode(&Overrides::in_full(rules))
}

/// The ruleset of which these are all options. Whether they go together is for [`Ruleset::validate`] to say.
///
/// # Errors
/// An option that is missing or can't be read.
pub fn ruleset_of(options: &v1::RulesetOverrides) -> Result<Ruleset, Fault> {
    // Every option is given, so the preset doesn't matter.
    let rules = decode(options)?.apply(Preset::Remik51.ruleset());
    if options_in_full(&rules) == *options { Ok(rules) } else { Err(Problem::Missing.at("rules")) }
}

fn decode(given: &v1::RulesetOverrides) -> Result<Overrides, Fault> {
    /// One option, if the request gives it: a number that must fit its type, or an enum.
    macro_rules! option {
        (number $field:ident) => {
            given.$field.map(|value| number(stringify!($field), value)).transpose()?
        };
        ($enum:ident $field:ident) => {
            given
                .$field
                .map(|value| choice::<v1::$enum, _>(concat!("overrides.", stringify!($field)), value))
                .transpose()?
        };
    }
    Ok(Overrides {
        least_seats: option!(number least_seats),
        most_seats: option!(number most_seats),
        decks: option!(number decks),
        jokers: option!(number jokers),
        cards_dealt: cards_dealt(&given.cards_dealt)?,
        starter_gets_extra: given.starter_gets_extra,
        upcard: given.upcard,
        first_dealer: option!(FirstDealer first_dealer),
        aces: option!(Aces aces),
        adjacent_jokers: given.adjacent_jokers,
        opening_points: option!(number opening_points),
        opening_pure_run: given.opening_pure_run,
        several_melds: given.several_melds,
        lay_off_needs_own_meld: given.lay_off_needs_own_meld,
        joker_swap: option!(JokerSwap joker_swap),
        swapped_joker: option!(SwappedJoker swapped_joker),
        final_discard: given.final_discard,
        going_rummy: option!(GoingRummy going_rummy),
        stock_end: option!(StockEnd stock_end),
        stock_reuse: option!(StockReuse stock_reuse),
        stock_uses: option!(number stock_uses),
        turns_per_seat: option!(number turns_per_seat),
        // 0 turns these three off.
        whole_hand_from_deal: option!(number whole_hand_from_deal).map(|deal| (deal > 0).then_some(deal)),
        turn_seconds: given.turn_seconds.map(|seconds| (seconds > 0).then_some(seconds)),
        time_bank_seconds: given.time_bank_seconds.map(|seconds| (seconds > 0).then_some(seconds)),
        scoring: option!(Scoring scoring),
        blocked: option!(BlockedScoring blocked),
        ace_in_hand: option!(number ace_in_hand),
        joker_in_hand: option!(number joker_in_hand),
        end: given.end.as_ref().map(game_end).transpose()?,
        winner: option!(WinningTotal winner),
        tie_by_last_deal: given.tie_by_last_deal,
        timeouts_to_forfeit: option!(number timeouts_to_forfeit),
        pause_seconds: given.pause_seconds,
        absent_seats: option!(AbsentSeats absent_seats),
    })
}

/// Options as a request gives them.
pub(super) fn encode(given: &Overrides) -> v1::RulesetOverrides {
    /// One option, if it is given: a number, or an enum.
    macro_rules! option {
        (number $field:ident) => {
            given.$field.map(u32::from)
        };
        ($enum:ident $field:ident) => {
            given.$field.map(|value| v1::$enum::from(value).into())
        };
    }
    v1::RulesetOverrides {
        least_seats: option!(number least_seats),
        most_seats: option!(number most_seats),
        decks: option!(number decks),
        jokers: option!(number jokers),
        cards_dealt: given.cards_dealt.into_iter().flatten().map(u32::from).collect(),
        starter_gets_extra: given.starter_gets_extra,
        upcard: given.upcard,
        first_dealer: option!(FirstDealer first_dealer),
        aces: option!(Aces aces),
        adjacent_jokers: given.adjacent_jokers,
        opening_points: option!(number opening_points),
        opening_pure_run: given.opening_pure_run,
        several_melds: given.several_melds,
        lay_off_needs_own_meld: given.lay_off_needs_own_meld,
        joker_swap: option!(JokerSwap joker_swap),
        swapped_joker: option!(SwappedJoker swapped_joker),
        final_discard: given.final_discard,
        going_rummy: option!(GoingRummy going_rummy),
        stock_end: option!(StockEnd stock_end),
        stock_reuse: option!(StockReuse stock_reuse),
        stock_uses: option!(number stock_uses),
        turns_per_seat: option!(number turns_per_seat),
        whole_hand_from_deal: given.whole_hand_from_deal.map(|deal| deal.map_or(0, u32::from)),
        scoring: option!(Scoring scoring),
        blocked: option!(BlockedScoring blocked),
        ace_in_hand: option!(number ace_in_hand),
        joker_in_hand: option!(number joker_in_hand),
        end: given.end.map(ruleset::game_end),
        winner: option!(WinningTotal winner),
        tie_by_last_deal: given.tie_by_last_deal,
        turn_seconds: given.turn_seconds.map(Option::unwrap_or_default),
        time_bank_seconds: given.time_bank_seconds.map(Option::unwrap_or_default),
        timeouts_to_forfeit: option!(number timeouts_to_forfeit),
        pause_seconds: given.pause_seconds,
        absent_seats: option!(AbsentSeats absent_seats),
    }
}

fn number<T: TryFrom<u32>>(option: &str, value: u32) -> Result<T, Fault> {
    narrow(&format!("overrides.{option}"), value)
}

/// One number for any seats, or five for 2 to 6 of them; none leaves the preset's.
fn cards_dealt(given: &[u32]) -> Result<Option<[u8; 5]>, Fault> {
    let field = "overrides.cards_dealt";
    match *given {
        [] => Ok(None),
        [all] => Ok(Some([narrow(field, all)?; 5])),
        [two, three, four, five, six] => {
            let mut cards = [0; 5];
            for (index, (cards, given)) in cards.iter_mut().zip([two, three, four, five, six]).enumerate() {
                *cards = narrow(&format!("{field}[{index}]"), given)?;
            }
            Ok(Some(cards))
        }
        _ => {
            let length = given.len();
            Err(Problem::BadLength { length, of: "numbers", least: 1, most: 5 }.at(field))
        }
    }
}

fn game_end(end: &v1::GameEnd) -> Result<GameEnd, Fault> {
    Ok(match end.end {
        None => return Err(Problem::Missing.at("overrides.end")),
        Some(v1::game_end::End::Total(points)) => GameEnd::Total(number("end.total", points)?),
        Some(v1::game_end::End::Elimination(points)) => {
            GameEnd::Elimination(number("end.elimination", points)?)
        }
        Some(v1::game_end::End::Deals(deals)) => GameEnd::Deals(number("end.deals", deals)?),
    })
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use remik_rules::ruleset::{Blocked, GoingRummy, StockReuse, Winner};

    use super::*;

    #[test]
    fn nothing_given_changes_nothing() {
        for preset in Preset::ALL {
            assert_eq!(apply(preset.ruleset(), &v1::RulesetOverrides::default()), Ok(preset.ruleset()));
        }
    }

    #[test]
    fn given_options_replace_the_presets() {
        let mut given = v1::RulesetOverrides {
            jokers: Some(6),
            cards_dealt: vec![10],
            going_rummy: Some(v1::GoingRummy::PlusTen.into()),
            stock_reuse: Some(v1::StockReuse::ShuffleAll.into()),
            opening_points: Some(0),
            opening_pure_run: Some(false),
            whole_hand_from_deal: Some(0),
            turn_seconds: Some(45),
            time_bank_seconds: Some(90),
            pause_seconds: Some(0),
            end: Some(v1::GameEnd { end: Some(v1::game_end::End::Total(300)) }),
            ..Default::default()
        };
        let rules = apply(Preset::Remik51.ruleset(), &given).unwrap();
        let mut expected = Preset::Remik51.ruleset();
        expected.pack.jokers = 6;
        expected.cards_dealt = [10; 5];
        expected.going_rummy = GoingRummy::PlusTen;
        expected.stock_reuse = StockReuse::ShuffleAll;
        expected.opening_points = 0;
        expected.opening_pure_run = false;
        expected.turn_seconds = Some(45);
        expected.time_bank_seconds = Some(90);
        expected.pause_seconds = 0;
        expected.end = GameEnd::Total(300);
        assert_eq!(rules, expected);
        assert_eq!(rules.validate(), Ok(()));
        given.cards_dealt = vec![10; 5];
        assert_eq!(encode(&decode(&given).unwrap()), given);
    }

    #[test]
    fn every_option_goes_both_ways() {
        for preset in Preset::ALL {
            // The fields are the same in both, but that a `false` isn't written in the one.
            let rules = ruleset::ruleset(&preset.ruleset()).encode_to_vec();
            let given = v1::RulesetOverrides::decode(rules.as_slice()).unwrap();
            assert_eq!(encode(&decode(&given).unwrap()), given, "{preset}");
        }
    }

    #[test]
    fn options_that_follow_others_do_so_unless_given() {
        let scoring = |scoring: v1::Scoring| v1::RulesetOverrides {
            scoring: Some(scoring.into()),
            ..Default::default()
        };
        let basic = Preset::BasicRummy.ruleset();

        let penalty = apply(basic.clone(), &scoring(v1::Scoring::Penalty)).unwrap();
        assert_eq!((penalty.winner, penalty.blocked), (Winner::Lowest, Blocked::EverybodyCounts));
        assert_eq!((penalty.end, penalty.validate()), (GameEnd::Total(100), Ok(())));

        let payment = apply(basic.clone(), &scoring(v1::Scoring::Payment)).unwrap();
        assert_eq!((payment.blocked, payment.end), (Blocked::LowestTakesDifferences, GameEnd::Deals(6)));
        assert_eq!(payment.validate(), Ok(()));

        let given = v1::RulesetOverrides {
            blocked: Some(v1::BlockedScoring::NobodyScores.into()),
            end: Some(v1::GameEnd { end: Some(v1::game_end::End::Deals(3)) }),
            ..scoring(v1::Scoring::Payment)
        };
        let payment = apply(basic.clone(), &given).unwrap();
        assert_eq!((payment.blocked, payment.end), (Blocked::NobodyScores, GameEnd::Deals(3)));

        let aces = Some(v1::Aces::RoundTheCorner.into());
        let mut given = v1::RulesetOverrides { aces, ..Default::default() };
        assert_eq!(apply(basic.clone(), &given).unwrap().ace_in_hand, 15);
        assert_eq!(apply(Preset::Remik51.ruleset(), &given).unwrap().ace_in_hand, 11);
        given.ace_in_hand = Some(1);
        assert_eq!(apply(basic, &given).unwrap().ace_in_hand, 1);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let fault = |change: fn(&mut v1::RulesetOverrides)| {
            let mut given = v1::RulesetOverrides::default();
            change(&mut given);
            apply(Preset::Remik51.ruleset(), &given).unwrap_err().to_string()
        };
        assert_eq!(fault(|g| g.decks = Some(256)), "overrides.decks: 256 is not from 0 to 255");
        assert_eq!(
            fault(|g| g.opening_points = Some(70_000)),
            "overrides.opening_points: 70000 is not from 0 to 65535"
        );
        assert_eq!(fault(|g| g.aces = Some(0)), "overrides.aces: 0 is not one of the choices");
        assert_eq!(fault(|g| g.aces = Some(9)), "overrides.aces: 9 is not one of the choices");
        assert_eq!(fault(|g| g.cards_dealt = vec![7, 7]), "overrides.cards_dealt: has 2 numbers, not 1 to 5");
        assert_eq!(
            fault(|g| g.cards_dealt = vec![7, 7, 7, 7, 999]),
            "overrides.cards_dealt[4]: 999 is not from 0 to 255"
        );
        assert_eq!(fault(|g| g.end = Some(v1::GameEnd::default())), "overrides.end: is required");
    }
}
