//! Every single step of a turn is shown to the judge.

use std::collections::HashSet;

use proptest::prelude::*;
use remik_rules::card::{Card, Face, Rank};
use remik_rules::cards::Cards;
use remik_rules::command::{Command, End, Source};
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::legal::{
    LayOffMove, LegalMove, LegalMoves, MeldShape, SwapMove, legal_moves, legal_moves_into,
};
use remik_rules::meld::{Meld, Named, Shape};
use remik_rules::seat::Seat;
use remik_rules::suggest::{opening_exists, suggest_for};
use remik_rules::table::Table;

use super::situations::some_situation;
use super::support::{Dice, judge, seat};

/// How a set of cards may be declared as a run beginning at a position.
fn run_at(set: &[Card], low: u8) -> Option<(MeldShape, Vec<Named>)> {
    let suit = set.iter().find_map(|card| card.face().suit())?;
    let mut naturals: Vec<Card> = set.iter().copied().filter(|card| !card.is_joker()).collect();
    let mut jokers = set.iter().copied().filter(|card| card.is_joker());
    let mut named = Vec::new();
    let mut places = 0;
    for i in 0..set.len() as u8 {
        let face = Face::new(Rank::ALL[usize::from(low + i) % 13], suit);
        match naturals.iter().position(|card| card.face() == face) {
            Some(index) => named.push(naturals.swap_remove(index).into()),
            None => {
                named.push(Named { card: jokers.next()?, stands_for: Some(face) });
                places |= 1 << i;
            }
        }
    }
    let shape = MeldShape::Run { suit, low, len: set.len() as u8, jokers: places };
    naturals.is_empty().then_some((shape, named))
}

fn group(set: &[Card]) -> Option<(MeldShape, Vec<Named>)> {
    let rank = set.iter().find_map(|card| card.face().rank())?;
    let suits = set.iter().filter_map(|card| card.face().suit()).fold(0, |bits, s| bits | 1 << s as u8);
    let jokers = set.iter().filter(|card| card.is_joker()).count() as u8;
    Some((MeldShape::Group { rank, suits, jokers }, set.iter().map(|&card| card.into()).collect()))
}

/// Every single step that the judge accepts.
fn accepted(table: &Table, seat: Seat) -> HashSet<LegalMove> {
    let mut moves = HashSet::new();
    let hand: Vec<Card> = table.hand(seat).iter().collect();
    for source in [Source::Stock, Source::Discard] {
        if judge(table, seat, &Command::Draw(source)).is_some() {
            moves.insert(LegalMove::Draw(source));
        }
    }
    if judge(table, seat, &Command::Undo).is_some() {
        moves.insert(LegalMove::Undo);
    }
    for &card in &hand {
        if judge(table, seat, &Command::Discard(card)).is_some() {
            moves.insert(LegalMove::Discard(card.face()));
        }
    }
    for laid in table.melds() {
        let ends = if laid.meld.is_run() { vec![Some(End::Low), Some(End::High)] } else { vec![None] };
        for &card in &hand {
            for &end in &ends {
                let command = Command::LayOff { meld: laid.id, cards: vec![card.into()], end };
                if judge(table, seat, &command).is_some() {
                    moves.insert(LegalMove::LayOff(LayOffMove { meld: laid.id, face: card.face(), end }));
                }
            }
            for &joker in laid.meld.cards.iter().filter(|card| card.is_joker()) {
                let command = Command::SwapJoker { meld: laid.id, card, joker: Some(joker) };
                if judge(table, seat, &command).is_some() {
                    moves.insert(LegalMove::Swap(SwapMove { meld: laid.id, face: card.face(), joker }));
                }
            }
        }
    }
    for set in 1u32..1 << hand.len() {
        let set: Vec<Card> = (0..hand.len()).filter(|i| set & 1 << i != 0).map(|i| hand[i]).collect();
        for (shape, named) in (0..13).filter_map(|low| run_at(&set, low)).chain(group(&set)) {
            if let Some(events) = judge(table, seat, &Command::Meld(vec![named])) {
                let Event::Melded { melds, .. } = &events[0] else { panic!("{events:?}") };
                // A list may be read as something else than was meant.
                let same = match (melds[0].1.shape, shape) {
                    (Shape::Run { low, .. }, MeldShape::Run { low: meant, .. }) => low == meant,
                    (Shape::Group { .. }, MeldShape::Group { .. }) => true,
                    _ => false,
                };
                if same {
                    moves.insert(LegalMove::Meld(shape));
                }
            }
        }
    }
    moves
}

/// Whether the judge accepts some opening, of one meld or several.
fn some_opening(table: &Table, seat: Seat) -> bool {
    fn more(table: &Table, seat: Seat, hand: &[Card], from: u32, lists: &mut Vec<Vec<Named>>) -> bool {
        let used: Cards = lists.iter().flatten().map(|named| named.card).collect();
        (from..1 << hand.len()).any(|set| {
            let list: Vec<Card> = (0..hand.len()).filter(|i| set & 1 << i != 0).map(|i| hand[i]).collect();
            if list.iter().any(|card| used.contains(*card)) {
                return false;
            }
            // Jokers last: the list is read as what is worth most, in one order of the natural cards or other.
            let (jokers, mut naturals): (Vec<Card>, Vec<Card>) =
                list.iter().partition(|card| card.is_joker());
            [false, true].into_iter().any(|reversed| {
                if reversed {
                    naturals.reverse();
                }
                let list: Vec<Named> = naturals.iter().chain(&jokers).map(|&card| card.into()).collect();
                if Meld::read(&list, table.rules()).is_err() {
                    return false;
                }
                lists.push(list);
                let found = judge(table, seat, &Command::Meld(lists.clone())).is_some()
                    || more(table, seat, hand, set + 1, lists);
                lists.pop();
                found
            })
        })
    }
    let hand: Vec<Card> = table.hand(seat).iter().collect();
    more(table, seat, &hand, 1, &mut Vec::new())
}

fn check(table: &Table, actor: Seat, moves: &mut LegalMoves) -> Result<(), TestCaseError> {
    legal_moves_into(table, actor, moves);
    prop_assert_eq!(&*moves, &legal_moves(table, actor));
    let listed: HashSet<LegalMove> = moves.iter().collect();
    prop_assert_eq!(listed.len(), moves.len(), "each once: {:?}", moves);
    for (index, step) in moves.iter().enumerate() {
        prop_assert_eq!(moves.get(index), Some(step));
        let command = moves.command(step).unwrap();
        prop_assert!(judge(table, actor, &command).is_some(), "{:?} is refused", command);
    }
    prop_assert_eq!(moves.get(moves.len()), None);
    prop_assert_eq!(listed, accepted(table, actor));
    let suggestion = suggest_for(table, actor);
    if let (None, Some(command), []) = (suggestion.missing, suggestion.command(), moves.draws()) {
        prop_assert!(judge(table, actor, &command).is_some(), "{:?} is refused", command);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// From an arranged turn on, some random moves.
    #[test]
    fn the_judge_accepts_what_is_listed_and_nothing_else(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let mut table = some_situation(&mut dice).table().unwrap();
        let mut moves = LegalMoves::default();
        for _ in 0..6 {
            let Some(actor) = table.turn() else { break };
            check(&table, actor, &mut moves)?;
            let other = seat(1 - actor.number());
            prop_assert!(legal_moves(&table, other).is_empty());
            // Plays rather than the discard, which all but ends it.
            let plays: Vec<LegalMove> =
                moves.iter().filter(|step| !matches!(step, LegalMove::Discard(_))).collect();
            let step = if plays.is_empty() { moves.get(dice.under(moves.len())) } else { Some(dice.one(&plays)) };
            let command = moves.command(step.unwrap()).unwrap();
            for event in judge(&table, actor, &command).unwrap() {
                evolve(&mut table, &event);
            }
        }
    }

    #[test]
    fn an_opening_exists_if_the_judge_accepts_one(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let mut situation = some_situation(&mut dice);
        situation.opened = Default::default();
        let table = situation.table().unwrap();
        prop_assert_eq!(opening_exists(&table, seat(0)), some_opening(&table, seat(0)));
        let suggestion = suggest_for(&table, seat(0));
        let legal = suggestion.command().is_some_and(|c| judge(&table, seat(0), &c).is_some());
        prop_assert_eq!(legal, opening_exists(&table, seat(0)));
    }
}
