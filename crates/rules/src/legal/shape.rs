//! Melds by face: which ones a hand can make, whatever the copies.

use crate::card::{Card, Face, Rank, Suit};
use crate::cards::Cards;
use crate::meld::{LONGEST, Meld, Named, Shape, group_value, run_fits, run_value};
use crate::ruleset::{Aces, Ruleset};

/// A legal meld of faces and jokers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeldShape {
    /// A run.
    Run {
        /// Its suit.
        suit: Suit,
        /// Position of the first card: 0 the ace, 12 the king. Positions go on past the king.
        low: u8,
        /// How many cards: 3 to 13.
        len: u8,
        /// Which of its cards are jokers, the first one's bit lowest.
        jokers: u16,
    },
    /// A group.
    Group {
        /// Its rank.
        rank: Rank,
        /// The suits of its natural cards, as bits in the order of [`Suit::ALL`].
        suits: u8,
        /// How many jokers: 0 to 2.
        jokers: u8,
    },
}

/// The sum of a run's card values before each position.
const VALUES_BEFORE: [u16; 27] = {
    let mut sums = [0; 27];
    let mut position = 0;
    while position < 26 {
        sums[position + 1] = sums[position] + run_value(position as u8);
        position += 1;
    }
    sums
};

/// The aces in a set of faces, whose lanes have spare bits past the king.
const ACES: u64 = 0x0001_0001_0001_0001;
/// The bits of one suit.
const LANE: u64 = 0xFFFF;

impl MeldShape {
    /// How many cards it has, jokers among them.
    pub const fn size(&self) -> usize {
        match *self {
            Self::Run { len, .. } => len as usize,
            Self::Group { suits, jokers, .. } => suits.count_ones() as usize + jokers as usize,
        }
    }

    /// How many of them are jokers.
    pub const fn jokers(&self) -> usize {
        match *self {
            Self::Run { jokers, .. } => jokers.count_ones() as usize,
            Self::Group { jokers, .. } => jokers as usize,
        }
    }

    /// Whether it is a run without a joker (RULES 3).
    pub const fn is_pure_run(&self) -> bool {
        matches!(self, Self::Run { jokers: 0, .. })
    }

    /// What it is worth on the table (RULES 1).
    pub fn points(&self, aces: Aces) -> u16 {
        match *self {
            Self::Run { low, len, .. } => {
                VALUES_BEFORE[usize::from(low + len)] - VALUES_BEFORE[usize::from(low)]
            }
            Self::Group { rank, .. } => self.size() as u16 * group_value(rank, aces),
        }
    }

    /// The faces of its natural cards, as a set.
    pub(crate) fn faces(&self) -> u64 {
        match *self {
            Self::Run { suit, low, len, jokers } => {
                let line = u64::from(((1u32 << len) - 1) & !u32::from(jokers)) << low;
                ((line | line >> 13) & 0x1FFF) << (suit as u32 * 16)
            }
            Self::Group { rank, suits, .. } => Suit::ALL
                .into_iter()
                .filter(|&suit| suits & 1 << suit as u8 != 0)
                .fold(0, |set, suit| set | Face::new(rank, suit).bit()),
        }
    }

    /// The meld with cards taken from a hand, the lowest copies first; this joker comes first if the meld has
    /// any. `None` if the hand lacks a card.
    pub fn meld(&self, hand: Cards, first_joker: Option<Card>) -> Option<Meld> {
        let mut jokers =
            first_joker.into_iter().chain(hand.jokers().iter().filter(|&j| Some(j) != first_joker));
        match *self {
            Self::Run { suit, low, len, jokers: places } => {
                let mut card = |i: u8| {
                    let is_joker = places & 1 << i != 0;
                    if is_joker { jokers.next() } else { hand.pick(Face::new(Rank::at(low + i), suit)) }
                };
                let cards = (0..len).map(&mut card).collect::<Option<_>>()?;
                Some(Meld { shape: Shape::Run { suit, low }, cards })
            }
            Self::Group { rank, suits, jokers: count } => {
                let suits = Suit::ALL.into_iter().filter(|&suit| suits & 1 << suit as u8 != 0);
                let naturals = suits.map(|suit| hand.pick(Face::new(rank, suit)));
                let cards = naturals.chain((0..count).map(|_| jokers.next())).collect::<Option<_>>()?;
                Some(Meld { shape: Shape::Group { rank }, cards })
            }
        }
    }
}

impl Meld {
    /// Its cards as the command that lays it names them: a run's jokers are bound to their places.
    pub fn named(&self) -> Vec<Named> {
        let name = |(index, &card): (usize, &Card)| Named {
            card,
            stands_for: if card.is_joker() { self.face_at(index) } else { None },
        };
        self.cards.iter().enumerate().map(name).collect()
    }
}

/// What melds are made of, and by which rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Making {
    /// Natural faces at hand.
    pub(crate) faces: u64,
    /// Jokers at hand.
    pub(crate) jokers: usize,
    /// The most cards a meld may have.
    pub(crate) most: usize,
    pub(crate) aces: Aces,
    pub(crate) adjacent_jokers: bool,
}

impl Making {
    pub(crate) fn new(hand: Cards, most: usize, rules: &Ruleset) -> Self {
        Self {
            faces: hand.faces(),
            jokers: hand.jokers().len(),
            most: most.min(LONGEST),
            aces: rules.aces,
            adjacent_jokers: rules.adjacent_jokers,
        }
    }

    /// The faces with the low ranks again past the king, as far as runs can go there.
    fn line(&self) -> u64 {
        let past_king = match self.aces {
            Aces::Low => 0,
            Aces::HighOrLow => ACES,
            Aces::RoundTheCorner => ACES * 0b111,
        };
        self.faces | (self.faces & past_king) << 13
    }

    /// Every meld that can be made, each once.
    pub(crate) fn each(&self, mut found: impl FnMut(MeldShape)) {
        if self.most < 3 {
            return;
        }
        if self.jokers == 0 {
            self.pure_runs(&mut found);
        } else {
            self.runs(&mut found);
        }
        self.groups(&mut found);
    }

    /// Every run without a joker.
    pub(crate) fn pure_runs(&self, mut found: impl FnMut(MeldShape)) {
        if self.most < 3 {
            return;
        }
        let line = self.line();
        let mut starts = self.faces & line >> 1 & line >> 2;
        while starts != 0 {
            let bit = starts.trailing_zeros() as u8;
            starts &= starts - 1;
            let (suit, low) = (Suit::of(bit >> 4), bit & 15);
            let ranks = (self.faces >> (bit & 0x30) & LANE) as u32;
            let longest = ((ranks | ranks << 13) >> low).trailing_ones() as usize;
            for len in 3..=longest.min(self.most) {
                if !run_fits(low, len, self.aces) {
                    break;
                }
                found(MeldShape::Run { suit, low, len: len as u8, jokers: 0 });
            }
        }
    }

    /// Every run, with jokers or without.
    fn runs(&self, found: &mut impl FnMut(MeldShape)) {
        for suit in Suit::ALL {
            let ranks = (self.faces >> (suit as u32 * 16) & LANE) as u32;
            // With fewer than two natural cards there is no run.
            if ranks & ranks.wrapping_sub(1) == 0 {
                continue;
            }
            let line = ranks | ranks << 13;
            for low in 0..13 {
                self.runs_from(suit, low, line >> low, found);
            }
        }
    }

    /// Every run of a suit from a position on; bit 0 of the line is that position.
    fn runs_from(&self, suit: Suit, low: u8, line: u32, found: &mut impl FnMut(MeldShape)) {
        let mut missing = 0u16;
        for len in 1..=self.most {
            let last = 1u16 << (len - 1);
            if u32::from(last) & line == 0 {
                missing |= last;
                let side_by_side = !self.adjacent_jokers && missing & missing << 1 != 0;
                // A longer run misses these cards too.
                if side_by_side || missing.count_ones() as usize > self.jokers {
                    return;
                }
            }
            if len < 3 {
                continue;
            }
            if !run_fits(low, len, self.aces) {
                return;
            }
            if let Some(spare) = self.jokers.min(len / 2).checked_sub(missing.count_ones() as usize) {
                let run = |jokers| MeldShape::Run { suit, low, len: len as u8, jokers };
                found(run(missing));
                if spare > 0 {
                    self.more_jokers(missing, 0, len, spare, &mut |jokers| found(run(jokers)));
                }
            }
        }
    }

    /// Every way to put up to so many more jokers into places of a run from a place on.
    fn more_jokers(&self, jokers: u16, from: usize, len: usize, spare: usize, found: &mut impl FnMut(u16)) {
        for place in from..len {
            let bit = 1u16 << place;
            let beside = if self.adjacent_jokers { bit } else { bit | bit << 1 | bit >> 1 };
            if jokers & beside == 0 {
                found(jokers | bit);
                if spare > 1 {
                    self.more_jokers(jokers | bit, place + 1, len, spare - 1, found);
                }
            }
        }
    }

    fn groups(&self, found: &mut impl FnMut(MeldShape)) {
        let lane = |suit: Suit| self.faces >> (suit as u32 * 16) & LANE;
        let [clubs, diamonds, hearts, spades] = Suit::ALL.map(lane);
        let (two_a, two_b) = (clubs & diamonds, hearts & spades);
        let (one_a, one_b) = (clubs | diamonds, hearts | spades);
        let mut ranks =
            if self.jokers == 0 { two_a & one_b | one_a & two_b } else { two_a | two_b | one_a & one_b };
        while ranks != 0 {
            let rank = ranks.trailing_zeros();
            ranks &= ranks - 1;
            let held = [clubs, diamonds, hearts, spades]
                .into_iter()
                .enumerate()
                .fold(0u8, |set, (i, lane)| set | ((lane >> rank & 1) as u8) << i);
            for suits in 3u8..16 {
                let naturals = suits.count_ones() as usize;
                if suits & !held != 0 || naturals < 2 || naturals > self.most {
                    continue;
                }
                // Of at most four cards at least two are natural, so the jokers are never more than those.
                let most = self.jokers.min(4.min(self.most).saturating_sub(naturals));
                for jokers in 3usize.saturating_sub(naturals)..=most {
                    found(MeldShape::Group { rank: Rank::at(rank as u8), suits, jokers: jokers as u8 });
                }
            }
        }
    }
}
