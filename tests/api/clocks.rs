//! Nobody has to act for a game to go on: turns end, pauses end, games end, also over restarts.

use std::{
    process,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use prost_types::Timestamp;
use remik::{
    proto::v1::{
        DealOutcome, DrawSource, Event, ForfeitCause, GameMove, GameOverCause, GameState, Turn, event::Kind,
        game_end::End, watch_game_response::Item,
    },
    store::{AlarmFilter, Store, StoreOptions},
};
use tokio::time::{sleep, timeout};

use crate::{
    client::{Command, Order, Via, Watch},
    log::Log,
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    four_sleepers_end_their_game
    a_game_is_dealt_and_ended_by_the_clock_alone
    a_time_bank_is_used_up_once
    a_restart_arms_the_clock_again
    an_outage_costs_nobody_the_turn
    a_frozen_service_costs_nobody_the_turn
}

/// Longer than anything here takes on a slow machine.
pub(crate) const BOUND: Duration = Duration::from_secs(20);

/// A table with a clock.
pub(crate) fn timed(seats: u32, turn_seconds: u32) -> Wish {
    let mut wish = Wish::seats(seats);
    wish.overrides.turn_seconds = Some(turn_seconds);
    wish
}

/// The next move of a stream, within a time.
pub(crate) async fn next_move(stream: &mut Watch, bound: Duration) -> GameMove {
    let next = async {
        loop {
            let item = stream.next().await.unwrap().expect("the stream goes on");
            if let Item::Move(made) = item.item.unwrap() {
                return made;
            }
        }
    };
    timeout(bound, next).await.expect("a move in time")
}

/// The moves up to one with an event of some kind.
pub(crate) async fn until(stream: &mut Watch, wanted: impl Fn(&Kind) -> bool) -> Vec<GameMove> {
    let mut moves = Vec::new();
    loop {
        let made = next_move(stream, BOUND).await;
        let found = kinds(&made).any(&wanted);
        moves.push(made);
        if found {
            return moves;
        }
    }
}

pub(crate) fn kinds(made: &GameMove) -> impl Iterator<Item = &Kind> {
    made.events.iter().map(|event: &Event| event.kind.as_ref().unwrap())
}

fn millis(time: Option<Timestamp>) -> i64 {
    let time = time.unwrap();
    time.seconds * 1000 + i64::from(time.nanos) / 1_000_000
}

/// Who ran out of time in a move, and for which time in a row.
pub(crate) fn timed_out(made: &GameMove) -> Option<(u32, u32)> {
    kinds(made).find_map(|kind| match kind {
        Kind::TimedOut(timed_out) => Some((timed_out.seat, timed_out.in_a_row)),
        _ => None,
    })
}

/// The deadline that a move gives after an outage.
fn extended(made: &GameMove) -> Option<i64> {
    kinds(made).find_map(|kind| match kind {
        Kind::ClockExtended(more) => Some(millis(more.until)),
        _ => None,
    })
}

/// The turn that begins with a move: its seat and its deadline.
fn turn(made: &GameMove) -> Option<(u32, i64)> {
    kinds(made).find_map(|kind| match kind {
        Kind::TurnStarted(turn) => Some((turn.seat, millis(turn.deadline))),
        _ => None,
    })
}

async fn four_sleepers_end_their_game(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut wish = timed(4, 1);
    wish.overrides.timeouts_to_forfeit = Some(2);
    let party = Party::seated(&service.url, &wish).await;
    let started = get_ready(&party).await;
    let mut streams = Vec::new();
    for player in &party.players {
        streams.push(player.watch(&party.game, Some(started - 1)).await.unwrap());
    }
    let over = |kind: &Kind| matches!(kind, Kind::GameEnded(_));
    let moves = until(&mut streams[0], over).await;
    for stream in &mut streams[1..] {
        let seen = until(stream, over).await;
        let numbers = |moves: &[GameMove]| moves.iter().map(|made| made.version).collect::<Vec<_>>();
        assert_eq!(numbers(&seen), numbers(&moves), "all see the clock's moves");
    }
    let [dealt, clocks @ ..] = &moves[..] else { panic!("the deal") };
    let (first, mut deadline) = turn(dealt).unwrap();
    // Once around nobody gives up, then one after the other does, until one is left.
    let seats = |from: u32, count: u32| (from..from + count).map(|seat| seat % 4);
    let expected: Vec<_> =
        seats(first, 4).map(|seat| (seat, 1)).chain(seats(first, 3).map(|seat| (seat, 2))).collect();
    assert_eq!(clocks.iter().filter_map(timed_out).collect::<Vec<_>>(), expected);
    for made in clocks {
        assert_eq!(made.seat, None, "it is a move of the clock");
        // A machine that is too busy for heartbeats has an outage.
        if let Some(more) = extended(made) {
            deadline = more;
            continue;
        }
        let (seat, in_a_row) = timed_out(made).expect("nothing else happened");
        let late = millis(made.made_at) - deadline;
        assert!((0..5000).contains(&late), "{late} ms late");
        let forfeit = kinds(made).find_map(|kind| match kind {
            Kind::SeatForfeited(forfeit) => Some((forfeit.seat, forfeit.cause())),
            _ => None,
        });
        assert_eq!(forfeit, (in_a_row == 2).then_some((seat, ForfeitCause::TimedOut)));
        deadline = turn(made).map_or(i64::MAX, |(_, deadline)| deadline);
    }
    let view = party.players[0].look(&party.game).await.unwrap();
    assert_eq!(view.state(), GameState::Over);
    let result = view.result.unwrap();
    assert_eq!(result.cause(), GameOverCause::Forfeited);
    let last = (first + 3) % 4;
    assert_eq!(result.places[last as usize], 1);
    service.stop().await;
}

/// Deals of one turn each, with a pause between them.
async fn a_game_is_dealt_and_ended_by_the_clock_alone(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut wish = timed(2, 1).ends(End::Deals(2));
    wish.overrides.turns_per_seat = Some(1);
    wish.overrides.timeouts_to_forfeit = Some(100);
    wish.overrides.pause_seconds = Some(2);
    let party = Party::seated(&service.url, &wish).await;
    let started = get_ready(&party).await;
    let player = &party.players[1];
    let mut stream = player.watch(&party.game, Some(started)).await.unwrap();
    let moves = until(&mut stream, |kind| matches!(kind, Kind::DealEnded(_))).await;
    assert_eq!(moves.iter().filter_map(timed_out).count(), 2);
    let between = player.look(&party.game).await.unwrap();
    assert_eq!(between.state(), GameState::BetweenDeals);
    let pause = millis(between.pause_until);
    assert_eq!(pause - millis(moves.last().unwrap().made_at), 2000);
    assert!(pause > millis(between.server_time));

    let dealt = next_move(&mut stream, BOUND).await;
    assert_eq!((dealt.seat, turn(&dealt).is_some()), (None, true), "{dealt:?}");
    let late = millis(dealt.made_at) - pause;
    assert!((0..5000).contains(&late), "{late} ms late");
    assert_eq!(player.look(&party.game).await.unwrap().pause_until, None);
    let moves = until(&mut stream, |kind| matches!(kind, Kind::GameEnded(_))).await;
    let ended = moves.iter().flat_map(kinds).find_map(|kind| match kind {
        Kind::DealEnded(ended) => Some(ended.outcome()),
        _ => None,
    });
    assert_eq!(ended, Some(DealOutcome::TurnLimit));
    service.stop().await;
    // Nothing is to come any more.
    let log = Log::read(&database.url, &party.game).await;
    assert!(log.table(log.moves.len() as u32).is_over());
    assert_eq!(alarms(&database.url).await, 0);
}

async fn a_time_bank_is_used_up_once(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut wish = timed(2, 1);
    wish.overrides.time_bank_seconds = Some(2);
    let party = Party::seated(&service.url, &wish).await;
    let started = get_ready(&party).await;
    let player = &party.players[1];
    let banks = async || {
        let deal = player.look(&party.game).await.unwrap().deal.unwrap();
        let banks: Vec<_> = deal.time_banks.iter().map(|bank| (bank.seconds, bank.nanos)).collect();
        (deal.turn.unwrap(), banks)
    };
    let mut stream = player.watch(&party.game, Some(started - 1)).await.unwrap();
    let dealt = next_move(&mut stream, BOUND).await;
    let (first, deadline) = turn(&dealt).unwrap();
    assert_eq!(deadline - millis(dealt.made_at), 3000);
    assert_eq!(banks().await.1, [(2, 0), (2, 0)]);
    let made = until(&mut stream, |kind| matches!(kind, Kind::TimedOut(_))).await.pop().unwrap();
    assert_eq!(timed_out(&made), Some((first, 1)));
    assert!(millis(made.made_at) >= deadline);
    assert!(kinds(&made).any(|kind| matches!(kind, Kind::TimeBankUsed(used) if used.seat == first)));
    let (turn_now, left) = banks().await;
    assert_eq!((turn_now.seat, left[first as usize]), (1 - first, (0, 0)));
    // The other passes in time; then the first has its plain turn.
    let player = &party.players[turn_now.seat as usize];
    let drawn = player.send(&Order::new(&party.game, made.version, Command::Draw(DrawSource::Stock))).await;
    let card = drawn.unwrap().view.deal.unwrap().turn.unwrap().drawn_card;
    let made = player.send(&Order::new(&party.game, 0, Command::Discard(card))).await.unwrap().made;
    let (seat, deadline) = turn(&made).unwrap();
    assert_eq!((seat, deadline - millis(made.made_at)), (first, 1000));
    let moves = until(&mut stream, |kind| matches!(kind, Kind::TimedOut(_))).await;
    assert_eq!(timed_out(moves.last().unwrap()), Some((first, 2)));
}

async fn a_restart_arms_the_clock_again(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &timed(2, 3)).await;
    let started = get_ready(&party).await;
    let player = &party.players[0];
    let mut version = started;
    let mut service = Some(service);
    // Killed, and stopped in order.
    for kill in [true, false] {
        let running = service.take().unwrap();
        if kill {
            running.kill()
        } else {
            running.stop().await
        }
        let running = Service::start(&database.url).await;
        let mut stream = player.at(&running.url, Via::Grpc).watch(&party.game, Some(version)).await.unwrap();
        let moves = until(&mut stream, |kind| matches!(kind, Kind::TimedOut(_))).await;
        version = moves.last().unwrap().version;
        service = Some(running);
    }
}

async fn an_outage_costs_nobody_the_turn(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (party, turn, started) = table_of_two(&service, 4).await;
    service.kill();
    after(millis(turn.deadline) + 500).await;
    let service = Service::start(&database.url).await;
    check_time_is_given_back(&service, &party, &turn, started).await;
}

/// A process that was asleep finds its timers and its heartbeat due at the same time.
async fn a_frozen_service_costs_nobody_the_turn(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (party, turn, started) = table_of_two(&service, 3).await;
    signal(&service, "-STOP");
    after(millis(turn.deadline) + 500).await;
    signal(&service, "-CONT");
    check_time_is_given_back(&service, &party, &turn, started).await;
}

fn signal(service: &Service, signal: &str) {
    let status = process::Command::new("kill").args([signal, &service.process_id()]).status().unwrap();
    assert!(status.success());
}

/// A table whose first turn has begun; that turn, and the last move.
async fn table_of_two(service: &Service, turn_seconds: u32) -> (Party, Turn, u32) {
    let party = Party::seated(&service.url, &timed(2, turn_seconds)).await;
    let started = get_ready(&party).await;
    let view = party.players[0].look(&party.game).await.unwrap();
    (party, view.deal.unwrap().turn.unwrap(), started)
}

/// What was left of the turn when the service went is left when it is back: nearly everything, and once.
async fn check_time_is_given_back(service: &Service, party: &Party, turn: &Turn, started: u32) {
    let player = party.players[turn.seat as usize].at(&service.url, Via::Grpc);
    let mut stream = player.watch(&party.game, Some(started)).await.unwrap();
    let extended = next_move(&mut stream, BOUND).await;
    let [Kind::ClockExtended(more)] = kinds(&extended).collect::<Vec<_>>()[..] else {
        panic!("{extended:?}")
    };
    assert_eq!((extended.seat, more.seat), (None, turn.seat));
    let left = millis(more.until) - millis(extended.made_at);
    assert!((1000..=4100).contains(&left), "{left} ms");
    let view = player.look(&party.game).await.unwrap();
    assert_eq!(view.deal.unwrap().turn.unwrap().deadline, more.until);
    let draw = Order::new(&party.game, extended.version, Command::Draw(DrawSource::Stock));
    let card = player.send(&draw).await.unwrap().view.deal.unwrap().turn.unwrap().drawn_card;
    player.send(&Order::new(&party.game, 0, Command::Discard(card))).await.unwrap();
    let moves = until(&mut stream, |kind| matches!(kind, Kind::TimedOut(_))).await;
    let own = Some(turn.seat);
    assert_eq!((moves[0].seat, moves[1].seat), (own, own), "it was given once");
    assert_eq!(timed_out(moves.last().unwrap()), Some((1 - turn.seat, 1)));
}

/// Waits until a time has come, by the clock of this machine, which the databases share.
pub(crate) async fn after(time: i64) {
    let passed = async || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        now.as_millis() as i64 > time
    };
    eventually("time passes", passed).await;
}

/// Waits until something holds.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(BOUND, waiting).await.unwrap_or_else(|_| panic!("{what}, in time"));
}

/// How many games need the clock.
async fn alarms(database_url: &str) -> usize {
    let store = Store::open(database_url, StoreOptions::default()).await.unwrap();
    let shards: Vec<u8> = (0..=u8::MAX).collect();
    let until = remik::store::Millis(i64::MAX);
    let filter = AlarmFilter { shards: &shards, until, set_before: None, limit: 10 };
    let alarms = store.alarms(filter).await.unwrap().len();
    store.close().await;
    alarms
}
