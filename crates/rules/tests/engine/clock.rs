//! Seats that don't act: RULES 15 and 16.

use remik_rules::command::{Actor, Command, MeldId, Source};
use remik_rules::event::{Event, Forfeit, GameOver, Outcome};
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{Aces, GameEnd, Ruleset};
use remik_rules::seat::Seats;
use remik_rules::situation::Situation;
use remik_rules::view::{Stage, Standing};
use remik_rules::{chance::Millis, event::Viewer};

use super::support::{Game, card, cards, meld, named, seat};

fn timed(preset: Preset) -> Ruleset {
    Ruleset { turn_seconds: Some(30), ..preset.ruleset() }
}

fn time_out(game: &mut Game) -> Vec<Event> {
    game.now = game.now.plus_seconds(31);
    game.act(Actor::Clock, &Command::TimeOut).unwrap()
}

#[test]
fn a_timeout_draws_and_throws_the_drawn_card() {
    let mut game = Game::started(timed(Preset::Remik51), 3, 1);
    let first = game.table.turn().unwrap();
    let before = game.table.hand(first);
    let events = time_out(&mut game);
    let [Event::StockDrawn { card, .. }, Event::Discarded { card: thrown, .. }, timeout, next] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!(card, thrown);
    assert_eq!(*timeout, Event::TimedOut { seat: first, in_a_row: 1 });
    assert!(matches!(next, Event::TurnStarted { deadline: Some(_), .. }));
    assert_eq!(game.table.hand(first), before);
}

#[test]
fn the_clock_is_not_early_and_there_may_be_none() {
    let mut game = Game::started(timed(Preset::Remik51), 2, 1);
    let Err(Refusal::NotTimeYet(deadline)) = game.act(Actor::Clock, &Command::TimeOut) else { panic!() };
    assert_eq!(deadline, game.now.plus_seconds(30));
    let turn = game.table.turn().unwrap().number();
    assert_eq!(game.by(turn, Command::TimeOut), Err(Refusal::ClockOnly));
    let mut game = Game::started(Preset::Remik51.ruleset(), 2, 1);
    assert_eq!(game.act(Actor::Clock, &Command::TimeOut), Err(Refusal::NoClock));
}

/// A turn with a deadline: an arranged situation has none, so the turn before it is played.
fn timed_turn(preset: Preset, hand: &str, pile: &str, table: &str) -> Game {
    timed_turn_of(timed(preset), hand, pile, table)
}

fn timed_turn_of(rules: Ruleset, hand: &str, pile: &str, table: &str) -> Game {
    let mut situation = Situation::new(rules.clone(), 2);
    situation.turn = seat(1);
    situation.dealer = seat(1);
    situation.hands = vec![Some(cards(hand)), Some(cards("2S 3D 9D2"))];
    situation.pile = vec![card("6C2")];
    if !table.is_empty() {
        situation.melds = vec![(seat(1), meld(table, &rules))];
    }
    situation.opened = [seat(0), seat(1)].into_iter().collect::<Seats>();
    let mut game = Game::arranged(situation);
    let thrown = if pile.is_empty() { "2S" } else { pile };
    game.by(1, Command::Discard(card(thrown))).unwrap();
    assert_eq!(game.table.turn(), Some(seat(0)));
    game
}

#[test]
fn a_taken_card_is_kept_and_the_dearest_natural_card_goes() {
    let mut game = timed_turn(Preset::Remik51, "4C KD AS X1", "2S", "");
    game.by(0, Command::Draw(Source::Discard)).unwrap();
    let events = time_out(&mut game);
    assert!(events.contains(&Event::Discarded { seat: seat(0), card: card("AS") }), "{events:?}");
}

/// RULES 15: dearest by its value in hand; where hands aren't counted, by its value on the table.
#[test]
fn where_hands_are_not_counted_the_table_says_what_is_dear() {
    for (preset, thrown) in [(Preset::Remik51, "AS"), (Preset::RemikPoints, "KD")] {
        let low = Ruleset { aces: Aces::Low, ace_in_hand: 15, ..timed(preset) };
        let mut game = timed_turn_of(low, "4C KD AS X1", "2S", "");
        game.by(0, Command::Draw(Source::Discard)).unwrap();
        let events = time_out(&mut game);
        assert!(events.contains(&Event::Discarded { seat: seat(0), card: card(thrown) }), "{events:?}");
    }
}

#[test]
fn equal_cards_go_by_their_code() {
    let mut game = timed_turn(Preset::Remik51, "KD TS KC2 X1", "2S", "");
    game.by(0, Command::Draw(Source::Discard)).unwrap();
    let events = time_out(&mut game);
    assert!(events.contains(&Event::Discarded { seat: seat(0), card: card("KC2") }), "{events:?}");
}

/// Case sv-04: the card just drawn goes; where it was laid, the dearest that may.
#[test]
fn a_player_who_has_drawn_loses_that_card() {
    for (melds, thrown) in [(false, "9C"), (true, "KD")] {
        let rules = timed(Preset::Remik51);
        let mut situation = Situation::new(rules, 2);
        situation.turn = seat(1);
        situation.dealer = seat(1);
        situation.hands = vec![Some(cards("9H 9D KD 4C X1")), Some(cards("2S 3D"))];
        situation.opened = [seat(0)].into_iter().collect();
        situation.stock = Some(vec![card("9C"), card("TC")]);
        let mut game = Game::arranged(situation);
        game.by(1, Command::Discard(card("2S"))).unwrap();
        game.by(0, Command::Draw(Source::Stock)).unwrap();
        if melds {
            game.by(0, Command::Meld(vec![named("9H 9D 9C")])).unwrap();
        }
        let events = time_out(&mut game);
        assert!(events.contains(&Event::Discarded { seat: seat(0), card: card(thrown) }), "{events:?}");
        assert_eq!(game.table.turn(), Some(seat(1)));
    }
}

/// Case sw-21: the pending joker returns to its meld, the card to the hand.
#[test]
fn a_pending_joker_returns_to_its_meld() {
    let mut game = timed_turn(Preset::Remik51, "JH 7C 7D KS", "2S", "TH X1=JH QH");
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    let hand = game.table.hand(seat(0));
    let swap = Command::SwapJoker { meld: MeldId(1), card: card("JH"), joker: None };
    game.by(0, swap).unwrap();
    assert!(game.table.hand(seat(0)).contains(card("X1")));
    let events = time_out(&mut game);
    assert!(events.contains(&Event::PlaysUndone { seat: seat(0) }));
    assert!(game.table.melds()[0].meld.cards.contains(&card("X1")));
    assert!(game.table.hand(seat(0)).contains(card("JH")));
    assert_eq!(game.table.hand(seat(0)).len(), hand.len() - 1);
}

#[test]
fn plays_stay_when_the_time_runs_out() {
    let mut game = timed_turn(Preset::Remik51, "7H 7C 7D KS 9S", "2S", "");
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    game.by(0, Command::Meld(vec![named("7H 7C 7D")])).unwrap();
    let events = time_out(&mut game);
    assert!(!events.contains(&Event::PlaysUndone { seat: seat(0) }));
    assert_eq!(game.table.melds().len(), 1);
}

#[test]
fn timeouts_in_a_row_give_the_seat_up_and_any_command_starts_again() {
    let mut game = Game::started(timed(Preset::Remik51), 3, 5);
    let first = game.table.turn().unwrap();
    let round = |game: &mut Game| (0..3).map(|_| time_out(game)).collect::<Vec<_>>();
    round(&mut game);
    round(&mut game);
    // The first seat acts: its count starts again, the others' doesn't.
    game.pass();
    let second = game.table.turn().unwrap();
    assert_ne!(second, first);
    let events = time_out(&mut game);
    assert!(events.contains(&Event::SeatForfeited { seat: second, cause: Forfeit::TimedOut }), "{events:?}");
    let third = game.table.turn().unwrap();
    let events = time_out(&mut game);
    assert!(
        matches!(
            &events[events.len() - 3..],
            [Event::SeatForfeited { seat, .. }, Event::DealEnded(_), Event::GameEnded { cause: GameOver::Forfeited, places }]
                if *seat == third && places[first.index()] == 1 && places[second.index()] == 3
        ),
        "{events:?}"
    );
}

#[test]
fn sleepers_end_their_game_by_themselves() {
    let mut game = Game::started(timed(Preset::Remik51), 4, 9);
    let mut steps = 0;
    while !game.table.is_over() {
        time_out(&mut game);
        steps += 1;
        assert!(steps < 20);
    }
}

#[test]
fn one_of_two_who_leaves_has_lost() {
    let mut game = Game::started(Preset::Remik51.ruleset(), 2, 3);
    let events = game.by(0, Command::Leave).unwrap();
    let [Event::SeatForfeited { .. }, Event::DealEnded(ended), Event::GameEnded { places, .. }] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((ended.outcome, ended.scores.len()), (Outcome::Abandoned, 0));
    assert_eq!(places, &[2, 1]);
    assert_eq!(game.by(0, Command::Leave), Err(Refusal::GameOver));
}

#[test]
fn who_leaves_in_the_own_turn_finishes_it_first_and_is_skipped() {
    let mut game = Game::started(Preset::Remik51.ruleset(), 3, 3);
    let leaver = game.table.turn().unwrap();
    let pile = game.table.view(Viewer::Public);
    let events = game.by(leaver.number(), Command::Leave).unwrap();
    assert!(
        matches!(
            &events[..],
            [
                Event::StockDrawn { .. },
                Event::Discarded { .. },
                Event::SeatForfeited { .. },
                Event::TurnStarted { .. }
            ]
        ),
        "{events:?}"
    );
    assert_eq!(game.by(leaver.number(), Command::Undo), Err(Refusal::OutOfGame(leaver)));
    // The hand is put aside: neither in the pile nor in the stock.
    let (Stage::Playing(before), Stage::Playing(after)) = (pile.stage, game.table.view(Viewer::Public).stage)
    else {
        panic!()
    };
    assert_eq!(after.pile.len(), before.pile.len() + 1);
    assert_eq!(after.hand_counts[leaver.index()], 13);
    for _ in 0..4 {
        assert_ne!(game.table.turn(), Some(leaver));
        game.pass();
    }
}

/// RULES 16: the hand still counts, the seat isn't dealt in again, ranks last, its total ends nothing.
#[test]
fn a_seat_given_up_counts_its_hand_and_ranks_last() {
    let rules = Ruleset { end: GameEnd::Total(100), ..Preset::Remik51.ruleset() };
    let mut situation = Situation::new(rules, 3);
    situation.hands = vec![Some(cards("4D 9C")), Some(cards("KS")), Some(cards("X1 X2 X3 X4 2C"))];
    situation.totals = vec![0, 50, 20];
    situation.drawn = true;
    situation.opened = [seat(0)].into_iter().collect();
    situation.turns = 5;
    let mut game = Game::arranged(situation);
    game.by(2, Command::Leave).unwrap();
    game.by(0, Command::Discard(card("9C"))).unwrap();
    game.by(1, Command::Draw(Source::Stock)).unwrap();
    game.by(1, Command::Discard(card("KS"))).unwrap();
    assert_eq!(game.table.turn(), Some(seat(0)));
    game.by(0, Command::Draw(Source::Discard)).unwrap();
    game.by(0, Command::Discard(card("4D"))).unwrap();
    let Stage::Playing(_) = game.table.view(Viewer::Public).stage else { panic!() };
    game.by(1, Command::Leave).unwrap();
    let Stage::Over { places, .. } = game.table.view(Viewer::Public).stage else { panic!() };
    assert_eq!(places, [1, 2, 3]);
}

#[test]
fn the_deal_goes_on_without_the_seat_and_scores_it() {
    let mut situation = Situation::new(Preset::Remik51.ruleset(), 3);
    situation.hands = vec![Some(cards("4D")), Some(cards("KS")), Some(cards("X1 X2 2C"))];
    situation.totals = vec![0, 50, 60];
    situation.opened = [seat(0)].into_iter().collect();
    let mut game = Game::arranged(situation);
    game.by(2, Command::Leave).unwrap();
    let events = game.by(0, Command::Discard(card("4D"))).unwrap();
    let Some(Event::DealEnded(ended)) = events.get(1) else { panic!("{events:?}") };
    assert_eq!(ended.scores, [(seat(0), 0), (seat(1), 10), (seat(2), 52)]);
    assert_eq!(ended.totals, [0, 60, 112]);
    assert!(!game.table.is_over(), "the total of a seat given up ends nothing");
    game.now = Millis(game.now.0 + 1);
    game.all_ready();
    assert!(game.table.hand(seat(2)).is_empty());
    let view = game.table.view(Viewer::Public);
    assert_eq!(view.seats[2].standing, Standing::Forfeited { order: 0 });
}
