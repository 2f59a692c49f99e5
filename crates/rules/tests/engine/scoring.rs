//! What a deal counts: RULES 10 and 13, and the sources' examples of RULES 20.

use remik_rules::command::{Command, Source};
use remik_rules::event::{Event, Outcome};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Blocked, GameEnd, GoingRummy, Ruleset, Scoring, Winner};
use remik_rules::seat::Seats;
use remik_rules::situation::Situation;

use super::support::{Game, card, cards, seat};

/// Payments over a number of deals.
fn paid() -> Ruleset {
    Ruleset { scoring: Scoring::Payment, end: GameEnd::Deals(6), ..Preset::BasicRummy.ruleset() }
}

/// What each seat gets, by seat.
fn scores(events: &[Event]) -> (Outcome, Vec<i32>) {
    let ended = events.iter().find_map(|event| match event {
        Event::DealEnded(ended) => Some(ended),
        _ => None,
    });
    let ended = ended.unwrap();
    assert!(ended.scores.iter().zip(0..).all(|((of, _), number)| *of == seat(number)));
    (ended.outcome, ended.scores.iter().map(|(_, score)| *score).collect())
}

/// A deal that is blocked when the first seat asks for a card.
fn blocked(rules: &Ruleset, hands: &[&str], dealer: u8) -> Vec<i32> {
    let mut situation = Situation::new(rules.clone(), hands.len() as u8);
    situation.hands = hands.iter().map(|hand| Some(cards(hand))).collect();
    situation.dealer = seat(dealer);
    situation.drawn = false;
    situation.stock = Some(Vec::new());
    situation.stock_uses = rules.stock_uses - 1;
    let events = Game::arranged(situation).by(0, Command::Draw(Source::Stock)).unwrap();
    let (outcome, scores) = scores(&events);
    assert!(matches!(outcome, Outcome::Blocked(_)));
    scores
}

/// RULES 13.
#[test]
fn the_lowest_hand_wins_the_differences() {
    let basic = Preset::BasicRummy.ruleset();
    let example = ["6C", "5D KH", "7S", "TC AC KD"];
    assert_eq!(blocked(&basic, &example, 3), [25, 0, 0, 0]);
    assert_eq!(blocked(&paid(), &example, 3), [25, -9, -1, -15]);
    let nobody = Ruleset { blocked: Blocked::NobodyScores, ..basic };
    assert_eq!(blocked(&nobody, &example, 3), [0, 0, 0, 0]);
}

/// RULES 13: the starter sits left of the dealer; the odd points go to the tied seat nearest to it.
#[test]
fn equal_lowest_hands_share_and_the_odd_points_go_next_to_the_starter() {
    let basic = Preset::BasicRummy.ruleset();
    let tied = ["6C", "5D KH", "6S", "8C"];
    for (dealer, expected) in [(3, [6, 0, 5, 0]), (0, [5, 0, 6, 0]), (1, [5, 0, 6, 0]), (2, [6, 0, 5, 0])] {
        assert_eq!(blocked(&basic, &tied, dealer), expected, "dealer {dealer}");
    }
    assert_eq!(blocked(&paid(), &tied, 3), [6, -9, 5, -2]);
    assert_eq!(blocked(&basic, &["6C", "5D KH", "6S", "8C 6D", "6H"], 4), [7, 0, 5, 0, 5]);
}

/// The first seat goes out by its discard, having laid something before or not.
fn won(rules: &Ruleset, hands: &[&str], fresh: bool) -> Vec<i32> {
    let mut situation = Situation::new(rules.clone(), 1 + hands.len() as u8);
    situation.hands = [Some(cards("2C"))].into_iter().chain(hands.iter().map(|h| Some(cards(h)))).collect();
    situation.opened = if fresh { Seats::EMPTY } else { [seat(0)].into_iter().collect() };
    let events = Game::arranged(situation).by(0, Command::Discard(card("2C"))).unwrap();
    let (outcome, scores) = scores(&events);
    assert_eq!(outcome, Outcome::WentOut { seat: seat(0), rummy: fresh });
    scores
}

/// RULES 10.
#[test]
fn going_rummy_doubles_or_adds_ten() {
    let penalty = Preset::Remik51.ruleset();
    let takes = Preset::BasicRummy.ruleset();
    for (rules, plain, double, plus) in [
        (&penalty, [0, 10, 15], [0, 20, 30], [0, 20, 25]),
        (&takes, [25, 0, 0], [50, 0, 0], [35, 0, 0]),
        (&paid(), [25, -10, -15], [50, -20, -30], [45, -20, -25]),
    ] {
        for (going_rummy, rummy) in
            [(GoingRummy::Plain, plain), (GoingRummy::Double, double), (GoingRummy::PlusTen, plus)]
        {
            let rules = Ruleset { going_rummy, ..rules.clone() };
            let name = format!("{:?} {going_rummy:?}", rules.scoring);
            assert_eq!(won(&rules, &["KD", "7S 8S"], true), rummy, "{name}");
            assert_eq!(won(&rules, &["KD", "7S 8S"], false), plain, "{name}");
        }
    }
}

/// RULES 20: an ace, a king, a seven and a joker are 53, doubled 106; the other presets' values.
#[test]
fn cards_in_hand_count_as_the_preset_says() {
    for (preset, points) in [
        (Preset::Remik51, 11 + 10 + 7 + 25),
        (Preset::Remi30, 15 + 10 + 7 + 30),
        (Preset::Romme40, 11 + 10 + 7 + 20),
    ] {
        let rules = preset.ruleset();
        assert_eq!(won(&rules, &["AH KC 7D X1"], false), [0, points], "{preset}");
        assert_eq!(won(&rules, &["AH KC 7D X1"], true), [0, 2 * points], "{preset}");
    }
    assert_eq!(won(&Preset::WrothamRummy.ruleset(), &["AH KC 7D X1"], false), [1 + 10 + 7 + 15, 0]);
    let highest = Ruleset { winner: Winner::Highest, ..Preset::RemikPoints.ruleset() };
    assert_eq!(won(&highest, &["AH KC 7D X1"], false), [0, 0], "hands aren't counted");
}
