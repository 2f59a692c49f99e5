//! Tables imagined from a view: what a seat may do there is what it may do at the true one.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::event::Viewer;
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::preset::Preset;
use remik_rules::seat::Seat;
use remik_rules::table::Table;

use super::support::Game;

/// The table as a seat could imagine it, the hidden cards dealt anew by the game's dice.
fn imagined(game: &mut Game, seat: Seat) -> Table {
    let others = || Seat::first(game.table.seat_count()).filter(|other| *other != seat);
    let hands = others().flat_map(|other| game.table.hand(other).iter());
    let mut hidden: Vec<Card> = hands.chain(game.table.stock().iter().copied()).collect();
    let sizes: Vec<(Seat, usize)> = others().map(|other| (other, game.table.hand(other).len())).collect();
    for place in (1..hidden.len()).rev() {
        hidden.swap(place, game.dice.under(place + 1));
    }
    let mut hands = [Cards::EMPTY; 6];
    for (other, size) in sizes {
        hands[other.index()] = hidden.split_off(hidden.len() - size).into_iter().collect();
    }
    game.table.view(Viewer::Seat(seat)).imagine(&hands, hidden).unwrap()
}

#[test]
fn the_same_moves_are_legal_but_undo() {
    let mut moved = 0;
    for (number, preset) in (0..).zip(Preset::ALL.into_iter().cycle().take(80)) {
        let mut game = Game::started(preset.ruleset(), 2 + number as u8 % 3, number);
        for _ in 0..400 {
            let Some(seat) = game.table.turn() else { break };
            let table = imagined(&mut game, seat);
            let there = legal_moves(&table, seat);
            let here = legal_moves(&game.table, seat);
            let steps = here.iter().filter(|step| *step != LegalMove::Undo);
            assert!(steps.eq(there.iter()), "game {number} of {preset}");
            let mut view = game.table.view(Viewer::Seat(seat));
            let mut guess = table.view(Viewer::Seat(seat));
            // What a view doesn't tell: the undo, and the next deal's commitment, which there is none of yet.
            for view in [&mut view, &mut guess] {
                view.next_commitment = None;
                if let remik_rules::view::Stage::Playing(deal) = &mut view.stage {
                    deal.turn.can_undo = false;
                }
            }
            assert_eq!(view, guess, "game {number} of {preset}");
            let chosen = here.get(game.dice.under(here.len())).unwrap();
            game.by(seat.number(), here.command(chosen).unwrap()).unwrap();
            moved += 1;
        }
    }
    assert!(moved > 5_000, "{moved}");
}

#[test]
fn cards_that_do_not_fit_make_no_table() {
    let game = Game::started(Preset::Remik51.ruleset(), 2, 1);
    let seat = game.table.turn().unwrap();
    let other = Seat::first(2).find(|other| *other != seat).unwrap();
    let view = game.table.view(Viewer::Seat(seat));
    let mut hands = [Cards::EMPTY; 6];
    let stock = game.table.stock().to_vec();
    assert_eq!(view.imagine(&hands, stock.clone()), None, "a hand is missing");
    hands[other.index()] = game.table.hand(other);
    assert_eq!(view.imagine(&hands, stock[1..].to_vec()), None, "a stock card is missing");
    assert_eq!(game.table.view(Viewer::Public).imagine(&hands, stock.clone()), None, "nobody's seat");
    assert!(view.imagine(&hands, stock).is_some());
}
