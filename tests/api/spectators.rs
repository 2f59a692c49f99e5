//! Who looks on without a seat, and with what delay: what a spectator is sent tells nothing of what happened within it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use remik::proto::v1::{
    GameMove, GameState, GameView, GetGameByCodeRequest, ListGamesRequest, ListGamesResponse,
    SpectatorPolicy, Spectators, event::Kind, game_service_client::GameServiceClient,
    watch_game_response::Item,
};
use remik_rules::event::Viewer;
use serde_json::Value as Json;
use tokio::sync::Mutex;
use tonic::{Code, Request, transport::Endpoint};

use crate::{
    client::{Client, Command, Failure, Order, Via, Watch, from_json, to_json},
    clocks::{next_move, until},
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_delayed_spectator_learns_nothing_of_what_is_too_young
    a_delayed_spectator_sees_every_move_in_its_time
    a_game_without_spectators_is_shown_until_it_begins
    a_private_game_is_shown_to_who_has_its_code
    a_spectator_who_sits_down_is_a_player
    who_opened_the_table_sees_it_as_it_is
}

/// Longer than anything here takes on a slow machine.
const BOUND: Duration = Duration::from_secs(30);

const VIAS: [Via; 2] = [Via::Grpc, Via::Rest];

fn millis(time: Option<prost_types::Timestamp>) -> i64 {
    let time = time.unwrap();
    time.seconds * 1000 + i64::from(time.nanos) / 1_000_000
}

/// This machine's time, which is the databases'.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Failure>) -> (Code, String) {
    let refused = outcome.unwrap_err().refused();
    (refused.code, refused.reason)
}

fn no_spectators() -> (Code, String) {
    (Code::PermissionDenied, "NO_SPECTATORS".to_owned())
}

/// The first item of a stream that has one.
async fn first_item(client: &Client, game: &str, after: Option<u32>) -> Result<Item, Failure> {
    Ok(client.watch(game, after).await?.next().await?.unwrap().item.unwrap())
}

/// The moves up to the end of what may be seen.
async fn caught_up(stream: &mut Watch) -> Vec<GameMove> {
    let mut moves = Vec::new();
    loop {
        match stream.next().await.unwrap().unwrap().item.unwrap() {
            Item::Move(made) => moves.push(made),
            Item::CaughtUp(_) => return moves,
            other => panic!("{other:?}"),
        }
    }
}

/// Games in one of these states, or all.
async fn list(url: &str, client: &Client, states: &[GameState], page_size: u32) -> ListGamesResponse {
    let states = states.iter().map(|state| i32::from(*state)).collect();
    let asked = ListGamesRequest { states, page_size, ..ListGamesRequest::default() };
    let mut request = Request::new(asked);
    let bearer = format!("Bearer {}", client.token).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
    GameServiceClient::new(channel).list_games(request).await.unwrap().into_inner()
}

async fn by_code(url: &str, client: &Client, code: &str) -> Result<GameView, Failure> {
    let mut request = Request::new(GetGameByCodeRequest { invite_code: code.to_owned() });
    let bearer = format!("Bearer {}", client.token).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
    let shown = GameServiceClient::new(channel).get_game_by_code(request).await?;
    Ok(shown.into_inner().view.unwrap())
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
    let party = Party::seated(&service.url, &Wish::seats(2).easy().delayed(DELAY as u32 / 1000)).await;
    let game = &party.game;
    let mut spectators = Vec::new();
    for via in VIAS {
        let client = Client::guest(&service.url, via, "Widz").await.unwrap();
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

fn kinds(made: &GameMove) -> impl Iterator<Item = &Kind> {
    made.events.iter().map(|event| event.kind.as_ref().unwrap())
}

fn is_dealt(made: &GameMove) -> bool {
    kinds(made).any(|kind| matches!(kind, Kind::Dealt(_)))
}

async fn a_game_without_spectators_is_shown_until_it_begins(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(2).unwatched()).await;
    let game = &party.game;
    let stranger = Client::guest(url, Via::Rest, "Obcy").await.unwrap();
    assert_eq!(list(url, &stranger, &[], 20).await.games[0].game_id, *game);
    assert_eq!(stranger.look(game).await.unwrap().state(), GameState::Waiting);
    let mut streams = Vec::new();
    for via in VIAS {
        let mut stream = stranger.at(url, via).watch(game, Some(0)).await.unwrap();
        assert_eq!(caught_up(&mut stream).await.len(), 2);
        streams.push(stream);
    }
    let version = get_ready(&party).await;
    for stream in &mut streams {
        // The move before the deal, then the end; never the deal.
        let Item::Move(ready) = stream.next().await.unwrap().unwrap().item.unwrap() else { panic!("a move") };
        assert_eq!(ready.version, 3);
        assert_eq!(refused(stream.next().await), no_spectators());
    }
    for via in VIAS {
        let stranger = stranger.at(url, via);
        assert_eq!(refused(stranger.look(game).await), no_spectators());
        assert_eq!(refused(first_item(&stranger, game, Some(0)).await), no_spectators());
        assert_eq!(refused(first_item(&stranger, game, None).await), no_spectators());
        assert_eq!(refused(stranger.legal_moves(game, 0).await), no_spectators());
        let told = stranger.send(&Order::new(game, version, Command::Undo)).await.unwrap_err().refused();
        assert_eq!((told.reason.as_str(), told.metadata["version"].as_str()), ("VERSION_AHEAD", "3"));
        let undo = Order::new(game, 3, Command::Undo);
        assert_eq!(refused(stranger.send(&undo).await), (Code::PermissionDenied, "NOT_SEATED".to_owned()));
    }
    assert_eq!(refused(by_code(url, &stranger, &party.code).await), no_spectators());
    assert!(list(url, &stranger, &[], 20).await.games.is_empty());
    let line = &list(url, &party.players[1], &[], 20).await.games[0];
    let allowed = Spectators::None.into();
    assert_eq!(line.spectators, Some(SpectatorPolicy { allowed, delay_seconds: 0 }));
    assert_eq!(party.players[1].look(game).await.unwrap().version, version);
}

async fn a_private_game_is_shown_to_who_has_its_code(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let unknown = (Code::NotFound, "GAME_NOT_FOUND".to_owned());
    for watched in [true, false] {
        let wish = Wish::seats(2).private();
        let party = Party::seated(url, &if watched { wish.delayed(0) } else { wish }).await;
        let (game, code) = (&party.game, &party.code);
        let wrong = "AAAAAAAA";
        for begun in [false, true] {
            let version = if begun { get_ready(&party).await } else { 2 };
            for via in VIAS {
                let stranger = Client::guest(url, via, "Obcy").await.unwrap();
                assert_eq!(refused(stranger.look(game).await), unknown);
                assert_eq!(refused(stranger.look_by(game, 0, wrong).await), unknown);
                let watch = async |code| stranger.watch_by(game, Some(0), code).await?.next().await;
                assert_eq!(refused(watch("").await), unknown);
                assert_eq!(refused(watch(wrong).await), unknown);
                let shown = stranger.look_by(game, 0, &code.to_lowercase()).await;
                let found = by_code(url, &stranger, code).await;
                if watched || !begun {
                    let (shown, found) = (shown.unwrap(), found.unwrap());
                    assert_eq!(
                        (shown.version, shown.your_seat, shown.invite_code.as_str()),
                        (version, None, "")
                    );
                    assert_eq!(&found.game_id, game);
                    let mut stream = stranger.watch_by(game, Some(0), code).await.unwrap();
                    assert_eq!(caught_up(&mut stream).await.len(), version as usize);
                } else {
                    assert_eq!((refused(shown), refused(found)), (no_spectators(), no_spectators()));
                    assert_eq!(refused(watch(code).await), no_spectators());
                }
                assert!(list(url, &stranger, &[], 20).await.games.is_empty());
            }
        }
        let nobody = Client::guest(url, Via::Grpc, "Obcy").await.unwrap();
        let told = refused(by_code(url, &nobody, wrong).await);
        assert_eq!(told, (Code::NotFound, "INVITE_NOT_FOUND".to_owned()));
    }
    // The same over REST, with the code as people write it.
    let owner = Client::guest(url, Via::Rest, "Ala").await.unwrap();
    let view = owner.create(Wish::seats(2).private().request()).await.unwrap().view.unwrap();
    let (start, end) = view.invite_code.split_at(4);
    let path = format!("{url}/v1/games:byCode?inviteCode={start}-{end}");
    let guest = Client::guest(url, Via::Rest, "Ola").await.unwrap();
    let response = reqwest::Client::new().get(path).bearer_auth(&guest.token).send().await.unwrap();
    let shown: remik::proto::v1::GetGameByCodeResponse =
        from_json("GetGameByCodeResponse", &response.text().await.unwrap());
    assert_eq!(shown.view.unwrap().game_id, view.game_id);
}

async fn a_spectator_who_sits_down_is_a_player(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let owner = Client::guest(url, Via::Grpc, "Ala").await.unwrap();
    let view = owner.create(Wish::seats(2).delayed(3600).request()).await.unwrap().view.unwrap();
    let game = view.game_id;
    for via in VIAS.into_iter().take(1) {
        let client = Client::guest(url, via, "Ola").await.unwrap();
        let mut stream = client.watch(&game, Some(0)).await.unwrap();
        assert_eq!(caught_up(&mut stream).await.len(), 1);
        client.send(&Order::new(&game, 0, Command::Join(None))).await.unwrap();
        for player in [&owner, &client] {
            player.send(&Order::new(&game, 0, Command::Ready(String::new()))).await.unwrap();
        }
        let moves = until(&mut stream, |kind| matches!(kind, Kind::Dealt(_))).await;
        let own = kinds(moves.last().unwrap()).find_map(|kind| match kind {
            Kind::Dealt(dealt) => dealt.hands.iter().find(|hand| hand.seat == 1).cloned(),
            _ => None,
        });
        assert!(own.unwrap().cards.len() >= 13, "he sees his cards at once");
    }
}

async fn who_opened_the_table_sees_it_as_it_is(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    for wish in [Wish::seats(2).delayed(3600), Wish::seats(2).unwatched(), Wish::seats(2).private()] {
        let party = Party::seated(url, &wish).await;
        let (opener, game) = (&party.players[0], &party.game);
        opener.send(&Order::new(game, 2, Command::Leave)).await.unwrap();
        let instead = Client::guest(url, Via::Rest, "Ewa").await.unwrap();
        let join = Command::JoinByCode(party.code.clone());
        instead.send(&Order::new("", 0, join)).await.unwrap();
        let mut stream = opener.watch(game, Some(0)).await.unwrap();
        for player in [&instead, &party.players[1]] {
            player.send(&Order::new(game, 0, Command::Ready(String::new()))).await.unwrap();
        }
        let moves = until(&mut stream, |kind| matches!(kind, Kind::Dealt(_))).await;
        let hands = moves.iter().flat_map(kinds).find_map(|kind| match kind {
            Kind::Dealt(dealt) => Some(dealt.hands.clone()),
            _ => None,
        });
        assert!(hands.unwrap().iter().all(|hand| hand.cards.is_empty()), "but no hand");
        let view = opener.look(game).await.unwrap();
        assert_eq!((view.state(), view.your_seat), (GameState::Playing, None));
    }
}
