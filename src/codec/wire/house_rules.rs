//! House rules: a preset's ruleset with the options that a request gives.

use remik_rules::ruleset::{Aces, Blocked, GameEnd, Ruleset, Scoring, Winner};

use super::fault::{Fault, Problem};
use super::field::{choice, narrow};
use crate::proto::v1;

/// Deals of a game with payment scoring if the request names no end (RULES 19): as in the one source that plays
/// a number of deals.
const PAYMENT_DEALS: u16 = 6;
/// Points of an ace in hand where aces became high (RULES 19).
const HIGH_ACE_IN_HAND: u16 = 15;

/// Sets one option if the request gives it: a number that must fit its type, an enum, or a value as it is.
macro_rules! option {
    (number $given:ident.$field:ident => $target:expr) => {
        if let Some(value) = $given.$field {
            $target = number(stringify!($field), value)?;
        }
    };
    (plain $given:ident.$field:ident => $target:expr) => {
        if let Some(value) = $given.$field {
            $target = value;
        }
    };
    ($enum:ident $given:ident.$field:ident => $target:expr) => {
        if let Some(value) = $given.$field {
            $target = choice::<v1::$enum, _>(concat!("overrides.", stringify!($field)), value)?;
        }
    };
}

/// A ruleset with the options that were given, and those that follow from them (RULES 19). Whether they go
/// together is for [`Ruleset::validate`] to say.
pub(super) fn apply(mut rules: Ruleset, given: &v1::RulesetOverrides) -> Result<Ruleset, Fault> {
    let aces_were_low = rules.aces == Aces::Low;
    option!(number given.least_seats => rules.seats.0);
    option!(number given.most_seats => rules.seats.1);
    option!(number given.decks => rules.pack.decks);
    option!(number given.jokers => rules.pack.jokers);
    apply_cards_dealt(&mut rules.cards_dealt, &given.cards_dealt)?;
    option!(plain given.starter_gets_extra => rules.starter_gets_extra);
    option!(plain given.upcard => rules.upcard);
    option!(FirstDealer given.first_dealer => rules.first_dealer);
    option!(Aces given.aces => rules.aces);
    option!(plain given.adjacent_jokers => rules.adjacent_jokers);
    option!(number given.opening_points => rules.opening_points);
    option!(plain given.opening_pure_run => rules.opening_pure_run);
    option!(plain given.several_melds => rules.several_melds);
    option!(plain given.lay_off_needs_own_meld => rules.lay_off_needs_own_meld);
    option!(JokerSwap given.joker_swap => rules.joker_swap);
    option!(SwappedJoker given.swapped_joker => rules.swapped_joker);
    option!(plain given.final_discard => rules.final_discard);
    option!(GoingRummy given.going_rummy => rules.going_rummy);
    option!(StockEnd given.stock_end => rules.stock_end);
    option!(StockReuse given.stock_reuse => rules.stock_reuse);
    option!(number given.stock_uses => rules.stock_uses);
    option!(number given.turns_per_seat => rules.turns_per_seat);
    if let Some(deal) = given.whole_hand_from_deal {
        rules.whole_hand_from_deal =
            if deal == 0 { None } else { Some(number("whole_hand_from_deal", deal)?) };
    }
    option!(number given.joker_in_hand => rules.joker_in_hand);
    option!(plain given.tie_by_last_deal => rules.tie_by_last_deal);
    if let Some(seconds) = given.turn_seconds {
        rules.turn_seconds = (seconds > 0).then_some(seconds);
    }
    option!(number given.timeouts_to_forfeit => rules.timeouts_to_forfeit);
    option!(plain given.pause_seconds => rules.pause_seconds);

    // Last the options that others imply, and what they imply before them.
    option!(Scoring given.scoring => rules.scoring);
    if given.scoring.is_some() {
        imply(&mut rules);
    }
    if aces_were_low && rules.aces != Aces::Low {
        rules.ace_in_hand = HIGH_ACE_IN_HAND;
    }
    option!(BlockedScoring given.blocked => rules.blocked);
    option!(WinningTotal given.winner => rules.winner);
    option!(number given.ace_in_hand => rules.ace_in_hand);
    if let Some(end) = &given.end {
        rules.end = game_end(end)?;
    }
    Ok(rules)
}

/// What a scoring that was asked for implies (RULES 19).
fn imply(rules: &mut Ruleset) {
    match rules.scoring {
        Scoring::Penalty => {
            rules.winner = Winner::Lowest;
            rules.blocked = Blocked::EverybodyCounts;
        }
        Scoring::Payment => {
            rules.blocked = Blocked::LowestTakesDifferences;
            if !matches!(rules.end, GameEnd::Deals(_)) {
                rules.end = GameEnd::Deals(PAYMENT_DEALS);
            }
        }
        Scoring::MeldPoints | Scoring::WinnerTakesSum => {}
    }
}

fn number<T: TryFrom<u32>>(option: &str, value: u32) -> Result<T, Fault> {
    narrow(&format!("overrides.{option}"), value)
}

/// One number for any seats, or five for 2 to 6 of them; none leaves the preset's.
fn apply_cards_dealt(cards: &mut [u8; 5], given: &[u32]) -> Result<(), Fault> {
    let field = "overrides.cards_dealt";
    match given {
        [] => {}
        &[all] => *cards = [narrow(field, all)?; 5],
        five if five.len() == cards.len() => {
            for (index, (cards, &given)) in cards.iter_mut().zip(five).enumerate() {
                *cards = narrow(&format!("{field}[{index}]"), given)?;
            }
        }
        other => {
            let length = other.len();
            return Err(Problem::BadLength { length, of: "numbers", least: 1, most: 5 }.at(field));
        }
    }
    Ok(())
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
    use remik_rules::preset::Preset;
    use remik_rules::ruleset::{GoingRummy, StockReuse};

    use super::*;

    #[test]
    fn nothing_given_changes_nothing() {
        for preset in Preset::ALL {
            assert_eq!(apply(preset.ruleset(), &v1::RulesetOverrides::default()), Ok(preset.ruleset()));
        }
    }

    #[test]
    fn given_options_replace_the_presets() {
        let given = v1::RulesetOverrides {
            jokers: Some(6),
            cards_dealt: vec![10],
            going_rummy: Some(v1::GoingRummy::PlusTen.into()),
            stock_reuse: Some(v1::StockReuse::ShuffleAll.into()),
            opening_points: Some(0),
            opening_pure_run: Some(false),
            whole_hand_from_deal: Some(0),
            turn_seconds: Some(45),
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
        expected.pause_seconds = 0;
        expected.end = GameEnd::Total(300);
        assert_eq!(rules, expected);
        assert_eq!(rules.validate(), Ok(()));
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
