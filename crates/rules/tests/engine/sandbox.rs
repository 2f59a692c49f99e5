//! Decks that somebody has chosen.

use remik_rules::card::Card;
use remik_rules::chance::Seed;
use remik_rules::command::{Command, Source};
use remik_rules::event::{Dealt, Event, Viewer};
use remik_rules::pack::Pack;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Ruleset, RulesetFault};
use remik_rules::sandbox::{ArrangedDeal, Arrangement, ArrangementProblem, MOST_DEALS, Place, SandboxFault};
use remik_rules::table::Table;

use super::support::{Dice, Game, card, seat};

fn list(codes: &str) -> Vec<Card> {
    codes.split_whitespace().map(card).collect()
}

fn arrangement(deals: Vec<ArrangedDeal>) -> Arrangement {
    Arrangement { seed: Seed([1; 32]), first_dealer: None, deals }
}

fn started(mut game: Game) -> Game {
    for number in 0..game.table.seat_count() {
        game.join(u128::from(number) + 1).unwrap();
    }
    game.all_ready();
    game
}

fn dealt(game: &Game) -> &Dealt {
    let last = game.log.iter().rev().find_map(|event| match event {
        Event::Dealt(dealt) => Some(dealt),
        _ => None,
    });
    last.unwrap()
}

#[test]
fn chosen_cards_come_as_chosen_and_the_rest_as_shuffled() {
    let rules = Preset::Rummy200.ruleset();
    let hands = vec![(seat(0), list("7H 8H 9H 2C")), (seat(1), list("KS KD"))];
    let deal = ArrangedDeal { hands, upcard: Some(card("QD")), stock: list("AS 3D") };
    let chosen = Arrangement { first_dealer: Some(seat(1)), ..arrangement(vec![deal]) };
    let mut game = started(Game::sandbox(rules.clone(), 2, chosen, 5));
    let deal = dealt(&game).clone();
    assert_eq!((deal.dealer, deal.starter), (seat(1), seat(0)));
    assert_eq!(deal.hands[0].1[..4], list("7H 8H 9H 2C"));
    assert_eq!(deal.hands[1].1[..2], list("KS KD"));
    assert_eq!(deal.upcard, Some(card("QD")));
    // What wasn't chosen lies in the order of the shuffle.
    let mut deck = rules.pack.sorted();
    let mut dice = Dice(u64::from_be_bytes(game_seed(&game).0[..8].try_into().unwrap()));
    for place in (1..deck.len()).rev() {
        deck.swap(place, dice.under(place + 1));
    }
    deck.retain(|card| !list("7H 8H 9H 2C KS KD QD AS 3D").contains(card));
    let (zero, one) = (&deal.hands[0].1, &deal.hands[1].1);
    let filled = [one[2], one[3], zero[4], one[4], zero[5], one[5], zero[6], one[6]];
    assert_eq!(filled[..], deck[..8]);
    let stock: Vec<Card> = deal.stock.iter().rev().copied().collect();
    assert_eq!((&stock[..2], &stock[2..]), (&list("AS 3D")[..], &deck[8..]));
    // They are drawn in that order.
    for code in ["AS", "3D"] {
        let turn = game.table.turn().unwrap().number();
        let events = game.by(turn, Command::Draw(Source::Stock)).unwrap();
        assert_eq!(events, [Event::StockDrawn { seat: seat(turn), card: card(code) }]);
        game.by(turn, Command::Discard(card(code))).unwrap();
    }
}

fn game_seed(game: &Game) -> Seed {
    let first = game.log.iter().find_map(|event| match event {
        Event::SeedCommitted { seed, .. } => Some(*seed),
        _ => None,
    });
    first.unwrap()
}

#[test]
fn deals_after_the_chosen_ones_are_shuffled() {
    let mut rules = Preset::Rummy200.ruleset();
    rules.turns_per_seat = 1;
    let deal = |codes: &str| ArrangedDeal { hands: vec![(seat(0), list(codes))], ..Default::default() };
    let chosen = arrangement(vec![deal("AC 2C 3C"), deal("AD 2D 3D")]);
    let mut game = started(Game::sandbox(rules, 2, chosen, 5));
    let mut first_cards = vec![dealt(&game).hands[0].1[..3].to_vec()];
    for _ in 0..2 {
        game.pass();
        game.pass();
        game.all_ready();
        first_cards.push(dealt(&game).hands[0].1[..3].to_vec());
    }
    assert_eq!(first_cards[..2], [list("AC 2C 3C"), list("AD 2D 3D")]);
    assert_ne!(first_cards[2], list("AD 2D 3D"));
    assert_eq!(Table::replay(&game.log), Some(game.table));
}

#[test]
fn the_extra_card_counts_for_the_starter_alone() {
    let rules = Ruleset { starter_gets_extra: true, ..Preset::Rummy200.ruleset() };
    let hand = list("2C 3C 4C 5C 6C 7C 8C 9C");
    for dealer in [0, 1] {
        let deal = ArrangedDeal { hands: vec![(seat(1), hand.clone())], ..Default::default() };
        let chosen = Arrangement { first_dealer: Some(seat(dealer)), ..arrangement(vec![deal]) };
        let game = started(Game::sandbox(rules.clone(), 2, chosen, 3));
        let expected = if dealer == 0 { &hand[..] } else { &hand[..7] };
        assert_eq!(dealt(&game).hands[1].1, expected);
    }
}

#[test]
fn a_sandbox_is_marked_and_its_cards_are_hidden() {
    let deal = ArrangedDeal { stock: list("AS 3D"), ..Default::default() };
    let game = Game::sandbox(Preset::Rummy200.ruleset(), 2, arrangement(vec![deal]), 5);
    for viewer in [Viewer::Public, Viewer::Seat(seat(0))] {
        assert!(game.table.view(viewer).sandbox);
        assert_eq!(game.log[1].observed_by(viewer), Event::SandboxArranged { arrangement: () });
    }
    assert!(!Game::new(Preset::Rummy200.ruleset(), 2, 5).table.view(Viewer::Public).sandbox);
}

#[test]
fn what_cannot_be_dealt_is_refused() {
    use ArrangementProblem::{NoSuchSeat, NoUpcard, NotInPack, SeatTwice, TooMany, Twice};
    let rules = Ruleset { pack: Pack { decks: 1, jokers: 0 }, ..Preset::Rummy200.ruleset() };
    let check =
        |rules: &Ruleset, deal: ArrangedDeal| arrangement(vec![Default::default(), deal]).check(rules, 2);
    let hands = |hands: &[(u8, &str)]| ArrangedDeal {
        hands: hands.iter().map(|(number, codes)| (seat(*number), list(codes))).collect(),
        ..Default::default()
    };
    let deck = rules.pack.sorted();
    let stock = |count: usize| ArrangedDeal { stock: deck[..count].to_vec(), ..Default::default() };
    let upcard = |code: &str| ArrangedDeal { upcard: Some(card(code)), ..Default::default() };
    let cases = [
        (hands(&[(0, "7H 8H"), (1, "9H 7H")]), Place::HandCard(1, 1), Twice(card("7H"))),
        (hands(&[(0, "7H QH2")]), Place::HandCard(0, 1), NotInPack(card("QH2"))),
        (upcard("X1"), Place::Upcard, NotInPack(card("X1"))),
        (hands(&[(2, "7H")]), Place::Hand(0), NoSuchSeat { seat: seat(2), seats: 2 }),
        (hands(&[(1, "7H"), (1, "8H")]), Place::Hand(1), SeatTwice(seat(1))),
        (hands(&[(0, "2C 3C 4C 5C 6C 7C 8C 9C")]), Place::Hand(0), TooMany { count: 8, most: 7 }),
        (stock(38), Place::Stock, TooMany { count: 38, most: 37 }),
        (
            ArrangedDeal { stock: list("AS 7H"), ..hands(&[(0, "7H")]) },
            Place::StockCard(1),
            Twice(card("7H")),
        ),
    ];
    for (deal, place, problem) in cases {
        assert_eq!(check(&rules, deal), Err(SandboxFault::Deal { deal: 1, place, problem }));
    }
    assert_eq!(check(&rules, stock(37)), Ok(()));
    let no_upcard = Ruleset { upcard: false, ..rules.clone() };
    let fault = SandboxFault::Deal { deal: 1, place: Place::Upcard, problem: NoUpcard };
    assert_eq!(check(&no_upcard, upcard("7H")), Err(fault));
    let many = arrangement(vec![Default::default(); MOST_DEALS + 1]);
    assert_eq!(many.check(&rules, 2), Err(SandboxFault::TooManyDeals(MOST_DEALS + 1)));
    let dealer = Arrangement { first_dealer: Some(seat(2)), ..arrangement(vec![]) };
    assert_eq!(dealer.check(&rules, 2), Err(SandboxFault::Dealer { seat: seat(2), seats: 2 }));
    let created = remik_rules::decide::create_sandbox(rules, 9, arrangement(vec![]), &mut Dice(1));
    assert!(matches!(created, Err(SandboxFault::Ruleset(RulesetFault::SeatsOutOfRange { seats: 9, .. }))));
}
