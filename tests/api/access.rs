//! Who may do what: strangers, private tables, other people's turns.

use remik::proto::v1::{DrawSource, RunEnd, Visibility};
use tonic::Code;
use uuid::Uuid;

use crate::{
    client::{Client, Command, Failure, Order, Refused, Via, Watch},
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_stranger_looks_and_does_nothing
    a_private_game_does_not_exist_for_strangers
    an_invite_code_opens_a_table
    a_token_acts_for_its_own_seat_alone
    who_leaves_a_private_table_is_a_stranger_to_it
}

const VIAS: [Via; 2] = [Via::Grpc, Via::Rest];

/// Every command of somebody who is seated.
fn commands() -> Vec<Command> {
    vec![
        Command::Leave,
        Command::Ready(String::new()),
        Command::Draw(DrawSource::Stock),
        Command::Meld(vec![vec!["7H".to_owned(), "8H".to_owned(), "9H".to_owned()]]),
        Command::LayOff { meld: "m1".to_owned(), cards: vec!["7H".to_owned()], end: RunEnd::Low },
        Command::SwapJoker { meld: "m1".to_owned(), card: "7H".to_owned(), joker: "X1".to_owned() },
        Command::Discard("7H".to_owned()),
        Command::Undo,
    ]
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Failure>) -> (Code, String) {
    let Refused { code, reason, .. } = outcome.unwrap_err().refused();
    (code, reason)
}

fn is(code: Code, reason: &str) -> (Code, String) {
    (code, reason.to_owned())
}

async fn refused_watch(client: &Client, game: &str) -> (Code, String) {
    let watch = async || client.watch(game, Some(0)).await?.next().await;
    refused(watch().await)
}

async fn a_stranger_looks_and_does_nothing(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    for via in VIAS {
        let stranger = Client::guest(&service.url, via, "Obcy").await.unwrap();
        for command in commands() {
            let order = Order::new(&party.game, version, command);
            let outcome = refused(stranger.send(&order).await);
            assert_eq!(outcome, is(Code::PermissionDenied, "NOT_SEATED"), "{order:?}");
        }
        let join = Order::new(&party.game, 0, Command::Join(None));
        assert_eq!(refused(stranger.send(&join).await), is(Code::FailedPrecondition, "ALREADY_STARTED"));
        let legal = stranger.legal_moves(&party.game, 0).await;
        assert_eq!(refused(legal), is(Code::PermissionDenied, "NOT_SEATED"));
        assert_eq!(stranger.look(&party.game).await.unwrap().version, version);
    }
}

async fn a_private_game_does_not_exist_for_strangers(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).private()).await;
    let nowhere = Uuid::now_v7().to_string();
    for via in VIAS {
        let stranger = Client::guest(&service.url, via, "Obcy").await.unwrap();
        let mut outcomes = Vec::new();
        // What he is told is the same as of a game that isn't.
        for game in [&party.game, &nowhere] {
            let mut told = vec![
                stranger.look(game).await.unwrap_err(),
                stranger.legal_moves(game, 0).await.unwrap_err(),
                stranger.send(&Order::new(game, 0, Command::Join(None))).await.unwrap_err(),
            ];
            for command in commands() {
                told.push(stranger.send(&Order::new(game, 0, command.clone())).await.unwrap_err());
                // Nor does he learn how many moves it has.
                told.push(stranger.send(&Order::new(game, 50, command)).await.unwrap_err());
            }
            assert_eq!(refused_watch(&stranger, game).await, is(Code::NotFound, "GAME_NOT_FOUND"));
            for failure in &told {
                assert_eq!(refused::<()>(Err(failure.clone())), is(Code::NotFound, "GAME_NOT_FOUND"));
            }
            outcomes.push(told);
        }
        assert_eq!(outcomes[0], outcomes[1]);
    }
    let view = party.players[1].look(&party.game).await.unwrap();
    assert_eq!((view.version, view.visibility()), (2, Visibility::Private));
}

async fn an_invite_code_opens_a_table(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let owner = Client::guest(&service.url, Via::Rest, "Ala").await.unwrap();
    for wish in [Wish::seats(3).private(), Wish::seats(3)] {
        let view = owner.create(wish.request()).await.unwrap().view.unwrap();
        let (start, end) = view.invite_code.split_at(3);
        let spellings = [format!("{start}-{end}").to_lowercase(), view.invite_code.clone()];
        for (spelling, via) in spellings.into_iter().zip(VIAS) {
            let guest = Client::guest(&service.url, via, "Gość").await.unwrap();
            let wrong = Order::new("", 0, Command::JoinByCode("AAAA-AAAA".to_owned()));
            assert_eq!(refused(guest.send(&wrong).await), is(Code::NotFound, "INVITE_NOT_FOUND"));
            let order = Order::new("", 0, Command::JoinByCode(spelling));
            let answer = guest.send(&order).await.unwrap();
            assert_eq!((&answer.view.game_id, &answer.view.invite_code), (&view.game_id, &view.invite_code));
            let again = Order { request_id: crate::client::fresh_id(), ..order };
            assert_eq!(refused(guest.send(&again).await), is(Code::FailedPrecondition, "ALREADY_SEATED"));
        }
        let late = Client::guest(&service.url, Via::Grpc, "Późny").await.unwrap();
        let order = Order::new("", 0, Command::JoinByCode(view.invite_code));
        assert_eq!(refused(late.send(&order).await), is(Code::FailedPrecondition, "TABLE_FULL"));
    }
}

async fn a_token_acts_for_its_own_seat_alone(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let version = get_ready(&party).await;
    let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat as usize;
    let (due, other) = (&party.players[turn], &party.players[1 - turn]);
    let draw = || Order::new(&party.game, version, Command::Draw(DrawSource::Stock));
    let told = other.send(&draw()).await.unwrap_err().refused();
    assert_eq!((told.code, told.reason.as_str()), (Code::FailedPrecondition, "NOT_YOUR_TURN"));
    assert_eq!(told.metadata["turn"], turn.to_string());
    // Not even with the same request id does he get an answer that is for somebody else.
    let order = draw();
    assert_eq!(due.send(&order).await.unwrap().made.seat, Some(turn as u32));
    assert_eq!(refused(other.send(&order).await), is(Code::InvalidArgument, "REQUEST_ID_REUSED"));
    for via in VIAS {
        let nobody = Client::nobody(&service.url, via);
        assert_eq!(refused(nobody.send(&draw()).await), is(Code::Unauthenticated, "UNAUTHENTICATED"));
        assert_eq!(refused(nobody.look(&party.game).await), is(Code::Unauthenticated, "UNAUTHENTICATED"));
        assert_eq!(refused_watch(&nobody, &party.game).await, is(Code::Unauthenticated, "UNAUTHENTICATED"));
        let mut forger = due.clone();
        forger.token.replace_range(forger.token.len() - 1.., "x");
        let forger = forger.at(&service.url, via);
        assert_eq!(refused(forger.send(&draw()).await), is(Code::Unauthenticated, "UNAUTHENTICATED"));
    }
    assert_eq!(due.look(&party.game).await.unwrap().version, version + 1);
}

async fn who_leaves_a_private_table_is_a_stranger_to_it(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).private()).await;
    let (stays, leaves) = (&party.players[0], &party.players[1]);
    let mut stream: Watch = leaves.watch(&party.game, Some(2)).await.unwrap();
    stream.next().await.unwrap();
    leaves.send(&Order::new(&party.game, 2, Command::Leave)).await.unwrap();
    assert_eq!(refused(stream.next().await), is(Code::NotFound, "GAME_NOT_FOUND"));
    assert_eq!(refused(leaves.look(&party.game).await), is(Code::NotFound, "GAME_NOT_FOUND"));
    assert_eq!(stays.look(&party.game).await.unwrap().version, 3);
}
