//! Cards: every physical card of a pack is one byte, and two copies of a card share a [`Face`].

use std::fmt;
use std::str::FromStr;

/// A suit, in the order clubs, diamonds, hearts, spades (spades are highest in a cut).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

impl Suit {
    /// All four, lowest first.
    pub const ALL: [Self; 4] = [Self::Clubs, Self::Diamonds, Self::Hearts, Self::Spades];

    /// The letter of the card codes: `C`, `D`, `H` or `S`.
    pub const fn letter(self) -> char {
        match self {
            Self::Clubs => 'C',
            Self::Diamonds => 'D',
            Self::Hearts => 'H',
            Self::Spades => 'S',
        }
    }

    pub(crate) const fn of(index: u8) -> Self {
        Self::ALL[(index & 3) as usize]
    }
}

/// A rank. The ace is first here; where aces may be high, a run can also end with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Rank {
    Ace,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
    Nine,
    Ten,
    Jack,
    Queen,
    King,
}

impl Rank {
    /// All thirteen, ace first.
    pub const ALL: [Self; 13] = [
        Self::Ace,
        Self::Two,
        Self::Three,
        Self::Four,
        Self::Five,
        Self::Six,
        Self::Seven,
        Self::Eight,
        Self::Nine,
        Self::Ten,
        Self::Jack,
        Self::Queen,
        Self::King,
    ];

    /// The letter or digit of the card codes: `A 2 3 4 5 6 7 8 9 T J Q K`.
    pub const fn letter(self) -> char {
        b"A23456789TJQK"[self as usize] as char
    }

    /// The rank at a run's position; positions go on past the king (13 is the high ace).
    pub(crate) const fn at(position: u8) -> Self {
        Self::ALL[(position % 13) as usize]
    }

    /// Pips for 2 to 10, ten for court cards, one for the ace (RULES 1; dearer aces are the ruleset's).
    pub const fn pips(self) -> u16 {
        let n = self as u16 + 1;
        if n > 10 { 10 } else { n }
    }
}

/// Rank and suit, the same on both copies of a card in a two-deck pack; all jokers share one face.
///
/// The number is `suit * 16 + rank`, so that a set of natural faces is one `u64` with a lane of 16 bits
/// for each suit; the joker's is 13, a bit that no natural face uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Face(u8);

impl Face {
    /// The face of every joker.
    pub const JOKER: Self = Self(13);

    /// The face of a natural card.
    pub const fn new(rank: Rank, suit: Suit) -> Self {
        Self(suit as u8 * 16 + rank as u8)
    }

    /// Whether this is the jokers' face.
    pub const fn is_joker(self) -> bool {
        self.0 == Self::JOKER.0
    }

    /// The rank, or `None` for a joker.
    pub const fn rank(self) -> Option<Rank> {
        if self.is_joker() { None } else { Some(Rank::ALL[(self.0 & 15) as usize]) }
    }

    /// The suit, or `None` for a joker.
    pub const fn suit(self) -> Option<Suit> {
        if self.is_joker() { None } else { Some(Suit::of(self.0 >> 4)) }
    }

    /// Rank and suit of a natural face.
    pub const fn natural(self) -> Option<(Rank, Suit)> {
        if self.is_joker() { None } else { Some((Rank::ALL[(self.0 & 15) as usize], Suit::of(self.0 >> 4))) }
    }

    /// The bit of this face in a `u64` set of faces.
    pub(crate) const fn bit(self) -> u64 {
        1 << self.0
    }

    pub(crate) const fn from_bit(bit: u32) -> Self {
        Self(bit as u8)
    }
}

/// One physical card. Both copies of a card and every joker have a code of their own: `QH`, `QH2`, `X1`.
///
/// The byte is `(copy * 4 + suit) * 16 + rank`; jokers take the bits that ranks leave free (13 to 15 in the
/// first two lanes). Logs store it, so it never changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Card(u8);

impl Card {
    /// The natural card of a face; `copy` is 0, or 1 for the second deck's. `None` for a joker or another copy.
    pub const fn natural(face: Face, copy: u8) -> Option<Self> {
        if face.is_joker() || copy > 1 { None } else { Some(Self(copy * 64 + face.0)) }
    }

    /// The joker `X1` to `X6`; `None` for another number.
    pub const fn joker(number: u8) -> Option<Self> {
        match number {
            1..=3 => Some(Self(12 + number)),
            4..=6 => Some(Self(25 + number)),
            _ => None,
        }
    }

    /// Whether this is a joker.
    pub const fn is_joker(self) -> bool {
        self.0 < 32 && self.0 & 15 >= 13
    }

    /// Rank and suit, or [`Face::JOKER`].
    pub const fn face(self) -> Face {
        if self.is_joker() { Face::JOKER } else { Face(self.0 & 63) }
    }

    /// Which copy of its face it is: 0, or 1 for the second; for a joker its number from 1 to 6.
    pub const fn copy(self) -> u8 {
        if !self.is_joker() {
            self.0 >> 6
        } else if self.0 < 16 {
            self.0 - 12
        } else {
            self.0 - 25
        }
    }

    /// The byte that logs store.
    pub const fn to_byte(self) -> u8 {
        self.0
    }

    /// The card of a stored byte; `None` for a byte that no card has.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        let card = Self(byte);
        if byte < 128 && (byte & 15 < 13 || card.is_joker()) { Some(card) } else { None }
    }

    /// The code as four bytes padded with zeros: its order is the order of codes as text, in which packs are
    /// sorted before a shuffle.
    pub(crate) fn code_order(self) -> [u8; 3] {
        match self.face().natural() {
            None => [b'X', b'0' + self.copy(), 0],
            Some((rank, suit)) => {
                [rank.letter() as u8, suit.letter() as u8, if self.copy() == 1 { b'2' } else { 0 }]
            }
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.natural() {
            Some((rank, suit)) => write!(f, "{}{}", rank.letter(), suit.letter()),
            None => f.write_str("X"),
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.face(), self.copy()) {
            (Face::JOKER, number) => write!(f, "X{number}"),
            (face, 1) => write!(f, "{face}2"),
            (face, _) => write!(f, "{face}"),
        }
    }
}

impl fmt::Debug for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no card code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no card has the code {0:?}: a rank A23456789TJQK and a suit CDHS, 2 behind a second copy, or X1 to X6"
)]
pub struct UnknownCard(pub String);

fn unknown(code: &str) -> UnknownCard {
    UnknownCard(code.chars().take(8).collect())
}

impl FromStr for Face {
    type Err = UnknownCard;

    fn from_str(code: &str) -> Result<Self, UnknownCard> {
        let &[rank, suit] = code.as_bytes() else {
            return if code == "X" { Ok(Self::JOKER) } else { Err(unknown(code)) };
        };
        let rank = Rank::ALL.into_iter().find(|r| r.letter() as u8 == rank);
        let suit = Suit::ALL.into_iter().find(|s| s.letter() as u8 == suit);
        match (rank, suit) {
            (Some(rank), Some(suit)) => Ok(Self::new(rank, suit)),
            _ => Err(unknown(code)),
        }
    }
}

impl FromStr for Card {
    type Err = UnknownCard;

    fn from_str(code: &str) -> Result<Self, UnknownCard> {
        let card = match code.as_bytes() {
            [b'X', number @ b'1'..=b'6'] => Self::joker(number - b'0'),
            [_, _, b'2'] => code.get(..2).and_then(|face| Self::natural(face.parse().ok()?, 1)),
            _ => Self::natural(code.parse()?, 0),
        };
        card.ok_or_else(|| unknown(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_bytes_round_trip() {
        let mut seen = 0;
        for byte in 0..=u8::MAX {
            let Some(card) = Card::from_byte(byte) else { continue };
            seen += 1;
            assert_eq!(card.to_byte(), byte);
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        assert_eq!(seen, 104 + 6);
    }

    #[test]
    fn no_other_text_is_a_card() {
        for code in ["", "X", "X0", "X7", "QX", "1H", "qh", "QH3", "QH22", "10H", "Q♥", "Ł2", "éH"] {
            assert_eq!(code.parse::<Card>(), Err(UnknownCard(code.to_owned())));
        }
    }

    #[test]
    fn codes_sort_as_text() {
        let mut cards: Vec<Card> = (0..=u8::MAX).filter_map(Card::from_byte).collect();
        cards.sort_by_key(|c| c.code_order());
        assert!(cards.windows(2).all(|w| w[0].to_string() < w[1].to_string()));
    }
}
