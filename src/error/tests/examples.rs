//! Every refusal of the rules, once, and every fault of a request: what they tell is what the table declares.

use std::collections::{BTreeMap, BTreeSet};

use remik_rules::card::{Card, Face};
use remik_rules::chance::Millis;
use remik_rules::command::MeldId;
use remik_rules::meld::MeldFault;
use remik_rules::preset::Preset;
use remik_rules::range::NumberOption;
use remik_rules::refusal::{LayOffFault, Refusal};
use remik_rules::ruleset::RulesetFault;
use remik_rules::seat::{GameRef, Seat};

use super::super::texts::{Metadata, text};
use super::super::{ApiError, Language, Reason};
use super::reasons;
use crate::codec::wire::{Fault, Problem};
use crate::store::PageTokenError;

fn card(code: &str) -> Card {
    code.parse().unwrap()
}

fn face(code: &str) -> Face {
    card(code).face()
}

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn refusals() -> Vec<Refusal> {
    let no_meld = |fault, cards: &[&str]| Refusal::NotAMeld {
        index: 0,
        fault,
        cards: cards.iter().map(|code| card(code)).collect(),
    };
    let no_fit = |fault, cards: &[&str]| Refusal::DoesNotFit {
        meld: MeldId(3),
        fault,
        cards: cards.iter().map(|code| card(code)).collect(),
    };
    let (joker, meld) = (card("X2"), MeldId(3));
    vec![
        Refusal::GameOver,
        Refusal::NotSeated,
        Refusal::OutOfGame(seat(1)),
        Refusal::ClockOnly,
        Refusal::AdminOnly,
        Refusal::AlreadyStarted,
        Refusal::AlreadySeated(seat(1)),
        Refusal::TableFull(4),
        Refusal::SeatTaken(seat(1)),
        Refusal::NoSuchSeat { seat: seat(3), seats: 2 },
        Refusal::AlreadyReady(seat(1)),
        Refusal::DealRunning,
        Refusal::NoDealRunning,
        Refusal::NotYourTurn(seat(2)),
        Refusal::DrawFirst,
        Refusal::AlreadyDrawn,
        Refusal::PileEmpty,
        Refusal::NoCards,
        Refusal::NamedTwice(card("7D2")),
        Refusal::NamedTwice(joker),
        Refusal::NotInHand(card("QS")),
        Refusal::NotInHand(joker),
        no_meld(MeldFault::TooShort(2), &["7H", "8H"]),
        no_meld(
            MeldFault::TooLong(14),
            &["AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH2"],
        ),
        no_meld(MeldFault::TooManyJokers { jokers: 2, naturals: 1 }, &["AS", "X1", "X2"]),
        no_meld(MeldFault::Mixed, &["7H", "8S", "JD"]),
        no_meld(MeldFault::FaceTwice(face("8S")), &["8S", "8S2", "8H"]),
        no_meld(MeldFault::GroupTooLarge(5), &["8S", "8H", "8D", "8C", "X1"]),
        no_meld(MeldFault::NotConsecutive, &["7H", "8H", "TH"]),
        no_meld(MeldFault::AdjacentJokers, &["TH", "X1", "X2", "KH"]),
        no_meld(MeldFault::WrongBinding(card("X1"), face("JS")), &["TH", "X1", "QH"]),
        Refusal::OneMeldPerTurn,
        Refusal::OpeningBelowMinimum { have: 47, need: 51, pure_run_missing: false },
        Refusal::OpeningBelowMinimum { have: 47, need: 51, pure_run_missing: true },
        Refusal::OpeningWithoutPureRun { points: 90 },
        Refusal::OpenFirst,
        Refusal::WholeHandAtOnce { left: 3 },
        Refusal::NoSuchMeld(meld),
        no_fit(LayOffFault::OtherSuit(card("JS")), &["JS"]),
        no_fit(LayOffFault::OtherRank(card("JS")), &["JS"]),
        no_fit(LayOffFault::FaceTwice(face("8S")), &["8S2"]),
        no_fit(LayOffFault::GroupFull, &["X1"]),
        no_fit(LayOffFault::NotNext(card("JS")), &["JS", "QS"]),
        no_fit(LayOffFault::RunFull, &["AS"]),
        no_fit(LayOffFault::TooManyJokers { jokers: 3, naturals: 2 }, &["X1"]),
        no_fit(LayOffFault::AdjacentJokers, &["X1"]),
        no_fit(LayOffFault::JokersPlace { card: card("JS"), joker }, &["JS"]),
        no_fit(LayOffFault::WrongBinding(card("X1"), face("JS")), &["X1"]),
        Refusal::NoCardLeftToDiscard,
        Refusal::NoJokerSwap,
        Refusal::NoSuchJoker { joker, meld },
        Refusal::NotTheJokersPlace { card: card("JS"), meld },
        Refusal::NotTheJokersPlace { card: card("X1"), meld },
        Refusal::JokerPending(joker),
        Refusal::JokerHasNoPlace(joker),
        Refusal::JokerMustBeMelded(joker),
        Refusal::TakenDiscard { card: card("QH2"), taken: card("QH") },
        Refusal::TakenDiscard { card: joker, taken: card("X1") },
        Refusal::NotHost(seat(0)),
        Refusal::Removed,
        Refusal::NoOtherPlayer,
        Refusal::SeatsFree(2),
        Refusal::ReadyAsked(Millis(1_767_225_600_000)),
        Refusal::SeatKept(seat(1)),
        Refusal::NoOffer,
        Refusal::NotOver,
        Refusal::RematchMade(GameRef(7)),
        Refusal::NoBot(seat(1)),
        Refusal::BotPlays(seat(1)),
        Refusal::NothingToUndo,
        Refusal::TooManyUndos(8),
        Refusal::NoClock,
        Refusal::NotTimeYet(Millis(1_767_225_600_000)),
    ]
}

fn ruleset_faults() -> Vec<RulesetFault> {
    let contradictions = Preset::Remik51.ruleset().contradictions();
    let contradictions = contradictions.map(|(_, one, other)| RulesetFault::Inconsistent(one, other));
    let out_of_range = |option| RulesetFault::OutOfRange { option, value: 0, least: 1, most: 6 };
    NumberOption::ALL
        .map(out_of_range)
        .into_iter()
        .chain([
            RulesetFault::SeatsOutOfRange { seats: 5, least: 2, most: 4 },
            RulesetFault::PackTooSmall { seats: 6, needed: 81, pack: 52 },
        ])
        .chain(contradictions)
        .collect()
}

fn faults() -> Vec<ApiError> {
    let fault = |field: &str, problem| ApiError::from(Fault { field: field.to_owned(), problem });
    let malformed = |text: &str, wanted| Problem::Malformed { text: text.to_owned(), wanted };
    vec![
        fault("game_id", Problem::Missing),
        fault("display_name", Problem::Missing),
        fault("melds[0].cards[2]", malformed("ZZ", "a card")),
        fault("display_name", malformed("\u{7}", "a name without control characters")),
        fault("invite_code", malformed("??", "an invite code")),
        ApiError::from(PageTokenError),
        fault("preset", Problem::UnknownPreset("canasta".to_owned())),
        fault("source", Problem::UnknownChoice(7)),
        fault("page_size", Problem::OutOfRange { value: 1000, least: 0, most: 100 }),
        fault("melds", Problem::BadLength { length: 64, of: "melds", least: 1, most: 16 }),
        fault("display_name", Problem::BadLength { length: 64, of: "characters", least: 1, most: 32 }),
        ApiError::version_ahead("known_version", 40, 12),
    ]
}

/// Metadata for every reason: what the rules and the requests give rise to, else the table's own examples.
pub(super) fn examples() -> BTreeMap<Reason, Vec<Metadata>> {
    let mut examples: BTreeMap<Reason, Vec<Metadata>> = BTreeMap::new();
    let refusals = refusals().into_iter().map(ApiError::from);
    for error in refusals.chain(ruleset_faults().into_iter().map(ApiError::from)).chain(faults()) {
        examples.entry(error.reason()).or_default().push(error.metadata().clone());
    }
    for reason in reasons() {
        examples.entry(reason).or_insert_with(|| {
            let own = |key: &super::super::Key| (key.name.to_owned(), key.example.to_owned());
            vec![reason.keys().iter().map(own).collect()]
        });
    }
    examples
}

#[test]
fn every_refusal_of_the_rules_has_its_own_reason_and_example() {
    let told: BTreeSet<Reason> =
        refusals().into_iter().map(|refusal| ApiError::from(refusal).reason()).collect();
    // Those of play, those of tables that wait, and one that exports share.
    let of_rules =
        |reason: &Reason| matches!(*reason as i32, 0..100 | 430..=436) || *reason == Reason::GameNotOver;
    let expected: BTreeSet<Reason> = reasons().filter(of_rules).collect();
    assert_eq!(told, expected);
}

#[test]
fn metadata_is_what_the_table_declares() {
    for (reason, examples) in examples() {
        let declared: BTreeSet<&str> = reason.keys().iter().map(|key| key.name).collect();
        let always: BTreeSet<&str> =
            reason.keys().iter().filter(|key| key.always).map(|key| key.name).collect();
        for metadata in &examples {
            let told: BTreeSet<&str> =
                metadata.keys().map(String::as_str).filter(|key| *key != "rule").collect();
            assert!(told.is_subset(&declared), "{}: {told:?}", reason.name());
            assert!(told.is_superset(&always), "{}: {told:?}", reason.name());
        }
        // What comes sometimes does come.
        let seen: BTreeSet<&str> = examples.iter().flatten().map(|(key, _)| key.as_str()).collect();
        assert!(seen.is_superset(&declared), "{}: {seen:?}", reason.name());
    }
}

#[test]
fn every_reason_has_its_text_in_both_languages() {
    for (reason, examples) in examples() {
        for metadata in &examples {
            let [english, polish] = Language::ALL.map(|language| text(language, reason, metadata));
            for text in [&english, &polish] {
                assert!(text.ends_with('.') && text.len() > 10, "{}: {text}", reason.name());
                assert!(!text.contains(['{', '}', '|', '?', '#']) || text.contains("??"), "{text}");
                assert!(!text.contains("  "), "{text}");
            }
            assert_ne!(english, polish, "{}", reason.name());
        }
    }
}

/// A text says why: no two refusals of the rules have the same one.
#[test]
fn texts_tell_refusals_apart() {
    for language in Language::ALL {
        let mut texts = BTreeSet::new();
        for refusal in refusals() {
            let error = ApiError::from(refusal.clone());
            let text = text(language, error.reason(), error.metadata());
            assert!(texts.insert(text.clone()), "{refusal:?}: {text}");
        }
    }
}

/// Phrases about the rules are translated, and options are called as they are in the list of rules.
#[test]
fn rules_are_named_in_polish() {
    for (_, one, other) in Preset::Remik51.ruleset().contradictions() {
        let metadata = [("one".to_owned(), one.to_owned()), ("other".to_owned(), other.to_owned())].into();
        let polish = text(Language::Polish, Reason::RulesetInconsistent, &metadata);
        assert!(!polish.contains(one) && !polish.contains(other), "{polish}");
    }
    for option in NumberOption::ALL {
        let error = ApiError::from(RulesetFault::OutOfRange { option, value: 0, least: 1, most: 6 });
        for language in Language::ALL {
            let told = text(language, error.reason(), error.metadata());
            assert!(!told.contains(option.name()), "{told}");
        }
    }
}
