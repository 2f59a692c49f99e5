use std::time::Duration;

use uuid::Uuid;

use crate::{fixture::store, on_both, support::database::Backend};

on_both!(a_duty_is_held_by_one, a_duty_that_lapses_is_taken_over, many_want_it_at_once);

const LONG: Duration = Duration::from_secs(3600);

async fn a_duty_is_held_by_one(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    assert!(store.take_duty("feed", one, LONG).await.unwrap());
    assert!(!store.take_duty("feed", other, LONG).await.unwrap());
    assert!(store.take_duty("feed", one, LONG).await.unwrap(), "whoever has it keeps it");
    assert!(store.take_duty("other", other, LONG).await.unwrap(), "another duty is another's");

    store.give_back_duty("feed", other).await.unwrap();
    assert!(!store.take_duty("feed", other, LONG).await.unwrap(), "it wasn't his to give");
    store.give_back_duty("feed", one).await.unwrap();
    assert!(store.take_duty("feed", other, LONG).await.unwrap());
}

async fn a_duty_that_lapses_is_taken_over(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    assert!(store.take_duty("feed", one, Duration::ZERO).await.unwrap());
    assert!(store.take_duty("feed", other, LONG).await.unwrap());
    assert!(!store.take_duty("feed", one, LONG).await.unwrap());
}

async fn many_want_it_at_once(backend: Backend) {
    let (store, _database) = store(backend).await;
    let wanted = (1..=20).map(|id| store.take_duty("feed", Uuid::from_u128(id), LONG));
    let got = futures::future::join_all(wanted).await;
    assert_eq!(got.into_iter().filter(|taken| *taken.as_ref().unwrap()).count(), 1);
}
