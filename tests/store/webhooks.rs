use std::time::Duration;

use bytes::Bytes;
use futures::future::join_all;
use remik::store::{
    AfterAttempt, Attempt, Cursor, DeliveryState, GameId, Key, Millis, NewDelivery, Store, Webhook,
};
use tokio::time::timeout;
use uuid::Uuid;

use crate::{
    fixture::{act, append, mv, store},
    on_both,
    support::database::Backend,
};

on_both!(
    the_cursor_and_the_deliveries_go_together,
    the_cursor_counts_in_any_epoch,
    one_request_makes_one_webhook,
    the_first_webhook_skips_the_past,
    webhooks_of_revoked_keys_are_told_of_nothing,
    a_lane_goes_one_after_another,
    no_lane_is_forgotten_among_many_writers,
    what_is_old_is_swept,
);

const NOW: Millis = Millis(1_700_000_000_000);

fn webhook(id: u128) -> Webhook {
    Webhook {
        id: Uuid::from_u128(id),
        key_id: Uuid::from_u128(7),
        request_id: Uuid::from_u128(id),
        fingerprint: i64::MIN,
        name: format!("Haczyk {id}"),
        url: "https://backend.example/".into(),
        kinds: 6,
        paused: false,
        secret: "secret".into(),
        old_secret: None,
        old_until: None,
        rotated_by: None,
        made_at: NOW,
        deleted_at: None,
    }
}

fn delivery(webhook: &Webhook, game: GameId) -> NewDelivery {
    NewDelivery { id: Uuid::now_v7(), webhook: webhook.id, game, event: Bytes::from_static(b"\0event") }
}

async fn add(store: &Store, deliveries: &[NewDelivery]) {
    loop {
        let (cursor, version) = store.webhook_cursor().await.unwrap();
        if store.add_deliveries(version, &cursor, deliveries, NOW).await.unwrap() {
            return;
        }
    }
}

fn attempt(next: AfterAttempt) -> Attempt {
    let failed = next != AfterAttempt::Delivered;
    Attempt { at: NOW, failure: if failed { 4 } else { 0 }, status: if failed { 500 } else { 200 }, next }
}

async fn the_cursor_and_the_deliveries_go_together(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (hook, game) = (webhook(1), GameId::generate());
    let (cursor, version) = store.webhook_cursor().await.unwrap();
    assert_eq!(cursor, Cursor::START);
    let both = (0..2).map(|_| async {
        store.add_deliveries(version, &Cursor::START, &[delivery(&hook, game)], NOW).await.unwrap()
    });
    let done: Vec<bool> = join_all(both).await;
    assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
    assert_eq!(store.deliveries(hook.id, None, 0, 10).await.unwrap().len(), 1);
}

async fn the_cursor_counts_in_any_epoch(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    store.append(append(mv(game, 1))).await.unwrap();
    let seen = async |cursor: &Cursor| {
        let reading = async {
            loop {
                let (moves, next) = store.feed(cursor, 10).await.unwrap();
                if !moves.is_empty() {
                    return (moves, next);
                }
            }
        };
        timeout(Duration::from_secs(60), reading).await.expect("it is seen")
    };
    let (moves, next) = seen(&Cursor::START).await;
    assert_eq!(moves[0].0, mv(game, 1));
    let (_, version) = store.webhook_cursor().await.unwrap();
    assert!(store.add_deliveries(version, &next, &[], NOW).await.unwrap());
    store.renew_epoch().await.unwrap();
    store.append(append(mv(game, 2))).await.unwrap();
    let (cursor, _) = store.webhook_cursor().await.unwrap();
    let (moves, _) = seen(&cursor).await;
    assert_eq!(moves.into_iter().map(|(mv, _)| mv).collect::<Vec<_>>(), [mv(game, 2)]);
}

async fn one_request_makes_one_webhook(backend: Backend) {
    let (store, _database) = store(backend).await;
    let hook = webhook(1);
    assert!(store.add_webhook(&hook, &Cursor::START).await.unwrap());
    let again = Webhook { id: Uuid::from_u128(2), ..hook.clone() };
    assert!(!store.add_webhook(&again, &Cursor::START).await.unwrap());
    let other = Webhook { key_id: Uuid::from_u128(8), ..again };
    assert!(store.add_webhook(&other, &Cursor::START).await.unwrap());
    assert_eq!(store.webhook_of_request(hook.key_id, hook.request_id).await.unwrap(), Some(hook.clone()));
    assert_eq!(store.webhook(other.key_id, hook.id).await.unwrap(), None);
    assert_eq!(store.webhooks(hook.key_id, Uuid::nil(), 10).await.unwrap(), std::slice::from_ref(&hook));

    let changed = Webhook { name: "Inny".into(), kinds: 2, paused: true, ..hook.clone() };
    store.change_webhook(&changed).await.unwrap();
    let request = Uuid::from_u128(9);
    store.rotate_webhook(hook.id, request, "new", NOW).await.unwrap();
    store.rotate_webhook(hook.id, request, "newer", NOW).await.unwrap();
    let rotated = Webhook {
        secret: "new".into(),
        old_secret: Some("secret".into()),
        old_until: Some(NOW),
        rotated_by: Some(request),
        ..changed
    };
    assert_eq!(store.webhook(hook.key_id, hook.id).await.unwrap(), Some(rotated));
}

async fn the_first_webhook_skips_the_past(backend: Backend) {
    let (store, _database) = store(backend).await;
    // A transaction of another test may hold the end back.
    let later = async |than: Cursor| {
        let going_on = async {
            loop {
                store.append(append(mv(GameId::generate(), 1))).await.unwrap();
                let end = store.feed_end().await.unwrap();
                if end != than {
                    return end;
                }
            }
        };
        timeout(Duration::from_secs(60), going_on).await.expect("the feed goes on")
    };
    let at = async || store.webhook_cursor().await.unwrap().0.to_string();
    let first = later(Cursor::START).await;
    let second = later(first).await;
    store.add_webhook(&webhook(1), &first).await.unwrap();
    let began = at().await;
    assert_eq!(began.split_once('.').unwrap().1, first.to_string().split_once('.').unwrap().1);
    store.add_webhook(&webhook(2), &second).await.unwrap();
    assert_eq!(at().await, began, "not past what the first one waits for");
    for id in [1, 2] {
        store.delete_webhook(Uuid::from_u128(id), NOW).await.unwrap();
    }
    store.add_webhook(&webhook(3), &second).await.unwrap();
    assert!(at().await != began);
}

async fn webhooks_of_revoked_keys_are_told_of_nothing(backend: Backend) {
    let (store, _database) = store(backend).await;
    let hook = webhook(1);
    let key = Key {
        id: hook.key_id,
        name: "Klucz".into(),
        scopes: "webhooks".into(),
        made_at: NOW,
        used_at: None,
        revoked_at: None,
    };
    store.add_key(&[1; 32], &key, &act(7, key.id.as_u128(), NOW.0)).await.unwrap();
    store.add_webhook(&hook, &Cursor::START).await.unwrap();
    assert_eq!(store.live_webhooks().await.unwrap(), [hook]);
    store.revoke_key(&act(8, key.id.as_u128(), NOW.0)).await.unwrap();
    assert_eq!(store.live_webhooks().await.unwrap(), []);
}

async fn a_lane_goes_one_after_another(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (hook, game, other) = (webhook(1), GameId::generate(), GameId::generate());
    let new = [delivery(&hook, game), delivery(&hook, other), delivery(&hook, game)];
    add(&store, &new).await;
    let due = async |at: i64| {
        let mut due = store.due_lanes(hook.id, Millis(NOW.0 + at), 10).await.unwrap();
        due.sort();
        due
    };
    let mut both = [game, other];
    both.sort();
    assert_eq!((due(-1).await, due(0).await), (vec![], both.to_vec()));
    let first = store.first_waiting(hook.id, game).await.unwrap().unwrap();
    assert_eq!((first.id, first.state, first.attempts), (new[0].id, DeliveryState::Waiting, 0));
    let again = attempt(AfterAttempt::Again(Millis(NOW.0 + 50)));
    assert!(store.note_attempt(hook.id, game, first.place, &again).await.unwrap());
    assert_eq!(due(49).await, [other]);
    let first = store.first_waiting(hook.id, game).await.unwrap().unwrap();
    assert_eq!((first.id, first.attempts, first.status, first.failure), (new[0].id, 1, 500, 4));
    assert!(store.note_attempt(hook.id, game, first.place, &attempt(AfterAttempt::Dead)).await.unwrap());
    assert_eq!(due(0).await, both, "the next one is due at once");
    let next = store.first_waiting(hook.id, game).await.unwrap().unwrap();
    assert_eq!(next.id, new[2].id);
    let more =
        store.note_attempt(hook.id, game, next.place, &attempt(AfterAttempt::Delivered)).await.unwrap();
    assert!(!more && due(0).await == [other], "the lane is closed");
    assert_eq!(store.first_waiting(hook.id, game).await.unwrap(), None);

    let ids = async |state| {
        let found = store.deliveries(hook.id, state, 0, 10).await.unwrap();
        found.into_iter().map(|delivery| delivery.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some(DeliveryState::Dead)).await, [new[0].id]);
    assert_eq!(ids(Some(DeliveryState::Delivered)).await, [new[2].id]);
    assert_eq!(ids(None).await, new.each_ref().map(|delivery| delivery.id));
    assert_eq!(store.replay_deliveries(hook.id, Some(new[2].id), 1, NOW).await.unwrap(), 0);
    assert_eq!(store.replay_deliveries(hook.id, None, 10, NOW).await.unwrap(), 1);
    assert_eq!(due(0).await, both);
    assert_eq!(store.first_waiting(hook.id, game).await.unwrap().unwrap().attempts, 0);
}

/// While deliveries are added to a lane it is emptied again and again: none is left behind in a lane that is closed.
async fn no_lane_is_forgotten_among_many_writers(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (hook, game) = (webhook(1), GameId::generate());
    const ALL: usize = 100;
    let adding = async {
        for _ in 0..ALL {
            add(&store, &[delivery(&hook, game)]).await;
        }
    };
    let emptying = async {
        let mut done = 0;
        while done < ALL {
            if store.due_lanes(hook.id, NOW, 1).await.unwrap().is_empty() {
                tokio::task::yield_now().await;
                continue;
            }
            if let Some(first) = store.first_waiting(hook.id, game).await.unwrap() {
                store
                    .note_attempt(hook.id, game, first.place, &attempt(AfterAttempt::Delivered))
                    .await
                    .unwrap();
                done += 1;
            }
        }
    };
    let both = futures::future::join(adding, emptying);
    timeout(Duration::from_secs(60), both).await.expect("all are found");
    assert!(store.due_lanes(hook.id, NOW, 1).await.unwrap().is_empty());
}

async fn what_is_old_is_swept(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (hook, gone) = (webhook(1), webhook(2));
    for hook in [&hook, &gone] {
        store.add_webhook(hook, &Cursor::START).await.unwrap();
    }
    let games: Vec<GameId> = (0..3).map(|_| GameId::generate()).collect();
    for game in &games {
        add(&store, &[delivery(&hook, *game), delivery(&gone, *game)]).await;
    }
    for (game, next) in games.iter().zip([AfterAttempt::Delivered, AfterAttempt::Dead]) {
        let first = store.first_waiting(hook.id, *game).await.unwrap().unwrap();
        store.note_attempt(hook.id, *game, first.place, &attempt(next)).await.unwrap();
    }
    store.delete_webhook(gone.id, NOW).await.unwrap();
    let later = Millis(NOW.0 + 1);
    // Those of the deleted one go whatever their age.
    assert_eq!(store.sweep_webhooks(NOW, NOW, NOW).await.unwrap(), 3);
    assert!(store.webhook(gone.key_id, gone.id).await.unwrap().is_some());
    let left = async || store.deliveries(hook.id, None, 0, 10).await.unwrap().len();
    assert_eq!(left().await, 3);
    assert_eq!(store.sweep_webhooks(later, NOW, later).await.unwrap(), 1);
    assert_eq!((left().await, store.webhook(gone.key_id, gone.id).await.unwrap()), (2, None));
    assert_eq!(store.sweep_webhooks(later, later, later).await.unwrap(), 2);
    // A lane without anything is closed when it is found.
    assert_eq!(store.first_waiting(hook.id, games[2]).await.unwrap(), None);
    assert!(store.due_lanes(hook.id, later, 10).await.unwrap().is_empty());
}
