//! Melds: runs and groups, how a list of cards is read as one, and what its cards are worth.

use arrayvec::ArrayVec;

use crate::card::{Card, Face, Rank, Suit};
use crate::cards::Cards;
use crate::ruleset::{Aces, Ruleset};

/// The most cards a meld has: a run of a whole suit.
pub const LONGEST: usize = 13;

/// The cards of a meld in their order.
pub type MeldCards = ArrayVec<Card, LONGEST>;

/// What kind of meld it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Consecutive cards of a suit; its first card stands at position `low`: 0 the ace, 12 the king. The
    /// positions go on past the king, so 13 is an ace above it.
    Run {
        /// The suit of all its cards.
        suit: Suit,
        /// Position of the first card, 0 to 12.
        low: u8,
    },
    /// Three or four cards of a rank in different suits; a joker stands for no particular suit.
    Group {
        /// The rank of all its cards.
        rank: Rank,
    },
}

/// A legal run or group: cards in their order, jokers among them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Meld {
    /// Run or group, and where it stands.
    pub shape: Shape,
    /// Its cards: a run's from low to high.
    pub cards: MeldCards,
}

/// A card as a command names it: a joker may be bound to a face, as in `X1=JS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Named {
    /// The physical card.
    pub card: Card,
    /// The natural face that a joker is to stand for. Binding a natural card to its own face is allowed.
    pub stands_for: Option<Face>,
}

impl From<Card> for Named {
    fn from(card: Card) -> Self {
        Self { card, stands_for: None }
    }
}

impl Named {
    /// The face that it must have in a meld, or `None` for a free joker.
    pub(crate) fn face(self) -> Option<Face> {
        if self.card.is_joker() { self.stands_for } else { Some(self.card.face()) }
    }
}

/// Why a list of cards is no meld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MeldFault {
    /// Fewer than three cards.
    #[error("a meld has at least three cards, not {0}")]
    TooShort(usize),
    /// More cards than a run can have.
    #[error("a meld has at most thirteen cards, not {0}")]
    TooLong(usize),
    /// More jokers than natural cards.
    #[error("{jokers} jokers, but only {naturals} natural cards")]
    TooManyJokers {
        /// Jokers among the cards.
        jokers: usize,
        /// Natural cards among them.
        naturals: usize,
    },
    /// Neither one suit nor one rank.
    #[error("the cards are neither of one suit nor of one rank")]
    Mixed,
    /// A group with two cards of a suit, or a run with a face twice.
    #[error("{0} would be there twice")]
    FaceTwice(Face),
    /// More than four cards of a rank.
    #[error("a group has at most four cards, not {0}")]
    GroupTooLarge(usize),
    /// The cards of the suit leave gaps that the jokers don't fill, or go past an end.
    #[error("the cards of the suit are not consecutive")]
    NotConsecutive,
    /// The only runs that fit have two jokers side by side.
    #[error("two jokers would lie side by side")]
    AdjacentJokers,
    /// A card or joker is bound to a face that it can't have.
    #[error("{0} can't stand for {1}")]
    WrongBinding(Card, Face),
}

/// What a card is worth at a position of a run (RULES 1): an ace counts 1 as the first card of its run, and
/// 11 at the high end or, with round the corner, in the middle.
pub(crate) const fn run_value(position: u8) -> u16 {
    match position {
        0 => 1,
        13 => 11,
        _ => {
            let pips = (position % 13) as u16 + 1;
            if pips > 10 { 10 } else { pips }
        }
    }
}

/// What a card is worth in a group (RULES 1): an ace counts 11 where aces may be high.
pub(crate) fn group_value(rank: Rank, aces: Aces) -> u16 {
    if rank == Rank::Ace && aces != Aces::Low { 11 } else { rank.pips() }
}

/// Whether a run of this many cards may begin at a position: it may not go past the highest place of an ace.
pub(crate) const fn run_fits(low: u8, len: usize, aces: Aces) -> bool {
    len <= LONGEST
        && match aces {
            Aces::Low => low as usize + len <= 13,
            Aces::HighOrLow => low as usize + len <= 14,
            Aces::RoundTheCorner => true,
        }
}

impl Meld {
    /// Reads a list of cards as a meld (RULES 2). A list that is a legal run as written is that run; any other
    /// takes the reading worth most, at equal worth the higher run. Bound jokers keep their faces.
    ///
    /// # Errors
    /// Why no reading is legal.
    pub fn read(cards: &[Named], rules: &Ruleset) -> Result<Self, MeldFault> {
        if cards.len() < 3 {
            return Err(MeldFault::TooShort(cards.len()));
        }
        if cards.len() > LONGEST {
            return Err(MeldFault::TooLong(cards.len()));
        }
        let jokers = cards.iter().filter(|c| c.card.is_joker()).count();
        let naturals = cards.len() - jokers;
        if jokers > naturals {
            return Err(MeldFault::TooManyJokers { jokers, naturals });
        }
        check_bindings(cards)?;
        // At least two natural cards: a run's differ in rank and share their suit, a group's the other way.
        let mut known = cards.iter().filter_map(|c| c.face()?.natural());
        let Some((rank, suit)) = known.next() else { return Err(MeldFault::Mixed) };
        if known.clone().all(|(_, s)| s == suit) && known.clone().any(|(r, _)| r != rank) {
            read_run(cards, suit, rules)
        } else if known.all(|(r, _)| r == rank) {
            read_group(cards, rank)
        } else {
            Err(MeldFault::Mixed)
        }
    }

    /// What all its cards are worth on the table (RULES 1).
    pub fn points(&self, aces: Aces) -> u16 {
        (0..self.cards.len()).map(|i| self.value_at(i, aces)).sum()
    }

    /// What the card at an index is worth there.
    pub fn value_at(&self, index: usize, aces: Aces) -> u16 {
        match self.shape {
            Shape::Run { low, .. } => run_value(low + index as u8),
            Shape::Group { rank } => group_value(rank, aces),
        }
    }

    /// The face that stands at an index: in a run a joker's too, in a group only a natural card's.
    pub fn face_at(&self, index: usize) -> Option<Face> {
        match self.shape {
            Shape::Run { suit, low } => Some(Face::new(Rank::at(low + index as u8), suit)),
            Shape::Group { .. } => self.cards.get(index).map(|c| c.face()).filter(|f| !f.is_joker()),
        }
    }

    /// Whether it is a run.
    pub const fn is_run(&self) -> bool {
        matches!(self.shape, Shape::Run { .. })
    }

    /// Whether it is a run without a joker (RULES 3).
    pub fn is_pure_run(&self) -> bool {
        self.is_run() && self.jokers() == 0
    }

    /// How many of its cards are jokers.
    pub fn jokers(&self) -> usize {
        self.cards.iter().filter(|c| c.is_joker()).count()
    }

    /// Its cards as a set.
    pub fn set(&self) -> Cards {
        self.cards.iter().copied().collect()
    }

    /// The suits that a group's natural cards have, as bits.
    pub(crate) fn suits(&self) -> u8 {
        self.cards.iter().filter_map(|c| c.face().suit()).fold(0, |bits, suit| bits | 1 << suit as u8)
    }
}

fn check_bindings(cards: &[Named]) -> Result<(), MeldFault> {
    for named in cards {
        if let Some(face) = named.stands_for
            && (face.is_joker() || !(named.card.is_joker() || named.card.face() == face))
        {
            return Err(MeldFault::WrongBinding(named.card, face));
        }
    }
    Ok(())
}

fn read_group(cards: &[Named], rank: Rank) -> Result<Meld, MeldFault> {
    if cards.len() > 4 {
        return Err(MeldFault::GroupTooLarge(cards.len()));
    }
    let mut faces = 0;
    for face in cards.iter().filter_map(|c| c.face()) {
        if faces & face.bit() != 0 {
            return Err(MeldFault::FaceTwice(face));
        }
        faces |= face.bit();
    }
    Ok(Meld { shape: Shape::Group { rank }, cards: cards.iter().map(|c| c.card).collect() })
}

fn read_run(cards: &[Named], suit: Suit, rules: &Ruleset) -> Result<Meld, MeldFault> {
    let mut ranks = 0u16;
    for face in cards.iter().filter_map(|c| c.face()) {
        let rank = 1 << (face.bit().trailing_zeros() & 15);
        if ranks & rank != 0 {
            return Err(MeldFault::FaceTwice(face));
        }
        ranks |= rank;
    }
    let mut fault = MeldFault::NotConsecutive;
    let mut fits = |placed: &MeldCards| {
        let fits = rules.adjacent_jokers || !placed.windows(2).any(|w| w[0].is_joker() && w[1].is_joker());
        if !fits {
            fault = MeldFault::AdjacentJokers;
        }
        fits
    };
    if let Some(low) = written_low(cards, rules.aces) {
        let placed = cards.iter().map(|named| named.card).collect();
        if fits(&placed) {
            return Ok(Meld { shape: Shape::Run { suit, low }, cards: placed });
        }
    }
    for low in best_lows(ranks, cards.len(), rules.aces) {
        let placed = place(cards, low);
        if fits(&placed) {
            return Ok(Meld { shape: Shape::Run { suit, low }, cards: placed });
        }
    }
    Err(fault)
}

/// The position at which the list is a run just as it is written.
fn written_low(cards: &[Named], aces: Aces) -> Option<u8> {
    let mut ranks = cards.iter().enumerate().filter_map(|(i, c)| Some((i as u8, c.face()?.rank()? as u8)));
    let (i, rank) = ranks.next()?;
    let low = (13 + rank - i) % 13;
    (ranks.all(|(i, rank)| (low + i) % 13 == rank) && run_fits(low, cards.len(), aces)).then_some(low)
}

/// The positions at which a run of this many cards can begin and hold all the ranks: dearest first, at equal
/// worth the higher one.
fn best_lows(ranks: u16, len: usize, aces: Aces) -> ArrayVec<u8, 13> {
    let worth = |low: u8| (low..low + len as u8).map(run_value).sum::<u16>();
    let mut lows: ArrayVec<u8, 13> =
        (0..13).filter(|&low| run_fits(low, len, aces) && ranks & !window(low, len) == 0).collect();
    lows.sort_unstable_by_key(|&low| std::cmp::Reverse((worth(low), low)));
    lows
}

/// The ranks of a run as bits, past the king again from the ace.
pub(crate) const fn window(low: u8, len: usize) -> u16 {
    let bits = ((1u32 << len) - 1) << low;
    ((bits | bits >> 13) & 0x1FFF) as u16
}

/// Puts each card at its place: known faces at theirs, free jokers in the gaps in the order given.
fn place(cards: &[Named], low: u8) -> MeldCards {
    let mut free = cards.iter().filter(|c| c.face().is_none());
    (low..low + cards.len() as u8)
        .filter_map(|position| {
            let rank = Some(Rank::at(position));
            let known = cards.iter().find(|c| c.face().is_some_and(|face| face.rank() == rank));
            known.or_else(|| free.next()).map(|c| c.card)
        })
        .collect()
}
