//! What hosts do before the first deal, what the clock does then, and the game after the game.

use std::time::Duration;

use remik_rules::command::{Actor, Command};
use remik_rules::event::{Event, GameOver, Viewer};
use remik_rules::lobby::Offer;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::seat::{GameRef, PlayerId};
use remik_rules::strength::Strength;
use remik_rules::view::{Observer, Stage};

use super::support::{Game, seat};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);

fn waiting(players: u128) -> Game {
    let mut game = Game::new(Preset::Remik51.ruleset(), 3, 1);
    (1..=players).for_each(|player| drop(game.join(player).unwrap()));
    game
}

fn remove(player: u128) -> Command {
    Command::Remove { player: PlayerId(player) }
}

fn hand_over(player: u128) -> Command {
    Command::HandOver { player: PlayerId(player) }
}

fn offer(number: u8, player: u128) -> Command {
    Command::Offer { seat: seat(number), player: PlayerId(player), within: HALF_A_MINUTE }
}

fn clock(game: &mut Game, command: Command) -> Result<Vec<Event>, Refusal> {
    game.act(Actor::Clock, &command)
}

#[test]
fn who_was_removed_stays_away_and_anybody_else_may_come() {
    let mut game = waiting(3);
    assert_eq!(game.by(1, remove(3)), Err(Refusal::NotHost(seat(0))));
    assert_eq!(game.by(0, remove(1)), Err(Refusal::NoOtherPlayer));
    assert_eq!(game.by(0, remove(9)), Err(Refusal::NoOtherPlayer));
    assert_eq!(game.by(0, remove(2)).unwrap(), [Event::PlayerRemoved { seat: seat(1) }]);
    assert_eq!(game.by(0, remove(2)), Err(Refusal::NoOtherPlayer));
    assert_eq!(game.join(2), Err(Refusal::Removed));
    game.join(4).unwrap();
    assert_eq!(game.table.player(seat(1)), Some(PlayerId(4)));
    game.all_ready();
    assert_eq!(game.by(0, remove(4)), Err(Refusal::AlreadyStarted));
}

#[test]
fn the_host_is_whom_the_host_has_named_until_he_leaves() {
    let mut game = waiting(3);
    assert_eq!(game.by(0, hand_over(9)), Err(Refusal::NoOtherPlayer));
    game.by(0, hand_over(3)).unwrap();
    assert_eq!(game.table.host(), Some(seat(2)));
    assert_eq!(game.by(0, remove(2)), Err(Refusal::NotHost(seat(2))));
    game.by(2, remove(1)).unwrap();
    assert_eq!(game.table.host(), Some(seat(2)), "a seat before his is free");
    game.by(2, Command::Leave).unwrap();
    assert_eq!(game.table.host(), Some(seat(1)));
    game.join(5).unwrap();
    game.join(6).unwrap();
    assert_eq!(game.table.host(), Some(seat(0)), "the first of the players' seats");
}

#[test]
fn all_ready_starts_and_who_is_late_loses_the_seat() {
    let ask = Command::AskReady { within: HALF_A_MINUTE };
    let mut game = waiting(2);
    assert_eq!(game.by(0, ask.clone()), Err(Refusal::SeatsFree(1)));
    game.join(3).unwrap();
    assert_eq!(game.by(1, ask.clone()), Err(Refusal::NotHost(seat(0))));
    let until = game.now.plus(HALF_A_MINUTE);
    assert_eq!(game.by(0, ask.clone()).unwrap(), [Event::ReadyAsked { until }]);
    assert_eq!(game.by(0, ask.clone()), Err(Refusal::ReadyAsked(until)));
    assert_eq!(game.table.alarm(), Some((until, Command::EndReadyCheck)));
    let mut started = game.clone();
    (0..3).for_each(|number| drop(started.ready(number).unwrap()));
    assert!(started.table.turn().is_some());
    assert_eq!(clock(&mut started, Command::EndReadyCheck), Err(Refusal::NoClock));

    game.ready(1).unwrap();
    assert_eq!(clock(&mut game, Command::EndReadyCheck), Err(Refusal::NotTimeYet(until)));
    let later = until.plus(HALF_A_MINUTE);
    let put_off = clock(&mut game, Command::ExtendClock { by: HALF_A_MINUTE }).unwrap();
    assert_eq!(put_off, [Event::ReadyAsked { until: later }], "the service was down");
    game.now = later;
    let missed = [0, 2].map(|number| Event::ReadyMissed { seat: seat(number) });
    assert_eq!(clock(&mut game, Command::EndReadyCheck).unwrap(), missed);
    assert_eq!(game.table.host(), Some(seat(1)));
    assert!(game.table.view(Viewer::Public).seats[1].ready, "who was ready stays so");
    game.join(3).unwrap();
    game.join(4).unwrap();
    game.ready(0).unwrap();
    game.ready(2).unwrap();
    assert!(game.table.turn().is_some());
}

#[test]
fn a_free_seat_ends_the_asking_and_a_table_of_sleepers_is_closed() {
    let ask = Command::AskReady { within: HALF_A_MINUTE };
    let mut game = waiting(3);
    game.by(0, ask.clone()).unwrap();
    let mut left = game.clone();
    left.by(2, Command::Leave).unwrap();
    assert_eq!(left.table.alarm(), None);
    game.now = game.now.plus(HALF_A_MINUTE);
    let events = clock(&mut game, Command::EndReadyCheck).unwrap();
    assert!(matches!(events[3], Event::GameEnded { cause: GameOver::Abandoned, .. }), "{events:?}");

    let mut alone = waiting(1);
    for number in [1, 2] {
        let bot = Command::AddBot { seat: Some(seat(number)), strength: Strength::Easy };
        alone.by(0, bot).unwrap();
    }
    alone.by(0, ask).unwrap();
    alone.ready(0).unwrap();
    assert!(alone.table.turn().is_some(), "bots are always ready");
}

#[test]
fn a_seat_is_kept_for_who_is_asked() {
    let mut game = waiting(1);
    let until = game.now.plus(HALF_A_MINUTE);
    game.by(0, offer(2, 7)).unwrap();
    assert_eq!(game.by(0, offer(1, 7)), Err(Refusal::AlreadySeated(seat(2))));
    assert_eq!(game.by(0, offer(2, 8)), Err(Refusal::SeatKept(seat(2))));
    let at = Command::Join { seat: Some(seat(2)) };
    assert_eq!(game.act(Actor::Player(PlayerId(8)), &at), Err(Refusal::SeatKept(seat(2))));
    game.join(8).unwrap();
    assert_eq!(game.join(9), Err(Refusal::SeatKept(seat(2))));
    let kept = Offer { seat: seat(2), player: PlayerId(7), until };
    assert_eq!(game.table.view(Viewer::Public).lobby.offers, [kept]);
    assert_eq!(game.table.alarm(), Some((until, Command::EndOffers)));
    assert_eq!(game.act(Actor::Player(PlayerId(9)), &Command::Decline), Err(Refusal::NoOffer));

    let mut taken = game.clone();
    taken.join(7).unwrap();
    assert_eq!(taken.table.player(seat(2)), Some(PlayerId(7)));
    assert_eq!(taken.table.alarm(), None);
    let mut declined = game.clone();
    declined.act(Actor::Player(PlayerId(7)), &Command::Decline).unwrap();
    declined.join(9).unwrap();
    assert_eq!(clock(&mut game, Command::EndOffers), Err(Refusal::NotTimeYet(until)));
    game.now = until;
    assert_eq!(clock(&mut game, Command::EndOffers).unwrap(), [Event::OfferEnded { seat: seat(2) }]);
    game.join(9).unwrap();
}

#[test]
fn only_a_table_that_waits_is_closed() {
    let mut game = waiting(2);
    assert_eq!(game.by(0, Command::Close), Err(Refusal::ClockOnly));
    let mut started = Game::started(Preset::Remik51.ruleset(), 2, 1);
    assert_eq!(clock(&mut started, Command::Close), Err(Refusal::AlreadyStarted));
    clock(&mut game, Command::Close).unwrap();
    assert!(game.table.is_over());
}

#[test]
fn a_game_has_one_rematch_and_only_when_it_is_over() {
    let rematch = |game| Command::Rematch { game: GameRef(game) };
    let mut game = Game::started(Preset::Remik51.ruleset(), 2, 1);
    assert_eq!(game.by(0, rematch(1)), Err(Refusal::NotOver));
    game.by(1, Command::Leave).unwrap();
    assert!(game.table.is_over());
    assert_eq!(game.act(Actor::Player(PlayerId(9)), &rematch(1)), Err(Refusal::NotSeated));
    game.by(1, rematch(5)).unwrap();
    assert_eq!(game.by(0, rematch(6)), Err(Refusal::RematchMade(GameRef(5))));
    let view = game.table.view(Viewer::Public);
    assert_eq!(view.rematch, Some(GameRef(5)));
    assert!(matches!(view.stage, Stage::Over { .. }));
    assert_eq!(game.by(0, Command::Leave), Err(Refusal::GameOver));
}

/// What an onlooker folds from the events is what the server shows, at every step.
#[test]
fn an_observer_sees_the_same_lobby() {
    let mut game = waiting(3);
    let steps = [
        (0, hand_over(2)),
        (1, Command::AskReady { within: HALF_A_MINUTE }),
        (1, remove(3)),
        (1, offer(2, 8)),
        (1, Command::ChangeSettings),
        (1, Command::Leave),
    ];
    let mut observer = Observer::open(&game.log[0].observed_by(Viewer::Public), Viewer::Public).unwrap();
    game.log[1..].iter().for_each(|event| observer.see(&event.observed_by(Viewer::Public)));
    for (number, command) in steps {
        for event in game.by(number, command.clone()).unwrap() {
            observer.see(&event.observed_by(Viewer::Public));
        }
        let view = game.table.view(Viewer::Public);
        assert_eq!(observer.view(), &view, "{command}");
        assert_eq!(view.host(), game.table.host(), "{command}");
    }
}
