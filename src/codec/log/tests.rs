use proptest::prelude::*;
use remik_rules::card::{Card, Rank, Suit};
use remik_rules::chance::Millis;
use remik_rules::command::MeldId;
use remik_rules::meld::{Meld, Shape};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{Aces, JokerSwap};
use remik_rules::seat::Seat;

use super::*;
use crate::codec::arbitrary;

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn cards(codes: &str) -> Vec<Card> {
    codes.split_whitespace().map(|code| code.parse().unwrap()).collect()
}

fn card(code: &str) -> Card {
    code.parse().unwrap()
}

fn kind(kind: proto::event::Kind) -> Vec<u8> {
    proto::Move { events: vec![proto::Event { kind: Some(kind) }] }.encode_to_vec()
}

proptest! {
    #[test]
    fn every_move_is_read_as_it_was_written(events in arbitrary::events()) {
        prop_assert_eq!(decode_move(FORMAT, &encode_move(&events)), Ok(events));
    }

    #[test]
    fn any_bytes_are_a_move_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(events) = decode_move(FORMAT, &bytes) {
            prop_assert_eq!(decode_move(FORMAT, &encode_move(&events)), Ok(events));
        }
    }

    /// Random bytes seldom are protobuf; a stored move with one byte changed or cut short mostly is.
    #[test]
    fn a_damaged_move_is_a_move_or_an_error(
        events in arbitrary::events(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut bytes = encode_move(&events).to_vec();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if cut {
                bytes.truncate(at);
            }
        }
        if let Ok(events) = decode_move(FORMAT, &bytes) {
            prop_assert_eq!(decode_move(FORMAT, &encode_move(&events)), Ok(events));
        }
    }
}

#[test]
fn every_preset_is_read_as_it_was_written() {
    for preset in Preset::ALL {
        for aces in [Aces::Low, Aces::HighOrLow, Aces::RoundTheCorner] {
            for joker_swap in [JokerSwap::Never, JokerSwap::AfterOpening, JokerSwap::AnyTurn] {
                let rules = Box::new(remik_rules::ruleset::Ruleset { aces, joker_swap, ..preset.ruleset() });
                let events = vec![Event::GameCreated { rules, rules_version: 1, seats: 4 }];
                assert_eq!(decode_move(FORMAT, &encode_move(&events)), Ok(events));
            }
        }
    }
}

/// The bytes of a format never change: a log of today is read for ever.
#[test]
fn the_bytes_are_these() {
    let draw = [Event::StockDrawn { seat: seat(2), card: card("QH2") }];
    assert_eq!(encode_move(&draw)[..], [10, 6, 10, 4, 8, 2, 16, 0x6B]);
    let discard = [
        Event::Discarded { seat: seat(0), card: card("AC") },
        Event::TurnStarted { seat: seat(1), drawn: false, deadline: Some(Millis(1_800_000_000_000)) },
    ];
    let bytes = [
        10, 6, 18, 4, 8, 0, 16, 0, // AC is the byte 0, and written
        10, 11, 34, 9, 8, 1, 24, 0x80, 0xA0, 0xF1, 0xC2, 0xB1, 0x34,
    ];
    assert_eq!(encode_move(&discard)[..], bytes);
    let run = Meld {
        shape: Shape::Run { suit: Suit::Hearts, low: 6 },
        cards: cards("7H X1 9H").into_iter().collect(),
    };
    let group =
        Meld { shape: Shape::Group { rank: Rank::King }, cards: cards("KC KD2 KS").into_iter().collect() };
    let melded = [Event::Melded {
        seat: seat(1),
        opening: true,
        melds: vec![(MeldId(1), run), (MeldId(2), group)],
        points: 54,
    }];
    let bytes = [
        10, 30, 42, 28, 8, 1, 16, 1, //
        26, 9, 8, 1, 18, 3, 0x26, 0x0D, 0x28, 24, 0x26, //
        26, 9, 8, 2, 18, 3, 0x0C, 0x5C, 0x3C, 32, 0x0C, //
        32, 54,
    ];
    assert_eq!(encode_move(&melded)[..], bytes);
}

#[test]
fn what_is_missing_or_means_nothing_is_named() {
    use proto::event::Kind;
    let draw = |seat, card| kind(Kind::StockDrawn(proto::StockDrawn { seat, card }));
    let meld = |shape| {
        let melds = vec![proto::Meld { id: Some(1), cards: vec![], shape }];
        kind(Kind::Melded(proto::Melded { seat: Some(0), opening: false, melds, points: 0 }))
    };
    let rules = |mut change: Box<dyn FnMut(&mut proto::Ruleset)>| {
        let mut rules = ruleset::encode(&Preset::Remik51.ruleset());
        change(&mut rules);
        kind(Kind::GameCreated(proto::GameCreated {
            rules: Some(rules),
            rules_version: Some(1),
            seats: Some(4),
        }))
    };
    let meaningless = |field, value| DecodeError::Meaningless { field, value };
    let cases = [
        (
            proto::Move { events: vec![proto::Event { kind: None }] }.encode_to_vec(),
            DecodeError::UnknownEvent,
        ),
        (draw(None, Some(1)), DecodeError::Missing("StockDrawn.seat")),
        (draw(Some(0), None), DecodeError::Missing("StockDrawn.card")),
        (draw(Some(6), Some(1)), meaningless("StockDrawn.seat", 6)),
        (draw(Some(0), Some(128)), meaningless("StockDrawn.card", 128)),
        (draw(Some(0), Some(u32::MAX)), meaningless("StockDrawn.card", u32::MAX.into())),
        (meld(None), DecodeError::Missing("Meld.shape")),
        (meld(Some(proto::meld::Shape::Run(13))), meaningless("Meld.run", 13)),
        (meld(Some(proto::meld::Shape::Run(64))), meaningless("Meld.run", 64)),
        (meld(Some(proto::meld::Shape::Group(13))), meaningless("Meld.group", 13)),
        (rules(Box::new(|r| r.aces = 0)), meaningless("Ruleset.aces", 0)),
        (rules(Box::new(|r| r.aces = 77)), meaningless("Ruleset.aces", 77)),
        (rules(Box::new(|r| r.end = None)), DecodeError::Missing("Ruleset.end")),
        (rules(Box::new(|r| r.upcard = None)), DecodeError::Missing("Ruleset.upcard")),
        (
            rules(Box::new(|r| r.cards_dealt = vec![13])),
            DecodeError::BadLength { field: "Ruleset.cards_dealt", length: 1 },
        ),
        (
            kind(Kind::SeatTaken(proto::SeatTaken { seat: Some(0), player: vec![1; 15] })),
            DecodeError::BadLength { field: "SeatTaken.player", length: 15 },
        ),
    ];
    for (bytes, error) in cases {
        assert_eq!(decode_move(FORMAT, &bytes), Err(error));
    }
}

#[test]
fn other_formats_are_not_guessed_at() {
    assert_eq!(decode_move(0, &[]), Err(DecodeError::UnknownFormat(0)));
    assert_eq!(decode_move(2, &[]), Err(DecodeError::UnknownFormat(2)));
    assert_eq!(decode_move(FORMAT, &[]), Ok(vec![]));
    assert!(matches!(decode_move(FORMAT, &[10, 200]), Err(DecodeError::Protobuf(_))));
}

#[test]
fn the_end_of_a_game_is_seen_without_reading_the_events() {
    let ended = Event::GameEnded { cause: remik_rules::event::GameOver::LimitReached, places: vec![1, 2] };
    let undone = || Event::PlaysUndone { seat: seat(1) };
    let ends = |events: &[Event<Full>]| ends_game(FORMAT, &encode_move(events));
    assert_eq!(ends(&[]), Ok(false));
    assert_eq!(ends(&[undone(), undone()]), Ok(false));
    assert_eq!(ends(&[undone(), ended.clone()]), Ok(true));
    assert_eq!(ends(&[ended, undone()]), Ok(true));
    assert_eq!(ends_game(2, &[]), Err(DecodeError::UnknownFormat(2)));
    // Cut short, another field, an event of nothing.
    for bytes in [&[10, 200][..], &[10, 2, 0xA2], &[16, 1], &[10], &[10, 0]] {
        assert!(ends_game(FORMAT, bytes).is_err(), "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn every_move_is_seen_to_end_its_game_or_not(events in arbitrary::events()) {
        let ends = events.iter().any(|event| matches!(event, Event::GameEnded { .. }));
        prop_assert_eq!(ends_game(FORMAT, &encode_move(&events)), Ok(ends));
    }
}
