//! What a bot does depends on nothing that its seat can't see.

use remik_bots::Bot;
use remik_rules::card::Card;
use remik_rules::command::Command;
use remik_rules::event::{Event, Full, Viewer};
use remik_rules::preset::Preset;
use remik_rules::seat::Seat;
use remik_rules::strength::Strength;

use super::support::{Game, tries};

/// Every command that a bot would give while it is told a log.
fn commands(strength: Strength, seat: Seat, log: &[Event<Full>]) -> Vec<Option<Command>> {
    let mut bot = Bot::new(strength, seat, 99);
    let told = log.iter().map(|event| {
        bot.see(&event.observed_by(Viewer::Seat(seat)));
        bot.next(&mut tries(20))
    });
    told.collect()
}

/// The first deal, up to the moment before it ended, with hands and stock as they were then.
fn first_deal(preset: Preset, seed: u64) -> Game {
    let mut game = Game::new(preset.ruleset(), &[Strength::Normal, Strength::Easy], seed);
    let mut before = None;
    while game.table.turn().is_some() || game.table.deals() == 0 {
        before = Some((game.table.clone(), game.log.len()));
        assert!(game.step(4));
    }
    let (table, length) = before.unwrap();
    game.table = table;
    game.log.truncate(length);
    game
}

/// The log with two cards changed places in the deal.
fn exchanged(log: &[Event<Full>], one: Card, other: Card) -> Vec<Event<Full>> {
    let exchange = |card: &mut Card| {
        if *card == one {
            *card = other;
        } else if *card == other {
            *card = one;
        }
    };
    let mut log = log.to_vec();
    for event in &mut log {
        match event {
            Event::Dealt(dealt) => {
                dealt.hands.iter_mut().for_each(|(_, hand)| hand.iter_mut().for_each(exchange));
                dealt.stock.iter_mut().for_each(exchange);
            }
            Event::StockDrawn { card, .. } => exchange(card),
            _ => {}
        }
    }
    log
}

#[test]
fn hidden_cards_change_nothing() {
    let mut compared = 0;
    for seed in 0..24 {
        let preset = Preset::ALL[seed as usize % Preset::ALL.len()];
        let game = first_deal(preset, seed);
        let (own, other) = (game.bots[0].seat(), game.bots[1].seat());
        let reused = game.log.iter().any(|event| matches!(event, Event::StockReused { .. }));
        let taken: Vec<Card> = game
            .log
            .iter()
            .filter_map(|event| match event {
                Event::DiscardTaken { card, .. } => Some(*card),
                _ => None,
            })
            .collect();
        // A card that the other still holds and never showed, and one that nobody has drawn.
        let held = game.table.hand(other).iter().find(|card| !taken.contains(card));
        let (Some(held), Some(&stocked), false) = (held, game.table.stock().first(), reused) else {
            continue;
        };
        let changed = exchanged(&game.log, held, stocked);
        assert_ne!(game.log, changed);
        for strength in Strength::ALL {
            let commands = commands(strength, own, &game.log);
            assert!(commands.iter().flatten().count() > 2);
            assert_eq!(commands, self::commands(strength, own, &changed), "{strength} at {preset}");
        }
        compared += 1;
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn the_same_game_is_played_the_same_way() {
    for strength in Strength::ALL {
        let logs = [1, 1, 2].map(|seed| {
            let mut game = Game::new(Preset::Remi30.ruleset(), &[strength; 2], seed);
            assert!((0..200).all(|_| game.step(10)) || game.table.is_over());
            game.log
        });
        assert_eq!(logs[0], logs[1]);
        assert_ne!(logs[0], logs[2]);
    }
}
