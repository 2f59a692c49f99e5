use remik_rules::preset::Preset;

use super::{NotationError, Problem, read, write};
use crate::record::tests::{Dice, play};

#[test]
fn every_game_is_read_as_it_was_written() {
    for preset in Preset::ALL {
        for number in 0..12 {
            let record = play(preset, number);
            let text = write(&record).unwrap();
            let again = read(&text).unwrap_or_else(|error| panic!("{preset} {number}: {error}\n{text}"));
            assert_eq!(again, record, "{preset} {number}");
            assert_eq!(write(&again).unwrap(), text);
        }
    }
}

/// A character changed anywhere gives another game or an error with its line, and never a panic.
#[test]
fn a_changed_text_is_another_game_or_none() {
    let record = play(Preset::Remik51, 3);
    let text = write(&record).unwrap();
    let mut dice = Dice(1);
    let comment = |at: usize| text[..at].rsplit('\n').next().is_some_and(|line| line.starts_with(';'));
    for _ in 0..1000 {
        let at = dice.under(text.len());
        let mut bytes = text.clone().into_bytes();
        bytes[at] = b"0123456789ACDHJKQSTX[]<>+*/^~@=.;mr "[dice.under(36)];
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let lines = text.lines().count();
        match read(&changed) {
            Ok(other) => {
                let harmless = changed == text || comment(at) || text.as_bytes()[at] == b'\n';
                let number = changed.lines().zip(text.lines()).any(|(a, b)| a != b && strip(a) == strip(b));
                assert!(
                    other != record || harmless || number,
                    "{at}: {}",
                    &changed[at.saturating_sub(40)..at + 20]
                );
            }
            Err(NotationError { line, .. }) => assert!((1..=lines + 1).contains(&line)),
        }
    }
}

/// A line without the number of its turn, and comments as nothing.
fn strip(line: &str) -> &str {
    if line.starts_with(';') {
        return "";
    }
    line.split_once(". ").map_or(line, |(_, rest)| rest)
}

#[test]
fn faults_are_named() {
    let text = write(&play(Preset::Remik51, 3)).unwrap();
    let problem = |change: fn(&str) -> String| read(&change(&text)).unwrap_err().problem;
    assert_eq!(problem(|_| String::new()), Problem::Tag("Remik"));
    assert_eq!(problem(|t| t.replace("[Remik 1]", "[Remik 2]")), Problem::Unknown("notation 2".to_owned()));
    assert_eq!(problem(|t| t.replace("[Seats", "[Chairs")), Problem::Tag("Seats"));
    assert!(matches!(
        problem(|t| t.replacen(" *", " ^", 1)),
        Problem::OtherCard { .. } | Problem::Refused { .. }
    ));
    assert!(matches!(problem(|t| t.replacen("seed 1", ";seed 1", 1)), Problem::NoSeed));
    assert!(matches!(problem(|t| t.replacen("\n1. ", "\n1. 5 undo\n1. ", 1)), Problem::Refused { .. }));
    assert!(matches!(problem(|t| format!("{t}what\n")), Problem::Unreadable(_)));
}
