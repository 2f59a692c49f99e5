//! The service is killed again and again while it posts to a webhook: everything comes, and of each game in order.

use std::process::Command;
use std::time::Duration;

use futures::future::{join, join_all};
use rand::RngExt;
use serde_json::{Value as Json, json};
use tokio::{sync::watch, time::timeout};

use crate::{
    client::fresh_id,
    home::Home,
    log::Log,
    match_play::Match,
    receiver::{Manner, Receiver, expected, in_order},
    service::Service,
    support::database::{Backend, fresh},
};

/// How many games run at the same time.
const TABLES: u64 = 3;

/// How long all of it may take.
const BOUND: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_over_sqlite() {
    timeout(BOUND, everything_comes(Backend::Sqlite, 10)).await.expect("all games end");
}

/// Another instance takes over only after the duty of the dead one has lapsed, so this takes longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_over_postgres() {
    timeout(BOUND, everything_comes(Backend::Postgres, 4)).await.expect("all games end");
}

async fn start(database_url: &str) -> Service {
    let mut program = Command::new(env!("CARGO_BIN_EXE_remik"));
    program.args(Service::arguments(database_url)).args(["--webhook-allow-private", "127.0.0.1"]);
    for (name, value) in [("RETRY_MS", "20"), ("TIMEOUT_MS", "500"), ("ATTEMPTS", "1000")] {
        program.env(format!("REMIK_WEBHOOK_{name}"), value);
    }
    Service::start_by(program).await
}

async fn everything_comes(backend: Backend, kills: usize) {
    let database = fresh(backend).await;
    let mut receiver = Receiver::start().await;
    // Sometimes the service is killed between an answer and its note, or before the answer.
    receiver.behave(|_| match rand::random_range(0..100) {
        0..10 => Manner::Answer(500),
        10..20 => Manner::Close,
        20 => Manner::Hang,
        21 => Manner::Endless,
        22..25 => Manner::Redirect("http://127.0.0.1:9/".to_owned()),
        25..50 => Manner::Late(Duration::from_millis(20), 200),
        _ => Manner::Answer(200),
    });
    let mut service = start(&database.url).await;
    let kinds = ["GAME_STARTED", "YOUR_TURN", "DEAL_OVER", "GAME_OVER"];
    let kinds: Vec<String> = kinds.iter().map(|kind| format!("WEBHOOK_KIND_{kind}")).collect();
    let asked =
        json!({"requestId": fresh_id().to_string(), "name": "Haczyk", "url": receiver.url, "kinds": kinds});
    let create = reqwest::Client::new().post(format!("{}/v1/webhooks", service.url)).json(&asked);
    let made = create.bearer_auth(&service.console_key).send().await.unwrap();
    let secret = made.json::<Json>().await.unwrap()["secret"].as_str().unwrap().to_owned();

    let (address, home) = watch::channel(service.url.clone());
    let (progress, _acknowledged) = watch::channel(0usize);
    let (stop, stopped) = watch::channel(false);
    let seed: u64 = rand::random();
    println!("the seed is {seed}");
    let kill = async {
        for kill in 0..kills {
            let wanted = receiver.all().len() + rand::rng().random_range(5..40);
            receiver.until_come(BOUND, wanted).await;
            // Now and then neither is there.
            if kill % 3 == 1 {
                receiver.go_down().await;
            }
            service.kill();
            service = start(&database.url).await;
            address.send_replace(service.url.clone());
            if kill % 3 == 1 {
                receiver.come_up().await;
            }
        }
        stop.send_replace(true);
        service
    };
    let tables = (0..TABLES).map(|table| {
        let (home, progress, stopped) = (Home::new(home.clone()), progress.clone(), stopped.clone());
        async move {
            let mut games = Vec::new();
            while games.is_empty() || !*stopped.borrow() {
                let seed = seed.wrapping_add(table * 1000 + games.len() as u64);
                games.push(Match::play(home.clone(), &progress, seed).await.game);
            }
            games
        }
    });
    let (games, service) = join(join_all(tables), kill).await;
    let games: Vec<String> = games.into_iter().flatten().collect();
    receiver
        .until(BOUND, "all games are over", |receiver| {
            let taken = receiver.taken();
            games
                .iter()
                .all(|game| taken.iter().any(|post| post.kind() == "GAME_OVER" && post.game() == *game))
        })
        .await;
    service.stop().await;
    let posts = receiver.all();
    println!("{} games, {} posts, {} taken", games.len(), posts.len(), receiver.taken().len());
    assert!(posts.iter().all(|post| post.is_signed_by(&secret)));
    for game in &games {
        assert_eq!(in_order(&posts, game), expected(&Log::read(&database.url, game).await));
    }
}
