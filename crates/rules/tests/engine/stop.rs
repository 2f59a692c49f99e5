//! RULES 21: a game is stopped from outside, whatever it waits for.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::command::{Actor, Command, Source};
use remik_rules::event::{DealEnded, Event, GameOver, Outcome, Viewer};
use remik_rules::preset::Preset;
use remik_rules::reason::Reason;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{AbsentSeats, GameEnd, Ruleset};
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::table::Table;
use remik_rules::view::{Observer, Stage};

use super::support::{Game, seat};

pub fn stop(void: bool) -> Command {
    Command::Stop { void, reason: reason() }
}

fn reason() -> Reason {
    Reason::new("two accounts of one person").unwrap()
}

/// What must hold wherever a game is stopped.
pub fn check_stopped(before: &Table, after: &Table, void: bool, events: &[Event]) {
    let Some(([Event::GameStopped { .. }], rest)) = events.split_at_checked(1) else { panic!("{events:?}") };
    let Some((Event::GameEnded { cause, places }, deal)) = rest.split_last() else { panic!("{events:?}") };
    assert_eq!(*cause, if void { GameOver::Voided } else { GameOver::Stopped });
    assert_eq!((after.over(), after.is_over()), (Some(*cause), true));
    let seats = Seat::first(before.seat_count());
    assert!(seats.clone().all(|seat| after.total(seat) == before.total(seat)), "nothing is scored");
    assert_eq!(places.len(), usize::from(before.seat_count()));
    assert!(places.iter().all(|place| (*place == 0) == (void || before.is_waiting())), "{places:?}");
    match deal {
        [] => assert_eq!(before.turn(), None),
        [Event::DealEnded(ended)] => check_broken_off(before, ended),
        other => panic!("{other:?}"),
    }
}

/// The hands are shown as they were, and every card of the pack is there.
fn check_broken_off(before: &Table, ended: &DealEnded) {
    assert_eq!(
        (ended.outcome, &ended.scores[..], &ended.eliminated[..]),
        (Outcome::Abandoned, &[][..], &[][..])
    );
    let hands = ended.hands.iter().flat_map(|(_, hand)| hand);
    let melds = before.melds().iter().flat_map(|meld| &meld.meld.cards);
    let cards: Vec<Card> = hands.chain(melds).chain(before.stock()).chain(before.pile()).copied().collect();
    let pack = before.rules().pack;
    assert_eq!((cards.len(), cards.into_iter().collect::<Cards>()), (pack.size(), pack.cards()));
}

/// The rules of a preset, for two deals.
fn two_deals() -> Ruleset {
    Ruleset { end: GameEnd::Deals(2), ..Preset::Remik51.ruleset() }
}

/// Plays until a deal has ended.
fn end_of_deal(game: &mut Game) {
    let mut turns = 0;
    while game.table.turn().is_some() {
        game.pass();
        turns += 1;
        assert!(turns < 5000);
    }
}

#[test]
fn a_game_is_stopped_in_every_phase() {
    let waiting = || {
        let mut game = Game::new(two_deals(), 3, 1);
        game.join(1).unwrap();
        game
    };
    let drawing = || Game::started(two_deals(), 3, 1);
    let playing = || {
        let mut game = drawing();
        let turn = game.table.turn().unwrap();
        game.by(turn.number(), Command::Draw(Source::Stock)).unwrap();
        game
    };
    let between = || {
        let mut game = drawing();
        end_of_deal(&mut game);
        assert!(!game.table.is_over());
        game
    };
    let phases: [(&str, &dyn Fn() -> Game); 4] =
        [("waiting", &waiting), ("draw", &drawing), ("play", &playing), ("between", &between)];
    for (phase, game) in phases {
        for void in [false, true] {
            let mut game = game();
            let before = game.table.clone();
            let events = game.act(Actor::Admin, &stop(void)).unwrap_or_else(|r| panic!("{phase}: {r}"));
            check_stopped(&before, &game.table, void, &events);
            assert_eq!(Table::replay(&game.log).as_ref(), Some(&game.table), "{phase}");
            for again in [stop(void), stop(!void)] {
                assert_eq!(game.act(Actor::Admin, &again), Err(Refusal::GameOver), "{phase}");
            }
            assert_eq!(game.by(0, Command::Leave), Err(Refusal::GameOver), "{phase}");
            assert_eq!(game.table.alarm(), None, "{phase}");
        }
    }
}

#[test]
fn the_seed_of_a_broken_deal_is_revealed_and_everybody_reads_why() {
    let mut game = Game::started(two_deals(), 2, 4);
    let committed = game.log.iter().find_map(|event| match event {
        Event::SeedCommitted { seed, .. } => Some(*seed),
        _ => None,
    });
    let events = game.act(Actor::Admin, &stop(true)).unwrap();
    let Event::DealEnded(ended) = &events[1] else { panic!("{events:?}") };
    assert_eq!(Some(ended.seed), committed);
    for viewer in [Viewer::Public, Viewer::Seat(seat(1))] {
        let view = game.table.view(viewer);
        assert_eq!(view.stopped, Some(reason()));
        assert!(matches!(view.stage, Stage::Over { cause: GameOver::Voided, last: Some(_), .. }));
        let mut observer = Observer::open(&game.log[0].observed_by(viewer), viewer).unwrap();
        game.log[1..].iter().for_each(|event| observer.see(&event.observed_by(viewer)));
        assert_eq!(observer.view(), &view);
    }
}

/// The totals of the finished deals decide, whatever the running one would have counted.
#[test]
fn an_ended_game_has_the_places_of_its_finished_deals() {
    let mut game = Game::started(two_deals(), 3, 2);
    end_of_deal(&mut game);
    let events = game.clone().act(Actor::Admin, &stop(false)).unwrap();
    let Some(Event::GameEnded { places: between, .. }) = events.last() else { panic!("{events:?}") };
    game.all_ready();
    game.pass();
    let events = game.act(Actor::Admin, &stop(false)).unwrap();
    let Some(Event::GameEnded { places, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(places, between);
    assert_eq!(places.iter().min(), Some(&1));
}

/// Equal totals are told apart by the last finished deal where the rules say so, also in the middle of the next one.
#[test]
fn ties_are_told_apart_by_the_last_finished_deal() {
    let rules = Ruleset { end: GameEnd::Deals(5), tie_by_last_deal: true, ..Preset::RemikPoints.ruleset() };
    for number in 0..20 {
        let mut game = Game::started(rules.clone(), 2, number);
        for _ in 0..2 {
            end_of_deal(&mut game);
            let mut between = game.clone();
            game.all_ready();
            let places = |game: &mut Game| match game.act(Actor::Admin, &stop(false)).unwrap().pop() {
                Some(Event::GameEnded { places, .. }) => places,
                other => panic!("{other:?}"),
            };
            assert_eq!(places(&mut game.clone()), places(&mut between));
        }
    }
}

#[test]
fn only_an_administrator_stops_a_game() {
    let mut game = Game::started(two_deals(), 2, 3);
    let turn = game.table.turn().unwrap();
    for actor in [Actor::Seat(turn), Actor::Bot(turn), Actor::Clock, Actor::Player(PlayerId(9))] {
        assert_eq!(game.act(actor, &stop(false)), Err(Refusal::AdminOnly), "{actor:?}");
    }
    for command in
        [Command::Join { seat: None }, Command::Leave, Command::Draw(Source::Stock), Command::TimeOut]
    {
        assert_eq!(game.act(Actor::Admin, &command), Err(Refusal::NotSeated), "{command}");
    }
}

#[test]
fn a_bots_turn_and_a_given_up_seat_are_stopped_too() {
    for absent_seats in [AbsentSeats::Forfeit, AbsentSeats::EasyBot] {
        let mut game = Game::started(Ruleset { absent_seats, ..two_deals() }, 3, 5);
        game.by(0, Command::Leave).unwrap();
        let before = game.table.clone();
        let events = game.act(Actor::Admin, &stop(false)).unwrap();
        check_stopped(&before, &game.table, false, &events);
        let Some(Event::GameEnded { places, .. }) = events.last() else { panic!("{events:?}") };
        let last = absent_seats == AbsentSeats::Forfeit;
        assert_eq!(places, &if last { [3, 1, 1] } else { [1, 1, 1] });
    }
    let mut game = Game::new(two_deals(), 2, 6);
    game.join(1).unwrap();
    game.by(0, Command::AddBot { seat: None, strength: Strength::Easy }).unwrap();
    game.ready(0).unwrap();
    let before = game.table.clone();
    let events = game.act(Actor::Admin, &stop(true)).unwrap();
    check_stopped(&before, &game.table, true, &events);
}
