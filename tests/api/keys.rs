//! API keys: by hand and by the API.

use serde_json::{Value as Json, json};

use crate::{
    accounts::{Files, make_key},
    call::{Credentials, call, reason, start_with, until},
    client::{Failure, Via},
    identity::HEEDED,
    jwt::{Signer, jwks},
    on_each_backend, program,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    keys_are_made_listed_and_revoked_by_hand
    keys_are_made_listed_and_revoked_by_the_api
    a_key_for_the_run_is_made_only_where_nobody_else_can_come_in
}

async fn keys(url: &str, method: &str, request: Json, key: &str) -> Result<Json, Failure> {
    let method = format!("remik.v1.KeyService/{method}");
    call(url, Via::Rest, &method, &request, &Credentials::token(key)).await
}

async fn by_hand(database: &str, arguments: &[&str]) -> (bool, String, String) {
    let mut all: Vec<String> = vec!["key".to_owned()];
    all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    all.extend(["--database-url".to_owned(), database.to_owned()]);
    let run = move || program::remik(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let text = |bytes: &[u8]| program::text(bytes).to_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

async fn keys_are_made_listed_and_revoked_by_hand(backend: Backend) {
    let database = fresh(backend).await;
    // Before the service has ever run, and beside it.
    let (first, first_id) = make_key(&database.url, "admin").await;
    let service = Service::start(&database.url).await;
    let (second, second_id) = make_key(&database.url, "games").await;
    let url = &service.url;
    let list = async |key: &str| reason(keys(url, "ListKeys", json!({}), key).await);
    assert_eq!(list(&first).await, "");
    assert_eq!(list(&second).await, "SCOPE_MISSING");

    let (_, listed, _) = by_hand(&database.url, &["list"]).await;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].starts_with(&format!("{first_id}  \"Test\"  admin  made 20")), "{listed}");
    assert!(lines[1].starts_with(&second_id) && lines[1].contains("  games  "), "{listed}");
    assert!(lines.iter().all(|line| line.contains("used 20")), "both were tried: {listed}");
    assert!(!listed.contains(&first[10..]) && !listed.contains(&second[10..]), "{listed}");

    let (done, line, _) = by_hand(&database.url, &["revoke", &first_id]).await;
    assert!(done && line.starts_with(&first_id) && line.contains("  revoked 20"), "{line}");
    until(HEEDED, "it is heeded", async || list(&first).await == "UNAUTHENTICATED").await;
    assert_eq!(list(&second).await, "SCOPE_MISSING");
    service.stop().await;
    let (done, again, _) = by_hand(&database.url, &["revoke", &first_id]).await;
    assert!(done);
    assert_eq!(again, line, "once and for all");

    let nobody = "01912345-0000-7000-8000-000000000000";
    for (arguments, told) in [
        (&["revoke", nobody][..], "there is no key"),
        (&["create", "--scope", "root", "--name", "x"], "possible values"),
        (&["create", "--name", "x"], "--scope"),
        (&["create", "--scope", "games", "--name", " "], "name: is required"),
    ] {
        let (done, _, error) = by_hand(&database.url, arguments).await;
        assert!(!done && error.contains(told), "{arguments:?}: {error}");
    }
}

async fn keys_are_made_listed_and_revoked_by_the_api(backend: Backend) {
    let database = fresh(backend).await;
    let (admin, admin_id) = make_key(&database.url, "admin").await;
    let here = Service::start(&database.url).await;
    // Another instance, where there can be one.
    let other = match backend {
        Backend::Sqlite => None,
        Backend::Postgres => Some(Service::start(&database.url).await),
    };
    let there = &other.as_ref().unwrap_or(&here).url;
    let asked = json!({"name": "Backend", "scopes": ["players", "games"]});
    let made = keys(&here.url, "CreateKey", asked, &admin).await.unwrap();
    let secret = made["secret"].as_str().unwrap();
    let key = &made["key"];
    assert_eq!((&key["name"], &key["scopes"]), (&json!("Backend"), &json!(["games", "players"])));
    let create = async |url: &str| {
        let asked = json!({"externalId": "user-1", "displayName": "Ala"});
        let method = "remik.v1.PlayerService/CreatePlayer";
        reason(call(url, Via::Grpc, method, &asked, &Credentials::token(secret)).await)
    };
    assert_eq!((create(&here.url).await, create(there).await), (String::new(), String::new()));

    let first = keys(&here.url, "ListKeys", json!({"pageSize": 1}), &admin).await.unwrap();
    assert_eq!(first["keys"][0]["keyId"], admin_id);
    let asked = json!({"pageSize": 1, "pageToken": first["nextPageToken"]});
    let second = keys(&here.url, "ListKeys", asked, &admin).await.unwrap();
    assert_eq!(second["keys"][0]["keyId"], key["keyId"]);
    assert!(second["keys"][0]["usedAt"].is_string() && second["keys"][0]["revokedAt"].is_null());
    assert_eq!(second["nextPageToken"], "");

    let asked = json!({"keyId": key["keyId"]});
    let revoked = keys(&here.url, "RevokeKey", asked.clone(), &admin).await.unwrap();
    assert!(revoked["key"]["revokedAt"].is_string());
    assert_eq!(create(&here.url).await, "UNAUTHENTICATED");
    until(HEEDED, "it is heeded there", async || create(there).await == "UNAUTHENTICATED").await;
    let again = keys(&here.url, "RevokeKey", asked, &admin).await.unwrap();
    assert_eq!(again, revoked);

    for (method, request, told, field) in [
        ("RevokeKey", json!({"keyId": "01912345-0000-7000-8000-000000000000"}), "KEY_NOT_FOUND", None),
        ("RevokeKey", json!({"keyId": "x"}), "MALFORMED_FIELD", Some("key_id")),
        ("CreateKey", json!({"scopes": ["games"]}), "MISSING_FIELD", Some("name")),
        ("CreateKey", json!({"name": "x"}), "MISSING_FIELD", Some("scopes")),
        (
            "CreateKey",
            json!({"name": "x", "scopes": ["games", "root"]}),
            "MALFORMED_FIELD",
            Some("scopes[1]"),
        ),
        ("ListKeys", json!({"pageSize": 101}), "FIELD_OUT_OF_RANGE", Some("page_size")),
        ("ListKeys", json!({"pageToken": "x"}), "MALFORMED_FIELD", Some("page_token")),
    ] {
        let asked = request.clone();
        // The path can't be without the key's id.
        let refused = keys(&here.url, method, asked, &admin).await.unwrap_err().refused();
        assert_eq!(
            (refused.reason.as_str(), refused.fields.first().map(String::as_str)),
            (told, field),
            "{request}"
        );
    }
}

async fn a_key_for_the_run_is_made_only_where_nobody_else_can_come_in(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let first = service.console_key.clone();
    assert!(first.starts_with("remik_key_"));
    let asked = json!({"externalId": "user-1", "displayName": "Ala"});
    let create = async |url: &str, key: &str| {
        let method = "remik.v1.PlayerService/CreatePlayer";
        reason(call(url, Via::Rest, method, &asked, &Credentials::token(key)).await)
    };
    assert_eq!(create(&service.url, &first).await, "");
    assert_eq!(keys(&service.url, "ListKeys", json!({}), &first).await.unwrap()["keys"], json!([]));
    service.stop().await;
    // Each run has its own.
    let service = Service::start(&database.url).await;
    assert!(service.console_key != first && !service.console_key.is_empty());
    assert_eq!(create(&service.url, &first).await, "UNAUTHENTICATED");
    service.stop().await;

    let signer = Signer::ed25519("a");
    let files = Files::new(&[7; 32], &jwks(&[&signer]));
    for arguments in [&["--listen", "0.0.0.0:0"][..], &files.secret(), &files.keys()] {
        let service = start_with(&database.url, arguments).await;
        assert_eq!(service.console_key, "", "{arguments:?}");
        service.stop().await;
    }
    make_key(&database.url, "games").await;
    assert_eq!(Service::start(&database.url).await.console_key, "");
}
