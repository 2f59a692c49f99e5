//! Administrators find games, see tables as anybody, and stop games: in every phase, at every instance.

use std::time::Duration;

use remik::proto::v1::{
    DrawSource, GameOverCause, GameState, WatchGameResponse, event::Kind, game_end::End,
    watch_game_response::Item,
};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use crate::{
    call::{Credentials, call, reason, start_with, until},
    client::{Client, Command, Failure, Order, Via, Watch, fresh_id},
    log::Log,
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_game_is_stopped_in_every_phase
    who_watches_elsewhere_sees_the_end
    a_stop_is_carried_out_once
    a_table_is_seen_as_any_seat
    games_are_found_by_administrators
    what_can_not_be_done_is_refused
    a_stopped_game_is_seen_again_and_found_true
}

/// A call of `AdminService`.
pub(crate) async fn admin(url: &str, method: &str, request: Json, key: &str) -> Result<Json, Failure> {
    let method = format!("remik.v1.AdminService/{method}");
    call(url, Via::Rest, &method, &request, &Credentials::token(key)).await
}

pub(crate) fn order(subject: &str, id: &str, why: &str) -> Json {
    json!({subject: id, "requestId": fresh_id().to_string(), "reason": why})
}

/// The audit trail, the latest first.
pub(crate) async fn audit(url: &str, key: &str, filter: Json) -> Vec<Json> {
    let listed = admin(url, "ListAuditEntries", filter, key).await.unwrap();
    listed["entries"].as_array().unwrap().clone()
}

/// A game of two in a phase.
async fn in_phase(url: &str, phase: &str) -> (Party, u32) {
    let mut wish = Wish::seats(2).private();
    // Everything may be laid, and a deal may end soon.
    wish = wish.ends(End::Deals(2));
    wish.overrides.turns_per_seat = Some(1);
    let party = Party::seated(url, &wish).await;
    if phase == "waiting" {
        return (party, 2);
    }
    let mut version = get_ready(&party).await;
    if phase == "draw" {
        return (party, version);
    }
    let turns = if phase == "play" { 1 } else { 2 };
    for turn in 1..=turns {
        let view = party.players[0].look_by(&party.game, version, "").await.unwrap();
        let seat = view.deal.unwrap().turn.unwrap().seat as usize;
        let player = &party.players[seat];
        let draw = Order::new(&party.game, version, Command::Draw(DrawSource::Stock));
        version = player.send(&draw).await.unwrap().version;
        if turn == turns && phase == "play" {
            break;
        }
        let hand = player.look_by(&party.game, version, "").await.unwrap().deal.unwrap().hand;
        let discard = Command::Discard(hand[0].clone());
        version = player.send(&Order::new(&party.game, version, discard)).await.unwrap().version;
    }
    (party, version)
}

async fn a_game_is_stopped_in_every_phase(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (url, key) = (&service.url, &service.console_key);
    let phases = [
        ("waiting", GameState::Waiting),
        ("draw", GameState::Playing),
        ("play", GameState::Playing),
        ("between", GameState::BetweenDeals),
    ];
    for (phase, state) in phases {
        for void in [false, true] {
            let (party, version) = in_phase(url, phase).await;
            assert_eq!(party.players[0].look(&party.game).await.unwrap().state(), state, "{phase}");
            let method = if void { "VoidGame" } else { "EndGame" };
            let asked = order("gameId", &party.game, "Zmowa graczy przy stole");
            let told = admin(url, method, asked, key).await.unwrap();
            assert_eq!(told["version"], version + 1, "{phase}");
            assert_eq!(told["view"]["stopReason"], "Zmowa graczy przy stole");
            let view = party.players[1].look(&party.game).await.unwrap();
            assert_eq!(
                (view.state(), view.stop_reason.as_str()),
                (GameState::Over, "Zmowa graczy przy stole")
            );
            let result = view.result.unwrap();
            let cause = if void { GameOverCause::Voided } else { GameOverCause::Stopped };
            assert_eq!(result.cause(), cause, "{phase}");
            let placed = !void && phase != "waiting";
            assert!(result.places.iter().all(|place| (*place > 0) == placed), "{phase}: {result:?}");
            // The seed of a deal that was broken off is revealed.
            let broken_off = matches!(phase, "draw" | "play");
            assert!(!broken_off || view.last_deal.unwrap().server_seed.len() == 64);
            // Nothing may follow, and it isn't stopped twice.
            let leave = Order::new(&party.game, version + 1, Command::Leave);
            assert_eq!(party.players[0].send(&leave).await.unwrap_err().refused().reason, "GAME_OVER");
            for method in ["EndGame", "VoidGame"] {
                let again = order("gameId", &party.game, "Zmowa graczy przy stole");
                assert_eq!(reason(admin(url, method, again, key).await), "GAME_OVER", "{phase}");
            }
            // What came of each is kept.
            let kept = audit(url, key, json!({"subjectId": party.game})).await;
            let told: Vec<_> = kept.iter().map(|entry| (&entry["outcome"], &entry["version"])).collect();
            let refused = (&json!("ADMIN_OUTCOME_REFUSED"), &json!(0));
            assert_eq!(told, [refused, refused, (&json!("ADMIN_OUTCOME_DONE"), &json!(version + 1))]);
            assert_eq!(kept[2]["reason"], "Zmowa graczy przy stole");
            assert_eq!((&kept[2]["keyName"], &kept[2]["seat"]), (&json!("console"), &Json::Null));
            let act = if void { "ADMIN_ACT_VOID_GAME" } else { "ADMIN_ACT_END_GAME" };
            assert_eq!(kept[2]["act"], act);
            // Lists tell how it ended.
            let listed = admin(url, "FindGames", json!({"gameId": party.game}), key).await.unwrap();
            let cause = if void { "GAME_OVER_CAUSE_VOIDED" } else { "GAME_OVER_CAUSE_STOPPED" };
            assert_eq!(listed["games"][0]["summary"]["over"], cause);
            let mine = Credentials::token(&party.players[0].token);
            let list =
                call(url, Via::Rest, "remik.v1.GameService/ListGames", &json!({"mine": true}), &mine).await;
            assert_eq!(list.unwrap()["games"][0]["over"], cause);
        }
    }
}

/// The items of a stream up to the end of a game.
async fn to_the_end(stream: &mut Watch) -> Vec<WatchGameResponse> {
    let mut items = Vec::new();
    loop {
        let next = timeout(Duration::from_secs(10), stream.next()).await.expect("the end is told");
        items.push(next.unwrap().expect("the stream goes on"));
        if let Some(Item::Move(made)) = &items[items.len() - 1].item
            && made.events.iter().any(|event| matches!(event.kind, Some(Kind::GameEnded(_))))
        {
            return items;
        }
    }
}

/// The one that stops the game isn't the one at which it is watched, where there can be two.
async fn who_watches_elsewhere_sees_the_end(backend: Backend) {
    let database = fresh(backend).await;
    let (key, _) = crate::accounts::make_key(&database.url, "admin").await;
    let here = Service::start(&database.url).await;
    let other = match backend {
        Backend::Sqlite => None,
        Backend::Postgres => Some(Service::start(&database.url).await),
    };
    let there = &other.as_ref().unwrap_or(&here).url;
    let (party, version) = in_phase(&here.url, "play").await;
    for via in [Via::Grpc, Via::Rest] {
        let mut stream = party.players[0].at(&here.url, via).watch(&party.game, Some(version)).await.unwrap();
        if via == Via::Grpc {
            let asked = order("gameId", &party.game, "Turniej odwołano");
            admin(there, "EndGame", asked, &key).await.unwrap();
        }
        let items = to_the_end(&mut stream).await;
        let Some(Item::Move(made)) = &items[items.len() - 1].item else { panic!() };
        assert_eq!((made.version, made.seat), (version + 1, None));
        let [Some(Kind::GameStopped(stopped)), Some(Kind::DealEnded(deal)), Some(Kind::GameEnded(ended))] =
            &made.events.iter().map(|event| event.kind.clone()).collect::<Vec<_>>()[..]
        else {
            panic!("{made:?}")
        };
        assert_eq!(stopped.reason, "Turniej odwołano");
        assert!(deal.scores.is_empty() && !deal.server_seed.is_empty());
        assert_eq!((ended.cause(), &ended.places[..]), (GameOverCause::Stopped, &[1, 1][..]));
    }
    // Nor does anything happen at the instance that was the last to play.
    let leave = Order::new(&party.game, version, Command::Leave);
    let refused = party.players[1].at(&here.url, Via::Grpc).send(&leave).await.unwrap_err().refused();
    assert_eq!(refused.reason, "GAME_OVER");
}

async fn a_stop_is_carried_out_once(backend: Backend) {
    let database = fresh(backend).await;
    let (key, key_id) = crate::accounts::make_key(&database.url, "admin").await;
    let (second, _) = crate::accounts::make_key(&database.url, "admin").await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let (party, version) = in_phase(url, "draw").await;
    let asked = order("gameId", &party.game, "Pomyłka");
    // As often as it is sent, and by many at once.
    let calls = (0..8).map(|_| admin(url, "VoidGame", asked.clone(), &key));
    for told in futures::future::join_all(calls).await {
        assert_eq!(told.unwrap()["version"], version + 1);
    }
    service.stop().await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let again = admin(url, "VoidGame", asked.clone(), &key).await.unwrap();
    assert_eq!(
        (&again["version"], &again["view"]["state"]),
        (&json!(version + 1), &json!("GAME_STATE_OVER"))
    );
    let mut other = asked.clone();
    other["reason"] = json!("Coś innego");
    assert_eq!(reason(admin(url, "VoidGame", other, &key).await), "REQUEST_ID_REUSED");
    assert_eq!(reason(admin(url, "EndGame", asked.clone(), &key).await), "REQUEST_ID_REUSED");
    // A request id is its key's own.
    let refused = reason(admin(url, "VoidGame", asked.clone(), &second).await);
    assert!(["GAME_OVER", "REQUEST_ID_REUSED"].contains(&refused.as_str()), "{refused}");
    let kept = audit(url, &key, json!({"keyId": key_id})).await;
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!((&kept[0]["outcome"], &kept[0]["keyName"]), (&json!("ADMIN_OUTCOME_DONE"), &json!("Test")));
    service.stop().await;
    assert_eq!(Log::read(&database.url, &party.game).await.moves.len() as u32, version + 1);
}

async fn a_table_is_seen_as_any_seat(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (url, key) = (&service.url, &service.console_key);
    let (party, version) = in_phase(url, "play").await;
    for (seat, player) in party.players.iter().enumerate() {
        let mut view = player.at(url, Via::Rest).look(&party.game).await.unwrap();
        let asked = json!({"gameId": party.game, "seat": seat, "reason": "Skarga"});
        let seen = admin(url, "InspectGame", asked, key).await.unwrap();
        let mut told: remik::proto::v1::GameView =
            crate::client::from_json("GameView", &seen["view"].to_string());
        assert!(!told.deal.as_ref().unwrap().hand.is_empty());
        (view.server_time, told.server_time) = (None, None);
        assert_eq!(told, view, "what the seat sees");
        let legal = player.legal_moves(&party.game, version).await.unwrap();
        let moves = crate::client::from_json("LegalMoves", &seen["moves"].to_string());
        assert_eq!(Some(moves), legal.moves);
    }
    let seen = admin(url, "InspectGame", json!({"gameId": party.game}), key).await.unwrap();
    assert!(seen["view"]["deal"]["hand"].as_array().is_none_or(Vec::is_empty) && seen["moves"].is_null());
    let before =
        admin(url, "InspectGame", json!({"gameId": party.game, "atVersion": 1, "seat": 1}), key).await;
    let before = before.unwrap();
    assert_eq!(
        (&before["view"]["version"], &before["view"]["state"]),
        (&json!(1), &json!("GAME_STATE_WAITING"))
    );

    // The moves, page by page: a seat's own cards, and no other's.
    let mut moves = Vec::new();
    loop {
        let asked = json!({"gameId": party.game, "seat": 0, "afterVersion": moves.len(), "pageSize": 2});
        let page = admin(url, "InspectMoves", asked, key).await.unwrap();
        assert_eq!(page["version"], version);
        let page = page["moves"].as_array().unwrap().clone();
        if page.is_empty() {
            break;
        }
        moves.extend(page);
    }
    let mut stream = party.players[0].at(url, Via::Rest).watch(&party.game, Some(0)).await.unwrap();
    for told in &moves {
        let item = stream.next().await.unwrap().unwrap();
        let Some(Item::Move(made)) = item.item else { panic!("{item:?}") };
        assert_eq!(
            crate::client::from_json::<remik::proto::v1::GameMove>("GameMove", &told.to_string()),
            made
        );
    }
    assert_eq!(moves.len() as u32, version);

    // Every look is kept.
    let kept = audit(url, key, json!({"act": "ADMIN_ACT_INSPECT_GAME", "subjectId": party.game})).await;
    assert!(kept.len() > 5 && kept.iter().all(|entry| entry["outcome"] == "ADMIN_OUTCOME_DONE"));
    let seats: Vec<_> = kept.iter().rev().map(|entry| (&entry["seat"], &entry["reason"])).collect();
    let (first, second, public) = (json!(0), json!(1), Json::Null);
    let (said, unsaid) = (json!("Skarga"), json!(""));
    assert_eq!(seats[..3], [(&first, &said), (&second, &said), (&public, &unsaid)]);
}

async fn games_are_found_by_administrators(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (url, key) = (&service.url, &service.console_key);
    let (private, version) = in_phase(url, "draw").await;
    let player = Client::guest(url, Via::Grpc, "Ala").await.unwrap();
    let wish = Wish { preset: "rummy-200", ..Wish::seats(3) };
    let public = player.create(wish.request()).await.unwrap().view.unwrap().game_id;
    let ids = async |filter: Json| {
        let found = admin(url, "FindGames", filter, key).await.unwrap();
        let games = found["games"].as_array().unwrap().clone();
        games.iter().map(|game| game["summary"]["gameId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let both = [public.clone(), private.game.clone()];
    assert_eq!(ids(json!({})).await, both);
    assert_eq!(ids(json!({"gameId": private.game})).await, both[1..]);
    assert_eq!(ids(json!({"playerId": player.id})).await, both[..1]);
    assert_eq!(ids(json!({"preset": "remik-51"})).await, both[1..]);
    assert_eq!(ids(json!({"visibility": "VISIBILITY_PRIVATE"})).await, both[1..]);
    assert_eq!(ids(json!({"states": "GAME_STATE_WAITING"})).await, both[..1]);
    assert_eq!(ids(json!({"createdBefore": "2020-01-01T00:00:00Z"})).await, [""; 0]);
    assert_eq!(ids(json!({"createdFrom": "2020-01-01T00:00:00Z"})).await, both);
    assert_eq!(ids(json!({"idleSince": "2020-01-01T00:00:00Z"})).await, [""; 0]);
    let first = admin(url, "FindGames", json!({"pageSize": 1}), key).await.unwrap();
    let asked = json!({"pageSize": 1, "pageToken": first["nextPageToken"]});
    let second = admin(url, "FindGames", asked, key).await.unwrap();
    let game = &second["games"][0];
    assert_eq!(
        (game["summary"]["gameId"].as_str(), &second["nextPageToken"]),
        (Some(&*private.game), &json!(""))
    );
    assert_eq!((&game["version"], &game["abandoned"]), (&json!(version), &json!(false)));
    assert_eq!(game["inviteCode"], *private.code);
    assert_eq!(game["summary"]["seats"].as_array().unwrap().len(), 2);
    assert!(game["lastMoveAt"].is_string());
    // Everybody has left.
    player.send(&Order::new(&public, 1, Command::Leave)).await.unwrap();
    let left = admin(url, "FindGames", json!({"gameId": public}), key).await.unwrap();
    assert_eq!(left["games"][0]["abandoned"], true);
    assert_eq!(left["games"][0]["summary"]["over"], "GAME_OVER_CAUSE_ABANDONED");
}

async fn what_can_not_be_done_is_refused(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (url, key) = (&service.url, &service.console_key);
    let (party, version) = in_phase(url, "waiting").await;
    let nobody = "01912345-0000-7000-8000-000000000000";
    let with = |name: &str, value: Json| {
        let mut asked = order("gameId", &party.game, "Pomyłka");
        asked[name] = value;
        asked
    };
    let game = |more: Json| {
        let mut asked = json!({"gameId": party.game});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    for (method, request, told, field) in [
        ("EndGame", with("gameId", json!(nobody)), "GAME_NOT_FOUND", None),
        ("EndGame", with("gameId", json!("x")), "MALFORMED_FIELD", Some("game_id")),
        ("EndGame", with("requestId", json!("")), "MISSING_FIELD", Some("request_id")),
        ("EndGame", with("reason", json!("")), "MISSING_FIELD", Some("reason")),
        ("EndGame", with("reason", json!("  ")), "MISSING_FIELD", Some("reason")),
        ("VoidGame", with("reason", json!("two\nlines")), "MALFORMED_FIELD", Some("reason")),
        ("VoidGame", with("reason", json!("right\u{202e}left")), "MALFORMED_FIELD", Some("reason")),
        ("VoidGame", with("reason", json!("ł".repeat(201))), "FIELD_OUT_OF_RANGE", Some("reason")),
        ("InspectGame", json!({"gameId": nobody}), "GAME_NOT_FOUND", None),
        ("InspectGame", game(json!({"seat": 2})), "NO_SUCH_SEAT", None),
        ("InspectGame", game(json!({"seat": 6})), "FIELD_OUT_OF_RANGE", Some("seat")),
        ("InspectGame", game(json!({"atVersion": version + 1})), "VERSION_AHEAD", Some("at_version")),
        ("InspectMoves", game(json!({"afterVersion": version + 1})), "VERSION_AHEAD", Some("after_version")),
        ("InspectMoves", game(json!({"reason": "a\tb"})), "MALFORMED_FIELD", Some("reason")),
        ("FindGames", json!({"preset": "canasta"}), "UNKNOWN_PRESET", Some("preset")),
        ("FindGames", json!({"pageSize": 101}), "FIELD_OUT_OF_RANGE", Some("page_size")),
        ("FindPlayers", json!({"pageToken": "x"}), "MALFORMED_FIELD", Some("page_token")),
        ("ListAuditEntries", json!({"subjectId": "x"}), "MALFORMED_FIELD", Some("subject_id")),
    ] {
        let refused = admin(url, method, request.clone(), key).await.unwrap_err().refused();
        let first = refused.fields.first().map(String::as_str);
        assert_eq!((refused.reason.as_str(), first), (told, field), "{method} {request}");
    }
    // None of this was anything.
    let done = audit(url, key, json!({"subjectId": party.game})).await;
    assert!(done.iter().all(|entry| entry["act"] == "ADMIN_ACT_INSPECT_GAME"), "{done:?}");
    assert_eq!(party.players[0].look(&party.game).await.unwrap().version, version);
}

async fn a_stopped_game_is_seen_again_and_found_true(backend: Backend) {
    let database = fresh(backend).await;
    // A clock that would go on.
    let service = start_with(&database.url, &[]).await;
    let (url, key) = (&service.url, &service.console_key);
    let (party, version) = in_phase(url, "play").await;
    admin(url, "VoidGame", order("gameId", &party.game, "Zmowa graczy: 100 % pewne"), key).await.unwrap();
    let own = Credentials::token(&party.players[0].token);
    let game = json!({"gameId": party.game});
    let export = async || {
        let told = call(url, Via::Rest, "remik.v1.ReplayService/ExportReplay", &game, &own).await;
        told.ok().map(|told| told["document"].as_str().unwrap().to_owned())
    };
    until(Duration::from_secs(10), "it is exported", async || export().await.is_some()).await;
    assert!(export().await.unwrap().contains("remikExport"));
    let run = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--database-url", &database.url]);
        crate::program::remik(&all)
    };
    let verified = run(&["verify", &party.game]);
    assert!(verified.status.success(), "{}", crate::program::text(&verified.stdout));
    let printed = run(&["replay", &party.game]);
    let printed = crate::program::text(&printed.stdout).to_owned();
    assert!(printed.contains("an administrator stops the game: Zmowa graczy: 100 % pewne"), "{printed}");
    let written = run(&["replay", &party.game, "--notation"]);
    let written = crate::program::text(&written.stdout).to_owned();
    assert!(written.contains("void:Zmowa%20graczy:%20100%20%25%20pewne\n"), "{written}");
    let found =
        call(url, Via::Rest, "remik.v1.ReplayService/SearchReplays", &json!({"playerId": "me"}), &own).await;
    assert_eq!(found.unwrap()["games"][0]["over"], "GAME_OVER_CAUSE_VOIDED");
    // It is neither won nor lost.
    for result in ["REPLAY_RESULT_WON", "REPLAY_RESULT_NOT_WON"] {
        let asked = json!({"playerId": "me", "result": result});
        let found = call(url, Via::Rest, "remik.v1.ReplayService/SearchReplays", &asked, &own).await.unwrap();
        assert_eq!(found["games"], json!([]));
    }
    assert!(version > 2);
}
