//! Alarms, leases and outages.

use std::{collections::BTreeSet, time::Duration};

use remik::store::{
    Alarm, AlarmChange, AlarmFilter, Append, AppendError, GameId, Lease, LeaseTerms, Millis, SHARDS, Store,
};
use uuid::Uuid;

use crate::{
    fixture::{append, creation, mv, open, store, summary},
    on_both,
    support::database::{Backend, fresh},
};

on_both![
    an_alarm_is_as_the_last_move_left_it,
    alarms_are_found_by_shard_and_time,
    one_instance_has_every_shard_and_nobody_misses_it,
    a_silent_instance_leaves_an_outage,
    what_was_given_back_is_an_outage_until_it_is_taken,
    outages_are_kept_while_an_alarm_is_older,
];

/// Nothing lapses while a test runs.
const CALM: LeaseTerms = LeaseTerms { lapse: Duration::from_secs(3600), outage: Duration::from_secs(3600) };

/// Everything lapses at once.
const STRICT: LeaseTerms = LeaseTerms { lapse: Duration::ZERO, outage: Duration::ZERO };

const EVERYTHING: AlarmFilter<'static> =
    AlarmFilter { shards: &ALL, until: Millis(i64::MAX), set_before: None, limit: u32::MAX };

const ALL: [u8; SHARDS] = {
    let mut shards = [0; SHARDS];
    let mut shard = 0;
    while shard < SHARDS {
        shards[shard] = shard as u8;
        shard += 1;
    }
    shards
};

fn with_alarm(game: GameId, number: u32, alarm: AlarmChange) -> Append {
    Append { alarm: Some(alarm), ..append(mv(game, number)) }
}

/// A game whose first move sets an alarm.
async fn alarmed(store: &Store, game: GameId, at: i64) {
    let alarm = Some(AlarmChange::At(Millis(at)));
    store.append(Append { alarm, ..creation(summary(game, 1)) }).await.unwrap();
}

fn in_shard(shard: u8) -> GameId {
    let mut bytes = *GameId::generate().0.as_bytes();
    bytes[15] = shard;
    GameId(Uuid::from_bytes(bytes))
}

async fn an_alarm_is_as_the_last_move_left_it(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    let alarms = async || store.alarms(EVERYTHING).await.unwrap();
    alarmed(&store, game, 50).await;
    let alarm = |at, number| Alarm { game, at: Millis(at), set_at: mv(game, number).made_at };
    assert_eq!(alarms().await, [alarm(50, 1)]);
    store.append(append(mv(game, 2))).await.unwrap();
    assert_eq!(alarms().await, [alarm(50, 1)], "a move that doesn't change it");
    store.append(with_alarm(game, 3, AlarmChange::At(Millis(20)))).await.unwrap();
    assert_eq!(alarms().await, [alarm(20, 3)]);
    // Who loses the race for a move doesn't set its alarm either.
    let late = store.append(with_alarm(game, 3, AlarmChange::Off)).await;
    assert!(matches!(late, Err(AppendError::Conflict)), "{late:?}");
    let late = store.append(with_alarm(game, 3, AlarmChange::At(Millis(7)))).await;
    assert!(matches!(late, Err(AppendError::Conflict)), "{late:?}");
    assert_eq!(alarms().await, [alarm(20, 3)]);
    store.append(with_alarm(game, 4, AlarmChange::Off)).await.unwrap();
    assert_eq!(alarms().await, []);
    store.append(with_alarm(game, 5, AlarmChange::Off)).await.unwrap();
    store.append(with_alarm(game, 6, AlarmChange::At(Millis(90)))).await.unwrap();
    assert_eq!(alarms().await, [alarm(90, 6)]);
}

async fn alarms_are_found_by_shard_and_time(backend: Backend) {
    let (store, _database) = store(backend).await;
    let games = [(0, 30), (255, 10), (7, 20), (7, 40)].map(|(shard, at)| (in_shard(shard), at));
    for (game, at) in games {
        alarmed(&store, game, at).await;
    }
    let found = async |filter: AlarmFilter<'_>| {
        let alarms = store.alarms(filter).await.unwrap();
        alarms.iter().map(|alarm| alarm.at.0).collect::<Vec<_>>()
    };
    assert_eq!(found(EVERYTHING).await, [10, 20, 30, 40]);
    assert_eq!(found(AlarmFilter { limit: 3, ..EVERYTHING }).await, [10, 20, 30]);
    assert_eq!(found(AlarmFilter { until: Millis(20), ..EVERYTHING }).await, [10, 20]);
    assert_eq!(found(AlarmFilter { shards: &[7, 255], ..EVERYTHING }).await, [10, 20, 40]);
    assert_eq!(found(AlarmFilter { shards: &[], ..EVERYTHING }).await, [0; 0]);
    let set_at = mv(games[0].0, 1).made_at;
    assert_eq!(found(AlarmFilter { set_before: Some(set_at), ..EVERYTHING }).await, [0; 0]);
    let after = Some(Millis(set_at.0 + 1));
    assert_eq!(found(AlarmFilter { set_before: after, ..EVERYTHING }).await.len(), 4);
}

async fn one_instance_has_every_shard_and_nobody_misses_it(backend: Backend) {
    let (store, _database) = store(backend).await;
    let me = Uuid::new_v4();
    let first = store.beat(me, CALM).await.unwrap();
    assert_eq!(first, ALL.map(|shard| Lease { shard, news: true }));
    for _ in 0..3 {
        assert_eq!(store.beat(me, CALM).await.unwrap(), ALL.map(|shard| Lease { shard, news: false }));
    }
    assert_eq!(store.outages(&ALL).await.unwrap(), []);
}

/// The next heartbeat tells of a silence, and so does whoever takes the shards over.
async fn a_silent_instance_leaves_an_outage(backend: Backend) {
    let (store, database) = store(backend).await;
    let me = Uuid::new_v4();
    store.beat(me, CALM).await.unwrap();
    let began = store.now().await.unwrap();
    until_after(&store, began).await;
    assert!(store.beat(me, STRICT).await.unwrap().iter().all(|lease| lease.news));
    let outages = store.outages(&[0, 9]).await.unwrap();
    assert_eq!(outages.iter().map(|outage| outage.shard).collect::<Vec<_>>(), [0, 9]);
    assert!(outages.iter().all(|outage| outage.began <= began && outage.ended > began), "{outages:?}");
    // The process is gone, another one comes.
    store.close().await;
    let store = open(&database).await;
    let began = store.now().await.unwrap();
    until_after(&store, began).await;
    let leases = store.beat(Uuid::new_v4(), STRICT).await.unwrap();
    assert_eq!(leases, ALL.map(|shard| Lease { shard, news: true }));
    let outages = store.outages(&[9]).await.unwrap();
    assert_eq!(outages.len(), 2);
    assert!(outages[1].began >= outages[0].ended && outages[1].ended > began);
}

async fn what_was_given_back_is_an_outage_until_it_is_taken(backend: Backend) {
    let (store, _database) = store(backend).await;
    let me = Uuid::new_v4();
    store.beat(me, CALM).await.unwrap();
    store.release(me).await.unwrap();
    let released = store.now().await.unwrap();
    until_after(&store, released).await;
    store.beat(Uuid::new_v4(), LeaseTerms { outage: Duration::ZERO, ..CALM }).await.unwrap();
    let outages = store.outages(&ALL).await.unwrap();
    assert_eq!(outages.len(), SHARDS);
    assert!(outages.iter().all(|outage| outage.began <= released && outage.ended > released));
}

async fn outages_are_kept_while_an_alarm_is_older(backend: Backend) {
    let (store, _database) = store(backend).await;
    let me = Uuid::new_v4();
    store.beat(me, CALM).await.unwrap();
    let began = store.now().await.unwrap();
    until_after(&store, began).await;
    store.beat(me, STRICT).await.unwrap();
    // Its alarm is years older than the outage, as the moves of these tests are.
    let game = in_shard(9);
    alarmed(&store, game, i64::MAX).await;
    assert_eq!(store.forget_outages().await.unwrap(), SHARDS as u64 - 1);
    assert_eq!(store.outages(&ALL).await.unwrap().len(), 1);
    store.append(with_alarm(game, 2, AlarmChange::Off)).await.unwrap();
    assert_eq!(store.forget_outages().await.unwrap(), 1);
    assert_eq!(store.outages(&ALL).await.unwrap(), []);
}

/// Instances share the shards evenly; who comes gets his part, who goes or falls silent leaves it to the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_share_the_shards() {
    let database = fresh(Backend::Postgres).await;
    let store = open(&database).await;
    let instances = [1, 2, 3].map(Uuid::from_u128);
    let beat = async |instance: usize, terms| {
        let leases = store.beat(instances[instance], terms).await.unwrap();
        leases.into_iter().map(|lease| lease.shard).collect::<BTreeSet<u8>>()
    };
    assert_eq!(beat(0, CALM).await.len(), 256);
    assert_eq!(beat(1, CALM).await.len(), 0, "nothing is free yet");
    let (first, second) = (beat(0, CALM).await, beat(1, CALM).await);
    assert_eq!((first.len(), second.len()), (128, 128));
    assert!(first.is_disjoint(&second));
    for instance in [2, 0, 1, 2] {
        beat(instance, CALM).await;
    }
    let parts = [beat(0, CALM).await, beat(1, CALM).await, beat(2, CALM).await];
    assert!(parts.iter().all(|part| (84..=86).contains(&part.len())), "{parts:?}");
    assert_eq!(parts.iter().flatten().collect::<BTreeSet<_>>().len(), 256);
    assert_eq!(store.outages(&ALL).await.unwrap(), [], "changing hands is no outage");
    // The second goes.
    store.release(instances[1]).await.unwrap();
    assert_eq!(beat(0, CALM).await.len() + beat(2, CALM).await.len(), 256);
    // Both others fall silent, by the terms of the second, who is back.
    until_after(&store, store.now().await.unwrap()).await;
    assert_eq!(beat(1, STRICT).await.len(), 256);
    assert_eq!(store.outages(&ALL).await.unwrap().len(), 256);
    // Who was silent has nothing.
    assert_eq!(beat(0, CALM).await.len(), 0);
}

/// Until the database's clock has gone on.
async fn until_after(store: &Store, time: Millis) {
    while store.now().await.unwrap().0 <= time.0 + 1 {
        tokio::task::yield_now().await;
    }
}
