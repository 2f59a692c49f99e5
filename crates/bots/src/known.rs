//! What a player sees and remembers, and tables that he imagines from it: the hidden cards dealt by chance.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::ruleset::MAX_SEATS;
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use remik_rules::view::{DealView, Standing, View};

use crate::dice::Dice;
use crate::memory::{Memory, Stock};

/// What a player knows in the running deal.
pub(crate) struct Known<'a> {
    pub(crate) view: &'a View,
    pub(crate) deal: &'a DealView,
    pub(crate) memory: &'a Memory,
    pub(crate) seat: Seat,
    pub(crate) hand: Cards,
}

impl Known<'_> {
    /// The cards whose place is unknown: in the stock or in others' hands.
    pub(crate) fn unseen(&self) -> Cards {
        let melds = self.deal.melds.iter().flat_map(|laid| laid.meld.cards.iter().copied());
        let open: Cards = melds.chain(self.deal.pile.iter().copied()).collect();
        let known = self.memory.known.iter().fold(self.hand.union(open), |all, hand| all.union(*hand));
        self.view.rules.pack.cards().without(known)
    }

    /// The others who play, from the next one on.
    pub(crate) fn others(&self) -> impl Iterator<Item = Seat> + Clone {
        let seats = self.view.seats.len() as u8;
        let in_turn = (1..seats).filter_map(move |n| Seat::new((self.seat.number() + n) % seats));
        in_turn.filter(|seat| {
            let plays = self.view.seats[seat.index()].standing == Standing::In;
            plays && self.deal.hand_counts[seat.index()] > 0
        })
    }

    /// How many cards he has who has fewest, among the others.
    pub(crate) fn fewest_opposing(&self) -> usize {
        self.others().map(|seat| usize::from(self.deal.hand_counts[seat.index()])).min().unwrap_or(0)
    }

    /// A table that fits all that is known; each is as likely as any other. `None` if none fits, which happens
    /// only when the player wasn't told everything since the deal.
    pub(crate) fn imagine(&self, dice: &mut Dice) -> Option<Table> {
        let (hands, stock) = self.imagine_cards(dice)?;
        self.view.imagine(&hands, stock)
    }

    /// The hidden cards of such a table: the others' hands, by seat, and the stock, the next card last.
    pub(crate) fn imagine_cards(&self, dice: &mut Dice) -> Option<([Cards; MAX_SEATS], Vec<Card>)> {
        let unseen = self.unseen();
        let mut stock = self.imagine_stock(unseen, dice);
        let stocked: Cards = stock.iter().copied().collect();
        let mut rest: Vec<Card> = unseen.without(stocked).iter().collect();
        dice.shuffle(&mut rest);
        let mut hands = [Cards::EMPTY; MAX_SEATS];
        for (index, &count) in self.deal.hand_counts.iter().enumerate() {
            if index == self.seat.index() {
                continue;
            }
            hands[index] = self.memory.known[index];
            while hands[index].len() < usize::from(count) {
                hands[index].insert(rest.pop()?);
            }
        }
        // Nothing is known of the stock: it is what the hands leave.
        if self.memory.stock == Stock::Unknown {
            stock = rest;
        }
        Some((hands, stock))
    }

    fn imagine_stock(&self, unseen: Cards, dice: &mut Dice) -> Vec<Card> {
        match &self.memory.stock {
            Stock::Unknown => Vec::new(),
            Stock::Exactly(order) => order.clone(),
            Stock::Among(cards) => {
                let mut stock: Vec<Card> = cards.iter().filter(|card| unseen.contains(*card)).collect();
                dice.shuffle(&mut stock);
                stock.truncate(usize::from(self.deal.stock_count));
                stock
            }
        }
    }
}
