//! What the engine says of a case.

use remik_rules::card::Card;
use remik_rules::event::{DealEnded, Event, Full, Outcome, Viewer};
use remik_rules::refusal::Refusal;
use remik_rules::seat::Seat;
use remik_rules::view::{DealView, Stage};
use serde_json::Value;

use super::play::Game;
use super::split::Split;
use super::unclear::{self, Unclear, letter};

/// The fact that compares a [`Split`].
pub(super) const BEST_SPLIT: &str = "best_split";

/// What was found out.
pub(super) enum Finding {
    /// Actions were played.
    Judged(Box<Judged>),
    /// Deals were dealt; `many` if the case asks for several.
    Dealt { deals: Vec<DealView>, many: bool },
    /// The standings after a deal.
    Standing(Outlook),
    /// What a meld is worth.
    Worth(u16),
    /// How a hand is best melded.
    Split(Split),
}

/// A game after the last action, and the answer to that.
pub(super) struct Judged {
    pub(super) game: Game,
    pub(super) answer: Result<Vec<Event<Full>>, Refusal>,
}

/// Where a game stands after a deal.
pub(super) struct Outlook {
    /// By seat, from 1.
    pub(super) places: Vec<u8>,
    pub(super) totals: Vec<i32>,
    pub(super) over: bool,
    pub(super) eliminated: Vec<Seat>,
    /// How many deals have been played.
    pub(super) deals: u16,
    /// How the deal ended, if it was played.
    pub(super) outcome: Option<Outcome>,
}

impl Finding {
    /// The points of each seat: those of a finished deal, else those credited so far.
    pub(super) fn scores(&self) -> Option<Vec<(Seat, i32)>> {
        let Self::Judged(judged) = self else { return None };
        if let Some(ended) = judged.deal_ended() {
            return Some(ended.scores.clone());
        }
        let deal = judged.deal()?;
        let seats = Seat::first(deal.credited.len() as u8);
        Some(seats.zip(deal.credited.iter().map(|credited| i32::from(*credited))).collect())
    }

    /// Where the game stands, if a deal is over.
    pub(super) fn outlook(&self) -> Option<Outlook> {
        let judged = match self {
            Self::Standing(outlook) => return Some(outlook.clone()),
            Self::Judged(judged) => judged,
            Self::Dealt { .. } | Self::Worth(_) | Self::Split(_) => return None,
        };
        let ended = judged.deal_ended()?;
        let (places, over) = match judged.game.table.view(Viewer::Public).stage {
            Stage::Over { places, .. } => (places, true),
            _ => (Vec::new(), false),
        };
        Some(Outlook {
            places,
            totals: ended.totals.clone(),
            over,
            eliminated: ended.eliminated.clone(),
            deals: judged.game.table.deals(),
            outcome: Some(ended.outcome),
        })
    }

    /// A fact of a case's `result`; null where there is no such thing, as a stock after the deal.
    pub(super) fn fact(&self, name: &str) -> Result<Value, Unclear> {
        match self {
            Self::Judged(judged) => judged.fact(name),
            Self::Dealt { deals, many } => {
                let facts = deals.iter().map(|deal| dealt_fact(deal, name)).collect::<Result<Vec<_>, _>>()?;
                match facts.into_iter().next() {
                    Some(fact) if !many => Ok(fact),
                    _ => deals.iter().map(|deal| dealt_fact(deal, name)).collect(),
                }
            }
            Self::Split(split) if name == BEST_SPLIT => Ok(split.to_string().into()),
            Self::Standing(_) | Self::Worth(_) | Self::Split(_) => Err(Unclear::Expectation(name.to_owned())),
        }
    }
}

impl Clone for Outlook {
    fn clone(&self) -> Self {
        Self {
            places: self.places.clone(),
            totals: self.totals.clone(),
            eliminated: self.eliminated.clone(),
            ..*self
        }
    }
}

impl Judged {
    fn deal_ended(&self) -> Option<&DealEnded> {
        self.game.events.iter().rev().find_map(|event| match event {
            Event::DealEnded(ended) => Some(ended.as_ref()),
            _ => None,
        })
    }

    fn deal(&self) -> Option<Box<DealView>> {
        match self.game.table.view(Viewer::Public).stage {
            Stage::Playing(deal) => Some(deal),
            _ => None,
        }
    }

    /// What the melds of the last action are worth, as far as the answer tells.
    pub(super) fn meld_points(&self) -> Option<u16> {
        match &self.answer {
            Ok(events) => events.iter().find_map(|event| match event {
                Event::Melded { points, .. } => Some(*points),
                _ => None,
            }),
            Err(Refusal::OpeningBelowMinimum { have, .. }) => Some(*have),
            Err(Refusal::OpeningWithoutPureRun { points }) => Some(*points),
            Err(_) => None,
        }
    }

    fn fact(&self, name: &str) -> Result<Value, Unclear> {
        let events = self.game.events.iter().rev();
        match name {
            "shuffled" => return Ok(self.game.dice.stock_shuffled.into()),
            "drawn" => {
                let mut drawn = events.filter_map(|event| match event {
                    Event::StockDrawn { card, .. } | Event::DiscardTaken { card, .. } => Some(*card),
                    _ => None,
                });
                return Ok(code(drawn.next()));
            }
            _ => {}
        }
        // Where no deal is running any more, the rest is gone; an unknown name is unknown all the same.
        match self.deal() {
            Some(deal) => running_fact(&deal, name),
            None => Ok(Value::Null),
        }
    }
}

fn running_fact(deal: &DealView, name: &str) -> Result<Value, Unclear> {
    if let Ok(seat) = unclear::seat(name) {
        return Ok(deal.hand_counts.get(seat.index()).copied().into());
    }
    Ok(match name {
        "discard" => deal.pile.iter().map(Card::to_string).collect(),
        "discard_top" => code(deal.pile.last().copied()),
        "total_cards" => card_count(deal).into(),
        _ => return dealt_fact(deal, name),
    })
}

fn dealt_fact(deal: &DealView, name: &str) -> Result<Value, Unclear> {
    Ok(match name {
        // The dealer's: a starter may have one card more.
        "hand" => deal.hand_counts.get(deal.dealer.index()).copied().into(),
        "starter_hand" => deal.hand_counts.get(deal.starter.index()).copied().into(),
        "upcard" => deal.pile.len().into(),
        "stock" => deal.stock_count.into(),
        "deck" => card_count(deal).into(),
        "dealer" => letter(deal.dealer).to_string().into(),
        "starter" => letter(deal.starter).to_string().into(),
        _ => return Err(Unclear::Expectation(name.chars().take(32).collect())),
    })
}

/// All cards of a deal, wherever they are.
fn card_count(deal: &DealView) -> usize {
    let hands: usize = deal.hand_counts.iter().map(|count| usize::from(*count)).sum();
    let melds: usize = deal.melds.iter().map(|meld| meld.meld.cards.len()).sum();
    hands + melds + deal.pile.len() + usize::from(deal.stock_count)
}

fn code(card: Option<Card>) -> Value {
    card.map(|card| card.to_string()).into()
}
