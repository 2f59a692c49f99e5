//! Receivers of webhooks: they take what the service posts, and nothing that anybody else does.

use std::{net::TcpListener, process::Stdio, time::Duration};

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    time::timeout,
};

use crate::{
    program::example,
    service::Service,
    support::database::{Backend, fresh},
};

const BOUND: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_takes_what_is_genuine() {
    let mut python = Command::new("python3");
    python.arg(example("python").join("webhook.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    takes_what_is_genuine(python).await;
}

/// Starts a program with a port and a secret behind its arguments, and a game against a bot.
pub(crate) async fn takes_what_is_genuine(mut program: Command) {
    let database = fresh(Backend::Sqlite).await;
    let mut serve = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
    serve.args(Service::arguments(&database.url)).args(["--webhook-allow-private", "127.0.0.1"]);
    serve.env("REMIK_WEBHOOK_RETRY_MS", "50");
    let service = Service::start_by(serve).await;
    let http = reqwest::Client::new();
    let post = async |path: &str, token: &str, body: Json| {
        let request = http.post(format!("{}/v1/{path}", service.url)).bearer_auth(token).json(&body);
        request.send().await.unwrap().json::<Json>().await.unwrap()
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}/");
    let id = || uuid::Uuid::new_v4().to_string();
    let kinds = json!(["WEBHOOK_KIND_GAME_STARTED", "WEBHOOK_KIND_YOUR_TURN"]);
    let asked = json!({"requestId": id(), "name": "Tests", "url": address, "kinds": kinds});
    let made = post("webhooks", &service.console_key, asked).await;
    program.arg(port.to_string()).arg(made["secret"].as_str().unwrap());
    let child = program.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn();
    let mut child = child.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

    let guest = post("guests", "", json!({"displayName": "Gość"})).await;
    let token = guest["token"].as_str().unwrap();
    let game = post("games:practice", token, json!({"requestId": id()})).await;
    for kind in ["GAME_STARTED", "YOUR_TURN"] {
        let line = timeout(BOUND, lines.next_line()).await.expect("an event comes").unwrap().unwrap();
        let event: Json = serde_json::from_str(&line).unwrap();
        assert_eq!(event["kind"], format!("WEBHOOK_KIND_{kind}"));
        assert_eq!(event["gameId"], game["view"]["gameId"]);
        if kind == "YOUR_TURN" {
            assert_eq!(event["yourTurn"]["playerId"], guest["player"]["playerId"]);
        }
    }
    // It listens, so these are its answers.
    let forged = async |signature: &str| {
        let request = http.post(&address).header("remik-signature", signature).body("{\"deliveryId\":\"x\"}");
        request.send().await.unwrap().status()
    };
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    for signature in [
        "".to_owned(),
        "t=1,v1=00".to_owned(),
        format!("t={now},v1={}", "0".repeat(64)),
        format!("t={now}"),
        format!("v1={}", "0".repeat(64)),
    ] {
        assert_eq!(forged(&signature).await, 400, "{signature:?}");
    }
    child.kill().await.unwrap();
    service.stop().await;
}
