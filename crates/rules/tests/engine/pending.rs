//! RULES 5: whoever has swapped a joker that must be laid can always lay it. Every command that could is tried.

use proptest::prelude::*;
use remik_rules::card::Card;
use remik_rules::command::{Command, MeldId};
use remik_rules::event::Viewer;
use remik_rules::meld::Named;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{JokerSwap, Ruleset, SwappedJoker};
use remik_rules::situation::Situation;
use remik_rules::view::Stage;

use super::support::{Dice, Game, card, meld, seat};

const MELDS: [&str; 8] = [
    "TH X1=JH QH",
    "4S X2=5S 6S",
    "8S 8H X3",
    "5C 5D X4 X5",
    "7C X6=8C 9C TC",
    "QS QH QD QC",
    "2D 3D 4D",
    "X1=AS 2S 3S 4S",
];

fn pending(game: &Game) -> Option<Card> {
    match game.table.view(Viewer::Public).stage {
        Stage::Playing(deal) => deal.turn.pending,
        _ => None,
    }
}

/// Whether one command can lay the joker, alone or with other cards of the hand.
fn can_be_laid(game: &Game, joker: Card) -> bool {
    let hand: Vec<Card> = game.table.hand(seat(0)).iter().collect();
    (0u32..1 << hand.len()).any(|set| {
        let laid: Vec<Named> = hand
            .iter()
            .enumerate()
            .filter(|(index, _)| set & 1 << index != 0)
            .map(|(_, card)| Named::from(*card))
            .collect();
        if laid.iter().all(|named| named.card != joker) {
            return false;
        }
        let lay_offs = game.table.melds().iter().map(|meld| Command::LayOff {
            meld: meld.id,
            cards: laid.clone(),
            end: None,
        });
        let mut commands = lay_offs.chain([Command::Meld(vec![laid.clone()])]);
        commands.any(|command| game.clone().by(0, command).is_ok())
    })
}

fn random_play(game: &Game, dice: &mut Dice) -> Command {
    let hand: Vec<Card> = game.table.hand(seat(0)).iter().collect();
    let mut some = |most: usize| -> Vec<Named> {
        let count = 1 + dice.under(most);
        (0..count).map(|_| hand[dice.under(hand.len())].into()).collect()
    };
    let (one, few, three) = (some(1), some(2), some(4));
    let id = MeldId(1 + dice.under(game.table.melds().len()) as u16);
    match dice.under(3) {
        0 => Command::SwapJoker { meld: id, card: one[0].card, joker: None },
        1 => Command::LayOff { meld: id, cards: few, end: None },
        _ => Command::Meld(vec![three]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_swapped_joker_can_always_be_laid(
        seed: u64,
        options in any::<[bool; 5]>(),
        on_table in prop::sample::subsequence(MELDS.to_vec(), 1..4),
        size in 3usize..7,
    ) {
        let [any_turn, melded, several_melds, final_discard, opened] = options;
        let rules = Ruleset {
            joker_swap: if any_turn { JokerSwap::AnyTurn } else { JokerSwap::AfterOpening },
            swapped_joker: if melded { SwappedJoker::MustBeMelded } else { SwappedJoker::MustBeLaid },
            several_melds,
            final_discard,
            opening_points: 0,
            opening_pure_run: false,
            ..Preset::Remi30.ruleset()
        };
        let mut dice = Dice(seed);
        let mut situation = Situation::new(rules.clone(), 2);
        let mut free = rules.pack.cards();
        for text in on_table {
            let read = meld(text, &rules);
            if free.contains_all(read.set()) {
                free = free.without(read.set());
                situation.melds.push((seat(1), read));
            }
        }
        // Cards that fit somewhere are likelier than others.
        let likely = "JH 5S 8C 8D 5H 5S2 8C2 7H 7D 7S 9H KH 9H2 TH2 3S 7S2 6C JC 5D2 AS AS2 2H X6";
        let likely: Vec<Card> = likely.split(' ').map(card).filter(|card| free.contains(*card)).collect();
        situation.hands = vec![Some((0..size).map(|_| likely[dice.under(likely.len())]).collect()), None];
        situation.opened = [seat(1)].into_iter().collect();
        if opened {
            situation.opened.insert(seat(0));
        }
        let mut game = Game::arranged(situation);
        for _ in 0..60 {
            if game.table.turn() != Some(seat(0)) {
                break;
            }
            let command = random_play(&game, &mut dice);
            let before = game.table.clone();
            if game.by(0, command.clone()).is_err() {
                prop_assert!(before == game.table, "{command:?}");
            }
            if let Some(joker) = pending(&game) {
                prop_assert!(can_be_laid(&game, joker), "{joker} after {command:?}");
            }
        }
    }
}
