//! The tickets of one search, as it goes through them quickly.

use std::collections::HashMap;

use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;

use crate::{Apart, Attributes, Condition, Curve, SeatCounts, Ticket};

/// Tickets with at most so many different attributes and conditions have the verdicts about them remembered.
const MOST_VERDICTS: usize = 1024;

/// A ticket's place in the list that was given.
pub(crate) type Index = usize;

/// What of a ticket is looked at again and again.
pub(crate) struct Entry {
    pub(crate) players: u8,
    pub(crate) window: u32,
    /// How well bots play that may take seats now.
    pub(crate) bots: Option<Strength>,
    pub(crate) seats: SeatCounts,
    profile: usize,
    /// The tickets with whom it is kept apart.
    apart: Vec<Index>,
}

/// The tickets that wait for one preset, by rating.
pub(crate) struct Line {
    pub(crate) preset: Preset,
    pub(crate) seats: SeatCounts,
    /// Rating and ticket.
    pub(crate) order: Vec<(i32, Index)>,
    /// The neighbours that are still there; [`usize::MAX`] at the ends.
    before: Vec<usize>,
    after: Vec<usize>,
}

/// All tickets.
pub(crate) struct Pool<'a> {
    pub(crate) tickets: &'a [Ticket],
    pub(crate) entries: Vec<Entry>,
    pub(crate) lines: Vec<Line>,
    /// A ticket's lines, in its own order of presets, and its place in each.
    pub(crate) places: Vec<Vec<(usize, usize)>>,
    profiles: Vec<(&'a Attributes, &'a [Condition])>,
    /// By two profiles: 0 for not asked yet, else whether they accept each other, plus 1.
    verdicts: Vec<u8>,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(tickets: &'a [Ticket], apart: &Apart, curve: &Curve, now: Millis) -> Self {
        let mut of_player: HashMap<PlayerId, Vec<Index>> = HashMap::new();
        let blocked = |player: &PlayerId| apart.of(*player);
        for (index, ticket) in tickets.iter().enumerate() {
            for player in ticket.players.iter().filter(|player| blocked(player).is_some()) {
                of_player.entry(*player).or_default().push(index);
            }
        }
        let mut known: HashMap<(&Attributes, &[Condition]), usize> = HashMap::new();
        let mut profiles = Vec::new();
        let mut entries = Vec::with_capacity(tickets.len());
        for ticket in tickets {
            let profile = *known.entry((&ticket.attributes, &ticket.conditions)).or_insert_with(|| {
                profiles.push((&ticket.attributes, &ticket.conditions[..]));
                profiles.len() - 1
            });
            let others = ticket.players.iter().filter_map(blocked).flatten();
            entries.push(Entry {
                players: ticket.players.len().try_into().unwrap_or(u8::MAX),
                window: curve.at(ticket.waited(now)),
                bots: ticket.bots_now(now),
                seats: ticket.seats,
                profile,
                apart: others.filter_map(|other| of_player.get(other)).flatten().copied().collect(),
            });
        }
        let mut lines: Vec<Line> = Vec::new();
        for preset in Preset::ALL {
            let offered = |(index, ticket): (Index, &Ticket)| {
                let offer = ticket.offers.iter().find(|offer| offer.preset == preset)?;
                Some((offer.rating, index))
            };
            let order: Vec<_> = tickets.iter().enumerate().filter_map(offered).collect();
            if !order.is_empty() {
                lines.push(Line::new(preset, order, tickets));
            }
        }
        let mut places: Vec<Vec<(usize, usize)>> = vec![Vec::new(); tickets.len()];
        for (number, line) in lines.iter().enumerate() {
            for (place, (_, index)) in line.order.iter().enumerate() {
                places[*index].push((number, place));
            }
        }
        for (index, ticket) in tickets.iter().enumerate() {
            let dearness = |line: &usize| {
                ticket
                    .offers
                    .iter()
                    .position(|offer| offer.preset == lines[*line].preset)
                    .unwrap_or(usize::MAX)
            };
            places[index].sort_by_key(|(line, _)| dearness(line));
        }
        let count = if profiles.len() <= MOST_VERDICTS { profiles.len() } else { 0 };
        Self { tickets, entries, lines, places, profiles, verdicts: vec![0; count * count] }
    }

    /// Whether two tickets accept each other, whatever their ratings are.
    pub(crate) fn accept(&mut self, one: Index, other: Index) -> bool {
        let (first, second) = (&self.entries[one], &self.entries[other]);
        !first.apart.contains(&other) && self.profiles_accept(first.profile, second.profile)
    }

    /// Whether a ticket can be in a group at all: nobody in it is kept apart from another.
    pub(crate) fn is_sound(&self, index: Index) -> bool {
        !self.entries[index].apart.contains(&index)
    }

    fn profiles_accept(&mut self, one: usize, other: usize) -> bool {
        let accept = |one: usize, other: usize| {
            let ((attributes, _), (_, conditions)) = (self.profiles[one], self.profiles[other]);
            conditions.iter().all(|condition| condition.holds(attributes))
        };
        let both = || accept(one, other) && accept(other, one);
        if self.verdicts.is_empty() {
            return both();
        }
        let at = one * self.profiles.len() + other;
        if self.verdicts[at] == 0 {
            self.verdicts[at] = 1 + u8::from(both());
        }
        self.verdicts[at] == 2
    }

    /// Takes a ticket out of all lines: it has found its game.
    pub(crate) fn take_out(&mut self, index: Index) {
        for (line, place) in &self.places[index] {
            self.lines[*line].take_out(*place);
        }
    }
}

impl Line {
    fn new(preset: Preset, mut order: Vec<(i32, Index)>, tickets: &[Ticket]) -> Self {
        order.sort_by_key(|(rating, index)| (*rating, tickets[*index].since, tickets[*index].id));
        let before = (0..order.len()).map(|place| place.wrapping_sub(1)).collect();
        let after = (0..order.len()).map(|place| place + 1);
        let after = after.map(|place| if place < order.len() { place } else { usize::MAX }).collect();
        Self { preset, seats: SeatCounts::of(preset), order, before, after }
    }

    /// The places of the tickets beside a place that are still there, the nearest rating first.
    pub(crate) fn nearest(&self, from: usize) -> impl Iterator<Item = usize> {
        let (mut low, mut high) = (self.before[from], self.after[from]);
        let distance = move |place: usize| {
            self.order.get(place).map_or(u32::MAX, |(rating, _)| rating.abs_diff(self.order[from].0))
        };
        std::iter::from_fn(move || {
            if low == usize::MAX && high == usize::MAX {
                return None;
            }
            if high == usize::MAX || low != usize::MAX && distance(low) <= distance(high) {
                let place = low;
                low = self.before[place];
                Some(place)
            } else {
                let place = high;
                high = self.after[place];
                Some(place)
            }
        })
    }

    fn take_out(&mut self, place: usize) {
        let (before, after) = (self.before[place], self.after[place]);
        if before != usize::MAX {
            self.after[before] = after;
        }
        if after != usize::MAX {
            self.before[after] = before;
        }
    }
}
