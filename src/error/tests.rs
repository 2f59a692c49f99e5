mod document;
mod examples;

use std::collections::HashSet;
use std::io;

use remik_rules::card::Card;
use remik_rules::command::MeldId;
use remik_rules::meld::MeldFault;
use remik_rules::range::NumberOption;
use remik_rules::refusal::{LayOffFault, Refusal};
use remik_rules::ruleset::RulesetFault;
use remik_rules::seat::Seat;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::*;
use crate::codec::log::DecodeError;
use crate::codec::wire::{Fault, Problem};
use crate::store::{AppendError, StoreError};

fn card(code: &str) -> Card {
    code.parse().unwrap()
}

/// Every reason that is sent.
fn reasons() -> impl Iterator<Item = Reason> {
    (1..1000).filter_map(|number| Reason::try_from(number).ok())
}

/// Code, reason and metadata, as a client reads them.
fn told(error: impl Into<ApiError>) -> (Code, String, Vec<(String, String)>) {
    let status = Status::from(error.into());
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.domain, "remik");
    let mut metadata: Vec<_> = info.metadata.into_iter().collect();
    metadata.sort();
    (status.code(), info.reason, metadata)
}

#[test]
fn a_refusal_tells_its_reason_numbers_and_cards() {
    use Code::{FailedPrecondition, InvalidArgument, PermissionDenied};
    let seat = Seat::new(2).unwrap();
    let cards = vec![card("TH"), card("X1"), card("KH2")];
    type Metadata = &'static [(&'static str, &'static str)];
    let cases: [(Refusal, Code, &str, Metadata); 10] = [
        (Refusal::NotYourTurn(seat), FailedPrecondition, "NOT_YOUR_TURN", &[("turn", "2")]),
        (Refusal::NotSeated, PermissionDenied, "NOT_SEATED", &[]),
        (Refusal::NamedTwice(card("7D2")), InvalidArgument, "CARD_NAMED_TWICE", &[("card", "7D2")]),
        (
            Refusal::OpeningBelowMinimum { have: 47, need: 51, pure_run_missing: true },
            FailedPrecondition,
            "OPENING_BELOW_MINIMUM",
            &[("have", "47"), ("need", "51"), ("pureRunMissing", "true"), ("rule", "3")],
        ),
        (
            Refusal::NotAMeld { index: 1, fault: MeldFault::NotConsecutive, cards: cards.clone() },
            FailedPrecondition,
            "NOT_A_MELD",
            &[("cards", "TH X1 KH2"), ("fault", "NOT_CONSECUTIVE"), ("meld", "1"), ("rule", "2")],
        ),
        (
            Refusal::NotAMeld { index: 0, fault: MeldFault::TooManyJokers { jokers: 2, naturals: 1 }, cards },
            FailedPrecondition,
            "NOT_A_MELD",
            &[
                ("cards", "TH X1 KH2"),
                ("fault", "TOO_MANY_JOKERS"),
                ("jokers", "2"),
                ("meld", "0"),
                ("naturals", "1"),
                ("rule", "2"),
            ],
        ),
        (
            Refusal::DoesNotFit {
                meld: MeldId(3),
                fault: LayOffFault::JokersPlace { card: card("JS"), joker: card("X2") },
                cards: vec![card("JS")],
            },
            FailedPrecondition,
            "DOES_NOT_FIT",
            &[
                ("card", "JS"),
                ("cards", "JS"),
                ("fault", "JOKERS_PLACE"),
                ("joker", "X2"),
                ("meld", "m3"),
                ("rule", "4"),
            ],
        ),
        (
            Refusal::TakenDiscard { card: card("QH2"), taken: card("QH") },
            FailedPrecondition,
            "TAKEN_DISCARD",
            &[("card", "QH2"), ("rule", "7"), ("taken", "QH")],
        ),
        (
            Refusal::NoSuchJoker { joker: card("X4"), meld: MeldId(1) },
            FailedPrecondition,
            "NO_SUCH_JOKER",
            &[("joker", "X4"), ("meld", "m1"), ("rule", "5")],
        ),
        (Refusal::TooManyUndos(8), FailedPrecondition, "TOO_MANY_UNDOS", &[("most", "8"), ("rule", "18")]),
    ];
    for (refusal, code, reason, metadata) in cases {
        let metadata = metadata.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(told(refusal), (code, reason.to_owned(), metadata));
    }
}

#[test]
fn a_fault_names_its_field() {
    let problem = Problem::Malformed { text: "ZZ".to_owned(), wanted: "a card" };
    let error = ApiError::from(Fault { field: "melds[0].cards[2]".to_owned(), problem });
    let status = Status::from(error);
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "melds[0].cards[2]: \"ZZ\" is not a card");
    assert_eq!(status.get_details_error_info().unwrap().reason, "MALFORMED_FIELD");
    let violations = status.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].field, "melds[0].cards[2]");
    assert_eq!(violations[0].description, "\"ZZ\" is not a card");
    assert!(status.get_details_retry_info().is_none());
}

#[test]
fn rulesets_are_refused_with_the_options() {
    let fault = RulesetFault::Inconsistent("payment scoring", "an end by points");
    let (code, reason, metadata) = told(fault);
    assert_eq!((code, reason.as_str()), (Code::InvalidArgument, "RULESET_INCONSISTENT"));
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(metadata, [pair("one", "payment scoring"), pair("other", "an end by points")]);
}

#[test]
fn an_option_outside_its_range_is_named_as_its_field() {
    let fault = |fault: RulesetFault| {
        let status = Status::from(ApiError::from(fault));
        let option = status.get_details_error_info().unwrap().metadata["option"].clone();
        let violations = status.get_details_bad_request().unwrap().field_violations;
        (option, violations[0].field.clone())
    };
    let with = |option| fault(RulesetFault::OutOfRange { option, value: 0, least: 1, most: 2 });
    let pair = |option: &str, field: &str| (option.to_owned(), field.to_owned());
    assert_eq!(with(NumberOption::TurnSeconds), pair("turn_seconds", "overrides.turn_seconds"));
    assert_eq!(with(NumberOption::Deals), pair("end.deals", "overrides.end.deals"));
    let seats = RulesetFault::SeatsOutOfRange { seats: 5, least: 2, most: 4 };
    assert_eq!(fault(seats), pair("seats", "seats"));
}

#[test]
fn what_may_pass_says_when_to_try_again() {
    let delay = |error: AppendError| {
        let status = Status::from(ApiError::from(error));
        (status.code(), status.get_details_retry_info().and_then(|info| info.retry_delay))
    };
    assert_eq!(delay(AppendError::Overloaded), (Code::Unavailable, Some(Duration::from_secs(1))));
    assert_eq!(delay(AppendError::Conflict), (Code::Aborted, Some(Duration::from_millis(100))));
    let busy = ApiError::new(Reason::RateLimited, "slow down").retry_after(Duration::from_secs(30));
    let info = Status::from(busy).get_details_retry_info().unwrap();
    assert_eq!(info.retry_delay, Some(Duration::from_secs(30)));
}

#[test]
fn causes_stay_inside() {
    let cause = Arc::new(io::Error::other("postgres://user:secret@host"));
    for error in [
        ApiError::from(StoreError::Unavailable(cause.clone())),
        ApiError::from(StoreError::Corrupt(cause.clone())),
        ApiError::from(StoreError::Other(cause.clone())),
        ApiError::from(AppendError::Unknown(cause)),
        ApiError::from(DecodeError::Missing("secret")),
    ] {
        assert!(error.reason().is_ours());
        assert!(error.source().is_some());
        let status = Status::from(error);
        assert!(!status.message().contains("secret"));
        assert!(!status.details().windows(6).any(|bytes| bytes == b"secret"));
    }
}

#[test]
fn the_same_error_is_the_same_bytes() {
    let refusal = Refusal::OpeningBelowMinimum { have: 47, need: 51, pure_run_missing: false };
    let bytes = || Status::from(ApiError::from(refusal.clone())).details().to_vec();
    let first = bytes();
    assert!((0..50).all(|_| bytes() == first));
}

/// What `google.rpc.ErrorInfo` demands of a reason, and what the table promises.
#[test]
fn reasons_are_well_formed() {
    let reasons: Vec<Reason> = reasons().collect();
    assert_eq!(reasons.iter().map(|r| r.name()).collect::<HashSet<_>>().len(), reasons.len());
    for reason in reasons {
        let name = reason.name();
        assert!(name.len() <= 63 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{name}");
        assert!(!matches!(reason.code(), Code::Ok | Code::Unknown), "{name}");
        assert!(reason.rule().is_none_or(|rule| (1..=20).contains(&rule)), "{name}");
        let may_pass = matches!(
            reason.code(),
            Code::Aborted | Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded
        );
        assert_eq!(reason.retry_after().is_some(), may_pass, "{name}");
    }
}

/// The transcoder's own refusals stand in the same table.
#[test]
fn the_transcoders_reasons_are_known() {
    for reason in remik_transcoding::Reason::ALL {
        let name = format!("ERROR_REASON_{}", reason.as_str());
        let known = Reason::from_str_name(&name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(known.code(), reason.code(), "{name}");
    }
}
