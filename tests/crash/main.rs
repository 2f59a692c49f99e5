//! Kills what runs the store. A test binary of its own, as its PostgreSQL server is that of the whole process.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../support/mod.rs"]
mod support;

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use bytes::Bytes;
use futures::future::{join, join_all};
use remik::store::{Append, AppendError, GameId, Millis, Move, OpenError, Store, StoreError, StoreOptions};
use sqlx::{Connection, Executor, PgConnection};
use support::database::{Backend, fresh};
use tokio::{sync::watch, time::timeout};

fn append(game: GameId, number: u32) -> Append {
    let events = Bytes::from(format!("{game} {number}"));
    let made_at = Millis(0);
    let mv =
        Move { game, number, seat: None, request_id: None, fingerprint: None, made_at, format: 1, events };
    Append { mv, summary: None, request: None, alarm: None }
}

/// A server process dies by SIGKILL, so all of them start anew from what is on disk, where every acknowledged move is.
/// The server's default is an answer before that, so this fails unless the store's sessions ask for more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_moves_survive_the_server() {
    let database = fresh(Backend::Postgres).await;
    let store = Store::open(&database.url, StoreOptions::default()).await.unwrap();
    let (acknowledged, mut progress) = watch::channel(0);
    let done = AtomicBool::new(false);
    let play = async || {
        let (game, mut number) = (GameId::generate(), 0);
        while !done.load(Ordering::Relaxed) {
            match store.append(append(game, number + 1)).await {
                Ok(()) => {
                    number += 1;
                    acknowledged.send_modify(|count| *count += 1);
                }
                Err(AppendError::Unknown(_)) => {
                    let stored = latest(&store, game).await;
                    assert!(stored == number || stored == number + 1, "{stored} after {number}");
                    number = stored;
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        (game, number)
    };
    let crash = async {
        for _ in 0..5 {
            let before = *progress.borrow_and_update();
            progress.wait_for(|count| *count >= before + 200).await.unwrap();
            let mut victim = loop {
                match PgConnection::connect(&database.url).await {
                    Ok(connection) => break connection,
                    Err(_) => tokio::task::yield_now().await,
                }
            };
            // The shell's parent is the server process of this session.
            victim.execute("COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID'").await.unwrap_err();
        }
        done.store(true, Ordering::Relaxed);
    };
    let games = timeout(Duration::from_secs(60), join(join_all((0..20).map(|_| play())), crash));
    let (games, ()) = games.await.expect("the server comes back");
    for (game, number) in games {
        let expected: Vec<_> = (1..=number).map(|number| append(game, number).mv).collect();
        assert_eq!(store.load(game, 0, None).await.unwrap(), expected);
    }
}

/// A process dies by SIGKILL while it writes to SQLite: what it acknowledged is there, and its lock isn't.
#[tokio::test]
async fn a_killed_process_leaves_its_moves_and_no_lock() {
    const CHILD: &str = "REMIK_TEST_CRASH_CHILD";
    const GAME: GameId = GameId(uuid::Uuid::from_u128(1));
    if let Ok(url) = env::var(CHILD) {
        // This test, run by itself in the process to be killed.
        let store = Store::open(&url, StoreOptions::default()).await.unwrap();
        for number in 1.. {
            store.append(append(GAME, number)).await.unwrap();
            println!("acknowledged {number}");
        }
    }
    let database = fresh(Backend::Sqlite).await;
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_killed_process_leaves_its_moves_and_no_lock", "--nocapture"])
        .env(CHILD, &database.url)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut numbers =
        lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("acknowledged ")?.parse().ok());
    let before: u32 = numbers.nth(100).unwrap();
    let second = Store::open(&database.url, StoreOptions::default()).await;
    assert!(matches!(second.err(), Some(OpenError::InUse { .. })));
    child.kill().unwrap();
    child.wait().unwrap();
    let acknowledged = numbers.last().unwrap_or(before);

    let store = Store::open(&database.url, StoreOptions::default()).await.unwrap();
    let stored = latest(&store, GAME).await;
    assert!(stored == acknowledged || stored == acknowledged + 1, "{stored} after {acknowledged}");
    let expected: Vec<_> = (1..=stored).map(|number| append(GAME, number).mv).collect();
    assert_eq!(store.load(GAME, 0, None).await.unwrap(), expected);
    store.append(append(GAME, stored + 1)).await.unwrap();
}

/// Asks until the server is back.
async fn latest(store: &Store, game: GameId) -> u32 {
    loop {
        match store.latest(game).await {
            Ok(number) => return number.unwrap_or(0),
            Err(StoreError::Unavailable(_)) => continue,
            Err(other) => panic!("{other:?}"),
        }
    }
}
