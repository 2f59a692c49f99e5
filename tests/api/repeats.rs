//! Every command is safe to send again: the answer is the first one, whenever and whichever way it is asked for.

use std::{
    collections::BTreeSet,
    mem::{Discriminant, discriminant},
};

use futures::future::join_all;
use remik::proto::v1::{DrawSource, GameView, JokerSwap, RulesetOverrides, RunEnd, SwappedJoker};
use tonic::Code;

use crate::{
    client::{Answer, Client, Command, Order, Via},
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    every_command_of_a_game_can_be_sent_again
    leaving_can_be_sent_again
    a_table_is_opened_once
    another_command_under_the_same_id_is_refused
    ten_at_once_are_one
    two_commands_of_a_seat_at_once_both_count_or_one_is_refused
    all_get_ready_at_once
}

/// The other way than that of a seat.
fn other_way(url: &str, client: &Client, seat: u32) -> Client {
    client.at(url, if seat.is_multiple_of(2) { Via::Rest } else { Via::Grpc })
}

/// A game in which much is laid and swapped.
pub(crate) fn lively() -> Wish {
    let mut wish = Wish::seats(2).easy();
    wish.overrides = RulesetOverrides {
        jokers: Some(6),
        joker_swap: Some(JokerSwap::AnyTurn.into()),
        swapped_joker: Some(SwappedJoker::Kept.into()),
        ..wish.overrides
    };
    wish
}

async fn every_command_of_a_game_can_be_sent_again(backend: Backend) {
    let database = fresh(backend).await;
    let mut service = Service::start(&database.url).await;
    let wanted: BTreeSet<_> = kinds().into_iter().map(|(_, name)| name).collect();
    let mut seen = BTreeSet::new();
    for round in 0.. {
        assert!(round < 40, "only {seen:?} came up");
        let party = Party::seated(&service.url, &lively()).await;
        let url = &service.url;
        let bots = party.play_with(any_seed(), async |client, order| {
            let first = client.send(order).await?;
            let seat = first.view.your_seat.unwrap();
            let again = other_way(url, client, seat).send(order).await?;
            assert_eq!(again.timeless(), first.clone().timeless());
            Ok(first)
        });
        let bots = bots.await;
        let orders = || bots.iter().flat_map(|bot| &bot.answered);
        let (least, most) = (64, orders().count());
        seen.extend(orders().map(|(order, _)| name(&order.command)));
        if seen.len() < wanted.len() || most <= least {
            continue;
        }
        service.stop().await;
        service = Service::start(&database.url).await;
        for bot in &bots {
            for (order, first) in &bot.answered {
                let client = other_way(&service.url, &bot.client, bot.seat + order.known_version % 2);
                let again = client.send(order).await.unwrap();
                assert_eq!(again.timeless(), first.clone().timeless(), "{order:?}");
            }
        }
        let moves = bots[0].seen.len();
        assert_eq!(
            bots[0].client.at(&service.url, Via::Grpc).look(&party.game).await.unwrap().version,
            moves as u32
        );
        break;
    }
}

/// The kinds of commands that come up while a game is played.
pub(crate) fn kinds() -> [(Discriminant<Command>, &'static str); 7] {
    let none = String::new;
    [
        (discriminant(&Command::Ready(none())), "ready"),
        (discriminant(&Command::Draw(DrawSource::Stock)), "draw"),
        (discriminant(&Command::Meld(Vec::new())), "meld"),
        (discriminant(&Command::LayOff { meld: none(), cards: Vec::new(), end: RunEnd::Low }), "lay off"),
        (discriminant(&Command::SwapJoker { meld: none(), card: none(), joker: none() }), "swap"),
        (discriminant(&Command::Discard(none())), "discard"),
        (discriminant(&Command::Undo), "undo"),
    ]
}

pub(crate) fn name(command: &Command) -> &'static str {
    kinds().into_iter().find(|(kind, _)| *kind == discriminant(command)).unwrap().1
}

async fn leaving_can_be_sent_again(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    for wish in [Wish::seats(2), Wish::seats(2).private()] {
        let party = Party::seated(&service.url, &wish).await;
        let guest = &party.players[1];
        let leave = Order::new(&party.game, 2, Command::Leave);
        let left = guest.send(&leave).await.unwrap();
        assert_eq!((left.version, left.view.your_seat), (3, None));
        // Into the same seat again, which changes nothing about the first leaving.
        let join = Order::new(&party.game, 0, Command::JoinByCode(party.code.clone()));
        let joined = guest.send(&join).await.unwrap();
        assert_eq!((joined.version, joined.view.your_seat), (4, Some(1)));
        let second = Order::new(&party.game, 4, Command::Leave);
        let gone = guest.send(&second).await.unwrap();
        for (order, first) in [(&leave, &left), (&join, &joined), (&second, &gone)] {
            for via in [Via::Grpc, Via::Rest] {
                let again = guest.at(&service.url, via).send(order).await.unwrap();
                assert_eq!(again.timeless(), first.clone().timeless());
            }
        }
    }
}

async fn a_table_is_opened_once(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let owner = Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap();
    let wish = Wish::seats(3).private();
    let request = wish.request();
    let created = join_all((0..10).map(|n| {
        let client = owner.at(&service.url, if n % 2 == 0 { Via::Grpc } else { Via::Rest });
        let request = request.clone();
        async move { client.create(request).await.unwrap() }
    }))
    .await;
    let timeless = |view: &GameView| GameView { server_time: None, ..view.clone() };
    let first = timeless(created[0].view.as_ref().unwrap());
    for again in &created {
        assert_eq!((again.version, timeless(again.view.as_ref().unwrap())), (1, first.clone()));
    }
    // Later it is still the answer of then, not the table of now.
    let guest = Client::guest(&service.url, Via::Rest, "Ola").await.unwrap();
    guest.send(&Order::new("", 0, Command::JoinByCode(first.invite_code.clone()))).await.unwrap();
    service.kill();
    let service = Service::start(&database.url).await;
    let again = owner.at(&service.url, Via::Rest).create(request.clone()).await.unwrap();
    assert_eq!((again.version, timeless(&again.view.unwrap())), (1, first.clone()));

    // The id is its owner's alone, and for this table alone.
    let theirs = guest.at(&service.url, Via::Grpc).create(request.clone()).await.unwrap().view.unwrap();
    assert_ne!(theirs.game_id, first.game_id);
    let mut other = request;
    other.seats = 4;
    let refused = owner.at(&service.url, Via::Grpc).create(other).await.unwrap_err().refused();
    assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
}

async fn another_command_under_the_same_id_is_refused(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat;
    let due = &party.players[turn as usize];
    let draw = Order::new(&party.game, version, Command::Draw(DrawSource::Stock));
    let drawn = due.send(&draw).await.unwrap();
    for command in [
        Command::Draw(DrawSource::Discard),
        Command::Discard(drawn.view.deal.as_ref().unwrap().hand[0].clone()),
        Command::Undo,
        Command::Leave,
        Command::Join(None),
    ] {
        for via in [Via::Grpc, Via::Rest] {
            let order = Order { command: command.clone(), ..draw.clone() };
            let refused = due.at(&service.url, via).send(&order).await.unwrap_err().refused();
            assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
            assert_eq!(refused.fields, ["request_id"]);
        }
    }
    assert_eq!(due.send(&draw).await.unwrap().timeless(), drawn.timeless());
    assert_eq!(due.look(&party.game).await.unwrap().version, version + 1);
}

async fn ten_at_once_are_one(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let url = &service.url;
    let bots = party.play_with(any_seed(), async |client, order| {
        let copies = if order.known_version < 40 { 10 } else { 1 };
        let answers = join_all((0..copies).map(|n| {
            let client = client.at(url, if n % 2 == 0 { Via::Grpc } else { Via::Rest });
            async move { client.send(order).await.unwrap().timeless() }
        }));
        let answers: Vec<Answer> = answers.await;
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
        Ok(answers.into_iter().next().unwrap())
    });
    let bots = bots.await;
    service.stop().await;
    let log = Log::read(&database.url, &party.game).await;
    let commands: usize = bots.iter().map(|bot| bot.answered.len()).sum();
    assert_eq!(log.moves.len(), 2 + commands, "one for the table, one for the second seat");
    bots.iter().for_each(|bot| crate::games::check_answers(bot, &log));
}

async fn two_commands_of_a_seat_at_once_both_count_or_one_is_refused(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut lost = 0;
    for _ in 0..8 {
        let party = Party::seated(&service.url, &Wish::seats(2)).await;
        let version = get_ready(&party).await;
        let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat;
        let due = &party.players[turn as usize];
        let [grpc, rest] = [Via::Grpc, Via::Rest].map(|via| due.at(&service.url, via));
        let draws = [DrawSource::Stock, DrawSource::Discard]
            .map(|source| Order::new(&party.game, version, Command::Draw(source)));
        let outcomes = tokio::join!(grpc.send(&draws[0]), rest.send(&draws[1]));
        let (won, refused) = match outcomes {
            (Ok(won), Err(refused)) | (Err(refused), Ok(won)) => (won, refused.refused()),
            both => panic!("{both:?}"),
        };
        assert_eq!((won.version, refused.reason.as_str()), (version + 1, "ALREADY_DRAWN"));

        // Discarding and drawing don't get into each other's way: whichever comes first, none is lost.
        let hand = &won.view.deal.as_ref().unwrap().hand;
        let taken = &won.view.deal.as_ref().unwrap().turn.as_ref().unwrap().taken_card;
        let card =
            hand.iter().find(|card| !card.starts_with('X') && taken.get(..2) != card.get(..2)).unwrap();
        let discard = Order::new(&party.game, version + 1, Command::Discard(card.clone()));
        let other = &party.players[1 - turn as usize];
        let draw = Order::new(&party.game, version + 1, Command::Draw(DrawSource::Stock));
        let (discarded, drawn) = tokio::join!(due.send(&discard), other.send(&draw));
        assert_eq!(discarded.unwrap().version, version + 2);
        let last = match drawn {
            Ok(drawn) => drawn.version,
            Err(refused) => {
                assert_eq!(refused.refused().reason, "NOT_YOUR_TURN");
                lost += 1;
                version + 2
            }
        };
        assert_eq!(due.look(&party.game).await.unwrap().version, last);
    }
    println!("{lost} of 8 draws came too early");
}

async fn all_get_ready_at_once(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(4)).await;
    let ready = party.players.iter().zip(0..).map(async |(player, seat)| {
        let order = Order::new(&party.game, 4, Command::Ready(format!("0{seat}")));
        player.send(&order).await.unwrap()
    });
    let mut versions: Vec<u32> = join_all(ready).await.iter().map(|answer| answer.version).collect();
    versions.sort_unstable();
    assert_eq!(versions, [5, 6, 7, 8]);
    let view = party.players[3].look(&party.game).await.unwrap();
    let mut seeds: Vec<String> = view.deal.unwrap().client_seeds.into_iter().map(|seed| seed.seed).collect();
    seeds.sort_unstable();
    assert_eq!(seeds, ["00", "01", "02", "03"]);
}
