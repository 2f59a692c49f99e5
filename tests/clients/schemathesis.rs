//! Schemathesis reads the OpenAPI document and tries what it promises on the live service, thousands of times.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::{Value as Json, json};
use tokio::task::spawn_blocking;

use crate::{
    service::Service,
    support::database::{Backend, fresh},
};

/// What is said when there is no Python.
const INSTALL: &str = "Python 3.10 or later with `venv` is needed: apt-get install -y python3 python3-venv, or brew install python";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/schemathesis")
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}\n{INSTALL}"))
}

#[track_caller]
fn must_succeed(command: &mut Command, hint: &str) {
    let output = run(command);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{errors}\n{hint}", output.status);
}

/// The program, in an environment of its own under `target/`; installed if it isn't there in this version.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let requirements = folder().join("requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).unwrap();
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemathesis");
    let installed = home.join("installed.txt");
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
        must_succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home), INSTALL);
        let mut pip = Command::new(home.join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
        must_succeed(&mut pip, "pip needs a package index");
        std::fs::write(installed, wanted).unwrap();
    }
    home.join("bin/schemathesis")
});

fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Somebody who plays.
struct Guest {
    url: String,
    token: String,
}

impl Guest {
    async fn new(url: &str) -> Self {
        let mut guest = Self { url: url.to_owned(), token: String::new() };
        let made = guest.post("/v1/guests", json!({"displayName": "Ala"})).await;
        guest.token = made["token"].as_str().unwrap().to_owned();
        guest
    }

    async fn post(&self, path: &str, body: Json) -> Json {
        let request = reqwest::Client::new().post(format!("{}{path}", self.url)).json(&body);
        let response = request.bearer_auth(&self.token).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Sends a command.
    async fn play(&self, game: &str, verb: &str) -> Json {
        let body = json!({"requestId": fresh_id()});
        self.post(&format!("/v1/games/{game}:{verb}"), body).await["view"].clone()
    }
}

/// Runs it with its configuration and something more. What it finds is in its output.
async fn try_all(service: &Service, token: &str, more: &str) {
    let (url, token, more) = (service.url.clone(), token.to_owned(), more.to_owned());
    let test = move || {
        // It leaves files where it runs.
        let home = tempfile::tempdir().unwrap();
        let config = std::fs::read_to_string(folder().join("schemathesis.toml")).unwrap();
        std::fs::write(home.path().join("schemathesis.toml"), config + more.as_str()).unwrap();
        let mut command = Command::new(&*PROGRAM);
        command.current_dir(home.path()).env("SCHEMATHESIS_HOOKS", folder().join("hooks.py"));
        command.args(["run", "--no-color", "--header"]).arg(format!("Authorization: Bearer {token}"));
        must_succeed(command.arg(format!("{url}/openapi.json")), "");
    };
    spawn_blocking(test).await.unwrap();
    assert_eq!(service.stderr(), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_keeps_its_document() {
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let guest = Guest::new(&service.url).await;
    try_all(&service, &guest.token, "").await;
    service.stop().await;
}

/// Ids that are made up lead nowhere; so once more with those of a game that is being played.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn also_in_a_running_game() {
    let database = fresh(Backend::Postgres).await;
    let service = Service::start(&database.url).await;
    let players = [Guest::new(&service.url).await, Guest::new(&service.url).await];
    let asked = json!({"requestId": fresh_id(), "seats": 2});
    let view = players[0].post("/v1/games", asked).await["view"].clone();
    let game = view["gameId"].as_str().unwrap();
    players[1].play(game, "join").await;
    players[0].play(game, "ready").await;
    let view = players[1].play(game, "ready").await;
    let turn = view["deal"]["turn"]["seat"].as_u64().unwrap();
    let parameters = format!("\n[parameters]\n\"path.game_id\" = \"{game}\"\n");
    try_all(&service, &players[turn as usize].token, &parameters).await;
    service.kill();
}
