use std::sync::Arc;

use bytes::Bytes;
use futures::future::join_all;
use remik::store::{AppendError, GameId, Millis, Move, Rejection, Request, Summary};
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use crate::{
    fixture::{append, creation, mv, open, request, store, summary},
    on_both,
    support::database::Backend,
};

on_both!(
    moves_come_back_as_they_were,
    a_taken_number_is_a_conflict,
    one_of_many_rivals_wins,
    a_gap_is_refused,
    a_repeat_is_found_among_later_moves,
    a_losing_move_leaves_nothing,
    a_taken_request_leaves_nothing,
    requests_are_kept_and_swept,
    a_taken_invite_code_leaves_nothing,
    a_batch_parts_winners_from_losers,
    unstorable_data_are_rejected,
    closing_writes_what_waits,
    a_dropped_caller_doesnt_take_its_move_back,
    a_full_queue_sheds_load,
);

async fn moves_come_back_as_they_were(backend: Backend) {
    let (store, database) = store(backend).await;
    let game = GameId::generate();
    let bare = Move { seat: None, request_id: None, fingerprint: None, events: Bytes::new(), ..mv(game, 2) };
    let large = Move {
        seat: Some(u8::MAX),
        fingerprint: Some(i64::MIN),
        made_at: Millis(i64::MAX),
        format: i16::MIN,
        events: Bytes::from(vec![0xff; 300_000]),
        ..mv(game, 3)
    };
    let other = Move { fingerprint: Some(i64::MAX), ..mv(game, 4) };
    let moves = [mv(game, 1), bare, large, other, mv(game, 5)];
    for mv in &moves {
        store.append(append(mv.clone())).await.unwrap();
    }
    assert_eq!(store.load(game, 0, None).await.unwrap(), moves);
    assert_eq!(store.load(game, 2, None).await.unwrap(), moves[2..]);
    assert_eq!(store.load(game, 1, Some(2)).await.unwrap(), moves[1..3]);
    assert_eq!(store.load(game, 5, None).await.unwrap(), []);
    assert_eq!(store.load(game, u32::MAX, None).await.unwrap(), []);
    assert_eq!(store.latest(game).await.unwrap(), Some(5));
    assert_eq!(store.latest(GameId::generate()).await.unwrap(), None);

    store.close().await;
    assert_eq!(open(&database).await.load(game, 0, None).await.unwrap(), moves);
}

async fn a_taken_number_is_a_conflict(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    for number in 1..=2 {
        store.append(append(mv(game, number))).await.unwrap();
    }
    for number in 1..=2 {
        let late = Move { events: Bytes::from_static(b"late"), ..mv(game, number) };
        assert!(matches!(store.append(append(late)).await, Err(AppendError::Conflict)));
    }
    assert_eq!(store.load(game, 0, None).await.unwrap(), [mv(game, 1), mv(game, 2)]);
}

async fn one_of_many_rivals_wins(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    for number in 1..=5 {
        let rivals: Vec<_> =
            (0..20u8).map(|rival| Move { events: Bytes::from(vec![rival]), ..mv(game, number) }).collect();
        let outcomes = join_all(rivals.iter().map(|rival| store.append(append(rival.clone())))).await;
        let mut winners = rivals.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok());
        let (winner, _) = winners.next().unwrap();
        assert!(winners.next().is_none());
        assert_eq!(
            outcomes.iter().filter(|outcome| matches!(outcome, Err(AppendError::Conflict))).count(),
            19
        );
        assert_eq!(store.load(game, number - 1, None).await.unwrap(), std::slice::from_ref(winner));
    }
}

async fn a_gap_is_refused(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    let gap = |outcome| matches!(outcome, Err(AppendError::Rejected(Rejection::Gap)));
    assert!(gap(store.append(append(mv(game, 2))).await));
    store.append(append(mv(game, 1))).await.unwrap();
    assert!(gap(store.append(append(mv(game, 3))).await));
    assert!(gap(store.append(append(mv(GameId::generate(), 2))).await));
    assert_eq!(store.load(game, 0, None).await.unwrap(), [mv(game, 1)]);
}

async fn a_repeat_is_found_among_later_moves(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    for number in 1..=6 {
        store.append(append(mv(game, number))).await.unwrap();
    }
    let sought = mv(game, 4);
    let (seat, id) = (sought.seat.unwrap(), sought.request_id.unwrap());
    // Whoever asks compares the fingerprint himself.
    assert_eq!(store.find_request(game, seat, id, 0).await.unwrap().as_ref(), Some(&sought));
    assert_eq!(store.find_request(game, seat, id, 3).await.unwrap(), Some(sought));
    assert_eq!(store.find_request(game, seat, id, 4).await.unwrap(), None);
    assert_eq!(store.find_request(game, seat + 1, id, 0).await.unwrap(), None);
    assert_eq!(store.find_request(game, seat, Uuid::from_u128(1), 0).await.unwrap(), None);
    assert_eq!(store.find_request(GameId::generate(), seat, id, 0).await.unwrap(), None);
}

async fn a_losing_move_leaves_nothing(backend: Backend) {
    let (store, _database) = store(backend).await;
    let first = summary(GameId::generate(), 1);
    store.append(creation(first.clone())).await.unwrap();
    let mut late =
        creation(Summary { preset: "late".into(), players: vec![Uuid::from_u128(5)], ..first.clone() });
    late.request = Some(request(1, 1));
    assert!(matches!(store.append(late).await, Err(AppendError::Conflict)));
    assert_eq!(store.summary(first.game).await.unwrap(), Some(first));
    assert_eq!(store.request(Uuid::from_u128(1), Uuid::from_u128(1)).await.unwrap(), None);
}

async fn a_taken_request_leaves_nothing(backend: Backend) {
    let (store, _database) = store(backend).await;
    let mut first = creation(summary(GameId::generate(), 1));
    let empty = Request { result: Bytes::new(), ..request(1, 1) };
    first.request = Some(empty.clone());
    store.append(first).await.unwrap();
    assert_eq!(store.request(empty.principal, empty.request_id).await.unwrap(), Some(empty));
    let mut repeat = creation(summary(GameId::generate(), 1));
    let game = repeat.mv.game;
    repeat.request = Some(request(1, 1));
    assert!(matches!(store.append(repeat).await, Err(AppendError::RequestTaken)));
    assert_eq!(store.latest(game).await.unwrap(), None);
    assert_eq!(store.summary(game).await.unwrap(), None);
}

async fn requests_are_kept_and_swept(backend: Backend) {
    let (store, _database) = store(backend).await;
    for n in 1..=3u8 {
        let mut append = append(mv(GameId::generate(), 1));
        append.mv.made_at = Millis(n.into());
        append.request = Some(request(7, n.into()));
        store.append(append).await.unwrap();
    }
    let kept = async |n| store.request(Uuid::from_u128(7), Uuid::from_u128(n)).await.unwrap();
    assert_eq!(kept(2).await, Some(request(7, 2)));
    assert_eq!(store.request(Uuid::from_u128(8), Uuid::from_u128(2)).await.unwrap(), None);
    assert_eq!(store.sweep_requests(Millis(3)).await.unwrap(), 2);
    assert_eq!((kept(1).await, kept(2).await, kept(3).await), (None, None, Some(request(7, 3))));
}

async fn a_taken_invite_code_leaves_nothing(backend: Backend) {
    let (store, _database) = store(backend).await;
    let with_code = || Summary { invite_code: Some("ŻÓŁW".into()), ..summary(GameId::generate(), 1) };
    let first = with_code();
    store.append(creation(first.clone())).await.unwrap();
    let second = with_code();
    assert!(matches!(store.append(creation(second.clone())).await, Err(AppendError::InviteTaken)));
    assert_eq!(store.latest(second.game).await.unwrap(), None);
    assert_eq!(store.by_invite("ŻÓŁW").await.unwrap().as_ref(), Some(&first));
    assert_eq!(store.by_invite("\0").await.unwrap(), None);

    // A game that gives its code up frees it.
    let closed = Summary { version: 2, invite_code: None, ..first.clone() };
    store
        .append(remik::store::Append {
            mv: mv(first.game, 2),
            summary: Some(closed),
            request: None,
            alarm: None,
        })
        .await
        .unwrap();
    assert_eq!(store.by_invite("ŻÓŁW").await.unwrap(), None);
    store.append(creation(second.clone())).await.unwrap();
    assert_eq!(store.by_invite("ŻÓŁW").await.unwrap(), Some(second));
}

async fn a_batch_parts_winners_from_losers(backend: Backend) {
    let (store, _database) = store(backend).await;
    let taken = GameId::generate();
    store.append(append(mv(taken, 1))).await.unwrap();
    let mut used = creation(summary(GameId::generate(), 1));
    used.request = Some(request(1, 1));
    store.append(used).await.unwrap();

    let mut batch: Vec<_> = (0..200).map(|_| creation(summary(GameId::generate(), 1))).collect();
    batch[20].mv.game = taken;
    batch[20].summary = None;
    if let Some(summary) = &mut batch[50].summary {
        summary.preset.clear();
    }
    batch[80].request = Some(request(1, 1));
    batch[110].mv.number = 9;
    batch[110].summary = None;
    batch[140].request = Some(request(2, 2));
    batch[141].request = Some(request(2, 2));
    let outcomes = join_all(batch.iter().map(|append| store.append(append.clone()))).await;
    let mut twins = 0;
    for (index, (append, outcome)) in batch.iter().zip(outcomes).enumerate() {
        match index {
            20 => assert!(matches!(outcome, Err(AppendError::Conflict)), "{outcome:?}"),
            50 => assert!(matches!(outcome, Err(AppendError::Rejected(Rejection::Value(_)))), "{outcome:?}"),
            80 => assert!(matches!(outcome, Err(AppendError::RequestTaken)), "{outcome:?}"),
            110 => assert!(matches!(outcome, Err(AppendError::Rejected(Rejection::Gap))), "{outcome:?}"),
            140 | 141 if outcome.is_err() => {
                assert!(matches!(outcome, Err(AppendError::RequestTaken)), "{outcome:?}");
                assert_eq!(store.latest(append.mv.game).await.unwrap(), None);
                twins += 1;
            }
            _ => {
                outcome.unwrap();
                assert_eq!(
                    store.load(append.mv.game, 0, None).await.unwrap(),
                    std::slice::from_ref(&append.mv)
                );
                assert_eq!(store.summary(append.mv.game).await.unwrap(), append.summary);
            }
        }
    }
    assert_eq!(twins, 1);
    assert_eq!(store.latest(batch[50].mv.game).await.unwrap(), None);
}

async fn unstorable_data_are_rejected(backend: Backend) {
    let (store, _database) = store(backend).await;
    let good = creation(summary(GameId::generate(), 1));
    let rejection = async |change: fn(&mut remik::store::Append)| {
        let mut bad = good.clone();
        change(&mut bad);
        match store.append(bad).await {
            Err(AppendError::Rejected(rejection)) => rejection,
            other => panic!("{other:?}"),
        }
    };
    assert!(matches!(rejection(|bad| bad.mv.number = 0).await, Rejection::Number(0)));
    assert!(matches!(rejection(|bad| bad.mv.number = u32::MAX).await, Rejection::Number(u32::MAX)));
    assert!(matches!(rejection(|bad| bad.mv.game = GameId::generate()).await, Rejection::OtherSummary));
    assert!(matches!(
        rejection(|bad| bad.summary.as_mut().unwrap().version = 2).await,
        Rejection::OtherSummary
    ));
    assert!(matches!(
        rejection(|bad| bad.summary.as_mut().unwrap().preset = "\0".into()).await,
        Rejection::Nul
    ));
    assert!(matches!(
        rejection(|bad| bad.summary.as_mut().unwrap().preset.clear()).await,
        Rejection::Value(_)
    ));
    store.append(good).await.unwrap();
}

async fn closing_writes_what_waits(backend: Backend) {
    let (store, database) = store(backend).await;
    let store = Arc::new(store);
    let games: Vec<_> = (0..300).map(|_| GameId::generate()).collect();
    let appends: Vec<_> = games.iter().map(|game| store.append(append(mv(*game, 1)))).collect();
    // Polling each once, in order, puts all moves into the queues before the store closes.
    let closing = async {
        store.close().await;
        assert!(matches!(store.append(append(mv(GameId::generate(), 1))).await, Err(AppendError::Closed)));
    };
    let (outcomes, ()) = futures::future::join(join_all(appends), closing).await;
    assert!(outcomes.iter().all(Result::is_ok));
    let store = open(&database).await;
    for game in games {
        assert_eq!(store.latest(game).await.unwrap(), Some(1));
    }
}

async fn a_dropped_caller_doesnt_take_its_move_back(backend: Backend) {
    let (store, database) = store(backend).await;
    let game = GameId::generate();
    let mut pending = Box::pin(store.append(append(mv(game, 1))));
    assert!(futures::poll!(&mut pending).is_pending());
    drop(pending);
    store.close().await;
    assert_eq!(open(&database).await.latest(game).await.unwrap(), Some(1));
}

async fn a_full_queue_sheds_load(backend: Backend) {
    let database = crate::support::database::fresh(backend).await;
    let options = remik::store::StoreOptions { writers: 1, queue: 10, ..Default::default() };
    let store = remik::store::Store::open(&database.url, options).await.unwrap();
    let games: Vec<_> = (0..500).map(|_| GameId::generate()).collect();
    let outcomes = join_all(games.iter().map(|game| store.append(append(mv(*game, 1))))).await;
    let mut shed = 0;
    for (game, outcome) in games.iter().zip(outcomes) {
        match outcome {
            Ok(()) => assert_eq!(store.latest(*game).await.unwrap(), Some(1)),
            Err(AppendError::Overloaded) => {
                assert_eq!(store.latest(*game).await.unwrap(), None);
                shed += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(shed > 0);
}

/// What waits is committed together: while the writers are busy with one batch each, all others gather.
#[tokio::test]
async fn appends_that_wait_together_commit_together() {
    let (store, database) = store(Backend::Postgres).await;
    // One thread: all are queued before a writer gets to run.
    let games: Vec<_> = (0..400).map(|_| GameId::generate()).collect();
    let outcomes = join_all(games.iter().map(|game| store.append(append(mv(*game, 1))))).await;
    assert!(outcomes.iter().all(Result::is_ok));
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    let commits: i64 =
        sqlx::query_scalar("SELECT count(DISTINCT tx) FROM moves").fetch_one(&mut connection).await.unwrap();
    assert_eq!(commits, 3, "one for each writer");
}

/// The log is most of the disk: a move with 30 bytes of events takes 200 bytes at most, its indexes included.
#[tokio::test]
async fn a_small_move_takes_little_room() {
    let (store, database) = store(Backend::Postgres).await;
    let games: Vec<_> = (0..300).map(|_| GameId::generate()).collect();
    for number in 1..=60 {
        let moves = games.iter().map(|game| Move { events: Bytes::from(vec![7; 30]), ..mv(*game, number) });
        let outcomes = join_all(moves.map(|mv| store.append(append(mv)))).await;
        assert!(outcomes.iter().all(Result::is_ok));
    }
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    let bytes: i64 =
        sqlx::query_scalar("SELECT pg_total_relation_size('moves') / (SELECT count(*) FROM moves)")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert!(bytes <= 200, "{bytes} bytes");
}
