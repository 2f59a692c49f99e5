//! Tables that wait, invitations to them, and their alarms.

use remik::store::{AlarmChange, Append, GameId, Invitation, Millis, PageToken, Store, Summary};
use uuid::Uuid;

use crate::{
    fixture::{append, creation, mv, store, summary},
    on_both,
    support::database::Backend,
};

on_both![
    only_listed_tables_of_a_status_wait,
    an_invitation_is_kept_once_and_within_the_bound,
    invitations_of_a_player_are_those_that_he_may_see,
    an_alarm_is_put_off_while_no_other_move_has_set_it,
];

const WAITING: i16 = 1;

async fn table(store: &Store, status: i16, listed: bool) -> GameId {
    let new = Summary { status, listed, ..summary(GameId::generate(), 1) };
    let game = new.game;
    store.append(creation(new)).await.unwrap();
    game
}

fn invitation(game: GameId, player: u128, by: u128, at: i64) -> Invitation {
    Invitation {
        game_id: game,
        player_id: Uuid::from_u128(player),
        invited_by: Uuid::from_u128(by),
        made_at: Millis(at),
    }
}

async fn only_listed_tables_of_a_status_wait(backend: Backend) {
    let (store, _database) = store(backend).await;
    let mut waiting = Vec::new();
    for number in 0..5 {
        waiting.insert(0, table(&store, WAITING, true).await);
        table(&store, WAITING, false).await;
        table(&store, 2 + number % 3, true).await;
    }
    let page = async |after: Option<GameId>, limit| {
        let found = store.waiting_tables(WAITING, after.map(PageToken::after), limit).await.unwrap();
        found.into_iter().map(|summary| summary.game).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 10).await, waiting);
    assert_eq!(page(None, 2).await, waiting[..2]);
    assert_eq!(page(Some(waiting[1]), 2).await, waiting[2..4]);
    assert_eq!(page(Some(waiting[4]), 2).await, []);
}

async fn an_invitation_is_kept_once_and_within_the_bound(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = table(&store, WAITING, true).await;
    let ids = [7, 8, 9].map(Uuid::from_u128);
    assert!(store.invite(&invitation(game, 7, 1, 10), 2).await.unwrap());
    assert!(store.invite(&invitation(game, 8, 1, 20), 2).await.unwrap());
    assert!(!store.invite(&invitation(game, 9, 1, 30), 2).await.unwrap(), "there are two");
    assert!(store.invite(&invitation(game, 7, 2, 40), 2).await.unwrap(), "it is there already");
    assert!(store.is_invited(game, ids[0]).await.unwrap() && !store.is_invited(game, ids[2]).await.unwrap());
    assert!(!store.is_invited(GameId::generate(), ids[0]).await.unwrap());
    let all = store.invitations_to(game, None, 10).await.unwrap();
    assert_eq!(all, [invitation(game, 8, 1, 20), invitation(game, 7, 1, 10)]);
    let after = Some((all[0].made_at, all[0].player_id));
    assert_eq!(store.invitations_to(game, after, 10).await.unwrap(), all[1..]);
    for _ in 0..2 {
        store.withdraw_invitation(game, ids[1]).await.unwrap();
    }
    assert!(!store.is_invited(game, ids[1]).await.unwrap());
    store.sweep_invitations(Millis(10)).await.unwrap();
    assert!(store.is_invited(game, ids[0]).await.unwrap());
    store.sweep_invitations(Millis(11)).await.unwrap();
    assert!(!store.is_invited(game, ids[0]).await.unwrap());
}

async fn invitations_of_a_player_are_those_that_he_may_see(backend: Backend) {
    let (store, _database) = store(backend).await;
    let guest = Uuid::from_u128(7);
    let mut games = Vec::new();
    for (at, status) in [(1, WAITING), (2, WAITING), (3, 4), (4, WAITING), (5, WAITING)] {
        let game = table(&store, status, false).await;
        store.invite(&invitation(game, 7, at as u128, at), 50).await.unwrap();
        games.push(game);
    }
    store.block(guest, Uuid::from_u128(2), Millis(1)).await.unwrap();
    store.block(Uuid::from_u128(4), guest, Millis(1)).await.unwrap();
    let found = store.invitations_of(guest, WAITING, None, 10).await.unwrap();
    assert_eq!(found.iter().map(|one| one.game_id).collect::<Vec<_>>(), [games[4], games[0]]);
    let after = Some((found[0].made_at, found[0].game_id.0));
    assert_eq!(store.invitations_of(guest, WAITING, after, 10).await.unwrap(), found[1..]);
    assert_eq!(store.invitations_of(guest, WAITING, None, 1).await.unwrap(), found[..1]);
}

async fn an_alarm_is_put_off_while_no_other_move_has_set_it(backend: Backend) {
    let (store, _database) = store(backend).await;
    let game = GameId::generate();
    assert_eq!(store.alarm(game).await.unwrap(), None);
    let first = Append { alarm: Some(AlarmChange::At(Millis(50))), ..creation(summary(game, 1)) };
    let set_at = first.mv.made_at;
    store.append(first).await.unwrap();
    store.put_alarm_off(game, set_at, Millis(90)).await.unwrap();
    assert_eq!(store.alarm(game).await.unwrap(), Some(Millis(90)));
    store.put_alarm_off(game, set_at, Millis(60)).await.unwrap();
    assert_eq!(store.alarm(game).await.unwrap(), Some(Millis(90)), "never to an earlier time");
    let second = Append { alarm: Some(AlarmChange::At(Millis(70))), ..append(mv(game, 2)) };
    store.append(second).await.unwrap();
    store.put_alarm_off(game, set_at, Millis(200)).await.unwrap();
    assert_eq!(store.alarm(game).await.unwrap(), Some(Millis(70)), "another move has set it since");
}
