use std::collections::HashSet;

use remik::store::Millis;
use uuid::Uuid;

use crate::{fixture::store, on_both, support::database::Backend};

on_both!(a_block_keeps_both_apart);

async fn a_block_keeps_both_apart(backend: Backend) {
    let (store, _database) = store(backend).await;
    let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
    for _ in 0..2 {
        store.block(a, b, Millis(5)).await.unwrap();
    }
    store.block(c, a, Millis(6)).await.unwrap();
    assert_eq!(store.apart_from(a).await.unwrap(), HashSet::from([b, c]));
    assert_eq!(store.apart_from(b).await.unwrap(), HashSet::from([a]));

    store.unblock(b, a).await.unwrap();
    assert_eq!(store.apart_from(b).await.unwrap(), HashSet::from([a]), "only who blocked can take it back");
    store.unblock(a, b).await.unwrap();
    assert!(store.apart_from(b).await.unwrap().is_empty());
}
