//! Advice: what it says of a hand in every phase, and that its word on what is accepted can be relied on.

use remik_rules::advice::{Advice, advise};
use remik_rules::command::{Actor, Command, Source};
use remik_rules::legal::legal_moves;
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::Ruleset;
use remik_rules::seat::{Seat, Seats};
use remik_rules::situation::Situation;
use remik_rules::suggest::Missing;

use super::rulesets::random_ruleset;
use super::support::{Dice, Game, card, cards, meld, seat};

const OPENING: &str = "7H 8H 9H KC KD KS 2C 3D 4S 5C 6D 9S JC QD";

fn situation(rules: Ruleset, hand: &str) -> Situation {
    Situation { hands: vec![Some(cards(hand))], pile: vec![card("2H")], ..Situation::new(rules, 2) }
}

fn advice(game: &mut Game, number: u8) -> Result<Advice, Refusal> {
    advise(&game.table, seat(number), game.now, &mut game.dice)
}

fn remik(hand: &str) -> Situation {
    situation(Preset::Remik51.ruleset(), hand)
}

#[test]
fn an_opening_is_found_and_accepted() {
    let mut game = Game::arranged(remik(OPENING));
    let advice = advice(&mut game, 0).unwrap();
    assert_eq!((advice.melds.points, advice.melds.cards_used, advice.melds.missing), (54, 6, None));
    assert!(advice.is_opening() && advice.melds_playable && !advice.opened);
    game.by(0, advice.melds.command().unwrap()).unwrap();
}

#[test]
fn it_tells_what_an_opening_lacks() {
    for (hand, points, pure_run) in [
        ("KC KD KS 9C 9D 9S 5C 5D 5S 3H 4C 7D JS AH", 72, true),
        ("7H 8H 9H TS TC TD 2C 3D 4S 5C 6D 9S JC QD", 54, false),
        ("2H 3H 4H TS TC TD 2C 3D 4S 5C 6D 9S JC KD", 39, false),
        ("2C 4D 6S 8H TC QD AS 3C 5D 7S 9H JC KD 2S", 0, true),
    ] {
        let advice = advice(&mut Game::arranged(Situation { pile: vec![], ..remik(hand) }), 0).unwrap();
        assert_eq!(advice.melds.points, points, "{hand}");
        let lacks = points < 51 || pure_run;
        let missing = Missing { have: points, need: 51, pure_run, cards_left_over: 0 };
        assert_eq!(advice.melds.missing, lacks.then_some(missing), "{hand}");
        assert_eq!((advice.is_opening(), advice.melds_playable), (!lacks, !lacks), "{hand}");
    }
}

#[test]
fn out_of_turn_and_before_the_draw_nothing_is_accepted() {
    let mut game = Game::arranged(Situation { turn: seat(1), ..remik(OPENING) });
    let others = advice(&mut game, 0).unwrap();
    assert_eq!((others.melds.points, others.is_opening(), others.melds_playable), (54, true, false));
    let mut game = Game::arranged(Situation { drawn: false, ..remik(OPENING) });
    let undrawn = advice(&mut game, 0).unwrap();
    assert_eq!((undrawn.is_opening(), undrawn.melds_playable), (true, false));
    game.by(0, Command::Draw(Source::Stock)).unwrap();
    assert!(advice(&mut game, 0).unwrap().melds_playable);
}

#[test]
fn lay_offs_are_shown_before_the_opening_and_accepted_after_it() {
    let rules = Preset::Remik51.ruleset();
    let melds = vec![(seat(1), meld("TC JC QC", &rules))];
    let hand = "KC 9C 2C 3D 4S 5C 6D 9S JD QD 2S 4H 6H 8D";
    for opened in [false, true] {
        let opened: Seats = Seat::first(2).filter(|seat| opened || seat.number() == 1).collect();
        let table = Situation { melds: melds.clone(), opened, ..situation(rules.clone(), hand) };
        let advice = advice(&mut Game::arranged(table), 0).unwrap();
        let found: Vec<_> =
            advice.lay_offs.iter().map(|(s, playable)| (s.cards[0].card, s.points, *playable)).collect();
        let yes = advice.opened;
        assert_eq!(found, [(card("KC"), 10, yes), (card("9C"), 9, yes)]);
        assert_eq!(yes, opened.contains(seat(0)));
    }
}

#[test]
fn where_the_whole_hand_is_laid_at_once_it_counts_the_cards_left() {
    let wrotham = |hand| Situation { deal: 4, ..situation(Preset::WrothamRummy.ruleset(), hand) };
    let advice_of = |hand| advice(&mut Game::arranged(wrotham(hand)), 0).unwrap();
    let short = advice_of("2C 3C 4C 7H 7D 9S JD KD");
    let missing = Missing { have: 9, need: 0, pure_run: false, cards_left_over: 4 };
    assert_eq!((short.melds.missing, short.melds_playable), (Some(missing), false));
    let whole = advice_of("2C 3C 4C 7H 7D 7S KD");
    assert_eq!((whole.melds.cards_used, whole.is_opening(), whole.melds_playable), (6, true, true));
}

#[test]
fn without_a_deal_or_a_seat_in_it_there_is_none() {
    let rules = Preset::Remik51.ruleset();
    let mut game = Game::new(rules, 3, 5);
    assert_eq!(advice(&mut game, 0), Err(Refusal::NoDealRunning));
    for player in 1..=3 {
        game.join(player).unwrap();
    }
    assert_eq!(advice(&mut game, 0), Err(Refusal::NoDealRunning));
    game.all_ready();
    assert!((0..3).all(|number| advice(&mut game, number).is_ok()));
    assert_eq!(advice(&mut game, 3), Err(Refusal::NotSeated));
    game.by(1, Command::Leave).unwrap();
    assert_eq!(advice(&mut game, 1), Err(Refusal::OutOfGame(seat(1))));
    assert!(advice(&mut game, 0).is_ok());
    game.by(2, Command::Leave).unwrap();
    assert!(game.table.is_over());
    assert_eq!(advice(&mut game, 0), Err(Refusal::NoDealRunning));
}

#[test]
fn it_does_not_depend_on_hidden_cards() {
    let rules = Preset::Remik51.ruleset();
    let melds = vec![(seat(1), meld("TS JS QS", &rules))];
    let with = |other: &str, stock: &str| {
        let mut table = Situation { melds: melds.clone(), ..situation(rules.clone(), OPENING) };
        table.hands.push(Some(cards(other)));
        table.stock = Some(stock.split_whitespace().map(card).collect());
        advice(&mut Game::arranged(table), 0).unwrap()
    };
    assert_eq!(with("KS2 9S2 AH", "X1 5H 6H"), with("X1 X2 TH", "KS2 AD 2D"));
}

/// In random games, in which advice is followed now and then: what it calls accepted is, and where nothing is
/// missing in the own turn it is accepted.
#[test]
fn its_word_is_kept_in_random_games() {
    let (mut followed, mut openings) = (0, 0);
    for number in 0..3_000 {
        let mut dice = Dice(number);
        let rules = match Preset::ALL.get(dice.under(Preset::ALL.len() * 2)) {
            Some(preset) => preset.ruleset(),
            None => random_ruleset(&mut dice),
        };
        let seats = rules.seats.0;
        let mut game = Game::started(rules, seats, number);
        for _ in 0..200 {
            let Some(turn) = game.table.turn() else { break };
            let legal = legal_moves(&game.table, turn);
            let to_draw = !legal.draws().is_empty();
            for other in Seat::first(seats).filter(|seat| *seat != turn || to_draw) {
                let advice = advice(&mut game, other.number()).unwrap();
                assert!(!advice.melds_playable && advice.lay_offs.iter().all(|(_, playable)| !playable));
            }
            let own = advice(&mut game, turn.number()).unwrap();
            let accepted = !to_draw && !own.melds.melds.is_empty() && own.melds.missing.is_none();
            assert_eq!(own.melds_playable, accepted, "game {number}: {own:?}");
            let lay_off = own.lay_offs.iter().find(|(_, playable)| *playable).map(|(s, _)| s.command());
            let advised = own.melds.command().filter(|_| own.melds_playable).or(lay_off);
            let command = match advised {
                Some(command) if dice.under(3) > 0 => {
                    followed += 1;
                    openings += u32::from(own.melds_playable && own.is_opening());
                    command
                }
                _ => legal.command(legal.get(dice.under(legal.len())).unwrap()).unwrap(),
            };
            game.act(Actor::Seat(turn), &command).unwrap_or_else(|r| panic!("game {number}: {command}: {r}"));
        }
    }
    assert!(followed > 10_000 && openings > 1000, "{followed} {openings}");
}
