//! Tokens from their making to their end, and players whom a backend makes and acts for.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use remik::store::{Millis, Store, StoreOptions};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::{
    call::{Credentials, call, reason, start_with, until},
    client::{Client, Via},
    on_each_backend,
    party::Wish,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_guest_refreshes_his_token
    an_expired_token_is_told_apart
    who_signs_out_is_out_of_his_streams_too
    a_backend_makes_players_and_acts_for_them
    a_backend_signs_a_player_out
    a_ticket_opens_one_stream
    no_secret_is_logged
}

/// Within which every instance heeds a revocation, as the API promises.
pub(crate) const HEEDED: Duration = Duration::from_secs(5);

const PLAYERS: &str = "remik.v1.PlayerService";
const GAMES: &str = "remik.v1.GameService";

async fn players(
    url: &str,
    method: &str,
    request: Json,
    credentials: &Credentials,
) -> Result<Json, crate::client::Failure> {
    call(url, Via::Grpc, &format!("{PLAYERS}/{method}"), &request, credentials).await
}

fn text(answer: &Json, name: &str) -> String {
    answer[name].as_str().unwrap().to_owned()
}

async fn guest(url: &str) -> Json {
    players(url, "CreateGuest", json!({"displayName": "Ala"}), &Credentials::default()).await.unwrap()
}

async fn me(url: &str, token: &str) -> String {
    reason(players(url, "GetPlayer", json!({"playerId": "me"}), &Credentials::token(token)).await)
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

async fn a_guest_refreshes_his_token(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let made = guest(url).await;
    let (token, refresh) = (text(&made, "token"), text(&made, "refreshToken"));
    let nobody = Credentials::default();
    let mut tokens = vec![token.clone()];
    for _ in 0..3 {
        let asked = json!({"refreshToken": refresh});
        let answer = players(url, "RefreshToken", asked, &nobody).await.unwrap();
        assert!(text(&answer, "refreshExpiresAt") >= text(&made, "refreshExpiresAt"));
        tokens.push(text(&answer, "token"));
    }
    // An answer that got lost has locked nobody out: each counts, and so it is after a restart.
    service.stop().await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    for token in &tokens {
        assert_eq!(me(url, token).await, "");
    }
    // Neither does what the other is for.
    assert_eq!(me(url, &refresh).await, "UNAUTHENTICATED");
    for wrong in [token.as_str(), "remik_refresh_0", "x"] {
        let answer = players(url, "RefreshToken", json!({"refreshToken": wrong}), &nobody).await;
        assert_eq!(reason(answer), "UNAUTHENTICATED");
    }
}

async fn an_expired_token_is_told_apart(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let (made, other) = (guest(url).await, guest(url).await);
    let (token, refresh) = (text(&made, "token"), text(&made, "refreshToken"));
    let beside = Store::open_beside(&database.url, StoreOptions::default()).await.unwrap();
    // As if its time had passed.
    assert!(beside.extend_token(&hash(&token), Millis(1)).await.unwrap());
    assert_eq!(me(url, &token).await, "TOKEN_EXPIRED");
    let answer =
        players(url, "RefreshToken", json!({"refreshToken": refresh}), &Credentials::default()).await;
    assert_eq!(me(url, &text(&answer.unwrap(), "token")).await, "");
    // It says so of itself, when nothing of it is stored any more; a later time doesn't help the dead.
    let body = token.strip_prefix("remik_player_").unwrap();
    let (_, random) = body.split_at(12);
    assert_eq!(me(url, &format!("remik_player_{:012x}{random}", 1)).await, "TOKEN_EXPIRED");
    assert_eq!(me(url, &format!("remik_player_{:012x}{random}", i64::MAX >> 16)).await, "UNAUTHENTICATED");

    let refresh = text(&other, "refreshToken");
    assert!(beside.extend_token(&hash(&refresh), Millis(1)).await.unwrap());
    let answer =
        players(url, "RefreshToken", json!({"refreshToken": refresh}), &Credentials::default()).await;
    assert_eq!(reason(answer), "TOKEN_EXPIRED");
    beside.close().await;
}

/// One instance of SQLite, two of PostgreSQL.
async fn instances(backend: Backend, database: &str) -> Vec<Service> {
    let mut services = vec![Service::start(database).await];
    if backend == Backend::Postgres {
        services.push(Service::start(database).await);
    }
    services
}

async fn who_signs_out_is_out_of_his_streams_too(backend: Backend) {
    let database = fresh(backend).await;
    let services = instances(backend, &database.url).await;
    let (here, there) = (&services[0].url, &services.last().unwrap().url);
    for way in ["token", "refreshToken"] {
        let made = guest(here).await;
        let (token, refresh) = (text(&made, "token"), text(&made, "refreshToken"));
        let mut client = Client::nobody(here, Via::Grpc);
        client.token.clone_from(&token);
        let view = client.at(here, Via::Grpc).create(Wish::seats(2).request()).await.unwrap().view.unwrap();
        let mut stream = client.at(there, Via::Rest).watch(&view.game_id, None).await.unwrap();
        stream.next().await.unwrap().unwrap();
        assert_eq!(me(there, &token).await, "");

        let asked = json!({"token": made[way]});
        for _ in 0..2 {
            players(here, "RevokeToken", asked.clone(), &Credentials::default()).await.unwrap();
            assert_eq!(me(here, &token).await, "UNAUTHENTICATED");
        }
        until(HEEDED, "it is heeded there", async || me(there, &token).await == "UNAUTHENTICATED").await;
        let answer =
            players(there, "RefreshToken", json!({"refreshToken": refresh}), &Credentials::default()).await;
        assert_eq!(reason(answer), "UNAUTHENTICATED");
        let ended = async {
            while stream.next().await.map_err(|failure| failure.refused().reason)?.is_some() {}
            Ok::<(), String>(())
        };
        let ended = tokio::time::timeout(HEEDED, ended).await.expect("the stream ends");
        assert_eq!(ended, Err("UNAUTHENTICATED".to_owned()));
    }
    // What isn't a token of the service's isn't taken for signed out.
    let wrong = players(here, "RevokeToken", json!({"token": "a.b.c"}), &Credentials::default()).await;
    assert_eq!(reason(wrong), "UNAUTHENTICATED");
}

async fn a_backend_makes_players_and_acts_for_them(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (url, key) = (&service.url, &service.console_key);
    let backend = Credentials::token(key);
    let create = async |name: &str, locale: &str| {
        let asked = json!({"externalId": "user-7", "displayName": name, "locale": locale});
        players(url, "CreatePlayer", asked, &backend).await.unwrap()
    };
    let first = create("Ala", "pl").await;
    let id = text(&first["player"], "playerId");
    assert_eq!(first["created"], true);
    let since = &first["player"]["createdAt"];
    let player = |name: &str, locale: &str| {
        json!({
            "playerId": id, "displayName": name, "guest": false, "externalId": "user-7", "locale": locale,
            "createdAt": since, "erased": false,
        })
    };
    assert_eq!(first["player"], player("Ala", "pl"));
    let again = create("Alina", "").await;
    assert_eq!(again, json!({"player": player("Alina", "pl"), "created": false}));

    let issued = players(url, "IssueToken", json!({"playerId": id}), &backend).await.unwrap();
    let own = Credentials::token(&text(&issued, "token"));
    let asked = json!({"playerId": id});
    let seen = players(url, "GetPlayer", asked.clone(), &own).await.unwrap();
    assert_eq!(seen["player"], player("Alina", "pl"));
    let stranger = Credentials::token(&text(&guest(url).await, "token"));
    let seen = players(url, "GetPlayer", asked, &stranger).await.unwrap();
    let public = json!({
        "playerId": id, "displayName": "Alina", "guest": false, "externalId": "", "locale": "",
        "createdAt": since, "erased": false,
    });
    assert_eq!(seen["player"], public);

    // Whichever way: the backend for the player, and the player himself, are the same one.
    let acting = Credentials::acting(key, &id);
    for via in [Via::Grpc, Via::Rest] {
        let asked =
            json!({"requestId": crate::client::fresh_id().to_string(), "visibility": "VISIBILITY_PRIVATE"});
        let made = call(url, via, &format!("{GAMES}/CreateGame"), &asked, &acting).await.unwrap();
        assert_eq!(made["view"]["seats"][0]["displayName"], "Alina");
        let again = call(url, via, &format!("{GAMES}/CreateGame"), &asked, &own).await.unwrap();
        assert_eq!(again["view"]["gameId"], made["view"]["gameId"]);
    }
    for (credentials, told) in [
        (Credentials::acting(key, "me"), "MALFORMED_FIELD"),
        (Credentials::acting(key, "01912345-0000-7000-8000-000000000000"), "PLAYER_NOT_FOUND"),
        (Credentials { player: id.clone(), ..stranger.clone() }, "PERMISSION_DENIED"),
        (Credentials { player: id.clone(), ..own.clone() }, ""),
        (backend.clone(), "PLAYER_REQUIRED"),
    ] {
        let answer = call(url, Via::Rest, &format!("{GAMES}/ListGames"), &json!({}), &credentials).await;
        assert_eq!(reason(answer), told, "{credentials:?}");
    }
    for (request, field) in [
        (json!({"displayName": "Ala"}), "external_id"),
        (json!({"externalId": "a\u{0}b", "displayName": "Ala"}), "external_id"),
        (json!({"externalId": "x".repeat(256), "displayName": "Ala"}), "external_id"),
        (json!({"externalId": "x"}), "display_name"),
        (json!({"externalId": "x", "displayName": "Ala", "locale": "polski język"}), "locale"),
    ] {
        let refused = players(url, "CreatePlayer", request, &backend).await.unwrap_err().refused();
        assert_eq!(refused.fields, [field]);
    }
    let nobody = json!({"playerId": "01912345-0000-7000-8000-000000000000"});
    assert_eq!(reason(players(url, "IssueToken", nobody, &backend).await), "PLAYER_NOT_FOUND");
}

async fn a_backend_signs_a_player_out(backend: Backend) {
    let database = fresh(backend).await;
    let services = instances(backend, &database.url).await;
    let (here, there) = (&services[0].url, &services.last().unwrap().url);
    let key = Credentials::token(&services[0].console_key);
    let made = guest(here).await;
    let id = text(&made["player"], "playerId");
    let second = players(here, "IssueToken", json!({"playerId": id}), &key).await.unwrap();
    let tokens = [text(&made, "token"), text(&second, "token")];
    for token in &tokens {
        assert_eq!((me(here, token).await, me(there, token).await), (String::new(), String::new()));
    }
    players(here, "RevokePlayerTokens", json!({"playerId": id}), &key).await.unwrap();
    for token in &tokens {
        assert_eq!(me(here, token).await, "UNAUTHENTICATED");
        until(HEEDED, "it is heeded there", async || me(there, token).await == "UNAUTHENTICATED").await;
    }
    // A new one counts at once, everywhere.
    let third = players(here, "IssueToken", json!({"playerId": id}), &key).await.unwrap();
    let token = text(&third, "token");
    assert_eq!((me(here, &token).await, me(there, &token).await), (String::new(), String::new()));
    // He can do it himself, to himself.
    let own = Credentials::token(&token);
    players(here, "RevokePlayerTokens", json!({"playerId": "me"}), &own).await.unwrap();
    assert_eq!(me(here, &token).await, "UNAUTHENTICATED");
    let nobody = json!({"playerId": "01912345-0000-7000-8000-000000000000"});
    assert_eq!(reason(players(here, "RevokePlayerTokens", nobody, &key).await), "PLAYER_NOT_FOUND");
}

async fn a_ticket_opens_one_stream(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let owner = Client::guest(url, Via::Grpc, "Ala").await.unwrap();
    let own = Credentials::token(&owner.token);
    let game = owner.create(Wish::seats(2).private().request()).await.unwrap().view.unwrap().game_id;
    let other = owner.create(Wish::seats(2).private().request()).await.unwrap().view.unwrap().game_id;
    let ticket = async |credentials: &Credentials| {
        let asked = json!({"gameId": game});
        let made = call(url, Via::Rest, &format!("{GAMES}/CreateWatchTicket"), &asked, credentials).await;
        text(&made.unwrap(), "ticket")
    };
    let get = async |path: &str| {
        let http = reqwest::Client::new().get(format!("{url}{path}"));
        let mut response = http.header("accept", "text/event-stream").send().await.unwrap();
        if !response.status().is_success() {
            return crate::client::rest::refusal(response).await.refused().reason;
        }
        String::from_utf8(response.chunk().await.unwrap().unwrap().to_vec()).unwrap()
    };
    let mut tickets = vec![ticket(&own).await];
    tickets.push(ticket(&Credentials::acting(&service.console_key, &owner.id)).await);
    for ticket in &tickets {
        // Also a second time: a browser reconnects by itself.
        for _ in 0..2 {
            let event = get(&format!("/v1/games/{game}:watch?ticket={ticket}")).await;
            assert!(event.contains("snapshot") && event.contains("\"yourSeat\":0"), "{event}");
        }
        for path in [
            format!("/v1/games/{other}:watch?ticket={ticket}"),
            format!("/v1/games/{game}:watch?ticket={ticket}0"),
            format!("/v1/games/{game}:watch?ticket={}", ticket.replace("remik_ticket_0", "remik_ticket_1")),
            format!("/v1/games/{game}:watch?ticket=remik_ticket_"),
            format!("/v1/games/{game}:watch?ticket={}", owner.token),
            format!("/v1/games/{game}:watch"),
        ] {
            assert_eq!(get(&path).await, "UNAUTHENTICATED", "{path}");
        }
        // No other call takes it, in whichever way.
        for path in [format!("/v1/games/{game}?ticket={ticket}"), format!("/v1/games?ticket={ticket}")] {
            assert_eq!(get(&path).await, "MALFORMED_REQUEST", "{path}");
        }
        assert_eq!(me(url, ticket).await, "UNAUTHENTICATED");
    }
    // As the service would have signed it a minute ago.
    let beside = Store::open_beside(&database.url, StoreOptions::default()).await.unwrap();
    let key = beside.ticket_key().await.unwrap();
    beside.close().await;
    let mut bytes: Vec<u8> = {
        let hex = tickets[0].strip_prefix("remik_ticket_").unwrap();
        (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect()
    };
    let signature = bytes.split_off(bytes.len() - 32);
    let sign = |bytes: &[u8]| {
        let signer = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        signer.chain_update(b"remik ticket 1").chain_update(bytes).finalize().into_bytes().to_vec()
    };
    assert_eq!(sign(&bytes), signature);
    bytes[32..40].copy_from_slice(&1_700_000_000_000_i64.to_be_bytes());
    let signature = sign(&bytes);
    let old: String = bytes.iter().chain(&signature).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(get(&format!("/v1/games/{game}:watch?ticket=remik_ticket_{old}")).await, "TOKEN_EXPIRED");
    // It goes with the token that it was made with.
    players(url, "RevokeToken", json!({"token": owner.token}), &Credentials::default()).await.unwrap();
    assert_eq!(get(&format!("/v1/games/{game}:watch?ticket={}", tickets[0])).await, "UNAUTHENTICATED");
}

/// With every log line that there is.
async fn no_secret_is_logged(backend: Backend) {
    let database = fresh(backend).await;
    let trace = "trace,h2=trace,hyper=trace,hyper_util=trace,tower=trace,sqlx=trace,tonic=trace";
    let service = start_with(&database.url, &["--log", trace]).await;
    let url = &service.url;
    let made = guest(url).await;
    let (token, refresh) = (text(&made, "token"), text(&made, "refreshToken"));
    let own = Credentials::token(&token);
    let mut secrets = vec![token.clone(), refresh.clone(), service.console_key.clone()];
    for via in [Via::Grpc, Via::Rest] {
        let asked = json!({"requestId": crate::client::fresh_id().to_string()});
        let game = call(url, via, &format!("{GAMES}/CreateGame"), &asked, &own).await.unwrap();
        let asked = json!({"gameId": game["view"]["gameId"]});
        let ticket = call(url, via, &format!("{GAMES}/CreateWatchTicket"), &asked, &own).await.unwrap();
        let ticket = text(&ticket, "ticket");
        let asked = json!({"gameId": game["view"]["gameId"], "ticket": ticket});
        call(url, via, &format!("{GAMES}/WatchGame"), &asked, &Credentials::default()).await.unwrap();
        secrets.push(ticket);
        let asked = json!({"refreshToken": refresh});
        let fresh = call(url, via, &format!("{PLAYERS}/RefreshToken"), &asked, &own).await.unwrap();
        secrets.push(text(&fresh, "token"));
        let asked = json!({"name": "Klucz", "scopes": ["games"]});
        let admin = Credentials::token(&service.console_key);
        let key = call(url, via, "remik.v1.KeyService/CreateKey", &asked, &admin).await.unwrap();
        let key = text(&key, "secret");
        let acting = Credentials::acting(&key, made["player"]["playerId"].as_str().unwrap());
        call(url, via, &format!("{GAMES}/ListGames"), &json!({}), &acting).await.unwrap();
        secrets.push(key);
        let forged = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGEifQ.c2lnbmF0dXJl";
        assert_eq!(me(url, forged).await, "UNAUTHENTICATED");
        secrets.push("c2lnbmF0dXJl".to_owned());
    }
    let log = service.stderr();
    assert!(log.lines().count() > 10, "{log}");
    for secret in secrets {
        // The part that is secret, however it is printed.
        let tail = &secret[secret.len() - secret.len().min(12)..];
        if let Some(line) = log.lines().find(|line| line.contains(tail)) {
            panic!("{line}");
        }
    }
}
