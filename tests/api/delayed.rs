//! Spectators with a delay: what they are sent tells nothing of what happened within it, and all comes in its time.

use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures::poll;
use remik::{
    codec::summary::Spectators as Policy,
    proto::v1::{
        GameMove, GameState, GameView, SpectatorPolicy, Spectators, event::Kind, watch_game_response::Item,
    },
    store::{Store, StoreOptions},
    tables::{Clock, NewGame, RequestKey, Tables, Watcher},
};
use remik_rules::{command as rules, event::Viewer, preset::Preset, seat::PlayerId};
use serde_json::Value as Json;
use tokio::sync::Mutex;

use crate::{
    client::{Client, Command, Failure, Order, Via, Watch, fresh_id, to_json},
    clocks::next_move,
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed},
    service::Service,
    spectators::{VIAS, caught_up, first_item, kinds, list},
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_delayed_spectator_learns_nothing_of_what_is_too_young
    a_delayed_spectator_sees_every_move_in_its_time
    what_is_too_young_wakes_no_watcher
}

/// Longer than anything here takes on a slow machine.
const BOUND: Duration = Duration::from_secs(30);

fn millis(time: Option<prost_types::Timestamp>) -> i64 {
    let time = time.unwrap();
    time.seconds * 1000 + i64::from(time.nanos) / 1_000_000
}

/// This machine's time, which is the databases'.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// Everything that somebody without a seat can be told of a game: views, lists, streams from every move on, refusals.
async fn everything(url: &str, client: &Client, game: &str, last: u32) -> Vec<Json> {
    let mut told = Vec::new();
    let mut view = |view: GameView| {
        told.push(to_json("GameView", &GameView { server_time: None, ..view }));
    };
    view(client.look(game).await.unwrap());
    let Item::Snapshot(snapshot) = first_item(client, game, None).await.unwrap() else {
        panic!("a snapshot")
    };
    view(snapshot);
    use GameState::{BetweenDeals, Over, Playing, Waiting};
    for states in [&[][..], &[Waiting], &[Playing], &[BetweenDeals], &[Over], &[Playing, Over]] {
        for page_size in [1, 20] {
            told.push(to_json("ListGamesResponse", &list(url, client, states, page_size).await));
        }
    }
    let failure = |failure: Failure| Json::String(format!("{:?}", failure.refused()));
    for version in [1, last, last + 1, last + 3, last + 1000] {
        match client.watch(game, Some(version)).await {
            Ok(mut stream) => match stream.next().await {
                Ok(item) => told.push(to_json("WatchGameResponse", &item.unwrap())),
                Err(error) => told.push(failure(error)),
            },
            Err(error) => told.push(failure(error)),
        }
        match client.look_by(game, version, "").await {
            Ok(view) => told.push(to_json("GameView", &GameView { server_time: None, ..view })),
            Err(error) => told.push(failure(error)),
        }
        told.push(failure(client.legal_moves(game, version).await.unwrap_err()));
        for command in [Command::Undo, Command::Leave, Command::Discard("QH".to_owned())] {
            told.push(failure(client.send(&Order::new(game, version, command)).await.unwrap_err()));
        }
    }
    told.push(failure(client.send(&Order::new(game, 0, Command::Join(None))).await.unwrap_err()));
    let mut stream = client.watch(game, Some(0)).await.unwrap();
    told.extend(caught_up(&mut stream).await.iter().map(|made| to_json("GameMove", made)));
    told
}

/// A whole game is played within the delay, and nothing that a spectator can get has changed.
async fn a_delayed_spectator_learns_nothing_of_what_is_too_young(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy().delayed(3600)).await;
    let game = &party.game;
    let mut spectators = Vec::new();
    for via in VIAS {
        spectators.push(Client::guest(&service.url, via, "Widz").await.unwrap());
    }
    // Before the first deal he sees what who may sit down has to see.
    let view = spectators[0].look(game).await.unwrap();
    assert_eq!((view.state(), view.version), (GameState::Waiting, 2));
    let allowed = Spectators::Anyone.into();
    assert_eq!(view.spectators, Some(SpectatorPolicy { allowed, delay_seconds: 3600 }));
    // When one is ready, what the other makes happen is too young already: then the cards are dealt.
    let lobby = 3;
    let before = Mutex::new(Vec::new());
    let bots = party.play_with(any_seed(), async |client, order| {
        let mut before = before.lock().await;
        if matches!(order.command, Command::Ready(_))
            && party.players[0].look(game).await.unwrap().version == lobby
        {
            for spectator in &spectators {
                before.push(everything(&service.url, spectator, game, lobby).await);
            }
        }
        client.send(order).await
    });
    let bots = bots.await;
    let before = before.into_inner();
    assert!(bots[0].seen.len() > 20 && before.len() == 2);
    for (spectator, before) in spectators.iter().zip(&before) {
        assert_eq!(&everything(&service.url, spectator, game, lobby).await, before);
    }
    let server_time = millis(spectators[1].look(game).await.unwrap().server_time);
    assert!((now() - 3_600_000 - server_time).abs() < 10_000, "deadlines can be reckoned from it");
    // Players see the end; another instance, which has the log alone, tells spectators no more.
    assert_eq!(party.players[0].look(game).await.unwrap().state(), GameState::Over);
    let mine = list(&service.url, &party.players[0], &[GameState::Over], 20).await;
    assert_eq!(mine.games.len(), 1);
    service.kill();
    let service = Service::start(&database.url).await;
    for (spectator, before) in spectators.iter().zip(&before) {
        let via = Via::Grpc;
        let spectator = spectator.at(&service.url, via);
        assert_eq!(&everything(&service.url, &spectator, game, lobby).await, before);
    }
}

/// Every move comes when it is old enough: never before, and not much later; so does the end.
async fn a_delayed_spectator_sees_every_move_in_its_time(backend: Backend) {
    const DELAY: i64 = 3000;
    // By how much the service's reading of the database's clock may be wrong.
    const CLOCKS: i64 = 200;
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    // Where there can be two instances, spectators are at another one than the players.
    let other = match backend {
        Backend::Postgres => Some(Service::start(&database.url).await),
        Backend::Sqlite => None,
    };
    let url = &other.as_ref().unwrap_or(&service).url;
    let party = Party::seated(&service.url, &Wish::seats(2).easy().delayed(DELAY as u32 / 1000)).await;
    let game = &party.game;
    let mut spectators = Vec::new();
    for via in VIAS {
        let client = Client::guest(url, via, "Widz").await.unwrap();
        let mut stream = client.watch(game, Some(0)).await.unwrap();
        let seen = caught_up(&mut stream).await;
        assert_eq!(seen.len(), 2);
        spectators.push((client, stream, seen));
    }
    let watch = async |(client, stream, seen): &mut (Client, Watch, Vec<GameMove>)| {
        let mut looks = Vec::new();
        let mut late = 0;
        loop {
            let made = next_move(stream, BOUND).await;
            if seen.iter().chain([&made]).any(is_dealt) {
                let age = now() - millis(made.made_at);
                assert!(age >= DELAY - CLOCKS, "{age} ms old");
                late = late.max(age - DELAY);
            }
            let over = kinds(&made).any(|kind| matches!(kind, Kind::GameEnded(_)));
            seen.push(made);
            if seen.len().is_multiple_of(5) || over {
                let asked = now();
                looks.push((asked, client.look(game).await.unwrap(), now()));
            }
            if over {
                // A resumed stream has the same moves.
                let mut stream = client.watch(game, Some(3)).await.unwrap();
                assert_eq!(caught_up(&mut stream).await, seen[3..]);
                return (seen.clone(), looks, late);
            }
        }
    };
    let [one, other] = &mut spectators[..] else { unreachable!() };
    let (bots, one, other) = tokio::join!(party.play(any_seed()), watch(one), watch(other));
    service.stop().await;
    let log = Log::read(&database.url, game).await;
    for (seen, looks, late) in [one, other] {
        assert_eq!(seen.len(), bots[0].seen.len());
        assert!(late < 5000, "{late} ms late");
        for (asked, view, answered) in looks {
            let made_at = |version: u32| log.moves[version as usize - 1].made_at.0;
            assert!(made_at(view.version) <= answered - DELAY + CLOCKS, "no move in it is too young");
            if (view.version as usize) < log.moves.len() {
                assert!(made_at(view.version + 1) > asked - DELAY - CLOCKS, "none is missing");
            }
            let then = log.table(view.version).view(Viewer::Public);
            assert_eq!(view.deals, u32::from(then.deals));
            assert_eq!(view.your_seat, None);
        }
    }
}

fn is_dealt(made: &GameMove) -> bool {
    kinds(made).any(|kind| matches!(kind, Kind::Dealt(_)))
}

/// Not even when a heartbeat comes tells a spectator that something has happened.
async fn what_is_too_young_wakes_no_watcher(backend: Backend) {
    let database = fresh(backend).await;
    let store = Arc::new(Store::open(&database.url, StoreOptions::default()).await.unwrap());
    let clock = Clock::default();
    clock.set(&store).await.unwrap();
    let tables = Tables::new(store, clock, 10);
    let [ala, ola, spectator] = [1, 2, 3].map(PlayerId);
    let new = NewGame {
        spectators: Policy::Anybody { delay_seconds: 3600 },
        ..NewGame::public(ala, Preset::Remik51, Preset::Remik51.ruleset(), 2, fresh_id())
    };
    let (table, _) = tables.create(new).await.unwrap();
    let mut watchers = [spectator, ala].map(|who| Watcher::new(Arc::clone(&table), who, 1));
    for watcher in &mut watchers {
        assert!(watcher.ready().await.unwrap().is_none());
    }
    let [late, live] = &mut watchers;
    let play = async |player, command| {
        let key = RequestKey { id: fresh_id(), known_version: 0 };
        table.play(player, command, key, false).await.unwrap();
    };
    let ready = || rules::Command::Ready { client_seed: Default::default() };
    // Before the first deal all see the same.
    play(ola, rules::Command::Join { seat: None }).await;
    play(ala, ready()).await;
    for watcher in [&mut *late, &mut *live] {
        watcher.changed().await;
        assert_eq!(watcher.ready().await.unwrap().unwrap().played.number, 2);
        assert_eq!(watcher.ready().await.unwrap().unwrap().played.number, 3);
        assert!(watcher.ready().await.unwrap().is_none());
    }
    let mut waiting = pin!(late.changed());
    assert!(poll!(&mut waiting).is_pending());
    play(ola, ready()).await;
    let seat = table.with_table(|table, _| table.turn()).unwrap();
    let turn = if seat.number() == 0 { ala } else { ola };
    play(turn, rules::Command::Draw(rules::Source::Stock)).await;
    assert!(poll!(&mut waiting).is_pending());
    live.changed().await;
    assert_eq!(live.ready().await.unwrap().unwrap().played.number, 4);
    // Nor when he looks once more.
    let mut late = Watcher::new(Arc::clone(&table), spectator, 3);
    assert!(late.ready().await.unwrap().is_none());
    let mut waiting = pin!(late.changed());
    assert!(poll!(&mut waiting).is_pending());
}
