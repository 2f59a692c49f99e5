//! The integrator's own users, who come with his tokens.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::{
    call::{Credentials, call, reason, start_with, until},
    client::{Client, Command, Failure, Order, Via},
    identity::HEEDED,
    jwt::{AUDIENCE, ISSUER, KeyServer, RSA_ONE, RSA_TWO, Signer, claims, jwks, now, with},
    on_each_backend,
    party::Wish,
    program,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    an_account_has_one_player_whose_name_follows
    a_guest_gets_an_account_and_keeps_his_games
    keys_are_rotated_without_a_restart
    a_signed_out_account_needs_a_newer_token
}

const SECRET: &[u8] = b"a secret of the integrator's, long enough";

/// Files of the integrator's, and the arguments that name them.
pub(crate) struct Files {
    _folder: tempfile::TempDir,
    secret: String,
    keys: String,
}

impl Files {
    pub(crate) fn new(secret: &[u8], keys: &Json) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (secret_path, keys_path) = (path("secret"), path("keys.json"));
        std::fs::write(&secret_path, [secret, b"\n"].concat()).unwrap();
        std::fs::write(&keys_path, keys.to_string()).unwrap();
        Self { _folder: folder, secret: secret_path, keys: keys_path }
    }

    pub(crate) fn secret(&self) -> [&str; 4] {
        ["--jwt-secret-file", &self.secret, "--jwt-issuer", ISSUER]
    }

    pub(crate) fn keys(&self) -> [&str; 4] {
        ["--jwt-jwks-file", &self.keys, "--jwt-audience", AUDIENCE]
    }
}

async fn get_me(url: &str, token: &str) -> Result<Json, Failure> {
    let asked = json!({"playerId": "me"});
    let own = Credentials::token(token);
    call(url, Via::Rest, "remik.v1.PlayerService/GetPlayer", &asked, &own)
        .await
        .map(|answer| answer["player"].clone())
}

async fn link(url: &str, guest: &str, token: &str) -> Result<Json, Failure> {
    let asked = json!({"accountToken": token});
    let method = "remik.v1.PlayerService/LinkAccount";
    call(url, Via::Grpc, method, &asked, &Credentials::token(guest))
        .await
        .map(|answer| answer["player"].clone())
}

async fn an_account_has_one_player_whose_name_follows(backend: Backend) {
    let database = fresh(backend).await;
    let files = Files::new(SECRET, &json!({}));
    let service = start_with(&database.url, &files.secret()).await;
    let url = &service.url;
    assert_eq!(service.console_key, "", "somebody is configured to come in");
    let signer = Signer::secret(SECRET);
    let seen = async |claims: Json| get_me(url, &signer.sign(&claims)).await.unwrap();
    let base = claims("user-1");
    let player = seen(with(base.clone(), "locale", json!("pl"))).await;
    let (id, since) = (player["playerId"].clone(), player["createdAt"].clone());
    let is = |name: &str, locale: &str| {
        json!({
            "playerId": id, "displayName": name, "guest": false, "externalId": "user-1", "locale": locale,
            "createdAt": since, "erased": false,
        })
    };
    assert_eq!(player, is("Ala", "pl"));
    let newer = |seconds: i64, name: &str| {
        with(with(base.clone(), "iat", json!(now() - 10 + seconds)), "name", json!(name))
    };
    assert_eq!(seen(newer(5, "Alina")).await, is("Alina", "pl"));
    // A token from before doesn't bring the old name back, one without a name leaves it.
    assert_eq!(seen(base.clone()).await, is("Alina", "pl"));
    assert_eq!(seen(with(newer(6, ""), "name", Json::Null)).await, is("Alina", "pl"));
    // A name that can't be shown is cleaned, one of nothing is left out.
    assert_eq!(seen(newer(7, " Al\u{202E}a\n\tK ")).await, is("Ala  K", "pl"));
    assert_eq!(seen(newer(8, &"ł".repeat(99))).await, is(&"ł".repeat(32), "pl"));
    assert_eq!(seen(newer(9, "\u{200B}")).await, is(&"ł".repeat(32), "pl"));

    // A number is an id too, and nobody's name is no obstacle.
    let nameless = with(with(base.clone(), "sub", json!(42)), "name", Json::Null);
    let player = seen(nameless).await;
    assert_eq!((&player["externalId"], &player["displayName"]), (&json!("42"), &json!("Player")));
    for sub in
        [json!(""), json!("a\u{7}b"), json!("x".repeat(256)), json!(1.5), json!(["user-1"]), Json::Null]
    {
        let token = signer.sign(&with(base.clone(), "sub", sub.clone()));
        assert_eq!(reason(get_me(url, &token).await), "UNAUTHENTICATED", "{sub}");
    }
    // Backends know the account by the same id.
    let (key, _) = make_key(&database.url, "players").await;
    let asked = json!({"externalId": "user-1", "displayName": "Ala"});
    let method = "remik.v1.PlayerService/CreatePlayer";
    let made = call(url, Via::Rest, method, &asked, &Credentials::token(&key)).await.unwrap();
    assert_eq!((&made["player"]["playerId"], &made["created"]), (&id, &json!(false)));
}

/// A key made by hand, and its id.
pub(crate) async fn make_key(database: &str, scope: &str) -> (String, String) {
    let (database, scope) = (database.to_owned(), scope.to_owned());
    let run = move || {
        let arguments = ["key", "create", "--scope", &scope, "--name", "Test", "--database-url", &database];
        program::remik(&arguments)
    };
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    assert!(output.status.success(), "{}", program::text(&output.stderr));
    // A busy machine's database may warn before.
    let note = program::text(&output.stderr).lines().find_map(|line| line.strip_prefix("key "));
    let id = note.unwrap().split(' ').next().unwrap().to_owned();
    (program::text(&output.stdout).trim().to_owned(), id)
}

async fn a_guest_gets_an_account_and_keeps_his_games(backend: Backend) {
    let database = fresh(backend).await;
    let files = Files::new(SECRET, &json!({}));
    let service = start_with(&database.url, &files.secret()).await;
    let url = &service.url;
    let signer = Signer::secret(SECRET);
    let guest = Client::guest(url, Via::Grpc, "Gość").await.unwrap();
    let game = guest.create(Wish::seats(2).private().request()).await.unwrap().view.unwrap().game_id;
    let account = signer.sign(&claims("user-1"));
    let since = get_me(url, &guest.token).await.unwrap()["createdAt"].clone();
    for _ in 0..2 {
        let player = link(url, &guest.token, &account).await.unwrap();
        let is = json!({
            "playerId": guest.id, "displayName": "Ala", "guest": false, "externalId": "user-1", "locale": "",
            "createdAt": since, "erased": false,
        });
        assert_eq!(player, is);
    }
    // By the account's token he is who he was, and the guest's token goes on.
    let mut later = guest.clone();
    later.token.clone_from(&account);
    for client in [&later, &guest] {
        let client = client.at(url, Via::Rest);
        let view = client.look(&game).await.unwrap();
        assert_eq!((view.your_seat, view.seats[0].display_name.as_str()), (Some(0), "Ala"));
        assert_eq!(get_me(url, &client.token).await.unwrap()["playerId"], guest.id);
    }
    let leave = Order::new(&game, 1, Command::Leave);
    later.at(url, Via::Grpc).send(&leave).await.unwrap();

    let other = Client::guest(url, Via::Rest, "Inny").await.unwrap();
    assert_eq!(reason(link(url, &other.token, &account).await), "ACCOUNT_TAKEN");
    let second = signer.sign(&claims("user-2"));
    assert_eq!(reason(link(url, &guest.token, &second).await), "ALREADY_LINKED");
    get_me(url, &second).await.unwrap();
    assert_eq!(reason(link(url, &other.token, &second).await), "ACCOUNT_TAKEN");
    for (token, fault) in [
        (Signer::secret(&[7; 32]).sign(&claims("user-3")), None),
        (other.token.clone(), None),
        (signer.sign(&with(claims("user-3"), "exp", json!(now() - 60))), Some("EXPIRED")),
    ] {
        let refused = link(url, &other.token, &token).await.unwrap_err().refused();
        assert_eq!(refused.reason, "ACCOUNT_TOKEN_INVALID");
        assert_eq!(refused.metadata.get("fault").map(String::as_str), fault);
    }
    assert_eq!(get_me(url, &other.token).await.unwrap()["guest"], true);
    // Two guests for one account at the same time: one gets it.
    let third = signer.sign(&claims("user-3"));
    let rival = Client::guest(url, Via::Rest, "Rywal").await.unwrap();
    let (one, two) = tokio::join!(link(url, &other.token, &third), link(url, &rival.token, &third));
    let mut told = [reason(one), reason(two)];
    told.sort_unstable();
    assert_eq!(told, ["", "ACCOUNT_TAKEN"]);
    service.stop().await;

    let service = Service::start(&database.url).await;
    assert_eq!(reason(link(&service.url, &guest.token, &account).await), "ACCOUNTS_NOT_CONFIGURED");
    assert_eq!(reason(get_me(&service.url, &account).await), "UNAUTHENTICATED");
}

async fn keys_are_rotated_without_a_restart(backend: Backend) {
    let database = fresh(backend).await;
    let old = Signer::rsa(RSA_ONE, "old");
    let issuer = KeyServer::start(&json!({"keys": []})).await;
    issuer.show(500, "out of order");
    let arguments = ["--jwt-jwks-url", &issuer.url, "--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE];
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
    program.args(Service::arguments(&database.url)).args(arguments).env("REMIK_JWT_JWKS_SECONDS", "1");
    let service = Service::start_by(program).await;
    let url = &service.url;
    let fresh_token =
        |signer: &Signer| signer.sign(&with(claims("user-1"), "jti", json!(rand::random::<u32>())));
    let told = async |signer: &Signer| reason(get_me(url, &fresh_token(signer)).await);

    // Without any key nothing can be said of a token, so it isn't called forged.
    let refused = get_me(url, &fresh_token(&old)).await.unwrap_err().refused();
    assert_eq!(refused.reason, "IDENTITY_UNAVAILABLE");
    assert!(refused.retry_after.is_some());
    issuer.show(200, &jwks(&[&old]).to_string());
    let bound = Duration::from_secs(15);
    until(bound, "the keys are there", async || told(&old).await.is_empty()).await;

    // A new key beside the old one, of each kind; then the old one goes.
    for new in [Signer::rsa(RSA_TWO, "new"), Signer::p256("curve"), Signer::ed25519("edwards")] {
        assert_eq!(told(&new).await, "UNAUTHENTICATED");
        issuer.show(200, &jwks(&[&old, &new]).to_string());
        until(bound, "the new key counts", async || told(&new).await.is_empty()).await;
        assert_eq!(told(&old).await, "");
    }
    // Whatever the issuer's server says while it is out of order, the keys stay.
    let last = Signer::ed25519("edwards");
    for (status, body) in [(500, "{}"), (200, "<html>"), (200, "{\"keys\": []}"), (302, "")] {
        issuer.show(status, body);
        let before = issuer.fetches();
        until(bound, "it was asked", async || issuer.fetches() > before + 1).await;
        assert_eq!((told(&old).await, told(&last).await), (String::new(), String::new()), "{status} {body}");
    }
    issuer.show(200, &jwks(&[&last]).to_string());
    until(bound, "the old key is gone", async || told(&old).await == "UNAUTHENTICATED").await;
    assert_eq!(told(&last).await, "");
}

#[tokio::test]
async fn an_unknown_key_has_the_keys_read_at_once_but_not_again_and_again() {
    let database = fresh(Backend::Sqlite).await;
    let old = Signer::rsa(RSA_ONE, "old");
    let new = Signer::rsa(RSA_TWO, "new");
    let issuer = KeyServer::start(&jwks(&[&old])).await;
    let arguments = ["--jwt-jwks-url", &issuer.url, "--jwt-audience", AUDIENCE];
    let service = start_with(&database.url, &arguments).await;
    assert_eq!(issuer.fetches(), 1);
    assert_eq!(reason(get_me(&service.url, &old.sign(&claims("user-1"))).await), "");
    issuer.show(200, &jwks(&[&old, &new]).to_string());
    assert_eq!(reason(get_me(&service.url, &new.sign(&claims("user-1"))).await), "");
    assert_eq!(issuer.fetches(), 2);
    // Anybody can name keys that aren't.
    let calls = (0..50).map(async |n| {
        let forged = Signer::rsa(RSA_ONE, &format!("none-{n}")).sign(&claims("user-1"));
        reason(get_me(&service.url, &forged).await)
    });
    for told in futures::future::join_all(calls).await {
        assert_eq!(told, "UNAUTHENTICATED");
    }
    // One that comes 10 s after the last may have asked once more.
    assert!(issuer.fetches() <= 3, "{}", issuer.fetches());
}

async fn a_signed_out_account_needs_a_newer_token(backend: Backend) {
    let database = fresh(backend).await;
    let files = Files::new(SECRET, &json!({}));
    let services = [
        start_with(&database.url, &files.secret()).await,
        match backend {
            // A second process can't have the file.
            Backend::Sqlite => start_with(&fresh(Backend::Sqlite).await.url, &files.secret()).await,
            Backend::Postgres => start_with(&database.url, &files.secret()).await,
        },
    ];
    let there = if backend == Backend::Postgres { &services[1].url } else { &services[0].url };
    let here = &services[0].url;
    let signer = Signer::secret(SECRET);
    let token = signer.sign(&claims("user-1"));
    for url in [here, there] {
        get_me(url, &token).await.unwrap();
    }
    let (asked, own) = (json!({"playerId": "me"}), Credentials::token(&token));
    call(here, Via::Rest, "remik.v1.PlayerService/RevokePlayerTokens", &asked, &own).await.unwrap();
    assert_eq!(reason(get_me(here, &token).await), "UNAUTHENTICATED");
    until(HEEDED, "it is heeded there", async || reason(get_me(there, &token).await) == "UNAUTHENTICATED")
        .await;
    let newer = signer.sign(&with(claims("user-1"), "iat", json!(now() + 2)));
    for url in [here, there] {
        get_me(url, &newer).await.unwrap();
    }
}

/// What would be unsafe doesn't start.
#[tokio::test]
async fn a_careless_configuration_is_refused() {
    let database = fresh(Backend::Sqlite).await;
    let good = jwks(&[&Signer::ed25519("a")]);
    for (secret, keys, arguments, told) in [
        (&b"too short"[..], &good, vec!["--jwt-secret-file", "SECRET"], "needs at least 32"),
        (SECRET, &good, vec!["--jwt-jwks-file", "KEYS"], "jwt_issuer or jwt_audience"),
        (SECRET, &json!({"keys": []}), vec!["--jwt-jwks-file", "KEYS", "--jwt-issuer", "x"], "no keys"),
        (SECRET, &good, vec!["--jwt-jwks-url", "http://example.com/", "--jwt-issuer", "x"], "https"),
        (SECRET, &good, vec!["--jwt-secret-file", "/nowhere"], "can't read /nowhere"),
        (
            SECRET,
            &good,
            vec!["--jwt-jwks-file", "KEYS", "--jwt-jwks-url", "https://x/", "--jwt-issuer", "x"],
            "can't both be set",
        ),
    ] {
        let files = Files::new(secret, keys);
        let url = database.url.clone();
        let run = move || {
            let arguments = arguments.iter().map(|argument| match *argument {
                "SECRET" => files.secret.as_str(),
                "KEYS" => files.keys.as_str(),
                other => other,
            });
            let all: Vec<&str> = Service::arguments(&url).into_iter().chain(arguments).collect();
            program::remik(&all)
        };
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let printed = program::text(&output.stderr).to_owned();
        assert!(!output.status.success() && printed.contains(told), "{told}: {printed}");
    }
}
