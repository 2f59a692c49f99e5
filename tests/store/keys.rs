use remik::store::{AuditFilter, Key, Millis, Store, StoreError, StoreOptions};
use uuid::Uuid;

use crate::{
    fixture::{act, append, mv, open, store},
    on_both,
    support::database::Backend,
};

on_both!(
    keys_are_known_by_their_hash,
    keys_are_listed_in_pages,
    a_key_is_revoked_once_and_for_all,
    another_process_works_beside_the_one_that_serves,
    all_instances_sign_tickets_alike,
);

fn key(id: u128) -> Key {
    Key {
        id: Uuid::from_u128(id),
        name: format!("Klucz {id}"),
        scopes: "games players".into(),
        made_at: Millis(42),
        used_at: None,
        revoked_at: None,
    }
}

async fn keys_are_known_by_their_hash(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.add_key(&[1; 32], &key(1), &act(7, 1, 42)).await.unwrap();
    assert!(matches!(store.add_key(&[1; 32], &key(2), &act(7, 2, 42)).await, Err(StoreError::Taken)));
    assert!(matches!(store.add_key(&[2; 32], &key(1), &act(7, 1, 42)).await, Err(StoreError::Taken)));
    assert_eq!(store.key_by_hash(&[1; 32]).await.unwrap(), Some(key(1)));
    assert_eq!(store.key_by_hash(&[2; 32]).await.unwrap(), None);
    store.key_used(key(1).id, Millis(77)).await.unwrap();
    let used = Key { used_at: Some(Millis(77)), ..key(1) };
    assert_eq!(store.key(key(1).id).await.unwrap(), Some(used));
}

async fn keys_are_listed_in_pages(backend: Backend) {
    let (store, _database) = store(backend).await;
    for id in [3, 1, 2] {
        store.add_key(&[id as u8; 32], &key(id), &act(7, id, 42)).await.unwrap();
    }
    assert_eq!(store.keys(Uuid::nil(), 2).await.unwrap(), [key(1), key(2)]);
    assert_eq!(store.keys(key(2).id, 2).await.unwrap(), [key(3)]);
    assert_eq!(store.keys(key(3).id, 2).await.unwrap(), []);
}

async fn a_key_is_revoked_once_and_for_all(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.add_key(&[1; 32], &key(1), &act(7, 1, 42)).await.unwrap();
    let revoked = Key { revoked_at: Some(Millis(100)), ..key(1) };
    for at in [100, 200] {
        assert_eq!(store.revoke_key(&act(8, 1, at)).await.unwrap().as_ref(), Some(&revoked));
    }
    assert_eq!(store.key_by_hash(&[1; 32]).await.unwrap(), Some(revoked));
    assert_eq!(store.revocations(Millis(0)).await.unwrap(), [(key(1).id, Millis(100))]);
    assert_eq!(store.revoke_key(&act(8, 9, 100)).await.unwrap(), None);
    let all = AuditFilter { act: None, subject: None, key: None, from: Millis(0), before: Millis(i64::MAX) };
    let kept = store.audit(&all, Uuid::max(), 10).await.unwrap();
    let kept: Vec<_> = kept.into_iter().map(|entry| (entry.act.act, entry.act.subject)).collect();
    assert_eq!(kept, [(8, key(1).id), (7, key(1).id)], "what has changed nothing isn't kept");
}

/// Keys are made by hand while the service plays on.
async fn another_process_works_beside_the_one_that_serves(backend: Backend) {
    let (serving, database) = store(backend).await;
    let beside = Store::open_beside(&database.url, StoreOptions::default()).await.unwrap();
    let game = remik::store::GameId::generate();
    for number in 1..=20 {
        let (made, by_hand) = (key(number.into()), act(7, number.into(), 42));
        let hash = [number as u8; 32];
        let (appended, added) =
            tokio::join!(serving.append(append(mv(game, number))), beside.add_key(&hash, &made, &by_hand));
        appended.unwrap();
        added.unwrap();
        assert_eq!(serving.key_by_hash(&hash).await.unwrap(), Some(made));
    }
    beside.close().await;
    serving.append(append(mv(game, 21))).await.unwrap();
    serving.close().await;
    // Without another process it works too, on a database that is new as well.
    let alone = Store::open_beside(&database.url, StoreOptions::default()).await.unwrap();
    assert_eq!(alone.keys(Uuid::nil(), 100).await.unwrap().len(), 20);
    alone.close().await;
    assert_eq!(open(&database).await.load(game, 0, None).await.unwrap().len(), 21);
}

async fn all_instances_sign_tickets_alike(backend: Backend) {
    let (one, database) = store(backend).await;
    let key = one.ticket_key().await.unwrap();
    assert_eq!(key.len(), 32);
    one.close().await;
    assert_eq!(open(&database).await.ticket_key().await.unwrap(), key);
    let (other, _other_database) = store(backend).await;
    assert_ne!(other.ticket_key().await.unwrap(), key);
}
