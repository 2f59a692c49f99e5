//! A hand split into melds and a rest: `[3H 4H 5H] [6H 6S 6C], rest 7H`.

use std::fmt;

use remik_rules::cards::Cards;
use remik_rules::suggest::Suggestion;

use super::notation::Mention;
use super::unclear::Unclear;

/// Melds in any order, of cards in any order, and what is left.
#[derive(Debug)]
pub(super) struct Split {
    melds: Vec<Cards>,
    rest: Cards,
}

impl Split {
    /// What is suggested for a hand.
    pub(super) fn of(suggestion: &Suggestion, hand: Cards) -> Self {
        let melds: Vec<Cards> = suggestion.melds.iter().map(|meld| meld.set()).collect();
        let laid = melds.iter().fold(Cards::EMPTY, |all, meld| all.union(*meld));
        Self { melds, rest: hand.without(laid) }
    }

    pub(super) fn read(text: &str) -> Result<Self, Unclear> {
        let unknown = || Unclear::Expectation(text.chars().take(80).collect());
        let cards = |codes: &str| -> Result<Cards, Unclear> {
            let card = |code| Mention::read(code)?.card.ok_or_else(unknown);
            codes.split_whitespace().map(card).collect()
        };
        let (mut melds, mut left) = (Vec::new(), text.trim());
        while let Some(open) = left.strip_prefix('[') {
            let (meld, after) = open.split_once(']').ok_or_else(unknown)?;
            melds.push(cards(meld)?);
            left = after.trim_start_matches([' ', ',']);
        }
        let rest = match left.strip_prefix("rest ") {
            Some(rest) => cards(rest)?,
            None if left.is_empty() => Cards::EMPTY,
            None => return Err(unknown()),
        };
        Ok(Self { melds, rest })
    }
}

impl PartialEq for Split {
    fn eq(&self, other: &Self) -> bool {
        self.rest == other.rest
            && self.melds.len() == other.melds.len()
            && self.melds.iter().all(|meld| other.melds.contains(meld))
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = |cards: Cards| cards.iter().map(|card| card.to_string()).collect::<Vec<_>>().join(" ");
        for meld in &self.melds {
            write!(f, "[{}] ", codes(*meld))?;
        }
        write!(f, "rest {}", codes(self.rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_makes_no_difference() {
        let split = |text| Split::read(text).unwrap();
        assert_eq!(split("[3H 4H 5H] [6H 6S 6C], rest 7H"), split("[6C 6H 6S], [5H 4H 3H] rest 7H"));
        assert_eq!(split("[3H 4H 5H]").to_string(), "[3H 4H 5H] rest ");
        for other in ["[3H 4H 5H] [6H 6S 6C]", "[3H 4H 5H 6H 7H], rest 6S 6C", "rest 3H"] {
            assert_ne!(split("[3H 4H 5H] [6H 6S 6C], rest 7H"), split(other));
        }
        for text in ["[3H 4H", "[3H] over", "[X 3H 4H]", "rest 1H"] {
            assert!(Split::read(text).is_err(), "{text}");
        }
    }
}
