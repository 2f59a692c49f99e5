use std::{collections::HashMap, time::Duration};

use futures::future::{join, join_all};
use remik::store::{Cursor, GameId, Move, Store, StoreError};
use sqlx::{Connection, Executor, PgConnection};
use tokio::time::timeout;

use crate::{
    fixture::{append, mv, open, store},
    on_both,
    support::database::Backend,
};

on_both!(
    every_move_comes_once_and_in_order,
    the_end_skips_the_past,
    readers_miss_nothing_among_many_writers,
    a_cursor_of_another_epoch_is_refused,
);

/// Follows the feed until it has shown so many moves. Other tests' transactions may hold it up for a moment.
async fn follow(store: &Store, from: Cursor, count: usize, limit: u32) -> (Vec<Move>, Cursor) {
    let following = async {
        let (mut all, mut cursor) = (Vec::new(), from);
        while all.len() < count {
            let (moves, next) = store.feed(&cursor, limit).await.unwrap();
            assert!(moves.len() <= limit as usize);
            all.extend(moves.into_iter().map(|(mv, _)| mv));
            cursor = next.to_string().parse().unwrap();
        }
        (all, cursor)
    };
    timeout(Duration::from_secs(60), following).await.expect("the feed shows all moves")
}

async fn write(store: &Store, games: &[GameId], numbers: std::ops::RangeInclusive<u32>) {
    for number in numbers {
        for outcome in join_all(games.iter().map(|game| store.append(append(mv(*game, number))))).await {
            outcome.unwrap();
        }
    }
}

/// Each game's moves come one after another, each as it was written, and there are `count` of them.
fn assert_complete(moves: &[Move], games: usize, count: u32) {
    let mut last = HashMap::new();
    for found in moves {
        let number = last.entry(found.game).or_insert(0);
        *number += 1;
        assert_eq!(*found, mv(found.game, *number));
    }
    assert_eq!(last.len(), games);
    assert!(last.values().all(|number| *number == count));
}

async fn every_move_comes_once_and_in_order(backend: Backend) {
    let (store, _database) = store(backend).await;
    assert_eq!(store.feed(&Cursor::START, 10).await.unwrap().0, []);
    let games: Vec<_> = (0..10).map(|_| GameId::generate()).collect();
    write(&store, &games, 1..=5).await;
    for limit in [1, 3, 10, 1000] {
        let (moves, end) = follow(&store, Cursor::START, 50, limit).await;
        assert_complete(&moves, 10, 5);
        // From the cursor of any move the rest follows.
        let (page, _) = store.feed(&Cursor::START, limit).await.unwrap();
        for (at, (mv, cursor)) in page.iter().enumerate() {
            assert_eq!(*mv, moves[at]);
            let (rest, _) = follow(&store, *cursor, 50 - at - 1, limit).await;
            assert_eq!(rest, moves[at + 1..]);
        }
        assert_eq!(store.feed(&end, 10).await.unwrap().0, []);
    }
    // Nought is no page.
    let (moves, _) = store.feed(&Cursor::START, 0).await.unwrap();
    assert_eq!(moves.len(), 1);
}

async fn the_end_skips_the_past(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    write(&store, &[game], 1..=3).await;
    // Past this point every move of the game is over.
    follow(&store, Cursor::START, 3, 10).await;
    let end = store.feed_end().await.unwrap();
    write(&store, &[game], 4..=5).await;
    assert_eq!(follow(&store, end, 2, 10).await.0, [mv(game, 4), mv(game, 5)]);
}

async fn readers_miss_nothing_among_many_writers(backend: Backend) {
    let (first, database) = store(backend).await;
    let second = match backend {
        Backend::Postgres => Some(open(&database).await),
        Backend::Sqlite => None,
    };
    let games: Vec<_> = (0..40).map(|_| GameId::generate()).collect();
    let writers = games.chunks(5).enumerate().map(|(index, games)| {
        let store = second.as_ref().filter(|_| index % 2 == 0).unwrap_or(&first);
        write(store, games, 1..=25)
    });
    let readers = [1, 7, 100].map(|limit| follow(&first, Cursor::START, 1000, limit));
    let (_, read) = join(join_all(writers), join_all(readers)).await;
    for (moves, _) in read {
        assert_complete(&moves, 40, 25);
    }
}

async fn a_cursor_of_another_epoch_is_refused(backend: Backend) {
    let (store, database) = store(backend).await;
    let game = GameId::generate();
    write(&store, &[game], 1..=2).await;
    let (_, old) = follow(&store, Cursor::START, 2, 10).await;
    store.close().await;
    let store = open(&database).await;
    // Opening anew is no new epoch.
    store.feed(&old, 10).await.unwrap();
    store.renew_epoch().await.unwrap();
    assert!(matches!(store.feed(&old, 10).await, Err(StoreError::OtherEpoch)));
    write(&store, &[game], 3..=3).await;
    let (moves, new) = follow(&store, Cursor::START, 3, 2).await;
    assert_complete(&moves, 1, 3);
    store.feed(&new, 10).await.unwrap();
}

#[tokio::test]
async fn a_transaction_that_commits_late_is_waited_for() {
    let (store, database) = store(Backend::Postgres).await;
    let (late, quick) = (GameId::generate(), GameId::generate());
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    let mut transaction = connection.begin().await.unwrap();
    sqlx::query(
        "INSERT INTO moves (game_id, number, made_at, format, events, tx)
         VALUES ($1, 1, 0, 1, '', pg_current_xact_id()::text::bigint)",
    )
    .bind(late)
    .execute(&mut *transaction)
    .await
    .unwrap();
    write(&store, &[quick], 1..=3).await;
    // The quick ones are committed, but a transaction before them isn't over.
    let (moves, cursor) = store.feed(&Cursor::START, 10).await.unwrap();
    assert_eq!(moves, []);
    assert_eq!(store.latest(quick).await.unwrap(), Some(3));
    transaction.commit().await.unwrap();
    let (moves, _) = follow(&store, cursor, 4, 10).await;
    let seen: Vec<_> = moves.iter().map(|mv| (mv.game, mv.number)).collect();
    assert_eq!(seen, [(late, 1), (quick, 1), (quick, 2), (quick, 3)]);
}

#[tokio::test]
async fn a_dump_restored_elsewhere_is_noticed() {
    let (store, database) = store(Backend::Postgres).await;
    let game = GameId::generate();
    write(&store, &[game], 1..=3).await;
    let (_, old) = follow(&store, Cursor::START, 3, 10).await;
    store.close().await;
    // As if the data came from a cluster that has seen many more transactions.
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    connection.execute("UPDATE moves SET tx = tx + 5000000000; UPDATE meta SET cluster = 1").await.unwrap();

    let store = open(&database).await;
    assert!(matches!(store.feed(&old, 10).await, Err(StoreError::OtherEpoch)));
    write(&store, &[game], 4..=5).await;
    let (moves, end) = follow(&store, Cursor::START, 5, 2).await;
    assert_complete(&moves, 1, 5);
    store.close().await;
    // Once only.
    open(&database).await.feed(&end, 10).await.unwrap();
}
