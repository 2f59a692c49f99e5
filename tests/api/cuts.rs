//! A client may lose its connection at any byte of any call: it sends the command again, or resumes the stream, and
//! everything is as if nothing had happened.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    mem::discriminant,
    path::PathBuf,
};

use futures::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use remik::{
    codec::log::encode_move,
    proto::v1::{
        CreateGameRequest, PlayRequest, WatchGameResponse, event::Kind as EventKind, play_response::Kind,
    },
};
use remik_rules::{chance::Millis, event::Event};

use crate::{
    bot::Bot,
    client::{Answer, Client, Command, Failure, Order, Via, Watch},
    cutter::{Cut, Cutter, Direction},
    log::Log,
    party::any_seed,
    repeats::{kinds, lively, name},
    service::Service,
    stream::{Play, Told},
    support::database::{Backend, fresh},
};

/// How many connections are cut at least.
const CUTS: usize = 1000;

/// The number of the move that deals the cards.
const DEALT: u32 = 6;

/// The ways of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Way {
    Grpc,
    Rest,
    Play,
}

const WAYS: [Way; 3] = [Way::Grpc, Way::Rest, Way::Play];

/// Somebody whose connections break.
struct Unlucky {
    client: Client,
    calls: Cutter,
    streams: Cutter,
    rng: StdRng,
    /// How many bytes a call of a kind takes, by its way and name and the direction, as far as was seen.
    lengths: HashMap<(Way, &'static str, bool), usize>,
    /// The way by which the game was followed last, and how many such streams have been cut.
    followed: Option<Way>,
    streams_cut: usize,
    /// The cuts of each kind of call.
    cuts: BTreeMap<(Way, &'static str), usize>,
}

impl Unlucky {
    async fn new(client: Client, url: &str, seed: u64) -> Self {
        let (calls, streams) = (Cutter::before(url).await, Cutter::before(url).await);
        let rng = StdRng::seed_from_u64(seed);
        let (lengths, cuts) = Default::default();
        Self { client, calls, streams, rng, lengths, followed: None, streams_cut: 0, cuts }
    }

    /// Makes a call until it is answered: a few times over connections that are cut somewhere, then over a whole one.
    async fn insist<T>(
        &mut self,
        what: &'static str,
        ways: &[Way],
        call: impl AsyncFn(&Client, Way, &str) -> Result<T, Failure>,
    ) -> T {
        let mut left = self.rng.random_range(1..=2);
        loop {
            let way = *ways.choose(&mut self.rng).unwrap();
            let to_client = self.rng.random_bool(0.6);
            let direction = if to_client { Direction::ToClient } else { Direction::ToService };
            let length = self.lengths.get(&(way, what, to_client)).copied().unwrap_or(400);
            let cut = (left > 0).then(|| Cut { direction, after: self.rng.random_range(0..=length) });
            self.calls.cut_next(cut);
            let before = self.calls.cuts();
            let via = if way == Way::Rest { Via::Rest } else { Via::Grpc };
            let outcome = call(&self.client.at(&self.calls.url, via), way, &self.calls.url).await;
            if cut.is_none() {
                for direction in [Direction::ToService, Direction::ToClient] {
                    let key = (way, what, direction == Direction::ToClient);
                    self.lengths.insert(key, self.calls.passed(direction));
                }
            }
            if cut.is_some() {
                left -= 1;
            }
            *self.cuts.entry((way, what)).or_default() += self.calls.cuts() - before;
            match outcome {
                Ok(answer) if left == 0 => return answer,
                // It is answered already: whoever asks again gets the same, so the rest of the cuts is made on it.
                Ok(_) | Err(Failure::Lost(_)) => {}
                Err(Failure::Refused(refused)) => panic!("{what} by {way:?}: {refused:?}"),
            }
        }
    }

    async fn send(&mut self, order: &Order) -> Answer {
        let ways = if matches!(order.command, Command::JoinByCode(_)) { &WAYS[..2] } else { &WAYS };
        let what = match &order.command {
            Command::Join(_) => "join",
            Command::JoinByCode(_) => "join by code",
            Command::Leave => "leave",
            command => name(command),
        };
        let answer = self.insist(what, ways, async |client, way, url| match way {
            Way::Grpc | Way::Rest => client.send(order).await,
            Way::Play => {
                let mut stream = client.play(url).await?;
                let message = PlayRequest { kind: Some(order.in_stream()), omit_view: false };
                stream.sender.send(message).await.map_err(|gone| Failure::Lost(gone.to_string()))?;
                match stream.next().await? {
                    Some(Kind::Answer(answer)) => Told::from(answer).into_answer(),
                    other => panic!("{other:?}"),
                }
            }
        });
        answer.await
    }

    async fn create(&mut self, request: &CreateGameRequest) -> (String, String) {
        let create = async |client: &Client, _, _: &str| client.create(request.clone()).await;
        let view = self.insist("create", &WAYS[..2], create).await.view.unwrap();
        (view.game_id, view.invite_code)
    }

    /// A stream of a game from behind a move on, which is going to break somewhere.
    async fn watch(&mut self, game: &str, after: u32) -> Result<Stream, Failure> {
        let way = *WAYS.choose(&mut self.rng).unwrap();
        if let Some(before) = self.followed.replace(way) {
            let cuts = self.streams.cuts() - self.streams_cut;
            *self.cuts.entry((before, "watch")).or_default() += cuts;
            self.streams_cut += cuts;
        }
        let direction = if self.rng.random_bool(0.8) { Direction::ToClient } else { Direction::ToService };
        let most = if direction == Direction::ToClient { 12_000 } else { 500 };
        self.streams.cut_next(Some(Cut { direction, after: self.rng.random_range(0..=most) }));
        let url = self.streams.url.clone();
        let via = if way == Way::Rest { Via::Rest } else { Via::Grpc };
        let client = self.client.at(&url, via);
        if way != Way::Play {
            return Ok(Stream::Alone(client.watch(game, Some(after)).await?));
        }
        let stream = client.play(&url).await?;
        stream.subscribe(game, Some(after)).await;
        Ok(Stream::Play(Box::new(stream)))
    }
}

/// A game as it is followed.
enum Stream {
    Alone(Watch),
    Play(Box<Play>),
}

impl Stream {
    async fn next(&mut self) -> Result<WatchGameResponse, Failure> {
        match self {
            Self::Alone(watch) => watch.next().await.map(|item| item.expect("the game goes on")),
            Self::Play(play) => match play.next().await?.expect("the game goes on") {
                Kind::Item(item) => Ok(item.item.unwrap()),
                other => panic!("{other:?}"),
            },
        }
    }
}

/// Plays a game to its end, whatever breaks.
async fn play(mut bot: Bot, unlucky: &mut Unlucky) -> Bot {
    let game = bot.game.clone();
    while !bot.over() {
        let Ok(mut stream) = unlucky.watch(&game, bot.version()).await else { continue };
        loop {
            match stream.next().await {
                Ok(item) => bot.take_in(item),
                Err(Failure::Lost(_)) => break,
                Err(Failure::Refused(refused)) => panic!("{refused:?}"),
            }
            if bot.over() {
                break;
            }
            // What the players did before the cards were dealt is done.
            if bot.is_due() && bot.version() >= DEALT {
                let version = bot.version();
                let ask = async |client: &Client, _, _: &str| client.legal_moves(&game, version).await;
                let legal = unlucky.insist("legal moves", &WAYS[..2], ask).await;
                let order = Order::new(&game, version, bot.choose(&legal.moves.unwrap()));
                let answer = unlucky.send(&order).await;
                bot.answered.push((order, answer));
            }
        }
    }
    bot
}

/// The file of an SQLite database.
fn file(url: &str) -> PathBuf {
    url.strip_prefix("sqlite:").unwrap().into()
}

/// An answer as it is in either service: times aside.
fn timeless(answer: Answer) -> Answer {
    let mut answer = answer.timeless();
    answer.made.made_at = None;
    let told = answer.made.events.iter_mut().filter_map(|event| match &mut event.kind {
        Some(EventKind::DealEnded(ended)) => Some(ended),
        _ => None,
    });
    told.chain(&mut answer.view.last_deal).for_each(|ended| ended.pause_until = None);
    answer
}

/// A move's seat, request, fingerprint and events.
type Content = (Option<u8>, Option<uuid::Uuid>, Option<i64>, Vec<u8>);

/// What a log holds but for its times, of which the events of a single deal without a clock have one.
fn content(log: &Log) -> Vec<Content> {
    let moves = log.moves.iter().zip(&log.events);
    moves
        .map(|(mv, events)| {
            let mut events = events.clone();
            for event in &mut events {
                if let Event::DealEnded(ended) = event {
                    ended.pause_until = Millis(0);
                }
            }
            (mv.seat, mv.request_id, mv.fingerprint, encode_move(&events).to_vec())
        })
        .collect()
}

/// A table is opened, joined, left and joined again, by code and without, until all four kinds of it are done.
async fn open_table(players: &mut [Unlucky]) -> (String, Vec<uuid::Uuid>) {
    let request = lively().request();
    let (game, code) = players[0].create(&request).await;
    let orders = [
        Order::new(&game, 0, Command::Join(None)),
        Order::new(&game, 2, Command::Leave),
        Order::new(&game, 0, Command::JoinByCode(code)),
    ];
    let mut ids = vec![request.request_id.parse().unwrap()];
    for (order, number) in orders.iter().zip(2..) {
        assert_eq!(players[1].send(order).await.version, number);
        ids.push(order.request_id);
    }
    for (seat, number) in [(0, 5), (1, 6)] {
        let ready = Order::new(&game, number - 1, Command::Ready(format!("0{seat}")));
        assert_eq!(players[seat].send(&ready).await.version, number);
        ids.push(ready.request_id);
    }
    (game, ids)
}

/// `REMIK_CUTS_SEED` repeats a run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_cuts_change_nothing() {
    let seed = std::env::var("REMIK_CUTS_SEED").map_or_else(|_| any_seed(), |seed| seed.parse().unwrap());
    println!("REMIK_CUTS_SEED={seed}");
    let mut total = 0;
    let mut cuts: BTreeMap<(Way, &'static str), usize> = BTreeMap::new();
    let mut played = BTreeSet::new();
    for round in 0.. {
        // All but getting ready, which comes before.
        if total >= CUTS && played.len() == kinds().len() - 1 {
            break;
        }
        assert!(round < 20, "{total} cuts of {played:?}");
        let seed = seed.wrapping_add(round);
        let (database, twins) = (fresh(Backend::Sqlite).await, fresh(Backend::Sqlite).await);
        let service = Service::start(&database.url).await;
        let mut players = Vec::new();
        for seat in 0..2 {
            let client = Client::guest(&service.url, Via::Grpc, "Pechowiec").await.unwrap();
            players.push(Unlucky::new(client, &service.url, seed.wrapping_mul(7).wrapping_add(seat)).await);
        }
        let (game, ids) = open_table(&mut players).await;
        service.stop().await;
        let dealt = Log::read(&database.url, &game).await;
        let stored: Vec<_> = dealt.moves.iter().filter_map(|mv| mv.request_id).collect();
        assert_eq!(stored, ids, "each command once, and in order");

        // From here on the cards are the same in both: whatever is sent has the same answer.
        std::fs::create_dir_all(file(&twins.url).parent().unwrap()).unwrap();
        std::fs::copy(file(&database.url), file(&twins.url)).unwrap();
        let (service, twin) = (Service::start(&database.url).await, Service::start(&twins.url).await);
        let mut all = Vec::new();
        for (unlucky, seat) in players.iter_mut().zip(0..) {
            let seed = seed.wrapping_mul(11).wrapping_add(seat);
            let mut moved = Unlucky::new(unlucky.client.clone(), &service.url, seed).await;
            moved.lengths = std::mem::take(&mut unlucky.lengths);
            std::mem::swap(&mut moved.cuts, &mut unlucky.cuts);
            total += unlucky.calls.cuts();
            *unlucky = moved;
            let seat = seat as u32;
            all.push(play(Bot::new(unlucky.client.clone(), &game, seat, 2, seed), unlucky));
        }
        let bots = join_all(all).await;
        for unlucky in &players {
            total += unlucky.calls.cuts() + unlucky.streams.cuts();
            for (kind, number) in &unlucky.cuts {
                *cuts.entry(*kind).or_default() += number;
            }
        }
        let mut orders: Vec<_> = bots.iter().flat_map(|bot| &bot.answered).collect();
        orders.sort_by_key(|(_, answer)| answer.version);
        played.extend(
            orders
                .iter()
                .map(|(order, _)| discriminant(&order.command))
                .map(|kind| kinds().into_iter().find(|(of, _)| *of == kind).unwrap().1),
        );
        let uncut = players.iter().map(|unlucky| unlucky.client.at(&twin.url, Via::Grpc)).collect::<Vec<_>>();
        for (order, answer) in orders {
            let seat = answer.made.seat.unwrap() as usize;
            let without = uncut[seat].send(order).await.unwrap();
            assert_eq!(timeless(without), timeless(answer.clone()), "{order:?}");
        }
        service.stop().await;
        twin.stop().await;
        let (log, twin) = (Log::read(&database.url, &game).await, Log::read(&twins.url, &game).await);
        assert_eq!(log.moves.len(), bots[0].seen.len(), "each move was streamed once");
        assert!(content(&log) == content(&twin), "the logs differ");
    }
    println!("{total} cuts: {cuts:?}");
    let some: BTreeSet<_> =
        cuts.iter().filter(|(_, number)| **number > 0).map(|((_, what), _)| *what).collect();
    for what in ["create", "join", "join by code", "leave", "legal moves", "watch"] {
        assert!(some.contains(what), "{what} was never cut");
    }
    assert!(kinds().iter().all(|(_, what)| some.contains(what)), "{cuts:?}");
}
