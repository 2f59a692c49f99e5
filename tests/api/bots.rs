//! Bots at tables of players: asked by the host, and playing for who is away.

use futures::future::join_all;
use remik::proto::v1::{
    BotStrength, ForfeitCause, GameOverCause, GameState, ListGamesRequest, NewBot, ResumeSeatResponse,
    event::Kind, game_end::End, game_service_client::GameServiceClient,
};
use serde_json::json;
use tokio::time::timeout;
use tonic::Code;
use uuid::Uuid;

use crate::{
    bot::Bot,
    client::{Client, Command, Failure, Order, Via, fresh_id},
    clocks::{BOUND, kinds, next_move, timed_out, until},
    log::Log,
    on_each_backend,
    party::{GAME, Party, Wish, any_seed, get_ready, play},
    practice::post,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    the_host_asks_bots_to_the_table
    a_bot_plays_on_for_who_leaves_until_he_is_back
    a_bot_plays_on_for_who_sleeps_until_he_is_back
    bots_for_all_dont_play_on
}

fn reason<T: std::fmt::Debug>(answer: Result<T, Failure>) -> (Code, String) {
    let refused = answer.unwrap_err().refused();
    (refused.code, refused.reason)
}

async fn resume(url: &str, player: &Client, game: &str) -> Result<ResumeSeatResponse, Failure> {
    let body = json!({"requestId": fresh_id().to_string()});
    post(url, player, &format!("games/{game}:resume"), body, "ResumeSeatResponse").await
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
        play(bot, 0, &async |client: &Client, order: &Order| client.send(order).await)
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

async fn bots_for_all_dont_play_on(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &bots_stand_in(Wish::seats(2))).await;
    let started = get_ready(&party).await;
    let leave = || Order::new(&party.game, started, Command::Leave);
    assert_eq!(party.players[0].send(&leave()).await.unwrap().view.state(), GameState::Playing);
    let over = party.players[1].send(&leave()).await.unwrap().view;
    assert_eq!(over.result.unwrap().cause(), GameOverCause::Abandoned);
    service.stop().await;
}
