//! Who may look on without a seat.

use remik::proto::v1::{
    GameMove, GameState, GameView, GetGameByCodeRequest, ListGamesRequest, ListGamesResponse,
    SpectatorPolicy, Spectators, event::Kind, game_service_client::GameServiceClient,
    watch_game_response::Item,
};
use tonic::{Code, Request, transport::Endpoint};

use crate::{
    client::{Client, Command, Failure, Order, Via, Watch, from_json},
    clocks::until,
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_game_without_spectators_is_shown_until_it_begins
    a_private_game_is_shown_to_who_has_its_code
    a_spectator_who_sits_down_is_a_player
    who_opened_the_table_sees_it_as_it_is
}

pub(crate) const VIAS: [Via; 2] = [Via::Grpc, Via::Rest];

fn refused<T: std::fmt::Debug>(outcome: Result<T, Failure>) -> (Code, String) {
    let refused = outcome.unwrap_err().refused();
    (refused.code, refused.reason)
}

fn no_spectators() -> (Code, String) {
    (Code::PermissionDenied, "NO_SPECTATORS".to_owned())
}

pub(crate) fn kinds(made: &GameMove) -> impl Iterator<Item = &Kind> {
    made.events.iter().map(|event| event.kind.as_ref().unwrap())
}

/// The first item of a stream that has one.
pub(crate) async fn first_item(client: &Client, game: &str, after: Option<u32>) -> Result<Item, Failure> {
    Ok(client.watch(game, after).await?.next().await?.unwrap().item.unwrap())
}

/// The moves up to the end of what may be seen.
pub(crate) async fn caught_up(stream: &mut Watch) -> Vec<GameMove> {
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
pub(crate) async fn list(
    url: &str,
    client: &Client,
    states: &[GameState],
    page_size: u32,
) -> ListGamesResponse {
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
