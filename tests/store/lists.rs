use bytes::Bytes;
use remik::store::{Append, GameId, ListFilter, Millis, Page, PageToken, Store, Summary};
use uuid::Uuid;

use crate::{
    fixture::{creation, mv, store, summary},
    on_both,
    support::database::Backend,
};

on_both!(
    a_summary_changes_with_its_move,
    lists_show_what_the_viewer_may_see,
    lists_filter_by_status_and_preset,
    pages_follow_each_other_without_gaps,
    who_left_no_longer_lists_the_game,
    a_game_that_is_not_settled_is_found_whatever_its_status,
    a_public_game_that_is_not_listed_is_found_by_its_players,
);

const ALA: Uuid = Uuid::from_u128(1);
const OLA: Uuid = Uuid::from_u128(2);

/// Games with rising ids, of these (public, players, status, preset).
async fn games(store: &Store, games: &[(bool, &[Uuid], i16, &str)]) -> Vec<GameId> {
    let mut ids = Vec::new();
    for (public, players, status, preset) in games {
        let new = Summary {
            public: *public,
            listed: *public,
            players: players.to_vec(),
            status: *status,
            preset: (*preset).into(),
            ..summary(GameId::generate(), 1)
        };
        ids.push(new.game);
        store.append(creation(new)).await.unwrap();
    }
    ids
}

/// The places in `ids` of the games that the filter finds, on one page.
async fn listed(store: &Store, ids: &[GameId], filter: ListFilter) -> Vec<usize> {
    let (found, token) = store.list(&filter, Page { size: 100, token: None }).await.unwrap();
    assert_eq!(token, None);
    found.iter().map(|found| ids.iter().position(|id| *id == found.game).unwrap()).collect()
}

async fn a_summary_changes_with_its_move(backend: Backend) {
    let (store, _database) = store(backend).await;
    let first = Summary {
        players: vec![OLA, ALA],
        invite_code: Some("code".into()),
        ..summary(GameId::generate(), 1)
    };
    store.append(creation(first.clone())).await.unwrap();
    assert_eq!(store.summary(first.game).await.unwrap().as_ref(), Some(&first));
    assert_eq!(store.summary(GameId::generate()).await.unwrap(), None);

    store.append(Append { mv: mv(first.game, 2), summary: None, request: None, alarm: None }).await.unwrap();
    assert_eq!(store.summary(first.game).await.unwrap().as_ref(), Some(&first));

    let third = Summary {
        status: -3,
        public: false,
        preset: "other".into(),
        players: vec![ALA, OLA],
        invite_code: None,
        detail: Bytes::new(),
        ..summary(first.game, 3)
    };
    store
        .append(Append { mv: mv(first.game, 3), summary: Some(third.clone()), request: None, alarm: None })
        .await
        .unwrap();
    assert_eq!(store.summary(first.game).await.unwrap(), Some(third));
}

async fn lists_show_what_the_viewer_may_see(backend: Backend) {
    let (store, _database) = store(backend).await;
    let ids = games(
        &store,
        &[(true, &[], 0, "a"), (false, &[ALA], 0, "a"), (true, &[ALA, OLA], 0, "a"), (false, &[OLA], 0, "a")],
    )
    .await;
    let list = async |viewer, mine_only| {
        listed(&store, &ids, ListFilter { viewer, mine_only, ..Default::default() }).await
    };
    assert_eq!(list(None, false).await, [2, 0]);
    assert_eq!(list(None, true).await, [0; 0]);
    assert_eq!(list(Some(ALA), false).await, [2, 1, 0]);
    assert_eq!(list(Some(ALA), true).await, [2, 1]);
    assert_eq!(list(Some(OLA), true).await, [3, 2]);
    assert_eq!(list(Some(Uuid::from_u128(3)), false).await, [2, 0]);
}

async fn lists_filter_by_status_and_preset(backend: Backend) {
    let (store, _database) = store(backend).await;
    let ids = games(
        &store,
        &[(true, &[], 0, "a"), (true, &[], 1, "b"), (false, &[ALA], 2, "a"), (true, &[ALA], 1, "a")],
    )
    .await;
    let list = async |mine_only, statuses: &[i16], preset: Option<&str>| {
        let preset = preset.map(str::to_owned);
        let filter = ListFilter {
            viewer: Some(ALA),
            mine_only,
            statuses: statuses.to_vec(),
            preset,
            ..ListFilter::default()
        };
        listed(&store, &ids, filter).await
    };
    assert_eq!(list(false, &[], None).await, [3, 2, 1, 0]);
    assert_eq!(list(false, &[1], None).await, [3, 1]);
    assert_eq!(list(false, &[0, 2], None).await, [2, 0]);
    assert_eq!(list(false, &[7], None).await, [0; 0]);
    assert_eq!(list(false, &[], Some("b")).await, [1]);
    assert_eq!(list(false, &[1], Some("a")).await, [3]);
    assert_eq!(list(false, &[], Some("c\0")).await, [0; 0]);
    assert_eq!(list(true, &[], None).await, [3, 2]);
    assert_eq!(list(true, &[0, 1], None).await, [3]);
    assert_eq!(list(true, &[], Some("a")).await, [3, 2]);
    assert_eq!(list(true, &[2], Some("b")).await, [0; 0]);
}

async fn a_game_that_is_not_settled_is_found_whatever_its_status(backend: Backend) {
    let (store, _database) = store(backend).await;
    let mut ids = Vec::new();
    for (status, settles_at) in [(1, None), (2, Some(100)), (2, Some(101)), (2, None)] {
        let settles_at = settles_at.map(Millis);
        let players = vec![ALA];
        let new = Summary { status, settles_at, players, ..summary(GameId::generate(), 1) };
        ids.push(new.game);
        store.append(creation(new.clone())).await.unwrap();
        assert_eq!(store.summary(new.game).await.unwrap(), Some(new));
    }
    for mine_only in [false, true] {
        let filter = ListFilter {
            viewer: Some(ALA),
            mine_only,
            statuses: vec![1],
            now: Millis(100),
            ..ListFilter::default()
        };
        assert_eq!(listed(&store, &ids, filter).await, [2, 0]);
    }
}

async fn a_public_game_that_is_not_listed_is_found_by_its_players(backend: Backend) {
    let (store, _database) = store(backend).await;
    let first = Summary { players: vec![ALA], ..summary(GameId::generate(), 1) };
    store.append(creation(first.clone())).await.unwrap();
    let list = async |viewer| {
        let filter = ListFilter { viewer: Some(viewer), ..ListFilter::default() };
        listed(&store, &[first.game], filter).await
    };
    assert_eq!(list(OLA).await, [0]);
    let begun = Summary { listed: false, version: 2, ..first.clone() };
    let append = Append { mv: mv(first.game, 2), summary: Some(begun.clone()), request: None, alarm: None };
    store.append(append).await.unwrap();
    assert_eq!(store.summary(first.game).await.unwrap(), Some(begun));
    assert_eq!((list(OLA).await, list(ALA).await), (vec![], vec![0]));
}

async fn pages_follow_each_other_without_gaps(backend: Backend) {
    let (store, _database) = store(backend).await;
    let kinds: Vec<(bool, &[Uuid], i16, &str)> =
        (0..23).map(|n| (n % 3 > 0, if n % 2 > 0 { &[ALA][..] } else { &[] }, 0, "a")).collect();
    let mut ids = games(&store, &kinds).await;
    ids.reverse();
    let seen = |public: bool, mine: bool| {
        let kinds = kinds.iter().rev().zip(&ids);
        let seen = kinds.filter(|(kind, _)| (public && kind.0) || (mine && !kind.1.is_empty()));
        seen.map(|(_, id)| *id).collect::<Vec<_>>()
    };
    for (filter, expected) in [
        (ListFilter::default(), seen(true, false)),
        (ListFilter { viewer: Some(ALA), ..Default::default() }, seen(true, true)),
        (ListFilter { viewer: Some(ALA), mine_only: true, ..Default::default() }, seen(false, true)),
    ] {
        for size in [0, 1, 4, 11, u32::MAX] {
            let mut found = Vec::new();
            let mut token: Option<PageToken> = None;
            loop {
                let (page, next) = store.list(&filter, Page { size, token }).await.unwrap();
                assert!(!page.is_empty() && page.len() <= size.max(1) as usize);
                found.extend(page.iter().map(|summary| summary.game));
                if token.is_none() {
                    // A game that begins in between doesn't disturb.
                    games(&store, &[(true, &[ALA], 9, "a")]).await;
                }
                let Some(next) = next else { break };
                token = Some(next.to_string().parse().unwrap());
            }
            found.retain(|id| ids.contains(id));
            assert_eq!(found, expected, "{filter:?} {size}");
        }
    }
    assert!("no token".parse::<PageToken>().is_err());
}

async fn who_left_no_longer_lists_the_game(backend: Backend) {
    let (store, _database) = store(backend).await;
    let first = Summary { public: false, players: vec![ALA, OLA], ..summary(GameId::generate(), 1) };
    store.append(creation(first.clone())).await.unwrap();
    let second = Summary { version: 2, players: vec![OLA, OLA], ..first.clone() };
    store
        .append(Append { mv: mv(first.game, 2), summary: Some(second), request: None, alarm: None })
        .await
        .unwrap();
    let mine = async |viewer| {
        listed(
            &store,
            &[first.game],
            ListFilter { viewer: Some(viewer), mine_only: true, ..Default::default() },
        )
        .await
    };
    assert_eq!(mine(ALA).await, [0; 0]);
    assert_eq!(mine(OLA).await, [0]);
}
