//! Tables arranged at will: for checking a rule, for tests, for a sandbox. No game gets there by itself, so
//! nothing here belongs to a log.

use crate::card::Card;
use crate::cards::Cards;
use crate::chance::{Commitment, Seed};
use crate::command::MeldId;
use crate::lobby::Lobby;
use crate::meld::Meld;
use crate::ruleset::{MAX_SEATS, RULES_VERSION, Ruleset, RulesetFault};
use crate::seat::{PlayerId, Seat, Seats};
use crate::table::{Deal, Part, Phase, Play, SeatState, Table, Turn};
use crate::view::{Standing, TableMeld};

/// A moment of a deal. What isn't said is filled in from the rest of the pack.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The rules.
    pub rules: Ruleset,
    /// How many seats are taken: 2 to 6.
    pub seats: u8,
    /// The deal, from 1.
    pub deal: u16,
    /// Who dealt; the starter is the next seat.
    pub dealer: Seat,
    /// Whose turn it is.
    pub turn: Seat,
    /// A card has been drawn: plays and the discard are next.
    pub drawn: bool,
    /// The card drawn from the stock this turn, which is in the hand.
    pub drawn_card: Option<Card>,
    /// The card taken from the pile this turn, which is in the hand.
    pub taken: Option<Card>,
    /// The hands, by seat; a missing one gets as many cards as are dealt, as far as there are any.
    pub hands: Vec<Option<Cards>>,
    /// The melds on the table, with their owners.
    pub melds: Vec<(Seat, Meld)>,
    /// Who has opened.
    pub opened: Seats,
    /// Who has laid something before this turn, by opening or otherwise (RULES 10); the openers always have.
    pub laid: Seats,
    /// The stock, the card to be drawn next first; what is left of the pack if not given.
    pub stock: Option<Vec<Card>>,
    /// The pile, its top last.
    pub pile: Vec<Card>,
    /// How often the stock was used up.
    pub stock_uses: u8,
    /// Turns played, this one included.
    pub turns: u16,
    /// The totals, by seat; missing ones are 0.
    pub totals: Vec<i32>,
}

/// Why a situation can't be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SituationFault {
    /// The rules are inconsistent.
    #[error(transparent)]
    Rules(#[from] RulesetFault),
    /// Not so many seats.
    #[error("a table has 2 to 6 seats, not {0}")]
    Seats(u8),
    /// The pack has no such card.
    #[error("the pack has no {0}")]
    NotInPack(Card),
    /// A card is in two places.
    #[error("{0} is in two places")]
    Twice(Card),
    /// The seat isn't there.
    #[error("there is no seat {0}")]
    NoSuchSeat(Seat),
}

impl Situation {
    /// The first turn of the first deal after the draw, with nothing laid.
    pub fn new(rules: Ruleset, seats: u8) -> Self {
        let first = FIRST;
        Self {
            rules,
            seats,
            deal: 1,
            dealer: Seat::new(seats.saturating_sub(1)).unwrap_or(first),
            turn: first,
            drawn: true,
            drawn_card: None,
            taken: None,
            hands: Vec::new(),
            melds: Vec::new(),
            opened: Seats::EMPTY,
            laid: Seats::EMPTY,
            stock: None,
            pile: Vec::new(),
            stock_uses: 0,
            turns: 1,
            totals: Vec::new(),
        }
    }

    /// The table.
    ///
    /// # Errors
    /// Cards that the pack hasn't or that are in two places, inconsistent rules, seats that aren't there.
    pub fn table(self) -> Result<Table, SituationFault> {
        self.rules.validate()?;
        if !(2..=MAX_SEATS as u8).contains(&self.seats) {
            return Err(SituationFault::Seats(self.seats));
        }
        let seated: Seats = Seat::first(self.seats).collect();
        let owners = self.melds.iter().map(|(owner, _)| *owner);
        if let Some(seat) = [self.turn, self.dealer].into_iter().chain(owners).find(|s| !seated.contains(*s))
        {
            return Err(SituationFault::NoSuchSeat(seat));
        }
        let mut rest = self.take_named()?.into_iter();
        let hands = self.fill_hands(&mut rest);
        let stock = match &self.stock {
            Some(stock) => stock.iter().rev().copied().collect(),
            None => rest.rev().collect(),
        };
        let melds = (1..).zip(&self.melds).map(|(id, (owner, meld))| TableMeld {
            id: MeldId(id),
            owner: *owner,
            meld: meld.clone(),
        });
        let laid: Seats = self.opened.iter().chain(self.laid.iter()).collect();
        let fresh = !laid.contains(self.turn);
        let part =
            if self.drawn { Part::Play(Play::new(self.drawn_card, self.taken, fresh)) } else { Part::Draw };
        let deal = Deal {
            number: self.deal,
            dealer: self.dealer,
            starter: seated.after(self.dealer).unwrap_or(self.turn),
            seed: Seed([0; 32]),
            commitment: Commitment([0; 32]),
            client_seeds: Vec::new(),
            dealt_in: seated,
            active: seated,
            hands,
            stock,
            pile: self.pile.clone(),
            melds: melds.collect(),
            opened: self.opened,
            laid,
            credited: [0; MAX_SEATS],
            stock_uses: self.stock_uses,
            turns: self.turns,
            time_banks: [self.rules.time_bank_millis(); MAX_SEATS],
            turn: Turn { seat: self.turn, deadline: None, part },
        };
        let seat = |seat: Seat| SeatState {
            player: Some(PlayerId(u128::from(seat.number()) + 1)),
            bot: None,
            total: self.totals.get(seat.index()).copied().unwrap_or(0),
            ready: None,
            standing: Standing::In,
            timeouts: 0,
        };
        Ok(Table {
            seats: seated.iter().map(seat).collect(),
            rules: Box::new(self.rules),
            rules_version: RULES_VERSION,
            sandbox: None,
            deals: self.deal,
            last_dealer: Some(self.dealer),
            next_seed: None,
            sheet: Vec::new(),
            phase: Phase::Playing(Box::new(deal)),
            stopped: None,
            lobby: Lobby::default(),
            rematch: None,
        })
    }

    /// The cards of the pack that the situation doesn't name, by code.
    fn take_named(&self) -> Result<Vec<Card>, SituationFault> {
        let mut left = self.rules.pack.cards();
        let pack = left;
        let hands = self.hands.iter().flatten().flat_map(|hand| hand.iter());
        let melds = self.melds.iter().flat_map(|(_, meld)| meld.cards.iter().copied());
        let piles = self.pile.iter().chain(self.stock.iter().flatten()).copied();
        for card in hands.chain(melds).chain(piles) {
            if !pack.contains(card) {
                return Err(SituationFault::NotInPack(card));
            }
            if !left.remove(card) {
                return Err(SituationFault::Twice(card));
            }
        }
        let mut left: Vec<Card> = left.iter().collect();
        crate::pack::sort_by_code(&mut left);
        Ok(left)
    }

    fn fill_hands(&self, rest: &mut impl Iterator<Item = Card>) -> [Cards; MAX_SEATS] {
        let size = usize::from(self.rules.cards_dealt_to(self.seats));
        let mut hands = [Cards::EMPTY; MAX_SEATS];
        for seat in Seat::first(self.seats) {
            hands[seat.index()] = match self.hands.get(seat.index()) {
                Some(Some(hand)) => *hand,
                _ => rest.by_ref().take(size).collect(),
            };
        }
        hands
    }
}

/// The first seat, which every table has.
const FIRST: Seat = match Seat::new(0) {
    Some(seat) => seat,
    None => panic!("there is always a seat 0"),
};
