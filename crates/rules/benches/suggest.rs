//! The best melds of a hand: random hands by number of jokers, and the slowest hands that a search for them
//! has found.
#![allow(clippy::unwrap_used, missing_docs)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::preset::Preset;
use remik_rules::suggest::{Purpose, suggest};

fn main() {
    divan::main();
}

const HANDS: usize = 1000;

/// Random hands of fourteen cards with so many jokers.
fn hands(preset: Preset, jokers: u8) -> Vec<Cards> {
    let naturals: Vec<Card> = preset.ruleset().pack.cards().naturals().iter().collect();
    let mut state = 1u64;
    let mut under = |bound: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((state >> 33) % bound as u64) as usize
    };
    let mut hand = || {
        let mut hand: Cards = (1..=jokers).filter_map(Card::joker).collect();
        while hand.len() < 14 {
            hand.insert(naturals[under(naturals.len())]);
        }
        hand
    };
    (0..HANDS).map(|_| hand()).collect()
}

/// A thousand hands.
#[divan::bench(args = [0, 1, 2, 4], sample_count = 50)]
fn remik_51(bencher: Bencher<'_, '_>, jokers: u8) {
    run(bencher, Preset::Remik51, jokers, Purpose::Any);
}

/// A thousand hands.
#[divan::bench(args = [0, 1, 2, 4], sample_count = 50)]
fn remik_51_opening(bencher: Bencher<'_, '_>, jokers: u8) {
    run(bencher, Preset::Remik51, jokers, Purpose::Opening);
}

/// A thousand hands.
#[divan::bench(args = [0, 2, 4, 6], sample_count = 50)]
fn remi_30(bencher: Bencher<'_, '_>, jokers: u8) {
    run(bencher, Preset::Remi30, jokers, Purpose::Any);
}

fn run(bencher: Bencher<'_, '_>, preset: Preset, jokers: u8, purpose: Purpose) {
    let (rules, hands) = (preset.ruleset(), hands(preset, jokers));
    bencher.counter(ItemsCount::new(HANDS)).bench_local(|| {
        for &hand in &hands {
            black_box(suggest(black_box(hand), &rules, purpose));
        }
    });
}

/// One hand each, found by hill climbing: much of a suit, so that every run can have jokers anywhere.
#[divan::bench(args = [
    ("remik-51", "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC X1"),
    ("remik-51", "5C 8C 9C TC QC KC X1 X2 AC2 3C2 4C2 6C2 7C2 JC2"),
    ("remik-51", "X1 X2 X3 X4 TH JH QH AH2 5H2 6H2 7H2 8H2 9H2 KH2"),
    ("remi-30", "AC 7C 8C 9C X1 X2 X3 8D 5C2 6C2 TC2 JC2 QC2 KC2"),
    ("remi-30", "6C 7C 8C 9C TC JC X1 X2 X3 X4 AC2 QC2 KC2 7D2"),
    ("remi-30", "4C 5C 6C 9C JC X1 X2 X3 9D X4 X5 X6 7C2 8C2"),
])]
fn slowest(bencher: Bencher<'_, '_>, (preset, codes): (&str, &str)) {
    let rules = preset.parse::<Preset>().unwrap().ruleset();
    let hand: Cards = codes.split(' ').map(|code| code.parse().unwrap()).collect();
    bencher.bench_local(|| suggest(black_box(hand), &rules, Purpose::Any));
}
