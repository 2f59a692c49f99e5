//! A strong player: tries its best moves at tables that it imagines, the same tables for each move, and races
//! each of them to the end.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::command::{Command, Source};
use remik_rules::seat::Seat;
use remik_rules::table::Table;

use crate::appraise::{Outlook, without};
use crate::dice::Dice;
use crate::known::Known;
use crate::memory::Stock;
use crate::normal::{self, Patience};
use crate::race::{Racer, TURNS, Turn, finish};

/// The most discards that are tried.
const DISCARDS: usize = 8;
/// Points left in hands don't count in a race: as if everybody still had many cards.
const FAR: usize = 9;
/// The most worlds: more hardly change the choice.
const WORLDS: u32 = 2000;

/// What a value of one is worth in won deals, for each card of a hand above six.
const PER_VALUE: f32 = 0.1 / 1000.0;
/// He waits with his first melds until he is nearly out with them, or somebody else is.
const PATIENCE: Patience = Patience { loose: 1, fewest: 1 };
/// The most cards that another is thought to have chosen among since the deal.
const MOST_SEEN: usize = 12;

/// A move to be tried.
struct Trial<T> {
    what: T,
    /// What the first look gives it, in won deals against the best.
    prior: f32,
    sum: f32,
}

impl<T> Trial<T> {
    fn new(what: T, value: i32, per_value: f32) -> Self {
        Self { what, prior: value as f32 * per_value, sum: 0.0 }
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
    let trials =
        vec![Trial::new(Source::Stock, 0, 0.0), Trial::new(Source::Discard, gain, per_value(known.hand))];
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
    if let Some(step) = normal::play(known, table, outlook, PATIENCE) {
        return Some(step.command);
    }
    let ranked = normal::ranked_ahead(known, outlook, allowed, DISCARDS);
    let &(most, _) = ranked.first()?;
    let trials =
        ranked.iter().map(|&(value, card)| Trial::new(card, value - most, per_value(known.hand))).collect();
    let race = |world: &World<'_>, card: &Card| {
        let mut racer = Racer { outlook, hand: without(known.hand, *card) };
        world.worth(1.0 + finish(&mut racer, &world.own, &world.offers, 0), Some(*card))
    };
    best(known, trials, race, dice, time_is_up).map(Command::Discard)
}

/// What a value of one is worth in won deals. The more cards a hand has, the less a race tells.
fn per_value(hand: Cards) -> f32 {
    PER_VALUE * hand.len().saturating_sub(6).max(1) as f32
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
        // A turn ahead wins about three deals of four: what the race leaves out may turn it.
        1.0 / (1.0 + (-ahead).exp())
    }
}

/// Deals the hidden cards by chance and lets the others race.
fn world<'a>(known: &Known<'a>, dice: &mut Dice) -> Option<World<'a>> {
    let (mut hands, mut stock) = known.imagine_cards(dice)?;
    let rules = &known.view.rules;
    let in_turn: Vec<Seat> = known.others().collect();
    let share = in_turn.len() + 1;
    let unseen = known.unseen();
    let mut outlooks = Vec::with_capacity(in_turn.len());
    for &seat in &in_turn {
        let hand = &mut hands[seat.index()];
        let outlook = Outlook::new(rules, seat, &known.deal.melds, unseen.without(*hand), FAR);
        if known.memory.stock == Stock::Unknown {
            // A turn shows a player a stock card and a discard.
            let seen = 2 * usize::from(known.deal.turns) / share;
            let kept = known.memory.known[seat.index()];
            choose_among(hand, &mut stock, seen.min(MOST_SEEN), &outlook, kept);
            dice.shuffle(&mut stock);
        }
        outlooks.push(outlook);
    }
    // The stock runs out and is renewed: the pile's cards come again then.
    let mut cards: Vec<Card> = stock.iter().rev().copied().collect();
    let mut more = known.deal.pile.clone();
    dice.shuffle(&mut more);
    cards.extend(more);
    let drawn_by = |place: usize| cards.iter().skip(place).step_by(share).take(TURNS).copied();
    let mut first_out = f32::MAX;
    let mut offers = Vec::with_capacity(TURNS);
    for (place, (seat, outlook)) in in_turn.iter().zip(&outlooks).enumerate() {
        let mut racer = Racer { outlook, hand: hands[seat.index()] };
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
    Some(World {
        own: drawn_by(0).collect(),
        offers,
        first_out,
        next: (outlook, hands[next.index()], drawn_by(1).collect()),
    })
}

/// Nobody's hand is mere chance after some turns: of so many cards of the stock he has kept what goes best with
/// his own, and always what he is known to hold.
fn choose_among(hand: &mut Cards, stock: &mut [Card], seen: usize, outlook: &Outlook<'_>, kept: Cards) {
    for card in stock.iter_mut().take(seen) {
        hand.insert(*card);
        if let Some(worst) = outlook.weakest(*hand, |other| !other.is_joker() && !kept.contains(other)) {
            *card = worst;
        }
        hand.remove(*card);
    }
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
    let best = trials
        .iter()
        .reduce(|best, trial| if trial.mean(worlds) > best.mean(worlds) { trial } else { best })?;
    Some(best.what)
}
