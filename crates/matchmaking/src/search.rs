//! The best group of one ticket.

use std::cmp::Reverse;

use remik_rules::preset::Preset;

use crate::SeatCounts;
use crate::pool::{Index, Pool};

/// How many of the nearest tickets are tried as company for one.
const COMPANY: usize = 64;

/// How much is tried for one ticket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Neighbours that are looked at, in each preset.
    looks: usize,
    /// Combinations that are tried, for all presets and numbers of seats together.
    tries: usize,
}

impl Effort {
    /// So much that all of so many tickets take a fraction of a second; of a dozen tickets everything is tried.
    pub(crate) fn for_each_of(tickets: usize) -> Self {
        let share = |whole: usize, least: usize| (whole / tickets.max(1)).clamp(least, 1_000_000);
        Self { looks: share(2_000_000, 100), tries: share(4_000_000, 200) }
    }
}

/// A group that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) preset: Preset,
    pub(crate) seats: u8,
    pub(crate) tickets: Vec<Index>,
    pub(crate) gap: u32,
    players: u8,
}

/// A ticket beside the first one.
#[derive(Debug, Clone, Copy)]
struct Mate {
    index: Index,
    rating: i32,
    players: u8,
    window: u32,
    seats: SeatCounts,
}

/// The best group that a ticket is in now; with bots those may take the seats for which there is nobody.
pub(crate) fn search(pool: &mut Pool<'_>, first: Index, with_bots: bool, effort: Effort) -> Option<Found> {
    let places = pool.places[first].clone();
    let options: usize = places.iter().map(|(line, _)| sizes(pool, first, *line).iter().count()).sum();
    let tries = effort.tries / options.max(1);
    let mut best: Option<Found> = None;
    for (line, place) in places {
        let company = company(pool, first, (line, place), with_bots, effort.looks);
        let (preset, rating) = (pool.lines[line].preset, pool.lines[line].order[place].0);
        let entry = &pool.entries[first];
        let alone = Span { low: rating, high: rating, window: entry.window, players: entry.players };
        for seats in sizes(pool, first, line).iter().rev() {
            let mut attempt = Attempt {
                pool,
                company: &company,
                seats,
                with_bots,
                tries,
                chosen: vec![first],
                best: None,
                preset,
            };
            if alone.players <= seats {
                attempt.grow(0, alone);
            }
            if let Some(found) = attempt.best
                && best.as_ref().is_none_or(|best| worth(&found, with_bots) < worth(best, with_bots))
            {
                best = Some(found);
            }
        }
    }
    best
}

/// What makes one group better than another, the least first. Larger tables please more people at once; with bots,
/// more people do, at the smallest table.
fn worth(found: &Found, with_bots: bool) -> (Reverse<u8>, u8, u32) {
    let seats = if with_bots { found.seats } else { 0 };
    (Reverse(found.players), seats, found.gap)
}

/// The numbers of seats at which a ticket would play the preset of a line.
fn sizes(pool: &Pool<'_>, first: Index, line: usize) -> SeatCounts {
    pool.entries[first].seats.and(pool.lines[line].seats)
}

/// The tickets that could sit with one, the nearest rating first.
fn company(
    pool: &mut Pool<'_>,
    first: Index,
    (line, place): (usize, usize),
    with_bots: bool,
    looks: usize,
) -> Vec<Mate> {
    let own = pool.lines[line].order[place].0;
    let window = pool.entries[first].window;
    let sizes = sizes(pool, first, line);
    let near = |(rating, _): &(i32, Index)| rating.abs_diff(own) <= window;
    let order = &pool.lines[line].order;
    let near: Vec<(i32, Index)> =
        pool.lines[line].nearest(place).map(|at| order[at]).take_while(near).take(looks).collect();
    let mut company = Vec::new();
    for (rating, index) in near {
        let entry = &pool.entries[index];
        let mate = Mate { index, rating, players: entry.players, window: entry.window, seats: entry.seats };
        let fits = rating.abs_diff(own) <= mate.window
            && !mate.seats.and(sizes).is_empty()
            && (!with_bots || entry.bots.is_some());
        if fits && pool.accept(first, index) {
            company.push(mate);
            if company.len() == COMPANY {
                break;
            }
        }
    }
    company
}

/// What a group has so far.
#[derive(Debug, Clone, Copy)]
struct Span {
    low: i32,
    high: i32,
    /// The narrowest of the windows.
    window: u32,
    players: u8,
}

impl Span {
    /// With one more; `None` if that is too far for somebody.
    fn with(self, mate: &Mate) -> Option<Self> {
        let low = self.low.min(mate.rating);
        let high = self.high.max(mate.rating);
        let window = self.window.min(mate.window);
        let players = self.players.saturating_add(mate.players);
        (high.abs_diff(low) <= window).then_some(Self { low, high, window, players })
    }

    fn gap(self) -> u32 {
        self.high.abs_diff(self.low)
    }
}

/// The combinations for one preset and one number of seats.
struct Attempt<'a, 'b> {
    pool: &'a mut Pool<'b>,
    company: &'a [Mate],
    preset: Preset,
    seats: u8,
    with_bots: bool,
    tries: usize,
    chosen: Vec<Index>,
    best: Option<Found>,
}

impl Attempt<'_, '_> {
    /// Tries all that the company from a place on adds to what is chosen, as long as it may.
    fn grow(&mut self, from: usize, span: Span) {
        if self.with_bots || span.players == self.seats {
            self.note(span);
        }
        if span.players == self.seats {
            return;
        }
        let company = self.company;
        for (at, mate) in company.iter().enumerate().skip(from) {
            if self.tries == 0 {
                return;
            }
            self.tries -= 1;
            if mate.players > self.seats - span.players || !mate.seats.has(self.seats) {
                continue;
            }
            let Some(wider) = span.with(mate) else { continue };
            if self.is_beaten(wider) || !self.accepted(mate.index) {
                continue;
            }
            self.chosen.push(mate.index);
            self.grow(at + 1, wider);
            self.chosen.pop();
        }
    }

    /// Whether a full table with a smaller gap is known. A table that isn't full may become better yet.
    fn is_beaten(&self, span: Span) -> bool {
        let full = self.best.as_ref().filter(|best| best.players == self.seats);
        full.is_some_and(|best| best.gap <= span.gap())
    }

    fn accepted(&mut self, mate: Index) -> bool {
        // The first one has been asked already.
        (1..self.chosen.len()).all(|at| self.pool.accept(self.chosen[at], mate))
    }

    fn note(&mut self, span: Span) {
        let found = Found {
            preset: self.preset,
            seats: self.seats,
            tickets: self.chosen.clone(),
            gap: span.gap(),
            players: span.players,
        };
        let better = |best: &Found| worth(&found, self.with_bots) < worth(best, self.with_bots);
        if self.best.as_ref().is_none_or(better) {
            self.best = Some(found);
        }
    }
}
