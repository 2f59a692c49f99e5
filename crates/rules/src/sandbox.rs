//! Games whose decks somebody has chosen, to try a screen or a rule. Such a game is marked from its second event on:
//! its shuffles prove nothing.

use crate::card::Card;
use crate::cards::Cards;
use crate::chance::Seed;
use crate::ruleset::{Ruleset, RulesetFault};
use crate::seat::{Seat, Seats};

/// The most deals that can be chosen for a game.
pub const MOST_DEALS: usize = 100;

/// What is chosen for a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrangement {
    /// What all chance of the game follows from, so that the same commands give the same game once more.
    pub seed: Seed,
    /// Who deals first; as the rules find it if not given (RULES 19).
    pub first_dealer: Option<Seat>,
    /// The first deals, in order; the ones after them are shuffled.
    pub deals: Vec<ArrangedDeal>,
}

/// Where chosen cards of a deal go. Cards that aren't chosen fill the other places as they were shuffled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArrangedDeal {
    /// The first cards of seats' hands, each seat once. In a game that gives its starter a card more, a hand may
    /// have that card too; it counts if the seat starts.
    pub hands: Vec<(Seat, Vec<Card>)>,
    /// The card that starts the discard pile.
    pub upcard: Option<Card>,
    /// The first cards of the stock, the one to be drawn first at the front.
    pub stock: Vec<Card>,
}

/// Why a game can't be arranged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxFault {
    /// The rules don't go together, or don't allow so many seats.
    #[error(transparent)]
    Ruleset(#[from] RulesetFault),
    /// The first dealer has no seat at the table.
    #[error("the first dealer's seat {seat} isn't one of {seats}")]
    Dealer {
        /// The seat.
        seat: Seat,
        /// How many there are.
        seats: u8,
    },
    /// Too many deals.
    #[error("{0} deals are more than {MOST_DEALS}")]
    TooManyDeals(usize),
    /// Something is wrong with a deal.
    #[error("{problem}")]
    Deal {
        /// Which of the chosen deals, from 0.
        deal: usize,
        /// Where in it.
        place: Place,
        /// What is wrong.
        problem: ArrangementProblem,
    },
}

/// A place in an arranged deal. All numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A hand, by its place in the list of hands.
    Hand(usize),
    /// A card of a hand: the hand's place in the list, then the card's in the hand.
    HandCard(usize, usize),
    /// The card that starts the discard pile.
    Upcard,
    /// The stock.
    Stock,
    /// A card of the stock.
    StockCard(usize),
}

/// What is wrong at a place of an arranged deal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArrangementProblem {
    /// The game's pack hasn't got the card.
    #[error("the pack has no {0}")]
    NotInPack(Card),
    /// The card is in the deal already.
    #[error("{0} is in the deal twice")]
    Twice(Card),
    /// The table has no such seat.
    #[error("there is no seat {seat} among {seats}")]
    NoSuchSeat {
        /// The seat.
        seat: Seat,
        /// How many there are.
        seats: u8,
    },
    /// The seat has a hand already.
    #[error("seat {0} has a hand already")]
    SeatTwice(Seat),
    /// There are more cards than the place takes.
    #[error("{count} cards are more than {most}")]
    TooMany {
        /// How many there are.
        count: usize,
        /// How many there can be.
        most: usize,
    },
    /// The rules turn no card up.
    #[error("no card is turned up by these rules")]
    NoUpcard,
}

impl Arrangement {
    /// Whether a game of these rules with so many seats can be arranged like this.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, rules: &Ruleset, seats: u8) -> Result<(), SandboxFault> {
        if let Some(seat) = self.first_dealer.filter(|seat| seat.number() >= seats) {
            return Err(SandboxFault::Dealer { seat, seats });
        }
        if self.deals.len() > MOST_DEALS {
            return Err(SandboxFault::TooManyDeals(self.deals.len()));
        }
        for (index, deal) in self.deals.iter().enumerate() {
            deal.check(rules, seats).map_err(|(place, problem)| SandboxFault::Deal {
                deal: index,
                place,
                problem,
            })?;
        }
        Ok(())
    }
}

impl ArrangedDeal {
    fn check(&self, rules: &Ruleset, seats: u8) -> Result<(), (Place, ArrangementProblem)> {
        let layout = Layout::of(rules, seats);
        let mut seated = Seats::EMPTY;
        let mut left = rules.pack.cards();
        let mut take = |place, card| match (left.remove(card), rules.pack.cards().contains(card)) {
            (true, _) => Ok(()),
            (false, true) => Err((place, ArrangementProblem::Twice(card))),
            (false, false) => Err((place, ArrangementProblem::NotInPack(card))),
        };
        for (index, (seat, cards)) in self.hands.iter().enumerate() {
            let fault = |problem| Err((Place::Hand(index), problem));
            if seat.number() >= seats {
                return fault(ArrangementProblem::NoSuchSeat { seat: *seat, seats });
            }
            if seated.contains(*seat) {
                return fault(ArrangementProblem::SeatTwice(*seat));
            }
            seated.insert(*seat);
            let most = layout.hand + layout.extra;
            if cards.len() > most {
                return fault(ArrangementProblem::TooMany { count: cards.len(), most });
            }
            for (at, card) in cards.iter().enumerate() {
                take(Place::HandCard(index, at), *card)?;
            }
        }
        if let Some(card) = self.upcard {
            if !rules.upcard {
                return Err((Place::Upcard, ArrangementProblem::NoUpcard));
            }
            take(Place::Upcard, card)?;
        }
        let most = rules.pack.size().saturating_sub(layout.stock_from());
        if self.stock.len() > most {
            return Err((Place::Stock, ArrangementProblem::TooMany { count: self.stock.len(), most }));
        }
        for (at, card) in self.stock.iter().enumerate() {
            take(Place::StockCard(at), *card)?;
        }
        Ok(())
    }

    /// The deck that gives these cards when it is dealt to seats in an order, the rest as it lies in a shuffled
    /// deck. What has no place in this deal, since fewer are dealt in or another seat starts, stays in the rest.
    pub(crate) fn stack(&self, shuffled: Vec<Card>, rules: &Ruleset, order: &[Seat]) -> Vec<Card> {
        // There are at most as many as seats.
        let layout = Layout::of(rules, order.len() as u8);
        let mut places: Vec<Option<Card>> = vec![None; shuffled.len()];
        let mut put = |at: usize, card: Card| {
            if let Some(place) = places.get_mut(at) {
                *place = Some(card);
            }
        };
        for (turn, seat) in order.iter().enumerate() {
            let Some((_, hand)) = self.hands.iter().find(|(of, _)| of == seat) else { continue };
            for (round, card) in hand.iter().enumerate() {
                if round < layout.hand {
                    put(round * layout.seats + turn, *card);
                } else if turn == 0 && round < layout.hand + layout.extra {
                    put(layout.seats * layout.hand, *card);
                }
            }
        }
        if let Some(card) = self.upcard.filter(|_| rules.upcard) {
            put(layout.stock_from() - 1, card);
        }
        for (at, card) in self.stock.iter().enumerate() {
            put(layout.stock_from() + at, *card);
        }
        let chosen: Cards = places.iter().flatten().copied().collect();
        let mut rest = shuffled.into_iter().filter(|card| !chosen.contains(*card));
        places.into_iter().filter_map(|place| place.or_else(|| rest.next())).collect()
    }
}

/// How a deck is dealt: hands one card at a time, the starter's extra card, the upcard, the stock.
struct Layout {
    seats: usize,
    hand: usize,
    extra: usize,
    upcard: usize,
}

impl Layout {
    fn of(rules: &Ruleset, seats: u8) -> Self {
        Self {
            seats: seats.into(),
            hand: rules.cards_dealt_to(seats).into(),
            extra: rules.starter_gets_extra.into(),
            upcard: rules.upcard.into(),
        }
    }

    fn stock_from(&self) -> usize {
        self.seats * self.hand + self.extra + self.upcard
    }
}
