//! The feed of all games, as backends read and follow it.

use std::collections::HashMap;
use std::time::Duration;

use futures::future::join_all;
use remik::proto::v1::feed_service_client::FeedServiceClient;
use remik::proto::v1::watch_feed_response::Item;
use remik::proto::v1::{
    FeedEntry, FeedKind, ReadFeedRequest, ReadFeedResponse, WatchFeedRequest, WatchFeedResponse, event::Kind,
};
use remik::store::{GameId, Store, StoreOptions};
use reqwest::StatusCode;
use serde_json::{Value as Json, json};
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};

use crate::{
    accounts::make_key,
    call::{Credentials, call, reason, until},
    client::{Client, Command, Order, Via},
    identity::HEEDED,
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    nothing_is_missed_among_many_games
    filters_leave_out_what_they_say
    streams_go_on_from_any_cursor_over_rest
    a_cursor_from_before_a_backup_is_refused
    a_stream_ends_with_its_key
}

/// How long an item may take to come.
const BOUND: Duration = Duration::from_secs(20);

/// A backend with the scope `feed`.
struct Backends {
    client: FeedServiceClient<Channel>,
    key: String,
}

impl Backends {
    async fn at(url: &str, key: &str) -> Self {
        let client = FeedServiceClient::connect(url.to_owned()).await.unwrap();
        Self { client, key: key.to_owned() }
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {}", self.key).parse().unwrap());
        request
    }

    async fn read(&self, asked: ReadFeedRequest) -> Result<ReadFeedResponse, Status> {
        let answer = self.client.clone().read_feed(self.request(asked)).await;
        answer.map(tonic::Response::into_inner)
    }

    /// Everything after a cursor, by pages.
    async fn read_all(&self, mut asked: ReadFeedRequest) -> (Vec<FeedEntry>, String) {
        let mut all = Vec::new();
        loop {
            let page = self.read(asked.clone()).await.unwrap();
            assert!(asked.limit == 0 || page.entries.len() <= asked.limit as usize);
            all.extend(page.entries);
            asked.after = page.next_cursor;
            if page.caught_up {
                return (all, asked.after);
            }
        }
    }

    async fn watch(&self, asked: WatchFeedRequest) -> Streaming<WatchFeedResponse> {
        self.client.clone().watch_feed(self.request(asked)).await.unwrap().into_inner()
    }
}

async fn next(stream: &mut Streaming<WatchFeedResponse>) -> WatchFeedResponse {
    timeout(BOUND, stream.message()).await.expect("an item comes").unwrap().expect("the stream goes on")
}

/// The next entry, over signs of life.
async fn next_entry(stream: &mut Streaming<WatchFeedResponse>) -> FeedEntry {
    loop {
        let WatchFeedResponse { cursor, item } = next(stream).await;
        if let Some(Item::Entry(entry)) = item {
            assert_eq!(entry.cursor, cursor);
            return entry;
        }
    }
}

fn place(entry: &FeedEntry) -> (String, u32) {
    (entry.game_id.clone(), entry.r#move.as_ref().unwrap().version)
}

fn places(entries: &[FeedEntry]) -> Vec<(String, u32)> {
    entries.iter().map(place).collect()
}

/// Several games are played at once, at two instances where there can be two, while a stream follows: it tells each
/// move once, each game's in order, and so do pages of any size, and what follows from any cursor.
async fn nothing_is_missed_among_many_games(backend: Backend) {
    let database = fresh(backend).await;
    let (key, _) = make_key(&database.url, "feed").await;
    let mut services = vec![Service::start(&database.url).await];
    if backend == Backend::Postgres {
        services.push(Service::start(&database.url).await);
    }
    let mut stream =
        Backends::at(&services.last().unwrap().url, &key).await.watch(WatchFeedRequest::default()).await;
    assert!(matches!(next(&mut stream).await.item, Some(Item::CaughtUp(_))));
    let urls: Vec<&str> = services.iter().map(|service| service.url.as_str()).collect();
    let games = (0..6).map(async |number: usize| {
        let wish =
            if number.is_multiple_of(2) { Wish::seats(2).easy() } else { Wish::seats(3).easy().private() };
        let party = Party::seated(urls[number % urls.len()], &wish).await;
        let bots = party.play(any_seed()).await;
        (party.game.clone(), bots[0].version())
    });
    let played: HashMap<String, u32> = join_all(games).await.into_iter().collect();
    let total: u32 = played.values().sum();
    let mut followed = Vec::new();
    while followed.len() < total as usize {
        followed.push(next_entry(&mut stream).await);
    }
    let mut last: HashMap<String, u32> = HashMap::new();
    for entry in &followed {
        let (game, version) = place(entry);
        assert_eq!(last.insert(game, version).unwrap_or(0) + 1, version);
    }
    assert_eq!(last, played);

    let backend = Backends::at(urls[0], &key).await;
    for limit in [7, 100, 1000] {
        let (all, _) = backend.read_all(ReadFeedRequest { limit, ..Default::default() }).await;
        assert_eq!(all, followed, "in pages of {limit}");
    }
    for (at, entry) in followed.iter().enumerate() {
        let asked = ReadFeedRequest { after: entry.cursor.clone(), limit: 2, ..Default::default() };
        let page = backend.read(asked).await.unwrap();
        assert_eq!(places(&page.entries), places(&followed[at + 1..(at + 3).min(followed.len())]));
    }
    for at in [0, followed.len() / 2, followed.len() - 2] {
        let after = followed[at].cursor.clone();
        let mut stream = backend.watch(WatchFeedRequest { after, ..Default::default() }).await;
        for entry in &followed[at + 1..] {
            assert_eq!(next_entry(&mut stream).await, *entry);
        }
        assert!(matches!(next(&mut stream).await.item, Some(Item::CaughtUp(_))));
    }
    for service in services {
        service.stop().await;
    }
    // What is told is what is kept, and of no hand before its deal is over.
    for (game, version) in &played {
        assert_eq!(Log::read(&database.url, game).await.moves.len() as u32, *version);
    }
    for event in followed.iter().flat_map(|entry| &entry.r#move.as_ref().unwrap().events) {
        match event.kind.as_ref().unwrap() {
            Kind::StockDrawn(drawn) => assert_eq!(drawn.card, ""),
            Kind::Dealt(dealt) => assert!(dealt.hands.iter().all(|hand| hand.cards.is_empty())),
            _ => {}
        }
    }
}

async fn filters_leave_out_what_they_say(backend: Backend) {
    let database = fresh(backend).await;
    let (key, _) = make_key(&database.url, "feed").await;
    let service = Service::start(&database.url).await;
    let backend = Backends::at(&service.url, &key).await;
    let one = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let other = Wish { preset: "rummy-200", ..Wish::seats(2) };
    let other = Party::seated(&service.url, &other).await;
    get_ready(&other).await;
    one.play(any_seed()).await;
    let all = {
        // A transaction of another test may hold the last moves back.
        let asked = ReadFeedRequest::default();
        let mut read = backend.read_all(asked.clone()).await;
        while !read.0.iter().any(|entry| entry.kinds().any(|kind| kind == FeedKind::GameEnded)) {
            read = backend.read_all(asked.clone()).await;
        }
        read.0
    };
    let filtered = async |asked: ReadFeedRequest| {
        let (entries, cursor) = backend.read_all(asked).await;
        let rest = backend.read(ReadFeedRequest { after: cursor, ..Default::default() }).await.unwrap();
        assert_eq!(rest.entries, [], "the cursor gets on over what is left out");
        entries
    };
    let expected = |passes: &dyn Fn(&FeedEntry) -> bool| -> Vec<FeedEntry> {
        all.iter().filter(|entry| passes(entry)).cloned().collect()
    };
    let game_ids = vec![other.game.to_uppercase()];
    let of_game =
        filtered(ReadFeedRequest { game_ids: game_ids.clone(), limit: 1, ..Default::default() }).await;
    assert_eq!(of_game, expected(&|entry| entry.game_id == other.game));
    let of_preset = filtered(ReadFeedRequest { preset: "rummy-200".to_owned(), ..Default::default() }).await;
    assert_eq!(of_preset, of_game);
    let player_id = one.players[1].id.clone();
    let of_player = filtered(ReadFeedRequest { player_id, ..Default::default() }).await;
    // All but the opening, before he sat down.
    assert_eq!(of_player, expected(&|entry| entry.game_id == one.game && place(entry).1 > 1));
    let kinds = vec![FeedKind::GameStarted.into(), FeedKind::GameEnded.into()];
    let turning = filtered(ReadFeedRequest { kinds, ..Default::default() }).await;
    assert_eq!(turning.len(), 3, "two games have started, one has ended");
    let kinds: Vec<FeedKind> = turning.iter().flat_map(|entry| entry.kinds()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == FeedKind::GameStarted).count(), 2);
    assert_eq!(kinds.iter().filter(|kind| **kind == FeedKind::GameEnded).count(), 1);
    let started = &turning[0];
    assert_eq!(started.seats.len(), 2);
    assert!(started.seats.iter().all(|seat| !seat.bot));

    // Who skips the past is told of what comes, and of nothing else.
    let page = backend.read(ReadFeedRequest { after: "now".to_owned(), ..Default::default() }).await.unwrap();
    assert_eq!((page.entries, page.caught_up), (vec![], true));
    let asked = WatchFeedRequest { after: "now".to_owned(), game_ids, ..Default::default() };
    let mut stream = backend.watch(asked).await;
    let player = Client::guest(&service.url, Via::Rest, "Ewa").await.unwrap();
    player.create(Wish::seats(2).request()).await.unwrap();
    other.players[1].send(&Order::new(&other.game, 0, Command::Leave)).await.unwrap();
    let entry = next_entry(&mut stream).await;
    assert_eq!(entry.game_id, other.game);
    assert!(entry.kinds().any(|kind| kind == FeedKind::SeatsChanged || kind == FeedKind::GameEnded));
    let after = page.next_cursor;
    let (news, _) = backend.read_all(ReadFeedRequest { after, ..Default::default() }).await;
    assert!(places(&news).contains(&place(&entry)));

    let feed = async |request: Json| {
        call(&service.url, Via::Rest, "remik.v1.FeedService/ReadFeed", &request, &Credentials::token(&key))
            .await
    };
    for (request, told, field) in [
        (json!({"after": "yesterday"}), "MALFORMED_FIELD", "after"),
        (json!({"limit": 1001}), "FIELD_OUT_OF_RANGE", "limit"),
        (json!({"gameIds": "x"}), "MALFORMED_FIELD", "game_ids[0]"),
        (json!({"preset": "canasta"}), "UNKNOWN_PRESET", "preset"),
        (json!({"kinds": "0"}), "FIELD_OUT_OF_RANGE", "kinds[0]"),
        (json!({"playerId": "me"}), "MALFORMED_FIELD", "player_id"),
    ] {
        let refused = feed(request.clone()).await.unwrap_err().refused();
        assert_eq!((refused.reason.as_str(), refused.fields[0].as_str()), (told, field), "{request}");
    }
}

/// The ids of server-sent events until one of a name comes, and what they hold.
async fn events(url: &str, key: &str, path: &str, last: &str, until: usize) -> Vec<(String, Json)> {
    let mut request = reqwest::Client::new().get(format!("{url}{path}")).bearer_auth(key);
    if !last.is_empty() {
        request = request.header("last-event-id", last);
    }
    let mut response = request.header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let (mut text, mut events) = (String::new(), Vec::new());
    while events.len() < until {
        let chunk = timeout(BOUND, response.chunk()).await.expect("an event comes").unwrap().unwrap();
        text.push_str(std::str::from_utf8(&chunk).unwrap());
        while let Some((event, rest)) = text.split_once("\n\n") {
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("");
            if !field("data: ").is_empty() {
                let data = serde_json::from_str(field("data: ")).unwrap();
                events.push((field("id: ").to_owned(), data));
            }
            text = rest.to_owned();
        }
    }
    events
}

async fn streams_go_on_from_any_cursor_over_rest(backend: Backend) {
    let database = fresh(backend).await;
    let (key, _) = make_key(&database.url, "feed").await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let moves = get_ready(&party).await as usize;
    let path = format!("/v1/feed:watch?gameIds={}", party.game);
    let all = events(&service.url, &key, &path, "", moves).await;
    for (at, (id, event)) in all[..moves].iter().enumerate() {
        assert_eq!((&event["cursor"], &event["entry"]["move"]["version"]), (&json!(id), &json!(at + 1)));
        let rest = events(&service.url, &key, &path, id, moves - at).await;
        assert_eq!(rest[..moves - at - 1], all[at + 1..moves]);
        assert!(rest[moves - at - 1].1["caughtUp"].is_object());
        // The header comes before the query.
        let both = events(&service.url, &key, &format!("{path}&after=now"), id, 1).await;
        // Of the end of the feed there are many places.
        assert!(both[0] == rest[0] || at == moves - 1);
    }
    service.stop().await;
    let service = Service::start(&database.url).await;
    let rest = events(&service.url, &key, &path, &all[0].0, moves - 1).await;
    assert_eq!(rest[..moves - 1], all[1..moves], "after a start, too");
}

async fn a_cursor_from_before_a_backup_is_refused(backend: Backend) {
    let database = fresh(backend).await;
    let (key, _) = make_key(&database.url, "feed").await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let backend = Backends::at(&service.url, &key).await;
    // A transaction of another test may hold the moves back.
    let (mut old, mut cursor) = (vec![], String::new());
    while old.len() < 2 {
        (old, cursor) = backend.read_all(ReadFeedRequest::default()).await;
    }
    service.stop().await;
    let store = Store::open(&database.url, StoreOptions::default()).await.unwrap();
    store.renew_epoch().await.unwrap();
    store.close().await;

    let service = Service::start(&database.url).await;
    for method in ["ReadFeed", "WatchFeed"] {
        for via in [Via::Grpc, Via::Rest] {
            let method = format!("remik.v1.FeedService/{method}");
            let asked = json!({"after": cursor});
            let outcome = call(&service.url, via, &method, &asked, &Credentials::token(&key)).await;
            assert_eq!(reason(outcome), "CURSOR_OUTDATED");
        }
    }
    let backend = Backends::at(&service.url, &key).await;
    let mut anew = vec![];
    while anew.len() < 2 {
        (anew, _) = backend.read_all(ReadFeedRequest::default()).await;
    }
    assert_eq!(places(&anew), places(&old));
    assert!(party.game.parse::<GameId>().is_ok() && anew.iter().all(|entry| entry.game_id == party.game));
}

async fn a_stream_ends_with_its_key(backend: Backend) {
    let database = fresh(backend).await;
    let (key, id) = make_key(&database.url, "feed").await;
    let (admin, _) = make_key(&database.url, "admin").await;
    let service = Service::start(&database.url).await;
    let mut stream = Backends::at(&service.url, &key).await.watch(WatchFeedRequest::default()).await;
    assert!(matches!(next(&mut stream).await.item, Some(Item::CaughtUp(_))));
    let revoke = "remik.v1.KeyService/RevokeKey";
    let admin = Credentials::token(&admin);
    call(&service.url, Via::Grpc, revoke, &json!({"keyId": id}), &admin).await.unwrap();
    let status = timeout(HEEDED, stream.message()).await.expect("it ends").unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unauthenticated);
    until(HEEDED, "calls are refused", async || {
        let read = "remik.v1.FeedService/ReadFeed";
        reason(call(&service.url, Via::Grpc, read, &json!({}), &Credentials::token(&key)).await)
            == "UNAUTHENTICATED"
    })
    .await;
}
