//! Hands only ever shrink from turn to turn, and no card is lost or doubled.

use remik_rules::cards::Cards;
use remik_rules::command::{Command, Source};
use remik_rules::event::{Event, Viewer};
use remik_rules::meld::Named;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::seat::Seat;
use remik_rules::view::Stage;

use super::support::{Game, cards, named, seat};

/// Draws, tries melds and takes some of them back, and throws a card.
fn play_a_turn(game: &mut Game, turn: Seat) {
    let number = turn.number();
    let source = if game.dice.under(3) == 0 { Source::Discard } else { Source::Stock };
    if game.by(number, Command::Draw(source)).is_err() {
        let _ = game.by(number, Command::Draw(Source::Stock));
    }
    for _ in 0..40 {
        let hand: Vec<_> = game.table.hand(turn).iter().collect();
        if hand.len() < 4 {
            break;
        }
        let three: Vec<Named> = (0..3).map(|_| hand[game.dice.under(hand.len())].into()).collect();
        let _ = game.by(number, Command::Meld(vec![three]));
        if game.dice.under(20) == 0 {
            let _ = game.by(number, Command::Undo);
        }
    }
    let hand: Vec<_> = game.table.hand(turn).iter().collect();
    for card in hand {
        if game.by(number, Command::Discard(card)).is_ok() {
            return;
        }
    }
}

/// Case dr-07: nobody begins a turn with more cards than were dealt, or than at the last turn's beginning.
#[test]
fn no_hand_grows_from_turn_to_turn() {
    for preset in Preset::ALL {
        for seed in 0..6 {
            let rules = remik_rules::ruleset::Ruleset {
                opening_points: 0,
                opening_pure_run: false,
                ..preset.ruleset()
            };
            let mut game = Game::started(rules, 3, seed);
            let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
            let mut sizes: Vec<usize> = deal.hand_counts.iter().map(|count| usize::from(*count)).collect();
            let mut turns = 0;
            while let Some(turn) = game.table.turn() {
                let size = game.table.hand(turn).len();
                assert!(size <= sizes[turn.index()], "{preset} {seed}");
                sizes[turn.index()] = size;
                assert_eq!(everything(&game), game.table.rules().pack.cards(), "{preset} {seed}");
                play_a_turn(&mut game, turn);
                turns += 1;
                assert!(turns <= 300, "{preset} {seed}: the deal is bounded");
            }
            assert!(game.log.iter().any(|event| matches!(event, Event::DealEnded(_))));
        }
    }
}

/// The cards in hands, on the table and in the piles, each of which must be there once.
fn everything(game: &Game) -> Cards {
    let mut all = Cards::EMPTY;
    let mut count = 0;
    let mut add = |cards: Cards| {
        count += cards.len();
        all = all.union(cards);
    };
    for number in 0..game.table.seat_count() {
        add(game.table.hand(seat(number)));
    }
    for meld in game.table.melds() {
        add(meld.meld.set());
    }
    let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
    add(deal.pile.iter().copied().collect());
    // The stock is hidden from every viewer: what it held last is in the log.
    let mut stock: Vec<_> = Vec::new();
    for event in &game.log {
        match event {
            Event::Dealt(dealt) => stock.clone_from(&dealt.stock),
            Event::StockReused { stock: new, .. } => stock.clone_from(new),
            Event::StockDrawn { .. } => {
                stock.pop();
            }
            _ => {}
        }
    }
    assert_eq!(stock.len(), usize::from(deal.stock_count));
    add(stock.into_iter().collect());
    assert_eq!(count, all.len(), "a card is in two places");
    all
}

/// Case dr-07: what was laid in an earlier turn can't be taken back.
#[test]
fn an_undo_reaches_no_earlier_turn() {
    let mut situation = remik_rules::situation::Situation::new(Preset::BasicRummy.ruleset(), 2);
    situation.hands = vec![Some(cards("8C 9C TC 2S 4D")), Some(cards("5H 6S"))];
    let mut game = Game::arranged(situation);
    game.by(0, Command::Meld(vec![named("8C 9C TC")])).unwrap();
    game.by(0, Command::Discard("2S".parse().unwrap())).unwrap();
    assert_eq!(game.by(0, Command::Undo), Err(Refusal::NotYourTurn(seat(1))));
    game.pass();
    assert_eq!(game.by(0, Command::Undo), Err(Refusal::DrawFirst));
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    assert_eq!(game.by(0, Command::Undo), Err(Refusal::NothingToUndo));
    assert_eq!(game.table.melds().len(), 1);
}
