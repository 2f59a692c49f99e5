//! Games with chosen decks: they go as chosen, are marked everywhere, and nobody finds them.

use std::process::Command as Program;

use remik::proto::v1::{DrawSource, GameMove, GameState, GameView, ListGamesResponse, event::Kind};
use reqwest::{Method, Response};
use serde_json::{Value as Json, json};
use tonic::Code;

use crate::{
    client::{Client, Command, Failure, Order, Refused, Via, fresh_id, from_json, rest::refusal, to_json},
    clocks::until,
    log::Log,
    on_each_backend,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_sandbox_goes_as_chosen
    one_key_plays_all_seats
    a_sandbox_is_the_same_again
    a_sandbox_is_marked_and_found_by_nobody
    what_cannot_be_dealt_is_refused
    it_takes_a_key_with_the_scope
}

/// A key with scopes, made by hand.
fn key(database_url: &str, scopes: &[&str]) -> String {
    let mut program = Program::new(env!("CARGO_BIN_EXE_remik"));
    program.args(["key", "create", "--name", "Tests", "--database-url", database_url]);
    program.args(scopes.iter().flat_map(|scope| ["--scope", scope]));
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A backend's calls over REST.
struct Backed {
    url: String,
    key: String,
}

impl Backed {
    async fn call(&self, method: Method, path: &str, player: Option<&str>, body: &Json) -> Response {
        let request = reqwest::Client::new().request(method, format!("{}/v1/{path}", self.url));
        let request = request.bearer_auth(&self.key);
        let request = match player {
            Some(player) => request.header("remik-player", player),
            None => request,
        };
        let request = if body.is_null() { request } else { request.json(body) };
        request.send().await.unwrap()
    }

    /// The view of a new sandbox game, as its first seat sees it.
    async fn create(&self, body: &Json) -> Result<GameView, Refused> {
        let response = self.call(Method::POST, "sandbox/games", None, body).await;
        if !response.status().is_success() {
            return Err(refusal(response).await.refused());
        }
        let created: remik::proto::v1::CreateSandboxGameResponse =
            from_json("CreateSandboxGameResponse", &response.text().await.unwrap());
        let view = created.view.unwrap();
        assert_eq!(view.version, created.version);
        Ok(view)
    }
}

/// A service with a key for all that a test of sandboxes needs, and two players.
async fn start(database_url: &str) -> (Service, Backed, [Client; 2]) {
    let service = Service::start(database_url).await;
    let key = key(database_url, &["sandbox", "games"]);
    let backend = Backed { url: service.url.clone(), key };
    let ala = Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap();
    let ola = Client::guest(&service.url, Via::Rest, "Ola").await.unwrap();
    (service, backend, [ala, ola])
}

fn codes(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

/// Plain rummy for two in deals of one turn each; seat 0 begins the first.
fn request(players: &[Client]) -> Json {
    json!({
        "requestId": fresh_id().to_string(),
        "preset": "rummy-200",
        "overrides": {"turnsPerSeat": 1},
        "withoutClock": true,
        "seats": 2,
        "playerIds": players.iter().map(|player| &player.id).collect::<Vec<_>>(),
        "firstDealerSeat": 1,
        "deals": [
            {
                "hands": [
                    {"seat": 0, "cards": codes("7H 8H 9H 2C")},
                    {"seat": 1, "cards": codes("KS KD KC 3S 4S 5S 9D")},
                ],
                "upcard": "QD",
                "stock": codes("AS 3D"),
            },
            {"hands": [{"seat": 1, "cards": codes("AC AD AH")}], "stock": codes("JH")},
        ],
    })
}

fn dealt(moves: &[GameMove]) -> remik::proto::v1::Dealt {
    let mut kinds = moves.iter().flat_map(|made| made.events.iter().filter_map(|event| event.kind.clone()));
    let dealt = kinds.find_map(|kind| match kind {
        Kind::Dealt(dealt) => Some(dealt),
        _ => None,
    });
    dealt.unwrap()
}

async fn everybody_ready(players: &[Client], game: &str) {
    for player in players {
        player.send(&Order::new(game, 0, Command::Ready("0a".to_owned()))).await.unwrap();
    }
}

/// Draws from the stock and throws the card away: which it was.
async fn pass(player: &Client, game: &str) -> String {
    let draw = Order::new(game, 0, Command::Draw(DrawSource::Stock));
    let card = player.send(&draw).await.unwrap().view.deal.unwrap().turn.unwrap().drawn_card;
    player.send(&Order::new(game, 0, Command::Discard(card.clone()))).await.unwrap();
    card
}

async fn a_sandbox_goes_as_chosen(backend: Backend) {
    let database = fresh(backend).await;
    let (service, keyed, players) = start(&database.url).await;
    let view = keyed.create(&request(&players)).await.unwrap();
    let game = &view.game_id;
    assert_eq!((view.state(), view.your_seat, view.version), (GameState::Waiting, Some(0), 1));
    let names: Vec<_> = view.seats.iter().map(|seat| seat.player_id.as_str()).collect();
    assert_eq!(names, [&players[0].id, &players[1].id]);
    let [ala, ola] = &players;
    let mut streams = [ala.watch(game, Some(0)).await.unwrap(), ola.watch(game, Some(0)).await.unwrap()];
    everybody_ready(&players, game).await;
    for (seat, (stream, cards)) in streams.iter_mut().zip(["7H 8H 9H 2C", "KS KD KC 3S 4S 5S 9D"]).enumerate()
    {
        let moves = until(stream, |kind| matches!(kind, Kind::Dealt(_))).await;
        let dealt = dealt(&moves);
        assert_eq!((dealt.dealer_seat, dealt.starter_seat, dealt.upcard.as_str()), (1, 0, "QD"));
        let (own, other) = (&dealt.hands[seat], &dealt.hands[1 - seat]);
        assert_eq!(own.cards[..codes(cards).len()], codes(cards));
        assert_eq!((own.cards.len(), other.cards.len(), other.count), (7, 0, 7), "and no other cards");
        // Which cards lie in the stock is told to nobody.
        let sent: String = moves.iter().map(|made| to_json("GameMove", made).to_string()).collect();
        assert!(!sent.contains("\"AS\"") && !sent.contains("\"JH\""));
        assert!(sent.contains("\"sandboxArranged\":{}"));
    }
    assert_eq!((pass(ala, game).await.as_str(), pass(ola, game).await.as_str()), ("AS", "3D"));
    // The second deal, and after it those that nobody has chosen.
    everybody_ready(&players, game).await;
    let view = ola.look(game).await.unwrap();
    let deal = view.deal.unwrap();
    assert_eq!((deal.number, deal.dealer_seat, deal.starter_seat), (2, 0, 1));
    assert!(["AC", "AD", "AH"].iter().all(|card| deal.hand.contains(&(*card).to_owned())));
    assert_eq!(pass(ola, game).await, "JH");
    pass(ala, game).await;
    everybody_ready(&players, game).await;
    assert_eq!(ola.look(game).await.unwrap().deals, 3);
    // It goes on after a restart.
    service.kill();
    let service = Service::start(&database.url).await;
    pass(&ala.at(&service.url, Via::Rest), game).await;
    service.stop().await;
    let log = Log::read(&database.url, game).await;
    assert!(log.table(log.moves.len() as u32).sandbox().is_some());
}

async fn one_key_plays_all_seats(backend: Backend) {
    let database = fresh(backend).await;
    let (_service, keyed, players) = start(&database.url).await;
    let mut wish = request(&players);
    wish["overrides"]["turnSeconds"] = 1.into();
    let view = keyed.create(&wish).await.unwrap();
    assert_eq!(
        (view.rules.as_ref().unwrap().turn_seconds, view.rules.unwrap().pause_seconds),
        (None, 2_592_000)
    );
    let game = view.game_id;
    let act = async |player: &Client, verb: &str, mut body: Json| {
        body["requestId"] = fresh_id().to_string().into();
        let path = format!("games/{game}:{verb}");
        let response = keyed.call(Method::POST, &path, Some(&player.id), &body).await;
        assert!(response.status().is_success(), "{verb}: {}", response.text().await.unwrap());
        response.json::<Json>().await.unwrap()
    };
    for player in &players {
        act(player, "ready", json!({})).await;
    }
    let drawn = act(&players[0], "draw", json!({"source": "DRAW_SOURCE_STOCK"})).await;
    assert_eq!(drawn["view"]["deal"]["turn"]["drawnCard"], "AS");
    assert_eq!(drawn["view"]["sandbox"], true);
    assert!(drawn["view"]["deal"]["turn"]["deadline"].is_null());
    act(&players[0], "meld", json!({"melds": [{"cards": codes("7H 8H 9H")}]})).await;
    act(&players[0], "discard", json!({"card": "2C"})).await;
    act(&players[1], "draw", json!({"source": "DRAW_SOURCE_DISCARD"})).await;
}

async fn a_sandbox_is_the_same_again(backend: Backend) {
    let database = fresh(backend).await;
    let (service, keyed, players) = start(&database.url).await;
    let play = async |seed: &str| {
        let mut wish = request(&players);
        wish["seed"] = seed.into();
        wish["deals"] = json!([{"stock": codes("AS")}]);
        wish.as_object_mut().unwrap().remove("firstDealerSeat");
        let game = keyed.create(&wish).await.unwrap().game_id;
        let mut hands = Vec::new();
        for _ in 0..3 {
            everybody_ready(&players, &game).await;
            let deal = players[0].look(&game).await.unwrap().deal.unwrap();
            hands.push((deal.dealer_seat, deal.hand));
            let starter = deal.starter_seat as usize;
            pass(&players[starter], &game).await;
            pass(&players[1 - starter], &game).await;
        }
        hands
    };
    let first = play("0badc0de").await;
    assert_eq!(play("0badc0de").await, first);
    assert_ne!(play("0badc0df").await, first);

    // A repeated request opens no second game, and another one isn't taken for it.
    let wish = request(&players);
    let game = keyed.create(&wish).await.unwrap();
    let again = keyed.create(&wish).await.unwrap();
    assert_eq!(GameView { server_time: None, ..again }, GameView { server_time: None, ..game });
    let mut other = wish;
    other["deals"][0]["stock"] = json!(["3D"]);
    assert_eq!(keyed.create(&other).await.unwrap_err().reason, "REQUEST_ID_REUSED");
    drop(service);
}

async fn a_sandbox_is_marked_and_found_by_nobody(backend: Backend) {
    let database = fresh(backend).await;
    let (service, keyed, players) = start(&database.url).await;
    let view = keyed.create(&request(&players[..1])).await.unwrap();
    let game = &view.game_id;
    assert!(view.sandbox && !view.invite_code.is_empty());
    let code = Order::new("", 0, Command::JoinByCode(view.invite_code.clone()));
    assert!(players[1].send(&code).await.unwrap().view.sandbox);
    let list = async |client: &Client| {
        let request = reqwest::Client::new().get(format!("{}/v1/games", service.url));
        let response = request.bearer_auth(&client.token).send().await.unwrap();
        let list: ListGamesResponse = from_json("ListGamesResponse", &response.text().await.unwrap());
        list.games
    };
    let stranger = Client::guest(&service.url, Via::Grpc, "Obcy").await.unwrap();
    let unknown = |outcome: Result<(), Failure>| {
        let refused = outcome.unwrap_err().refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::NotFound, "GAME_NOT_FOUND"));
    };
    for _ in 0..2 {
        for player in &players {
            let games = list(player).await;
            assert_eq!(games.len(), 1);
            assert!(games[0].sandbox && games[0].game_id == *game);
            assert!(player.look(game).await.unwrap().sandbox);
        }
        assert!(list(&stranger).await.is_empty());
        unknown(stranger.look(game).await.map(drop));
        unknown(stranger.send(&Order::new(game, 0, Command::Join(None))).await.map(drop));
        if view.state() == GameState::Waiting {
            let _ = players[0].send(&Order::new(game, 0, Command::Ready(String::new()))).await;
            let _ = players[1].send(&Order::new(game, 0, Command::Ready(String::new()))).await;
        }
    }
    // Other games aren't.
    let plain = players[0].create(crate::party::Wish::seats(2).request()).await.unwrap().view.unwrap();
    assert!(!plain.sandbox);
    // Nor does a printed game leave it out.
    service.stop().await;
    let mut program = Program::new(env!("CARGO_BIN_EXE_remik"));
    let printed = program.args(["replay", game, "--database-url", &database.url]).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.contains("a sandbox: the decks of 2 deals are chosen"), "{printed}");
}

async fn what_cannot_be_dealt_is_refused(backend: Backend) {
    let database = fresh(backend).await;
    let (_service, keyed, players) = start(&database.url).await;
    let deck: Vec<String> =
        remik_rules::pack::Pack { decks: 1, jokers: 0 }.sorted().iter().map(ToString::to_string).collect();
    let impossible = "SANDBOX_IMPOSSIBLE";
    let nobody = "01912345-0000-7000-8000-000000000000";
    for (at, value, reason, field, metadata) in [
        ("/deals/0/stock", json!(["KS"]), impossible, "deals[0].stock[0]", Some(("card", "KS"))),
        (
            "/deals/0/hands/0/cards/1",
            json!("7H"),
            impossible,
            "deals[0].hands[0].cards[1]",
            Some(("card", "7H")),
        ),
        ("/deals/1/stock/0", json!("QH2"), impossible, "deals[1].stock[0]", Some(("card", "QH2"))),
        ("/deals/0/upcard", json!("X1"), impossible, "deals[0].upcard", Some(("card", "X1"))),
        ("/deals/0/hands/0/seat", json!(1), impossible, "deals[0].hands[1]", Some(("seat", "1"))),
        ("/deals/0/hands/0/seat", json!(3), impossible, "deals[0].hands[0]", Some(("seat", "3"))),
        ("/deals/1/hands/0/cards", json!(deck[..8]), impossible, "deals[1].hands[0]", Some(("most", "7"))),
        ("/deals/1", json!({"stock": deck[..38]}), impossible, "deals[1].stock", Some(("most", "37"))),
        ("/firstDealerSeat", json!(2), impossible, "first_dealer_seat", Some(("seat", "2"))),
        ("/deals/0/stock/0", json!("ZZ"), "MALFORMED_FIELD", "deals[0].stock[0]", None),
        ("/playerIds/1", json!(nobody), "PLAYER_NOT_FOUND", "player_ids[1]", None),
        ("/playerIds/1", json!(players[0].id), "MALFORMED_FIELD", "player_ids[1]", None),
        ("/seats", json!(9), "RULESET_OUT_OF_RANGE", "seats", None),
    ] {
        let mut wish = request(&players);
        *wish.pointer_mut(at).unwrap() = value;
        let refused = keyed.create(&wish).await.unwrap_err();
        assert_eq!((refused.reason.as_str(), &*refused.fields), (reason, &[field.to_owned()][..]), "{at}");
        if let Some((key, value)) = metadata {
            assert_eq!(refused.metadata[key], value, "{at}");
        }
    }
}

async fn it_takes_a_key_with_the_scope(backend: Backend) {
    let database = fresh(backend).await;
    let (service, keyed, players) = start(&database.url).await;
    let url = service.url.clone();
    let wish = request(&players);
    for (key, code, reason) in [
        (key(&database.url, &["games", "players", "admin"]), Code::PermissionDenied, "SCOPE_MISSING"),
        (players[0].token.clone(), Code::PermissionDenied, "SCOPE_MISSING"),
        ("nonsense".to_owned(), Code::Unauthenticated, "UNAUTHENTICATED"),
    ] {
        let refused = Backed { url: url.clone(), key }.create(&wish).await.unwrap_err();
        assert_eq!((refused.code, refused.reason.as_str()), (code, reason));
    }
    // Somebody has to sit there: who is named, or for whom the call is made.
    let mut alone = request(&players);
    alone["playerIds"] = json!([]);
    assert_eq!(keyed.create(&alone).await.unwrap_err().reason, "PLAYER_REQUIRED");
    let made = keyed.call(Method::POST, "sandbox/games", Some(&players[1].id), &alone).await;
    let made: Json = made.json().await.unwrap();
    assert_eq!(made["view"]["seats"][0]["playerId"], players[1].id.as_str());
}
