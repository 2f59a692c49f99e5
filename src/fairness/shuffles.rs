//! A million shuffled decks: as even as chance? The seeds are kept, so the answer is always the same; it is a
//! check of the derivation, not of luck.

use remik_rules::card::Card;
use remik_rules::chance::{Chance, Purpose, Seed, Stream};
use remik_rules::pack::Pack;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Fairness;
use crate::store::GameId;

const DECKS: u32 = 1_000_000;

/// How far a statistic may be from its expectation, in standard deviations: one in some 15,000 true shuffles is
/// farther.
const FAR: f64 = 4.0;

/// In a pack sorted by code every fourth card is a heart: clubs, diamonds, hearts, spades.
const HEARTS: usize = 2;

/// What is counted over decks.
#[derive(Clone)]
struct Counts {
    /// How often each card lies at each place.
    places: Vec<[u32; 52]>,
    /// How often a card lies right before another.
    before: Vec<[u32; 52]>,
    /// How often a card lies before one that was behind it.
    rising: u64,
    /// How many cards are where they were before the shuffle.
    fixed: u64,
    /// How often the first of two hands of 13, dealt in turn, has so many hearts.
    hearts: [u32; 14],
}

impl Counts {
    fn none() -> Self {
        let zeros = vec![[0; 52]; 52];
        Self { places: zeros.clone(), before: zeros, rising: 0, fixed: 0, hearts: [0; 14] }
    }

    fn count(&mut self, deck: &[usize]) {
        for (place, card) in deck.iter().enumerate() {
            self.places[*card][place] += 1;
            self.fixed += u64::from(place == *card);
        }
        for pair in deck.windows(2) {
            self.before[pair[0]][pair[1]] += 1;
            self.rising += u64::from(pair[0] < pair[1]);
        }
        let hearts = deck.iter().take(26).step_by(2).filter(|card| *card % 4 == HEARTS).count();
        self.hearts[hearts] += 1;
    }

    fn add(&mut self, other: &Self) {
        let sum = |own: &mut [[u32; 52]], others: &[[u32; 52]]| {
            let cells = own.iter_mut().flatten().zip(others.iter().flatten());
            cells.for_each(|(own, other)| *own += other);
        };
        sum(&mut self.places, &other.places);
        sum(&mut self.before, &other.before);
        self.rising += other.rising;
        self.fixed += other.fixed;
        self.hearts.iter_mut().zip(other.hearts).for_each(|(own, other)| *own += other);
    }
}

fn decks(numbers: std::ops::Range<u32>) -> Counts {
    let sorted = Pack { decks: 1, jokers: 0 }.sorted();
    let mut index = [0; 256];
    for (at, card) in sorted.iter().enumerate() {
        index[usize::from(card.to_byte())] = at;
    }
    let mut counts = Counts::none();
    let mut cards: Vec<Card> = sorted.clone();
    for number in numbers {
        let seed = Seed(Sha256::digest(number.to_be_bytes()).into());
        let stream = Stream { seed: &seed, client_seeds: &[], deal: 1, purpose: Purpose::Deck };
        cards.copy_from_slice(&sorted);
        Fairness::of(GameId(Uuid::nil())).shuffle(stream, &mut cards);
        let deck: Vec<usize> = cards.iter().map(|card| index[usize::from(card.to_byte())]).collect();
        counts.count(&deck);
    }
    counts
}

#[test]
fn a_million_decks_are_as_even_as_chance() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u32).min(16);
    let share = DECKS.div_ceil(threads);
    let counts = std::thread::scope(|scope| {
        let part = |n: u32| scope.spawn(move || decks(n * share..((n + 1) * share).min(DECKS)));
        let parts: Vec<_> = (0..threads).map(part).collect();
        parts.into_iter().fold(Counts::none(), |mut all, part| {
            all.add(&part.join().unwrap());
            all
        })
    });
    let n = f64::from(DECKS);

    // 52 cards at 52 places, each row and column with a fixed sum.
    let even = |cells: &[u32], expected: f64| -> f64 {
        cells.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
    };
    let places: Vec<u32> = counts.places.iter().flatten().copied().collect();
    assert_near("places", even(&places, n / 52.0), 51.0 * 51.0);

    // A card lies right before each of the 51 others as often as at the bottom.
    let before: Vec<u32> = (0..52)
        .flat_map(|a| (0..52).filter(move |b| a != *b).map(move |b| (a, b)))
        .map(|(a, b)| counts.before[a][b])
        .collect();
    assert_near("neighbours", even(&before, n / 52.0), 51.0 * 51.0);

    let deviation = |sum: u64, mean: f64, variance: f64| (sum as f64 - n * mean) / (n * variance).sqrt();
    let rising = deviation(counts.rising, 51.0 / 2.0, 53.0 / 12.0);
    assert!(rising.abs() < FAR, "rising neighbours: {rising}");
    let fixed = deviation(counts.fixed, 1.0, 1.0);
    assert!(fixed.abs() < FAR, "cards that stayed: {fixed}");

    // Hypergeometric: 13 hearts among 52 cards, 13 of them in the hand. Ten and more are put together.
    let choose = |n: u32, k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
    let chance = |hearts: u32| choose(13, hearts) * choose(39, 13 - hearts) / choose(52, 13);
    let mut statistic = 0.0;
    for hearts in 0..9 {
        statistic += even(&[counts.hearts[hearts as usize]], n * chance(hearts));
    }
    let rest: u32 = counts.hearts[9..].iter().sum();
    statistic += even(&[rest], n * (9..=13).map(chance).sum::<f64>());
    assert_near("hearts in a hand", statistic, 9.0);
}

/// A chi-square statistic against its degrees of freedom.
fn assert_near(what: &str, statistic: f64, freedom: f64) {
    let far = (statistic - freedom) / (2.0 * freedom).sqrt();
    assert!(far.abs() < FAR, "{what}: {statistic:.1} with {freedom} degrees of freedom, {far:.2} deviations");
}
