//! A strong player: tries its best moves at tables that it imagines, the same tables for each move, and races
//! each of them to the end.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::command::{Command, Source};
use remik_rules::ruleset::MAX_SEATS;
use remik_rules::table::Table;

use crate::appraise::{Outlook, without};
use crate::dice::Dice;
use crate::normal;
use crate::race::{Racer, TURNS, Turn, finish};
use crate::world::Known;

/// The most discards that are tried.
const DISCARDS: usize = 6;
/// The most worlds: more hardly change the choice.
const WORLDS: u32 = 2000;

/// A move to be tried.
struct Trial<T> {
    what: T,
    /// What the first look gives it, in won deals against the best.
    prior: f32,
    sum: f32,
}

impl<T> Trial<T> {
    fn new(what: T, value: i32) -> Self {
        // What a thousandth of a card is worth in won deals, about.
        Self { what, prior: value as f32 * (crate::tune::t(40, 100) as f32 / 1_000_000.0), sum: 0.0 }
    }

    fn mean(&self, worlds: u32) -> f32 {
        self.sum / worlds.max(1) as f32 + self.prior
    }
}

pub(crate) fn draw(
    known: &Known<'_>,
    outlook: &Outlook<'_>,
    dice: &mut Dice,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Source {
    let Some(&top) = known.deal.pile.last() else { return Source::Stock };
    let gain = normal::draw_gain(known, outlook);
    if crate::tune::t(31, 0) == 1 {
        return if gain > 0 { Source::Discard } else { Source::Stock };
    }
    let trials = vec![Trial::new(Source::Stock, 0), Trial::new(Source::Discard, gain)];
    let race = |world: &World<'_>, source: &Source| {
        let mut racer = Racer { outlook, hand: known.hand };
        let turn = match (source, world.own.first()) {
            (Source::Stock, Some(card)) => racer.turn(None, *card),
            _ => racer.take(top),
        };
        match turn {
            Turn::Out => world.worth(0.0, None),
            Turn::Discarded(card) => {
                world.worth(finish(&mut racer, &world.own, &world.offers, 1), Some(card))
            }
        }
    };
    best(known, trials, race, dice, time_is_up).unwrap_or(Source::Stock)
}

pub(crate) fn play(
    known: &Known<'_>,
    table: &Table,
    outlook: &Outlook<'_>,
    allowed: &[Card],
    dice: &mut Dice,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Option<Command> {
    if let Some(step) = normal::play(known, table, outlook, normal::Patience { loose: crate::tune::t(60, 1) as u32, fewest: crate::tune::t(61, 1) as u8 }) {
        return Some(step.command);
    }
    let ranked = normal::ranked(known, outlook, allowed);
    if crate::tune::t(32, 0) == 1 { return ranked.first().map(|r| Command::Discard(r.1)); }
    let &(most, _) = ranked.first()?;
    let discards = ranked.iter().take(DISCARDS);
    let trials = discards.map(|&(value, card)| Trial::new(card, value - most)).collect();
    let race = |world: &World<'_>, card: &Card| {
        let mut racer = Racer { outlook, hand: without(known.hand, *card) };
        world.worth(1.0 + finish(&mut racer, &world.own, &world.offers, 0), Some(*card))
    };
    best(known, trials, race, dice, time_is_up).map(Command::Discard)
}

/// An imagined table, with what the others do there.
struct World<'a> {
    /// The cards that the player would draw.
    own: Vec<Card>,
    /// What the seat before him throws away, turn by turn.
    offers: Vec<Option<Card>>,
    /// When the first of the others is out.
    first_out: f32,
    /// The seat after him: how it judges its hand, the hand, and the cards that it would draw.
    next: (Outlook<'a>, Cards, Vec<Card>),
}

impl World<'_> {
    /// What it is worth to be out at a turn, having thrown a card to the seat after.
    fn worth(&self, out: f32, thrown: Option<Card>) -> f32 {
        let (outlook, hand, stock) = &self.next;
        let mut next = Racer { outlook, hand: *hand };
        let mut first_out = self.first_out;
        if let Some(card) = thrown.filter(|card| next.wants(*card)) {
            first_out = first_out.min(finish(&mut next, stock, &[Some(card)], 0));
        }
        let ahead = first_out - out + 0.5;
        1.0 / (1.0 + (-ahead * 10.0 / crate::tune::t(42, 20) as f32).exp())
    }
}

/// Deals the hidden cards by chance and lets the others race.
fn world<'a>(known: &Known<'a>, dice: &mut Dice) -> Option<World<'a>> {
    let (mut hands, mut stock) = known.imagine_cards(dice)?;
    let rules = &known.view.rules;
    let seats = known.deal.hand_counts.len();
    let in_turn: Vec<usize> =
        (1..seats).map(|n| (known.seat.index() + n) % seats).filter(|&n| known.deal.hand_counts[n] > 0).collect();
    let share = in_turn.len() + 1;
    let unseen = known.unseen();
    let mut outlooks = Vec::with_capacity(in_turn.len());
    for &index in &in_turn {
        let seat = remik_rules::seat::Seat::new(index as u8)?;
        let outlook = Outlook::new(rules, seat, &known.deal.melds, unseen.without(hands[index]), 9);
        if known.memory.stock == crate::memory::Stock::Unknown {
            // Nobody's hand is a mere chance after some turns: he kept the best of what he saw.
            let turns = usize::from(known.deal.turns) / share;
            let seen = (turns * crate::tune::t(43, 50) as usize / 100).min(stock.len()).min(crate::tune::t(44, 6) as usize);
            for place in 0..seen {
                let hand = &mut hands[index];
                hand.insert(stock[place]);
                let known_there = known.memory.known[index];
                let worst = outlook.weakest(*hand, |card| !card.is_joker() && !known_there.contains(card));
                let worst = worst.unwrap_or(stock[place]);
                hand.remove(worst);
                stock[place] = worst;
            }
        }
        outlooks.push(outlook);
    }
    if crate::tune::t(43, 50) > 0 && known.memory.stock == crate::memory::Stock::Unknown {
        dice.shuffle(&mut stock);
    }
    // The stock runs out and is renewed: the pile's cards come again then.
    let mut cards: Vec<Card> = stock.iter().rev().copied().collect();
    let mut more = known.deal.pile.clone();
    dice.shuffle(&mut more);
    cards.extend(more);
    let drawn_by = |place: usize| cards.iter().skip(place).step_by(share).take(TURNS).copied();
    let mut first_out = f32::MAX;
    let mut offers = Vec::with_capacity(TURNS);
    for (place, (&index, outlook)) in in_turn.iter().zip(&outlooks).enumerate() {
        let mut racer = Racer { outlook, hand: hands[index] };
        let before_us = place + 1 == in_turn.len();
        let mut out = None;
        for (turn, card) in drawn_by(place + 1).enumerate() {
            match racer.turn(None, card) {
                Turn::Out => {
                    out = Some(turn as f32);
                    break;
                }
                Turn::Discarded(card) if before_us => offers.push(Some(card)),
                Turn::Discarded(_) => {}
            }
        }
        let loose = || TURNS as f32 + outlook.loose(racer.hand) as f32;
        first_out = first_out.min(out.unwrap_or_else(loose));
    }
    let next = *in_turn.first()?;
    let outlook = outlooks.into_iter().next()?;
    Some(World { own: drawn_by(0).collect(), offers, first_out, next: (outlook, hands[next], drawn_by(1).collect()) })
}

/// Tries the moves at one imagined table after another until the time is up.
fn best<T: Copy>(
    known: &Known<'_>,
    mut trials: Vec<Trial<T>>,
    race: impl Fn(&World<'_>, &T) -> f32,
    dice: &mut Dice,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Option<T> {
    let mut worlds = 0;
    while worlds < WORLDS && trials.len() > 1 && !time_is_up() {
        let Some(world) = world(known, dice) else { break };
        trials.iter_mut().for_each(|trial| trial.sum += race(&world, &trial.what));
        worlds += 1;
    }
    debug_assert!(known.deal.hand_counts.len() <= MAX_SEATS);
    let best = trials
        .iter()
        .reduce(|best, trial| if trial.mean(worlds) > best.mean(worlds) { trial } else { best })?;
    Some(best.what)
}
