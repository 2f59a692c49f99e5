//! The time bank, and time given back after an outage: RULES 15.

use std::time::Duration;

use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::event::{Event, Viewer};
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{GameEnd, Ruleset, RulesetFault};
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use remik_rules::view::{DealView, Observer, Stage};

use super::support::Game;

/// No clock, and more than one deal.
fn plain() -> Ruleset {
    Ruleset { end: GameEnd::Deals(5), ..Preset::Remik51.ruleset() }
}

/// 30 s a turn, and 60 s a deal.
fn banked() -> Ruleset {
    Ruleset { turn_seconds: Some(30), time_bank_seconds: Some(60), ..plain() }
}

fn later(game: &mut Game, seconds: u32) {
    game.now = game.now.plus_seconds(seconds);
}

fn deal(game: &Game) -> Box<DealView> {
    let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else {
        panic!("a deal is being played")
    };
    deal
}

/// The bank left to the seat, in seconds.
fn left(game: &Game, seat: Seat) -> u32 {
    deal(game).time_banks[seat.index()] / 1000
}

/// Seconds until the turn's time is up.
fn until(game: &Game) -> i64 {
    (deal(game).turn.deadline.unwrap().0 - game.now.0) / 1000
}

#[test]
fn a_turn_within_its_own_time_leaves_the_bank_alone() {
    let mut game = Game::started(banked(), 2, 1);
    let first = game.table.turn().unwrap();
    assert_eq!(until(&game), 90);
    later(&mut game, 30);
    let events = game.pass();
    assert!(!events.iter().any(|event| matches!(event, Event::TimeBankUsed { .. })), "{events:?}");
    assert_eq!((left(&game, first), until(&game)), (60, 90));
}

#[test]
fn what_a_turn_overdraws_is_gone_for_the_deal() {
    let mut game = Game::started(banked(), 2, 1);
    let first = game.table.turn().unwrap();
    later(&mut game, 45);
    let events = game.pass();
    let [.., Event::TimeBankUsed { seat, left: 45_000 }, Event::TurnStarted { .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*seat, first);
    assert_eq!(until(&game), 90, "the others have their own");
    game.pass();
    assert_eq!((game.table.turn(), left(&game, first), until(&game)), (Some(first), 45, 75));
    later(&mut game, 74);
    game.pass();
    assert_eq!(left(&game, first), 1);
}

#[test]
fn who_uses_everything_up_is_out_of_time_and_has_plain_turns_until_the_next_deal() {
    let mut game = Game::started(banked(), 2, 1);
    let first = game.table.turn().unwrap();
    later(&mut game, 89);
    let early = game.act(Actor::Clock, &Command::TimeOut);
    assert_eq!(early, Err(Refusal::NotTimeYet(game.now.plus_seconds(1))));
    later(&mut game, 1);
    let events = game.act(Actor::Clock, &Command::TimeOut).unwrap();
    let [
        ..,
        Event::TimedOut { in_a_row: 1, .. },
        Event::TimeBankUsed { left: 0, .. },
        Event::TurnStarted { .. },
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    game.pass();
    assert_eq!((game.table.turn(), until(&game)), (Some(first), 30));
    // The next deal begins with full banks.
    for _ in 0..500 {
        if game.table.turn().is_none() {
            break;
        }
        game.pass();
    }
    game.all_ready();
    assert_eq!((left(&game, first), until(&game)), (60, 90));
}

#[test]
fn a_bank_needs_a_clock_and_none_shows_no_banks() {
    let rules = Ruleset { turn_seconds: None, ..banked() };
    assert!(matches!(rules.validate(), Err(RulesetFault::Inconsistent("a time bank", _))));
    let rules = Ruleset { time_bank_seconds: None, ..banked() };
    let game = Game::started(rules, 2, 1);
    assert_eq!((deal(&game).time_banks.len(), until(&game)), (0, 30));
}

#[test]
fn time_lost_to_an_outage_is_given_back_and_costs_no_bank() {
    let mut game = Game::started(banked(), 3, 1);
    let first = game.table.turn().unwrap();
    later(&mut game, 20);
    // Down for two minutes.
    later(&mut game, 120);
    let by = Duration::from_secs(120);
    let events = game.act(Actor::Clock, &Command::ExtendClock { by }).unwrap();
    let deadline = game.now.plus_seconds(70);
    assert_eq!(events, [Event::ClockExtended { seat: first, until: deadline }]);
    assert_eq!(game.act(Actor::Clock, &Command::TimeOut), Err(Refusal::NotTimeYet(deadline)));
    later(&mut game, 15);
    game.pass();
    assert_eq!(left(&game, first), 55, "5 s beyond the turn's own time");
}

#[test]
fn only_the_clock_extends_and_only_what_runs() {
    let extend = Command::ExtendClock { by: Duration::from_secs(1) };
    let mut game = Game::new(banked(), 2, 1);
    assert_eq!(game.act(Actor::Clock, &extend), Err(Refusal::NoDealRunning));
    let mut game = Game::started(banked(), 2, 1);
    assert_eq!(game.by(0, extend.clone()), Err(Refusal::ClockOnly));
    let mut game = Game::started(plain(), 2, 1);
    assert_eq!(game.act(Actor::Clock, &extend), Err(Refusal::NoClock));
    // Past the end of time it stays there.
    let mut game = Game::started(banked(), 2, 1);
    game.act(Actor::Clock, &Command::ExtendClock { by: Duration::MAX }).unwrap();
    assert_eq!(deal(&game).turn.deadline, Some(Millis(i64::MAX)));
}

#[test]
fn a_table_says_what_its_clock_does_next() {
    let mut game = Game::new(banked(), 2, 1);
    assert_eq!(game.table.alarm(), None);
    let mut timed = Game::started(banked(), 2, 1);
    assert_eq!(timed.table.alarm(), Some((timed.now.plus_seconds(90), Command::TimeOut)));
    game = Game::started(plain(), 2, 1);
    assert_eq!(game.table.alarm(), None, "no clock, no alarm");
    for game in [&mut timed, &mut game] {
        while game.table.turn().is_some() {
            game.pass();
        }
        assert_eq!(game.table.alarm(), Some((game.now.plus_seconds(15), Command::EndPause)));
    }
    timed.now = timed.now.plus_seconds(15);
    timed.act(Actor::Clock, &Command::EndPause).unwrap();
    timed.by(0, Command::Leave).unwrap();
    assert_eq!(timed.table.alarm(), None, "the game is over");
}

/// What is seen adds up to the view that the server makes, and the log to the table.
#[test]
fn banks_and_extensions_are_seen_and_replayed() {
    let mut game = Game::started(banked(), 3, 4);
    for turn in 0..9 {
        later(&mut game, 10 * turn);
        if turn % 4 == 3 {
            game.act(Actor::Clock, &Command::ExtendClock { by: Duration::from_millis(1234) }).unwrap();
        }
        game.pass();
    }
    assert_eq!(Table::replay(&game.log), Some(game.table.clone()));
    for viewer in Seat::first(3).map(Viewer::Seat).chain([Viewer::Public]) {
        let mut observer = Observer::open(&game.log[0].observed_by(viewer), viewer).unwrap();
        game.log[1..].iter().for_each(|event| observer.see(&event.observed_by(viewer)));
        assert_eq!(*observer.view(), game.table.view(viewer));
    }
    let used = game.log.iter().filter(|event| matches!(event, Event::TimeBankUsed { .. })).count();
    assert!(used >= 4, "{used}");
}
