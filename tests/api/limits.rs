//! What a caller, an address and all together may ask of the service.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    process::Command as Program,
    time::{Duration, Instant},
};

use futures::future::join_all;
use prost::Message;
use remik::proto::v1::{
    DrawSource, GetGameRequest, WatchGameRequest, game_service_client::GameServiceClient,
    play_response::Kind, watch_game_response::Item,
};
use sqlx::{Connection, Executor, PgConnection};
use tonic::{Code, Request, transport::Endpoint};

use crate::{
    client::{Client, Command, Failure, Order, Refused, Via, Watch, rest::refusal},
    party::{Party, Wish, any_seed, get_ready},
    play::resident_kib,
    service::Service,
    support::database::{Backend, TestDatabase, fresh},
};

/// A service with some limits set, by their names.
async fn start(database: &TestDatabase, limits: &[(&str, &str)]) -> Service {
    let mut program = Program::new(env!("CARGO_BIN_EXE_remik"));
    let arguments = Service::arguments(&database.url);
    program.args(arguments.iter().filter(|argument| **argument != "--no-caller-limits"));
    for (name, value) in limits {
        program.env(format!("REMIK_LIMITS_{name}"), value);
    }
    Service::start_by(program).await
}

fn rate_limited(failure: Failure) -> Refused {
    let refused = failure.refused();
    assert_eq!((refused.code, refused.reason.as_str()), (Code::ResourceExhausted, "RATE_LIMITED"));
    assert!(refused.retry_after.is_some_and(|wait| wait <= Duration::from_secs(60)), "{refused:?}");
    refused
}

#[tokio::test]
async fn a_player_may_call_so_often() {
    let database = fresh(Backend::Sqlite).await;
    let service = start(&database, &[("CALLS_OF_PLAYER", "1"), ("BURST", "8")]).await;
    let ala = Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap();
    let game = ala.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    let mut refused = None;
    for n in 0..20 {
        // However he calls, the calls are his.
        let via = if n % 2 == 0 { Via::Grpc } else { Via::Rest };
        if let Err(failure) = ala.at(&service.url, via).look(&game).await {
            refused = Some((n, rate_limited(failure)));
            break;
        }
    }
    let (calls, refused) = refused.expect("there is a limit");
    assert!((5..=12).contains(&calls), "{calls}");
    assert!(refused.retry_after.unwrap() <= Duration::from_secs(1));
    // Over REST the header says the same.
    let http = reqwest::Client::new();
    let response = loop {
        let get = http.get(format!("{}/v1/games/{game}", service.url)).bearer_auth(&ala.token);
        let response = get.send().await.unwrap();
        if response.status() != 200 {
            break response;
        }
    };
    assert_eq!(
        (response.status().as_u16(), &response.headers()["retry-after"]),
        (429, &"1".parse().unwrap())
    );
    rate_limited(refusal(response).await);
    // Another player is free to call, and may use his calls for commands on a stream.
    let ola = Client::guest(&service.url, Via::Rest, "Ola").await.unwrap();
    let mut stream = ola.play(&service.url).await.unwrap();
    let mut answers = Vec::new();
    for _ in 0..20 {
        stream.order(&Order::new(&game, 0, Command::Undo)).await;
        answers.push(stream.answer().await.outcome.unwrap_err().refused());
    }
    assert_eq!(answers[0].reason, "NOT_SEATED");
    rate_limited(Failure::Refused(answers[19].clone()));
}

#[tokio::test]
async fn an_address_may_call_so_often_and_make_fewer_guests() {
    let database = fresh(Backend::Sqlite).await;
    let limits = [("CALLS_OF_ADDRESS", "5"), ("BURST", "4"), ("GUESTS_OF_ADDRESS", "3"), ("PROXIES", "1")];
    let service = start(&database, &limits).await;
    let http = reqwest::Client::new();
    let guest = async |forwarded: &str| {
        let post = http.post(format!("{}/v1/guests", service.url)).header("x-forwarded-for", forwarded);
        let response = post.json(&serde_json::json!({"displayName": "Ala"})).send().await.unwrap();
        if response.status() == 200 { Ok(()) } else { Err(refusal(response).await) }
    };
    for address in ["1.1.1.1", "9.9.9.9, 2.2.2.2", "2001:db8::1"] {
        for _ in 0..3 {
            guest(address).await.unwrap();
        }
        let wait = rate_limited(guest(address).await.unwrap_err()).retry_after.unwrap();
        assert!(wait > Duration::from_secs(5), "{wait:?}");
    }
    // What a client writes itself makes him nobody else, and neither does another address of his network.
    rate_limited(guest("8.8.8.8, 2.2.2.2").await.unwrap_err());
    rate_limited(guest("2001:db8::abcd").await.unwrap_err());

    let nobody = |address| {
        let get = http.get(format!("{}/v1/rulesets", service.url)).header("x-forwarded-for", address);
        async move { get.send().await.unwrap() }
    };
    let answers = join_all((0..80).map(|_| nobody("3.3.3.3"))).await;
    let passed = answers.iter().filter(|response| response.status() == 200).count();
    assert!((20..80).contains(&passed), "{passed}");
    assert_eq!(nobody("4.4.4.4").await.status(), 200);
    // Health is told however often it is asked for.
    for _ in 0..100 {
        assert_eq!(reqwest::get(format!("{}/healthz", service.url)).await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn streams_are_counted_while_they_are_open() {
    let database = fresh(Backend::Sqlite).await;
    let service = start(&database, &[("STREAMS_OF_PLAYER", "3"), ("STREAMS_OF_ADDRESS", "5")]).await;
    let url = &service.url;
    let ala = Client::guest(url, Via::Grpc, "Ala").await.unwrap();
    let ola = Client::guest(url, Via::Rest, "Ola").await.unwrap();
    let game = ala.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    let open = async |client: &Client| {
        let mut watch = client.watch(&game, Some(0)).await?;
        watch.next().await?;
        Ok::<Watch, Failure>(watch)
    };
    let too_many = |failure: Failure, most: &str| {
        let refused = failure.refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::ResourceExhausted, "TOO_MANY_STREAMS"));
        assert_eq!(refused.metadata["most"], most);
    };
    let mut streams = vec![open(&ala).await.unwrap(), open(&ala.at(url, Via::Rest)).await.unwrap()];
    let play = ala.play(url).await.unwrap();
    too_many(open(&ala).await.err().unwrap(), "3");
    too_many(ala.play(url).await.err().unwrap(), "3");
    streams.push(open(&ola).await.unwrap());
    streams.push(open(&ola).await.unwrap());
    // Both together are as many as their address may have.
    too_many(open(&ola).await.err().unwrap(), "5");
    drop((streams, play));
    let began = Instant::now();
    while open(&ala).await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(10), "streams that are closed don't count");
    }
}

/// Somebody else holds a lock that every move waits for.
async fn hold_moves(database: &TestDatabase) -> PgConnection {
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    connection.execute("BEGIN").await.unwrap();
    connection.execute("LOCK TABLE moves IN ACCESS EXCLUSIVE MODE").await.unwrap();
    connection
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_has_its_time_and_a_command_goes_on() {
    let database = fresh(Backend::Postgres).await;
    let service = start(&database, &[("CALL_SECONDS", "2")]).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat as usize;
    let due = &party.players[turn];
    let lock = hold_moves(&database).await;
    let draw = Order::new(&party.game, version, Command::Draw(DrawSource::Stock));
    let timed_out = |failure: Failure| {
        let refused = failure.refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::DeadlineExceeded, "TIMED_OUT"));
        assert!(refused.retry_after.is_some());
        refused.metadata["mostMillis"].clone()
    };
    let began = Instant::now();
    let [grpc, rest] = [Via::Grpc, Via::Rest].map(|via| due.at(&service.url, via));
    let mut stream = due.play(&service.url).await.unwrap();
    stream.order(&draw).await;
    let (by_grpc, by_rest, by_stream) = tokio::join!(grpc.send(&draw), rest.send(&draw), stream.answer());
    for failure in [by_grpc.unwrap_err(), by_rest.unwrap_err(), by_stream.outcome.unwrap_err()] {
        assert_eq!(timed_out(failure), "2000");
    }
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    // A client may wait for less. (One that tells so by itself gives up by itself, too: so by hand.)
    let asked =
        GetGameRequest { game_id: party.game.clone(), at_least_version: version + 1, ..Default::default() }
            .encode_to_vec();
    let mut frame = vec![0, 0, 0, 0, asked.len() as u8];
    frame.extend(asked);
    let began = Instant::now();
    let post = reqwest::Client::new().post(format!("{}/remik.v1.GameService/GetGame", service.url));
    let post = post.bearer_auth(&due.token).header("grpc-timeout", "150m").header("x-grpc-web", "1");
    let response = post.header("content-type", "application/grpc-web").body(frame).send().await.unwrap();
    assert_eq!(response.headers()["grpc-status"], "4");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());

    lock.close().await.unwrap();
    // The command has gone to its end: its answer is there for who asks again, and it was carried out once.
    let answers = [grpc.send(&draw).await.unwrap(), rest.send(&draw).await.unwrap()];
    assert!(answers.iter().all(|answer| answer.version == version + 1));
    assert_eq!(due.look(&party.game).await.unwrap().version, version + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_much_is_refused_at_once() {
    let database = fresh(Backend::Postgres).await;
    let service = start(&database, &[("CALLS_AT_ONCE", "4")]).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    let lock = hold_moves(&database).await;
    let ready = |n: usize| {
        let player = party.players[n % 2].clone();
        let order = Order::new(&party.game, version, Command::Leave);
        async move { player.send(&order).await }
    };
    let stuck: Vec<_> = (0..4).map(|n| tokio::spawn(ready(n))).collect();
    let began = Instant::now();
    let refused = loop {
        match party.players[0].look(&party.game).await {
            Err(failure) => break failure.refused(),
            Ok(_) => assert!(began.elapsed() < Duration::from_secs(10), "four calls are stuck"),
        }
    };
    assert_eq!((refused.code, refused.reason.as_str()), (Code::Unavailable, "OVERLOADED"));
    assert_eq!(refused.retry_after, Some(Duration::from_secs(1)));
    lock.close().await.unwrap();
    // One of the two gave up first, and the game was over.
    let outcomes = join_all(stuck).await;
    assert_eq!(outcomes.into_iter().filter(|outcome| outcome.as_ref().unwrap().is_ok()).count(), 1);
    party.players[1].look(&party.game).await.unwrap();
}

/// What a connection says until it is closed, which it has to be.
fn read_to_end(mut stream: &TcpStream) -> Vec<u8> {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut read = Vec::new();
    match stream.read_to_end(&mut read) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection isn't closed: {error}"),
    }
    read
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_counted_and_have_to_say_something() {
    let database = fresh(Backend::Sqlite).await;
    let service = start(&database, &[("CONNECTIONS_OF_ADDRESS", "3"), ("CALL_SECONDS", "2")]).await;
    let address = service.url.strip_prefix("http://").unwrap().to_owned();
    let look = tokio::task::spawn_blocking(move || {
        let connect = || TcpStream::connect(&address).unwrap();
        let began = Instant::now();
        // Which of four is one too many is told by the order in which the service's tasks take them up.
        let mut slow: Vec<TcpStream> = (0..4).map(|_| connect()).collect();
        // An HTTP/1 head that never ends, and one of HTTP/2; the connection may be closed already.
        let _ = (&slow[0]).write_all(b"GET /healthz HTTP/1.1\r\nhost: remik\r\nx-slow: ");
        let _ = (&slow[1]).write_all(b"PRI * HTTP/2.0\r\n");
        let is_closed = |mut stream: &TcpStream| {
            stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
            match stream.read(&mut [0]) {
                Ok(read) => read == 0,
                Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            }
        };
        let closed = loop {
            assert!(began.elapsed() < Duration::from_secs(8), "none of four is closed at once");
            if let Some(at) = slow.iter().position(is_closed) {
                break at;
            }
        };
        slow.remove(closed);
        assert!(!slow.iter().any(is_closed), "three are let in");
        slow.iter().for_each(|stream| drop(read_to_end(stream)));
        assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
        drop(slow);
        // A body that never ends.
        let began = Instant::now();
        let mut slow = connect();
        slow.write_all(b"POST /v1/guests HTTP/1.1\r\nhost: remik\r\ncontent-type: application/json\r\n")
            .unwrap();
        slow.write_all(b"content-length: 100\r\nconnection: close\r\n\r\n{\"display").unwrap();
        assert!(read_to_end(&slow).starts_with(b"HTTP/1.1 504"));
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        drop(slow);
        let mut good = connect();
        good.write_all(b"GET /healthz HTTP/1.1\r\nhost: remik\r\nconnection: close\r\n\r\n").unwrap();
        assert!(read_to_end(&good).starts_with(b"HTTP/1.1 200 OK"));
    });
    look.await.unwrap();
}

/// A client that opens calls and resets them at once, again and again, loses its connection, and nobody else does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_resets_ends_its_connection() {
    let database = fresh(Backend::Sqlite).await;
    let service = start(&database, &[]).await;
    let address = service.url.strip_prefix("http://").unwrap().to_owned();
    let ended = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
        // :method GET, :scheme http, :path /, :authority x; then RST_STREAM with CANCEL.
        let head = b"\x82\x86\x84\x41\x01x";
        for id in (1..200_001u32).step_by(2) {
            let mut frames = vec![0, 0, head.len() as u8, 1, 5];
            frames.extend(id.to_be_bytes());
            frames.extend(head);
            frames.extend([0, 0, 4, 3, 0]);
            frames.extend(id.to_be_bytes());
            frames.extend(8u32.to_be_bytes());
            if stream.write_all(&frames).is_err() {
                return true;
            }
        }
        false
    });
    assert!(ended.await.unwrap(), "100,000 resets were taken");
    assert_eq!(reqwest::get(format!("{}/healthz", service.url)).await.unwrap().status(), 200);
}

/// Two hundred who watch and don't read: the game goes on, they take no memory, and miss nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_watchers_are_given_everything_later() {
    const WATCHERS: usize = 200;
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let (game, token) = (&party.game, &party.players[0].token);
    let mut watchers = Vec::new();
    for n in 0..WATCHERS {
        watchers.push(if n % 2 == 0 {
            let endpoint = Endpoint::from_shared(service.url.clone()).unwrap();
            let narrow = endpoint.initial_stream_window_size(1024).connect_lazy();
            let mut request = Request::new(WatchGameRequest {
                game_id: game.clone(),
                after_version: Some(0),
                ..Default::default()
            });
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
            let stream = GameServiceClient::new(narrow).watch_game(request).await.unwrap().into_inner();
            Watch::Grpc(Box::new(stream))
        } else {
            party.players[0].at(&service.url, Via::Rest).watch(game, Some(0)).await.unwrap()
        });
    }
    let mut stream = party.players[1].play(&service.url).await.unwrap();
    stream.subscribe(game, Some(0)).await;
    let before = resident_kib(&service);
    let played = party.play(any_seed()).await;
    let whole = &played[0].seen;
    let grown = resident_kib(&service).saturating_sub(before);
    println!("{WATCHERS} slow watchers of {} moves: the service has grown by {grown} KiB", whole.len());
    assert!(grown < 32 * 1024, "{grown} KiB");
    for watcher in &mut watchers {
        let mut moves = Vec::new();
        while moves.len() < whole.len() {
            if let Item::Move(made) = watcher.next().await.unwrap().unwrap().item.unwrap() {
                moves.push(made);
            }
        }
        assert_eq!(&moves, whole);
    }
    let mut versions = 0;
    while versions < whole.len() as u32 {
        let Kind::Item(item) = stream.next().await.unwrap().unwrap() else { panic!() };
        versions = versions.max(item.item.unwrap().version);
    }
}
