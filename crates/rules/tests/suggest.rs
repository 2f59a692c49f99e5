//! The best melds of a hand, against trying everything.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::command::{Command, End, MeldId};
use remik_rules::meld::{Meld, Named};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Aces, Ruleset};
use remik_rules::seat::Seat;
use remik_rules::suggest::{Missing, Purpose, Suggestion, suggest, suggest_lay_offs};
use remik_rules::view::TableMeld;

fn cards(codes: &str) -> Cards {
    codes.split_whitespace().map(|code| code.parse().unwrap()).collect()
}

fn text(meld: &Meld) -> String {
    meld.cards.iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

fn melds(suggestion: &Suggestion) -> Vec<String> {
    suggestion.melds.iter().map(text).collect()
}

/// Case gin-14: taking the longest run first would leave the sixes.
#[test]
fn the_longest_run_is_not_always_best() {
    let best = suggest(cards("3H 4H 5H 6H 7H 6S 6C"), &Preset::Remik51.ruleset(), Purpose::Any);
    assert_eq!(melds(&best), ["3H 4H 5H", "6C 6H 6S"]);
    assert_eq!((best.points, best.cards_used, best.pure_run, best.missing), (30, 6, true, None));
}

#[test]
fn a_joker_stands_where_it_is_worth_most() {
    let remik = Preset::Remik51.ruleset();
    let best = suggest(cards("QH KH X1 2C"), &remik, Purpose::Any);
    assert_eq!((melds(&best), best.points), (vec!["QH KH X1".to_owned()], 31));
    let Some(Command::Meld(lists)) = best.command() else { panic!() };
    assert_eq!(lists[0][2].stands_for, Some("AH".parse().unwrap()));
    // No joker where a card does as well.
    let best = suggest(cards("7C 7D 7H X1"), &remik, Purpose::Any);
    assert_eq!((melds(&best), best.jokers_used), (vec!["7C 7D 7H".to_owned()], 0));
}

#[test]
fn an_opening_says_what_it_lacks() {
    let remik = Preset::Remik51.ruleset();
    let best = suggest(cards("7H 8H 9H KC KD KS 2C"), &remik, Purpose::Opening);
    assert_eq!((best.points, best.missing), (54, None));
    let best = suggest(cards("KC KD KS QC QD QS TC TD TH 2C"), &remik, Purpose::Opening);
    assert_eq!(best.points, 90);
    assert_eq!(best.missing, Some(Missing { have: 90, need: 51, pure_run: true, cards_left_over: 0 }));
    // The dearest melds have no pure run, but the opening needs one.
    let hand = cards("KC KD KS QC QD QS JC JD JS 2C");
    assert!(suggest(hand, &remik, Purpose::Opening).pure_run);
    let best = suggest(cards("7C 7D 7H 2C"), &Preset::Remi30.ruleset(), Purpose::Opening);
    assert_eq!(best.missing, Some(Missing { have: 21, need: 30, pure_run: false, cards_left_over: 0 }));
}

#[test]
fn the_whole_hand_leaves_one_card_at_most() {
    let wrotham = Preset::WrothamRummy.ruleset();
    let best = suggest(cards("3H 4H 5H 6H 6S 6C KD 2D"), &wrotham, Purpose::WholeHand);
    assert_eq!(best.missing.unwrap().cards_left_over, 1);
    let best = suggest(cards("3H 4H 5H 6H 6S 6C 6D KD"), &wrotham, Purpose::WholeHand);
    assert_eq!((best.cards_used, best.missing), (7, None));
    assert_eq!(suggest(Cards::EMPTY, &wrotham, Purpose::Any), Suggestion::default());
}

#[test]
fn two_decks_make_two_of_a_meld() {
    let best = suggest(cards("5H 6H 7H 5H2 6H2 7H2 2C"), &Preset::Remik51.ruleset(), Purpose::Any);
    assert_eq!(melds(&best), ["5H 6H 7H", "5H2 6H2 7H2"]);
}

/// What the oracle compares: points, then jokers, cards and melds, fewer of each first.
type Worth = (u16, std::cmp::Reverse<(usize, usize, usize)>);

/// The dearest reading of a set of cards as a meld. A list that is a run as written is that run, so the cards
/// are shown in several orders.
fn dearest(set: &[Card], rules: &Ruleset) -> Option<Meld> {
    let (jokers, mut naturals): (Vec<Card>, Vec<Card>) = set.iter().partition(|card| card.is_joker());
    let mut best: Option<Meld> = None;
    for _ in 0..2 {
        for list in [[&jokers[..], &naturals[..]].concat(), [&naturals[..], &jokers[..]].concat()] {
            let list: Vec<Named> = list.into_iter().map(Named::from).collect();
            if let Ok(meld) = Meld::read(&list, rules)
                && best.as_ref().is_none_or(|best| meld.points(rules.aces) > best.points(rules.aces))
            {
                best = Some(meld);
            }
        }
        naturals.reverse();
    }
    best
}

/// The best worth of any melds of each subset of a hand, without and with a pure run among them.
fn oracle(hand: Cards, rules: &Ruleset, purpose: Purpose) -> Option<Worth> {
    let cards: Vec<Card> = hand.iter().collect();
    let all = 1usize << cards.len();
    let mut one: Vec<Option<Meld>> = vec![None; all];
    for (set, meld) in one.iter_mut().enumerate() {
        let list: Vec<Card> = (0..cards.len()).filter(|i| set & 1 << i != 0).map(|i| cards[i]).collect();
        *meld = dearest(&list, rules);
    }
    // Exactly these cards, by whether there is a pure run.
    let mut exact: Vec<[Option<Worth>; 2]> = vec![[None; 2]; all];
    exact[0][0] = Some((0, std::cmp::Reverse((0, 0, 0))));
    for set in 1..all {
        let mut part = set;
        while part != 0 {
            if let Some(meld) = &one[part]
                // The part with the lowest card, so that no order is tried twice.
                && part & set & set.wrapping_neg() != 0
                && (rules.several_melds || part == set)
            {
                for before in [0, 1] {
                    let Some((points, std::cmp::Reverse((jokers, used, melds)))) = exact[set & !part][before]
                    else {
                        continue;
                    };
                    let worth = (
                        points + meld.points(rules.aces),
                        std::cmp::Reverse((jokers + meld.jokers(), used + meld.cards.len(), melds + 1)),
                    );
                    let pure = before.max(usize::from(meld.is_pure_run()));
                    exact[set][pure] = exact[set][pure].max(Some(worth));
                }
            }
            part = (part - 1) & set;
        }
    }
    let fits = |set: &usize| {
        let left = cards.len() - set.count_ones() as usize;
        left >= usize::from(rules.final_discard) && (purpose != Purpose::WholeHand || left <= 1)
    };
    let opening = purpose != Purpose::Any;
    (0..all)
        .filter(fits)
        .flat_map(|set| {
            exact[set][usize::from(opening && rules.opening_pure_run)..].iter().flatten().copied()
        })
        .filter(|worth| !opening || worth.0 >= rules.opening_points.max(1))
        .max()
}

fn worth(suggestion: &Suggestion) -> Worth {
    let used = (suggestion.jokers_used, suggestion.cards_used, suggestion.melds.len());
    (suggestion.points, std::cmp::Reverse(used))
}

/// The melds are legal, of cards of the hand, and are what the numbers say.
fn check_sound(hand: Cards, rules: &Ruleset, suggestion: &Suggestion) -> Result<(), TestCaseError> {
    let mut left = hand;
    for meld in &suggestion.melds {
        prop_assert!(left.contains_all(meld.set()));
        left = left.without(meld.set());
        let named = meld.named();
        let read = Meld::read(&named, rules);
        prop_assert_eq!(read.as_ref(), Ok(meld));
    }
    prop_assert_eq!(hand.len() - left.len(), suggestion.cards_used);
    prop_assert_eq!(suggestion.melds.iter().map(|m| m.points(rules.aces)).sum::<u16>(), suggestion.points);
    prop_assert_eq!(suggestion.melds.iter().map(Meld::jokers).sum::<usize>(), suggestion.jokers_used);
    prop_assert_eq!(suggestion.melds.iter().any(Meld::is_pure_run), suggestion.pure_run);
    Ok(())
}

fn some_rules() -> impl Strategy<Value = Ruleset> {
    let flags = prop::array::uniform4(any::<bool>());
    (0..Preset::ALL.len(), flags, 0..3usize, 0..3usize).prop_map(|(preset, flags, aces, points)| Ruleset {
        adjacent_jokers: flags[0],
        final_discard: flags[1],
        several_melds: flags[2],
        opening_pure_run: flags[3],
        opening_points: [0, 20, 40][points],
        aces: [Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner][aces],
        ..Preset::ALL[preset].ruleset()
    })
}

/// Hands of few ranks or few suits, in which melds overlap.
fn some_hand() -> impl Strategy<Value = Cards> {
    let naturals = prop::collection::vec((0u8..13, 0u8..8), 0..9);
    (naturals, 0u8..5, 1u8..14, 1u8..9).prop_map(|(naturals, jokers, ranks, lanes)| {
        let natural = |(rank, lane)| Card::from_byte(rank % ranks + 16 * (lane % lanes)).unwrap();
        naturals.into_iter().map(natural).chain((1..=jokers).filter_map(Card::joker)).collect()
    })
}

fn some_purpose() -> impl Strategy<Value = Purpose> {
    prop::sample::select(vec![Purpose::Any, Purpose::Opening, Purpose::WholeHand])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nothing_is_worth_more(rules in some_rules(), hand in some_hand(), purpose in some_purpose()) {
        let suggestion = suggest(hand, &rules, purpose);
        check_sound(hand, &rules, &suggestion)?;
        let best = oracle(hand, &rules, purpose);
        prop_assert_eq!(suggestion.missing.is_none(), purpose == Purpose::Any || best.is_some());
        let best = best.or_else(|| oracle(hand, &rules, Purpose::Any));
        // Without any card nothing can be left, and nothing laid.
        prop_assert_eq!(Some(worth(&suggestion)), best.or(Some((0, std::cmp::Reverse((0, 0, 0))))));
        if let Some(missing) = suggestion.missing {
            prop_assert_eq!(missing.have, suggestion.points);
            prop_assert_eq!(missing.pure_run, rules.opening_pure_run && !suggestion.pure_run);
        }
    }

    #[test]
    fn bigger_hands_are_sound_too(
        preset in prop::sample::select(Preset::ALL.to_vec()),
        picks in prop::collection::vec(0usize..110, 20),
    ) {
        let rules = preset.ruleset();
        let pack = rules.pack.sorted();
        let hand: Cards = picks.into_iter().map(|pick| pack[pick % pack.len()]).take(14).collect();
        let any = suggest(hand, &rules, Purpose::Any);
        check_sound(hand, &rules, &any)?;
        let opening = suggest(hand, &rules, Purpose::Opening);
        check_sound(hand, &rules, &opening)?;
        prop_assert!(opening.points <= any.points);
    }
}

fn laid(rules: &Ruleset, meld: &str) -> TableMeld {
    let list: Vec<Named> = meld.split_whitespace().map(|code| code.parse::<Card>().unwrap().into()).collect();
    TableMeld { id: MeldId(1), owner: Seat::new(0).unwrap(), meld: Meld::read(&list, rules).unwrap() }
}

#[test]
fn lay_offs_without_and_with_jokers() {
    let rules = Preset::Remik51.ruleset();
    let hand = cards("8S 9S TS X1 QS 4S KD");
    let found = suggest_lay_offs(hand, &[laid(&rules, "5S 6S 7S")], &rules);
    let rows: Vec<_> = found
        .iter()
        .map(|s| {
            let codes: Vec<String> = s.cards.iter().map(|c| c.card.to_string()).collect();
            (codes.join(" "), s.end, s.points, s.jokers_used)
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("8S 9S TS X1 QS".to_owned(), Some(End::High), 47, 1),
            ("8S 9S TS".to_owned(), Some(End::High), 27, 0),
            ("4S X1".to_owned(), Some(End::Low), 7, 1),
            ("4S".to_owned(), Some(End::Low), 4, 0),
        ]
    );
    let group = laid(&rules, "8C 8D X2");
    let found = suggest_lay_offs(cards("8S X1 KD"), std::slice::from_ref(&group), &rules);
    assert_eq!((found.len(), found[0].points, found[0].jokers_used), (1, 8, 0));
    let found = suggest_lay_offs(cards("X1 KD"), std::slice::from_ref(&group), &rules);
    assert_eq!((found.len(), found[0].points, found[0].jokers_used), (1, 8, 1));
    assert!(suggest_lay_offs(cards("8S"), &[group], &rules).is_empty(), "one card must be left");
}
