//! Counting games, in whatever way it is cut short, done twice or done anew.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::SliceRandom};
use remik::{
    codec::log,
    fairness::Fairness,
    standings::{LeaderboardAsk, NotListed, Projector, leaderboard, rebuild},
    store::{
        Act, Append, Board, BoardPlace, Figure, GameId, Millis, Move, RatingChange, RatingRow,
        StandingsBatch, StatisticsRow, Store, Summary,
    },
};
use remik_rules::{
    chance::{self, ClientSeed},
    command::{Actor, Command},
    decide::{create, decide},
    event::Event,
    evolve::evolve,
    preset::Preset,
    seat::{PlayerId, Seat},
    table::Table,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    fixture::{act, open, store},
    on_both,
    support::database::{Backend, TestDatabase},
};

on_both!(
    a_backlog_is_counted_once_however_it_is_cut_short,
    games_are_counted_anew_beside_those_who_count_on,
    a_store_that_was_set_back_is_counted_anew,
    a_game_that_ends_otherwise_is_counted_anew,
    a_batch_counts_only_where_it_belongs,
    leaderboards_are_paged_and_show_who_is_around,
);

const BOUND: Duration = Duration::from_secs(120);

fn player(number: usize) -> Uuid {
    Uuid::from_u128(number as u128 + 1)
}

/// Plays a game in which one after another leaves, and writes it. The players are in the order of their places.
async fn play(store: &Store, preset: Preset, players: &[Uuid], at: i64) -> GameId {
    let game = GameId::generate();
    let mut chance = Fairness::of(game);
    let seats = players.len() as u8;
    let opening = create(preset.ruleset(), seats, &mut chance).unwrap();
    let mut table = Table::replay(&opening).unwrap();
    let mut moves = vec![opening];
    let mut act = |actor, command: Command| {
        let events = decide(&table, actor, &command, chance::Millis(at), &mut chance).unwrap();
        events.iter().for_each(|event| evolve(&mut table, event));
        let over = matches!(events.last(), Some(Event::GameEnded { .. }));
        moves.push(events);
        over
    };
    for (seat, player) in Seat::first(seats).zip(players) {
        act(Actor::Player(PlayerId(player.as_u128())), Command::Join { seat: Some(seat) });
    }
    for seat in Seat::first(seats) {
        act(Actor::Seat(seat), Command::Ready { client_seed: ClientSeed::default() });
    }
    // The last one wins.
    let over =
        Seat::first(seats).rev().take(players.len() - 1).any(|seat| act(Actor::Seat(seat), Command::Leave));
    assert!(over);
    write(store, game, preset, players, moves, at).await;
    game
}

async fn write(
    store: &Store,
    game: GameId,
    preset: Preset,
    players: &[Uuid],
    moves: Vec<Vec<Event>>,
    at: i64,
) {
    for (events, number) in moves.iter().zip(1..) {
        let mv = Move {
            game,
            number,
            seat: None,
            request_id: None,
            fingerprint: None,
            made_at: Millis(at),
            format: log::FORMAT,
            events: log::encode_move(events),
        };
        let summary = (number == 1).then(|| Summary {
            game,
            version: 1,
            status: 0,
            preset: preset.to_string(),
            public: true,
            listed: true,
            settles_at: None,
            invite_code: None,
            players: players.to_vec(),
            made_at: Millis(at),
            changed_at: Millis(at),
            detail: bytes::Bytes::new(),
        });
        store.append(Append { mv, summary, request: None, alarm: None }).await.unwrap();
    }
}

/// Games of some players by a seed, over years; returns how many each has played.
async fn play_many(store: &Store, games: usize, people: usize, seed: u64) -> BTreeMap<Uuid, i32> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut played = BTreeMap::new();
    let mut drawn = Vec::new();
    for _ in 0..games {
        let mut all: Vec<Uuid> = (0..people).map(player).collect();
        all.shuffle(&mut rng);
        let preset = if rng.random_bool(0.7) { Preset::Remik51 } else { Preset::Rummy200 };
        all.truncate(rng.random_range(2..=4));
        all.iter().for_each(|player| *played.entry(*player).or_insert(0) += 1);
        drawn.push((preset, all, 1_700_000_000_000 + rng.random_range(0..100_000_000_000)));
    }
    // Several at a time, so that their moves mingle.
    for some in drawn.chunks(8) {
        join_all(some.iter().map(|(preset, players, at)| play(store, *preset, players, *at))).await;
    }
    played
}

/// Everything that is shown.
#[derive(Debug, PartialEq)]
struct Shown {
    ratings: Vec<RatingRow>,
    changes: Vec<RatingChange>,
    statistics: Vec<StatisticsRow>,
}

async fn shown(store: &Store, people: usize) -> Shown {
    let (mut ratings, mut changes, mut statistics) = (vec![], vec![], vec![]);
    for player in (0..people).map(player) {
        ratings.extend(store.ratings(player).await.unwrap());
        for preset in ["", "remik-51", "rummy-200"] {
            changes.extend(store.rating_changes(player, preset, i32::MAX, 10_000).await.unwrap());
            for period in ["", "2023", "2024", "2025", "2026", "2024-02", "2024-W09"] {
                statistics.extend(store.statistics(player, preset, period).await.unwrap());
            }
        }
    }
    Shown { ratings, changes, statistics }
}

/// Asks again and again until it is so, within the bound.
async fn until(what: &str, so: impl AsyncFn() -> bool) {
    let asking = async {
        while !so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(BOUND, asking).await.expect(what);
}

/// Counts until so many games are counted.
async fn count_up_to(projector: Projector, store: &Store, games: u64) {
    let stop = CancellationToken::new();
    let counting = tokio::spawn(projector.run(stop.clone()));
    until("the games are counted", async || store.count_games().await.unwrap() >= games).await;
    stop.cancel();
    counting.await.unwrap();
}

fn games_of(shown: &Shown) -> BTreeMap<Uuid, i32> {
    let all = shown.statistics.iter().filter(|row| row.preset.is_empty() && row.period.is_empty());
    all.map(|row| (row.player_id, row.games)).collect()
}

/// As many stores over one database as can be.
async fn stores(backend: Backend) -> (Vec<Arc<Store>>, TestDatabase) {
    let (first, database) = store(backend).await;
    let mut stores = vec![Arc::new(first)];
    if backend == Backend::Postgres {
        stores.push(Arc::new(open(&database).await));
    }
    (stores, database)
}

async fn a_backlog_is_counted_once_however_it_is_cut_short(backend: Backend) {
    const GAMES: usize = 150;
    const PEOPLE: usize = 12;
    let (stores, _database) = stores(backend).await;
    let store = &stores[0];
    let seed = rand::random();
    println!("the seed is {seed}");
    let played = play_many(store, GAMES, PEOPLE, seed).await;

    // Several count at once, and each is dropped in the middle of whatever it does, again and again: those who count anew
    // know of no duty.
    let mut rng = StdRng::seed_from_u64(seed);
    for _ in 0..25 {
        let counting = stores.iter().map(|store| {
            let bound = Duration::from_millis(rng.random_range(0..60));
            let store = Arc::clone(store);
            async move {
                let anew = timeout(bound, rebuild(&store));
                let on = timeout(bound, Projector::new(Arc::clone(&store)).run(CancellationToken::new()));
                let (anew, _) = futures::future::join(anew, on).await;
                // One that was overtaken says so by counting what is shown.
                anew.map(|counted| counted.map(drop)).unwrap_or(Ok(())).unwrap();
            }
        });
        join_all(counting).await;
    }
    for store in &stores {
        store.give_back_duty("standings", Uuid::nil()).await.unwrap();
    }
    count_up_to(Projector::new(Arc::clone(store)), store, GAMES as u64).await;
    let counted = shown(store, PEOPLE).await;
    assert_eq!(games_of(&counted), played);

    let began = Instant::now();
    assert_eq!(rebuild(store).await.unwrap(), GAMES as u64);
    println!("{GAMES} games are counted anew in {:?}", began.elapsed());
    assert_eq!(shown(store, PEOPLE).await, counted, "to the bit");
    let (now, next) = store.standings().await.unwrap();
    assert!(now.number > 0 && next.is_none());
    assert_eq!(store.sweep_standings().await.unwrap(), 0, "nothing else is left");
}

async fn games_are_counted_anew_beside_those_who_count_on(backend: Backend) {
    const PEOPLE: usize = 6;
    let (stores, _database) = stores(backend).await;
    let store = &stores[0];
    let mut played = play_many(store, 30, PEOPLE, 1).await;
    let stop = CancellationToken::new();
    let counting: Vec<_> = stores
        .iter()
        .map(|store| tokio::spawn(Projector::new(Arc::clone(store)).run(stop.clone())))
        .collect();
    let anew = tokio::spawn({
        let store = Arc::clone(stores.last().unwrap());
        async move {
            for _ in 0..5 {
                rebuild(&store).await.unwrap();
            }
        }
    });
    for (player, more) in play_many(store, 40, PEOPLE, 2).await {
        *played.entry(player).or_insert(0) += more;
    }
    anew.await.unwrap();
    until("all games are counted", async || store.count_games().await.unwrap() >= 70).await;
    stop.cancel();
    join_all(counting).await.into_iter().for_each(Result::unwrap);
    let counted = shown(store, PEOPLE).await;
    assert_eq!(games_of(&counted), played);
    rebuild(store).await.unwrap();
    assert_eq!(shown(store, PEOPLE).await, counted);
}

async fn a_store_that_was_set_back_is_counted_anew(backend: Backend) {
    let (store, _database) = store(backend).await;
    let store = Arc::new(store);
    play_many(&store, 10, 4, 3).await;
    count_up_to(Projector::new(Arc::clone(&store)), &store, 10).await;
    let before = shown(&store, 4).await;
    let (first, _) = store.standings().await.unwrap();
    store.renew_epoch().await.unwrap();
    let stop = CancellationToken::new();
    let counting = tokio::spawn(Projector::new(Arc::clone(&store)).run(stop.clone()));
    let is_another = async || store.standings().await.unwrap().0.number != first.number;
    until("the games are counted anew", is_another).await;
    assert_eq!(shown(&store, 4).await, before);
    play_many(&store, 5, 4, 4).await;
    stop.cancel();
    counting.await.unwrap();
    count_up_to(Projector::new(Arc::clone(&store)), &store, 15).await;
}

/// Nobody writes such a log today: it stands for whatever may be found out about a game after its end.
async fn a_game_that_ends_otherwise_is_counted_anew(backend: Backend) {
    let (store, _database) = store(backend).await;
    let store = Arc::new(store);
    let people = [player(0), player(1)];
    let first = play(&store, Preset::Remik51, &people, 5).await;
    let second = play(&store, Preset::Remik51, &people, 6).await;
    count_up_to(Projector::new(Arc::clone(&store)), &store, 2).await;
    assert_eq!(store.ratings(player(0)).await.unwrap()[0].games, 2);

    let number = store.latest(first).await.unwrap().unwrap() + 1;
    let bot = Event::BotSeated {
        seat: Seat::new(1).unwrap(),
        strength: remik_rules::strength::Strength::Easy,
        absent: None,
    };
    let end = Event::GameEnded { cause: remik_rules::event::GameOver::Abandoned, places: vec![1, 2] };
    let mv = Move {
        game: first,
        number,
        seat: None,
        request_id: None,
        fingerprint: None,
        made_at: Millis(7),
        format: log::FORMAT,
        events: log::encode_move(&[bot, end]),
    };
    store.append(Append { mv, summary: None, request: None, alarm: None }).await.unwrap();
    let stop = CancellationToken::new();
    let counting = tokio::spawn(Projector::new(Arc::clone(&store)).run(stop.clone()));
    let is_otherwise = async || store.counted_as(first).await.unwrap() != Some(1);
    until("the game is counted otherwise", is_otherwise).await;
    stop.cancel();
    counting.await.unwrap();
    assert_eq!(store.rating_changes_of(first).await.unwrap(), []);
    let changes = store.rating_changes_of(second).await.unwrap();
    assert_eq!(changes.iter().map(|change| change.number).collect::<Vec<_>>(), [1, 1]);
    assert!(!store.standings().await.unwrap().0.stale);
}

fn batch(generation: &remik::store::Generation, to: remik::store::Cursor) -> StandingsBatch {
    StandingsBatch {
        generation: generation.number,
        from: generation.cursor,
        to,
        stale: false,
        games: vec![],
        ratings: vec![],
        changes: vec![],
        statistics: vec![],
    }
}

async fn a_batch_counts_only_where_it_belongs(backend: Backend) {
    let (store, _database) = store(backend).await;
    play(&store, Preset::Remik51, &[player(0), player(1)], 1).await;
    let (generation, _) = store.standings().await.unwrap();
    let (_, further) = store.feed(&generation.cursor, 3).await.unwrap();
    let mut wanted = batch(&generation, further);
    wanted.games = vec![(GameId::generate(), 1)];
    let both = futures::future::join(store.commit_standings(&wanted), store.commit_standings(&wanted)).await;
    let committed = [both.0.unwrap(), both.1.unwrap()];
    assert_eq!(committed.iter().filter(|committed| **committed).count(), 1, "one of two wins");
    assert_eq!(store.count_games().await.unwrap(), 1);
    assert!(!store.commit_standings(&wanted).await.unwrap(), "it is too late");

    // What isn't shown any more counts nothing.
    let (shown, _) = store.standings().await.unwrap();
    assert_eq!(shown.cursor, further);
    let next = store.begin_standings().await.unwrap();
    assert_eq!(store.standings().await.unwrap().1.map(|made| made.number), Some(next.number));
    assert!(store.show_standings(next.number).await.unwrap());
    assert!(!store.show_standings(next.number).await.unwrap(), "it is shown already");
    assert!(!store.commit_standings(&batch(&shown, further)).await.unwrap());
    assert!(store.commit_standings(&batch(&next, further)).await.unwrap());
    assert_eq!(store.sweep_standings().await.unwrap(), 2, "a game and its generation");
}

/// Players with ratings of these points, in this order.
async fn with_points(store: &Store, points: &[i32]) {
    let (generation, _) = store.standings().await.unwrap();
    let (_, to) = store.feed(&generation.cursor, 1).await.unwrap();
    let mut wanted = batch(&generation, to);
    wanted.ratings = points
        .iter()
        .enumerate()
        .map(|(number, of_player)| RatingRow {
            player_id: player(number),
            family: "remik-51".to_owned(),
            mean: 25.0,
            deviation: 2.0,
            games: number as i32 + 1,
            rated_at: Millis(0),
            points: *of_player,
            // The last one.
            provisional: number + 1 == points.len(),
        })
        .collect();
    assert!(store.commit_standings(&wanted).await.unwrap());
}

async fn leaderboards_are_paged_and_show_who_is_around(backend: Backend) {
    let (store, _database) = store(backend).await;
    let points = [1900, 1500, 1800, 1500, 1500, 1400, -20, 1300, 1500, 2500];
    play(&store, Preset::Remik51, &[player(90), player(91)], 1).await;
    with_points(&store, &points).await;
    // Somebody who is banned for good, and one for a while, which takes him off no board.
    store.ban_player(&act(5, player(7).as_u128(), 1)).await.unwrap();
    let while_off = Act { until: Some(Millis(i64::MAX)), ..act(5, player(5).as_u128(), 1) };
    store.ban_player(&while_off).await.unwrap();
    let board = Board { by: Figure::Rating, preset: "remik-51", period: "" };
    let page = async |size, behind, around: Option<usize>| {
        let ask = LeaderboardAsk { board, size, behind, around: around.map(player) };
        leaderboard(&store, ask).await
    };
    let expected = [(1, 0), (2, 2), (3, 1), (3, 3), (3, 4), (3, 8), (7, 5), (8, 6)];
    let expected = expected.map(|(rank, number)| (rank, player(number), points[number]));
    for size in [1, 2, 3, 4, 100] {
        let (mut all, mut behind) = (vec![], None);
        loop {
            let read = page(size, behind, None).await.unwrap();
            assert!(read.leaders.len() <= size as usize);
            all.extend(read.leaders.iter().map(|leader| (leader.rank, leader.player, leader.value)));
            let Some(next) = read.next else { break };
            behind = Some(next.to_string().parse::<BoardPlace>().unwrap());
        }
        assert_eq!(all, expected, "by {size}");
    }
    let numbers = |leaders: &[remik::standings::Leader]| -> Vec<usize> {
        leaders.iter().map(|leader| leader.player.as_u128() as usize - 1).collect()
    };
    for (around, size, seen) in [
        (4, 3, &[3, 4, 8][..]),
        (4, 4, &[3, 4, 8, 5]),
        (0, 5, &[0, 2, 1, 3, 4]),
        (6, 5, &[8, 5, 6]),
        (2, 1, &[2]),
    ] {
        let read = page(size, None, Some(around)).await.unwrap();
        assert_eq!(numbers(&read.leaders), seen, "around {around}");
        for leader in &read.leaders {
            assert!(expected.contains(&(leader.rank, leader.player, leader.value)), "{leader:?}");
        }
    }
    // A page goes on where the one before has ended, whoever has come in front of it since.
    let first = page(3, None, None).await.unwrap();
    let (generation, _) = store.standings().await.unwrap();
    let mut climbed = batch(&generation, generation.cursor);
    climbed.ratings = store.ratings(player(6)).await.unwrap();
    climbed.ratings[0].points = 2000;
    assert!(store.commit_standings(&climbed).await.unwrap());
    let second = page(3, first.next, None).await.unwrap();
    assert_eq!(numbers(&second.leaders), [3, 4, 8]);
    assert_eq!(second.leaders[0].rank, 4);

    for nowhere in [7, 9, 90, 200] {
        assert!(matches!(page(3, None, Some(nowhere)).await, Err(NotListed::Nowhere)), "{nowhere}");
    }
    // He is back when the ban is lifted, until he is erased.
    store.lift_ban(&act(6, player(7).as_u128(), 2)).await.unwrap();
    assert_eq!(numbers(&page(1, None, Some(7)).await.unwrap().leaders), [7]);
    store.erase(player(7), Millis(3)).await.unwrap();
    assert!(matches!(page(3, None, Some(7)).await, Err(NotListed::Nowhere)));

    let own = store.ratings_of_player(player(5), "", 9).await.unwrap();
    assert_eq!(own, store.ratings(player(5)).await.unwrap());
    assert_eq!(own.len(), 1);

    // Those of statistics, by each figure.
    let store = Arc::new(store);
    count_up_to(Projector::new(Arc::clone(&store)), &store, 1).await;
    for by in [Figure::Wins, Figure::LongestStreak] {
        for (preset, period) in [("", ""), ("remik-51", "1970"), ("remik-51", "1970-W01"), ("", "1970-01")] {
            let ask =
                LeaderboardAsk { board: Board { by, preset, period }, size: 9, behind: None, around: None };
            let read = leaderboard(&store, ask).await.unwrap();
            assert_eq!(numbers(&read.leaders), [90], "{by:?} {preset} {period}");
            assert_eq!((read.leaders[0].value, read.leaders[0].games), (1, 1));
        }
        for (preset, period) in [("rummy-200", ""), ("remik-51", "1971"), ("", "1970-W02")] {
            let ask =
                LeaderboardAsk { board: Board { by, preset, period }, size: 9, behind: None, around: None };
            assert!(leaderboard(&store, ask).await.unwrap().leaders.is_empty());
        }
    }
    let changes = store.rating_changes_of_player(player(90), Uuid::nil(), 9).await.unwrap();
    assert_eq!((changes.len(), changes[0].place, changes[0].players), (1, 1, 2));
    let sums = store.statistics_of_player(player(90), "", 99).await.unwrap();
    assert!(sums.iter().all(|sum| (sum.games, sum.wins) == (1, 1)) && sums.len() > 4, "{sums:?}");
    assert_eq!(store.statistics_of_player(player(90), &sums[1].place(), 99).await.unwrap(), sums[2..]);

    for by in [Figure::DealsWon, Figure::Rummies] {
        let board = Board { by, preset: "", period: "" };
        assert!(store.leaderboard(board, BoardPlace::TOP, 9).await.unwrap().is_empty());
    }
}
