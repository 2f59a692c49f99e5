//! A race to the end of a deal at an imagined table: everybody draws, keeps what helps and throws away what helps
//! least, and lays nothing before he can lay all. It leaves out what changes on the table meanwhile, and is so
//! quick that thousands can be run for one move.

use remik_rules::card::Card;
use remik_rules::cards::Cards;

use crate::appraise::{Outlook, with, without};

/// Nobody looks further ahead than so many turns.
pub(crate) const TURNS: usize = 14;

/// A player in a race.
#[derive(Clone)]
pub(crate) struct Racer<'a> {
    pub(crate) outlook: &'a Outlook<'a>,
    pub(crate) hand: Cards,
}

/// How a racer's turn ended.
pub(crate) enum Turn {
    /// All was laid.
    Out,
    /// A card was thrown away.
    Discarded(Card),
}

impl Racer<'_> {
    /// A turn: the offered card if it makes a meld or fits one, else the one from the stock.
    pub(crate) fn turn(&mut self, offered: Option<Card>, stock: Card) -> Turn {
        match offered.filter(|card| self.wants(*card)) {
            Some(card) => self.take(card),
            None => {
                self.hand.insert(stock);
                self.discard(None)
            }
        }
    }

    /// A turn that takes the discard, which may not be thrown away again.
    pub(crate) fn take(&mut self, card: Card) -> Turn {
        self.hand.insert(card);
        self.discard(Some(card))
    }

    /// Whether a card makes a meld or fits one on the table.
    pub(crate) fn wants(&self, card: Card) -> bool {
        let more = || self.outlook.cover(with(self.hand, card)).cards > self.outlook.cover(self.hand).cards;
        card.is_joker() || self.outlook.fits(card) || more()
    }

    fn discard(&mut self, taken: Option<Card>) -> Turn {
        if self.outlook.loose(self.hand) <= 1 {
            return Turn::Out;
        }
        let may = |card: Card| !card.is_joker() && taken.is_none_or(|taken| taken.face() != card.face());
        match self.outlook.weakest(self.hand, may) {
            Some(card) => {
                self.hand = without(self.hand, card);
                Turn::Discarded(card)
            }
            None => Turn::Out,
        }
    }
}

/// When a racer is out, in tenths of a turn: later by what is loose if the race is too short for it.
pub(crate) fn finish(racer: &mut Racer<'_>, stock: &[Card], offers: &[Option<Card>], from: usize) -> f32 {
    for (turn, &card) in stock.iter().enumerate().take(TURNS).skip(from) {
        if let Turn::Out = racer.turn(offers.get(turn).copied().flatten(), card) {
            return turn as f32;
        }
    }
    stock.len().min(TURNS) as f32 + racer.outlook.loose(racer.hand) as f32
}
