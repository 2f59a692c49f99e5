use std::{collections::BTreeSet, sync::Arc};

use futures::future::join_all;
use remik::store::{GameId, Millis, Mute, NewLine, Player, Store};
use uuid::Uuid;

use crate::{fixture::store, on_both, support::database::Backend};

on_both!(
    lines_are_numbered_without_gaps,
    a_line_is_there_once,
    who_is_not_heard_is_left_out,
    an_erased_player_says_nothing_more,
);

fn line(game: u128, player: u128, at: i64) -> NewLine {
    NewLine {
        game_id: GameId(Uuid::from_u128(game)),
        player_id: Uuid::from_u128(player),
        made_at: Millis(at),
        request_id: Uuid::new_v4(),
        body: Some(format!("{player} at {at}")),
        phrase: None,
    }
}

/// Adds a line, however often others are faster.
async fn add(store: &Store, line: &NewLine) {
    while !store.add_line(line).await.unwrap() {}
}

async fn lines_are_numbered_without_gaps(backend: Backend) {
    let (store, _database) = store(backend).await;
    let store = Arc::new(store);
    let all = (0..40).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { add(&store, &line(1 + n % 2, n, n as i64)).await })
    });
    join_all(all).await.into_iter().for_each(|done| done.unwrap());
    for game in [1, 2].map(|game| GameId(Uuid::from_u128(game))) {
        let lines = store.lines(game, 0, 100).await.unwrap();
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
        assert_eq!(lines.iter().map(|line| line.player_id).collect::<BTreeSet<_>>().len(), 20);
        assert_eq!(store.lines(game, 15, 3).await.unwrap(), lines[15..18]);
        assert_eq!(store.last_line(game, Millis(i64::MAX)).await.unwrap(), 20);
    }
    let mut since = store.chats_since(Millis(39)).await.unwrap();
    assert_eq!(since, [(GameId(Uuid::from_u128(2)), since[0].1)], "the last line is of the second game");
    since = store.chats_since(Millis(0)).await.unwrap();
    since.sort();
    assert_eq!(since, [1, 2].map(|game| (GameId(Uuid::from_u128(game)), 20)));
}

async fn a_line_is_there_once(backend: Backend) {
    let (store, _database) = store(backend).await;
    let first = line(1, 7, 5);
    assert!(store.add_line(&first).await.unwrap());
    assert!(!store.add_line(&first).await.unwrap());
    let said = store.line_of_request(first.player_id, first.request_id).await.unwrap().unwrap();
    assert_eq!((said.number, &said.body), (1, &first.body));
    add(&store, &line(1, 8, 9)).await;
    // Until a time: in front of the first line that is younger.
    let game = first.game_id;
    for (until, last) in [(4, 0), (5, 1), (8, 1), (9, 2)] {
        assert_eq!(store.last_line(game, Millis(until)).await.unwrap(), last, "{until}");
    }
    assert_eq!(store.last_line(GameId(Uuid::from_u128(9)), Millis(9)).await.unwrap(), 0);
    for _ in 0..2 {
        assert_eq!(store.blank_line(game, 1).await.unwrap(), Some(first.player_id));
        assert!(store.add_removal(game, first.player_id, 1, Millis(10)).await.unwrap());
    }
    assert_eq!(store.blank_line(game, 3).await.unwrap(), None, "that is the removal");
    assert_eq!(store.blank_line(game, 4).await.unwrap(), None);
    let lines = store.lines(game, 0, 10).await.unwrap();
    let told: Vec<_> = lines.iter().map(|line| (line.body.is_some(), line.removes)).collect();
    assert_eq!(told, [(false, None), (true, None), (false, Some(1))]);
}

async fn who_is_not_heard_is_left_out(backend: Backend) {
    let (store, _database) = store(backend).await;
    let reader = Uuid::from_u128(1);
    for player in 1..=5 {
        add(&store, &line(1, player, 0)).await;
    }
    let [here, there] = [1, 2].map(|game| GameId(Uuid::from_u128(game)));
    for (muted, game_id) in [(2, here), (3, there), (4, Mute::EVERYWHERE)] {
        let mute = Mute { muted_id: Uuid::from_u128(muted), game_id, made_at: Millis(muted as i64) };
        store.mute(reader, mute).await.unwrap();
        store.mute(reader, mute).await.unwrap();
    }
    store.block(reader, Uuid::from_u128(5), Millis(0)).await.unwrap();
    // The others' wishes are theirs.
    store.block(Uuid::from_u128(3), reader, Millis(0)).await.unwrap();
    let heard = async |game, up_to, limit| {
        let lines = store.lines_before(game, reader, up_to, limit).await.unwrap();
        lines.iter().map(|line| line.number).collect::<Vec<_>>()
    };
    assert_eq!(heard(here, 5, 10).await, [3, 1]);
    assert_eq!(heard(here, 2, 10).await, [1]);
    assert_eq!(heard(here, 5, 1).await, [3]);
    assert_eq!(store.unheard(there, reader).await.unwrap(), [3, 4, 5].map(Uuid::from_u128).into());
    assert_eq!(store.count_mutes(reader).await.unwrap(), 3);
    let mut after = None;
    for muted in 2..=4 {
        let page = store.mutes(reader, after, 1).await.unwrap();
        assert_eq!((page.len(), page[0].muted_id), (1, Uuid::from_u128(muted)));
        after = Some((page[0].muted_id, page[0].game_id));
    }
    assert!(store.mutes(reader, after, 1).await.unwrap().is_empty());
    store.unmute(reader, Uuid::from_u128(2), there).await.unwrap();
    assert_eq!(heard(here, 5, 10).await, [3, 1], "that is another table");
    store.unmute(reader, Uuid::from_u128(2), here).await.unwrap();
    assert_eq!(heard(here, 5, 10).await, [3, 2, 1]);
}

/// What was being written when he was erased comes late, and is gone all the same when it is looked after.
async fn an_erased_player_says_nothing_more(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (id, now) = (Uuid::from_u128(7), Millis(100));
    let player = Player {
        id,
        made_at: Millis(1),
        name: "Ala".into(),
        external_id: Some("konto".into()),
        locale: "pl".into(),
        named_at: Millis(1),
        revoked_at: None,
    };
    store.add_player(&player).await.unwrap();
    add(&store, &line(1, 7, 5)).await;
    store.erase(id, now).await.unwrap();
    assert!(store.is_erased(id).await.unwrap());
    assert!(!store.add_line(&line(1, 7, 200)).await.unwrap());
    let gone = store.player(id).await.unwrap().unwrap();
    assert!(gone.is_erased() && gone.external_id.is_none() && gone.locale.is_empty());
    assert!(!store.rename_player(id, "Ala", "pl", Millis(1 << 60)).await.unwrap());
    assert!(!store.update_player(id, Some("Ala"), None, Millis(300)).await.unwrap());
    assert!(!store.link_player(id, "konto").await.unwrap());
    assert_eq!(store.lines(GameId(Uuid::from_u128(1)), 0, 9).await.unwrap()[0].body, None);
    // Until it is finished it is to be done again; later for as long as something may come late.
    let open = async |since| store.unfinished_erasures(Millis(since)).await.unwrap().len();
    assert_eq!(open(1000).await, 1);
    store.finish_erasure(id, now).await.unwrap();
    assert_eq!((open(1000).await, open(100).await), (0, 1));
    store.erase(id, Millis(500)).await.unwrap();
    let erasures = store.erasures(Uuid::nil(), 9).await.unwrap();
    assert_eq!((erasures.len(), erasures[0].erased_at), (1, now), "the first time counts");
    assert!(store.erasures(id, 9).await.unwrap().is_empty());
}
