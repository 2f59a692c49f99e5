//! `examples/curl`: REST from a shell.

use tokio::process::Command;

use crate::{
    cuts::BadLine,
    played,
    program::{example, run},
    service::Service,
    support::database::{Backend, fresh},
};

const MISSING: &str = "curl, bash and Python 3 are needed: apt-get install -y curl bash python3, or brew install curl bash python";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_guests_play_over_a_bad_line() {
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let line = BadLine::to(&service.url).await;
    let mut client = Command::new(example("curl").join("first_game.sh"));
    let told = run(client.arg(format!("http://{}", line.address)), MISSING).await;
    let line_of = |name: &str| told.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    let places = serde_json::from_str(line_of("places: ")).unwrap();
    played::check(&service, line_of("game: "), &places).await;
    assert!(line.cuts() > 3, "{}", line.cuts());
    service.kill();
}
