//! Another game with the same people.

use remik::proto::v1::{GameState, GameView, event::Kind};
use serde_json::{Value as Json, json};

use crate::{
    call::reason,
    client::{Client, Command, Failure, Order, Via, from_json},
    clocks::until,
    log::Log,
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
    tables::{ask, command, sit},
};

on_each_backend! {
    the_same_people_play_again_a_seat_further
    two_who_ask_at_once_get_the_same_game
    a_seat_is_kept_for_a_time_or_until_it_is_declined
}

fn view(answer: Result<Json, Failure>) -> GameView {
    from_json("GameView", &answer.unwrap()["view"].to_string())
}

async fn rematch(url: &str, via: Via, who: &Client, game: &str) -> Result<Json, Failure> {
    ask(url, via, who, "Rematch", &json!({"gameId": game, "seconds": 10})).await
}

/// A game that is over: all but one have left.
async fn over(url: &str, wish: &Wish) -> Party {
    let party = Party::seated(url, wish).await;
    get_ready(&party).await;
    for player in &party.players[1..] {
        player.send(&Order::new(&party.game, 0, Command::Leave)).await.unwrap();
    }
    party
}

async fn the_same_people_play_again_a_seat_further(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(3).private()).await;
    let [ala, ola, ewa] = &party.players[..] else { panic!() };
    get_ready(&party).await;
    assert_eq!(reason(rematch(url, Via::Rest, ala, &party.game).await), "GAME_NOT_OVER");
    for player in [ola, ewa] {
        player.send(&Order::new(&party.game, 0, Command::Leave)).await.unwrap();
    }
    let mut stream = ewa.watch(&party.game, Some(0)).await.unwrap();
    let stranger = Client::guest(url, Via::Grpc, "Obcy").await.unwrap();
    assert_eq!(reason(rematch(url, Via::Rest, &stranger, &party.game).await), "GAME_NOT_FOUND");
    let made = view(rematch(url, Via::Grpc, ola, &party.game).await);
    assert_eq!((made.your_seat, made.state()), (Some(2), GameState::Waiting));
    let kept: Vec<_> = made.kept_seats.iter().map(|kept| (kept.seat, kept.player_id.clone())).collect();
    assert_eq!(kept, [(1, ala.id.clone()), (0, ewa.id.clone())]);
    let told = until(&mut stream, |kind| matches!(kind, Kind::RematchMade(_))).await;
    let Some(Kind::RematchMade(told)) = &told.last().unwrap().events[0].kind else { panic!() };
    assert_eq!((told.seat, &told.game_id), (1, &made.game_id));
    assert_eq!(ala.look(&party.game).await.unwrap().rematch_game_id, made.game_id);
    // Whoever else asks is answered with the same game; nobody else takes a seat.
    assert_eq!(view(rematch(url, Via::Rest, ala, &party.game).await).game_id, made.game_id);
    assert_eq!(reason(sit(url, Via::Rest, &stranger, &made.game_id).await), "GAME_NOT_FOUND");
    let by_code = Order::new("", 0, Command::JoinByCode(made.invite_code.clone()));
    assert_eq!(reason(stranger.send(&by_code).await), "SEAT_KEPT");
    sit(url, Via::Rest, ala, &made.game_id).await.unwrap();
    sit(url, Via::Grpc, ewa, &made.game_id).await.unwrap();
    let seated = ola.look(&made.game_id).await.unwrap();
    let seats = [ewa, ala, ola].map(|player| player.id.clone());
    assert_eq!(seated.seats.iter().map(|seat| seat.player_id.clone()).collect::<Vec<_>>(), seats);
    for player in &party.players {
        player.send(&Order::new(&made.game_id, 0, Command::Ready(String::new()))).await.unwrap();
    }
    assert_eq!(ola.look(&made.game_id).await.unwrap().state(), GameState::Playing);
}

async fn two_who_ask_at_once_get_the_same_game(backend: Backend) {
    let database = fresh(backend).await;
    let mut services = vec![Service::start(&database.url).await];
    if backend == Backend::Postgres {
        services.push(Service::start(&database.url).await);
    }
    let urls: Vec<_> = services.iter().map(|service| service.url.clone()).collect();
    let (here, there) = (urls[0].as_str(), urls[urls.len() - 1].as_str());
    let mut games = Vec::new();
    for _ in 0..6 {
        let party = over(here, &Wish::seats(2)).await;
        let [ala, ola] = &party.players[..] else { panic!() };
        let (one, other) = tokio::join!(
            rematch(here, Via::Grpc, ala, &party.game),
            rematch(there, Via::Rest, ola, &party.game)
        );
        let (one, other) = (view(one), view(other));
        assert_eq!(one.game_id, other.game_id);
        let asked: Vec<_> = [one.your_seat, other.your_seat].into_iter().flatten().collect();
        assert_eq!(asked.len(), 1, "one has made it and sits, for the other a seat is kept");
        games.push((party.game, one.game_id));
    }
    // Asked once more after a restart, by whoever wasn't first: it is still the same.
    for service in services {
        service.stop().await;
    }
    for (old, new) in &games {
        let log = Log::read(&database.url, old).await;
        let made = log.moves.iter().filter(|mv| mv.request_id.is_none() && mv.seat.is_some()).count();
        assert_eq!(made, 1, "one move names the rematch");
        assert_eq!(Log::read(&database.url, new).await.moves.len(), 1);
    }
}

async fn a_seat_is_kept_for_a_time_or_until_it_is_declined(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = over(url, &Wish::seats(3)).await;
    let [ala, ola, ewa] = &party.players[..] else { panic!() };
    let game = view(rematch(url, Via::Rest, ala, &party.game).await).game_id;
    let stranger = Client::guest(url, Via::Grpc, "Obcy").await.unwrap();
    assert_eq!(reason(sit(url, Via::Rest, &stranger, &game).await), "SEAT_KEPT");
    let nothing = ask(url, Via::Rest, &stranger, "DeclineSeat", &command(&game, &json!({}))).await;
    assert_eq!(reason(nothing), "NO_SEAT_KEPT");
    let decline = command(&game, &json!({}));
    let answer = ask(url, Via::Rest, ola, "DeclineSeat", &decline).await.unwrap();
    let again = ask(url, Via::Grpc, ola, "DeclineSeat", &decline).await.unwrap();
    assert_eq!(answer["version"], again["version"]);
    sit(url, Via::Rest, &stranger, &game).await.unwrap();
    // The other seat is kept until the clock says otherwise.
    let mut stream = ewa.watch(&game, Some(0)).await.unwrap();
    let moves = until(&mut stream, |kind| matches!(kind, Kind::OfferEnded(ended) if ended.seat == 0)).await;
    assert_eq!(moves.last().unwrap().seat, None);
    let late = Client::guest(url, Via::Grpc, "Późna").await.unwrap();
    sit(url, Via::Grpc, &late, &game).await.unwrap();
    assert_eq!(reason(sit(url, Via::Grpc, ewa, &game).await), "TABLE_FULL");
}
