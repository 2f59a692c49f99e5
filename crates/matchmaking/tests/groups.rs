//! Groups against what everybody asked for, and against trying everything.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use proptest::prelude::*;
use remik_matchmaking::{
    Apart, Attributes, Bots, Condition, Curve, Group, Offer, SeatCounts, Test, Ticket, TicketId, Value, find,
};
use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;

const NOW: Millis = Millis(100_000);

/// 50 points at once, 150 after 20 s, 1000 after 60 s.
fn curve() -> Curve {
    Curve::new(vec![(0, 50), (20, 150), (60, 1000)]).unwrap()
}

/// A ticket of one player, for two at a table.
fn ticket(id: u128, waited: i64, rating: i32) -> Ticket {
    Ticket {
        id: TicketId(id),
        since: Millis(NOW.0 - waited * 1000),
        players: vec![PlayerId(id * 10)],
        offers: vec![Offer { preset: Preset::Remik51, rating }],
        seats: [2].into_iter().collect(),
        attributes: Attributes::new(),
        conditions: Vec::new(),
        bots: None,
    }
}

fn seats(counts: &[u8]) -> SeatCounts {
    counts.iter().copied().collect()
}

fn found(tickets: &[Ticket]) -> Vec<Vec<u128>> {
    found_apart(tickets, &Apart::default())
}

fn found_apart(tickets: &[Ticket], apart: &Apart) -> Vec<Vec<u128>> {
    let groups = find(tickets, apart, &curve(), NOW);
    groups.iter().for_each(|group| assert_eq!(fault(group, tickets, apart), None));
    groups.iter().map(|group| group.tickets.iter().map(|id| id.0).collect()).collect()
}

/// What is wrong with a group, told from the tickets alone.
fn fault(group: &Group, tickets: &[Ticket], apart: &Apart) -> Option<&'static str> {
    let of: Vec<&Ticket> =
        group.tickets.iter().map(|id| tickets.iter().find(|ticket| ticket.id == *id).unwrap()).collect();
    let offer =
        |ticket: &Ticket| ticket.offers.iter().find(|offer| offer.preset == group.preset).map(|o| o.rating);
    let players: Vec<PlayerId> = of.iter().flat_map(|ticket| ticket.players.clone()).collect();
    let bots = group.bots.map_or(0, |(count, _)| usize::from(count));
    let (least, most) = group.preset.ruleset().seats;
    if !(least..=most).contains(&group.seats) || of.iter().any(|ticket| !ticket.seats.has(group.seats)) {
        return Some("the number of seats");
    }
    if players.len() + bots != usize::from(group.seats) {
        return Some("a seat is free, or taken twice");
    }
    if bots > 0 && of.iter().any(|ticket| ticket.bots_now(NOW).is_none()) {
        return Some("bots");
    }
    let Some(ratings) = of.iter().map(|ticket| offer(ticket)).collect::<Option<Vec<i32>>>() else {
        return Some("the preset");
    };
    let gap = ratings.iter().max().unwrap().abs_diff(*ratings.iter().min().unwrap());
    if gap != group.gap || of.iter().any(|ticket| gap > curve().at(ticket.waited(NOW))) {
        return Some("the gap");
    }
    let accepts = |one: &Ticket, other: &Ticket| {
        one.id == other.id || one.conditions.iter().all(|condition| condition.holds(&other.attributes))
    };
    if of.iter().any(|one| of.iter().any(|other| !accepts(one, other))) {
        return Some("a condition");
    }
    if apart.among(&players) {
        return Some("two who are kept apart");
    }
    None
}

#[test]
fn the_nearest_ratings_meet_and_the_longest_wait_comes_first() {
    let tickets = [ticket(1, 10, 1500), ticket(2, 9, 1590), ticket(3, 8, 1540), ticket(4, 7, 1560)];
    assert_eq!(found(&tickets), [[1, 3], [2, 4]]);
    let tickets = [ticket(1, 1, 1500), ticket(2, 9, 1510), ticket(3, 5, 1520)];
    assert_eq!(found(&tickets), [[2, 1]], "the nearer one, also if he came later");
}

#[test]
fn windows_are_everybodys() {
    // 80 points apart, after 20 s and at once.
    assert_eq!(found(&[ticket(1, 20, 1500), ticket(2, 0, 1580)]), Vec::<Vec<u128>>::new());
    assert_eq!(found(&[ticket(1, 20, 1500), ticket(2, 6, 1580)]), [[1, 2]]);
    // Each is near enough to the first, but not to the other.
    let three = |id, rating| Ticket { seats: seats(&[3]), ..ticket(id, 0, rating) };
    assert!(found(&[three(1, 1500), three(2, 1460), three(3, 1540)]).is_empty());
    assert_eq!(found(&[three(1, 1500), three(2, 1460), three(3, 1540), three(4, 1490)]), [[1, 2, 4]]);
}

#[test]
fn the_largest_table_that_can_be_filled() {
    let any = |id| Ticket { seats: seats(&[2, 3, 4]), ..ticket(id, 10, 1500) };
    assert_eq!(found(&[any(1), any(2), any(3)]), [[1, 2, 3]]);
    assert_eq!(found(&[any(1), any(2), any(3), any(4), any(5), any(6)]), [vec![1, 2, 3, 4], vec![5, 6]]);
    let two = |id| Ticket { seats: seats(&[2]), ..ticket(id, 10, 1500) };
    assert_eq!(found(&[any(1), two(2), any(3)]), [[1, 2]]);
    // Seats that the preset doesn't have.
    let six = |id| Ticket { seats: seats(&[5, 6]), ..ticket(id, 10, 1500) };
    assert!(found(&[six(1), six(2), six(3), six(4), six(5), six(6)]).is_empty());
}

#[test]
fn parties_stay_together() {
    let party = |id, size: u128| Ticket {
        players: (0..size).map(|member| PlayerId(id * 10 + member)).collect(),
        seats: seats(&[4]),
        ..ticket(id, 10, 1500)
    };
    assert_eq!(found(&[party(1, 3), party(2, 2), party(3, 1)]), [[1, 3]]);
    assert_eq!(found(&[party(1, 2), party(2, 3), party(3, 2)]), [[1, 3]]);
    assert_eq!(found(&[party(1, 4)]), [[1]], "a party that fills the table needs nobody");
    assert!(found(&[party(1, 3), party(2, 3)]).is_empty());
}

#[test]
fn conditions_and_presets_have_to_agree() {
    let from = |id, region: &str, wanted: &[&str]| Ticket {
        attributes: [("region".to_owned(), Value::Text(region.to_owned()))].into(),
        conditions: vec![Condition {
            name: "region".to_owned(),
            test: Test::OneOf(wanted.iter().map(|text| (*text).to_owned()).collect()),
        }],
        ..ticket(id, 10, 1500)
    };
    let tickets = [from(1, "eu", &["eu", "us"]), from(2, "us", &["us"]), from(3, "eu", &["eu"])];
    assert_eq!(found(&tickets), [[1, 3]]);
    let plays = |id, presets: &[Preset]| Ticket {
        offers: presets.iter().map(|preset| Offer { preset: *preset, rating: 1500 }).collect(),
        ..ticket(id, 10, 1500)
    };
    let (a, b) = (Preset::Remi30, Preset::Rummy200);
    let tickets = [plays(1, &[a]), plays(2, &[b, a]), plays(3, &[a, b])];
    let groups = find(&tickets, &Apart::default(), &curve(), NOW);
    assert_eq!((groups.len(), groups[0].preset), (1, a));
    // The one that is dearest to whoever has waited longest.
    let groups = find(&[plays(1, &[b, a]), plays(2, &[a, b])], &Apart::default(), &curve(), NOW);
    assert_eq!(groups[0].preset, b);
}

#[test]
fn who_blocks_somebody_never_meets_him() {
    let apart = |one: u128, other: u128| [(PlayerId(one), PlayerId(other))].into_iter().collect::<Apart>();
    let tickets = [ticket(1, 10, 1500), ticket(2, 10, 1500), ticket(3, 10, 1540)];
    assert_eq!(found_apart(&tickets, &apart(20, 10)), [[1, 3]]);
    assert_eq!(found_apart(&tickets[..2], &apart(10, 20)), Vec::<Vec<u128>>::new());
    // A party whose members fell out in the meantime.
    let party = Ticket { players: vec![PlayerId(10), PlayerId(11)], ..ticket(1, 10, 1500) };
    assert!(found_apart(std::slice::from_ref(&party), &apart(10, 11)).is_empty());
    assert_eq!(found_apart(std::slice::from_ref(&party), &apart(10, 12)), [[1]]);
}

#[test]
fn bots_fill_what_is_left() {
    let bots = |after| Some(Bots { after: Duration::from_secs(after), strength: Strength::Hard });
    let three = |id, waited| Ticket { seats: seats(&[3, 4]), bots: bots(10), ..ticket(id, waited, 1500) };
    let find = |tickets: &[Ticket]| find(tickets, &Apart::default(), &curve(), NOW);
    assert!(find(&[three(1, 9)]).is_empty());
    let alone = find(&[three(1, 10)]);
    assert_eq!((alone[0].seats, alone[0].bots), (3, Some((2, Strength::Hard))));
    // Together with who would take bots too, but not with who wouldn't yet.
    let groups = find(&[three(1, 10), three(2, 12), three(3, 1)]);
    assert_eq!(groups.len(), 1, "three players need no bot");
    assert_eq!((groups[0].seats, groups[0].bots), (3, None));
    let groups = find(&[three(1, 10), three(2, 12)]);
    assert_eq!((groups[0].tickets.len(), groups[0].seats, groups[0].bots), (2, 3, Some((1, Strength::Hard))));
    assert_eq!(find(&[three(1, 10), three(2, 1)])[0].tickets, [TicketId(1)]);
}

/// Tickets that agree now and then.
fn some_ticket(id: u128) -> impl Strategy<Value = Ticket> {
    let presets = prop::collection::vec(0..2usize, 1..3);
    let seats = prop::collection::vec(2..6u8, 1..4);
    let attribute = (0..3i32, 0..3usize, prop::collection::vec(0..3usize, 0..3));
    let rest = (prop::option::weighted(0.2, 0..40u64), 0..80i64, 1400..1700i32, 1..4u128);
    (presets, seats, attribute, rest).prop_map(move |(presets, counts, attribute, rest)| {
        let (latency, region, regions) = attribute;
        let (bots, waited, rating, size) = rest;
        let names = ["eu", "us", "asia"];
        let mut offers: Vec<Offer> = Vec::new();
        for preset in presets.iter().map(|place| [Preset::Remik51, Preset::BasicRummy][*place]) {
            if offers.iter().all(|offer| offer.preset != preset) {
                offers.push(Offer { preset, rating: rating + 20 * offers.len() as i32 });
            }
        }
        let mut conditions =
            vec![Condition { name: "latency".to_owned(), test: Test::Between(0, 2 - latency) }];
        if !regions.is_empty() {
            let texts = regions.iter().map(|place| names[*place].to_owned()).collect();
            conditions.push(Condition { name: "region".to_owned(), test: Test::OneOf(texts) });
        }
        conditions.truncate(regions.len());
        let size = if size == 3 { 2 } else { 1 };
        Ticket {
            players: (0..size).map(|member| PlayerId(id * 10 + member)).collect(),
            offers,
            seats: self::seats(&counts),
            attributes: [
                ("latency".to_owned(), Value::Number(latency)),
                ("region".to_owned(), Value::Text(names[region].to_owned())),
            ]
            .into(),
            conditions,
            bots: bots.map(|after| Bots { after: Duration::from_secs(after), strength: Strength::Easy }),
            ..ticket(id, waited, rating)
        }
    })
}

fn some_tickets(most: usize) -> impl Strategy<Value = Vec<Ticket>> {
    (1..=most).prop_flat_map(|count| (1..=count as u128).map(some_ticket).collect::<Vec<_>>())
}

fn some_apart() -> impl Strategy<Value = Apart> {
    let player = |number: u128| PlayerId(number / 2 * 10 + number % 2);
    let pairs = prop::collection::vec((2..20u128, 2..20u128), 0..6);
    pairs.prop_map(move |pairs| {
        pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (player(a), player(b))).collect()
    })
}

/// Whether any group can be made of some tickets: every set of them, every preset, every number of seats.
fn some_group(tickets: &[Ticket], apart: &Apart) -> Option<Group> {
    for set in 1u32..1 << tickets.len() {
        if set.count_ones() > 6 {
            continue;
        }
        let of: Vec<&Ticket> =
            (0..tickets.len()).filter(|at| set & 1 << at != 0).map(|at| &tickets[at]).collect();
        let players: usize = of.iter().map(|ticket| ticket.players.len()).sum();
        for preset in [Preset::Remik51, Preset::BasicRummy] {
            let rating = |ticket: &&Ticket| {
                ticket.offers.iter().find(|offer| offer.preset == preset).map(|offer| offer.rating)
            };
            let Some(ratings) = of.iter().map(rating).collect::<Option<Vec<i32>>>() else { continue };
            let gap = ratings.iter().max().unwrap().abs_diff(*ratings.iter().min().unwrap());
            for seats in 2..=6u8 {
                let Some(free) = usize::from(seats).checked_sub(players) else { continue };
                let group = Group {
                    preset,
                    seats,
                    tickets: of.iter().map(|ticket| ticket.id).collect(),
                    bots: (free > 0).then_some((free as u8, Strength::Easy)),
                    gap,
                };
                if fault(&group, tickets, apart).is_none() {
                    return Some(group);
                }
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// No ticket twice, everybody gets what he asked for, and nobody is left who could have played.
    #[test]
    fn small_crowds_are_matched_as_far_as_they_can_be(tickets in some_tickets(9), apart in some_apart()) {
        let groups = find(&tickets, &apart, &curve(), NOW);
        let mut seen = HashSet::new();
        for group in &groups {
            prop_assert_eq!(fault(group, &tickets, &apart), None, "{:?}", group);
            prop_assert!(group.tickets.iter().all(|id| seen.insert(*id)));
        }
        let left: Vec<Ticket> = tickets.iter().filter(|ticket| !seen.contains(&ticket.id)).cloned().collect();
        prop_assert_eq!(some_group(&left, &apart), None);
        // The order of the list tells nothing.
        let mut turned = tickets.clone();
        turned.reverse();
        prop_assert_eq!(find(&turned, &apart, &curve(), NOW), groups);
    }

    #[test]
    fn large_crowds_are_matched_once(tickets in some_tickets(60), apart in some_apart()) {
        let groups = find(&tickets, &apart, &curve(), NOW);
        let mut seen = HashMap::new();
        for group in &groups {
            prop_assert_eq!(fault(group, &tickets, &apart), None, "{:?}", group);
            for id in &group.tickets {
                prop_assert_eq!(seen.insert(*id, group), None);
            }
        }
    }
}
