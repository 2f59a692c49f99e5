//! Two instances over one database.

use remik::proto::v1::{GameState, LegalMoves, watch_game_response::Item};

use crate::{
    bot::Bot,
    client::{Answer, Command, Failure, Order, Via},
    log::Log,
    party::{Party, Wish, any_seed},
    service::Service,
    support::database::{Backend, fresh},
};

/// Every command goes to the other instance than the one before, and is repeated at the one that hasn't taken it:
/// nobody can tell that there are two.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_played_at_two_instances_by_turns() {
    let database = fresh(Backend::Postgres).await;
    let services = [Service::start(&database.url).await, Service::start(&database.url).await];
    let urls = services.each_ref().map(|service| service.url.clone());
    let party = Party::seated(&urls[0], &Wish::seats(2).easy()).await;
    let seed = any_seed();
    println!("the seed of this game is {seed}");
    let mut bots: Vec<Bot> = party
        .players
        .iter()
        .zip(0..)
        .map(|(client, seat)| Bot::new(client.clone(), &party.game, seat, 2, seed))
        .collect();
    let mut told: Vec<(Order, Answer)> = Vec::new();
    let mut version = 2;
    for turn in 0.. {
        let (here, there) = (&urls[turn % 2], &urls[(turn + 1) % 2]);
        let via = if turn % 4 < 2 { Via::Grpc } else { Via::Rest };
        let (due, legal) = due(&party, here, via, version).await;
        let order = Order::new(&party.game, version, bots[due].choose(&legal));
        let answer = party.players[due].at(here, via).send(&order).await.unwrap();
        let again = party.players[due].at(there, via).send(&order).await.unwrap();
        assert_eq!(again.timeless(), answer.clone().timeless());
        assert_eq!(answer.version, version + 1);
        version = answer.version;
        let over = answer.view.state() == GameState::Over;
        told.push((order, answer));
        if over {
            break;
        }
    }
    // What was answered long ago is answered again by either.
    for (order, first) in &told {
        let seat = first.view.your_seat.unwrap() as usize;
        for url in &urls {
            let again = party.players[seat].at(url, Via::Grpc).send(order).await.unwrap();
            assert_eq!(again.timeless(), first.clone().timeless());
        }
    }
    for service in services {
        service.stop().await;
    }
    let log = Log::read(&database.url, &party.game).await;
    assert_eq!(log.moves.len() as u32, version);
    for (order, answer) in &told {
        assert_eq!(log.moves[answer.version as usize - 1].request_id, Some(order.request_id));
    }
}

/// Who has to act after a move, and how he may.
async fn due(party: &Party, url: &str, via: Via, version: u32) -> (usize, LegalMoves) {
    for (seat, player) in party.players.iter().enumerate() {
        let legal = player.at(url, via).legal_moves(&party.game, version).await.unwrap();
        assert_eq!(legal.version, version);
        let moves = legal.moves.unwrap();
        let plays = moves.melds.len() + moves.lay_offs.len() + moves.swaps.len();
        if moves.can_get_ready || plays + moves.draws.len() + moves.discards.len() > 0 {
            return (seat, moves);
        }
    }
    panic!("nobody can act");
}

/// An instance that knows an old state of a private table lets in who has a seat since.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_counts_at_every_instance_at_once() {
    let database = fresh(Backend::Postgres).await;
    let services = [Service::start(&database.url).await, Service::start(&database.url).await];
    let [here, there] = services.each_ref().map(|service| service.url.as_str());
    for what in 0..4 {
        let party = Party::seated(here, &Wish::seats(3).private()).await;
        party.players[0].at(there, Via::Grpc).look(&party.game).await.unwrap();
        party.players[1].send(&Order::new(&party.game, 3, Command::Leave)).await.unwrap();
        let late = crate::client::Client::guest(here, Via::Rest, "Ewa").await.unwrap();
        late.send(&Order::new("", 0, Command::JoinByCode(party.code.clone()))).await.unwrap();
        let late = late.at(there, Via::Rest);
        let game = &party.game;
        let outcome: Result<(), Failure> = match what {
            0 => late.look(game).await.map(drop),
            1 => late.legal_moves(game, 0).await.map(drop),
            2 => late.send(&Order::new(game, 0, Command::Ready(String::new()))).await.map(drop),
            _ => late.watch(game, Some(0)).await.map(drop),
        };
        outcome.unwrap();
    }
}

/// Who watches at one instance sees what is played at the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_goes_on_at_every_instance() {
    let database = fresh(Backend::Postgres).await;
    let services = [Service::start(&database.url).await, Service::start(&database.url).await];
    let [here, there] = services.each_ref().map(|service| service.url.as_str());
    let party = Party::seated(here, &Wish::seats(2).easy()).await;
    for via in [Via::Grpc, Via::Rest] {
        let mut stream = party.players[1].at(there, via).watch(&party.game, Some(0)).await.unwrap();
        let mut seen = 0;
        let mut see_up_to = async |version: u32| {
            while seen < version {
                let next = tokio::time::timeout(std::time::Duration::from_secs(10), stream.next()).await;
                let item = next.expect("within 10 s").unwrap().expect("the stream goes on");
                if let Some(Item::Move(made)) = item.item {
                    assert_eq!(made.version, seen + 1);
                    seen = made.version;
                }
            }
        };
        let now = party.players[0].look(&party.game).await.unwrap().version;
        see_up_to(now).await;
        let seat = if via == Via::Grpc { 0 } else { 1 };
        let ready = Order::new(&party.game, now, Command::Ready(String::new()));
        let answer = party.players[seat].at(here, via).send(&ready).await.unwrap();
        see_up_to(answer.version).await;
    }
}
