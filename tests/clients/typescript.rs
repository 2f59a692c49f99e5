//! `examples/typescript`: REST and server-sent events, with types from the OpenAPI document of the running service.

use std::path::Path;

use serde_json::Value as Json;
use tokio::process::Command;

use crate::{
    cuts::BadLine,
    played,
    program::{example, install, kept, run},
    service::Service,
    support::database::{Backend, fresh},
    webhooks::takes_what_is_genuine,
};

const MISSING: &str =
    "Node 18 or later and npm are needed: apt-get install -y nodejs npm, or brew install node";

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_guests_play_over_a_bad_line_and_a_webhook_is_received() {
    // A copy, so that nothing is left among the sources.
    let (source, home) = (example("typescript"), kept("typescript"));
    copy(&source, &home);
    copy(&source.join("src"), &home.join("src"));
    let npm = || {
        let mut npm = Command::new("npm");
        npm.current_dir(&home);
        npm
    };
    install(&home, &std::fs::read_to_string(source.join("package-lock.json")).unwrap(), async || {
        run(npm().args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]), MISSING).await;
    })
    .await;

    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    run(npm().args(["run", "types"]).env("REMIK_URL", &service.url), MISSING).await;
    run(npm().args(["run", "build"]), MISSING).await;
    let line = BadLine::to(&service.url).await;
    let mut client = npm();
    client.args(["run", "--silent", "start", "--"]).arg(format!("http://{}", line.address));
    let told: Json = serde_json::from_str(&run(&mut client, MISSING).await).unwrap();
    played::check(&service, told["gameId"].as_str().unwrap(), &told["places"]).await;
    assert!(line.cuts() > 3, "{}", line.cuts());
    service.stop().await;

    let mut receiver = Command::new("node");
    receiver.arg(home.join("build").join("webhook.js"));
    takes_what_is_genuine(receiver).await;
}
