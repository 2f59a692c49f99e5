//! Bots of any strength, at any table, make only legal moves, and their games end.

use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Aces, GameEnd, JokerSwap, Ruleset, Scoring, SwappedJoker};
use remik_rules::strength::Strength;

use super::support::{Game, tries};

/// Plays a whole game; a refusal panics.
fn play(rules: Ruleset, seats: u8, seed: u64) {
    let strengths: Vec<Strength> =
        Strength::ALL.into_iter().cycle().skip(seed as usize % 3).take(seats.into()).collect();
    let mut game = Game::new(rules, &strengths, seed);
    let mut moves = 0;
    while !game.table.is_over() {
        assert!(game.step(4), "somebody moves");
        moves += 1;
        assert!(moves < 60_000, "the game ends");
    }
    assert!(!game.step(4), "nobody moves when the game is over");
}

#[test]
fn whole_games_of_every_preset_are_legal_and_end() {
    for preset in Preset::ALL {
        let (least, most) = preset.ruleset().seats;
        for seed in 0..30 {
            let seats = least + (seed as u8 % (most - least + 1));
            play(preset.ruleset(), seats, seed);
        }
    }
}

#[test]
fn house_rules_are_no_trouble() {
    let remik = Preset::Remik51.ruleset();
    let odd = [
        Ruleset { aces: Aces::RoundTheCorner, adjacent_jokers: true, ..remik.clone() },
        Ruleset { swapped_joker: SwappedJoker::MustBeMelded, several_melds: false, ..remik.clone() },
        Ruleset { swapped_joker: SwappedJoker::Kept, lay_off_needs_own_meld: false, ..remik.clone() },
        Ruleset { whole_hand_from_deal: Some(1), end: GameEnd::Deals(2), ..remik.clone() },
        Ruleset {
            joker_swap: JokerSwap::AnyTurn,
            opening_points: 0,
            opening_pure_run: false,
            ..remik.clone()
        },
        Ruleset {
            scoring: Scoring::Payment,
            end: GameEnd::Deals(3),
            final_discard: true,
            ..Preset::BasicRummy.ruleset()
        },
    ];
    for rules in odd {
        // Some of these are consistent only with other options changed too.
        let rules = Ruleset {
            winner: if rules.scoring == Scoring::Penalty {
                rules.winner
            } else {
                remik_rules::ruleset::Winner::Highest
            },
            ..rules
        };
        assert_eq!(rules.validate(), Ok(()));
        for seed in 0..8 {
            play(rules.clone(), 2 + seed as u8 % 3, seed);
        }
    }
}

#[test]
fn a_bot_takes_over_in_the_middle_of_a_turn() {
    // Others' commands come first: a random legal step, undo too, and the bot goes on from there.
    let mut taken_over = 0;
    for seed in 0..60 {
        let preset = Preset::ALL[seed as usize % Preset::ALL.len()];
        let mut game = Game::new(preset.ruleset(), &[Strength::Normal, Strength::Hard], seed);
        for _ in 0..400 {
            if game.table.is_over() {
                break;
            }
            if let Some(seat) = game.table.turn()
                && game.dice.under(3) == 0
            {
                let moves = remik_rules::legal::legal_moves(&game.table, seat);
                let chosen = moves.get(game.dice.under(moves.len())).unwrap();
                let command = moves.command(chosen).unwrap();
                game.act(Actor::Seat(seat), &command);
                taken_over += 1;
            } else {
                assert!(game.step(4));
            }
        }
    }
    assert!(taken_over > 2_000, "{taken_over}");
}

#[test]
fn who_left_is_left_alone() {
    for seed in 0..10 {
        let rules = Ruleset { end: GameEnd::Deals(5), ..Preset::Remik51.ruleset() };
        let mut game = Game::new(rules, &[Strength::Hard; 3], seed);
        (0..40).for_each(|_| assert!(game.step(4)));
        let gone = game.bots[1].seat();
        game.act(Actor::Seat(gone), &Command::Leave);
        assert_eq!(game.bots[1].next(&mut tries(4)), None);
        let mut moves = 0;
        while game.step(4) {
            moves += 1;
            assert!(moves < 20_000);
        }
        assert!(game.table.is_over());
    }
}

#[test]
fn a_bot_that_has_no_time_moves_all_the_same() {
    let mut game = Game::new(Preset::Rummy200.ruleset(), &[Strength::Hard; 2], 3);
    while game.table.deals() < 2 {
        let Some(seat) = game.table.turn() else {
            assert!(game.step(1));
            continue;
        };
        let command = game.bots[seat.index()].next(&mut || true).unwrap();
        assert!(
            decide(&game.table, Actor::Seat(seat), &command, Millis::default(), &mut game.dice.clone())
                .is_ok()
        );
        game.act(Actor::Seat(seat), &command);
    }
}
