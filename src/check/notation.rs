//! The notation of cards and actions.

use remik_rules::card::{Card, Face, UnknownCard};
use remik_rules::command::{End, Source};
use remik_rules::seat::Seat;

use super::unclear::{self, Unclear};

/// A card as a case writes it: `QH2`, `X1`, `X1=JS`, or `X` for any joker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    /// The card; `None` for any joker.
    pub(super) card: Option<Card>,
    /// The face that a joker stands for.
    pub(super) stands_for: Option<Face>,
}

/// An action of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) by: By,
    pub(super) step: Step,
}

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Not said: whoever acted before, at first the seat whose turn it is.
    Same,
    /// The next seat in turn.
    Next,
    /// Whoever acted before, in its turn of this number.
    Turn(u16),
    Seat(Seat),
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// `gets` is the card that is drawn.
    Draw {
        source: Source,
        gets: Option<Card>,
    },
    /// Melds, some with names.
    Meld(Vec<(Option<String>, Vec<Mention>)>),
    LayOff {
        cards: Vec<Mention>,
        meld: MeldName,
        end: Option<End>,
    },
    Swap {
        card: Mention,
        joker: Mention,
        meld: MeldName,
    },
    Discard(Mention),
    Undo,
    Leave,
    /// Looking at the table, which is always allowed.
    View,
}

/// A meld on the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MeldName {
    /// The last one that the acting seat has laid.
    Own,
    Called(String),
}

impl Mention {
    pub(super) fn read(text: &str) -> Result<Self, UnknownCard> {
        let (card, stands_for) = match text.split_once('=') {
            Some((card, face)) => (card, Some(face.parse()?)),
            None => (text, None),
        };
        let card = if card == "X" { None } else { Some(card.parse()?) };
        Ok(Self { card, stands_for })
    }
}

impl Action {
    /// The actions of a text: one, or several joined by `then`.
    pub(super) fn read_all(text: &str) -> Result<Vec<Self>, Unclear> {
        text.split(" then ").map(Self::read).collect()
    }

    fn read(text: &str) -> Result<Self, Unclear> {
        let unknown = || Unclear::Action(text.chars().take(80).collect());
        let (by, rest) = match text.split_once(':') {
            Some((by, rest)) => (By::read(by.trim())?, rest),
            None => (By::Same, text),
        };
        let (words, remark) = match rest.split_once('(') {
            Some((words, remark)) => (words.trim(), Some(remark.trim().trim_end_matches(')'))),
            None => (rest.trim(), None),
        };
        let gets = remark.and_then(|remark| remark.strip_prefix("gets "));
        let gets = gets.map(|card| card.trim().parse()).transpose()?;
        let (verb, object) = words.split_once(' ').unwrap_or((words, ""));
        let object = object.trim();
        let step = match verb {
            "draw" => match object {
                "stock" => Step::Draw { source: Source::Stock, gets },
                "discard" => Step::Draw { source: Source::Discard, gets },
                _ => return Err(unknown()),
            },
            "meld" => Step::Meld(read_melds(object).ok_or_else(unknown)??),
            "layoff" => {
                let (cards, place) = object.split_once("->").ok_or_else(unknown)?;
                let place = place.trim();
                let (name, end) = match place.rsplit_once(' ') {
                    Some((name, "low")) => (name, Some(End::Low)),
                    Some((name, "high")) => (name, Some(End::High)),
                    _ => (place, None),
                };
                Step::LayOff { cards: mentions(cards)?, meld: MeldName::read(name), end }
            }
            "swap" => {
                let (card, rest) = object.split_once("<->").ok_or_else(unknown)?;
                let (joker, meld) = rest.split_once(" in ").ok_or_else(unknown)?;
                Step::Swap {
                    card: Mention::read(card.trim())?,
                    joker: Mention::read(joker.trim())?,
                    meld: MeldName::read(meld.trim()),
                }
            }
            "discard" => Step::Discard(Mention::read(object)?),
            "undo" if object.is_empty() => Step::Undo,
            "leave" if object.is_empty() => Step::Leave,
            "view" => Step::View,
            _ => return Err(unknown()),
        };
        Ok(Self { by, step })
    }
}

impl By {
    fn read(text: &str) -> Result<Self, Unclear> {
        match text.split_once(' ') {
            Some(("next", "player")) => Ok(Self::Next),
            Some(("turn", number)) => {
                number.parse().map(Self::Turn).map_err(|_| Unclear::Action(text.chars().take(80).collect()))
            }
            _ => Ok(Self::Seat(unclear::seat(text)?)),
        }
    }
}

impl MeldName {
    fn read(text: &str) -> Self {
        if text == "own meld" { Self::Own } else { Self::Called(text.to_owned()) }
    }
}

impl Step {
    /// The cards that the acting seat must hold for it.
    pub(super) fn cards_of_hand(&self) -> Vec<Mention> {
        match self {
            Self::Meld(melds) => melds.iter().flat_map(|(_, cards)| cards).copied().collect(),
            Self::LayOff { cards, .. } => cards.clone(),
            Self::Swap { card, .. } | Self::Discard(card) => vec![*card],
            Self::Draw { .. } | Self::Undo | Self::Leave | Self::View => Vec::new(),
        }
    }
}

fn mentions(text: &str) -> Result<Vec<Mention>, UnknownCard> {
    text.split_whitespace().map(Mention::read).collect()
}

type Melds = Vec<(Option<String>, Vec<Mention>)>;

/// `A B C`, or `[A B C] m2=[D E F]`; `None` if the brackets are amiss.
fn read_melds(text: &str) -> Option<Result<Melds, UnknownCard>> {
    if !text.contains('[') {
        return Some(mentions(text).map(|cards| vec![(None, cards)]));
    }
    let mut melds = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('[')?;
        let (cards, after) = after.split_once(']')?;
        let name = match name.trim() {
            "" => None,
            name => Some(name.strip_suffix('=')?.trim().to_owned()),
        };
        match mentions(cards) {
            Ok(cards) => melds.push((name, cards)),
            Err(fault) => return Some(Err(fault)),
        }
        rest = after.trim_start();
    }
    Some(Ok(melds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Action {
        let mut actions = Action::read_all(text).unwrap();
        assert_eq!(actions.len(), 1, "{text}");
        actions.remove(0)
    }

    fn cards(text: &str) -> Vec<Mention> {
        mentions(text).unwrap()
    }

    #[test]
    fn every_action_is_read() {
        let called = |name: &str| MeldName::Called(name.to_owned());
        let gets = Some("8S".parse().unwrap());
        for (text, step) in [
            ("draw stock", Step::Draw { source: Source::Stock, gets: None }),
            ("draw discard", Step::Draw { source: Source::Discard, gets: None }),
            ("draw stock (gets 8S)", Step::Draw { source: Source::Stock, gets }),
            ("meld 7C 7D X1", Step::Meld(vec![(None, cards("7C 7D X1"))])),
            (
                "meld m1=[7H 8H X1=9H] [KS KH KD]",
                Step::Meld(vec![(Some("m1".into()), cards("7H 8H X1=9H")), (None, cards("KS KH KD"))]),
            ),
            ("layoff 8C -> m2", Step::LayOff { cards: cards("8C"), meld: called("m2"), end: None }),
            (
                "layoff 9S X -> m1 high",
                Step::LayOff { cards: cards("9S X"), meld: called("m1"), end: Some(End::High) },
            ),
            ("layoff TH -> own meld", Step::LayOff { cards: cards("TH"), meld: MeldName::Own, end: None }),
            (
                "swap JH <-> X1 in m1",
                Step::Swap { card: cards("JH")[0], joker: cards("X1")[0], meld: called("m1") },
            ),
            ("discard 5D (taken two turns ago)", Step::Discard(cards("5D")[0])),
            ("undo", Step::Undo),
            ("leave", Step::Leave),
            ("view state", Step::View),
        ] {
            assert_eq!(one(text), Action { by: By::Same, step }, "{text}");
        }
    }

    #[test]
    fn who_acts_stands_before_a_colon() {
        assert_eq!(one("B: undo").by, By::Seat(Seat::new(1).unwrap()));
        assert_eq!(one("next player: draw stock").by, By::Next);
        assert_eq!(one("turn 2: undo").by, By::Turn(2));
        assert_eq!(Action::read_all("meld 7C 7D 7H then discard 9C").unwrap().len(), 2);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "draw",
            "draw table",
            "meld [7C 7D",
            "meld x[7C 7D 7H]",
            "meld 7C 7D 7Y",
            "layoff 8C m1",
            "swap JH X1 m1",
            "swap JH <-> X1",
            "discard",
            "discard 5D 6D",
            "G: undo",
            "undo all",
            "turn x: undo",
            "dance",
        ] {
            assert!(Action::read_all(text).is_err(), "{text}");
        }
    }
}
