//! Requests that are no good: each has its typed refusal, and none changes anything.

use remik::proto::v1::{DrawSource, GameView, RunEnd};
use reqwest::Method;
use serde_json::{Value as Json, json};
use tonic::Code;
use uuid::Uuid;

use crate::{
    client::{Client, Command, Failure, Order, Refused, Via, fresh_id, rest::refusal},
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    commands_that_cannot_be
    bodies_that_are_none
    commands_at_the_wrong_time
}

/// A game of two whose turn has begun.
struct Position {
    service: Service,
    party: Party,
    due: Client,
    view: GameView,
}

impl Position {
    async fn deal(url: &str) -> Self {
        let service = Service::start(url).await;
        let party = Party::seated(&service.url, &Wish::seats(2)).await;
        get_ready(&party).await;
        let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat;
        let due = party.players[turn as usize].clone();
        let view = due.look(&party.game).await.unwrap();
        Self { service, party, due, view }
    }

    async fn draw(&mut self) {
        let order = Order::new(&self.party.game, self.view.version, Command::Draw(DrawSource::Stock));
        self.view = self.due.send(&order).await.unwrap().view;
    }

    async fn is_untouched(&self) {
        let view = self.due.look(&self.party.game).await.unwrap();
        let timeless = |view: GameView| GameView { server_time: None, ..view };
        assert_eq!(timeless(view), timeless(self.view.clone()));
    }

    fn hand(&self) -> &[String] {
        &self.view.deal.as_ref().unwrap().hand
    }

    /// Cards that the player doesn't hold, nor sees.
    fn elsewhere(&self) -> Vec<String> {
        let deal = self.view.deal.as_ref().unwrap();
        let seen: Vec<&String> = deal.hand.iter().chain(&deal.pile).collect();
        let faces =
            "23456789TJQKA".chars().flat_map(|rank| "SHDC".chars().map(move |suit| format!("{rank}{suit}")));
        faces.filter(|card| !seen.contains(&card)).collect()
    }
}

/// Commands by kind, what is told by code and reason, and a part of the metadata or a field at fault.
async fn commands_that_cannot_be(backend: Backend) {
    let database = fresh(backend).await;
    let mut position = Position::deal(&database.url).await;
    position.draw().await;
    let (hand, elsewhere) = (position.hand().to_vec(), position.elsewhere());
    let strings = |cards: &[&str]| cards.iter().map(|card| (*card).to_owned()).collect::<Vec<_>>();
    let meld = |cards: &[&str]| Command::Meld(vec![strings(cards)]);
    let lay_off = |meld: &str, cards: &[&str]| Command::LayOff {
        meld: meld.to_owned(),
        cards: strings(cards),
        end: RunEnd::Unspecified,
    };
    let swap = |meld: &str, card: &str, joker: &str| Command::SwapJoker {
        meld: meld.to_owned(),
        card: card.to_owned(),
        joker: joker.to_owned(),
    };
    let discard = |card: &str| Command::Discard(card.to_owned());
    let (invalid, against) = (Code::InvalidArgument, Code::FailedPrecondition);
    let many: Vec<&str> = vec!["7H"; 33];
    // Case sv-01: cards that everybody sees or that are somebody's, but never a meld.
    let unrelated = unrelated(&hand);
    let unrelated: Vec<&str> = unrelated.iter().map(String::as_str).collect();
    let disguised: Vec<String> =
        unrelated.iter().zip(["7H", "8H", "9H"]).map(|(card, face)| format!("{card}={face}")).collect();
    let disguised: Vec<&str> = disguised.iter().map(String::as_str).collect();
    let table: Vec<(Command, Code, &str, Told)> = vec![
        (meld(&unrelated), against, "NOT_A_MELD", Told::Key("cards", unrelated.join(" "))),
        (
            meld(&[&elsewhere[0], &elsewhere[1], &elsewhere[2]]),
            against,
            "CARD_NOT_IN_HAND",
            Told::Key("card", elsewhere[0].clone()),
        ),
        (
            meld(&[&hand[0], &hand[0], &hand[1]]),
            invalid,
            "CARD_NAMED_TWICE",
            Told::Key("card", hand[0].clone()),
        ),
        (meld(&["7H", "1Z", "9H"]), invalid, "MALFORMED_FIELD", Told::Field("melds[0].cards[1]")),
        // Case sv-02: a card is named by its code alone, whatever a client says that it is.
        (meld(&disguised), against, "NOT_A_MELD", Told::Key("fault", "WRONG_BINDING".to_owned())),
        (
            meld(&["{\"rank\":7,\"suit\":\"H\"}", "8H", "9H"]),
            invalid,
            "MALFORMED_FIELD",
            Told::Field("melds[0].cards[0]"),
        ),
        (meld(&["X7", "8H", "9H"]), invalid, "MALFORMED_FIELD", Told::Field("melds[0].cards[0]")),
        (meld(&["X1=X2", "8H", "9H"]), invalid, "MALFORMED_FIELD", Told::Field("melds[0].cards[0]")),
        (meld(&["", "8H", "9H"]), invalid, "MISSING_FIELD", Told::Field("melds[0].cards[0]")),
        (meld(&[]), invalid, "MISSING_FIELD", Told::Field("melds[0].cards")),
        (meld(&many), invalid, "FIELD_OUT_OF_RANGE", Told::Field("melds[0].cards")),
        (Command::Meld(Vec::new()), invalid, "MISSING_FIELD", Told::Field("melds")),
        (Command::Meld(vec![strings(&["7H"]); 15]), invalid, "FIELD_OUT_OF_RANGE", Told::Field("melds")),
        (lay_off("m1", &[&hand[0]]), against, "NO_SUCH_MELD", Told::Key("meld", "m1".to_owned())),
        (lay_off("m99999999999", &[&hand[0]]), invalid, "MALFORMED_FIELD", Told::Field("meld_id")),
        (lay_off("", &[&hand[0]]), invalid, "MISSING_FIELD", Told::Field("meld_id")),
        (lay_off("m1", &[]), invalid, "MISSING_FIELD", Told::Field("cards")),
        (lay_off("m1", &many), invalid, "FIELD_OUT_OF_RANGE", Told::Field("cards")),
        (swap("m1", &hand[0], "X1"), against, "NO_SUCH_MELD", Told::Key("meld", "m1".to_owned())),
        (swap("m1", "", "X1"), invalid, "MISSING_FIELD", Told::Field("card")),
        (swap("m1", &hand[0], "joker"), invalid, "MALFORMED_FIELD", Told::Field("joker")),
        (discard(&elsewhere[0]), against, "CARD_NOT_IN_HAND", Told::Key("card", elsewhere[0].clone())),
        (discard("🂡"), invalid, "MALFORMED_FIELD", Told::Field("card")),
        (discard(&"7H".repeat(5000)), invalid, "MALFORMED_FIELD", Told::Field("card")),
        (Command::Draw(DrawSource::Stock), against, "ALREADY_DRAWN", Told::Anything),
        (Command::Draw(DrawSource::Unspecified), invalid, "MISSING_FIELD", Told::Field("source")),
        (Command::Undo, against, "NOTHING_TO_UNDO", Told::Anything),
        (Command::Ready(String::new()), against, "DEAL_RUNNING", Told::Anything),
        (Command::Ready("abc".to_owned()), invalid, "MALFORMED_FIELD", Told::Field("client_seed")),
        (Command::Ready("00".repeat(65)), invalid, "FIELD_OUT_OF_RANGE", Told::Field("client_seed")),
        (Command::Join(None), against, "ALREADY_SEATED", Told::Anything),
        (Command::Join(Some(6)), invalid, "FIELD_OUT_OF_RANGE", Told::Field("seat")),
        (Command::JoinByCode("!!!!".to_owned()), invalid, "MALFORMED_FIELD", Told::Field("invite_code")),
    ];
    for via in [Via::Grpc, Via::Rest] {
        let client = position.due.at(&position.service.url, via);
        for (command, code, reason, told) in &table {
            let order = Order::new(&position.party.game, position.view.version, command.clone());
            let refused = client.send(&order).await.unwrap_err().refused();
            assert_eq!(refused.code, *code, "{command:?}: {refused:?}");
            told.check(&refused, reason, command);
        }
        let ahead = Order::new(&position.party.game, position.view.version + 1, Command::Undo);
        let refused = client.send(&ahead).await.unwrap_err().refused();
        assert_eq!((refused.code, refused.reason.as_str()), (invalid, "VERSION_AHEAD"));
        assert_eq!(refused.fields, ["known_version"]);
        let nowhere = Order::new(&Uuid::now_v7().to_string(), 1, Command::Undo);
        assert_eq!(client.send(&nowhere).await.unwrap_err().refused().reason, "GAME_NOT_FOUND");
    }
    position.is_untouched().await;
}

/// Three cards of a hand that are no meld in any way.
fn unrelated(hand: &[String]) -> Vec<String> {
    let mut chosen: Vec<String> = Vec::new();
    for card in hand.iter().filter(|card| !card.starts_with('X')) {
        // Another rank and another suit than those before.
        if chosen.iter().all(|other| other[..1] != card[..1]) && chosen.len() < 2 {
            chosen.push(card.clone());
        } else if chosen.len() == 2 && chosen.iter().any(|other| other[1..2] != card[1..2]) {
            chosen.push(card.clone());
            break;
        }
    }
    assert_eq!(chosen.len(), 3, "{hand:?}");
    chosen
}

/// What a refusal says besides its reason.
enum Told {
    Key(&'static str, String),
    Field(&'static str),
    Anything,
}

impl Told {
    fn check(&self, refused: &Refused, reason: &str, asked: &dyn std::fmt::Debug) {
        if !reason.is_empty() {
            assert_eq!(refused.reason, reason, "{asked:?}");
        }
        match self {
            Self::Key(key, value) => assert_eq!(refused.metadata.get(*key), Some(value), "{asked:?}"),
            Self::Field(field) => assert_eq!(refused.fields, [*field], "{asked:?}"),
            Self::Anything => {}
        }
    }
}

/// Over REST as anybody could write it.
async fn bodies_that_are_none(backend: Backend) {
    let database = fresh(backend).await;
    let position = Position::deal(&database.url).await;
    let (url, game) = (&position.service.url, &position.party.game);
    let http = reqwest::Client::new();
    let id = fresh_id().to_string();
    let draw = |fields: Json| {
        let mut body = json!({"requestId": id, "source": "DRAW_SOURCE_STOCK"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body.to_string().into_bytes()
    };
    let deep = format!("{{\"source\":{}1{}}}", "[".repeat(20_000), "]".repeat(20_000));
    let here = format!("/v1/games/{game}:draw");
    let table: Vec<(&str, Vec<u8>, u16, &str, &str)> = vec![
        (&here, Vec::new(), 400, "MISSING_FIELD", "request_id"),
        (&here, b"{}".to_vec(), 400, "MISSING_FIELD", "request_id"),
        (&here, b"[]".to_vec(), 400, "MALFORMED_REQUEST", "*"),
        (&here, b"null".to_vec(), 400, "MALFORMED_REQUEST", "*"),
        (&here, b"{\"requestId\":".to_vec(), 400, "MALFORMED_REQUEST", "*"),
        (&here, b"\xff\xfe{}".to_vec(), 400, "MALFORMED_REQUEST", "*"),
        (&here, draw(json!({"requestId": "\u{0}"})), 400, "MALFORMED_FIELD", "request_id"),
        (&here, draw(json!({"requestId": "12345678"})), 400, "MALFORMED_FIELD", "request_id"),
        (&here, draw(json!({"requestId": 7})), 400, "MALFORMED_REQUEST", "*"),
        (&here, draw(json!({"source": "DRAW_SOURCE_SLEEVE"})), 400, "MALFORMED_REQUEST", "*"),
        (&here, draw(json!({"source": 77})), 400, "FIELD_OUT_OF_RANGE", "source"),
        (&here, draw(json!({"source": ["DRAW_SOURCE_STOCK"]})), 400, "MALFORMED_REQUEST", "*"),
        (&here, draw(json!({"knownVersion": -1})), 400, "MALFORMED_REQUEST", "*"),
        (&here, draw(json!({"knownVersion": 1e20})), 400, "MALFORMED_REQUEST", "*"),
        (&here, draw(json!({"card": {"rank": 7, "suit": "H"}})), 400, "MALFORMED_REQUEST", "*"),
        (&here, deep.into_bytes(), 400, "MALFORMED_REQUEST", "*"),
        (&here, vec![b' '; 1 << 20], 413, "BODY_TOO_LARGE", "*"),
        ("/v1/games/not-a-uuid:draw", draw(json!({})), 400, "MALFORMED_FIELD", "game_id"),
        ("/v1/games/%00:draw", draw(json!({})), 400, "", "*"),
        ("/v1/games/:draw", draw(json!({})), 404, "NO_SUCH_ROUTE", "*"),
    ];
    let send = async |path: &str, body: Vec<u8>, kind: &str| {
        let request = http.request(Method::POST, format!("{url}{path}")).bearer_auth(&position.due.token);
        let response = request.header("content-type", kind).body(body).send().await.unwrap();
        let status = response.status().as_u16();
        (status, refusal(response).await.refused())
    };
    for (path, body, status, reason, field) in table {
        let text = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        let (got, refused) = send(path, body, "application/json").await;
        assert_eq!(got, status, "{path} {text}: {refused:?}");
        if !reason.is_empty() {
            assert_eq!(refused.reason, reason, "{path} {text}: {refused:?}");
        }
        if field != "*" {
            assert_eq!(refused.fields, [field], "{path} {text}");
        }
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
        let (status, refused) = send(&here, draw(json!({})), kind).await;
        assert_eq!((status, refused.reason.as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"), "{kind}");
    }
    for token in
        ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer remik_guest_", "Bearer \u{fffd}", "bearer x y"]
    {
        let request = http.post(format!("{url}{here}")).header("authorization", token.as_bytes());
        let response = request.json(&json!({"requestId": id, "source": 1})).send().await.unwrap();
        assert_eq!(response.headers()["www-authenticate"], "Bearer", "{token}");
        assert_eq!(refusal(response).await.refused().reason, "UNAUTHENTICATED", "{token}");
    }
    position.is_untouched().await;
}

/// Before the first deal, out of turn, before the draw, and after the end.
async fn commands_at_the_wrong_time(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let refuse = async |client: &Client, version: u32, command: Command| match client
        .send(&Order::new(&party.game, version, command))
        .await
    {
        Err(Failure::Refused(refused)) => {
            assert_eq!(refused.code, Code::FailedPrecondition);
            refused.reason
        }
        other => panic!("{other:?}"),
    };
    let (draw, undo) = (Command::Draw(DrawSource::Stock), Command::Undo);
    let discard = Command::Discard("7H".to_owned());
    for player in &party.players {
        for command in [&draw, &undo, &discard] {
            assert_eq!(refuse(player, 2, command.clone()).await, "NO_DEAL_RUNNING");
        }
        assert_eq!(refuse(player, 2, Command::Join(None)).await, "ALREADY_SEATED");
    }
    assert_eq!(party.players[0].look(&party.game).await.unwrap().version, 2);

    let ready = Order::new(&party.game, 2, Command::Ready(String::new()));
    party.players[0].send(&ready).await.unwrap();
    assert_eq!(refuse(&party.players[0], 3, Command::Ready(String::new())).await, "ALREADY_READY");
    let second = Order::new(&party.game, 3, Command::Ready(String::new()));
    let turn = party.players[1].send(&second).await.unwrap().view.deal.unwrap().turn.unwrap().seat as usize;
    let (due, other) = (&party.players[turn], &party.players[1 - turn]);
    for command in [&draw, &undo, &discard] {
        assert_eq!(refuse(other, 4, command.clone()).await, "NOT_YOUR_TURN");
    }
    for command in [&undo, &discard] {
        assert_eq!(refuse(due, 4, command.clone()).await, "DRAW_FIRST");
    }
    assert_eq!(due.look(&party.game).await.unwrap().version, 4);

    due.send(&Order::new(&party.game, 4, Command::Leave)).await.unwrap();
    for player in &party.players {
        for command in [&draw, &undo, &discard, &Command::Leave, &Command::Ready(String::new())] {
            assert_eq!(refuse(player, 5, command.clone()).await, "GAME_OVER");
        }
        assert_eq!(player.look(&party.game).await.unwrap().version, 5);
    }
}
