//! Streams: from anywhere, at any speed, until the service stops.

use std::time::{Duration, Instant};

use futures::future::join_all;
use remik::proto::v1::{
    GameMove, WatchGameRequest, game_service_client::GameServiceClient, watch_game_response::Item,
};
use tonic::{Code, Request, transport::Endpoint};

use crate::{
    client::{Client, Failure, Via, Watch},
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_game_can_be_watched_from_any_move
    a_slow_reader_misses_nothing
    streams_end_when_the_service_stops
}

/// The moves up to the end of what there is.
async fn caught_up(stream: &mut Watch) -> Vec<GameMove> {
    let mut moves = Vec::new();
    loop {
        let item = stream.next().await.unwrap().expect("the stream goes on");
        match item.item.unwrap() {
            Item::Move(made) => {
                assert_eq!(item.version, made.version);
                moves.push(made);
            }
            Item::CaughtUp(_) => return moves,
            other => panic!("{other:?}"),
        }
    }
}

async fn a_game_can_be_watched_from_any_move(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let bots = party.play(any_seed()).await;
    let whole = &bots[1].seen;
    let last = whole.len() as u32;
    for via in [Via::Grpc, Via::Rest] {
        let client = bots[1].client.at(&service.url, via);
        for after in 0..=last {
            let mut stream = client.watch(&party.game, Some(after)).await.unwrap();
            assert_eq!(caught_up(&mut stream).await, whole[after as usize..]);
        }
        let mut stream = client.watch(&party.game, None).await.unwrap();
        let first = stream.next().await.unwrap().unwrap();
        let Some(Item::Snapshot(view)) = first.item else { panic!("no snapshot") };
        assert_eq!((first.version, view.version, view.your_seat), (last, last, Some(1)));
        assert_eq!(caught_up(&mut stream).await, []);

        let ahead = async || client.watch(&party.game, Some(last + 1)).await?.next().await;
        let refused = ahead().await.unwrap_err().refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "VERSION_AHEAD"));
        assert_eq!(
            (refused.metadata["version"].as_str(), &*refused.fields),
            (&*last.to_string(), &["after_version".to_owned()][..])
        );
    }
    // A query says the same as the header, which comes first: it is what a browser has last.
    let http = reqwest::Client::new();
    let url = format!("{}/v1/games/{}:watch", service.url, party.game);
    let watch = async |query: &str, header: Option<&str>| {
        let request = http.get(format!("{url}{query}")).bearer_auth(&bots[1].client.token);
        let request = request.header("accept", "text/event-stream");
        let mut response = match header {
            Some(id) => request.header("last-event-id", id),
            None => request,
        }
        .send()
        .await
        .unwrap();
        (response.status().as_u16(), response.chunk().await.unwrap().unwrap())
    };
    assert!(watch("?afterVersion=3", None).await.1.starts_with(b"id: 4\nevent: move\n"));
    assert!(watch("?afterVersion=3", Some("5")).await.1.starts_with(b"id: 6\nevent: move\n"));
    for id in ["-1", "x", "4294967296"] {
        assert_eq!(watch("", Some(id)).await.0, 400, "{id}");
    }
}

async fn a_slow_reader_misses_nothing(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    // A window of a few moves, so that it is the service that has to wait.
    let narrow = Endpoint::from_shared(service.url.clone()).unwrap().initial_stream_window_size(1024);
    let mut games = GameServiceClient::new(narrow.connect_lazy());
    let mut request = Request::new(WatchGameRequest {
        game_id: party.game.clone(),
        after_version: Some(0),
        ..WatchGameRequest::default()
    });
    let bearer = format!("Bearer {}", party.players[0].token).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let grpc = Watch::Grpc(Box::new(games.watch_game(request).await.unwrap().into_inner()));
    let rest = party.players[0].at(&service.url, Via::Rest).watch(&party.game, Some(0)).await.unwrap();
    let bots = party.play(any_seed()).await;
    // Far more than the window holds, however short the cards make the game.
    assert!(bots[0].seen.len() > 40, "{}", bots[0].seen.len());
    for mut slow in [grpc, rest] {
        let mut moves = Vec::new();
        while moves.len() < bots[0].seen.len() {
            if let Item::Move(made) = slow.next().await.unwrap().unwrap().item.unwrap() {
                moves.push(made);
            }
        }
        assert_eq!(moves, bots[0].seen);
    }
}

async fn streams_end_when_the_service_stops(backend: Backend) {
    let database = fresh(backend).await;
    let mut service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(4)).await;
    get_ready(&party).await;
    let stranger = Client::guest(&service.url, Via::Rest, "Obcy").await.unwrap();
    let mut streams = Vec::new();
    for client in party.players.iter().chain([&stranger]) {
        let mut stream = client.watch(&party.game, Some(0)).await.unwrap();
        assert_eq!(caught_up(&mut stream).await.len(), 8);
        streams.push(stream);
    }
    let began = Instant::now();
    service.ask_to_stop();
    for end in join_all(streams.iter_mut().map(Watch::next)).await {
        let Err(Failure::Refused(refused)) = end else { panic!("{end:?}") };
        assert_eq!((refused.code, refused.reason.as_str()), (Code::Unavailable, "DRAINING"));
        assert_eq!(refused.retry_after, Some(Duration::from_millis(100)));
    }
    let status = service.ended(Duration::from_secs(10).saturating_sub(began.elapsed())).await;
    assert!(status.success(), "{status}");
}
