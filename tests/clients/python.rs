//! `examples/python`: gRPC.

use serde_json::Value as Json;
use tokio::process::Command;

use crate::{
    cuts::BadLine,
    played,
    program::{example, install, kept, run},
    service::Service,
    support::database::{Backend, fresh},
};

const MISSING: &str =
    "Python 3.10 or later with `venv` is needed: apt-get install -y python3-venv, or brew install python";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_guests_play_over_a_bad_line() {
    let home = kept("python");
    let requirements = example("python").join("requirements.txt");
    install(&home, &std::fs::read_to_string(&requirements).unwrap(), async || {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home), MISSING).await;
        let mut pip = Command::new(home.join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
        run(&mut pip, "pip needs a package index").await;
    })
    .await;

    let database = fresh(Backend::Postgres).await;
    let service = Service::start(&database.url).await;
    let line = BadLine::to(&service.url).await;
    let mut client = Command::new(home.join("bin/python"));
    client.arg(example("python").join("play.py")).arg(&line.address);
    // Nothing is left among the sources.
    client.env("REMIK_STUBS", home.join("stubs")).env("PYTHONDONTWRITEBYTECODE", "1");
    let told: Json = serde_json::from_str(&run(&mut client, "").await).unwrap();
    played::check(&service, told["gameId"].as_str().unwrap(), &told["places"]).await;
    assert!(line.cuts() > 3, "{}", line.cuts());
    service.stop().await;
}
