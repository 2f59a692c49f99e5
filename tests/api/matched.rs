//! Players who were matched: they see their game, and play it.

use remik::proto::v1::{DrawSource, GameState, GameView, SeatState, TicketState, watch_ticket_response::Item};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::{
    call::until,
    client::{Client, Command, Order, Via},
    on_each_backend,
    service::Service,
    support::database::{Backend, fresh},
    tickets::{BOUND, Desk, start},
};

on_each_backend! {
    two_are_matched_and_play
    a_game_begins_without_those_who_do_not_come
    bots_come_after_the_wait
    conditions_are_kept
}

/// The game of a ticket that is matched.
async fn game(desk: &Desk, player: &Client, ticket: &Json) -> String {
    let ticket = desk.until(&player.token, &ticket["ticketId"], "TICKET_STATE_MATCHED").await;
    ticket["gameId"].as_str().unwrap().to_owned()
}

/// The events of a ticket's stream over REST, once the ticket is over: id and data of each.
async fn events(url: &str, player: &Client, ticket: &Json, last_id: Option<&str>) -> Vec<(String, Json)> {
    let id = ticket["ticketId"].as_str().unwrap();
    let mut request = reqwest::Client::new().get(format!("{url}/v1/tickets/{id}:watch"));
    request = request.bearer_auth(&player.token).header("accept", "text/event-stream");
    if let Some(last) = last_id {
        request = request.header("last-event-id", last);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    let event = |event: &str| {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        let data = field("data: ")?;
        Some((field("id: ").unwrap_or_default(), serde_json::from_str(&data).unwrap()))
    };
    text.split("\n\n").filter_map(event).collect()
}

async fn two_are_matched_and_play(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let [ala, ola, obcy] = [desk.guest("Ala").await, desk.guest("Ola").await, desk.guest("Obcy").await];
    let first = desk.create(&ala.token, json!({"seats": [2, 3]})).await.unwrap();
    let mut stream = desk.watch(&ala.token, &first["ticketId"], None).await;
    assert_eq!(stream.state().await, Some(TicketState::Queued));
    let second = desk.create(&ola.token, json!({"presets": ["rummy-200", "remik-51"], "seats": [2]})).await.unwrap();
    let theirs = events(&service.url, &ola, &second, None).await;
    let matched = loop {
        match stream.next().await.unwrap() {
            (_, Item::Ticket(ticket)) => break ticket,
            (version, Item::CaughtUp(_) | Item::Progress(_)) => assert_eq!(version, 1),
        }
    };
    assert_eq!((matched.state(), matched.players.len()), (TicketState::Matched, 1));
    assert_eq!(stream.next().await, None, "the stream ends with the ticket");
    let game = matched.game_id;

    // The same over REST; and from any version on.
    let (id, last) = theirs.iter().rfind(|(_, item)| item["ticket"].is_object()).unwrap();
    assert_eq!((&last["ticket"]["state"], &last["ticket"]["gameId"]), (&json!("TICKET_STATE_MATCHED"), &json!(game)));
    assert!(theirs.iter().any(|(_, item)| item["caughtUp"].is_object()));
    let again = events(&service.url, &ola, &second, Some(id)).await;
    assert!(again.iter().all(|(_, item)| !item["ticket"].is_object()), "{again:?}");
    let again = events(&service.url, &ola, &second, Some("1")).await;
    assert_eq!(again[0].1["ticket"]["state"], "TICKET_STATE_MATCHED");

    // Nobody else sees it; they play it.
    let view = ala.look(&game).await.unwrap();
    assert_eq!((view.state(), view.preset.as_str(), view.seats.len()), (GameState::Waiting, "remik-51", 2));
    assert_eq!(obcy.look(&game).await.unwrap_err().refused().reason, "GAME_NOT_FOUND");
    for (player, seed) in [(&ala, "aa"), (&ola, "bb")] {
        player.send(&Order::new(&game, 0, Command::Ready(seed.to_owned()))).await.unwrap();
    }
    let view = ola.look(&game).await.unwrap();
    assert_eq!(view.state(), GameState::Playing);
    let turn = view.deal.unwrap().turn.unwrap().seat;
    let player = [&ala, &ola][turn as usize];
    player.send(&Order::new(&game, view.version, Command::Draw(DrawSource::Stock))).await.unwrap();
    // They may look for another one at once, but this ticket is over.
    let refused = desk.call("CancelTicket", json!({"ticketId": first["ticketId"]}), &ala.token).await;
    let refused = refused.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), refused.metadata["state"].as_str()), ("TICKET_CLOSED", "MATCHED"));
    desk.create(&ala.token, json!({"seats": [4]})).await.unwrap();
    service.stop().await;
    check(&database.url, &game).await;
}

/// The log is what the rules make, told by the program itself.
async fn check(database_url: &str, game: &str) {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
    let output = program.args(["verify", game, "--database-url", database_url]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The game once it has begun.
async fn begun(player: &Client, game: &str) -> GameView {
    until(BOUND, "it begins", async || player.look(game).await.unwrap().state() == GameState::Playing).await;
    player.look(game).await.unwrap()
}

async fn a_game_begins_without_those_who_do_not_come(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("READY_SECONDS", "1")]).await;
    let desk = Desk::new(&service.url);
    let [ala, ola, ela] = [desk.guest("Ala").await, desk.guest("Ola").await, desk.guest("Ela").await];
    let mut tickets = Vec::new();
    for player in [&ala, &ola, &ela] {
        tickets.push(desk.create(&player.token, json!({"seats": [3]})).await.unwrap());
    }
    let game = game(&desk, &ala, &tickets[0]).await;
    // One is ready, one says nothing, and one goes.
    ala.send(&Order::new(&game, 0, Command::Ready(String::new()))).await.unwrap();
    ela.send(&Order::new(&game, 0, Command::Leave)).await.unwrap();
    let view = begun(&ala, &game).await;
    let seated: Vec<&str> = view.seats.iter().map(|seat| seat.player_id.as_str()).collect();
    assert_eq!(seated, [&ala.id[..], &ola.id, ""]);
    assert_ne!(view.seats[2].bot, 0, "a bot has the seat that was given back");
    service.stop().await;
    check(&database.url, &game).await;
}

async fn bots_come_after_the_wait(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("READY_SECONDS", "0")]).await;
    let desk = Desk::new(&service.url);
    let [ala, ola] = [desk.guest("Ala").await, desk.guest("Ola").await];
    let lonely = desk.create(&ola.token, json!({"seats": [3]})).await.unwrap();
    let wanted = json!({"seats": [3], "botsAfterSeconds": 1, "botStrength": "BOT_STRENGTH_EASY"});
    let ticket = desk.create(&ala.token, wanted).await.unwrap();
    let game = game(&desk, &ala, &ticket).await;
    let view = begun(&ala, &game).await;
    let bots: Vec<bool> = view.seats.iter().map(|seat| seat.bot != 0).collect();
    assert_eq!(bots, [false, true, true]);
    assert_eq!(desk.ticket(&ola.token, &lonely["ticketId"]).await["state"], "TICKET_STATE_QUEUED");
    let own = async || {
        let view = ala.look(&game).await.unwrap();
        view.deal.is_some_and(|deal| deal.turn.is_some_and(|turn| turn.seat == 0))
    };
    until(BOUND, "it is the player's turn", own).await;
    ala.send(&Order::new(&game, 0, Command::Draw(DrawSource::Stock))).await.unwrap();
}

async fn conditions_are_kept(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let wanted = |region: &str, latency: i32, languages: &[&str]| {
        json!({
            "seats": [2],
            "attributes": [
                {"name": "region", "text": region},
                {"name": "latency_ms", "number": latency},
                {"name": "language", "text": languages[0]},
            ],
            "conditions": [
                {"name": "region", "text": {"oneOf": [region]}},
                {"name": "latency_ms", "number": {"atMost": 80}},
                {"name": "language", "text": {"oneOf": languages}},
            ],
        })
    };
    let mut tickets = Vec::new();
    for (region, latency, languages) in [
        ("eu", 40, &["pl"][..]),
        ("us", 40, &["pl"]),
        ("eu", 90, &["pl"]),
        ("eu", 20, &["en"]),
        ("eu", 30, &["pl", "en"]),
    ] {
        let player = desk.guest("Ala").await;
        let ticket = desk.create(&player.token, wanted(region, latency, languages)).await.unwrap();
        tickets.push((player, ticket));
    }
    let [first, .., last] = &tickets[..] else { panic!() };
    assert_eq!(game(&desk, &first.0, &first.1).await, game(&desk, &last.0, &last.1).await);
    for (player, ticket) in &tickets[1..4] {
        let ticket = desk.ticket(&player.token, &ticket["ticketId"]).await;
        assert_eq!(ticket["state"], "TICKET_STATE_QUEUED");
    }
}

/// A match that one instance has claimed and not finished is finished by another, once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_claimed_is_finished_after_a_crash() {
    use remik::store::{Claim, GameId, MatchRow, MatchState, Millis, Store, StoreOptions};
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let database = fresh(backend).await;
        let service = Service::start(&database.url).await;
        let desk = Desk::new(&service.url);
        let player = desk.guest("Ala").await;
        let ticket = desk.create(&player.token, json!({"seats": [4]})).await.unwrap();
        service.kill();
        // As the service leaves it that dies between its two steps.
        let store = Store::open(&database.url, StoreOptions::default()).await.unwrap();
        let game = GameId::generate();
        let plan = json!({"players": [player.id], "preset": "remik-51", "seats": 4, "bots": 3, "strength": "easy"});
        let of = MatchRow {
            game_id: game,
            made_at: store.now().await.unwrap(),
            state: MatchState::Claimed,
            begins_at: Millis(0),
            plan: plan.to_string().into_bytes(),
        };
        let id: Uuid = ticket["ticketId"].as_str().unwrap().parse().unwrap();
        let claim = Claim { of, tickets: vec![(id, 1)] };
        assert_eq!(store.claim_tickets(std::slice::from_ref(&claim)).await.unwrap(), [true]);
        let other = Claim { of: MatchRow { game_id: GameId::generate(), ..claim.of.clone() }, ..claim };
        assert_eq!(store.claim_tickets(&[other]).await.unwrap(), [false], "nobody gets it twice");
        store.close().await;
        let service = Service::start(&database.url).await;
        let desk = Desk::new(&service.url);
        let found = desk.until(&player.token, &ticket["ticketId"], "TICKET_STATE_MATCHED").await;
        assert_eq!(found["gameId"], game.to_string());
        let view = begun(&player.at(&service.url, Via::Rest), &game.to_string()).await;
        assert_eq!(view.seats.iter().filter(|seat| seat.bot != 0).count(), 3);
    }
}
