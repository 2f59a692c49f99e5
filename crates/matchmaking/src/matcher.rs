//! The way through the tickets.

use remik_rules::chance::Millis;

use crate::pool::{Index, Pool};
use crate::search::{Effort, Found, search};
use crate::{Apart, Curve, Group, Ticket};

/// Groups of tickets in which everybody gets what he asked for; no ticket is in two of them.
///
/// Who has waited longest comes first, and gets the largest table that can be filled now, and of those the one with
/// the smallest gap of ratings. Bots come last: only tickets for which no players are left are filled up with them, as
/// many tickets together as there are.
///
/// Whatever is left over makes no further group, as long as there are few tickets. Of many, each has a bounded number
/// of combinations tried, so that the time stays bounded too.
pub fn find(tickets: &[Ticket], apart: &Apart, curve: &Curve, now: Millis) -> Vec<Group> {
    let mut pool = Pool::new(tickets, apart, curve, now);
    let mut waiting: Vec<Index> = (0..tickets.len()).collect();
    waiting.sort_by_key(|index| (tickets[*index].since, tickets[*index].id));
    waiting.retain(|index| {
        let sound = pool.is_sound(*index);
        if !sound {
            pool.take_out(*index);
        }
        sound
    });
    let effort = Effort::for_each_of(tickets.len());
    let mut gone = vec![false; tickets.len()];
    let mut groups = Vec::new();
    for with_bots in [false, true] {
        for first in &waiting {
            if gone[*first] || with_bots && pool.entries[*first].bots.is_none() {
                continue;
            }
            let Some(found) = search(&mut pool, *first, with_bots, effort) else { continue };
            for index in &found.tickets {
                gone[*index] = true;
                pool.take_out(*index);
            }
            groups.push(group(&pool, *first, found));
        }
    }
    groups
}

fn group(pool: &Pool<'_>, first: Index, mut found: Found) -> Group {
    found.tickets.sort_by_key(|index| (pool.tickets[*index].since, pool.tickets[*index].id));
    let players: u8 = found.tickets.iter().map(|index| pool.entries[*index].players).sum();
    let free = found.seats - players;
    Group {
        preset: found.preset,
        seats: found.seats,
        tickets: found.tickets.iter().map(|index| pool.tickets[*index].id).collect(),
        bots: pool.entries[first].bots.filter(|_| free > 0).map(|strength| (free, strength)),
        gap: found.gap,
    }
}
