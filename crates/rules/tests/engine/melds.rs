//! Melds and lay-offs against a naive reading of RULES 1, 2 and 4: every run and every split is tried.

use proptest::prelude::*;
use remik_rules::card::{Card, Face, Rank, Suit};
use remik_rules::cards::Cards;
use remik_rules::command::{Command, End, MeldId};
use remik_rules::event::Event;
use remik_rules::meld::{Meld, Named, Shape};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Aces, JokerSwap, Ruleset};
use remik_rules::situation::Situation;

use super::support::{Game, seat};

/// A run as it would lie: its first rank, and for each place whether a joker lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Laid {
    suit: Suit,
    low: usize,
    jokers: Vec<bool>,
}

impl Laid {
    fn rank(&self, index: usize) -> Rank {
        Rank::ALL[(self.low + index) % 13]
    }

    fn value(&self, index: usize) -> u16 {
        match self.rank(index) {
            Rank::Ace if index > 0 => 11,
            rank => rank.pips(),
        }
    }

    fn points(&self) -> u16 {
        (0..self.jokers.len()).map(|index| self.value(index)).sum()
    }

    fn is_legal(&self, rules: &Ruleset) -> bool {
        let len = self.jokers.len();
        let jokers = self.jokers.iter().filter(|joker| **joker).count();
        let ace_inside = (1..len).any(|index| self.rank(index) == Rank::Ace);
        let ace_last = self.rank(len - 1) == Rank::Ace && (1..len - 1).all(|i| self.rank(i) != Rank::Ace);
        let aces = match rules.aces {
            Aces::Low => !ace_inside,
            Aces::HighOrLow => !ace_inside || ace_last,
            Aces::RoundTheCorner => true,
        };
        let apart = rules.adjacent_jokers || !self.jokers.windows(2).any(|pair| pair[0] && pair[1]);
        (3..=13).contains(&len) && jokers * 2 <= len && aces && apart
    }
}

/// The face that a card must have: none for a free joker.
fn face(named: &Named) -> Option<Face> {
    if named.card.is_joker() { named.stands_for } else { Some(named.card.face()) }
}

/// The run with the cards at these places, as far as they can lie there: known faces at theirs, the free jokers
/// at the others.
fn filled(suit: Suit, low: usize, len: usize, cards: &[Named]) -> Option<Laid> {
    let mut laid = Laid { suit, low, jokers: vec![true; len] };
    let mut taken = vec![false; len];
    for card in cards {
        let Some(face) = face(card) else { continue };
        let place = (0..len).find(|index| Face::new(laid.rank(*index), suit) == face)?;
        if std::mem::replace(&mut taken[place], true) {
            return None;
        }
        laid.jokers[place] = card.card.is_joker();
    }
    (cards.len() == len).then_some(laid)
}

fn runs(cards: &[Named], rules: &Ruleset) -> Vec<Laid> {
    let every = Suit::ALL.into_iter().flat_map(|suit| (0..13).map(move |low| (suit, low)));
    every
        .filter_map(|(suit, low)| filled(suit, low, cards.len(), cards))
        .filter(|laid| laid.is_legal(rules))
        .collect()
}

/// The run that a list is as written.
fn as_written(cards: &[Named], rules: &Ruleset) -> Option<Laid> {
    runs(cards, rules).into_iter().find(|laid| {
        cards
            .iter()
            .enumerate()
            .all(|(index, card)| face(card).is_none_or(|face| face == Face::new(laid.rank(index), laid.suit)))
    })
}

fn is_group(cards: &[Named]) -> bool {
    let jokers = cards.iter().filter(|named| named.card.is_joker()).count();
    let faces: Vec<Face> = cards.iter().filter_map(face).collect();
    let differ = (1..faces.len()).all(|index| !faces[..index].contains(&faces[index]));
    let one_rank = faces.windows(2).all(|pair| pair[0].rank() == pair[1].rank());
    (3..=4).contains(&cards.len()) && jokers * 2 <= cards.len() && differ && one_rank
}

fn some_rules() -> impl Strategy<Value = Ruleset> {
    (any::<bool>(), 0..3usize).prop_map(|(adjacent_jokers, aces)| Ruleset {
        adjacent_jokers,
        aces: [Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner][aces],
        joker_swap: JokerSwap::Never,
        ..Preset::Remi30.ruleset()
    })
}

/// Different cards near each other, jokers among them, some of those bound.
fn some_cards(most: usize) -> impl Strategy<Value = Vec<Named>> {
    let card = (0u8..16, 0u8..13, 0u8..20, 0u8..13, 0u8..8);
    (0u8..13, 0u8..3, prop::collection::vec(card, 1..most)).prop_map(|(start, kind, picks)| {
        let mut cards: Vec<Named> = Vec::new();
        for (kind_of, offset, luck, stands_for, suit) in picks {
            // A third each: a run in the making, a group, a mixture.
            let rank = |offset: u8| Rank::ALL[usize::from((start + offset) % 13)];
            let suit_of = |suit: u8| Suit::ALL[usize::from(suit % 4)];
            let (rank_at, suit_at) = match kind {
                0 => (rank(offset % 7), if luck == 0 { suit_of(suit) } else { Suit::Hearts }),
                1 => (if luck == 0 { rank(offset) } else { rank(0) }, suit_of(suit)),
                _ => (rank(offset), suit_of(suit % 2)),
            };
            let named = if kind_of < 5 {
                let bound = match kind {
                    1 => Face::new(rank(0), suit_of(stands_for)),
                    _ => Face::new(rank(stands_for % 8), Suit::Hearts),
                };
                Named { card: Card::joker(kind_of % 5 + 1).unwrap(), stands_for: (luck < 6).then_some(bound) }
            } else {
                Card::natural(Face::new(rank_at, suit_at), suit / 4 % 2).unwrap().into()
            };
            if cards.iter().all(|other| other.card != named.card) {
                cards.push(named);
            }
        }
        cards
    })
}

fn laid_of(meld: &Meld) -> Option<Laid> {
    let Shape::Run { suit, low } = meld.shape else { return None };
    Some(Laid { suit, low: usize::from(low), jokers: meld.cards.iter().map(|c| c.is_joker()).collect() })
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(8000) })]

    #[test]
    fn a_list_is_read_as_the_rules_say(rules in some_rules(), mut cards in some_cards(9), sorted: bool) {
        if sorted {
            cards.sort_by_key(|named| face(named).map_or(99, |face| face.rank().map_or(99, |r| r as u8)));
        }
        let read = Meld::read(&cards, &rules);
        let dearest = runs(&cards, &rules).into_iter().max_by_key(|laid| (laid.points(), laid.low));
        let run = as_written(&cards, &rules).or(dearest);
        match (&read, run) {
            (Ok(meld), Some(run)) => {
                prop_assert_eq!(meld.points(rules.aces), run.points());
                prop_assert_eq!(laid_of(meld), Some(run));
            }
            (Ok(meld), None) => {
                prop_assert!(is_group(&cards), "{cards:?} read as {meld:?}");
                let rank = cards.iter().find_map(face).and_then(Face::rank).unwrap();
                let ace = if rules.aces == Aces::Low { 1 } else { 11 };
                let value = if rank == Rank::Ace { ace } else { rank.pips() };
                prop_assert_eq!(meld.points(rules.aces), value * cards.len() as u16);
            }
            (Err(fault), run) => {
                prop_assert!(run.is_none() && !is_group(&cards), "{cards:?} refused: {fault}");
            }
        }
        if let Ok(meld) = read {
            prop_assert_eq!(meld.set(), cards.iter().map(|named| named.card).collect::<Cards>());
        }
    }

    #[test]
    fn cards_are_laid_off_as_the_rules_say(
        rules in some_rules(),
        start in 0usize..13,
        jokers in prop::collection::vec(0u8..3, 3..8),
        cards in some_cards(4),
        end in prop::option::of(any::<bool>()),
    ) {
        // A run of hearts in which about every third card is a joker.
        let list: Vec<Named> = jokers.iter().enumerate().map(|(index, pick)| match pick {
            0 if index % 2 == 1 => Named {
                card: Card::joker(6 - index as u8 / 2).unwrap(),
                stands_for: Some(Face::new(Rank::ALL[(start + index) % 13], Suit::Hearts)),
            },
            _ => Card::natural(Face::new(Rank::ALL[(start + index) % 13], Suit::Hearts), 0).unwrap().into(),
        }).collect();
        let on_table: Cards = list.iter().map(|named| named.card).collect();
        let cards: Vec<Named> = cards.into_iter().filter(|named| !on_table.contains(named.card)).collect();
        let hand: Cards = cards.iter().map(|named| named.card).collect();
        let meld = Meld::read(&list, &rules);
        prop_assume!(meld.is_ok() && !hand.is_empty());
        let meld = meld.unwrap();
        let before = laid_of(&meld).unwrap();

        let below = match end {
            Some(true) => 0..=0,
            Some(false) => cards.len()..=cards.len(),
            None => 0..=cards.len(),
        };
        let splits = below.filter_map(|below| {
            let total = before.jokers.len() + cards.len();
            let low = (before.low + 13 - below) % 13;
            // The known cards of the meld and the new ones must fill the longer run, the old ones at their places.
            let all: Vec<Named> = meld.cards.iter().enumerate().map(|(index, card)| {
                let stands_for = card.is_joker().then_some(Face::new(before.rank(index), before.suit));
                Named { card: *card, stands_for }
            }).chain(cards.iter().copied()).collect();
            let after = filled(before.suit, low, total.min(14), &all)?;
            (total <= 13 && after.is_legal(&rules)).then(|| {
                let points: u16 = (0..total)
                    .filter(|index| !(below..below + before.jokers.len()).contains(index))
                    .map(|index| after.value(index))
                    .sum();
                (points, std::cmp::Reverse(below), after)
            })
        });
        let best = splits.max_by_key(|(points, below, _)| (*points, *below));

        let mut situation = Situation::new(rules.clone(), 2);
        situation.hands = vec![Some(hand), Some(Cards::EMPTY)];
        situation.melds = vec![(seat(1), meld)];
        situation.opened = [seat(0), seat(1)].into_iter().collect();
        let mut game = Game::arranged(situation);
        let end = end.map(|high| if high { End::High } else { End::Low });
        let answer = game.by(0, Command::LayOff { meld: MeldId(1), cards: cards.clone(), end });
        match (answer, best) {
            (Ok(events), Some((expected, std::cmp::Reverse(below), _))) => {
                let Event::LaidOff { points, low, high, .. } = &events[0] else { panic!("{events:?}") };
                prop_assert_eq!((*points, low.len(), high.len()), (expected, below, cards.len() - below));
            }
            (Err(_), None) => {}
            (answer, best) => prop_assert!(false, "{cards:?} onto {list:?}: {answer:?}, but {best:?}"),
        }
    }
}
