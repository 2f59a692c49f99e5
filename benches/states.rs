//! How long it takes inside the service to rebuild a state of a long game from its log: decoding the moves and
//! applying their events, as a table is loaded and as an earlier state is shown.
//!
//! `cargo bench -p remik --bench states`
#![allow(clippy::unwrap_used, missing_docs)]

use divan::{Bencher, black_box};
use remik::codec::log;
use remik::fairness::Fairness;
use remik::store::GameId;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::{create, decide};
use remik_rules::event::Viewer;
use remik_rules::evolve::evolve;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{GameEnd, Ruleset};
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;

/// How many events the game has, at least: those of a long evening.
const EVENTS: usize = 2000;

fn main() {
    divan::main();
}

/// The moves of a game of four, as they are stored, up to `EVENTS` events.
fn stored() -> Vec<bytes::Bytes> {
    let rules = Ruleset { end: GameEnd::Deals(1000), turn_seconds: Some(60), ..Preset::Remik51.ruleset() };
    let mut chance = Fairness::of(GameId::generate());
    let first = create(rules, 4, &mut chance).unwrap();
    let mut table = Table::replay(&first).unwrap();
    let mut moves = vec![log::encode_move(&first)];
    let mut events = first.len();
    let mut act = |table: &mut Table, actor, command: Command| {
        let made = decide(table, actor, &command, Millis(1_000_000), &mut chance).unwrap();
        made.iter().for_each(|event| evolve(table, event));
        moves.push(log::encode_move(&made));
        events += made.len();
        events
    };
    for player in 1..=4 {
        act(&mut table, Actor::Player(PlayerId(player)), Command::Join { seat: None });
    }
    loop {
        let Some(seat) = table.turn() else {
            for seat in Seat::first(4) {
                act(&mut table, Actor::Seat(seat), Command::Ready { client_seed: ClientSeed::default() });
            }
            continue;
        };
        act(&mut table, Actor::Seat(seat), Command::Draw(Source::Stock));
        // The stock may have been used up.
        if table.turn() != Some(seat) {
            continue;
        }
        let card = table.hand(seat).iter().next().unwrap();
        if act(&mut table, Actor::Seat(seat), Command::Discard(card)) >= EVENTS {
            return moves;
        }
    }
}

/// The table after some moves, and what a seat sees of it.
fn state(moves: &[bytes::Bytes]) -> Table {
    let mut moves = moves.iter().map(|mv| log::decode_move(log::FORMAT, mv).unwrap());
    let mut table = Table::replay(&moves.next().unwrap()).unwrap();
    moves.for_each(|events| events.iter().for_each(|event| evolve(&mut table, event)));
    table
}

#[divan::bench(args = [25, 50, 75, 100])]
fn state_at_percent_of_2000_events(bencher: Bencher<'_, '_>, percent: usize) {
    let moves = stored();
    let end = (moves.len() * percent / 100).max(1);
    bencher.bench_local(|| {
        let table = state(black_box(&moves[..end]));
        table.view(Viewer::Seat(Seat::first(1).next().unwrap()))
    });
}
