//! The service is killed again and again in the middle of games: what was acknowledged stays, nothing happens twice,
//! and everybody goes on where he was.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../support/bot.rs"]
mod bot;
#[path = "../support/client/mod.rs"]
mod client;
#[path = "../support/log.rs"]
mod log;
#[path = "../support/receiver.rs"]
mod receiver;
#[path = "../support/service.rs"]
mod service;
#[path = "../support/mod.rs"]
mod support;

mod disk;
mod home;
mod match_play;
mod webhooks;

use std::time::Duration;

use futures::future::{join, join_all};
use home::Home;
use match_play::Match;
use rand::RngExt;
use remik::proto::v1::GameState;
use tokio::{sync::watch, time::timeout};

use client::Command;
use log::Log;
use service::Service;
use support::database::{Backend, fresh};

/// How often the service is killed.
const KILLS: usize = 20;

/// How many games run at the same time.
const TABLES: usize = 5;

/// How long all of it may take.
const BOUND: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_over_sqlite() {
    timeout(BOUND, games_go_on(Backend::Sqlite)).await.expect("all games end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_over_postgres() {
    timeout(BOUND, games_go_on(Backend::Postgres)).await.expect("all games end");
}

async fn games_go_on(backend: Backend) {
    let database = fresh(backend).await;
    let mut service = Service::start(&database.url).await;
    let (address, home) = watch::channel(service.url.clone());
    let (progress, mut acknowledged) = watch::channel(0usize);
    let (stop, stopped) = watch::channel(false);
    let seed: u64 = rand::random();
    println!("the seed is {seed}");

    let kill = async {
        for _ in 0..KILLS {
            let wanted = *acknowledged.borrow_and_update() + rand::rng().random_range(20..70);
            acknowledged.wait_for(|count| *count >= wanted).await.unwrap();
            service.kill();
            service = Service::start(&database.url).await;
            address.send_replace(service.url.clone());
        }
        stop.send_replace(true);
        service
    };
    // Each table plays game after game until the last kill.
    let tables = (0..TABLES as u64).map(|table| {
        let (home, progress, stopped) = (Home::new(home.clone()), progress.clone(), stopped.clone());
        async move {
            let mut matches = Vec::new();
            while matches.is_empty() || !*stopped.borrow() {
                let seed = seed.wrapping_add(table * 1000 + matches.len() as u64);
                matches.push(Match::play(home.clone(), &progress, seed).await);
            }
            matches
        }
    });
    let (tables, service) = join(join_all(tables), kill).await;
    let matches: Vec<Match> = tables.into_iter().flatten().collect();
    let lost: usize = matches.iter().map(|played| played.lost).sum();
    println!("{} games, {lost} commands without an answer", matches.len());
    assert!(lost > 0, "the service was killed while it worked");

    for played in &matches {
        for bot in &played.bots {
            let client = bot.client.at(&service.url, played.via(bot.seat));
            // What the log makes of each command is what was answered then.
            for (order, answer) in &bot.answered {
                let again = client.send(order).await.unwrap();
                assert_eq!(again.timeless(), answer.clone().timeless());
            }
            let view = client.look(&bot.game).await.unwrap();
            assert_eq!((view.state(), view.version), (GameState::Over, bot.version()));
            let late = client::Order::new(&bot.game, bot.version(), Command::Undo);
            assert_eq!(client.send(&late).await.unwrap_err().refused().reason, "GAME_OVER");
        }
    }
    service.stop().await;
    for played in &matches {
        played.check(&Log::read(&database.url, &played.game).await);
    }
}
