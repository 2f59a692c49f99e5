//! Two games that differ only in cards that somebody doesn't see send him the same bytes.
//!
//! A game is dealt by the service. In a copy of its database the cards that nobody shows until the end are dealt anew:
//! other hands, another stock, another seed. Both are then played by the same commands, and whatever a player and a
//! spectator are sent, or are refused, is recorded over real sockets and compared.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures::stream;
use prost::Message;
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};
use remik::{
    codec::log::encode_move,
    proto::v1::{
        DiscardRequest, GetGameRequest, GetLegalMovesRequest, ListGamesRequest, PlayRequest, PlayResponse,
        RunEnd, Subscribe, SuggestMeldsRequest, WatchGameRequest, play_request::Kind,
        play_response::Kind as Told,
    },
    store::GameId,
};
use remik_rules::{card::Card, chance::Seed, event::Event, seat::Seat};
use reqwest::Method;
use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::{
    client::{Client, Command, Order, Via},
    log::Log,
    party::{Party, Wish, any_seed, get_ready},
    raw::{Frames, Raw},
    repeats::lively,
    service::Service,
    support::database::{Backend, TestDatabase, fresh},
};

/// Whose eyes are looked through. The others play with cards of which some are never seen.
const VIEWER: usize = 0;

/// How many moves after the deal are played at most.
const MOST_MOVES: u32 = 80;

fn file(url: &str) -> PathBuf {
    url.strip_prefix("sqlite:").unwrap().into()
}

/// A database with the same content.
async fn copy(of: &TestDatabase) -> TestDatabase {
    let copied = fresh(Backend::Sqlite).await;
    std::fs::create_dir_all(file(&copied.url).parent().unwrap()).unwrap();
    std::fs::copy(file(&of.url), file(&copied.url)).unwrap();
    copied
}

/// What somebody was sent, each with what he asked.
type Recording = Vec<(String, Vec<u8>)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_cards_change_no_byte_for_two() {
    hidden_cards_change_no_byte(Wish { seats: 2, ..lively() }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_cards_change_no_byte_for_four() {
    hidden_cards_change_no_byte(Wish::seats(4).easy()).await;
}

async fn hidden_cards_change_no_byte(wish: Wish) {
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &wish).await;
    let spectator = Client::guest(&service.url, Via::Grpc, "Widz").await.unwrap();
    let dealt = get_ready(&party).await;
    service.stop().await;

    // The script of both: what was played once, to the move before hidden cards are shown or shuffled again.
    let played = copy(&database).await;
    let service = Service::start(&played.url).await;
    let again = Party {
        players: party.players.iter().map(|player| player.at(&service.url, Via::Grpc)).collect(),
        game: party.game.clone(),
        code: party.code.clone(),
    };
    let seed = any_seed();
    let bots = again.play_from(seed, dealt, async |client, order| client.send(order).await).await;
    service.stop().await;
    let log = Log::read(&played.url, &party.game).await;
    let end = log.events.iter().skip(dealt as usize).position(|events| {
        events.iter().any(|event| matches!(event, Event::DealEnded(_) | Event::StockReused { .. }))
    });
    // The longer it goes, the fewer cards were never seen.
    let end = dealt + MOST_MOVES.min(end.unwrap() as u32);
    let mut script: Vec<(usize, Order)> = bots
        .iter()
        .zip(0..)
        .flat_map(|(bot, seat)| bot.answered.iter().map(move |(order, answer)| (answer.version, seat, order)))
        .filter(|(version, ..)| *version <= end)
        .map(|(version, seat, order)| (version, (seat, order.clone())))
        .collect::<std::collections::BTreeMap<_, _>>()
        .into_values()
        .collect();
    script.truncate((end - dealt) as usize);
    assert!(script.len() > 20, "{}", script.len());

    let other = copy(&database).await;
    let (moved, of_next) = deal_anew(&other.url, &log, dealt, end, seed).await;
    println!("seed {seed}: {} commands, {moved} cards lie elsewhere", script.len());
    assert!(moved > 20, "{moved}");
    let worlds = [copy(&database).await, other];
    let mut recordings = Vec::new();
    for world in &worlds {
        recordings.push(record(&world.url, &party, &spectator, &script, dealt).await);
    }
    let [(one, theirs), (two, others)] = <[_; 2]>::try_from(recordings).unwrap();
    assert_eq!(one.len(), two.len());
    for ((asked, first), (_, second)) in one.iter().zip(&two) {
        assert!(
            first == second,
            "{asked} differs:\n{}\n{}",
            String::from_utf8_lossy(first),
            String::from_utf8_lossy(second)
        );
    }
    // What the next player is sent does differ, unless he has shown all his cards: it is compared well.
    assert!(theirs != others || of_next == 0, "{of_next}");
    println!("{} answers, {} bytes", one.len(), one.iter().map(|(_, bytes)| bytes.len()).sum::<usize>());
}

/// Deals the cards that nobody shows before `end` to other places, and gives the number of places that changed, and how
/// many of them are in the next player's hand.
async fn deal_anew(url: &str, log: &Log, dealt: u32, end: u32, seed: u64) -> (usize, usize) {
    let next = Seat::new(VIEWER as u8 + 1).unwrap();
    let viewer = Seat::new(VIEWER as u8).unwrap();
    let mut shown: BTreeSet<Card> = BTreeSet::new();
    for event in log.events[dealt as usize - 1..end as usize].iter().flatten() {
        match event {
            Event::Dealt(dealt) => {
                let own = dealt.hands.iter().filter(|(seat, _)| *seat == viewer);
                shown.extend(own.flat_map(|(_, cards)| cards).chain(&dealt.upcard));
            }
            Event::StockDrawn { seat, card } if *seat == viewer => drop(shown.insert(*card)),
            Event::Discarded { card, .. } | Event::JokerSwapped { card, .. } => drop(shown.insert(*card)),
            Event::Melded { melds, .. } => {
                shown.extend(melds.iter().flat_map(|(_, meld)| meld.cards.clone()))
            }
            Event::LaidOff { low, high, .. } => shown.extend(low.iter().chain(high)),
            _ => {}
        }
    }
    let (mut moved, mut of_next) = (0, 0);
    for (mv, events) in log.moves.iter().zip(&log.events).take(dealt as usize) {
        let mut events = events.clone();
        for event in &mut events {
            match event {
                // Its commitment stays: nobody can tell yet.
                Event::SeedCommitted { seed, .. } => *seed = Seed(seed.0.map(|byte| !byte)),
                Event::Dealt(dealt) => {
                    let before = dealt.hands.clone();
                    let places = dealt.hands.iter_mut().flat_map(|(_, cards)| cards).chain(&mut dealt.stock);
                    let places: Vec<&mut Card> = places.filter(|card| !shown.contains(card)).collect();
                    let mut cards: Vec<Card> = places.iter().map(|card| **card).collect();
                    cards.shuffle(&mut StdRng::seed_from_u64(seed));
                    for (place, card) in places.into_iter().zip(cards) {
                        moved += usize::from(*place != card);
                        *place = card;
                    }
                    let hands = before.iter().zip(&dealt.hands).filter(|((seat, _), _)| *seat == next);
                    let cards = hands.flat_map(|((_, old), (_, new))| old.iter().zip(new));
                    of_next += cards.filter(|(old, new)| old != new).count();
                }
                _ => {}
            }
        }
        write(&file(url), mv.game, mv.number, encode_move(&events)).await;
    }
    (moved, of_next)
}

async fn write(file: &Path, game: GameId, number: u32, events: Bytes) {
    let mut connection = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let update = sqlx::query("UPDATE moves SET events = $1 WHERE game_id = $2 AND number = $3");
    let update = update.bind(events.to_vec()).bind(game.0.as_bytes().to_vec()).bind(i64::from(number));
    assert_eq!(update.execute(&mut connection).await.unwrap().rows_affected(), 1);
    sqlx::Connection::close(connection).await.unwrap();
}

/// Plays the script, and records what the viewer and the spectator are sent, and what the next player is.
async fn record(
    url: &str,
    party: &Party,
    spectator: &Client,
    script: &[(usize, Order)],
    dealt: u32,
) -> (Recording, Recording) {
    let service = Service::start(url).await;
    let game = &party.game;
    let raw = |client: &Client| Raw::new(&service.url, &client.token);
    let (viewer, stranger) = (raw(&party.players[VIEWER]), raw(spectator));
    let other = raw(&party.players[VIEWER + 1]);
    let mut play = Playing::open(&viewer, game).await;
    let watch = WatchGameRequest { game_id: game.clone(), after_version: Some(0), ..Default::default() }
        .encode_to_vec();
    let watch = Bytes::from(watch);
    let path = format!("/v1/games/{game}:watch?afterVersion=0");
    let mut streams: Vec<(&str, Frames)> = Vec::new();
    for (client, grpc, rest) in [
        (&viewer, "the viewer's stream", "the viewer's events"),
        (&stranger, "the spectator's stream", "the spectator's events"),
    ] {
        streams.push((grpc, client.stream("WatchGame", stream::iter([watch.clone()])).await));
        streams.push((rest, client.events(&path).await));
    }
    let mut told: Recording = Vec::new();
    let mut others: Recording = Vec::new();
    look_at(&viewer, &stranger, game, &mut told).await;
    for ((seat, order), number) in script.iter().zip(dealt + 1..) {
        if *seat != VIEWER {
            party.players[*seat].at(&service.url, Via::Grpc).send(order).await.unwrap();
        } else if number % 2 == 0 {
            // A command sent once more is answered the same, so each way has its turn.
            let answered = play.answer(order).await;
            told.push((format!("{number} by a stream: {order:?}"), answered));
            let (path, body) = over_rest(order);
            told.push((
                format!("{number} by REST: {order:?}"),
                viewer.rest(Method::POST, &path, Some(body)).await,
            ));
        } else {
            let (path, body) = over_rest(order);
            told.push((
                format!("{number} by REST: {order:?}"),
                viewer.rest(Method::POST, &path, Some(body)).await,
            ));
        }
        told.extend(wrong_moves(&viewer, game, number).await);
        if number % 4 == 0 {
            look_at(&viewer, &stranger, game, &mut told).await;
        }
    }
    look_at(&viewer, &stranger, game, &mut told).await;
    let asked = GetGameRequest { game_id: game.clone(), at_least_version: 0, ..Default::default() };
    others.push(("the other's view".to_owned(), other.grpc("GetGame", &asked).await));

    let last = dealt + script.len() as u32;
    for (name, mut frames) in streams {
        let until = match &frames {
            Frames::Grpc { .. } => version_field(last),
            Frames::Rest(_) => format!("id: {last}").into_bytes(),
        };
        told.push((name.to_owned(), frames.until(|part| part.starts_with(&until)).await));
    }
    told.push(("the stream of games".to_owned(), play.items_until(last).await));
    // Nor does a backend see more that reads everything.
    let backend = Raw::new(&service.url, &service.console_key);
    let feed = "/v1/feed?limit=1000";
    told.push(("the feed".to_owned(), backend.rest(Method::GET, feed, None).await));
    let mut events = backend.events("/v1/feed:watch").await;
    let caught_up = |part: &[u8]| part.windows(8).any(|window| window == b"caughtUp");
    told.push(("the events of the feed".to_owned(), events.until(caught_up).await));
    service.stop().await;
    (told, others)
}

/// How a `WatchGameResponse` of a version begins.
fn version_field(version: u32) -> Vec<u8> {
    remik::proto::v1::WatchGameResponse { version, item: None }.encode_to_vec()
}

/// A stream of games. An item may come before or after the answer of its move, so each kind is kept by itself.
struct Playing {
    frames: Frames,
    sender: mpsc::Sender<Bytes>,
    items: Vec<u8>,
    /// The last move that came as an item.
    version: u32,
}

impl Playing {
    async fn open(viewer: &Raw, game: &str) -> Self {
        let (sender, receiver) = mpsc::channel(16);
        let frames = viewer.stream("Play", ReceiverStream::new(receiver)).await;
        let playing = Self { frames, sender, items: Vec::new(), version: 0 };
        let subscribe = Subscribe { game_id: game.to_owned(), after_version: None, ..Default::default() };
        playing.send(Kind::Subscribe(subscribe)).await;
        playing
    }

    async fn send(&self, kind: Kind) {
        let message = PlayRequest { kind: Some(kind), omit_view: false };
        self.sender.send(Bytes::from(message.encode_to_vec())).await.unwrap();
    }

    /// The frame of the next answer; `None` if it was an item.
    async fn next(&mut self) -> Option<Vec<u8>> {
        let frame = self.frames.until(|_| true).await;
        match PlayResponse::decode(&frame[4..]).unwrap().kind.unwrap() {
            Told::Answer(_) => Some(frame),
            Told::Item(item) => {
                self.version = item.item.unwrap().version;
                self.items.extend_from_slice(&frame);
                None
            }
            Told::Heartbeat(_) => None,
            other => panic!("{other:?}"),
        }
    }

    async fn answer(&mut self, order: &Order) -> Vec<u8> {
        self.send(order.in_stream()).await;
        loop {
            if let Some(answer) = self.next().await {
                return answer;
            }
        }
    }

    async fn items_until(mut self, last: u32) -> Vec<u8> {
        while self.version < last {
            assert_eq!(self.next().await, None);
        }
        self.items
    }
}

/// Everything that can be asked for.
async fn look_at(viewer: &Raw, stranger: &Raw, game: &str, told: &mut Recording) {
    let game_id = game.to_owned();
    for (who, client) in [("the viewer", viewer), ("the spectator", stranger)] {
        let mut keep = |what: &str, bytes| told.push((format!("{who}: {what}"), bytes));
        let asked = GetGameRequest { game_id: game_id.clone(), at_least_version: 0, ..Default::default() };
        keep("GetGame", client.grpc("GetGame", &asked).await);
        let asked = GetLegalMovesRequest { game_id: game_id.clone(), at_least_version: 0 };
        keep("GetLegalMoves", client.grpc("GetLegalMoves", &asked).await);
        let asked = SuggestMeldsRequest { game_id: game_id.clone(), at_least_version: 0 };
        keep("SuggestMelds", client.grpc("SuggestMelds", &asked).await);
        keep("ListGames", client.grpc("ListGames", &ListGamesRequest::default()).await);
        for path in ["", "/legalMoves", "/suggestions"] {
            keep(path, client.rest(Method::GET, &format!("/v1/games/{game}{path}"), None).await);
        }
        keep("the list", client.rest(Method::GET, "/v1/games?mine=true", None).await);
        for path in ["", "/positions?pageSize=100", ":export"] {
            keep(path, client.rest(Method::GET, &format!("/v1/replays/{game}{path}"), None).await);
        }
    }
}

/// What is refused, for cards that are hidden among others: wherever they lie, the refusal is the same.
async fn wrong_moves(viewer: &Raw, game: &str, version: u32) -> Recording {
    let mut told = Vec::new();
    let hand = hand(viewer, game).await;
    let ranks = "A23456789TJQK";
    // Another few cards after each move, so that in the end all were asked for.
    let rank = ranks.as_bytes()[version as usize % ranks.len()] as char;
    for suit in "SHDC".chars() {
        for copy in ["", "2"] {
            let card = format!("{rank}{suit}{copy}");
            let asked = DiscardRequest {
                game_id: game.to_owned(),
                request_id: uuid::Uuid::from_u128(u128::from(version)).to_string(),
                known_version: 0,
                card: card.clone(),
            };
            if hand.contains(&card) {
                continue;
            }
            told.push((format!("{version}: discarding {card}"), viewer.grpc("Discard", &asked).await));
            let (path, body) = over_rest(&Order::new(
                game,
                0,
                Command::LayOff {
                    meld: "m1".to_owned(),
                    cards: vec![card.clone()],
                    end: RunEnd::Unspecified,
                },
            ));
            told.push((
                format!("{version}: laying off {card}"),
                viewer.rest(Method::POST, &path, Some(body)).await,
            ));
            let (path, body) = over_rest(&Order::new(game, 0, Command::Meld(vec![vec![card; 3]])));
            told.push((format!("{version}: melding"), viewer.rest(Method::POST, &path, Some(body)).await));
        }
    }
    told
}

async fn hand(viewer: &Raw, game: &str) -> Vec<String> {
    let shown =
        String::from_utf8(viewer.rest(Method::GET, &format!("/v1/games/{game}"), None).await).unwrap();
    let json: serde_json::Value = serde_json::from_str(shown.rsplit("\n\n").next().unwrap()).unwrap();
    let hand = json["view"]["deal"]["hand"].as_array().unwrap();
    hand.iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

/// Path and body of a command.
fn over_rest(order: &Order) -> (String, String) {
    let (verb, body) = order.in_rest();
    (format!("/v1/games/{}:{verb}", order.game), body.to_string())
}
