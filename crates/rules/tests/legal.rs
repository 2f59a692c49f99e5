//! Legal moves against the judge: whatever single step `decide` accepts is listed, and nothing else.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::HashSet;

use proptest::prelude::*;
use remik_rules::card::{Card, Face, Rank, Suit};
use remik_rules::cards::Cards;
use remik_rules::chance::{Chance, ClientSeed, Commitment, Millis, Seed, Stream};
use remik_rules::command::{Actor, Command, End, MeldId, Source};
use remik_rules::decide::decide;
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::legal::{
    LayOffMove, LegalMove, LegalMoves, MeldShape, SwapMove, legal_moves, legal_moves_into,
};
use remik_rules::meld::{Meld, Named, Shape};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Aces, JokerSwap, Ruleset, SwappedJoker};
use remik_rules::seat::Seat;
use remik_rules::situation::Situation;
use remik_rules::suggest::{opening_exists, suggest_for};
use remik_rules::table::Table;

/// A multiplicative generator: enough to vary situations.
struct Dice(u64);

impl Dice {
    fn under(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) % bound as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.under(2) == 0
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.under(of.len())]
    }
}

impl Chance for Dice {
    fn commit(&mut self) -> (Seed, Commitment) {
        (Seed([1; 32]), Commitment([2; 32]))
    }

    fn shuffle(&mut self, _: Stream<'_>, cards: &mut [Card]) {
        for place in (1..cards.len()).rev() {
            cards.swap(place, self.under(place + 1));
        }
    }

    fn below(&mut self, _: Stream<'_>, bound: u32) -> u32 {
        self.under(bound as usize) as u32
    }
}

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn cards(codes: &str) -> Cards {
    codes.split_whitespace().map(|code| code.parse().unwrap()).collect()
}

fn judge(table: &Table, seat: Seat, command: &Command) -> Option<Vec<Event>> {
    decide(table, Actor::Seat(seat), command, Millis(0), &mut Dice(1)).ok()
}

/// Rules that differ in all that the moves depend on.
fn some_rules(dice: &mut Dice) -> Ruleset {
    loop {
        let preset = dice.one(&Preset::ALL).ruleset();
        let rules = Ruleset {
            adjacent_jokers: dice.coin(),
            final_discard: dice.coin(),
            several_melds: dice.coin() || dice.coin(),
            lay_off_needs_own_meld: dice.coin(),
            opening_points: dice.one(&[0, 0, 15, 40]),
            opening_pure_run: dice.under(3) == 0,
            aces: dice.one(&[Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner]),
            joker_swap: dice.one(&[JokerSwap::Never, JokerSwap::AfterOpening, JokerSwap::AnyTurn]),
            swapped_joker: dice.one(&[
                SwappedJoker::Kept,
                SwappedJoker::MustBeLaid,
                SwappedJoker::MustBeMelded,
            ]),
            whole_hand_from_deal: if dice.under(4) == 0 { Some(1) } else { None },
            ..preset
        };
        if rules.validate().is_ok() {
            return rules;
        }
    }
}

/// A meld of cards that are still there, with a few jokers.
fn some_meld(dice: &mut Dice, left: &mut Cards, rules: &Ruleset) -> Option<Meld> {
    let faces: Vec<Face> = if dice.coin() {
        let (suit, low) = (dice.one(&Suit::ALL), dice.under(13));
        let length = 3 + dice.under(3) + dice.under(2) * dice.under(7);
        (low..low + length).map(|position| Face::new(Rank::ALL[position % 13], suit)).collect()
    } else {
        let rank = dice.one(&Rank::ALL);
        let without = dice.one(&Suit::ALL);
        let four = dice.coin();
        Suit::ALL.into_iter().filter(|s| four || *s != without).map(|suit| Face::new(rank, suit)).collect()
    };
    let mut after = *left;
    let mut named = Vec::new();
    for face in faces {
        let joker = after.jokers().iter().next().filter(|_| dice.under(3) == 0);
        let card = joker.or_else(|| after.pick(face))?;
        after.remove(card);
        named.push(card.into());
    }
    let meld = Meld::read(&named, rules).ok()?;
    *left = after;
    Some(meld)
}

/// A turn after the draw, with melds on the table and a small hand in which much fits.
fn some_situation(dice: &mut Dice) -> Situation {
    let rules = some_rules(dice);
    let mut left = rules.pack.cards();
    let mut situation = Situation::new(rules, 2);
    for _ in 0..dice.under(4) {
        if let Some(meld) = some_meld(dice, &mut left, &situation.rules) {
            situation.melds.push((seat(dice.under(2) as u8), meld));
        }
    }
    let (base, ranks, suits) = (dice.under(13), 3 + dice.under(8), 1 + dice.under(4));
    let joker_share = 2 + dice.under(4);
    let mut hand = Cards::EMPTY;
    for _ in 0..1 + dice.under(8) {
        let face = Face::new(Rank::ALL[(base + dice.under(ranks)) % 13], Suit::ALL[dice.under(suits)]);
        let face = if dice.under(joker_share) == 0 { Face::JOKER } else { face };
        if let Some(card) = left.pick(face) {
            left.remove(card);
            hand.insert(card);
        }
    }
    // A card that frees a joker, to see swaps often.
    for (_, meld) in &situation.melds {
        let joker = (0..meld.cards.len()).find(|&i| meld.cards[i].is_joker());
        if let Some(card) = joker.and_then(|i| left.pick(meld.face_at(i)?)) {
            left.remove(card);
            hand.insert(card);
        }
    }
    if hand.is_empty() {
        let card = left.iter().next().unwrap();
        left.remove(card);
        hand.insert(card);
    }
    if dice.coin() {
        situation.taken = hand.iter().nth(dice.under(hand.len()));
    }
    if dice.coin() {
        situation.opened.insert(seat(0));
    }
    situation.hands = vec![Some(hand), Some([left.iter().next().unwrap()].into_iter().collect())];
    situation
}

/// A turn of seat 0, who has opened, after these commands.
fn arranged(rules: &Ruleset, hand: &str, melds: &[&str], commands: &[Command]) -> Table {
    let mut situation = Situation::new(rules.clone(), 2);
    situation.hands = vec![Some(cards(hand)), Some(cards("2C"))];
    let read = |codes: &&str| {
        let list: Vec<Named> = codes.split_whitespace().map(|c| c.parse::<Card>().unwrap().into()).collect();
        (seat(1), Meld::read(&list, rules).unwrap())
    };
    situation.melds = melds.iter().map(read).collect();
    situation.opened.insert(seat(0));
    let mut table = situation.table().unwrap();
    for command in commands {
        for event in judge(&table, seat(0), command).unwrap() {
            evolve(&mut table, &event);
        }
    }
    table
}

fn swap(card: &str) -> Command {
    Command::SwapJoker { meld: MeldId(1), card: card.parse().unwrap(), joker: None }
}

fn lay(codes: &str) -> Command {
    Command::Meld(vec![codes.split_whitespace().map(|c| c.parse::<Card>().unwrap().into()).collect()])
}

/// The melds as commands name them.
fn melds(moves: &LegalMoves) -> Vec<String> {
    let list = |meld: &MeldShape| {
        let Some(Command::Meld(lists)) = moves.command(LegalMove::Meld(*meld)) else { panic!() };
        lists[0].iter().map(|named| named.card.to_string()).collect::<Vec<_>>().join(" ")
    };
    moves.melds().iter().map(list).collect()
}

/// RULES 5: no meld that leaves a joker without a place, and the pending joker before others.
#[test]
fn a_pending_joker_goes_first() {
    let rules = Preset::RemikPoints.ruleset();
    let table = arranged(&rules, "JH 7C 7D 7H KS X1", &["TH X2 QH"], &[swap("JH")]);
    let moves = legal_moves(&table, seat(0));
    assert!(melds(&moves).iter().all(|meld| meld.contains("X2")), "{:?}", melds(&moves));
    assert_eq!((moves.discards().len(), moves.may_undo(), moves.swaps().len()), (0, true, 0));
    // The other joker may be laid off, as long as the pending one has its meld.
    let joker = moves.lay_offs().iter().find(|lay_off| lay_off.face == Face::JOKER).unwrap();
    let Some(Command::LayOff { cards, .. }) = moves.command(LegalMove::LayOff(*joker)) else { panic!() };
    assert_eq!(cards[0].card, "X1".parse().unwrap());
    let suggestion = suggest_for(&table, seat(0));
    assert!(suggestion.melds.iter().any(|meld| meld.cards.contains(&"X2".parse().unwrap())));

    let laid = Ruleset { swapped_joker: SwappedJoker::MustBeLaid, ..rules };
    let table = arranged(&laid, "JH 7C KS X1", &["TH X2 QH"], &[swap("JH")]);
    let moves = legal_moves(&table, seat(0));
    let Some(Command::LayOff { cards, .. }) = moves.command(LegalMove::LayOff(moves.lay_offs()[0])) else {
        panic!()
    };
    assert_eq!(cards[0].card, "X2".parse().unwrap());
    assert!(suggest_for(&table, seat(0)).melds.is_empty(), "it fits no meld");
}

#[test]
fn a_pending_joker_may_wait_for_the_new_meld() {
    let rules = Preset::Remik51.ruleset();
    let table = arranged(&rules, "8C 5C 6C 7C KS", &["8S 8H 8D X1"], &[swap("8C")]);
    assert!(melds(&legal_moves(&table, seat(0))).contains(&"5C 6C 7C".to_owned()));
    let new_meld_only = Ruleset { swapped_joker: SwappedJoker::MustBeMelded, ..rules };
    let table = arranged(&new_meld_only, "8C 5C 6C 7C KS", &["8S 8H 8D X1"], &[swap("8C")]);
    assert!(!melds(&legal_moves(&table, seat(0))).contains(&"5C 6C 7C".to_owned()));
}

/// RULES 5 with one meld a turn.
#[test]
fn the_only_meld_of_a_turn_is_the_jokers() {
    let rules = Ruleset {
        several_melds: false,
        swapped_joker: SwappedJoker::MustBeMelded,
        ..Preset::Remik51.ruleset()
    };
    let hand = "JH 7C 7D 7H 8C 8D KS";
    let table = arranged(&rules, hand, &["TH X1 QH"], &[swap("JH")]);
    let moves = legal_moves(&table, seat(0));
    assert!(melds(&moves).iter().all(|meld| meld.contains("X1")));
    let table = arranged(&rules, hand, &["TH X1 QH"], &[lay("7C 7D 7H")]);
    let moves = legal_moves(&table, seat(0));
    assert!(moves.swaps().is_empty() && moves.melds().is_empty());
    assert!(suggest_for(&table, seat(0)).melds.is_empty());
}

#[test]
fn nothing_is_added_to_a_full_run() {
    let rules = Preset::Remik51.ruleset();
    for run in ["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"] {
        let table = arranged(&rules, "X1 AH2 KH2 2S", &[run], &[]);
        assert!(legal_moves(&table, seat(0)).lay_offs().is_empty(), "{run}");
    }
}

/// RULES 18.
#[test]
fn undo_is_offered_eight_times() {
    let mut commands = Vec::new();
    for undos in 0..=8 {
        let table = arranged(&Preset::Remik51.ruleset(), "7C 7D 7H KS", &[], &commands);
        let moves = legal_moves(&table, seat(0));
        assert!(!moves.may_undo());
        commands.push(lay("7C 7D 7H"));
        let table = arranged(&Preset::Remik51.ruleset(), "7C 7D 7H KS", &[], &commands);
        assert_eq!(legal_moves(&table, seat(0)).may_undo(), undos < 8);
        commands.push(Command::Undo);
    }
}

#[test]
fn between_deals_there_is_readiness() {
    let table = arranged(&Preset::Remik51.ruleset(), "KS", &[], &[Command::Discard("KS".parse().unwrap())]);
    let moves = legal_moves(&table, seat(0));
    assert!(moves.is_empty() && moves.may_get_ready() && moves.may_leave());
    assert!(!legal_moves(&table, seat(3)).may_leave(), "nobody sits there");
    let ready = Command::Ready { client_seed: ClientSeed::default() };
    let mut after = table.clone();
    for event in judge(&table, seat(0), &ready).unwrap() {
        evolve(&mut after, &event);
    }
    let moves = legal_moves(&after, seat(0));
    assert!(!moves.may_get_ready() && moves.may_leave());
}

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
