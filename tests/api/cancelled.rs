//! Calls whose clients go away before the answer.

use std::{sync::Arc, time::Duration};

use futures::poll;
use remik::{
    store::{Store, StoreOptions},
    tables::{Clock, NewGame, RequestKey, Tables, Watcher},
};
use remik_rules::{command::Command, preset::Preset, seat::PlayerId};
use tokio::time::timeout;

use crate::{
    client::fresh_id,
    on_each_backend,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_move_is_shown_also_if_its_client_is_gone
}

async fn a_move_is_shown_also_if_its_client_is_gone(backend: Backend) {
    let database = fresh(backend).await;
    let store = Arc::new(Store::open(&database.url, StoreOptions::default()).await.unwrap());
    let tables = Tables::new(store, Clock::default(), 10);
    let (ala, ola) = (PlayerId(1), PlayerId(2));
    let rules = Preset::Remik51.ruleset();
    let new = NewGame::public(ala, Preset::Remik51, rules, 2, fresh_id());
    let (table, _) = tables.create(new).await.unwrap();
    let mut watcher = Watcher::new(Arc::clone(&table), ala, 1);

    let key = RequestKey { id: fresh_id(), known_version: 0 };
    let mut call = Box::pin(table.play(ola, Command::Join { seat: None }, key, false));
    assert!(poll!(&mut call).is_pending());
    drop(call);

    let told = async {
        loop {
            if let Some(seen) = watcher.ready().await.unwrap() {
                return seen.played.number;
            }
            watcher.changed().await;
        }
    };
    assert_eq!(timeout(Duration::from_secs(10), told).await.expect("the watcher is told"), 2);
    assert!(table.seat_of(ola).is_some());
}
