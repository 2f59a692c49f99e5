//! Laying cards off onto a meld: which places they take, and what they are worth there (RULES 4).

use crate::card::{Card, Face, Rank, Suit};
use crate::command::End;
use crate::meld::{LONGEST, Meld, MeldCards, Named, Shape, run_fits, run_value, window};
use crate::refusal::LayOffFault;
use crate::ruleset::{Aces, Ruleset};

/// Cards laid off, at their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaidOff {
    /// Cards put before the meld's first, from low to high.
    pub(crate) low: MeldCards,
    /// Cards put behind its last, from low to high; a group's are all here.
    pub(crate) high: MeldCards,
    /// The meld with them.
    pub(crate) meld: Meld,
    /// What the new cards are worth at their places.
    pub(crate) points: u16,
}

/// Adds cards to a meld, all or none. Known faces stand at their places, free jokers take the others, in the
/// order given, from the meld outwards and the high end first. Without an end the cards are split between both
/// so that they are worth most, at equal worth with more of them at the high end.
///
/// The cards are at least one, and all different.
///
/// # Errors
/// Why they don't fit.
pub(crate) fn lay_off(
    meld: &Meld,
    cards: &[Named],
    end: Option<End>,
    rules: &Ruleset,
) -> Result<LaidOff, LayOffFault> {
    for named in cards {
        if let Some(face) = named.stands_for
            && (face.is_joker() || !(named.card.is_joker() || named.card.face() == face))
        {
            return Err(LayOffFault::WrongBinding(named.card, face));
        }
    }
    match meld.shape {
        Shape::Run { suit, low } => {
            check_run(meld, suit, low, cards)?;
            onto_run(meld, suit, low, cards, end, rules)
        }
        Shape::Group { rank } => onto_group(meld, rank, cards, rules),
    }
}

/// What doesn't depend on the places: suits, faces, how many cards and how many jokers.
fn check_run(meld: &Meld, suit: Suit, low: u8, cards: &[Named]) -> Result<(), LayOffFault> {
    let mut ranks = window(low, meld.cards.len());
    for &Named { card, stands_for } in cards {
        let face = if card.is_joker() { stands_for } else { Some(card.face()) };
        let Some((face, (rank, of))) = face.and_then(|face| Some((face, face.natural()?))) else { continue };
        if of != suit {
            return Err(foreign(card, face, LayOffFault::OtherSuit(card)));
        }
        if ranks & 1 << rank as u8 != 0 {
            let index = (13 + rank as u8 - low) % 13;
            return Err(match meld.cards.get(usize::from(index)) {
                Some(&joker) if joker.is_joker() && !card.is_joker() => {
                    LayOffFault::JokersPlace { card, joker }
                }
                _ => LayOffFault::FaceTwice(face),
            });
        }
        ranks |= 1 << rank as u8;
    }
    if meld.cards.len() + cards.len() > LONGEST {
        return Err(LayOffFault::RunFull);
    }
    check_jokers(meld, cards)
}

/// A natural card is of the wrong kind; a joker is bound wrongly.
fn foreign(card: Card, face: Face, fault: LayOffFault) -> LayOffFault {
    if card.is_joker() { LayOffFault::WrongBinding(card, face) } else { fault }
}

fn check_jokers(meld: &Meld, cards: &[Named]) -> Result<(), LayOffFault> {
    let jokers = meld.jokers() + cards.iter().filter(|c| c.card.is_joker()).count();
    let naturals = meld.cards.len() + cards.len() - jokers;
    if jokers > naturals { Err(LayOffFault::TooManyJokers { jokers, naturals }) } else { Ok(()) }
}

fn onto_run(
    meld: &Meld,
    suit: Suit,
    low: u8,
    cards: &[Named],
    end: Option<End>,
    rules: &Ruleset,
) -> Result<LaidOff, LayOffFault> {
    let splits = match end {
        Some(End::Low) => cards.len()..=cards.len(),
        Some(End::High) => 0..=0,
        None => 0..=cards.len(),
    };
    let mut best: Option<LaidOff> = None;
    let mut fault = None;
    for below in splits {
        match split(meld, suit, low, cards, below, rules) {
            Ok(laid) if best.as_ref().is_none_or(|best| laid.points > best.points) => best = Some(laid),
            Ok(_) => {}
            Err(LayOffFault::AdjacentJokers) => fault = Some(LayOffFault::AdjacentJokers),
            Err(other) => fault = fault.or(Some(other)),
        }
    }
    match (best, fault) {
        (Some(laid), _) => Ok(laid),
        (None, Some(fault)) => Err(fault),
        (None, None) => Err(LayOffFault::RunFull),
    }
}

/// Puts so many of the cards below a run and the others above it.
fn split(
    meld: &Meld,
    suit: Suit,
    low: u8,
    cards: &[Named],
    below: usize,
    rules: &Ruleset,
) -> Result<LaidOff, LayOffFault> {
    let not_next = |card: &Named| LayOffFault::NotNext(card.card);
    let len = meld.cards.len();
    let total = len + cards.len();
    let new_low = match usize::from(low).checked_sub(below) {
        Some(position) => Some(position as u8),
        None if rules.aces == Aces::RoundTheCorner => Some(low + 13 - below as u8),
        None => None,
    };
    let new_low = new_low.filter(|&position| run_fits(position, total, rules.aces));
    let ranks = new_low.map_or(0, |position| window(position, total));
    let stray = cards.iter().find(|c| rank(c).is_some_and(|rank| ranks & 1 << rank as u8 == 0));
    // A run that can't be this long there with jokers alone has no stray card: then any card is one too many.
    let new_low = match (stray, new_low) {
        (Some(card), _) => return Err(not_next(card)),
        (None, None) => return Err(cards.first().map_or(LayOffFault::RunFull, not_next)),
        (None, Some(position)) => position,
    };

    let mut free = cards.iter().filter(|c| c.face().is_none());
    let mut points = 0;
    let mut place = |index: usize| {
        let position = new_low + index as u8;
        points += run_value(position);
        cards.iter().find(|c| rank(c) == Some(Rank::at(position))).or_else(|| free.next()).map(|c| c.card)
    };
    let high: MeldCards = (below + len..total).filter_map(&mut place).collect();
    let mut lower: MeldCards = (0..below).rev().filter_map(&mut place).collect();
    lower.reverse();

    let all: MeldCards = lower.iter().chain(&meld.cards).chain(&high).copied().collect();
    if !rules.adjacent_jokers && all.windows(2).any(|w| w[0].is_joker() && w[1].is_joker()) {
        return Err(LayOffFault::AdjacentJokers);
    }
    let meld = Meld { shape: Shape::Run { suit, low: new_low }, cards: all };
    Ok(LaidOff { low: lower, high, meld, points })
}

fn rank(named: &Named) -> Option<Rank> {
    named.face()?.rank()
}

fn onto_group(meld: &Meld, rank: Rank, cards: &[Named], rules: &Ruleset) -> Result<LaidOff, LayOffFault> {
    let mut suits = meld.suits();
    for &named in cards {
        let Some((face, (of, suit))) = named.face().and_then(|face| Some((face, face.natural()?))) else {
            continue;
        };
        if of != rank {
            return Err(foreign(named.card, face, LayOffFault::OtherRank(named.card)));
        }
        if suits & 1 << suit as u8 != 0 {
            return Err(LayOffFault::FaceTwice(face));
        }
        suits |= 1 << suit as u8;
    }
    if meld.cards.len() + cards.len() > 4 {
        let natural = cards.iter().find(|c| !c.card.is_joker());
        let joker = meld.cards.iter().find(|c| c.is_joker());
        return Err(match (natural, joker) {
            (Some(named), Some(&joker)) if meld.cards.len() == 4 => {
                LayOffFault::JokersPlace { card: named.card, joker }
            }
            _ => LayOffFault::GroupFull,
        });
    }
    check_jokers(meld, cards)?;
    let high: MeldCards = cards.iter().map(|c| c.card).collect();
    let mut meld = meld.clone();
    meld.cards.extend(high.iter().copied());
    let points = high.len() as u16 * meld.value_at(0, rules.aces);
    Ok(LaidOff { low: MeldCards::new(), high, meld, points })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::preset::Preset;

    /// Cards in the notation of commands: `QH`, `X1`, `X1=JS`.
    pub(crate) fn named(codes: &str) -> Vec<Named> {
        let one = |code: &str| match code.split_once('=') {
            Some((joker, face)) => {
                Named { card: joker.parse().unwrap(), stands_for: Some(face.parse().unwrap()) }
            }
            None => code.parse::<Card>().unwrap().into(),
        };
        codes.split_whitespace().map(one).collect()
    }

    fn text<'a>(cards: impl IntoIterator<Item = &'a Card>) -> String {
        cards.into_iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
    }

    fn remik() -> Ruleset {
        Preset::Remik51.ruleset()
    }

    fn remi() -> Ruleset {
        Preset::Remi30.ruleset()
    }

    fn corner() -> Ruleset {
        Ruleset { aces: Aces::RoundTheCorner, ..remik() }
    }

    fn laid(rules: &Ruleset, meld: &str, cards: &str, end: &str) -> Result<LaidOff, LayOffFault> {
        let end = match end {
            "low" => Some(End::Low),
            "high" => Some(End::High),
            _ => None,
        };
        lay_off(&Meld::read(&named(meld), rules).unwrap(), &named(cards), end, rules)
    }

    #[track_caller]
    fn fits(rules: &Ruleset, meld: &str, cards: &str, end: &str, after: &str, points: u16) {
        let laid = laid(rules, meld, cards, end).unwrap();
        assert_eq!((text(&laid.meld.cards).as_str(), laid.points), (after, points));
        let old = text(&laid.meld.cards[laid.low.len()..laid.meld.cards.len() - laid.high.len()]);
        let parts = format!("{} {old} {}", text(&laid.low), text(&laid.high));
        assert_eq!(parts.trim(), after);
        // As a list in this order it is that meld.
        let list: Vec<Named> = laid.meld.cards.iter().map(|&card| card.into()).collect();
        assert_eq!(Meld::read(&list, rules), Ok(laid.meld));
    }

    #[track_caller]
    fn faults(rules: &Ruleset, meld: &str, cards: &str, end: &str, fault: LayOffFault) {
        assert_eq!(laid(rules, meld, cards, end), Err(fault));
    }

    fn card(code: &str) -> Card {
        code.parse().unwrap()
    }

    fn face(code: &str) -> Face {
        code.parse().unwrap()
    }

    #[test]
    fn a_run_grows_at_the_named_end() {
        let r = &remik();
        fits(r, "5S 6S 7S", "4S", "low", "4S 5S 6S 7S", 4);
        fits(r, "5S 6S 7S", "9S 8S", "high", "5S 6S 7S 8S 9S", 17);
        fits(r, "5C 6C 7C", "X1=8C", "high", "5C 6C 7C X1", 8);
        fits(r, "5C 6C 7C", "X1", "low", "X1 5C 6C 7C", 4);
        fits(r, "5C 6C 7C 8C", "TC X1", "high", "5C 6C 7C 8C X1 TC", 19);
        fits(r, "X1=6H 7H 8H", "9H", "high", "X1 7H 8H 9H", 9);
        fits(r, "TH JH X1=QH", "X2=9H", "low", "X2 TH JH X1", 9);
        fits(r, "2D 3D X1 5D 6D 7D X2 9D X3=TD", "JD", "high", "2D 3D X1 5D 6D 7D X2 9D X3 JD", 10);
        fits(r, "TH JH QH KH", "AH", "high", "TH JH QH KH AH", 11);
        fits(r, "2H 3H 4H", "AH", "low", "AH 2H 3H 4H", 1);
    }

    #[test]
    fn without_an_end_the_dearest_split_is_taken() {
        let r = &remik();
        fits(r, "5S 6S 7S", "4S 8S", "", "4S 5S 6S 7S 8S", 12);
        fits(r, "5S 6S 7S", "X1", "", "5S 6S 7S X1", 8);
        fits(r, "5S 6S 7S", "X2 X1", "", "X1 5S 6S 7S X2", 12);
        fits(
            r,
            "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS",
            "AS",
            "",
            "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS",
            11,
        );
        fits(&remi(), "TS JS QS", "X1 X2", "", "TS JS QS X1 X2", 21);
        // Court cards are worth the same: more of them go to the high end.
        fits(&corner(), "QS KS AS", "X1", "", "X1 QS KS AS", 10);
        fits(&Ruleset { aces: Aces::Low, ..remik() }, "TS JS QS", "X1", "", "TS JS QS X1", 10);
    }

    #[test]
    fn round_the_corner_a_run_grows_past_the_ace() {
        let r = &corner();
        fits(r, "AH 2H 3H", "KH", "low", "KH AH 2H 3H", 10);
        fits(r, "2H 3H 4H", "KH AH", "low", "KH AH 2H 3H 4H", 21);
        fits(r, "QH KH AH", "2H", "high", "QH KH AH 2H", 2);
        faults(&remik(), "QH KH AH", "2H", "high", LayOffFault::NotNext(card("2H")));
        faults(&remik(), "AH 2H 3H", "KH", "low", LayOffFault::NotNext(card("KH")));
        faults(&remik(), "QH KH AH", "X1", "high", LayOffFault::NotNext(card("X1")));
    }

    #[test]
    fn a_run_refuses_what_does_not_continue_it() {
        let r = &remik();
        faults(r, "5S 6S 7S", "9S", "high", LayOffFault::NotNext(card("9S")));
        faults(r, "5C 6C 7C", "8C", "low", LayOffFault::NotNext(card("8C")));
        faults(r, "5C 6C 7C", "8C TC", "", LayOffFault::NotNext(card("TC")));
        faults(r, "5C 6C 7C", "8D", "", LayOffFault::OtherSuit(card("8D")));
        faults(r, "4C 5C X1=6C", "AD", "high", LayOffFault::OtherSuit(card("AD")));
        faults(r, "5C 6C 7C", "X1=8D", "", LayOffFault::WrongBinding(card("X1"), face("8D")));
        faults(r, "5C 6C 7C", "8C=9C", "", LayOffFault::WrongBinding(card("8C"), face("9C")));
        faults(r, "5C 6C 7C", "7C2", "", LayOffFault::FaceTwice(face("7C")));
        faults(r, "5C 6C 7C", "8C 8C2", "", LayOffFault::FaceTwice(face("8C")));
        faults(r, "TH JH X1", "X2", "high", LayOffFault::AdjacentJokers);
        faults(r, "TH JH QH", "X1 X2", "high", LayOffFault::AdjacentJokers);
        faults(r, "5H X1 7H X2", "X3", "", LayOffFault::TooManyJokers { jokers: 3, naturals: 2 });
        let full = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH";
        faults(r, full, "AH2", "low", LayOffFault::FaceTwice(face("AH")));
        faults(r, full, "X1", "low", LayOffFault::RunFull);
    }

    #[test]
    fn the_real_card_of_a_joker_is_a_swap() {
        let place = LayOffFault::JokersPlace { card: card("7C"), joker: card("X1") };
        faults(&remik(), "5C 6C X1=7C 8C", "7C", "", place);
        let place = LayOffFault::JokersPlace { card: card("5H"), joker: card("X1") };
        faults(&remik(), "5C 5D X1 X2", "5H 5S", "", place);
        faults(&remik(), "5C 6C X1=7C 8C", "X2=7C", "", LayOffFault::FaceTwice(face("7C")));
    }

    #[test]
    fn a_group_takes_missing_suits_up_to_four() {
        let r = &remik();
        fits(r, "8S 8H 8D", "8C", "", "8S 8H 8D 8C", 8);
        fits(r, "8S 8H X1", "8C2", "high", "8S 8H X1 8C2", 8);
        fits(r, "AS AH AD", "X1=AC", "", "AS AH AD X1", 11);
        fits(r, "8S 8H X1", "X2", "", "8S 8H X1 X2", 8);
        faults(r, "8S 8H 8D", "8S2", "", LayOffFault::FaceTwice(face("8S")));
        faults(r, "8S 8H 8D", "X1=8S", "", LayOffFault::FaceTwice(face("8S")));
        faults(r, "8S 8H 8D", "9C", "", LayOffFault::OtherRank(card("9C")));
        faults(r, "8S 8H 8D", "X1=9C", "", LayOffFault::WrongBinding(card("X1"), face("9C")));
        faults(r, "8S 8H X1", "8C 8D", "", LayOffFault::GroupFull);
        faults(r, "8S 8H 8D 8C", "X1", "", LayOffFault::GroupFull);
        let low = Ruleset { aces: Aces::Low, ..remik() };
        fits(&low, "AS AH AD", "AC", "", "AS AH AD AC", 1);
    }
}
