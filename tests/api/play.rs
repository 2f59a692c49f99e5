//! Streams of games: whole games by them, from anywhere, beside single calls, and never more than fits.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures::future::join_all;
use prost::Message;
use remik::proto::{
    rpc::LocalizedMessage,
    v1::{
        DrawRequest, DrawSource, GameMove, PlayRequest, WatchGameResponse, play_answer::Outcome,
        play_request, play_response::Kind, watch_game_response::Item,
    },
};
use tokio::time::timeout;
use tonic::{Code, transport::Endpoint};
use uuid::Uuid;

use crate::{
    bot::Bot,
    client::{Client, Command, Failure, Order, Via, fresh_id},
    games::check_answers,
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    raw::Raw,
    service::Service,
    stream::{Play, Told, failure},
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_game_is_played_by_streams_alone
    many_games_go_over_one_stream
    a_stream_goes_on_from_any_move
    what_a_stream_did_can_be_asked_for_again
    a_stream_ends_with_its_service
}

/// Somebody who plays all his games over one stream.
struct Gateway {
    stream: Play,
    bots: BTreeMap<String, Bot>,
    /// Commands that aren't answered yet, by game: each bot waits for its own.
    open: HashMap<String, Order>,
}

impl Gateway {
    async fn open(url: &str, bots: Vec<Bot>) -> Self {
        let stream = bots[0].client.play(url).await.unwrap();
        let bots: BTreeMap<_, _> = bots.into_iter().map(|bot| (bot.game.clone(), bot)).collect();
        for game in bots.keys() {
            stream.subscribe(game, Some(0)).await;
        }
        Self { stream, bots, open: HashMap::new() }
    }

    /// Plays until all games are over.
    async fn play(mut self) -> Vec<Bot> {
        while !self.open.is_empty() || self.bots.values().any(|bot| !bot.over()) {
            match self.stream.next().await.unwrap().expect("the stream goes on") {
                Kind::Item(item) => {
                    let bot = self.bots.get_mut(&item.game_id).unwrap();
                    bot.take_in(item.item.unwrap());
                    if !self.open.contains_key(&item.game_id) {
                        self.step(&item.game_id).await;
                    }
                }
                Kind::Answer(answer) => {
                    let told = Told::from(answer);
                    let (game, order) = (told.game.clone(), self.open.remove(&told.game).unwrap());
                    assert_eq!(told.request_id, order.request_id.to_string());
                    let answer = told.into_answer().unwrap_or_else(|error| panic!("{order:?}: {error:?}"));
                    self.bots.get_mut(&game).unwrap().answered.push((order, answer));
                    self.step(&game).await;
                }
                other => panic!("{other:?}"),
            }
        }
        self.bots.into_values().collect()
    }

    async fn step(&mut self, game: &str) {
        let bot = self.bots.get_mut(game).unwrap();
        if bot.is_due() {
            let order = bot.decide().await.unwrap();
            self.stream.order(&order).await;
            self.open.insert(game.to_owned(), order);
        }
    }
}

fn bots(party: &Party, seed: u64) -> Vec<Bot> {
    let seats = party.players.len() as u32;
    let players = party.players.iter().zip(0..);
    players.map(|(client, seat)| Bot::new(client.clone(), &party.game, seat, seats, seed)).collect()
}

async fn a_game_is_played_by_streams_alone(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(4).easy()).await;
    let seed = any_seed();
    println!("the seed of this game is {seed}");
    let url = &service.url;
    let players =
        bots(&party, seed).into_iter().map(async |bot| Gateway::open(url, vec![bot]).await.play().await);
    let played = timeout(Duration::from_secs(150), join_all(players)).await.expect("the game ends");
    let bots: Vec<Bot> = played.into_iter().flatten().collect();
    service.stop().await;
    let log = Log::read(&database.url, &party.game).await;
    for bot in &bots {
        assert_eq!(bot.version() as usize, log.moves.len(), "each move was streamed");
        check_answers(bot, &log);
    }
}

async fn many_games_go_over_one_stream(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let [ala, ola] = [Via::Grpc, Via::Rest].map(|via| Client::guest(url, via, "Gracz"));
    let (ala, ola) = (ala.await.unwrap(), ola.await.unwrap());
    let seed = any_seed();
    println!("the seed of these games is {seed}");
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..8 {
        let game = ala.create(Wish::seats(2).easy().request()).await.unwrap().view.unwrap().game_id;
        ola.send(&Order::new(&game, 0, Command::Join(None))).await.unwrap();
        for ((side, client), seat) in sides.iter_mut().zip([&ala, &ola]).zip(0..) {
            side.push(Bot::new(client.clone(), &game, seat, 2, seed));
        }
    }
    let players = sides.map(async |side| Gateway::open(url, side).await.play().await);
    let played = timeout(Duration::from_secs(150), join_all(players)).await.expect("the games end");
    service.stop().await;
    for bot in played.iter().flatten() {
        let log = Log::read(&database.url, &bot.game).await;
        assert_eq!(bot.version() as usize, log.moves.len());
        check_answers(bot, &log);
    }
}

/// The items of a game up to the present.
async fn caught_up(stream: &mut Play, game: &str) -> Vec<GameMove> {
    let mut moves = Vec::new();
    loop {
        let Kind::Item(item) = stream.next().await.unwrap().expect("the stream goes on") else { panic!() };
        assert_eq!(item.game_id, game);
        match item.item.unwrap() {
            WatchGameResponse { version, item: Some(Item::Move(made)) } => {
                assert_eq!(version, made.version);
                moves.push(made);
            }
            WatchGameResponse { item: Some(Item::CaughtUp(_)), .. } => return moves,
            other => panic!("{other:?}"),
        }
    }
}

async fn ended(stream: &mut Play) -> Option<Failure> {
    let Kind::SubscriptionEnded(end) = stream.next().await.unwrap().unwrap() else { panic!() };
    let status = end.status.unwrap();
    (status.code != 0).then(|| failure(&status))
}

async fn a_stream_goes_on_from_any_move(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let game = &party.game;
    let played = party.play(any_seed()).await;
    let whole = &played[1].seen;
    let last = whole.len() as u32;
    let mut stream = party.players[1].play(&service.url).await.unwrap();
    for after in 0..=last {
        // Whoever was cut off there comes again.
        stream.subscribe(game, Some(after)).await;
        if after > 0 {
            assert_eq!(ended(&mut stream).await, None, "the earlier one ends");
        }
        assert_eq!(caught_up(&mut stream, game).await, whole[after as usize..]);
    }
    stream.unsubscribe(game).await;
    assert_eq!(ended(&mut stream).await, None);
    stream.unsubscribe(game).await;
    assert_eq!(ended(&mut stream).await, None, "there needn't be one");

    stream.subscribe(game, None).await;
    let Kind::Item(first) = stream.next().await.unwrap().unwrap() else { panic!() };
    let Some(Item::Snapshot(view)) = first.item.unwrap().item else { panic!("no snapshot") };
    assert_eq!((view.version, view.your_seat), (last, Some(1)));
    assert_eq!(caught_up(&mut stream, game).await, []);
    stream.unsubscribe(game).await;
    assert_eq!(ended(&mut stream).await, None);

    for (game, after, reason) in [
        (game.as_str(), Some(last + 1), "VERSION_AHEAD"),
        (&Uuid::now_v7().to_string(), None, "GAME_NOT_FOUND"),
        ("chess", Some(1), "MALFORMED_FIELD"),
        ("", None, "MISSING_FIELD"),
    ] {
        stream.subscribe(game, after).await;
        assert_eq!(ended(&mut stream).await.unwrap().refused().reason, reason);
    }
    // Nothing of it has harmed the stream.
    stream.subscribe(game, Some(last - 1)).await;
    assert_eq!(caught_up(&mut stream, game).await, whole[last as usize - 1..]);
}

async fn what_a_stream_did_can_be_asked_for_again(backend: Backend) {
    let database = fresh(backend).await;
    let mut service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let url = service.url.clone();
    let all = bots(&party, any_seed())
        .into_iter()
        .map(async |bot| Gateway::open(&url, vec![bot]).await.play().await);
    let played: Vec<Bot> = join_all(all).await.into_iter().flatten().collect();
    for round in 0..2 {
        for bot in &played {
            let [grpc, rest] = [Via::Grpc, Via::Rest].map(|via| bot.client.at(&service.url, via));
            let mut stream = bot.client.play(&service.url).await.unwrap();
            for (n, (order, first)) in bot.answered.iter().enumerate() {
                let again = match n % 3 {
                    0 => grpc.send(order).await,
                    1 => rest.send(order).await,
                    _ => {
                        stream.order(order).await;
                        stream.answer().await.into_answer()
                    }
                };
                assert_eq!(again.unwrap().timeless(), first.clone().timeless(), "{order:?}");
            }
            // And the other way: what a single call did, a stream answers, without the view if it isn't wanted.
            let (order, first) = bot.answered.last().unwrap();
            let message = PlayRequest { kind: Some(order.in_stream()), omit_view: true };
            stream.sender.send(message).await.unwrap();
            let told = stream.answer().await.outcome.unwrap();
            assert_eq!(
                (told.version, told.r#move.as_ref(), told.view),
                (first.version, Some(&first.made), None)
            );
            // Another command under the same id is refused.
            let other = Order { command: Command::Leave, ..order.clone() };
            stream.order(&other).await;
            assert_eq!(stream.answer().await.outcome.unwrap_err().refused().reason, "REQUEST_ID_REUSED");
        }
        if round == 0 {
            service.stop().await;
            service = Service::start(&database.url).await;
        }
    }
    let last = party.players[0].at(&service.url, Via::Grpc).look(&party.game).await.unwrap().version;
    assert_eq!(last, played[0].version());
}

async fn a_stream_ends_with_its_service(backend: Backend) {
    let database = fresh(backend).await;
    let mut service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    let mut streams = Vec::new();
    for player in &party.players {
        let mut stream = player.play(&service.url).await.unwrap();
        stream.subscribe(&party.game, Some(version)).await;
        assert_eq!(caught_up(&mut stream, &party.game).await, []);
        streams.push(stream);
    }
    let began = Instant::now();
    service.ask_to_stop();
    for stream in &mut streams {
        let refused = stream.next().await.unwrap_err().refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::Unavailable, "DRAINING"));
        assert_eq!(refused.retry_after, Some(Duration::from_millis(100)));
    }
    let status = service.ended(Duration::from_secs(10).saturating_sub(began.elapsed())).await;
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_is_an_answer() {
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    let nowhere = Uuid::now_v7().to_string();
    let id = fresh_id().to_string();
    let draw = |game_id: &str, request_id: &str, source: i32| {
        Some(play_request::Kind::Draw(DrawRequest {
            game_id: game_id.to_owned(),
            request_id: request_id.to_owned(),
            known_version: version,
            source,
        }))
    };
    let mut stream = party.players[0].play(&service.url).await.unwrap();
    for (kind, reason) in [
        (None, "MISSING_FIELD"),
        (draw("", &id, 1), "MISSING_FIELD"),
        (draw("chess", &id, 1), "MALFORMED_FIELD"),
        (draw(&party.game, "", 1), "MISSING_FIELD"),
        (draw(&party.game, "1", 1), "MALFORMED_FIELD"),
        (draw(&party.game, &id, 0), "MISSING_FIELD"),
        (draw(&party.game, &id, 77), "FIELD_OUT_OF_RANGE"),
        (draw(&nowhere, &id, 1), "GAME_NOT_FOUND"),
        (Some(Order::new(&party.game, version, Command::Undo).in_stream()), ""),
        (Some(Order::new(&party.game, version + 1, Command::Undo).in_stream()), "VERSION_AHEAD"),
        (Some(Order::new(&party.game, version, Command::Join(None)).in_stream()), "ALREADY_SEATED"),
    ] {
        let ids = match &kind {
            Some(play_request::Kind::Draw(draw)) => (draw.request_id.clone(), draw.game_id.clone()),
            _ => Default::default(),
        };
        stream.sender.send(PlayRequest { kind: kind.clone(), omit_view: false }).await.unwrap();
        let told = stream.answer().await;
        let refused = told.outcome.unwrap_err().refused();
        assert!(reason.is_empty() || refused.reason == reason, "{kind:?}: {refused:?}");
        if matches!(kind, Some(play_request::Kind::Draw(_)) | None) {
            assert_eq!((told.request_id, told.game), ids);
        }
    }
    // A stream that the client closes ends well once all is answered.
    stream.order(&Order::new(&party.game, version, Command::Join(None))).await;
    let (closed, _) = tokio::sync::mpsc::channel(1);
    drop(std::mem::replace(&mut stream.sender, closed));
    assert!(stream.answer().await.outcome.is_err());
    assert_eq!(stream.next().await, Ok(None));

    // Nobody gets one without a token.
    let nobody = Client::nobody(&service.url, Via::Grpc);
    let refused = nobody.play(&service.url).await.err().unwrap().refused();
    assert_eq!((refused.code, refused.reason.as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
    // What is no message at all ends the stream, as it ends a call; and a text for the player is in his language.
    let raw = Raw::new(&service.url, &party.players[0].token);
    for broken in [&b"\x0a\x09abc"[..], b"\xff", b"\x0a\x02\x0a\x09"] {
        let frames = raw.stream("Play", futures::stream::iter([Bytes::from_static(broken)])).await;
        let refused = Failure::from(frames.failure().await).refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "MALFORMED_REQUEST"));
    }
    let mut polish = party.players[0].play_in("pl", &service.url).await.unwrap();
    polish.order(&Order::new(&party.game, version, Command::Join(None))).await;
    let Some(Kind::Answer(answer)) = polish.next().await.unwrap() else { panic!() };
    let Some(Outcome::Refusal(status)) = answer.outcome else { panic!() };
    let texts = status.details.iter().filter(|any| any.type_url.ends_with("LocalizedMessage"));
    let texts: Vec<_> = texts.map(|any| LocalizedMessage::decode(&*any.value).unwrap()).collect();
    assert_eq!((texts.len(), texts[0].locale.as_str()), (1, "pl"));
    assert_eq!(service.stderr(), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_commands_are_under_way_and_each_game_keeps_its_order() {
    const GAMES: usize = 40;
    const EACH: usize = 25;
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let ala = Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap();
    let ola = Client::guest(&service.url, Via::Grpc, "Ola").await.unwrap();
    let mut games = Vec::new();
    for _ in 0..GAMES {
        games.push(ala.create(Wish::seats(3).request()).await.unwrap().view.unwrap().game_id);
    }
    let mut stream = ola.play(&service.url).await.unwrap();
    let sender = stream.sender.clone();
    // In and out again, in every game at once: any other order would be refused.
    let orders: Vec<Order> = (0..EACH)
        .flat_map(|n| games.iter().map(move |game| (n, game)))
        .map(|(n, game)| {
            let command = if n % 2 == 0 { Command::Join(None) } else { Command::Leave };
            Order::new(game, 0, command)
        })
        .collect();
    let mut wanted: HashMap<String, Vec<String>> = HashMap::new();
    for order in &orders {
        wanted.entry(order.game.clone()).or_default().push(order.request_id.to_string());
    }
    let sending = tokio::spawn(async move {
        for order in orders {
            let message = PlayRequest { kind: Some(order.in_stream()), omit_view: true };
            sender.send(message).await.unwrap();
        }
    });
    let mut told: HashMap<String, Vec<String>> = HashMap::new();
    let mut versions: HashMap<String, u32> = HashMap::new();
    for _ in 0..GAMES * EACH {
        let answer = stream.answer().await;
        let played = answer.outcome.unwrap();
        assert!(played.view.is_none());
        let before = versions.insert(answer.game.clone(), played.version).unwrap_or(1);
        assert_eq!(played.version, before + 1, "in the order of the commits");
        told.entry(answer.game).or_default().push(answer.request_id);
    }
    sending.await.unwrap();
    assert_eq!(told, wanted);
}

/// Who doesn't read is read no more, and holds nothing up; later nothing is missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_piles_up_for_who_does_not_read() {
    const COMMANDS: usize = 20_000;
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let game = &party.game;
    let narrow = Endpoint::from_shared(service.url.clone()).unwrap().initial_stream_window_size(1024);
    let mut slow = party.players[0].play_by(narrow.connect_lazy()).await.unwrap();
    slow.subscribe(game, Some(0)).await;
    // A draw before there is a deal: each one is refused with some hundred bytes.
    let message = || {
        let order = Order::new(game, 0, Command::Draw(DrawSource::Stock));
        PlayRequest { kind: Some(order.in_stream()), omit_view: false }
    };
    let mut sent = 0;
    while sent < COMMANDS {
        match timeout(Duration::from_secs(3), slow.sender.send(message())).await {
            Ok(taken) => taken.unwrap(),
            Err(_elapsed) => break,
        }
        sent += 1;
    }
    println!("{sent} commands were taken without an answer being read");
    assert!((256..3000).contains(&sent), "{sent}");

    // Meanwhile the game goes on, and memory doesn't grow by what the slow one has missed.
    let before = resident_kib(&service);
    let played = party.play(any_seed()).await;
    let grown = resident_kib(&service).saturating_sub(before);
    println!("the service has grown by {grown} KiB");
    assert!(grown < 32 * 1024, "{grown} KiB");

    let (mut answers, mut moves) = (0, Vec::new());
    while answers < sent || moves.len() < played[0].seen.len() {
        match slow.next().await.unwrap().unwrap() {
            Kind::Answer(_) => answers += 1,
            Kind::Item(item) => {
                if let Some(Item::Move(made)) = item.item.unwrap().item {
                    moves.push(made);
                }
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(moves, played[0].seen);
}

/// How much memory a service has, in KiB.
pub(crate) fn resident_kib(service: &Service) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}
