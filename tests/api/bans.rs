//! Bans: nobody calls as a banned player or for him, at any instance, and his games go on without him.

use std::time::Duration;

use remik::proto::v1::{BotStrength, GameOverCause, GameState, WatchGameRequest, game_end::End};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use crate::{
    admin::{admin, audit, order},
    call::{Credentials, call, reason, until},
    client::{Client, Command, Failure, Order, Via, fresh_id},
    identity::HEEDED,
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_banned_players_tokens_are_refused_everywhere
    a_banned_players_streams_end
    a_ban_ends_by_itself
    a_banned_player_leaves_his_games
    players_are_found_with_their_bans
    a_player_is_signed_out_by_an_administrator
    every_act_is_kept
}

const PLAYERS: &str = "remik.v1.PlayerService";

async fn me(url: &str, credentials: &Credentials) -> String {
    let asked = json!({"playerId": "me"});
    reason(call(url, Via::Grpc, &format!("{PLAYERS}/GetPlayer"), &asked, credentials).await)
}

async fn made(url: &str) -> Json {
    let asked = json!({"displayName": "Ala"});
    call(url, Via::Rest, &format!("{PLAYERS}/CreateGuest"), &asked, &Credentials::default()).await.unwrap()
}

fn text(json: &Json, name: &str) -> String {
    json[name].as_str().unwrap().to_owned()
}

async fn ban(url: &str, player: &str, key: &str) -> Json {
    admin(url, "BanPlayer", order("playerId", player, "Obelgi"), key).await.unwrap()
}

/// Reads a stream, which tells whether there was another item, to its end in time.
async fn ends_by_the_ban(mut next: impl AsyncFnMut() -> Result<bool, Failure>) {
    let ended = async {
        loop {
            match next().await {
                Ok(true) => {}
                Ok(false) => return String::new(),
                Err(failure) => return failure.refused().reason,
            }
        }
    };
    assert_eq!(timeout(HEEDED, ended).await.expect("the stream ends"), "PLAYER_BANNED");
}

/// Two instances, where there can be two, with a key for everything.
async fn instances(backend: Backend) -> (crate::support::database::TestDatabase, String, Vec<Service>) {
    let database = fresh(backend).await;
    let arguments = ["key", "create", "--scope", "admin", "--scope", "players", "--scope", "games"];
    let mut all: Vec<String> = arguments.map(str::to_owned).to_vec();
    all.extend(["--scope", "sandbox", "--name", "Test", "--database-url", &database.url].map(str::to_owned));
    let run = move || crate::program::remik(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let key = crate::program::text(&output.stdout).trim().to_owned();
    let mut services = vec![Service::start(&database.url).await];
    if backend == Backend::Postgres {
        services.push(Service::start(&database.url).await);
    }
    (database, key, services)
}

async fn a_banned_players_tokens_are_refused_everywhere(backend: Backend) {
    let (_database, key, services) = instances(backend).await;
    let (here, there) = (&services[0].url, &services[services.len() - 1].url);
    let guest = made(here).await;
    let id = text(&guest["player"], "playerId");
    let own = Credentials::token(&text(&guest, "token"));
    let acting = Credentials::acting(&key, &id);
    for url in [here, there] {
        assert_eq!((me(url, &own).await, me(url, &acting).await), (String::new(), String::new()));
    }
    let banned = ban(here, &id, &key).await;
    assert_eq!(banned["player"]["ban"]["reason"], "Obelgi");
    assert_eq!(banned["player"]["ban"]["until"], Json::Null);
    assert_eq!(me(here, &own).await, "PLAYER_BANNED", "at once where it was said");
    until(HEEDED, "it is heeded there", async || me(there, &own).await == "PLAYER_BANNED").await;
    until(HEEDED, "it is heeded there", async || me(there, &acting).await == "PLAYER_BANNED").await;
    for url in [here, there] {
        // Neither by REST nor by gRPC, nor by new tokens, nor in a sandbox.
        let games = format!("{}/CreateGame", "remik.v1.GameService");
        for via in [Via::Grpc, Via::Rest] {
            for credentials in [&own, &acting] {
                let asked = json!({"requestId": fresh_id().to_string()});
                let refused = call(url, via, &games, &asked, credentials).await.unwrap_err().refused();
                assert_eq!((refused.reason.as_str(), refused.metadata.len()), ("PLAYER_BANNED", 0));
            }
        }
        let backend = Credentials::token(&key);
        let refresh = json!({"refreshToken": guest["refreshToken"]});
        let issue = json!({"playerId": id});
        let sandbox = json!({"requestId": fresh_id().to_string(), "playerIds": [id]});
        for (method, asked, credentials) in [
            ("PlayerService/RefreshToken", refresh, &Credentials::default()),
            ("PlayerService/IssueToken", issue, &backend),
            ("SandboxService/CreateSandboxGame", sandbox, &backend),
        ] {
            let told = call(url, Via::Rest, &format!("remik.v1.{method}"), &asked, credentials).await;
            assert_eq!(reason(told), "PLAYER_BANNED", "{method}");
        }
        // Who asks without credentials is nobody.
        let rulesets = call(url, Via::Rest, "remik.v1.RulesetService/ListRulesets", &json!({}), &own).await;
        assert_eq!(reason(rulesets), "");
    }
    // What he had counts again when the ban is lifted, at every instance.
    admin(there, "LiftBan", order("playerId", &id, "Przeprosił"), &key).await.unwrap();
    for url in [here, there] {
        until(HEEDED, "it is heeded", async || me(url, &own).await.is_empty()).await;
        until(HEEDED, "it is heeded", async || me(url, &acting).await.is_empty()).await;
        let refresh = json!({"refreshToken": guest["refreshToken"]});
        let (method, nobody) = (format!("{PLAYERS}/RefreshToken"), Credentials::default());
        assert_eq!(reason(call(url, Via::Rest, &method, &refresh, &nobody).await), "");
    }
}

async fn a_banned_players_streams_end(backend: Backend) {
    let (_database, key, services) = instances(backend).await;
    let (here, there) = (&services[0].url, &services[services.len() - 1].url);
    let player = Client::guest(here, Via::Grpc, "Ala").await.unwrap();
    let other = Client::guest(here, Via::Grpc, "Ola").await.unwrap();
    let game = other.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    let mut watches = Vec::new();
    for via in [Via::Grpc, Via::Rest] {
        watches.push(player.at(there, via).watch(&game, None).await.unwrap());
    }
    let mut plays = player.play(there).await.unwrap();
    plays.subscribe(&game, Some(0)).await;
    // A backend's stream for him.
    let channel = tonic::transport::Endpoint::from_shared(there.clone()).unwrap().connect_lazy();
    let mut backend_client = remik::proto::v1::game_service_client::GameServiceClient::new(channel);
    let mut asked = tonic::Request::new(WatchGameRequest { game_id: game.clone(), ..Default::default() });
    asked.metadata_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    asked.metadata_mut().insert("remik-player", player.id.parse().unwrap());
    let mut for_him = backend_client.watch_game(asked).await.unwrap().into_inner();
    let mut untouched = other.at(there, Via::Grpc).watch(&game, None).await.unwrap();

    ban(here, &player.id, &key).await;
    for mut watch in watches {
        ends_by_the_ban(async || watch.next().await.map(|item| item.is_some())).await;
    }
    ends_by_the_ban(async || plays.next().await.map(|item| item.is_some())).await;
    ends_by_the_ban(async || for_him.message().await.map(|item| item.is_some()).map_err(Failure::from)).await;
    // Others go on.
    other.send(&Order::new(&game, 1, Command::AddBot(BotStrength::Easy))).await.unwrap();
    let goes_on = async {
        loop {
            if untouched.next().await.unwrap().unwrap().version == 2 {
                return;
            }
        }
    };
    timeout(HEEDED, goes_on).await.expect("the other's stream goes on");
}

async fn a_ban_ends_by_itself(backend: Backend) {
    let (_database, key, services) = instances(backend).await;
    let (here, there) = (&services[0].url, &services[services.len() - 1].url);
    let guest = made(here).await;
    let id = text(&guest["player"], "playerId");
    let own = Credentials::token(&text(&guest, "token"));
    // To the second: time enough for everybody to hear of it.
    let end = prost_types::Timestamp { seconds: crate::jwt::now() + 4, nanos: 0 }.to_string();
    let mut asked = order("playerId", &id, "Obelgi");
    asked["until"] = json!(end);
    let banned = admin(here, "BanPlayer", asked.clone(), &key).await.unwrap();
    assert_eq!(banned["player"]["ban"]["until"], *end);
    let told = call(here, Via::Rest, &format!("{PLAYERS}/GetPlayer"), &json!({"playerId": "me"}), &own).await;
    let refused = told.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), refused.metadata["until"].as_str()), ("PLAYER_BANNED", &*end));
    assert_eq!(refused.text.unwrap().1, format!("You are banned until {end}."));
    for url in [here, there] {
        until(Duration::from_secs(10), "the ban ends", async || me(url, &own).await.is_empty()).await;
    }
    // The same request once more doesn't ban him again.
    let again = admin(here, "BanPlayer", asked.clone(), &key).await;
    assert!(["", "MALFORMED_FIELD"].contains(&reason(again).as_str()));
    assert_eq!(me(here, &own).await, "");
    let mut past = order("playerId", &id, "Obelgi");
    past["until"] = json!("2020-01-01T00:00:00Z");
    let refused = admin(here, "BanPlayer", past, &key).await.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), &*refused.fields), ("MALFORMED_FIELD", &["until".to_owned()][..]));
}

async fn a_banned_player_leaves_his_games(backend: Backend) {
    let (_database, key, services) = instances(backend).await;
    let (here, there) = (&services[0].url, &services[services.len() - 1].url);
    // One that waits, one with three in which a deal runs, one of two that he loses by it, and one that is over.
    let mut wish = Wish::seats(3).ends(End::Deals(1));
    wish.overrides.absent_seats = Some(remik::proto::v1::AbsentSeats::EasyBot.into());
    let three = Party::seated(here, &wish).await;
    get_ready(&three).await;
    let banned = &three.players[1];
    let waiting = banned.create(Wish::seats(2).private().request()).await.unwrap().view.unwrap().game_id;
    let over = banned.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    banned.send(&Order::new(&over, 1, Command::Leave)).await.unwrap();
    let host = Client::guest(here, Via::Grpc, "Ola").await.unwrap();
    let two = host.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    banned.send(&Order::new(&two, 1, Command::Join(None))).await.unwrap();
    host.send(&Order::new(&two, 2, Command::Ready(String::new()))).await.unwrap();
    banned.send(&Order::new(&two, 3, Command::Ready(String::new()))).await.unwrap();

    let asked = order("playerId", &banned.id, "Obelgi");
    let told = admin(there, "BanPlayer", asked.clone(), &key).await.unwrap();
    assert_eq!(told["gamesLeft"], 3);
    let plays_on = async || {
        let seen = three.players[0].look(&three.game).await.unwrap();
        seen.seats[1].bot() == BotStrength::Easy
    };
    until(HEEDED, "a bot plays on", plays_on).await;
    let seen = three.players[0].look(&three.game).await.unwrap();
    assert_eq!(seen.seats[1].player_id, banned.id);
    let is_over = async || host.look(&two).await.unwrap().state() == GameState::Over;
    until(HEEDED, "the other has won", is_over).await;
    let seen = host.look(&two).await.unwrap();
    assert_eq!(seen.result.unwrap().cause(), GameOverCause::Forfeited);
    let found = admin(here, "FindGames", json!({"gameId": waiting}), &key).await.unwrap();
    assert_eq!(found["games"][0]["summary"]["state"], "GAME_STATE_OVER");
    // Again, there is nothing left to leave.
    let told = admin(here, "BanPlayer", asked, &key).await.unwrap();
    assert_eq!(told["gamesLeft"], 0);
    assert_eq!(told["player"]["ban"]["reason"], "Obelgi");
}

async fn players_are_found_with_their_bans(backend: Backend) {
    let (_database, key, services) = instances(backend).await;
    let url = &services[0].url;
    let asked = json!({"externalId": "user-1", "displayName": "Zofia"});
    let backend = Credentials::token(&key);
    let user = call(url, Via::Rest, &format!("{PLAYERS}/CreatePlayer"), &asked, &backend).await.unwrap();
    let user = text(&user["player"], "playerId");
    let guest = text(&made(url).await["player"], "playerId");
    let find = async |filter: Json| {
        let found = admin(url, "FindPlayers", filter, &key).await.unwrap();
        let players = found["players"].as_array().unwrap().clone();
        players.iter().map(|found| text(&found["player"], "playerId")).collect::<Vec<_>>()
    };
    assert_eq!(find(json!({})).await, [guest.clone(), user.clone()]);
    assert_eq!(find(json!({"playerId": user})).await, std::slice::from_ref(&user));
    assert_eq!(find(json!({"externalId": "user-1"})).await, std::slice::from_ref(&user));
    assert_eq!(find(json!({"namePrefix": "Zof"})).await, std::slice::from_ref(&user));
    assert_eq!(find(json!({"namePrefix": "zof"})).await, [""; 0]);
    assert_eq!(find(json!({"banned": true})).await, [""; 0]);
    ban(url, &guest, &key).await;
    assert_eq!(find(json!({"banned": true})).await, std::slice::from_ref(&guest));
    let found = admin(url, "FindPlayers", json!({"playerId": user}), &key).await.unwrap();
    let found = &found["players"][0];
    assert_eq!((&found["player"]["externalId"], &found["ban"]), (&json!("user-1"), &Json::Null));
    let first = admin(url, "FindPlayers", json!({"pageSize": 1}), &key).await.unwrap();
    let asked = json!({"pageSize": 1, "pageToken": first["nextPageToken"]});
    let second = admin(url, "FindPlayers", asked, &key).await.unwrap();
    assert_eq!(
        (&second["players"][0]["player"]["playerId"], &second["nextPageToken"]),
        (&json!(user), &json!(""))
    );
}

async fn a_player_is_signed_out_by_an_administrator(backend: Backend) {
    let (_database, key, services) = instances(backend).await;
    let (here, there) = (&services[0].url, &services[services.len() - 1].url);
    let guest = made(here).await;
    let (id, own) = (text(&guest["player"], "playerId"), Credentials::token(&text(&guest, "token")));
    assert_eq!(me(there, &own).await, "");
    let told =
        admin(here, "SignOutPlayer", order("playerId", &id, "Skradziony telefon"), &key).await.unwrap();
    assert!(told["player"]["signedOutAt"].is_string());
    for url in [here, there] {
        until(HEEDED, "it is heeded", async || me(url, &own).await == "UNAUTHENTICATED").await;
    }
    let nobody = "01912345-0000-7000-8000-000000000000";
    for method in ["SignOutPlayer", "BanPlayer", "LiftBan"] {
        let told = admin(here, method, order("playerId", nobody, "Pomyłka"), &key).await;
        assert_eq!(reason(told), "PLAYER_NOT_FOUND", "{method}");
    }
}

async fn every_act_is_kept(backend: Backend) {
    let (database, key, services) = instances(backend).await;
    let url = &services[0].url;
    let id = text(&made(url).await["player"], "playerId");
    let first = order("playerId", &id, "Obelgi");
    for _ in 0..2 {
        admin(url, "BanPlayer", first.clone(), &key).await.unwrap();
    }
    let mut other = first.clone();
    other["reason"] = json!("Coś innego");
    assert_eq!(reason(admin(url, "BanPlayer", other, &key).await), "REQUEST_ID_REUSED");
    assert_eq!(reason(admin(url, "LiftBan", first.clone(), &key).await), "REQUEST_ID_REUSED");
    admin(url, "LiftBan", order("playerId", &id, "Przeprosił"), &key).await.unwrap();
    admin(url, "SignOutPlayer", order("playerId", &id, "Telefon"), &key).await.unwrap();
    let asked = json!({"name": "Nowy", "scopes": ["games"]});
    let backend = Credentials::token(&key);
    let new = call(url, Via::Rest, "remik.v1.KeyService/CreateKey", &asked, &backend).await.unwrap();
    let new_id = text(&new["key"], "keyId");
    let revoke = json!({"keyId": new_id});
    for _ in 0..2 {
        call(url, Via::Rest, "remik.v1.KeyService/RevokeKey", &revoke, &backend).await.unwrap();
    }
    let (_, by_hand) = crate::accounts::make_key(&database.url, "games").await;

    let kept = audit(url, &key, json!({})).await;
    let told: Vec<_> = kept
        .iter()
        .map(|entry| ["act", "subjectId", "keyName", "reason", "outcome"].map(|name| text(entry, name)))
        .map(|[act, subject, key, why, outcome]| {
            assert_eq!(outcome, "ADMIN_OUTCOME_DONE");
            (act.strip_prefix("ADMIN_ACT_").unwrap().to_owned(), subject, key, why)
        })
        .collect();
    let entry = |act: &str, subject: &str, key: &str, why: &str| {
        (act.to_owned(), subject.to_owned(), key.to_owned(), why.to_owned())
    };
    let (own_key, expected) = told.split_last().unwrap();
    assert_eq!(own_key.0, "CREATE_KEY");
    let expected: Vec<_> = expected.to_vec();
    assert_eq!(
        expected,
        [
            entry("CREATE_KEY", &by_hand, "cli", ""),
            entry("REVOKE_KEY", &new_id, "Test", ""),
            entry("CREATE_KEY", &new_id, "Test", ""),
            entry("SIGN_OUT_PLAYER", &id, "Test", "Telefon"),
            entry("LIFT_BAN", &id, "Test", "Przeprosił"),
            entry("BAN_PLAYER", &id, "Test", "Obelgi"),
        ]
    );
    assert!(kept.iter().all(|entry| !entry.to_string().contains(&key[10..])), "no secret is kept");
    assert_eq!(text(&kept[0], "keyId"), "");
    let bans = audit(url, &key, json!({"act": "ADMIN_ACT_BAN_PLAYER"})).await;
    assert_eq!(bans, [kept[5].clone()]);
    let first = admin(url, "ListAuditEntries", json!({"subjectId": id, "pageSize": 2}), &key).await.unwrap();
    let asked = json!({"subjectId": id, "pageSize": 2, "pageToken": first["nextPageToken"]});
    let second = admin(url, "ListAuditEntries", asked, &key).await.unwrap();
    let pages = [&first, &second].map(|page| page["entries"].as_array().unwrap().clone()).concat();
    assert_eq!((pages, &second["nextPageToken"]), (kept[3..6].to_vec(), &json!("")));
}
