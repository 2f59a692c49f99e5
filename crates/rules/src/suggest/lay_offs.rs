//! The best lay-offs: for each meld on the table and each end of it, what is worth most there.

use std::cmp::Reverse;

use crate::card::{Face, Rank, Suit};
use crate::cards::Cards;
use crate::command::{Command, End, MeldId};
use crate::lay_off::lay_off;
use crate::meld::{LONGEST, Meld, Named, Shape};
use crate::ruleset::Ruleset;
use crate::view::TableMeld;

/// Cards to lay off in one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayOffSuggestion {
    /// Onto which meld.
    pub meld: MeldId,
    /// The cards, from the meld outwards; a run's jokers bound to their places.
    pub cards: Vec<Named>,
    /// At which end of a run; `None` for a group.
    pub end: Option<End>,
    /// What they are worth there.
    pub points: u16,
    /// How many of them are jokers.
    pub jokers_used: usize,
}

impl LayOffSuggestion {
    /// The command that lays the cards off.
    pub fn command(&self) -> Command {
        Command::LayOff { meld: self.meld, cards: self.cards.clone(), end: self.end }
    }
}

/// For each end of each meld the lay-off worth most without jokers and, where it is worth more, the one with as
/// few jokers as it needs. Each stands for itself, and may use the same cards as another. They leave a card
/// where a discard is required (RULES 6). The dearest come first, of equal ones those with fewer jokers, then
/// in the order of the melds.
///
/// Whether the player may lay off at all (RULES 4, 5, 14) is not looked at.
pub fn suggest_lay_offs(hand: Cards, melds: &[TableMeld], rules: &Ruleset) -> Vec<LayOffSuggestion> {
    let mut found = Vec::new();
    for TableMeld { id, meld, .. } in melds {
        match meld.shape {
            Shape::Run { suit, low } => {
                for end in [End::Low, End::High] {
                    let faces = outwards(suit, low, meld.cards.len(), end);
                    best(hand, *id, meld, Some(end), &faces, rules, &mut found);
                }
            }
            Shape::Group { rank } => {
                let lacks = |suit: &Suit| meld.suits() & 1 << *suit as u8 == 0;
                let missing = Suit::ALL.into_iter().filter(lacks).map(|suit| Face::new(rank, suit));
                // One card fills a group of three.
                let face =
                    missing.clone().find(|&face| hand.count(face) > 0).or_else(|| missing.clone().next());
                best(hand, *id, meld, None, face.as_slice(), rules, &mut found);
            }
        }
    }
    found.sort_by_key(|s| (Reverse(s.points), s.jokers_used, s.meld));
    found
}

/// The faces that a run goes on with at an end, as far as a suit goes.
fn outwards(suit: Suit, low: u8, len: usize, end: End) -> Vec<Face> {
    let more = LONGEST.saturating_sub(len) as u8;
    let position = |i: u8| match end {
        End::High => low + len as u8 + i,
        End::Low => low + 12 - i,
    };
    (0..more).map(|i| Face::new(Rank::at(position(i)), suit)).collect()
}

/// The longest lay-offs of these faces in their order, jokers where the hand has no card: without jokers and
/// with. The longest is the dearest, for every card counts; and a joker in a natural card's place only costs.
fn best(
    hand: Cards,
    id: MeldId,
    meld: &Meld,
    end: Option<End>,
    faces: &[Face],
    rules: &Ruleset,
    found: &mut Vec<LayOffSuggestion>,
) {
    let most = hand.len().saturating_sub(usize::from(rules.final_discard));
    let mut jokers = hand.jokers().iter();
    let mut cards = Vec::new();
    let mut jokers_used = 0;
    let (mut without, mut with) = (None, None);
    for &face in faces.iter().take(most) {
        let Some(card) = hand.pick(face).or_else(|| jokers.next()) else { break };
        let bound = card.is_joker() && meld.is_run();
        cards.push(Named { card, stands_for: bound.then_some(face) });
        jokers_used += usize::from(card.is_joker());
        if let Ok(laid) = lay_off(meld, &cards, end, rules) {
            let longest = if jokers_used == 0 { &mut without } else { &mut with };
            *longest = Some(LayOffSuggestion {
                meld: id,
                cards: cards.clone(),
                end,
                points: laid.points,
                jokers_used,
            });
        }
    }
    found.extend(without.into_iter().chain(with));
}
