//! Turns by hand, most of them around a joker that must be laid.

use remik_rules::card::{Card, Face, Suit};
use remik_rules::chance::ClientSeed;
use remik_rules::command::{Command, MeldId};
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMove, LegalMoves, MeldShape, legal_moves};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{JokerSwap, Ruleset, SwappedJoker};
use remik_rules::situation::Situation;
use remik_rules::suggest::suggest_for;
use remik_rules::table::Table;

use super::support::{cards, judge, meld, seat};

/// A turn of seat 0, who has opened, after these commands.
fn arranged(rules: &Ruleset, hand: &str, melds: &[&str], commands: &[Command]) -> Table {
    let mut situation = Situation::new(rules.clone(), 2);
    situation.hands = vec![Some(cards(hand)), Some(cards("2C"))];
    situation.melds = melds.iter().map(|codes| (seat(1), meld(codes, rules))).collect();
    situation.opened.insert(seat(0));
    let mut table = situation.table().unwrap();
    for command in commands {
        for event in judge(&table, seat(0), command).unwrap() {
            evolve(&mut table, &event);
        }
    }
    table
}

fn swap(card: &str) -> Command {
    Command::SwapJoker { meld: MeldId(1), card: card.parse().unwrap(), joker: None }
}

fn lay(codes: &str) -> Command {
    Command::Meld(vec![codes.split_whitespace().map(|c| c.parse::<Card>().unwrap().into()).collect()])
}

/// The melds as commands name them.
fn melds(moves: &LegalMoves) -> Vec<String> {
    let list = |meld: &MeldShape| {
        let Some(Command::Meld(lists)) = moves.command(LegalMove::Meld(*meld)) else { panic!() };
        lists[0].iter().map(|named| named.card.to_string()).collect::<Vec<_>>().join(" ")
    };
    moves.melds().iter().map(list).collect()
}

/// RULES 5: no meld that leaves a joker without a place, and the pending joker before others.
#[test]
fn a_pending_joker_goes_first() {
    let rules = Preset::RemikPoints.ruleset();
    let table = arranged(&rules, "JH 7C 7D 7H KS X1", &["TH X2 QH"], &[swap("JH")]);
    let moves = legal_moves(&table, seat(0));
    assert_eq!(melds(&moves).len(), 7, "two sevens with one joker or two, or three with one");
    assert!(melds(&moves).iter().all(|meld| meld.contains("X2")), "{:?}", melds(&moves));
    assert_eq!((moves.discards().len(), moves.may_undo(), moves.swaps().len()), (0, true, 0));
    // The other joker may be laid off, as long as the pending one has its meld.
    let joker = moves.lay_offs().iter().find(|lay_off| lay_off.face == Face::JOKER).unwrap();
    let Some(Command::LayOff { cards, .. }) = moves.command(LegalMove::LayOff(*joker)) else { panic!() };
    assert_eq!(cards[0].card, "X1".parse().unwrap());
    let suggestion = suggest_for(&table, seat(0));
    assert!(suggestion.melds.iter().any(|meld| meld.cards.contains(&"X2".parse().unwrap())));

    let laid = Ruleset { swapped_joker: SwappedJoker::MustBeLaid, ..rules };
    let table = arranged(&laid, "JH 7C KS X1", &["TH X2 QH"], &[swap("JH")]);
    let moves = legal_moves(&table, seat(0));
    let Some(Command::LayOff { cards, .. }) = moves.command(LegalMove::LayOff(moves.lay_offs()[0])) else {
        panic!()
    };
    assert_eq!(cards[0].card, "X2".parse().unwrap());
    assert!(suggest_for(&table, seat(0)).melds.is_empty(), "it fits no meld");
    let table = arranged(&laid, "JH 7C 7D 7H", &["TH X2 QH"], &[swap("JH")]);
    assert_eq!(suggest_for(&table, seat(0)).jokers_used, 1, "three sevens would leave the joker");
}

#[test]
fn before_an_own_meld_a_joker_is_swapped_for_a_new_one() {
    let rules = Ruleset {
        opening_points: 0,
        opening_pure_run: false,
        joker_swap: JokerSwap::AnyTurn,
        ..Preset::Remik51.ruleset()
    };
    for (hand, swaps) in [("JH 7C KS", 0), ("JH 7C 7D KS", 1)] {
        let mut situation = Situation::new(rules.clone(), 2);
        situation.hands = vec![Some(cards(hand)), Some(cards("2C"))];
        situation.melds = vec![(seat(1), meld("TH X1 QH", &rules))];
        let table = situation.table().unwrap();
        assert_eq!(legal_moves(&table, seat(0)).swaps().len(), swaps, "{hand}");
    }
}

#[test]
fn jokers_take_places_of_cards_that_are_held() {
    let table = arranged(&Preset::Remi30.ruleset(), "5H 6H 7H 8H X1 X2", &[], &[]);
    let moves = legal_moves(&table, seat(0));
    // Of the four places any two.
    let four = |low, jokers| MeldShape::Run { suit: Suit::Hearts, low, len: 4, jokers };
    for jokers in (0u16..16).filter(|places| places.count_ones() <= 2) {
        assert!(moves.melds().contains(&four(4, jokers)), "{jokers:b}");
    }
}

#[test]
fn a_pending_joker_may_wait_for_the_new_meld() {
    let rules = Preset::Remik51.ruleset();
    let table = arranged(&rules, "8C 5C 6C 7C KS", &["8S 8H 8D X1"], &[swap("8C")]);
    assert!(melds(&legal_moves(&table, seat(0))).contains(&"5C 6C 7C".to_owned()));
    let new_meld_only = Ruleset { swapped_joker: SwappedJoker::MustBeMelded, ..rules };
    let table = arranged(&new_meld_only, "8C 5C 6C 7C KS", &["8S 8H 8D X1"], &[swap("8C")]);
    assert!(!melds(&legal_moves(&table, seat(0))).contains(&"5C 6C 7C".to_owned()));
}

/// RULES 5 with one meld a turn.
#[test]
fn the_only_meld_of_a_turn_is_the_jokers() {
    let rules = Ruleset {
        several_melds: false,
        swapped_joker: SwappedJoker::MustBeMelded,
        ..Preset::Remik51.ruleset()
    };
    let hand = "JH 7C 7D 7H 8C 8D 8H KS";
    let table = arranged(&rules, hand, &["TH X1 QH"], &[swap("JH")]);
    let moves = legal_moves(&table, seat(0));
    assert!(melds(&moves).iter().all(|meld| meld.contains("X1")));
    let table = arranged(&rules, hand, &["TH X1 QH"], &[lay("7C 7D 7H")]);
    let moves = legal_moves(&table, seat(0));
    assert!(moves.swaps().is_empty() && moves.melds().is_empty());
    assert!(suggest_for(&table, seat(0)).melds.is_empty());
}

#[test]
fn nothing_is_added_to_a_full_run() {
    let rules = Preset::Remik51.ruleset();
    for run in ["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"] {
        let table = arranged(&rules, "X1 AH2 KH2 2S", &[run], &[]);
        assert!(legal_moves(&table, seat(0)).lay_offs().is_empty(), "{run}");
    }
}

/// RULES 18.
#[test]
fn undo_is_offered_eight_times() {
    let mut commands = Vec::new();
    for undos in 0..=8 {
        let table = arranged(&Preset::Remik51.ruleset(), "7C 7D 7H KS", &[], &commands);
        let moves = legal_moves(&table, seat(0));
        assert!(!moves.may_undo());
        commands.push(lay("7C 7D 7H"));
        let table = arranged(&Preset::Remik51.ruleset(), "7C 7D 7H KS", &[], &commands);
        assert_eq!(legal_moves(&table, seat(0)).may_undo(), undos < 8);
        commands.push(Command::Undo);
    }
}

#[test]
fn between_deals_there_is_readiness() {
    let table = arranged(&Preset::Remik51.ruleset(), "KS", &[], &[Command::Discard("KS".parse().unwrap())]);
    let moves = legal_moves(&table, seat(0));
    assert!(moves.is_empty() && moves.may_get_ready() && moves.may_leave());
    assert!(!legal_moves(&table, seat(3)).may_leave(), "nobody sits there");
    let ready = Command::Ready { client_seed: ClientSeed::default() };
    let mut after = table.clone();
    for event in judge(&table, seat(0), &ready).unwrap() {
        evolve(&mut after, &event);
    }
    let moves = legal_moves(&after, seat(0));
    assert!(!moves.may_get_ready() && moves.may_leave());
}
