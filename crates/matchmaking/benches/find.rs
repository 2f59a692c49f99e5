//! How long it takes to match ten thousand tickets that wait.

#![allow(missing_docs)]

use std::time::Duration;

use divan::Bencher;
use remik_matchmaking::{
    Apart, Attributes, Bots, Condition, Curve, Offer, SeatCounts, Test, Ticket, TicketId, Value, find,
};
use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;

const TICKETS: u128 = 10_000;

fn main() {
    divan::main();
}

/// A number that looks like chance.
fn chance(number: u128) -> u64 {
    let z = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (z ^ (z >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 16
}

/// Ratings all around 1500, everybody here for up to ten seconds.
fn crowd(make: impl Fn(u128, Ticket) -> Ticket) -> Vec<Ticket> {
    let one = |id: u128| {
        let luck = |turn: u128| chance(id * 16 + turn);
        let rating: u64 = (0..4).map(|turn| luck(turn) % 400).sum::<u64>() + 700;
        let ticket = Ticket {
            id: TicketId(id),
            since: Millis((luck(5) % 10_000) as i64),
            players: vec![PlayerId(id)],
            offers: vec![Offer { preset: Preset::Remik51, rating: rating as i32 }],
            seats: [4].into_iter().collect(),
            attributes: Attributes::new(),
            conditions: Vec::new(),
            bots: None,
        };
        make(id, ticket)
    };
    (1..=TICKETS).map(one).collect()
}

fn bench(bencher: Bencher<'_, '_>, tickets: &[Ticket]) {
    let (apart, curve) = (Apart::default(), Curve::default());
    bencher.bench(|| find(tickets, &apart, &curve, Millis(10_000)));
}

/// One preset and four at a table.
#[divan::bench(sample_count = 10)]
fn alike(bencher: Bencher<'_, '_>) {
    bench(bencher, &crowd(|_, ticket| ticket));
}

/// Everything at once: presets, numbers of seats, parties, regions, latencies and bots.
#[divan::bench(sample_count = 10)]
fn mixed(bencher: Bencher<'_, '_>) {
    let tickets = crowd(|id, ticket| {
        let luck = |turn: u128| chance(id * 16 + turn);
        let rating = ticket.offers[0].rating;
        let presets = Preset::ALL.into_iter().filter(|preset| luck(6) >> *preset as u8 & 1 == 1);
        let offers: Vec<Offer> = presets.map(|preset| Offer { preset, rating }).collect();
        let region = ["eu", "us", "asia"][(luck(7) % 3) as usize].to_owned();
        let latency = (luck(8) % 150) as i32;
        Ticket {
            offers: if offers.is_empty() { ticket.offers } else { offers },
            players: (0..1 + u128::from(luck(9) % 10 == 0)).map(|member| PlayerId(id * 2 + member)).collect(),
            seats: (2..=4).filter(|count| *count == 3 || luck(10) >> count & 1 == 1).collect::<SeatCounts>(),
            attributes: [
                ("region".to_owned(), Value::Text(region.clone())),
                ("latency".to_owned(), Value::Number(latency)),
            ]
            .into(),
            conditions: vec![
                Condition { name: "region".to_owned(), test: Test::OneOf(vec![region]) },
                Condition { name: "latency".to_owned(), test: Test::Between(0, 120) },
            ],
            bots: (luck(11) % 4 == 0)
                .then_some(Bots { after: Duration::from_secs(5), strength: Strength::Normal }),
            ..ticket
        }
    });
    bench(bencher, &tickets);
}

/// Nobody can play with anybody, which takes longest to find out.
#[divan::bench(sample_count = 10)]
fn in_vain(bencher: Bencher<'_, '_>) {
    let tickets = crowd(|id, ticket| Ticket {
        offers: Preset::ALL.map(|preset| Offer { preset, rating: ticket.offers[0].rating }).to_vec(),
        seats: (2..=6).collect::<SeatCounts>(),
        attributes: [("own".to_owned(), Value::Number(id as i32))].into(),
        conditions: vec![Condition { name: "own".to_owned(), test: Test::Between(0, 0) }],
        ..ticket
    });
    bench(bencher, &tickets);
}

/// Everybody accepts everybody, but three of four have to be of a kind that isn't there: all that can be tried is.
#[divan::bench(sample_count = 10)]
fn almost(bencher: Bencher<'_, '_>) {
    let tickets = crowd(|id, ticket| Ticket {
        players: (0..2).map(|member| PlayerId(id * 2 + member)).collect(),
        seats: [3].into_iter().collect(),
        ..ticket
    });
    bench(bencher, &tickets);
}
