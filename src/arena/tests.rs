use remik_rules::preset::Preset;
use remik_rules::strength::Strength;

use super::*;

fn options(preset: Preset, seats: u8) -> Options {
    Options {
        a: Participant::Bot(Strength::Hard),
        b: Participant::Random,
        preset,
        deals: 6,
        seats,
        budget: Budget::Deals(5),
        threads: Some(1),
        seed: 7,
        json: true,
    }
}

fn report(options: &Options) -> Report {
    let report = run(options, &mut Vec::new()).unwrap();
    assert!(report.hard_move_p99_ms.is_none_or(|p99| p99 > 0.0));
    Report { seconds: 0.0, hard_move_p99_ms: None, ..report }
}

#[test]
fn the_seed_decides_everything() {
    let one = options(Preset::Rummy200, 2);
    let several = Options { threads: Some(3), ..one.clone() };
    let other = Options { seed: 8, ..one.clone() };
    assert_eq!(report(&one), report(&several));
    assert_ne!(report(&one).points_a, report(&other).points_a);
}

#[test]
fn mirrored_deals_have_the_same_cards_and_swapped_seats() {
    for preset in Preset::ALL {
        let options = options(preset, 3);
        let [one, other] = mirrored(&options, 4).unwrap();
        assert_eq!((one.first, other.first), (Side::A, Side::B));
        assert_eq!(one.dealt, other.dealt, "{preset}");
        assert_eq!(one.dealt.len(), 3);
        assert_ne!(one.dealt, mirrored(&options, 5).unwrap()[0].dealt, "{preset}");
    }
}

#[test]
fn equals_win_exactly_half() {
    // The same player on both sides makes the same moves in both plays.
    let easy = Participant::Bot(Strength::Easy);
    let report = report(&Options { a: easy, b: easy, deals: 40, ..options(Preset::Remik51, 2) });
    assert_eq!((report.rate, report.low, report.high), (0.5, 0.5, 0.5));
    assert_eq!(report.won_by_a + report.won_by_b + f64::from(report.blocked), 80.0);
}

#[test]
fn nothing_but_wins_is_no_certainty() {
    let (a, b) = (Participant::Bot(Strength::Normal), Participant::Random);
    let report = report(&Options { a, b, deals: 4, ..options(Preset::Remik51, 2) });
    assert_eq!((report.rate, report.low, report.high), (1.0, 0.25, 1.0));
}

#[test]
fn the_stronger_wins() {
    let won = |a, b, deals| {
        let [a, b] = [a, b].map(Participant::Bot);
        report(&Options { a, b, deals, ..options(Preset::Remik51, 2) })
    };
    let random = Options { a: Participant::Bot(Strength::Easy), deals: 40, ..options(Preset::Remik51, 2) };
    assert!(report(&random).rate > 0.9);
    assert!(won(Strength::Normal, Strength::Easy, 400).low > 0.5);
}

#[test]
fn reports_are_text_or_one_line_of_json() {
    let report = report(&options(Preset::Rummy200, 2));
    let printed = |json| {
        let mut out = Vec::new();
        report.print(&mut out, json).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert!(
        printed(false).starts_with("hard against random: rummy-200, 2 seats, 6 mirrored deals, seed 7\n")
    );
    let json = printed(true);
    assert_eq!(json.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((value["a"].as_str(), value["deals"].as_u64()), (Some("hard"), Some(6)));
    assert_eq!(value["rate"].as_f64(), Some(report.rate));
}

#[test]
fn seats_that_the_rules_lack_are_refused() {
    let too_many = options(Preset::Remik51, 5);
    assert!(matches!(run(&too_many, &mut Vec::new()), Err(ArenaError::Rules(_))));
}

#[test]
fn budgets_and_players_are_read_as_they_are_printed() {
    for text in ["5ms", "200ms", "40"] {
        assert_eq!(text.parse::<Budget>().unwrap().to_string(), text);
    }
    for text in ["", "ms", "5s", "-1", "5 ms"] {
        assert!(text.parse::<Budget>().is_err(), "{text}");
    }
    for name in ["random", "easy", "normal", "hard"] {
        assert_eq!(name.parse::<Participant>().unwrap().to_string(), name);
    }
    assert!("brilliant".parse::<Participant>().is_err());
}
