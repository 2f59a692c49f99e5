//! Who looks after the clocks, where there are several instances.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use remik::{
    proto::v1::event::Kind,
    store::{GameId, Store, StoreOptions},
    tables::{Clock, NewGame, Next, RequestKey, Tables},
};
use remik_rules::{command as rules, preset::Preset, ruleset::Ruleset, seat::PlayerId};
use sqlx::{Connection, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

use crate::{
    client::{Client, Command, Order, Via},
    clocks::{BOUND, after, eventually, next_move, timed, timed_out, until},
    service::Service,
    support::database::{Backend, fresh},
};

/// The instance that looks after a game hears of moves made at another one, and when it is killed, the other one
/// takes over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_instance_takes_over() {
    let database = fresh(Backend::Postgres).await;
    let Pair { first, second, mut leases, doomed } = Pair::start(&database.url).await;
    // Everything is played at the second; the first looks after some of the tables.
    let player = Client::guest(&second.url, Via::Grpc, "Ala").await.unwrap();
    let other = Client::guest(&second.url, Via::Rest, "Ola").await.unwrap();
    let mut games = Vec::new();
    while games.len() < 3 {
        let created = player.create(timed(2, 2).request()).await.unwrap().view.unwrap();
        let shard = created.game_id.parse::<GameId>().unwrap().shard();
        let owner: Option<Uuid> = sqlx::query_scalar("SELECT owner FROM leases WHERE shard = $1")
            .bind(i16::from(shard))
            .fetch_one(&mut leases)
            .await
            .unwrap();
        if owner == Some(doomed) {
            games.push(created.game_id);
        }
    }
    let mut streams = Vec::new();
    for game in &games {
        other.send(&Order::new(game, 0, Command::Join(None))).await.unwrap();
        player.send(&Order::new(game, 0, Command::Ready(String::new()))).await.unwrap();
        let started = other.send(&Order::new(game, 0, Command::Ready(String::new()))).await.unwrap().version;
        streams.push(player.watch(game, Some(started)).await.unwrap());
    }
    for stream in &mut streams {
        let made = next_move(stream, BOUND).await;
        assert!(timed_out(&made).is_some(), "{made:?}");
    }
    first.kill();
    let killed = Instant::now();
    for stream in &mut streams {
        let made = next_move(stream, Duration::from_secs(5).saturating_sub(killed.elapsed())).await;
        assert_eq!(made.seat, None, "{made:?}");
        until(stream, |kind| matches!(kind, Kind::TimedOut(_))).await;
    }
    second.stop().await;
}

/// Two instances that both believe that a game is theirs play once for who is out of time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clocks_that_ring_together_play_once() {
    let database = fresh(Backend::Postgres).await;
    let mut instances = Vec::new();
    for _ in 0..3 {
        let store = Store::open(&database.url, StoreOptions::default()).await.unwrap();
        instances.push(Tables::new(Arc::new(store), Clock::default(), 10));
    }
    let rules = Ruleset { turn_seconds: Some(1), ..Preset::Remik51.ruleset() };
    let (ala, ola) = (PlayerId(1), PlayerId(2));
    let request_id = Uuid::new_v4();
    let new = NewGame::public(ala, Preset::Remik51, rules, 2, request_id);
    let (table, _) = instances[0].create(new).await.unwrap();
    let key = || RequestKey { id: Uuid::new_v4(), known_version: 0 };
    table.play(ola, rules::Command::Join { seat: None }, key(), true).await.unwrap();
    for player in [ala, ola] {
        let ready = rules::Command::Ready { client_seed: Default::default() };
        table.play(player, ready, key(), false).await.unwrap();
    }
    let (started, deadline) = table.with_table(|table, version| (version, table.alarm().unwrap().0));
    let game = table.meta().game;
    after(deadline.0 + 1).await;
    let rings = instances.iter().map(async |tables| tables.get(game).await.unwrap().ring(&[]).await.unwrap());
    let next = join_all(rings).await;
    assert!(next.iter().all(|next| matches!(next, Next::Clock(at) if *at > deadline)), "{next:?}");
    let moves = instances[0].store().load(game, started, None).await.unwrap();
    assert_eq!(moves.len(), 1);
}

/// Two instances that share the shards, the first of which can be killed.
pub(crate) struct Pair {
    pub(crate) first: Service,
    pub(crate) second: Service,
    /// To see who has which shard.
    pub(crate) leases: PgConnection,
    /// The first instance's id.
    pub(crate) doomed: Uuid,
}

impl Pair {
    pub(crate) async fn start(database_url: &str) -> Self {
        let first = Service::start(database_url).await;
        let mut leases = PgConnection::connect(database_url).await.unwrap();
        owned(&mut leases, 256).await;
        let doomed = sqlx::query_scalar("SELECT id FROM instances").fetch_one(&mut leases).await.unwrap();
        let second = Service::start(database_url).await;
        owned(&mut leases, 128).await;
        Self { first, second, leases, doomed }
    }
}

/// Waits until any instance has so many shards.
async fn owned(leases: &mut PgConnection, count: i64) {
    let most = "SELECT coalesce(max(count), 0) FROM (SELECT count(*) FROM leases WHERE owner IS NOT NULL GROUP BY owner) AS parts";
    eventually("the shards are shared", async || {
        sqlx::query_scalar::<_, i64>(most).fetch_one(&mut *leases).await.unwrap() == count
    })
    .await;
}
