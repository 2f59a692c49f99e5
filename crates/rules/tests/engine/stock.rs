//! The end of the stock and of deals that nobody wins: RULES 8, 9, 13; going rummy: RULES 10; undo: RULES 18.

use remik_rules::command::{Command, Source};
use remik_rules::event::{Block, Event, Outcome, Viewer};
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{GoingRummy, Ruleset, StockReuse};
use remik_rules::situation::Situation;
use remik_rules::view::Stage;

use super::support::{Game, card, cards, named, seat};

fn last_stock_card(preset: Preset, uses: u8, pile: &str) -> Game {
    let mut situation = Situation::new(preset.ruleset(), 3);
    situation.drawn = false;
    situation.hands = vec![Some(cards("4C AH")), Some(cards("X1")), Some(cards("5D"))];
    if preset.ruleset().pack.jokers == 0 {
        situation.hands[1] = Some(cards("KC"));
    }
    situation.stock = Some(vec![card("7S")]);
    situation.pile = pile.split_whitespace().map(card).collect();
    situation.stock_uses = uses;
    Game::arranged(situation)
}

/// Case rs-02.
#[test]
fn the_third_exhaustion_blocks_the_deal_and_everybody_counts() {
    let mut game = last_stock_card(Preset::Remik51, 2, "2H 9D KS");
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    let events = game.by(0, Command::Discard(card("7S"))).unwrap();
    let Event::DealEnded(ended) = &events[1] else { panic!("{events:?}") };
    assert_eq!(ended.outcome, Outcome::Blocked(Block::StockUsedUp));
    assert_eq!(ended.scores, [(seat(0), 15), (seat(1), 25), (seat(2), 5)]);
}

/// Case rs-13: what is reused leaves the pile.
#[test]
fn reused_cards_leave_the_pile() {
    let mut game = last_stock_card(Preset::Remik51, 0, "2H 9D KS");
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    let events = game.by(0, Command::Discard(card("4C"))).unwrap();
    let [_, Event::StockReused { kept, count: 3, stock }, Event::TurnStarted { .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*kept, Some(card("4C")));
    let stock: remik_rules::cards::Cards = stock.iter().copied().collect();
    assert_eq!(stock, cards("2H 9D KS"));
    let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
    assert_eq!((deal.pile, deal.stock_count, deal.stock_uses), (vec![card("4C")], 3, 1));
}

/// RULES 8, 9: a deal that the last turn ends renews no stock; a stock used up for the last time says so first.
#[test]
fn the_last_turn_renews_no_stock() {
    for (uses, block) in [(0, Block::TurnLimit), (2, Block::StockUsedUp)] {
        let mut situation = Situation::new(Preset::Remik51.ruleset(), 2);
        situation.hands = vec![Some(cards("4C AH")), Some(cards("5D"))];
        situation.stock = Some(Vec::new());
        situation.pile = vec![card("2H"), card("9D")];
        situation.stock_uses = uses;
        situation.turns = 200;
        let events = Game::arranged(situation).by(0, Command::Discard(card("4C"))).unwrap();
        let [Event::Discarded { .. }, Event::DealEnded(ended), Event::SeedCommitted { .. }] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!(ended.outcome, Outcome::Blocked(block));
    }
}

/// Case rs-06.
#[test]
fn the_second_exhaustion_of_rummy_200_is_drawn() {
    let mut game = last_stock_card(Preset::Rummy200, 1, "2H 9D KS");
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    let events = game.by(0, Command::Discard(card("7S"))).unwrap();
    let Event::DealEnded(ended) = &events[1] else { panic!("{events:?}") };
    assert!(ended.scores.iter().all(|(_, score)| *score == 0));
}

/// Case rs-08, and RULES 8: it is judged when the next player asks for a stock card.
#[test]
fn where_the_discard_must_be_refused_the_draw_decides() {
    for reuse in [StockReuse::TurnOver, StockReuse::ShuffleAll] {
        let mut situation = Situation::new(Ruleset { stock_reuse: reuse, ..Preset::BasicRummy.ruleset() }, 2);
        situation.drawn = false;
        situation.hands = vec![Some(cards("4C AH")), Some(cards("5D 6S"))];
        situation.stock = Some(Vec::new());
        situation.pile = vec![card("2S"), card("9D"), card("KS")];
        let mut game = Game::arranged(situation.clone());
        game.by(0, Command::Draw(Source::Discard)).unwrap();
        let mut game = Game::arranged(situation.clone());
        let events = game.by(0, Command::Draw(Source::Stock)).unwrap();
        let [Event::StockReused { kept: None, count: 3, .. }, Event::StockDrawn { card: drawn, .. }] =
            &events[..]
        else {
            panic!("{events:?}")
        };
        if reuse == StockReuse::TurnOver {
            assert_eq!(*drawn, card("2S"));
        }
        situation.stock_uses = 2;
        let mut game = Game::arranged(situation);
        let events = game.by(0, Command::Draw(Source::Stock)).unwrap();
        let Event::DealEnded(ended) = &events[0] else { panic!("{events:?}") };
        assert_eq!(ended.outcome, Outcome::Blocked(Block::StockUsedUp));
        // Hands of 5 and 11: the lower one takes the difference.
        assert_eq!(ended.scores, [(seat(0), 6), (seat(1), 0)]);
    }
}

/// Case rs-17: players who only ever take discards never use the stock up.
#[test]
fn endless_play_is_bounded() {
    let rules = Ruleset { turns_per_seat: 5, ..Preset::Remik51.ruleset() };
    let mut game = Game::started(rules, 2, 3);
    let mut turns = 0;
    let outcome = loop {
        let seat = game.table.turn().unwrap();
        game.by(seat.number(), Command::Draw(Source::Discard)).unwrap();
        let taken = match game.log.last() {
            Some(Event::DiscardTaken { card, .. }) => *card,
            other => panic!("{other:?}"),
        };
        let hand = game.table.hand(seat);
        let other = hand.iter().find(|card| card.face() != taken.face()).unwrap();
        let events = game.by(seat.number(), Command::Discard(other)).unwrap();
        turns += 1;
        if let Some(Event::DealEnded(ended)) = events.get(1) {
            break ended.outcome;
        }
    };
    assert_eq!((turns, outcome), (10, Outcome::Blocked(Block::TurnLimit)));
}

/// RULES 13: equal lowest hands share, the odd points go to the one nearest the starter.
#[test]
fn odd_points_go_to_the_seat_nearest_the_starter() {
    for (dealer, scores) in [(0, [0, 2, 1]), (1, [0, 1, 2])] {
        let mut situation = Situation::new(Preset::BlockRummy.ruleset(), 3);
        situation.drawn = false;
        situation.dealer = seat(dealer);
        situation.hands = vec![Some(cards("9C")), Some(cards("3D 4H")), Some(cards("5D 2S"))];
        // The lowest hands have 7 points, the other 9 and 1 more: 3 points to share.
        situation.hands[0] = Some(cards("9C AH"));
        situation.stock = Some(Vec::new());
        situation.pile = vec![card("KS")];
        let mut game = Game::arranged(situation);
        let events = game.by(0, Command::Draw(Source::Stock)).unwrap();
        let Event::DealEnded(ended) = &events[0] else { panic!("{events:?}") };
        let got: Vec<i32> = ended.scores.iter().map(|(_, score)| *score).collect();
        assert_eq!(got, scores);
    }
}

/// Cases gr-02, gr-04, gr-05, gr-06.
#[test]
fn going_rummy_counts_only_with_nothing_laid_before() {
    let basic = |bonus| Ruleset { going_rummy: bonus, ..Preset::BasicRummy.ruleset() };
    let remik = Preset::Remik51.ruleset();
    for (rules, opened, other, winner, loser) in [
        (basic(GoingRummy::Double), false, "5H KD", 30, 0),
        (basic(GoingRummy::PlusTen), false, "5H KD", 25, 0),
        (basic(GoingRummy::Double), true, "5H KD", 15, 0),
        (remik.clone(), true, "AH KC 7D X1", 0, 53),
    ] {
        let mut situation = Situation::new(rules, 2);
        situation.hands = vec![Some(cards("8C 9C TC 2S")), Some(cards(other))];
        if opened {
            situation.opened = [seat(0)].into_iter().collect();
        }
        let mut game = Game::arranged(situation);
        game.by(0, Command::Meld(vec![named("8C 9C TC")])).unwrap();
        let events = game.by(0, Command::Discard(card("2S"))).unwrap();
        let Event::DealEnded(ended) = &events[1] else { panic!("{events:?}") };
        assert_eq!(ended.scores, [(seat(0), winner), (seat(1), loser)]);
        assert_eq!(ended.outcome, Outcome::WentOut { seat: seat(0), rummy: !opened });
    }
}

#[test]
fn undone_plays_dont_spoil_going_rummy_and_undos_are_bounded() {
    let mut situation = Situation::new(Preset::BasicRummy.ruleset(), 2);
    situation.hands = vec![Some(cards("8C 9C TC 2S 4D")), Some(cards("5H"))];
    let mut game = Game::arranged(situation);
    let before = game.table.clone();
    assert_eq!(game.by(0, Command::Undo), Err(Refusal::NothingToUndo));
    for _ in 0..8 {
        game.by(0, Command::Meld(vec![named("8C 9C TC")])).unwrap();
        game.by(0, Command::Undo).unwrap();
        assert_eq!(game.table.view(Viewer::Public).stage, {
            let mut view = before.view(Viewer::Public);
            if let (Stage::Playing(then), Stage::Playing(now)) =
                (&mut view.stage, &game.table.view(Viewer::Public).stage)
            {
                then.turn.undos = now.turn.undos;
            }
            view.stage
        });
    }
    game.by(0, Command::Meld(vec![named("8C 9C TC")])).unwrap();
    assert_eq!(game.by(0, Command::Undo), Err(Refusal::TooManyUndos(8)));
}

/// Case fm-26: nothing is on the table that wasn't laid by a command, so a discard leaves the hand as it was.
#[test]
fn a_discard_without_a_meld_leaves_everything_in_the_hand() {
    let mut situation = Situation::new(Preset::Remik51.ruleset(), 2);
    situation.hands = vec![Some(cards("6S 6H 6D 9C 9D 9H 4D")), None];
    let mut game = Game::arranged(situation);
    let staged = Command::Meld(vec![named("6S 6H 6D"), named("9C 9D 9H")]);
    let refusal = Refusal::OpeningBelowMinimum { have: 45, need: 51, pure_run_missing: true };
    assert_eq!(game.by(0, staged), Err(refusal));
    game.by(0, Command::Discard(card("4D"))).unwrap();
    assert_eq!(game.table.hand(seat(0)), cards("6S 6H 6D 9C 9D 9H"));
    assert!(game.table.melds().is_empty());
}
