//! Players who come by chance, in a time of their own: what a curve and a rate of arrivals lead to.

use std::collections::HashMap;
use std::time::Duration;

use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;

use crate::{Apart, Attributes, Bots, Curve, Group, Offer, SeatCounts, Ticket, TicketId, find};

/// How often the service looks for groups, in milliseconds; the simulation does as well.
pub const TICK: i64 = 250;

/// The rating in the middle.
const MIDDLE: f64 = 1500.0;

/// How long those who are left at the end may still wait, in milliseconds.
const LAST_CALL: i64 = 600_000;

/// Who comes, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// How many tickets come in a minute on average, above 0.
    pub per_minute: f64,
    /// The standard deviation of the players' ratings, in points.
    pub spread: f64,
    /// What they play.
    pub preset: Preset,
    /// How many may sit at a table.
    pub seats: SeatCounts,
    /// How many of a hundred tickets are parties of two.
    pub parties: u8,
    /// When bots may take seats.
    pub bots_after: Option<Duration>,
    /// How many tickets come.
    pub tickets: u32,
    /// What chance follows from.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How long each ticket that found a game has waited, in milliseconds, the shortest first.
    pub waits: Vec<u32>,
    /// How far the ratings of each game's tickets lie apart, in points, the smallest first. A game of one ticket
    /// has no gap and isn't among them.
    pub gaps: Vec<u32>,
    /// Games.
    pub games: u32,
    /// Games with bots among them.
    pub with_bots: u32,
    /// Tickets that found no game within ten minutes after the last one came.
    pub left: u32,
}

/// Lets everybody come, wait and be matched.
pub fn run(scenario: &Scenario, curve: &Curve) -> Outcome {
    let mut coming = Arrivals { dice: Dice(scenario.seed), at: 0.0, number: 0, scenario }.peekable();
    let mut outcome = Outcome { waits: Vec::new(), gaps: Vec::new(), games: 0, with_bots: 0, left: 0 };
    let mut waiting: Vec<Ticket> = Vec::new();
    let mut now = Millis(0);
    let mut end = i64::MAX;
    let apart = Apart::default();
    while now.0 < end {
        // Nobody waits: on to the tick after the next arrival.
        if let (true, Some(next)) = (waiting.is_empty(), coming.peek()) {
            now = Millis(now.0.max(next.since.0.div_euclid(TICK) * TICK));
        }
        now.0 += TICK;
        while let Some(ticket) = coming.next_if(|ticket| ticket.since <= now) {
            waiting.push(ticket);
        }
        if coming.peek().is_none() {
            if waiting.is_empty() {
                break;
            }
            end = end.min(now.0.saturating_add(LAST_CALL));
        }
        let groups = find(&waiting, &apart, curve, now);
        if !groups.is_empty() {
            outcome.note(&groups, &mut waiting, now);
        }
    }
    outcome.left = waiting.len() as u32;
    outcome.waits.sort_unstable();
    outcome.gaps.sort_unstable();
    outcome
}

impl Outcome {
    fn note(&mut self, groups: &[Group], waiting: &mut Vec<Ticket>, now: Millis) {
        let places: HashMap<TicketId, usize> =
            waiting.iter().enumerate().map(|(place, ticket)| (ticket.id, place)).collect();
        let mut gone = vec![false; waiting.len()];
        for group in groups {
            for place in group.tickets.iter().filter_map(|id| places.get(id)) {
                gone[*place] = true;
                self.waits.push(u32::try_from(waiting[*place].waited(now)).unwrap_or(u32::MAX));
            }
            if group.tickets.len() > 1 {
                self.gaps.push(group.gap);
            }
            self.games += 1;
            self.with_bots += u32::from(group.bots.is_some());
        }
        let mut gone = gone.into_iter();
        waiting.retain(|_| !gone.next().unwrap_or(false));
    }
}

/// The value below which so many of a hundred lie; `None` of nothing. The values are sorted.
pub fn percentile(sorted: &[u32], percent: u32) -> Option<u32> {
    let place = (sorted.len() * percent as usize).div_ceil(100).max(1) - 1;
    sorted.get(place).copied()
}

/// Tickets in the order in which they come: at times that know nothing of each other.
struct Arrivals<'a> {
    dice: Dice,
    /// When the last one came, in milliseconds.
    at: f64,
    number: u32,
    scenario: &'a Scenario,
}

impl Iterator for Arrivals<'_> {
    type Item = Ticket;

    fn next(&mut self) -> Option<Ticket> {
        let Scenario { per_minute, spread, preset, seats, parties, bots_after, tickets, .. } = *self.scenario;
        if self.number == tickets {
            return None;
        }
        self.number += 1;
        // The gap between two is exponential.
        self.at += -self.dice.roll().ln() * 60_000.0 / per_minute;
        let size = 1 + u128::from(self.dice.roll() * 100.0 <= f64::from(parties));
        let ratings = (0..size).map(|_| MIDDLE + spread * self.dice.normal());
        let rating = (ratings.sum::<f64>() / size as f64).round() as i32;
        let id = u128::from(self.number);
        Some(Ticket {
            id: TicketId(id),
            since: Millis(self.at as i64),
            players: (0..size).map(|member| PlayerId(id * 2 + member)).collect(),
            offers: vec![Offer { preset, rating }],
            seats,
            attributes: Attributes::new(),
            conditions: Vec::new(),
            bots: bots_after.map(|after| Bots { after, strength: Strength::Normal }),
        })
    }
}

/// SplitMix64: the same numbers for the same seed everywhere and for ever.
struct Dice(u64);

impl Dice {
    /// A number above 0 and up to 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // 53 bits are what a float holds.
        (((z ^ (z >> 31)) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number of the standard normal distribution, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (one, other) = (self.roll(), self.roll());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> Scenario {
        Scenario {
            per_minute: 20.0,
            spread: 250.0,
            preset: Preset::Remik51,
            seats: [2, 3, 4].into_iter().collect(),
            parties: 10,
            bots_after: None,
            tickets: 600,
            seed: 7,
        }
    }

    #[test]
    fn the_seed_decides_everything() {
        let run = |seed| run(&Scenario { seed, ..scenario() }, &Curve::default());
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }

    #[test]
    fn nobody_is_lost_and_who_comes_often_waits_less() {
        let mut waits = Vec::new();
        for per_minute in [1.0, 10.0, 100.0] {
            let outcome = run(&Scenario { per_minute, ..scenario() }, &Curve::default());
            assert_eq!(outcome.waits.len() as u32 + outcome.left, 600);
            assert!(outcome.left < 4, "{}", outcome.left);
            assert!(outcome.gaps.last().is_some_and(|gap| *gap <= 10_000));
            waits.push(percentile(&outcome.waits, 50).unwrap());
        }
        assert!(waits.is_sorted_by(|slow, fast| slow > fast), "{waits:?}");
    }

    #[test]
    fn bots_end_every_wait() {
        let bots_after = Some(Duration::from_secs(20));
        let outcome = run(&Scenario { per_minute: 1.0, bots_after, ..scenario() }, &Curve::default());
        assert_eq!(outcome.left, 0);
        assert!(outcome.with_bots > 100 && outcome.waits.last().is_some_and(|wait| *wait <= 20_250));
    }

    #[test]
    fn percentiles_are_values_that_are_there() {
        let values: Vec<u32> = (1..=100).collect();
        assert_eq!([1, 50, 99, 100].map(|percent| percentile(&values, percent)), [1, 50, 99, 100].map(Some));
        assert_eq!((percentile(&[7], 0), percentile(&[], 50)), (Some(7), None));
    }
}
