//! Bots at tables in this process, without sockets: all presets and strengths, and many that think at once.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use rand::{SeedableRng, rngs::StdRng, seq::IndexedRandom};
use remik::{
    bots::{Bots, Manner},
    store::{Store, StoreOptions},
    tables::{Clock, LiveTable, NewBot, NewGame, Next, RequestKey, Tables},
};
use remik_rules::{
    command::{Command, Source},
    legal::{LegalMove, legal_moves},
    preset::Preset,
    ruleset::{GameEnd, Ruleset},
    seat::PlayerId,
    strength::Strength,
};
use tokio::time::Instant;

use crate::{
    client::fresh_id,
    party::any_seed,
    support::database::{Backend, fresh},
};

/// Who plays in this process.
const PERSON: PlayerId = PlayerId(1);

/// A table for one deal against bots, without a service.
async fn practice_table(tables: &Tables, preset: Preset, seats: u8, strength: Strength) -> Arc<LiveTable> {
    let rules = Ruleset { end: GameEnd::Deals(1), ..preset.ruleset() };
    let new = NewGame {
        public: false,
        bots: vec![NewBot { strength, seat: None }; usize::from(seats) - 1],
        start: true,
        ..NewGame::public(PERSON, preset, rules, seats, fresh_id())
    };
    tables.create(new).await.unwrap().0
}

/// Games of every preset against bots of every strength, without sockets and with little time to think.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_of_every_strength_end_games_of_every_preset() {
    let database = fresh(Backend::Sqlite).await;
    let store = Arc::new(Store::open(&database.url, StoreOptions::default()).await.unwrap());
    let tables = Tables::new(store, Clock::default(), 10);
    let bots = Bots::start(Manner { delay: 0, budget: Duration::from_millis(1) }, 1).unwrap();
    let mut rng = StdRng::seed_from_u64(any_seed());
    for (number, (preset, strength)) in
        Preset::ALL.iter().flat_map(|p| Strength::ALL.map(|s| (*p, s))).enumerate()
    {
        let (least, most) = preset.ruleset().seats;
        let seats = least + number as u8 % (most - least + 1);
        let table = practice_table(&tables, preset, seats, strength).await;
        let mut steps = 0;
        loop {
            steps += 1;
            assert!(steps < 20_000, "{preset} {strength}: the game ends");
            let command = match table.next() {
                Next::Bot(_) => {
                    bots.play(Arc::clone(&table)).await.unwrap();
                    continue;
                }
                _ => table.with_table(|table, _| {
                    let seat = table.turn()?;
                    let moves = legal_moves(table, seat);
                    let legal: Vec<_> = moves.iter().filter(|step| *step != LegalMove::Undo).collect();
                    moves.command(legal.choose(&mut rng).copied().unwrap_or(LegalMove::Undo))
                }),
            };
            // Nobody has a turn when the game is over.
            let Some(command) = command else { break };
            let key = RequestKey { id: fresh_id(), known_version: table.version() };
            table.play(PERSON, command, key, false).await.unwrap();
        }
        assert!(table.with_table(|table, _| table.is_over()), "{preset} {strength}");
    }
}

/// Many tables whose bots have to think at the same time, with one thread for all: each has a part of the budget, and
/// who plays elsewhere isn't held up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_bots_at_once_play_worse_not_later() {
    const TABLES: usize = 60;
    let budget = Duration::from_millis(300);
    let database = fresh(Backend::Sqlite).await;
    let store = Arc::new(Store::open(&database.url, StoreOptions::default()).await.unwrap());
    let tables = Tables::new(store, Clock::default(), 2 * TABLES);
    let bots = Bots::start(Manner { delay: 0, budget }, 1).unwrap();
    let (mut due, mut own) = (Vec::new(), Vec::new());
    while due.len() < TABLES || own.is_empty() {
        let table = practice_table(&tables, Preset::Remik51, 2, Strength::Hard).await;
        if matches!(table.next(), Next::Bot(_)) { due.push(table) } else { own.push(table) }
    }
    due.truncate(TABLES);
    let began = Instant::now();
    let bots = async {
        let played = due.iter().map(async |table| bots.play(Arc::clone(table)).await.unwrap());
        let next = join_all(played).await;
        assert!(next.iter().all(|next| *next == Next::Players), "each has moved: {next:?}");
        began.elapsed()
    };
    let person = async {
        let draw = Command::Draw(Source::Stock);
        let key = RequestKey { id: fresh_id(), known_version: 1 };
        own[0].play(PERSON, draw, key, false).await.unwrap();
        began.elapsed()
    };
    let (bots, person) = tokio::join!(bots, person);
    // One after the other, with the whole budget each, a draw and a discard for every table.
    let alone = budget * 2 * TABLES as u32;
    assert!(bots < alone / 4, "{bots:?}");
    assert!(person < bots, "{person:?} {bots:?}");
}
