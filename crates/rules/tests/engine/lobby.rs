//! Before the first deal and between two: RULES 12, 17, 19, and the deal itself.

use remik_rules::chance::ClientSeed;
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::create;
use remik_rules::event::{Event, GameOver, Viewer};
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{GameEnd, Ruleset, RulesetFault};
use remik_rules::seat::PlayerId;
use remik_rules::situation::Situation;
use remik_rules::view::Stage;

use super::support::{Dice, Game, card, cards, seat};

#[test]
fn seats_are_taken_once_and_given_back() {
    let mut game = Game::new(Preset::Remik51.ruleset(), 3, 1);
    game.join(10).unwrap();
    assert_eq!(game.join(10), Err(Refusal::AlreadySeated(seat(0))));
    let at = |number| Command::Join { seat: Some(seat(number)) };
    let eleven = Actor::Player(PlayerId(11));
    assert_eq!(game.act(eleven, &at(0)), Err(Refusal::SeatTaken(seat(0))));
    assert_eq!(game.act(eleven, &at(5)), Err(Refusal::NoSuchSeat { seat: seat(5), seats: 3 }));
    game.act(eleven, &at(2)).unwrap();
    game.join(12).unwrap();
    assert_eq!(game.table.seat_of(PlayerId(12)), Some(seat(1)));
    assert_eq!(game.join(13), Err(Refusal::TableFull(3)));
    game.by(1, Command::Leave).unwrap();
    assert_eq!(game.by(1, Command::Undo), Err(Refusal::NotSeated));
    game.join(13).unwrap();
    assert_eq!(game.table.seat_of(PlayerId(13)), Some(seat(1)));
}

#[test]
fn a_game_that_everybody_leaves_is_over() {
    let mut game = Game::new(Preset::Remik51.ruleset(), 2, 1);
    game.join(1).unwrap();
    let events = game.by(0, Command::Leave).unwrap();
    assert!(matches!(events[1], Event::GameEnded { cause: GameOver::Abandoned, .. }));
    assert_eq!(game.join(2), Err(Refusal::GameOver));
}

#[test]
fn the_deal_begins_when_all_seats_are_taken_and_ready() {
    let mut game = Game::new(Preset::Remik51.ruleset(), 2, 1);
    game.join(1).unwrap();
    game.ready(0).unwrap();
    assert_eq!(game.ready(0), Err(Refusal::AlreadyReady(seat(0))));
    assert_eq!(game.by(0, Command::Draw(Source::Stock)), Err(Refusal::NoDealRunning));
    game.join(2).unwrap();
    let seed = ClientSeed::new(*b"mine").unwrap();
    let events = game.by(1, Command::Ready { client_seed: seed.clone() }).unwrap();
    let [_, Event::DealerChosen { dealer, cut }, Event::Dealt(dealt), Event::TurnStarted { seat: turn, .. }] =
        &events[..]
    else {
        panic!("{events:?}")
    };
    assert!(cut.is_empty());
    assert_eq!(dealt.client_seeds, [(seat(0), ClientSeed::default()), (seat(1), seed)]);
    assert_eq!((dealt.dealer, dealt.starter), (*dealer, *turn));
    assert_ne!(dealer, turn);
    assert_eq!(game.ready(0), Err(Refusal::DealRunning));
    assert_eq!(game.join(3), Err(Refusal::AlreadyStarted));
}

/// Cases dl-01 to dl-06.
#[test]
fn hands_upcard_and_stock_have_their_sizes() {
    for (preset, seats, hand, stock) in [
        (Preset::Remik51, 2, 13, 81),
        (Preset::Remik51, 3, 13, 68),
        (Preset::Rummy200, 4, 7, 23),
        (Preset::BasicRummy, 2, 10, 31),
        (Preset::BasicRummy, 5, 6, 21),
        (Preset::BasicRummy, 6, 6, 15),
        (Preset::Remi30, 4, 13, 57),
        (Preset::Romme40, 4, 13, 57),
    ] {
        let game = Game::started(preset.ruleset(), seats, 4);
        let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
        assert_eq!(deal.hand_counts, vec![hand; usize::from(seats)], "{preset}");
        assert_eq!((deal.stock_count, deal.pile.len()), (stock, 1), "{preset}");
    }
}

/// RULES 14 and case dl-08: the starter has a card more and doesn't draw.
#[test]
fn wrothams_starter_begins_with_plays() {
    let mut game = Game::started(Preset::WrothamRummy.ruleset(), 3, 4);
    let starter = game.table.turn().unwrap();
    let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
    assert_eq!((deal.hand_counts[starter.index()], deal.pile.len()), (8, 0));
    assert_eq!(game.by(starter.number(), Command::Draw(Source::Stock)), Err(Refusal::AlreadyDrawn));
    let any = game.table.hand(starter).naturals().iter().next().unwrap();
    game.by(starter.number(), Command::Discard(any)).unwrap();
    game.by(game.table.turn().unwrap().number(), Command::Draw(Source::Discard)).unwrap();
}

/// RULES 19: everybody sees the cut, and the highest card deals.
#[test]
fn the_cut_finds_the_first_dealer() {
    for seed in 0..50 {
        let game = Game::started(Preset::RemikPoints.ruleset(), 4, seed);
        let Some(Event::DealerChosen { dealer, cut }) =
            game.log.iter().find(|e| matches!(e, Event::DealerChosen { .. }))
        else {
            panic!()
        };
        let order = |code: char| "23456789TJQKA".find(code).unwrap();
        let suit = |code: char| "CDHS".find(code).unwrap();
        let height = |code: String| {
            let mut letters = code.chars();
            (order(letters.next().unwrap()), suit(letters.next().unwrap()))
        };
        let highest = cut.iter().max_by_key(|(_, card)| height(card.to_string())).unwrap();
        assert_eq!((cut.len(), highest.0), (4, *dealer));
    }
}

#[test]
fn the_next_deal_waits_for_all_or_for_the_end_of_the_pause() {
    let end = || {
        let mut situation = Situation::new(Preset::Remik51.ruleset(), 3);
        situation.hands = vec![Some(cards("4D")), Some(cards("KS")), Some(cards("2C"))];
        let mut game = Game::arranged(situation);
        let events = game.by(0, Command::Discard(card("4D"))).unwrap();
        assert!(matches!(events[..], [_, Event::DealEnded(_), Event::SeedCommitted { deal: 2, .. }]));
        game
    };
    let mut game = end();
    game.ready(1).unwrap();
    game.ready(0).unwrap();
    assert_eq!(game.ready(0), Err(Refusal::AlreadyReady(seat(0))));
    assert!(matches!(game.act(Actor::Clock, &Command::EndPause), Err(Refusal::NotTimeYet(_))));
    let events = game.ready(2).unwrap();
    assert!(events.iter().any(|e| matches!(e, Event::Dealt(dealt) if dealt.client_seeds.len() == 3)));

    let mut game = end();
    game.ready(1).unwrap();
    game.now = game.now.plus_seconds(15);
    let events = game.act(Actor::Clock, &Command::EndPause).unwrap();
    let Event::Dealt(dealt) = &events[0] else { panic!("{events:?}") };
    assert_eq!(dealt.client_seeds, [(seat(1), ClientSeed::default())]);
    // The last dealer was seat 2.
    assert_eq!((dealt.dealer, dealt.starter), (seat(0), seat(1)));

    let mut game = end();
    game.now = game.now.plus_seconds(15);
    assert!(game.ready(2).unwrap().iter().any(|e| matches!(e, Event::Dealt(_))));
}

/// RULES 12: A has dealt and B goes out; C deals and D starts.
#[test]
fn the_deal_passes_over_a_seat_that_is_out() {
    let mut situation = Situation::new(Preset::Remi30.ruleset(), 4);
    situation.dealer = seat(0);
    situation.hands = vec![Some(cards("4D")), Some(cards("KS")), Some(cards("2C")), Some(cards("3C"))];
    situation.totals = vec![0, 45, 0, 0];
    let mut game = Game::arranged(situation);
    let events = game.by(0, Command::Discard(card("4D"))).unwrap();
    let Event::DealEnded(ended) = &events[1] else { panic!() };
    assert_eq!(ended.eliminated, [seat(1)]);
    assert_eq!(game.ready(1), Err(Refusal::OutOfGame(seat(1))));
    game.all_ready();
    let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
    assert_eq!((deal.dealer, deal.starter), (seat(2), seat(3)));
    assert_eq!(deal.hand_counts, [13, 0, 13, 13]);
}

#[test]
fn a_table_has_the_seats_that_its_rules_allow() {
    let dice = &mut Dice(1);
    for seats in [0, 1, 5, 255] {
        let refused = create(Preset::Remik51.ruleset(), seats, dice);
        let fault = RulesetFault::SeatsOutOfRange { seats, least: 2, most: 4 };
        assert_eq!(refused, Err(fault));
    }
    let rules = Ruleset { end: GameEnd::Deals(0), ..Preset::Remik51.ruleset() };
    assert!(create(rules, 2, dice).is_err());
}
