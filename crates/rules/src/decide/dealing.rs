//! Dealing: the dealer, the deck, the hands.

use std::time::Duration;

use crate::card::{Card, Rank};
use crate::chance::{Chance, ClientSeed, Millis, Purpose, Seed, Stream};
use crate::event::{Dealt, Event, Full};
use crate::pack::Pack;
use crate::ruleset::FirstDealer;
use crate::sandbox::ArrangedDeal;
use crate::seat::{Seat, Seats};
use crate::table::Table;

/// The server binds itself to the seed of a deal.
pub(super) fn commit(deal: u16, chance: &mut impl Chance) -> Event<Full> {
    let (seed, commitment) = chance.commit();
    Event::SeedCommitted { deal, commitment, seed }
}

/// The events of a new deal: the first dealer where there was none, the cards, the first turn.
///
/// A table that can't deal (nobody in, or no seed committed) answers with no events; no table that this crate
/// made is such.
pub(super) fn deal(
    table: &Table,
    client_seeds: Vec<(Seat, ClientSeed)>,
    now: Millis,
    chance: &mut impl Chance,
) -> Vec<Event<Full>> {
    let mut events = Vec::new();
    let seats = table.seats_in();
    let Some((seed, _)) = table.next_seed else { return events };
    let number = table.deals.saturating_add(1);
    let stream = |purpose| Stream { seed: &seed, client_seeds: &client_seeds, deal: number, purpose };
    // The deal passes to the next seat in, also from a dealer who is out (RULES 12).
    let chosen = table.sandbox().and_then(|sandbox| sandbox.first_dealer);
    let dealer = match (table.last_dealer, chosen.filter(|seat| seats.contains(*seat))) {
        (Some(last), _) => seats.after(last),
        (None, Some(dealer)) => {
            events.push(Event::DealerChosen { dealer, cut: Vec::new() });
            Some(dealer)
        }
        (None, None) => {
            let (dealer, cut) = first_dealer(table, seats, &seed, &client_seeds, chance);
            events.push(Event::DealerChosen { dealer, cut });
            Some(dealer)
        }
    };
    let Some((dealer, starter)) = dealer.and_then(|dealer| Some((dealer, seats.after(dealer)?))) else {
        return Vec::new();
    };
    let rules = table.rules();
    let mut deck = rules.pack.sorted();
    chance.shuffle(stream(Purpose::Deck), &mut deck);
    let order: Vec<Seat> = clockwise(seats, starter);
    if let Some(arranged) = arranged(table, number) {
        deck = arranged.stack(deck, rules, &order);
    }
    let mut deck = deck.into_iter();

    // One card at a time, clockwise from the starter.
    let size = usize::from(rules.cards_dealt_to(seats.len()));
    let mut hands: Vec<(Seat, Vec<Card>)> =
        order.iter().map(|seat| (*seat, Vec::with_capacity(size + 1))).collect();
    for _ in 0..size {
        for (_, hand) in &mut hands {
            hand.extend(deck.next());
        }
    }
    if rules.starter_gets_extra {
        hands[0].1.extend(deck.next());
    }
    hands.sort_by_key(|(seat, _)| *seat);
    let upcard = if rules.upcard { deck.next() } else { None };
    let stock: Vec<Card> = deck.rev().collect();
    events.push(Event::Dealt(Box::new(Dealt {
        deal: number,
        dealer,
        starter,
        client_seeds,
        hands,
        upcard,
        stock_count: stock.len() as u8,
        stock,
    })));
    // RULES 14: a starter with an extra card doesn't draw.
    events.push(start_turn(table, starter, rules.starter_gets_extra, rules.time_bank_millis(), now));
    events
}

/// What somebody has chosen for a deal.
fn arranged(table: &Table, number: u16) -> Option<&ArrangedDeal> {
    table.sandbox()?.deals.get(usize::from(number).checked_sub(1)?)
}

/// A turn begins, with its deadline where there is a clock: the turn's own time, then what is left of the seat's
/// time bank, in milliseconds (RULES 15).
pub(super) fn start_turn(table: &Table, seat: Seat, drawn: bool, bank: u32, now: Millis) -> Event<Full> {
    let time = |seconds: u32| Duration::from_secs(seconds.into()) + Duration::from_millis(bank.into());
    let deadline = table.rules.turn_seconds.map(|seconds| now.plus(time(seconds)));
    Event::TurnStarted { seat, drawn, deadline }
}

/// The seeds of who is ready, in the order of seats, which is the order in which they count.
pub(super) fn seeds_given(table: &Table) -> Vec<(Seat, ClientSeed)> {
    Seat::first(table.seat_count())
        .filter_map(|seat| Some((seat, table.seats[seat.index()].ready.clone()?)))
        .collect()
}

fn clockwise(seats: Seats, from: Seat) -> Vec<Seat> {
    let mut order: Vec<Seat> = seats.iter().collect();
    let start = order.iter().position(|seat| *seat == from).unwrap_or(0);
    order.rotate_left(start);
    order
}

/// RULES 19: by chance, or by a cut of a 52-card pack, which can't tie.
fn first_dealer(
    table: &Table,
    seats: Seats,
    seed: &Seed,
    client_seeds: &[(Seat, ClientSeed)],
    chance: &mut impl Chance,
) -> (Seat, Vec<(Seat, Card)>) {
    let stream = Stream { seed, client_seeds, deal: 1, purpose: Purpose::FirstDealer };
    let order: Vec<Seat> = seats.iter().collect();
    let cut = match table.rules.first_dealer {
        FirstDealer::Random => Vec::new(),
        FirstDealer::Cut => {
            let mut pack = Pack { decks: 1, jokers: 0 }.sorted();
            chance.shuffle(stream, &mut pack);
            order.iter().copied().zip(pack).collect()
        }
    };
    let highest = cut.iter().max_by_key(|(_, card)| cut_order(*card)).map(|(seat, _)| *seat);
    let dealer = highest.unwrap_or_else(|| {
        let number = chance.below(stream, order.len() as u32) as usize;
        order[number.min(order.len() - 1)]
    });
    (dealer, cut)
}

/// Aces high, then by suit: spades over hearts over diamonds over clubs.
fn cut_order(card: Card) -> (u8, u8) {
    card.face()
        .natural()
        .map_or((0, 0), |(rank, suit)| (if rank == Rank::Ace { 13 } else { rank as u8 }, suit as u8))
}
