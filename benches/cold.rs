//! How long the service takes to answer about a game that it has to load first: the real program over gRPC, asked at
//! a fixed rate whether or not it keeps up.
//!
//! `cargo bench -p remik --bench cold [-- DATABASE_URL]`; without a URL an SQLite file in a temporary folder.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures::future::join_all;
use remik::proto::v1::game_service_client::GameServiceClient;
use remik::proto::v1::player_service_client::PlayerServiceClient;
use remik::proto::v1::{
    CreateGameRequest, CreateGuestRequest, DiscardRequest, DrawRequest, DrawSource, GameView, GetGameRequest,
    JoinGameRequest, ReadyRequest,
};
use tokio::time::Instant;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

const GAMES: usize = 200;
const MOVES: u32 = 300;
const RATE: u32 = 100;
const REQUESTS: u32 = 3000;
const WARM_UP: u32 = 300;

struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The program with room for a single idle table, so that a game is loaded each time it is asked for in turn.
fn start(database_url: &str) -> (Service, Channel) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_remik"));
    program.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--no-caller-limits"]);
    program.args(["--cached-tables", "1", "--database-url", database_url]);
    let mut child = program.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|line| line.strip_prefix("remik listens on ").map(str::to_owned)).unwrap();
    (Service(child), Endpoint::from_shared(url).unwrap().connect_lazy())
}

/// A player with his connection.
#[derive(Clone)]
struct Player {
    games: GameServiceClient<Channel>,
    bearer: String,
}

/// A new request id.
fn fresh() -> String {
    Uuid::new_v4().to_string()
}

impl Player {
    async fn guest(channel: &Channel, name: &str) -> Self {
        let asked = CreateGuestRequest { display_name: name.to_owned() };
        let made = PlayerServiceClient::new(channel.clone()).create_guest(asked).await.unwrap().into_inner();
        Self { games: GameServiceClient::new(channel.clone()), bearer: format!("Bearer {}", made.token) }
    }

    fn ask<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.bearer.parse().unwrap());
        request
    }

    /// Draws from the stock and throws a card away; the version then.
    async fn turn(&mut self, game: &str, known_version: u32) -> u32 {
        let source = DrawSource::Stock.into();
        let draw = DrawRequest { game_id: game.into(), request_id: fresh(), known_version, source };
        let drawn = self.games.draw(self.ask(draw)).await.unwrap().into_inner();
        let (known_version, view) = (drawn.version, drawn.view.unwrap());
        let card = hand(&view).first().unwrap().clone();
        let discard = DiscardRequest { game_id: game.into(), request_id: fresh(), known_version, card };
        self.games.discard(self.ask(discard)).await.unwrap().into_inner().version
    }

    async fn look(&mut self, game: &str) -> GameView {
        let asked = GetGameRequest { game_id: game.into(), ..Default::default() };
        self.games.get_game(self.ask(asked)).await.unwrap().into_inner().view.unwrap()
    }
}

fn hand(view: &GameView) -> &[String] {
    &view.deal.as_ref().unwrap().hand
}

/// A game of two who only draw and discard, as long as wanted.
async fn play(mut players: [Player; 2]) -> String {
    let create = CreateGameRequest { request_id: fresh(), seats: 2, ..Default::default() };
    let made = players[0].games.create_game(players[0].ask(create)).await.unwrap().into_inner();
    let game = made.view.unwrap().game_id;
    let join = JoinGameRequest { game_id: game.clone(), request_id: fresh(), ..Default::default() };
    let mut version = players[1].games.join_game(players[1].ask(join)).await.unwrap().into_inner().version;
    for player in &mut players {
        let ready = ReadyRequest {
            game_id: game.clone(),
            request_id: fresh(),
            known_version: version,
            ..Default::default()
        };
        version = player.games.ready(player.ask(ready)).await.unwrap().into_inner().version;
    }
    let view = players[0].look(&game).await;
    let mut turn = view.deal.unwrap().turn.unwrap().seat as usize;
    while version < MOVES {
        version = players[turn].turn(&game, version).await;
        turn = 1 - turn;
    }
    game
}

#[tokio::main]
async fn main() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let url = std::env::args().skip(1).find(|argument| argument.contains(':'));
    let url = url.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("remik.db").display()));
    let (_service, channel) = start(&url);
    let players = [Player::guest(&channel, "Ala").await, Player::guest(&channel, "Ola").await];
    let games = join_all((0..GAMES).map(|_| play(players.clone()))).await;

    let began = Instant::now() + Duration::from_millis(500);
    let asked = (0..WARM_UP + REQUESTS).map(|n| {
        let (mut player, game) = (players[0].clone(), games[n as usize % GAMES].clone());
        tokio::spawn(async move {
            let due = began + n * Duration::from_secs(1) / RATE;
            tokio::time::sleep_until(due).await;
            // The timer is up to a millisecond late, which isn't the service's doing.
            let asked = Instant::now();
            let view = player.look(&game).await;
            assert!(view.version >= MOVES);
            asked.elapsed()
        })
    });
    let took = join_all(asked.collect::<Vec<_>>()).await;
    let mut took: Vec<Duration> = took.into_iter().skip(WARM_UP as usize).map(Result::unwrap).collect();
    took.sort_unstable();
    let at = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
    let kind = url.split(':').next().unwrap();
    println!("{kind}: {GAMES} cold games of {MOVES} moves, {RATE} requests a second, {REQUESTS} requests");
    println!("p50 {:.2?}, p90 {:.2?}, p99 {:.2?}, slowest {:.2?}", at(0.5), at(0.9), at(0.99), at(1.0));
}
