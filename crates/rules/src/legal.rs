//! What a seat may do now, by face: every command of a single step that [`decide`](crate::decide::decide)
//! would accept from it.

mod generate;
mod shape;

pub use generate::{legal_moves, legal_moves_into};
pub(crate) use shape::Making;
pub use shape::MeldShape;

use crate::card::{Card, Face};
use crate::cards::Cards;
use crate::command::{Command, End, MeldId, Source};
use crate::meld::Named;

/// A command of a single step. Both copies of a card are one move, and so are all jokers of a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LegalMove {
    /// Draw a card.
    Draw(Source),
    /// Lay one meld.
    Meld(MeldShape),
    /// Lay off one card.
    LayOff(LayOffMove),
    /// Swap a joker.
    Swap(SwapMove),
    /// Discard a card of the face.
    Discard(Face),
    /// Take back the plays of the turn.
    Undo,
}

/// One card laid off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayOffMove {
    /// Onto which meld.
    pub meld: MeldId,
    /// A card of which face.
    pub face: Face,
    /// At which end of a run; `None` for a group.
    pub end: Option<End>,
}

/// A joker swapped for the card it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SwapMove {
    /// In which meld.
    pub meld: MeldId,
    /// The face of the card from the hand.
    pub face: Face,
    /// The joker on the table.
    pub joker: Card,
}

/// Everything that a seat may do now. Empty while it is another's turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LegalMoves {
    hand: Cards,
    /// The joker that must be laid, and whether laying it off won't do (RULES 5).
    pending: Option<(Card, bool)>,
    draws: &'static [Source],
    melds: Vec<MeldShape>,
    lay_offs: Vec<LayOffMove>,
    swaps: Vec<SwapMove>,
    discards: u64,
    undo: bool,
    ready: bool,
    leave: bool,
}

impl LegalMoves {
    /// Where a card may be drawn from.
    pub fn draws(&self) -> &[Source] {
        self.draws
    }

    /// The melds that may be laid, each as a command of its own. An opening of several melds isn't among them:
    /// see [`opening_exists`](crate::suggest::opening_exists).
    pub fn melds(&self) -> &[MeldShape] {
        &self.melds
    }

    /// The cards that may be laid off, each as a command of its own.
    pub fn lay_offs(&self) -> &[LayOffMove] {
        &self.lay_offs
    }

    /// The jokers that may be swapped.
    pub fn swaps(&self) -> &[SwapMove] {
        &self.swaps
    }

    /// The faces that may be discarded.
    pub fn discards(&self) -> impl ExactSizeIterator<Item = Face> + Clone + use<> {
        Faces(self.discards)
    }

    /// Whether a card of the face may be discarded.
    pub fn may_discard(&self, face: Face) -> bool {
        self.discards & face.bit() != 0
    }

    /// Whether there are plays to take back (RULES 18).
    pub fn may_undo(&self) -> bool {
        self.undo
    }

    /// Whether the seat may say that it is ready for the next deal. Not among the moves of
    /// [`iter`](Self::iter), since it needs a seed.
    pub fn may_get_ready(&self) -> bool {
        self.ready
    }

    /// Whether the seat may leave before the first deal or between deals. Giving up in a running deal is
    /// always possible and not listed.
    pub fn may_leave(&self) -> bool {
        self.leave
    }

    /// How many moves [`iter`](Self::iter) gives.
    pub fn len(&self) -> usize {
        self.draws.len()
            + self.melds.len()
            + self.lay_offs.len()
            + self.swaps.len()
            + self.discards.count_ones() as usize
            + usize::from(self.undo)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The moves, each once.
    pub fn iter(&self) -> impl Iterator<Item = LegalMove> + Clone + '_ {
        let draws = self.draws.iter().map(|&source| LegalMove::Draw(source));
        let melds = self.melds.iter().map(|&meld| LegalMove::Meld(meld));
        let lay_offs = self.lay_offs.iter().map(|&lay_off| LegalMove::LayOff(lay_off));
        let swaps = self.swaps.iter().map(|&swap| LegalMove::Swap(swap));
        let discards = self.discards().map(LegalMove::Discard);
        let undo = self.undo.then_some(LegalMove::Undo);
        draws.chain(melds).chain(lay_offs).chain(swaps).chain(discards).chain(undo)
    }

    /// The move at an index, in the order of [`iter`](Self::iter).
    pub fn get(&self, index: usize) -> Option<LegalMove> {
        let mut index = index;
        // Whether the index is within the next part; otherwise it becomes an index into what follows.
        let mut within = |len: usize| {
            let here = index;
            index = index.wrapping_sub(len);
            (here < len).then_some(here)
        };
        if let Some(i) = within(self.draws.len()) {
            return self.draws.get(i).map(|&source| LegalMove::Draw(source));
        }
        if let Some(i) = within(self.melds.len()) {
            return self.melds.get(i).map(|&meld| LegalMove::Meld(meld));
        }
        if let Some(i) = within(self.lay_offs.len()) {
            return self.lay_offs.get(i).map(|&lay_off| LegalMove::LayOff(lay_off));
        }
        if let Some(i) = within(self.swaps.len()) {
            return self.swaps.get(i).map(|&swap| LegalMove::Swap(swap));
        }
        if let Some(i) = within(self.discards.count_ones() as usize) {
            return self.discards().nth(i).map(LegalMove::Discard);
        }
        (self.undo && index == 0).then_some(LegalMove::Undo)
    }

    /// The move as a command, with cards of the hand these moves were made for: a pending joker before others,
    /// then the lowest copies. `None` if the move isn't one of that hand.
    pub fn command(&self, step: LegalMove) -> Option<Command> {
        Some(match step {
            LegalMove::Draw(source) => Command::Draw(source),
            LegalMove::Meld(shape) => {
                Command::Meld(vec![shape.meld(self.hand, self.pending.map(|(joker, _)| joker))?.named()])
            }
            LegalMove::LayOff(LayOffMove { meld, face, end }) => {
                let card = match self.pending {
                    Some((joker, false)) if face.is_joker() => joker,
                    // The pending one may not be laid off, but another may.
                    Some((joker, true)) if face.is_joker() => {
                        self.hand.jokers().iter().find(|&other| other != joker)?
                    }
                    _ => self.hand.pick(face)?,
                };
                Command::LayOff { meld, cards: vec![Named::from(card)], end }
            }
            LegalMove::Swap(SwapMove { meld, face, joker }) => {
                Command::SwapJoker { meld, card: self.hand.pick(face)?, joker: Some(joker) }
            }
            LegalMove::Discard(face) => Command::Discard(self.hand.pick(face)?),
            LegalMove::Undo => Command::Undo,
        })
    }

    /// Forgets the moves and keeps the memory.
    fn clear(&mut self) {
        let Self { melds, lay_offs, swaps, .. } = std::mem::take(self);
        *self = Self { melds, lay_offs, swaps, ..Self::default() };
        self.melds.clear();
        self.lay_offs.clear();
        self.swaps.clear();
    }
}

/// The faces of a set, from its lowest bit.
#[derive(Clone)]
struct Faces(u64);

impl Iterator for Faces {
    type Item = Face;

    fn next(&mut self) -> Option<Face> {
        if self.0 == 0 {
            return None;
        }
        let face = Face::from_bit(self.0.trailing_zeros());
        self.0 &= self.0 - 1;
        Some(face)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Faces {}
