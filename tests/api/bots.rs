//! Bots at tables: asked by the host, playing for who is away, at practice tables, and over the death of an instance.

use std::time::Duration;

use futures::future::join_all;
use prost::Message;
use remik::{
    proto::v1::{
        BotStrength, CreatePracticeGameRequest, CreatePracticeGameResponse, ForfeitCause, GameEnd,
        GameOverCause, GameState, GameView, ListGamesRequest, NewBot, ResumeSeatResponse, RulesetOverrides,
        event::Kind, game_end::End, game_service_client::GameServiceClient,
    },
    store::GameId,
};
use remik_rules::{
    event::{Event, Viewer},
    seat::Seat,
};
use serde_json::{Value as Json, json};
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, timeout};
use tonic::Code;
use uuid::Uuid;

use crate::{
    bot::Bot,
    client::{Client, Command, Failure, Order, Via, fresh_id, from_json, rest::refusal, to_json},
    clocks::{BOUND, kinds, next_move, timed_out, until},
    log::Log,
    on_each_backend,
    party::{GAME, Party, Wish, any_seed, get_ready, play},
    secrets::Knowledge,
    service::Service,
    support::database::{Backend, fresh},
    takeover::owned,
};

on_each_backend! {
    practice_games_are_played_to_their_end
    the_host_asks_bots_to_the_table
    a_bot_plays_on_for_who_leaves_until_he_is_back
    a_bot_plays_on_for_who_sleeps_until_he_is_back
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

fn reason<T: std::fmt::Debug>(answer: Result<T, Failure>) -> (Code, String) {
    let refused = answer.unwrap_err().refused();
    (refused.code, refused.reason)
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

async fn resume(url: &str, player: &Client, game: &str) -> Result<ResumeSeatResponse, Failure> {
    let body = json!({"requestId": fresh_id().to_string()});
    post(url, player, &format!("games/{game}:resume"), body, "ResumeSeatResponse").await
}

async fn post<M: Message + Default>(
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
    let game = play(bot, &async |client: &Client, order: &Order| client.send(order).await);
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

async fn the_host_asks_bots_to_the_table(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let host = Client::guest(&service.url, Via::Rest, "Ala").await.unwrap();
    let guest = Client::guest(&service.url, Via::Grpc, "Ola").await.unwrap();
    let easy = NewBot { strength: BotStrength::Easy.into(), seat: Some(3) };
    let mut asked = Wish::seats(4).ends(End::Deals(1)).request();
    asked.bots = vec![NewBot { seat: Some(0), ..easy }];
    assert_eq!(reason(host.create(asked.clone()).await), (Code::FailedPrecondition, "SEAT_TAKEN".to_owned()));
    asked.bots = vec![NewBot { strength: 0, ..easy }];
    assert_eq!(reason(host.create(asked.clone()).await), (Code::InvalidArgument, "MISSING_FIELD".to_owned()));
    asked.bots = vec![easy; 6];
    assert!(host.create(asked.clone()).await.is_err());
    asked.bots = vec![easy];
    let view = host.create(asked).await.unwrap().view.unwrap();
    let game = view.game_id;
    assert_eq!((view.seats[3].bot(), view.seats[3].ready), (BotStrength::Easy, true));
    let order = |command| Order::new(&game, 0, command);
    guest.send(&order(Command::Join(None))).await.unwrap();
    let hard = || order(Command::AddBot(BotStrength::Hard));
    assert_eq!(reason(guest.send(&hard()).await), (Code::PermissionDenied, "NOT_HOST".to_owned()));
    let remove = |seat| order(Command::RemoveBot(seat));
    assert_eq!(reason(host.send(&remove(1)).await), (Code::FailedPrecondition, "NO_BOT".to_owned()));
    let removed = host.send(&remove(3)).await.unwrap();
    assert_eq!(removed.view.seats[3].bot(), BotStrength::Unspecified);
    let add = hard();
    let added = host.send(&add).await.unwrap();
    assert_eq!(added.view.seats[2].bot(), BotStrength::Hard);
    assert_eq!(host.send(&add).await.unwrap().timeless(), added.timeless(), "a repeat adds no second bot");
    guest.send(&order(Command::Ready(String::new()))).await.unwrap();
    host.send(&order(Command::Ready(String::new()))).await.unwrap();
    // All players are ready, so the last bot starts the game.
    let started = host.send(&hard()).await.unwrap();
    assert_eq!(started.view.state(), GameState::Playing);
    assert_eq!(reason(host.send(&hard()).await), (Code::FailedPrecondition, "ALREADY_STARTED".to_owned()));
    let listed = GameServiceClient::connect(service.url.clone()).await.unwrap();
    let mut request = tonic::Request::new(ListGamesRequest::default());
    request.metadata_mut().insert("authorization", format!("Bearer {}", guest.token).parse().unwrap());
    let games = { listed }.list_games(request).await.unwrap().into_inner().games;
    let bots: Vec<BotStrength> = games[0].seats.iter().map(|seat| seat.bot()).collect();
    assert_eq!(bots[2..], [BotStrength::Hard; 2]);
    let players = [(&host, 0), (&guest, 1)].map(|(client, seat)| {
        let bot = Bot::new(client.clone(), &game, seat, 4, any_seed());
        play(bot, &async |client: &Client, order: &Order| client.send(order).await)
    });
    timeout(GAME, join_all(players)).await.expect("the game ends");
    service.stop().await;
}

fn bots_stand_in(mut wish: Wish) -> Wish {
    wish.overrides.absent_seats = Some(remik::proto::v1::AbsentSeats::NormalBot.into());
    wish
}

async fn a_bot_plays_on_for_who_leaves_until_he_is_back(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &bots_stand_in(Wish::seats(3).ends(End::Deals(2)))).await;
    let started = get_ready(&party).await;
    let [stays, leaves, quiet] = &party.players[..] else { panic!() };
    let mut stream = stays.watch(&party.game, Some(started)).await.unwrap();
    let left = leaves.send(&Order::new(&party.game, started, Command::Leave)).await.unwrap();
    let [Kind::BotSeated(seated)] = &kinds(&left.made).collect::<Vec<_>>()[..] else { panic!("{left:?}") };
    assert_eq!(
        (seated.seat, seated.absent(), seated.strength()),
        (1, ForfeitCause::Left, BotStrength::Normal)
    );
    let again = leaves.send(&Order::new(&party.game, left.version, Command::Leave)).await;
    assert_eq!(reason(again), (Code::FailedPrecondition, "BOT_PLAYS".to_owned()));
    // Whoever is there plays until the bot has had a turn.
    let mut players = [(stays, 0), (quiet, 2)]
        .map(|(client, seat)| Bot::new(client.clone(), &party.game, seat, 3, any_seed()));
    let mut streams = Vec::new();
    for player in &players {
        streams.push(player.client.watch(&party.game, Some(0)).await.unwrap());
    }
    let moved = loop {
        for (player, stream) in players.iter_mut().zip(&mut streams) {
            let latest = stays.look(&party.game).await.unwrap().version;
            while player.version() < latest {
                player.take_in(stream.next().await.unwrap().unwrap());
            }
            if player.is_due() {
                let order = player.decide().await.unwrap();
                let answer = player.client.send(&order).await.unwrap();
                player.answered.push((order, answer));
            }
        }
        let seen = players
            .iter()
            .flat_map(|player| &player.seen)
            .find(|made| made.seat == Some(1) && kinds(made).any(|kind| matches!(kind, Kind::Discarded(_))));
        if let Some(made) = seen {
            break made.version;
        }
    };
    let made = until(&mut stream, |kind| matches!(kind, Kind::Discarded(thrown) if thrown.seat == 1)).await;
    assert_eq!(made.last().unwrap().version, moved);
    let back = resume(&service.url, leaves, &party.game).await.unwrap();
    assert!(
        kinds(back.r#move.as_ref().unwrap())
            .any(|kind| matches!(kind, Kind::SeatResumed(back) if back.seat == 1))
    );
    let view = back.view.unwrap();
    assert_eq!(view.seats[1].bot(), BotStrength::Unspecified);
    assert!(!view.deal.unwrap().hand.is_empty());
    let again = resume(&service.url, leaves, &party.game).await;
    assert_eq!(reason(again), (Code::FailedPrecondition, "NO_BOT".to_owned()));
    // Everybody plays on to the end.
    let others = party.play(any_seed()).await;
    assert!(others.iter().all(Bot::over));
    service.stop().await;
    let log = Log::read(&database.url, &party.game).await;
    let after = log.moves.iter().filter(|mv| mv.number > back.version && mv.seat == Some(1));
    let sent: Vec<Uuid> = others[1].answered.iter().map(|(order, _)| order.request_id).collect();
    for mv in after {
        assert!(sent.contains(&mv.request_id.unwrap()), "move {} is the player's own", mv.number);
    }
}

async fn a_bot_plays_on_for_who_sleeps_until_he_is_back(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut wish = bots_stand_in(Wish::seats(2).ends(End::Deals(1)));
    wish.overrides.turn_seconds = Some(2);
    wish.overrides.timeouts_to_forfeit = Some(1);
    let party = Party::seated(&service.url, &wish).await;
    let started = get_ready(&party).await;
    let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat;
    let (sleeper, awake) = (&party.players[turn as usize], &party.players[1 - turn as usize]);
    let mut stream = awake.watch(&party.game, Some(started)).await.unwrap();
    let made = next_move(&mut stream, BOUND).await;
    assert_eq!(timed_out(&made), Some((turn, 1)));
    let seated = |kind: &Kind| matches!(kind, Kind::BotSeated(to) if to.seat == turn && to.absent() == ForfeitCause::TimedOut);
    assert!(kinds(&made).any(seated), "{made:?}");
    let mut version = made.version;
    let pass = async |version: u32| {
        let draw = Command::Draw(remik::proto::v1::DrawSource::Stock);
        let drawn = awake.send(&Order::new(&party.game, version, draw)).await.unwrap();
        let card = drawn.view.deal.unwrap().turn.unwrap().drawn_card;
        let thrown = awake.send(&Order::new(&party.game, version, Command::Discard(card))).await.unwrap();
        thrown.version
    };
    for _ in 0..2 {
        pass(version).await;
        let moves =
            until(&mut stream, |kind| matches!(kind, Kind::Discarded(thrown) if thrown.seat == turn)).await;
        let own: Vec<_> = moves.iter().filter(|made| made.seat == Some(turn)).collect();
        assert!(own.len() >= 2 && moves.iter().all(|made| timed_out(made).is_none()), "the bot is in time");
        version = moves.last().unwrap().version;
    }
    let back = resume(&service.url, sleeper, &party.game).await.unwrap();
    assert_eq!(back.view.unwrap().seats[turn as usize].bot(), BotStrength::Unspecified);
    // Nobody plays for him now but the clock.
    pass(back.version).await;
    let moves = until(&mut stream, |kind| matches!(kind, Kind::TimedOut(_))).await;
    assert_eq!(timed_out(moves.last().unwrap()), Some((turn, 1)));
    assert!(moves.iter().all(|made| made.seat != Some(turn) || made.version == back.version));
    service.stop().await;
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
    // Both have left, and bots would play for them.
    let party = Party::seated(&service.url, &bots_stand_in(Wish::seats(2))).await;
    let started = get_ready(&party).await;
    let leave = || Order::new(&party.game, started, Command::Leave);
    assert_eq!(party.players[0].send(&leave()).await.unwrap().view.state(), GameState::Playing);
    let over = party.players[1].send(&leave()).await.unwrap().view;
    assert_eq!(over.result.unwrap().cause(), GameOverCause::Abandoned);
    service.stop().await;
}

/// The instance that plays the bots is killed in the middle of their turns; the other one goes on, and no move is made
/// twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_outlive_their_instance() {
    let database = fresh(Backend::Postgres).await;
    let first = Service::start(&database.url).await;
    let mut leases = PgConnection::connect(&database.url).await.unwrap();
    owned(&mut leases, 256).await;
    let doomed: Uuid = sqlx::query_scalar("SELECT id FROM instances").fetch_one(&mut leases).await.unwrap();
    let second = Service::start(&database.url).await;
    owned(&mut leases, 128).await;
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
