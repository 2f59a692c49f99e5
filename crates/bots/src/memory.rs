//! What a player remembers of a deal beyond what lies open: who took which card, and what the stock is made of.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::event::{Event, Seen};
use remik_rules::ruleset::{MAX_SEATS, StockReuse};
use remik_rules::seat::Seat;
use remik_rules::view::{Stage, View};

/// What is known of the stock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Stock {
    /// Any card that is nowhere else.
    #[default]
    Unknown,
    /// Some of these cards, shuffled: the pile of which it was made.
    Among(Cards),
    /// Exactly these, the next one last: a pile that was turned over unshuffled.
    Exactly(Vec<Card>),
}

/// A player's memory of the running deal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Memory {
    /// Cards known to be in each hand.
    pub(crate) known: [Cards; MAX_SEATS],
    /// What each seat has thrown away.
    pub(crate) dropped: [Cards; MAX_SEATS],
    pub(crate) stock: Stock,
    /// Laid in this turn so far: back in the hand, and known, after an undo.
    laid: Cards,
    /// Jokers swapped in this turn: back on the table after an undo.
    swapped: Cards,
}

impl Memory {
    /// Takes in an event; the view is that of the moment before.
    pub(crate) fn see(&mut self, event: &Event<Seen>, view: &View) {
        match event {
            Event::Dealt(_) => *self = Self::default(),
            Event::TurnStarted { .. } => (self.laid, self.swapped) = (Cards::EMPTY, Cards::EMPTY),
            Event::DiscardTaken { seat, card } => drop(self.known[seat.index()].insert(*card)),
            Event::StockDrawn { seat, card } => self.draw(*seat, *card),
            Event::Melded { seat, melds, .. } => {
                let cards = melds.iter().flat_map(|(_, meld)| meld.cards.iter().copied());
                self.lay(*seat, cards.collect());
            }
            Event::LaidOff { seat, low, high, .. } => {
                self.lay(*seat, low.iter().chain(high).copied().collect());
            }
            Event::JokerSwapped { seat, card, joker, .. } => {
                self.lay(*seat, [*card].into_iter().collect());
                self.swapped.insert(*joker);
                self.known[seat.index()].insert(*joker);
            }
            Event::PlaysUndone { seat } => {
                let known = &mut self.known[seat.index()];
                *known = known.union(self.laid).without(self.swapped);
                (self.laid, self.swapped) = (Cards::EMPTY, Cards::EMPTY);
            }
            Event::Discarded { seat, card } => {
                self.known[seat.index()].remove(*card);
                self.dropped[seat.index()].insert(*card);
            }
            Event::StockReused { kept, .. } => {
                if let Stage::Playing(deal) = &view.stage {
                    let reused = deal.pile.iter().copied().filter(|card| Some(*card) != *kept);
                    self.stock = match view.rules.stock_reuse {
                        StockReuse::TurnOver => Stock::Exactly(reused.rev().collect()),
                        StockReuse::KeepTopShuffle | StockReuse::ShuffleAll => Stock::Among(reused.collect()),
                    };
                }
            }
            _ => {}
        }
    }

    fn lay(&mut self, seat: Seat, cards: Cards) {
        self.laid = self.laid.union(cards);
        let known = &mut self.known[seat.index()];
        *known = known.without(cards);
    }

    fn draw(&mut self, seat: Seat, card: Option<Card>) {
        match &mut self.stock {
            Stock::Exactly(order) => {
                if let Some(card) = order.pop() {
                    self.known[seat.index()].insert(card);
                }
            }
            Stock::Among(cards) => {
                if let Some(card) = card {
                    cards.remove(card);
                }
            }
            Stock::Unknown => {}
        }
    }
}
