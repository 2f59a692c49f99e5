//! Legal moves alone, and the whole cycle of random play: the moves, one of them judged, its events applied.
#![allow(clippy::unwrap_used, missing_docs)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use remik_rules::card::Card;
use remik_rules::chance::{Chance, ClientSeed, Commitment, Millis, Seed, Stream};
use remik_rules::command::{Actor, Command};
use remik_rules::decide::{create, decide};
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMoves, legal_moves_into};
use remik_rules::preset::Preset;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::suggest::{opening_exists, suggest_for};
use remik_rules::table::Table;

fn main() {
    divan::main();
}

const STEPS: usize = 2000;
const TABLES: [(&str, u8); 4] = [("rummy-200", 2), ("remik-51", 4), ("remi-30", 4), ("wrotham-rummy", 4)];

struct Dice(u64);

impl Dice {
    fn under(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

impl Chance for Dice {
    fn commit(&mut self) -> (Seed, Commitment) {
        (Seed([1; 32]), Commitment([2; 32]))
    }

    fn shuffle(&mut self, _: Stream<'_>, cards: &mut [Card]) {
        for place in (1..cards.len()).rev() {
            cards.swap(place, self.under(place + 1));
        }
    }

    fn below(&mut self, _: Stream<'_>, bound: u32) -> u32 {
        self.under(bound as usize) as u32
    }
}

struct Game {
    table: Table,
    dice: Dice,
    moves: LegalMoves,
}

impl Game {
    fn new(preset: Preset, seats: u8, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let table = Table::replay(&create(preset.ruleset(), seats, &mut dice).unwrap()).unwrap();
        let mut game = Self { table, dice, moves: LegalMoves::default() };
        for player in 0..seats {
            game.act(Actor::Player(PlayerId(player.into())), &Command::Join { seat: None });
        }
        game
    }

    fn act(&mut self, actor: Actor, command: &Command) {
        for event in decide(&self.table, actor, command, Millis(0), &mut self.dice).unwrap() {
            evolve(&mut self.table, &event);
        }
    }

    /// A random single step of the seat whose turn it is, or the next deal.
    fn step(&mut self) {
        let Some(seat) = self.table.turn() else { return self.next_deal() };
        legal_moves_into(&self.table, seat, &mut self.moves);
        let step = self.moves.get(self.dice.under(self.moves.len())).unwrap();
        let command = self.moves.command(step).unwrap();
        self.act(Actor::Seat(seat), &command);
    }

    /// The same, but an opening is laid as soon as there is one.
    fn step_with_opening(&mut self) {
        match self.table.turn().filter(|&seat| opening_exists(&self.table, seat)) {
            Some(seat) => {
                let command = suggest_for(&self.table, seat).command().unwrap();
                self.act(Actor::Seat(seat), &command);
            }
            None => self.step(),
        }
    }

    fn next_deal(&mut self) {
        for seat in Seat::first(self.table.seat_count()) {
            legal_moves_into(&self.table, seat, &mut self.moves);
            if self.moves.may_get_ready() {
                self.act(Actor::Seat(seat), &Command::Ready { client_seed: ClientSeed::default() });
            }
        }
    }
}

fn preset((name, seats): (&str, u8)) -> (Preset, u8) {
    (name.parse().unwrap(), seats)
}

/// The positions of some games in which openings are laid.
fn positions(of: (&str, u8)) -> Vec<(Table, Seat)> {
    let (preset, seats) = preset(of);
    let mut positions = Vec::new();
    for seed in 0.. {
        let mut game = Game::new(preset, seats, seed);
        while !game.table.is_over() && positions.len() < STEPS {
            if let Some(seat) = game.table.turn() {
                positions.push((game.table.clone(), seat));
            }
            game.step_with_opening();
        }
        if positions.len() == STEPS {
            break;
        }
    }
    positions
}

/// Legal moves alone, at positions of games with openings.
#[divan::bench(args = TABLES)]
fn moves(bencher: Bencher<'_, '_>, of: (&str, u8)) {
    let positions = positions(of);
    let mut moves = LegalMoves::default();
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
        for (table, seat) in &positions {
            legal_moves_into(table, *seat, &mut moves);
            black_box(&moves);
        }
    });
}

/// Whether an opening exists, at the same positions.
#[divan::bench(args = TABLES)]
fn opening(bencher: Bencher<'_, '_>, of: (&str, u8)) {
    let positions = positions(of);
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
        for (table, seat) in &positions {
            black_box(opening_exists(table, *seat));
        }
    });
}

/// Moves, judgement and events of random single steps, the dealing included.
#[divan::bench(args = TABLES)]
fn cycle(bencher: Bencher<'_, '_>, of: (&str, u8)) {
    let (preset, seats) = preset(of);
    let mut seed = 0;
    let mut game = Game::new(preset, seats, seed);
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
        for _ in 0..STEPS {
            if game.table.is_over() {
                seed += 1;
                game = Game::new(preset, seats, seed);
            }
            game.step();
        }
    });
}
