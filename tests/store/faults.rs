use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use bytes::Bytes;
use futures::future::{join, join_all};
use remik::store::{AppendError, GameId, Move, OpenError, Store, StoreError, StoreOptions};
use sqlx::{Connection, Executor, PgConnection};
use tokio::{sync::watch, time::timeout};

use crate::{
    fixture::{append, mv, open, store},
    on_both,
    support::database::{Backend, fresh},
};

on_both!(a_closed_store_refuses_all);

async fn a_closed_store_refuses_all(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.close().await;
    store.close().await;
    assert!(matches!(store.append(append(mv(GameId::generate(), 1))).await, Err(AppendError::Closed)));
    assert!(matches!(store.latest(GameId::generate()).await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn urls_of_other_kinds_are_refused() {
    for url in [
        "",
        "remik.db",
        "sqlite:",
        "sqlite::memory:",
        "mysql://root@localhost/x",
        "postgres://localhost:port/remik",
    ] {
        let opened = Store::open(url, StoreOptions::default()).await;
        assert!(matches!(opened.err(), Some(OpenError::Url(_))), "{url}");
    }
}

#[tokio::test]
async fn an_sqlite_file_has_one_owner() {
    let (first, database) = store(Backend::Sqlite).await;
    let second = Store::open(&database.url, StoreOptions::default()).await;
    assert!(matches!(second.err(), Some(OpenError::InUse { .. })));
    first.close().await;
    open(&database).await.ping().await.unwrap();
}

#[tokio::test]
async fn an_sqlite_file_is_read_beside_its_owner() {
    let (owner, database) = store(Backend::Sqlite).await;
    let reader = Store::open_to_read(&database.url, StoreOptions::default()).await.unwrap();
    let game = GameId::generate();
    assert_eq!(reader.latest(game).await.unwrap(), None);
    owner.append(append(mv(game, 1))).await.unwrap();
    assert_eq!(reader.latest(game).await.unwrap(), Some(1));
    assert!(reader.append(append(mv(GameId::generate(), 1))).await.is_err());
}

#[tokio::test]
async fn what_is_no_database_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text");
    std::fs::write(&file, "This is no database, and long enough to show it. ".repeat(100)).unwrap();
    let open = async |path: std::path::PathBuf| {
        Store::open(&format!("sqlite:{}", path.display()), StoreOptions::default()).await.err().unwrap()
    };
    assert!(matches!(open(file.clone()).await, OpenError::Database(StoreError::Corrupt(_))));
    assert!(matches!(open(file.join("below.db")).await, OpenError::File { .. }));

    let nowhere = format!("postgres:///remik?host={}", folder.path().display());
    let opened = Store::open(&nowhere, StoreOptions::default()).await;
    assert!(matches!(opened.err(), Some(OpenError::Database(StoreError::Unavailable(_)))));
}

/// Instances that start together on an empty database make its tables once.
#[tokio::test]
async fn instances_may_start_together() {
    let database = fresh(Backend::Postgres).await;
    let stores = join_all((0..4).map(|_| open(&database))).await;
    join_all(stores.iter().map(async |store| store.append(append(mv(GameId::generate(), 1))).await.unwrap()))
        .await;
}

/// Two instances write the same moves of the same games, in opposite orders: whoever wins, no move is lost or doubled,
/// and no deadlock shows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_cross_part_the_moves() {
    let (there, database) = store(Backend::Postgres).await;
    let back = open(&database).await;
    let games: Vec<_> = (0..60).map(|_| GameId::generate()).collect();
    let by = |name: &'static str, game, number| Move { events: Bytes::from(name), ..mv(game, number) };
    for number in 1..=30 {
        let ahead = games.iter().map(|game| there.append(append(by("there", *game, number))));
        let behind = games.iter().rev().map(|game| back.append(append(by("back", *game, number))));
        let (ahead, mut behind) = join(join_all(ahead), join_all(behind)).await;
        behind.reverse();
        for (game, outcomes) in games.iter().zip(ahead.into_iter().zip(behind)) {
            let winner = match outcomes {
                (Ok(()), Err(AppendError::Conflict)) => "there",
                (Err(AppendError::Conflict), Ok(())) => "back",
                other => panic!("{other:?}"),
            };
            assert_eq!(there.load(*game, number - 1, None).await.unwrap(), [by(winner, *game, number)]);
        }
    }
}

/// A deadlock with somebody who writes out of order undoes the batch, which is then written again.
#[tokio::test]
async fn a_deadlock_is_not_the_callers_concern() {
    let database = fresh(Backend::Postgres).await;
    let mut rival = PgConnection::connect(&database.url).await.unwrap();
    // The server breaks the circle at the first session that waited so long: the store's.
    let patience = "DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 3000', current_database());
    END $$";
    rival.execute(patience).await.unwrap();
    rival.execute("SET deadlock_timeout = '60s'").await.unwrap();
    let options = StoreOptions { writers: 1, ..StoreOptions::default() };
    let store = Store::open(&database.url, options).await.unwrap();

    let (first, second) = (GameId::generate(), GameId::generate());
    let insert = async |rival: &mut PgConnection, game: GameId| {
        let sql = "INSERT INTO moves (game_id, number, made_at, format, events, tx)
            VALUES ($1, 1, 0, 1, '', pg_current_xact_id()::text::bigint)";
        sqlx::query(sql).bind(game).execute(rival).await.unwrap();
    };
    rival.execute("BEGIN").await.unwrap();
    insert(&mut rival, second).await;
    let appends = join(store.append(append(mv(first, 1))), store.append(append(mv(second, 1))));
    let crossing = async {
        let sql = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while sqlx::query_scalar::<_, i64>(sql).fetch_one(&mut rival).await.unwrap() == 0 {
            rival.execute("SELECT pg_stat_clear_snapshot()").await.unwrap();
        }
        insert(&mut rival, first).await;
        rival.execute("COMMIT").await.unwrap();
    };
    let (outcomes, ()) = join(appends, crossing).await;
    assert!(matches!(outcomes, (Err(AppendError::Conflict), Err(AppendError::Conflict))), "{outcomes:?}");
}

/// The server ends the connections again and again while games go on: what was acknowledged stays, and what was left
/// unknown is in the log or not, and the game goes on from there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_lose_no_acknowledged_move() {
    let (store, database) = store(Backend::Postgres).await;
    let (acknowledged, mut progress) = watch::channel(0);
    let (done, unknown) = (AtomicBool::new(false), AtomicUsize::new(0));
    let play = async || {
        let (game, mut number) = (GameId::generate(), 0);
        while !done.load(Ordering::Relaxed) {
            match store.append(append(mv(game, number + 1))).await {
                Ok(()) => {
                    number += 1;
                    acknowledged.send_modify(|count| *count += 1);
                }
                Err(AppendError::Unknown(_)) => {
                    unknown.fetch_add(1, Ordering::Relaxed);
                    let stored = latest(&store, game).await;
                    assert!(stored == number || stored == number + 1, "{stored} after {number}");
                    number = stored;
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        (game, number)
    };
    let kill = async {
        let mut killer = PgConnection::connect(&database.url).await.unwrap();
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let mut kills = 0;
        while kills < 10 || unknown.load(Ordering::Relaxed) == 0 {
            let before = *progress.borrow_and_update();
            sqlx::query(sql).execute(&mut killer).await.unwrap();
            progress.wait_for(|count| *count >= before + 100).await.unwrap();
            kills += 1;
        }
        done.store(true, Ordering::Relaxed);
    };
    let games = timeout(Duration::from_secs(60), join(join_all((0..20).map(|_| play())), kill));
    let (games, ()) = games.await.expect("the writers find new connections");
    for (game, number) in games {
        let expected: Vec<_> = (1..=number).map(|number| mv(game, number)).collect();
        assert_eq!(store.load(game, 0, None).await.unwrap(), expected);
        store.append(append(mv(game, number + 1))).await.unwrap();
    }
}

/// Asks until the database can be reached.
async fn latest(store: &Store, game: GameId) -> u32 {
    loop {
        match store.latest(game).await {
            Ok(number) => return number.unwrap_or(0),
            Err(StoreError::Unavailable(_)) => continue,
            Err(other) => panic!("{other:?}"),
        }
    }
}
