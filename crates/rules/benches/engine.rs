//! How fast the engine is: `cargo bench -p remik-rules --bench engine`.
//!
//! `whole_game` reports moves: one is the legal moves of a seat listed, one of them picked at random, judged
//! and applied.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/engine/dice.rs"]
#[allow(unreachable_pub, reason = "shared with the tests")]
mod dice;
#[path = "../tests/engine/support.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests")]
mod support;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::decide;
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMove, LegalMoves, legal_moves_into};
use remik_rules::meld::Meld;
use remik_rules::preset::Preset;
use remik_rules::table::Table;
use support::{Dice, Game, named};

fn main() {
    divan::main();
}

#[divan::bench(args = [
    "7H 8H 9H",
    "9H X1 7H",
    "KS KH KD",
    "QS KS X1",
    "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",
    "X1 5H X2 7H",
])]
fn validate_a_meld(bencher: Bencher<'_, '_>, cards: &str) {
    let rules = Preset::Remik51.ruleset();
    let list = named(cards);
    bencher.bench(|| Meld::read(black_box(&list), black_box(&rules)));
}

/// A stock card drawn and thrown away: two moves judged and applied, on a table that is copied for each.
#[divan::bench(args = [Preset::Rummy200, Preset::Remik51])]
fn decide_and_evolve(bencher: Bencher<'_, '_>, preset: Preset) {
    let game = Game::started(preset.ruleset(), 2, 1);
    let seat = game.table.turn().unwrap();
    let card = *game.table.stock().last().unwrap();
    bencher
        .counter(ItemsCount::new(2usize))
        .with_inputs(|| (game.table.clone(), game.dice.clone()))
        .bench_values(|(mut table, mut dice)| {
            step(&mut table, Actor::Seat(seat), &Command::Draw(Source::Stock), &mut dice);
            step(&mut table, Actor::Seat(seat), &Command::Discard(card), &mut dice);
            table
        });
}

/// Moves per second through the public interface, without undos.
#[divan::bench(args = [(Preset::Rummy200, 2), (Preset::Remik51, 4), (Preset::RemikPoints, 4), (Preset::Remi30, 4), (Preset::BasicRummy, 4), (Preset::BlockRummy, 4), (Preset::WrothamRummy, 4), (Preset::Romme40, 4)], sample_count = 20)]
fn whole_game(bencher: Bencher<'_, '_>, (preset, seats): (Preset, u8)) {
    let mut number = 0;
    let mut moves = LegalMoves::default();
    let mut steps = 0;
    // The same games are counted first, since a counter must be known before it is timed.
    for seed in 0..20 {
        steps += play(preset, seats, seed, &mut moves);
    }
    bencher.counter(ItemsCount::new(steps / 20)).bench_local(|| {
        number = (number + 1) % 20;
        play(preset, seats, number, &mut moves)
    });
}

/// Plays at most ten deals and counts the moves.
fn play(preset: Preset, seats: u8, seed: u64, moves: &mut LegalMoves) -> usize {
    let mut dice = Dice(seed);
    let mut table = Game::started(preset.ruleset(), seats, seed).table;
    let mut steps = 0;
    while table.deals() <= 10 && !table.is_over() {
        let Some(seat) = table.turn() else {
            for seat in remik_rules::seat::Seat::first(seats) {
                let ready = Command::Ready { client_seed: Default::default() };
                step(&mut table, Actor::Seat(seat), &ready, &mut dice);
            }
            continue;
        };
        legal_moves_into(&table, seat, moves);
        let count = moves.len() - usize::from(moves.may_undo());
        let chosen = moves.get(dice.under(count)).filter(|chosen| *chosen != LegalMove::Undo);
        let Some(command) = chosen.and_then(|chosen| moves.command(chosen)) else { break };
        step(&mut table, Actor::Seat(seat), &command, &mut dice);
        steps += 1;
    }
    steps
}

fn step(table: &mut Table, actor: Actor, command: &Command, dice: &mut Dice) {
    if let Ok(events) = decide(table, actor, command, Millis(0), dice) {
        for event in &events {
            evolve(table, event);
        }
    }
}

/// Events per second, applied alone.
#[divan::bench(args = [Preset::RemikPoints])]
fn replay(bencher: Bencher<'_, '_>, preset: Preset) {
    let log = long_log(preset);
    bencher.counter(ItemsCount::new(log.len())).bench(|| Table::replay(black_box(&log)));
}

/// The first 2,000 events of a random game.
fn long_log(preset: Preset) -> Vec<Event> {
    // Some games end earlier.
    for seed in 0..1000 {
        let mut game = Game::started(preset.ruleset(), 2, seed);
        let mut moves = LegalMoves::default();
        while !game.table.is_over() && game.log.len() < 2_000 {
            match game.table.turn() {
                None => game.all_ready(),
                Some(seat) => {
                    legal_moves_into(&game.table, seat, &mut moves);
                    let chosen = moves.get(game.dice.under(moves.len())).unwrap();
                    game.act(Actor::Seat(seat), &moves.command(chosen).unwrap()).unwrap();
                }
            }
        }
        if game.log.len() >= 2_000 {
            return game.log;
        }
    }
    panic!("no game of {preset} has 2,000 events")
}
