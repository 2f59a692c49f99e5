use remik::store::{Millis, Player, StoreError};
use uuid::Uuid;

use crate::{fixture::store, on_both, support::database::Backend};

on_both!(players_are_known_by_their_token, an_id_or_token_is_given_once, the_clock_is_right);

fn player(id: u128, name: &str) -> Player {
    Player { id: Uuid::from_u128(id), name: name.into(), made_at: Millis(42) }
}

async fn players_are_known_by_their_token(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (ala, ola) = (player(1, "Ala"), player(2, "Óla 'x'"));
    store.add_player(ala.clone(), [1; 32]).await.unwrap();
    store.add_player(ola.clone(), [2; 32]).await.unwrap();
    assert_eq!(store.player_by_token(&[2; 32]).await.unwrap().as_ref(), Some(&ola));
    assert_eq!(store.player_by_token(&[3; 32]).await.unwrap(), None);
    let mut found = store.players(&[ola.id, Uuid::from_u128(3), ala.id, ola.id]).await.unwrap();
    found.sort_by_key(|player| player.id);
    assert_eq!(found, [ala, ola]);
    assert_eq!(store.players(&[]).await.unwrap(), []);
}

async fn an_id_or_token_is_given_once(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.add_player(player(1, "Ala"), [1; 32]).await.unwrap();
    assert!(matches!(store.add_player(player(1, "Ola"), [2; 32]).await, Err(StoreError::Taken)));
    assert!(matches!(store.add_player(player(2, "Ola"), [1; 32]).await, Err(StoreError::Taken)));
    assert_eq!(store.player_by_token(&[1; 32]).await.unwrap(), Some(player(1, "Ala")));
}

async fn the_clock_is_right(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.ping().await.unwrap();
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let Millis(now) = store.now().await.unwrap();
    // The server may be another machine; what matters is the unit.
    assert!((now - since.as_millis() as i64).abs() < 60_000, "{now}");
    store.close().await;
    assert!(matches!(store.ping().await, Err(StoreError::Unavailable(_))));
}
