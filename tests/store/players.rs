use remik::store::{Millis, Player, StoreError, Token};
use uuid::Uuid;

use crate::{fixture::store, on_both, support::database::Backend};

on_both!(
    players_are_found,
    an_id_or_an_account_is_given_once,
    an_older_name_does_not_come_back,
    a_guest_gets_one_account,
    tokens_are_known_by_their_hash,
    a_session_ends_with_all_its_tokens,
    a_player_is_signed_out_everywhere,
    what_is_over_is_swept,
    the_clock_is_right,
);

fn player(id: u128, name: &str) -> Player {
    Player {
        id: Uuid::from_u128(id),
        made_at: Millis(42),
        name: name.into(),
        external_id: None,
        locale: String::new(),
        named_at: Millis(42),
        revoked_at: None,
    }
}

fn with_account(id: u128, name: &str, account: &str) -> Player {
    Player { external_id: Some(account.into()), locale: "pl".into(), ..player(id, name) }
}

fn token(player: u128, session: u128, refreshes: bool) -> Token {
    let (player_id, session_id) = (Uuid::from_u128(player), Uuid::from_u128(session));
    Token { player_id, session_id, refreshes, expires_at: Millis(1000) }
}

async fn players_are_found(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (ala, ola) = (player(1, "Ala"), with_account(2, "Óla 'x'", "user-1"));
    store.add_player(&ala).await.unwrap();
    store.add_player(&ola).await.unwrap();
    assert_eq!(store.player(ala.id).await.unwrap().as_ref(), Some(&ala));
    assert_eq!(store.player(Uuid::from_u128(3)).await.unwrap(), None);
    assert_eq!(store.player_by_external_id("user-1").await.unwrap().as_ref(), Some(&ola));
    for nobody in ["user-2", "", "a\0b"] {
        assert_eq!(store.player_by_external_id(nobody).await.unwrap(), None);
    }
    let mut found = store.players(&[ola.id, Uuid::from_u128(3), ala.id, ola.id]).await.unwrap();
    found.sort_by_key(|player| player.id);
    assert_eq!(found, [ala, ola]);
    assert_eq!(store.players(&[]).await.unwrap(), []);
}

async fn an_id_or_an_account_is_given_once(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.add_player(&with_account(1, "Ala", "user-1")).await.unwrap();
    assert!(matches!(store.add_player(&player(1, "Ola")).await, Err(StoreError::Taken)));
    assert!(matches!(store.add_player(&with_account(2, "Ola", "user-1")).await, Err(StoreError::Taken)));
    assert_eq!(store.player(Uuid::from_u128(1)).await.unwrap(), Some(with_account(1, "Ala", "user-1")));
    // Guests have none, all of them.
    store.add_player(&player(3, "Ela")).await.unwrap();
    store.add_player(&player(4, "Ula")).await.unwrap();
}

async fn an_older_name_does_not_come_back(backend: Backend) {
    let (store, _database) = store(backend).await;
    let ala = player(1, "Ala");
    store.add_player(&ala).await.unwrap();
    assert!(store.rename_player(ala.id, "Alina", "en", Millis(100)).await.unwrap());
    for late in [99, 100] {
        assert!(!store.rename_player(ala.id, "Ala", "pl", Millis(late)).await.unwrap());
    }
    let renamed = Player { name: "Alina".into(), locale: "en".into(), named_at: Millis(100), ..ala.clone() };
    assert_eq!(store.player(ala.id).await.unwrap(), Some(renamed));
    assert!(!store.rename_player(Uuid::from_u128(2), "Ola", "", Millis(500)).await.unwrap());
}

async fn a_guest_gets_one_account(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (ala, ola) = (player(1, "Ala"), player(2, "Ola"));
    store.add_player(&ala).await.unwrap();
    store.add_player(&ola).await.unwrap();
    assert!(store.link_player(ala.id, "user-1").await.unwrap());
    assert!(!store.link_player(ala.id, "user-1").await.unwrap());
    assert!(!store.link_player(ala.id, "user-2").await.unwrap());
    assert!(matches!(store.link_player(ola.id, "user-1").await, Err(StoreError::Taken)));
    assert_eq!(store.player_by_external_id("user-1").await.unwrap().unwrap().id, ala.id);
    assert_eq!(store.player(ola.id).await.unwrap(), Some(ola));
}

async fn tokens_are_known_by_their_hash(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.add_token(&[1; 32], &token(1, 10, true)).await.unwrap();
    assert_eq!(store.token(&[1; 32]).await.unwrap(), Some(token(1, 10, true)));
    assert_eq!(store.token(&[2; 32]).await.unwrap(), None);
    assert!(store.add_token(&[1; 32], &token(2, 11, true)).await.is_err());
    assert!(store.extend_token(&[1; 32], Millis(2000)).await.unwrap());
    assert_eq!(store.token(&[1; 32]).await.unwrap().unwrap().expires_at, Millis(2000));
    assert!(!store.extend_token(&[2; 32], Millis(2000)).await.unwrap());
}

async fn a_session_ends_with_all_its_tokens(backend: Backend) {
    let (store, _database) = store(backend).await;
    for (hash, token) in [(1, token(1, 10, true)), (2, token(1, 10, false)), (3, token(1, 11, true))] {
        store.add_token(&[hash; 32], &token).await.unwrap();
    }
    let (session, other) = (Uuid::from_u128(10), Uuid::from_u128(11));
    assert!(store.session_lives(session, Millis(999)).await.unwrap());
    assert!(!store.session_lives(session, Millis(1000)).await.unwrap());
    store.end_session(session, Millis(500)).await.unwrap();
    store.end_session(session, Millis(600)).await.unwrap();
    assert!(!store.session_lives(session, Millis(500)).await.unwrap());
    assert!(store.session_lives(other, Millis(500)).await.unwrap());
    assert_eq!(store.token(&[2; 32]).await.unwrap(), None);
    assert_eq!(store.revocations(Millis(599)).await.unwrap(), [(session, Millis(600))]);
    assert_eq!(store.revocations(Millis(600)).await.unwrap(), []);
}

async fn a_player_is_signed_out_everywhere(backend: Backend) {
    let (store, _database) = store(backend).await;
    let ala = player(1, "Ala");
    store.add_player(&ala).await.unwrap();
    for (hash, token) in [(1, token(1, 10, true)), (2, token(1, 11, false)), (3, token(2, 12, true))] {
        store.add_token(&[hash; 32], &token).await.unwrap();
    }
    assert!(store.end_sessions(ala.id, Millis(500)).await.unwrap());
    assert_eq!(store.player(ala.id).await.unwrap().unwrap().revoked_at, Some(Millis(500)));
    let mut left = Vec::new();
    for hash in 1..=3 {
        left.push(store.token(&[hash; 32]).await.unwrap().is_some());
    }
    assert_eq!(left, [false, false, true]);
    assert_eq!(store.revocations(Millis(0)).await.unwrap(), [(ala.id, Millis(500))]);
    assert!(!store.end_sessions(Uuid::from_u128(9), Millis(500)).await.unwrap());
}

async fn what_is_over_is_swept(backend: Backend) {
    let (store, _database) = store(backend).await;
    store.add_token(&[1; 32], &token(1, 10, true)).await.unwrap();
    assert_eq!(store.sweep_tokens(Millis(1000)).await.unwrap(), 0);
    assert_eq!(store.sweep_tokens(Millis(1001)).await.unwrap(), 1);
    assert_eq!(store.token(&[1; 32]).await.unwrap(), None);
    store.end_session(Uuid::from_u128(10), Millis(500)).await.unwrap();
    assert_eq!(store.sweep_revocations(Millis(500)).await.unwrap(), 0);
    assert_eq!(store.sweep_revocations(Millis(501)).await.unwrap(), 1);
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
