//! Practice games: a table against bots with one call, also over the death of an instance.

use std::time::Duration;

use prost::Message;
use remik::{
    proto::v1::{
        BotStrength, CreatePracticeGameRequest, CreatePracticeGameResponse, GameEnd, GameOverCause,
        GameState, GameView, RulesetOverrides, game_end::End, game_service_client::GameServiceClient,
    },
    store::GameId,
};
use remik_rules::{
    event::{Event, Viewer},
    seat::Seat,
};
use serde_json::Value as Json;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use crate::{
    bot::Bot,
    client::{Client, Command, Failure, Order, Via, fresh_id, from_json, rest::refusal, to_json},
    log::Log,
    on_each_backend,
    party::{GAME, any_seed, play},
    secrets::Knowledge,
    service::Service,
    support::database::{Backend, fresh},
    takeover::Pair,
};

on_each_backend! {
    practice_games_are_played_to_their_end
    bots_alone_dont_play_on
}

fn practice(preset: &str, seats: u32, strength: BotStrength, deals: u32) -> CreatePracticeGameRequest {
    let overrides =
        RulesetOverrides { end: Some(GameEnd { end: Some(End::Deals(deals)) }), ..Default::default() };
    CreatePracticeGameRequest {
        request_id: fresh_id().to_string(),
        preset: preset.to_owned(),
        overrides: Some(overrides),
        seats,
        strength: strength.into(),
    }
}

fn timeless(view: Option<GameView>) -> GameView {
    GameView { server_time: None, ..view.unwrap() }
}

/// Begins a practice game by the person's way.
async fn begin(
    url: &str,
    via: Via,
    person: &Client,
    asked: &CreatePracticeGameRequest,
) -> Result<CreatePracticeGameResponse, Failure> {
    if via == Via::Rest {
        let body = to_json("CreatePracticeGameRequest", asked);
        return post(url, person, "games:practice", body, "CreatePracticeGameResponse").await;
    }
    let mut request = tonic::Request::new(asked.clone());
    request.metadata_mut().insert("authorization", format!("Bearer {}", person.token).parse().unwrap());
    let mut games = GameServiceClient::connect(url.to_owned()).await.unwrap();
    Ok(games.create_practice_game(request).await?.into_inner())
}

/// Posts a message with a player's token.
pub(crate) async fn post<M: Message + Default>(
    url: &str,
    player: &Client,
    path: &str,
    body: Json,
    name: &str,
) -> Result<M, Failure> {
    let request = reqwest::Client::new().post(format!("{url}/v1/{path}")).bearer_auth(&player.token);
    let response = request.json(&body).send().await.unwrap();
    if !response.status().is_success() {
        return Err(refusal(response).await);
    }
    Ok(from_json(name, &response.text().await.unwrap()))
}

/// Plays as the person at a practice table to its end.
async fn play_on(client: &Client, game: &str, seats: u32) -> Bot {
    let seed = any_seed();
    println!("the seed of this game is {seed}");
    let bot = Bot::new(client.clone(), game, 0, seats, seed);
    let game = play(bot, 0, &async |client: &Client, order: &Order| client.send(order).await);
    timeout(GAME, game).await.expect("the game ends")
}

async fn practice_games_are_played_to_their_end(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut played = Vec::new();
    for (via, preset, seats, strength) in [
        (Via::Grpc, "remik-51", 2, BotStrength::Hard),
        (Via::Rest, "rummy-200", 4, BotStrength::Normal),
        (Via::Grpc, "wrotham-rummy", 3, BotStrength::Easy),
    ] {
        let person = Client::guest(&service.url, via, "Ala").await.unwrap();
        let asked = practice(preset, seats, strength, 2);
        let begun = begin(&service.url, via, &person, &asked).await.unwrap();
        let view = timeless(begun.view);
        assert_eq!((view.state(), view.your_seat, begun.version), (GameState::Playing, Some(0), 1));
        let deal = view.deal.as_ref().unwrap();
        assert!(deal.hand.len() >= 7, "the own hand is shown: {deal:?}");
        let bots: Vec<BotStrength> = view.seats.iter().map(|seat| seat.bot()).collect();
        assert_eq!(bots[0], BotStrength::Unspecified);
        assert_eq!(bots[1..], vec![strength; seats as usize - 1]);
        // The same request is the same table; another under its id is none.
        let again = begin(&service.url, via, &person, &asked).await.unwrap();
        assert_eq!((timeless(again.view), again.version), (view.clone(), 1));
        let other = CreatePracticeGameRequest { seats: seats + 1, ..asked };
        assert!(begin(&service.url, via, &person, &other).await.is_err());
        let bot = play_on(&person, &view.game_id, seats).await;
        let over = person.look(&view.game_id).await.unwrap();
        assert_eq!(over.result.unwrap().cause(), GameOverCause::DealsPlayed);
        assert!(over.seats.iter().all(|seat| seat.forfeit_order == 0 && seat.timeouts == 0));
        played.push((bot, view.game_id));
    }
    service.stop().await;
    for (person, game) in played {
        let log = Log::read(&database.url, &game).await;
        let numbers: Vec<u32> = person.seen.iter().map(|made| made.version).collect();
        assert_eq!(numbers, (1..=log.moves.len() as u32).collect::<Vec<_>>());
        // A bot's moves are recorded like a player's, each with its own request.
        let bots = log.moves.iter().filter(|mv| mv.seat != Some(0));
        let mut requests: Vec<Uuid> = bots.map(|mv| mv.request_id.unwrap()).collect();
        let count = requests.len();
        requests.sort_unstable();
        requests.dedup();
        assert!(count > 20 && requests.len() == count);
        // Nobody gave a seed but nobody else's is in the deals.
        for event in log.events.iter().flatten() {
            if let Event::Dealt(dealt) = event {
                assert!(dealt.client_seeds.iter().all(|(seat, _)| seat.number() == 0));
            }
        }
        Knowledge::of(&log, Viewer::Seat(Seat::new(0).unwrap())).check_bot(&person);
    }
}

async fn bots_alone_dont_play_on(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let person = Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap();
    let game = begin(&service.url, Via::Grpc, &person, &practice("remik-51", 4, BotStrength::Easy, 5))
        .await
        .unwrap();
    let game = game.view.unwrap().game_id;
    let left = person.send(&Order::new(&game, 0, Command::Leave)).await.unwrap();
    let result = left.view.result.clone().unwrap();
    assert_eq!((result.cause(), left.view.state()), (GameOverCause::Abandoned, GameState::Over));
    assert_eq!(result.places, [4, 1, 1, 1]);
    service.stop().await;
}

/// The instance that plays the bots is killed in the middle of their turns; the other one goes on, and no move is made
/// twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_outlive_their_instance() {
    let database = fresh(Backend::Postgres).await;
    let Pair { first, second, mut leases, doomed } = Pair::start(&database.url).await;
    // The person plays at the second instance, the first one plays the bots.
    let person = Client::guest(&second.url, Via::Grpc, "Ala").await.unwrap();
    let game = loop {
        let asked = practice("remik-51", 4, BotStrength::Hard, 2);
        let begun = begin(&second.url, Via::Grpc, &person, &asked).await.unwrap();
        let game = begun.view.unwrap().game_id;
        let owner: Option<Uuid> = sqlx::query_scalar("SELECT owner FROM leases WHERE shard = $1")
            .bind(i16::from(game.parse::<GameId>().unwrap().shard()))
            .fetch_one(&mut leases)
            .await
            .unwrap();
        if owner == Some(doomed) {
            break game;
        }
    };
    let mut stream = person.watch(&game, Some(0)).await.unwrap();
    let mut bot = Bot::new(person.clone(), &game, 0, 4, any_seed());
    let (mut doomed, mut killed, mut first_after) = (Some(first), None, None);
    let whole = async {
        let mut last = Instant::now();
        while !bot.over() {
            bot.take_in(stream.next().await.unwrap().expect("the stream goes on"));
            let made = bot.seen.last();
            if made.is_some_and(|made| made.seat.is_some_and(|seat| seat > 0)) {
                if let (Some(at), None) = (killed, first_after) {
                    first_after = Some(last.max(at).elapsed());
                }
                // In the middle of bots' turns.
                if bot.version() > 30
                    && let Some(service) = doomed.take()
                {
                    service.kill();
                    killed = Some(Instant::now());
                }
                last = Instant::now();
            }
            if bot.is_due() {
                let order = bot.decide().await.unwrap();
                let answer = bot.client.send(&order).await.unwrap();
                bot.answered.push((order, answer));
                last = Instant::now();
            }
        }
    };
    timeout(GAME, whole).await.expect("the game ends");
    let waited = first_after.expect("bots go on");
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    second.stop().await;
    let log = Log::read(&database.url, &game).await;
    assert!(log.table(log.moves.len() as u32).is_over());
    let mut requests: Vec<_> = log.moves.iter().filter_map(|mv| mv.request_id).collect();
    let count = requests.len();
    requests.sort_unstable();
    requests.dedup();
    assert_eq!(requests.len(), count, "no move is made twice");
    // Each turn is one draw and one discard.
    let events = || log.events.iter().flatten();
    let draws =
        events().filter(|e| matches!(e, Event::StockDrawn { .. } | Event::DiscardTaken { .. })).count();
    let turns = events().filter(|e| matches!(e, Event::TurnStarted { .. })).count();
    assert_eq!(draws, turns);
}
