//! What administrators find, do, and what is kept of it.

use remik::store::{
    Act, AuditFilter, Ban, FoundPlayer, GameFilter, GameId, Millis, Player, PlayerFilter, Summary, Token,
};
use uuid::Uuid;

use crate::{
    fixture::{act, append, creation, mv, store, summary},
    on_both,
    support::database::Backend,
};

on_both!(
    an_act_is_done_once_with_its_entry,
    the_audit_trail_is_only_added_to,
    acts_are_listed_in_pages_and_by_filter,
    games_are_found,
    players_are_found_by_what_is_known,
);

const KEY: Uuid = Uuid::from_u128(500);

fn ordered(kind: i16, subject: u128, at: i64, request: u128) -> Act {
    let request_id = Some(Uuid::from_u128(request));
    Act {
        key_id: Some(KEY),
        key_name: "Klucz".into(),
        reason: "Obelgi".into(),
        request_id,
        ..act(kind, subject, at)
    }
}

fn everything() -> AuditFilter {
    AuditFilter { act: None, subject: None, key: None, from: Millis(i64::MIN), before: Millis(i64::MAX) }
}

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

async fn an_act_is_done_once_with_its_entry(backend: Backend) {
    let (store, _database) = store(backend).await;
    let id = Uuid::from_u128(1);
    store.add_player(&player(1, "Ala")).await.unwrap();
    let first = Act { until: Some(Millis(9000)), ..ordered(4, 1, 100, 1) };
    assert!(store.ban_player(&first).await.unwrap());
    let ban = Ban { made_at: Millis(100), until: Some(Millis(9000)), reason: "Obelgi".into() };
    assert_eq!(store.ban(id).await.unwrap(), Some(ban.clone()));
    assert!(ban.counts(Millis(8999)) && !ban.counts(Millis(9000)));
    assert_eq!(store.revocations(Millis(0)).await.unwrap(), [(id, Millis(100))], "instances hear of it");

    // The same request again changes nothing, whatever it says.
    assert!(!store.ban_player(&ordered(4, 1, 200, 1)).await.unwrap());
    assert!(!store.lift_ban(&ordered(5, 1, 200, 1)).await.unwrap());
    assert_eq!(store.ban(id).await.unwrap(), Some(ban));
    assert_eq!(store.act_of_request(KEY, Uuid::from_u128(1)).await.unwrap(), Some(first));
    assert_eq!(store.act_of_request(KEY, Uuid::from_u128(2)).await.unwrap(), None);

    // A new ban takes the place of the old one.
    assert!(store.ban_player(&ordered(4, 1, 300, 2)).await.unwrap());
    assert_eq!(store.ban(id).await.unwrap().map(|ban| (ban.made_at, ban.until)), Some((Millis(300), None)));
    assert!(store.lift_ban(&ordered(5, 1, 400, 3)).await.unwrap());
    assert_eq!(store.ban(id).await.unwrap(), None);
    assert!(store.lift_ban(&ordered(5, 1, 500, 4)).await.unwrap(), "lifting none is an act too");

    let token =
        Token { player_id: id, session_id: Uuid::from_u128(7), refreshes: true, expires_at: Millis(9) };
    store.add_token(&[1; 32], &token).await.unwrap();
    assert!(store.sign_out(&ordered(6, 1, 600, 5)).await.unwrap());
    assert_eq!(store.token(&[1; 32]).await.unwrap(), None);
    assert_eq!(store.player(id).await.unwrap().unwrap().revoked_at, Some(Millis(600)));
    store.add_token(&[1; 32], &token).await.unwrap();
    assert!(!store.sign_out(&ordered(6, 1, 700, 5)).await.unwrap());
    assert_eq!(store.token(&[1; 32]).await.unwrap(), Some(token));
    assert_eq!(store.audit(&everything(), Uuid::max(), 100).await.unwrap().len(), 5);
}

async fn the_audit_trail_is_only_added_to(backend: Backend) {
    let (store, database) = store(backend).await;
    let kept = ordered(2, 1, 100, 1);
    assert!(store.note_act(&kept).await.unwrap());
    assert!(!store.note_act(&ordered(2, 1, 100, 1)).await.unwrap());
    store.conclude_act(kept.id, true, Some(7)).await.unwrap();
    store.conclude_act(kept.id, false, None).await.unwrap();
    let entries = store.audit(&everything(), Uuid::max(), 9).await.unwrap();
    let entry = &entries[0];
    assert_eq!((entries.len(), &entry.act, entry.done, entry.version), (1, &kept, Some(true), Some(7)));
    // By whoever has the database.
    for sql in [
        "UPDATE audit SET reason = 'x'",
        "DELETE FROM audit",
        "UPDATE audit_outcomes SET version = 8",
        "DELETE FROM audit_outcomes",
    ] {
        let error = match backend {
            Backend::Sqlite => {
                let pool = sqlx::SqlitePool::connect(&database.url).await.unwrap();
                sqlx::query(sql).execute(&pool).await.unwrap_err()
            }
            Backend::Postgres => {
                let pool = sqlx::PgPool::connect(&database.url).await.unwrap();
                sqlx::query(sql).execute(&pool).await.unwrap_err()
            }
        };
        assert!(error.to_string().contains("the audit trail is only added to"), "{sql}: {error}");
    }
    assert_eq!(store.audit(&everything(), Uuid::max(), 9).await.unwrap(), entries);
}

async fn acts_are_listed_in_pages_and_by_filter(backend: Backend) {
    let (store, _database) = store(backend).await;
    let mut acts = Vec::new();
    for number in 0..6i64 {
        let kind = if number % 2 == 0 { 1 } else { 4 };
        let by_key = ordered(kind, number as u128 / 2, number, number as u128);
        let made = if number < 3 { by_key } else { act(kind, number as u128 / 2, number) };
        store.note_act(&made).await.unwrap();
        acts.insert(0, made);
    }
    let list = async |filter: AuditFilter, below, limit| {
        let entries = store.audit(&filter, below, limit).await.unwrap();
        entries.into_iter().map(|entry| entry.act).collect::<Vec<_>>()
    };
    assert_eq!(list(everything(), Uuid::max(), 4).await, acts[..4]);
    assert_eq!(list(everything(), acts[3].id, 4).await, acts[4..]);
    let picked = |so: fn(&Act) -> bool| acts.iter().filter(|act| so(act)).cloned().collect::<Vec<_>>();
    let kind = AuditFilter { act: Some(4), ..everything() };
    assert_eq!(list(kind, Uuid::max(), 9).await, picked(|act| act.act == 4));
    let subject = AuditFilter { subject: Some(Uuid::from_u128(1)), ..everything() };
    assert_eq!(list(subject, Uuid::max(), 9).await, picked(|act| act.subject == Uuid::from_u128(1)));
    let key = AuditFilter { key: Some(KEY), ..everything() };
    assert_eq!(list(key, Uuid::max(), 9).await, picked(|act| act.key_id.is_some()));
    let times = AuditFilter { from: Millis(1), before: Millis(4), ..everything() };
    assert_eq!(list(times, Uuid::max(), 9).await, acts[2..5]);
}

async fn games_are_found(backend: Backend) {
    let (store, _database) = store(backend).await;
    let mut games = Vec::new();
    for number in 0..5u32 {
        let game = GameId::generate();
        let summary = Summary {
            status: number as i16,
            public: number % 2 == 0,
            preset: if number < 2 { "classic".into() } else { "other".into() },
            players: vec![Uuid::from_u128(number.into()), Uuid::from_u128(99)],
            made_at: Millis(i64::from(number) * 1000),
            ..summary(game, 1)
        };
        store.append(creation(summary)).await.unwrap();
        games.insert(0, game);
    }
    // The first of them goes on.
    store.append(append(mv(games[4], 2))).await.unwrap();
    let all = GameFilter {
        game: None,
        player: None,
        preset: None,
        statuses: vec![],
        public: None,
        made_from: Millis(i64::MIN),
        made_before: Millis(i64::MAX),
        idle_since: None,
    };
    let find = async |filter: GameFilter, below: GameId, limit| {
        let found = store.find_games(&filter, below, limit).await.unwrap();
        found.iter().map(|game| game.summary.game).collect::<Vec<_>>()
    };
    let first = GameId(Uuid::max());
    assert_eq!(find(all.clone(), first, 3).await, games[..3]);
    assert_eq!(find(all.clone(), games[2], 3).await, games[3..]);
    let found =
        store.find_games(&GameFilter { game: Some(games[4]), ..all.clone() }, first, 9).await.unwrap();
    let moved = mv(games[4], 2).made_at;
    assert_eq!((found.len(), found[0].latest, found[0].moved_at, found[0].summary.version), (1, 2, moved, 1));
    for (filter, expected) in [
        (GameFilter { player: Some(Uuid::from_u128(1)), ..all.clone() }, &games[3..4]),
        (GameFilter { player: Some(Uuid::from_u128(99)), ..all.clone() }, &games[..]),
        (GameFilter { preset: Some("classic".into()), ..all.clone() }, &games[3..]),
        (GameFilter { preset: Some("a\0b".into()), ..all.clone() }, &[]),
        (GameFilter { statuses: vec![2, 3], ..all.clone() }, &games[1..3]),
        (GameFilter { public: Some(false), statuses: vec![3], ..all.clone() }, &games[1..2]),
        (GameFilter { public: Some(true), statuses: vec![3], ..all.clone() }, &[]),
        (GameFilter { made_from: Millis(1000), made_before: Millis(3000), ..all.clone() }, &games[2..4]),
        (GameFilter { idle_since: Some(moved), ..all.clone() }, &games[..4]),
        (GameFilter { idle_since: Some(Millis(0)), ..all }, &[]),
    ] {
        assert_eq!(find(filter.clone(), first, 9).await, expected, "{filter:?}");
    }
}

async fn players_are_found_by_what_is_known(backend: Backend) {
    let (store, _database) = store(backend).await;
    let names = ["Ala", "Alicja", "al", "Żaneta", "Żółw", "A%"];
    for (id, name) in (1..).zip(names) {
        let external_id = (id == 2).then(|| "user-2".to_owned());
        store.add_player(&Player { external_id, ..player(id, name) }).await.unwrap();
    }
    for (id, until) in [(1, None), (3, Some(Millis(1000))), (4, Some(Millis(3000)))] {
        let ban = Act { until, ..ordered(4, id, 100, id) };
        assert!(store.ban_player(&ban).await.unwrap());
    }
    let all =
        PlayerFilter { player: None, external_id: None, name_prefix: None, banned: false, now: Millis(2000) };
    let find = async |filter: &PlayerFilter, below: u128, limit| {
        let found = store.find_players(filter, Uuid::from_u128(below), limit).await.unwrap();
        found.iter().map(|found| found.player.id.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(find(&all, u128::MAX, 4).await, [6, 5, 4, 3]);
    assert_eq!(find(&all, 3, 4).await, [2, 1]);
    let prefix = |prefix: &str| PlayerFilter { name_prefix: Some(prefix.into()), ..all.clone() };
    for (filter, expected) in [
        (PlayerFilter { player: Some(Uuid::from_u128(5)), ..all.clone() }, &[5][..]),
        (PlayerFilter { external_id: Some("user-2".into()), ..all.clone() }, &[2]),
        (PlayerFilter { external_id: Some("\0".into()), ..all.clone() }, &[]),
        (prefix("Al"), &[2, 1]),
        (prefix("Ż"), &[5, 4]),
        (prefix("A%"), &[6]),
        (prefix("%"), &[]),
        (PlayerFilter { banned: true, ..all.clone() }, &[4, 1]),
        (PlayerFilter { banned: true, ..prefix("Al") }, &[1]),
    ] {
        assert_eq!(find(&filter, u128::MAX, 9).await, expected, "{filter:?}");
    }
    let found = store.find_players(&prefix("Ż"), Uuid::max(), 9).await.unwrap();
    let ban = Ban { made_at: Millis(100), until: Some(Millis(3000)), reason: "Obelgi".into() };
    assert_eq!(found[1], FoundPlayer { player: player(4, "Żaneta"), ban: Some(ban) });
    // A ban that is over is none.
    let found = store.find_players(&prefix("al"), Uuid::max(), 9).await.unwrap();
    assert_eq!(found, [FoundPlayer { player: player(3, "al"), ban: None }]);
}
