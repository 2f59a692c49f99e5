//! Refusals of the rules as reasons, with their cards and numbers.

use std::fmt::Display;

use remik_rules::meld::MeldFault;
use remik_rules::refusal::{LayOffFault, Refusal};
use remik_rules::ruleset::RulesetFault;

use super::{ApiError, Reason};

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let error = |reason| Self::new(reason, refusal.to_string());
        match &refusal {
            Refusal::GameOver => error(Reason::GameOver),
            Refusal::NotSeated => error(Reason::NotSeated),
            Refusal::OutOfGame(seat) => error(Reason::OutOfGame).with("seat", seat),
            Refusal::ClockOnly => error(Reason::ClockOnly),
            Refusal::AdminOnly => error(Reason::AdminOnly),
            Refusal::AlreadyStarted => error(Reason::AlreadyStarted),
            Refusal::AlreadySeated(seat) => error(Reason::AlreadySeated).with("seat", seat),
            Refusal::TableFull(seats) => error(Reason::TableFull).with("seats", seats),
            Refusal::SeatTaken(seat) => error(Reason::SeatTaken).with("seat", seat),
            Refusal::NoSuchSeat { seat, seats } => {
                error(Reason::NoSuchSeat).with("seat", seat).with("seats", seats)
            }
            Refusal::AlreadyReady(seat) => error(Reason::AlreadyReady).with("seat", seat),
            Refusal::DealRunning => error(Reason::DealRunning),
            Refusal::NoDealRunning => error(Reason::NoDealRunning),
            Refusal::NotYourTurn(seat) => error(Reason::NotYourTurn).with("turn", seat),
            Refusal::DrawFirst => error(Reason::DrawFirst),
            Refusal::AlreadyDrawn => error(Reason::AlreadyDrawn),
            Refusal::PileEmpty => error(Reason::PileEmpty),
            Refusal::NoCards => error(Reason::NoCards),
            Refusal::NamedTwice(card) => error(Reason::CardNamedTwice).with("card", card),
            Refusal::NotInHand(card) => error(Reason::CardNotInHand).with("card", card),
            Refusal::NotAMeld { index, fault, cards } => {
                let error = error(Reason::NotAMeld).with("meld", index).with("cards", list(cards));
                with_meld_fault(error, fault)
            }
            Refusal::OneMeldPerTurn => error(Reason::OneMeldPerTurn),
            Refusal::OpeningBelowMinimum { have, need, pure_run_missing } => {
                error(Reason::OpeningBelowMinimum)
                    .with("have", have)
                    .with("need", need)
                    .with("pureRunMissing", pure_run_missing)
            }
            Refusal::OpeningWithoutPureRun { points } => {
                error(Reason::OpeningWithoutPureRun).with("have", points)
            }
            Refusal::OpenFirst => error(Reason::OpenFirst),
            Refusal::WholeHandAtOnce { left } => {
                error(Reason::WholeHandAtOnce).with("left", left).with("most", 1)
            }
            Refusal::NoSuchMeld(meld) => error(Reason::NoSuchMeld).with("meld", meld),
            Refusal::DoesNotFit { meld, fault, cards } => {
                let error = error(Reason::DoesNotFit).with("meld", meld).with("cards", list(cards));
                with_lay_off_fault(error, fault)
            }
            Refusal::NoCardLeftToDiscard => error(Reason::NoCardLeftToDiscard),
            Refusal::NoJokerSwap => error(Reason::NoJokerSwap),
            Refusal::NoSuchJoker { joker, meld } => {
                error(Reason::NoSuchJoker).with("joker", joker).with("meld", meld)
            }
            Refusal::NotTheJokersPlace { card, meld } => {
                error(Reason::NotTheJokersPlace).with("card", card).with("meld", meld)
            }
            Refusal::JokerPending(joker) => error(Reason::JokerPending).with("joker", joker),
            Refusal::JokerHasNoPlace(joker) => error(Reason::JokerHasNoPlace).with("joker", joker),
            Refusal::JokerMustBeMelded(joker) => error(Reason::JokerMustBeMelded).with("joker", joker),
            Refusal::TakenDiscard { card, taken } => {
                error(Reason::TakenDiscard).with("card", card).with("taken", taken)
            }
            Refusal::NotHost(host) => error(Reason::NotHost).with("host", host),
            Refusal::Removed => error(Reason::RemovedFromTable),
            Refusal::NoOtherPlayer => error(Reason::NoOtherPlayer),
            Refusal::SeatsFree(free) => error(Reason::SeatsFree).with("free", free),
            Refusal::ReadyAsked(until) => error(Reason::ReadyAsked).with("deadlineMillis", until.0),
            Refusal::SeatKept(seat) => error(Reason::SeatKept).with("seat", seat),
            Refusal::NoOffer => error(Reason::NoSeatKept),
            Refusal::NotOver => error(Reason::GameNotOver),
            Refusal::RematchMade(game) => {
                error(Reason::RematchMade).with("game", uuid::Uuid::from_u128(game.0))
            }
            Refusal::NoBot(seat) => error(Reason::NoBot).with("seat", seat),
            Refusal::BotPlays(seat) => error(Reason::BotPlays).with("seat", seat),
            Refusal::NothingToUndo => error(Reason::NothingToUndo),
            Refusal::TooManyUndos(most) => error(Reason::TooManyUndos).with("most", most),
            Refusal::NoClock => error(Reason::NoClock),
            Refusal::NotTimeYet(at) => error(Reason::NotTimeYet).with("deadlineMillis", at.0),
        }
    }
}

/// Codes in their order, with spaces between.
fn list<T: Display>(cards: &[T]) -> String {
    cards.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

fn with_meld_fault(error: ApiError, fault: &MeldFault) -> ApiError {
    match fault {
        MeldFault::TooShort(have) => error.with("fault", "TOO_SHORT").with("have", have),
        MeldFault::TooLong(have) => error.with("fault", "TOO_LONG").with("have", have),
        MeldFault::TooManyJokers { jokers, naturals } => {
            error.with("fault", "TOO_MANY_JOKERS").with("jokers", jokers).with("naturals", naturals)
        }
        MeldFault::Mixed => error.with("fault", "MIXED"),
        MeldFault::FaceTwice(face) => error.with("fault", "FACE_TWICE").with("face", face),
        MeldFault::GroupTooLarge(have) => error.with("fault", "GROUP_TOO_LARGE").with("have", have),
        MeldFault::NotConsecutive => error.with("fault", "NOT_CONSECUTIVE"),
        MeldFault::AdjacentJokers => error.with("fault", "ADJACENT_JOKERS"),
        MeldFault::WrongBinding(card, face) => {
            error.with("fault", "WRONG_BINDING").with("card", card).with("face", face)
        }
    }
}

fn with_lay_off_fault(error: ApiError, fault: &LayOffFault) -> ApiError {
    match fault {
        LayOffFault::OtherSuit(card) => error.with("fault", "OTHER_SUIT").with("card", card),
        LayOffFault::OtherRank(card) => error.with("fault", "OTHER_RANK").with("card", card),
        LayOffFault::FaceTwice(face) => error.with("fault", "FACE_TWICE").with("face", face),
        LayOffFault::GroupFull => error.with("fault", "GROUP_FULL"),
        LayOffFault::NotNext(card) => error.with("fault", "NOT_NEXT").with("card", card),
        LayOffFault::RunFull => error.with("fault", "RUN_FULL"),
        LayOffFault::TooManyJokers { jokers, naturals } => {
            error.with("fault", "TOO_MANY_JOKERS").with("jokers", jokers).with("naturals", naturals)
        }
        LayOffFault::AdjacentJokers => error.with("fault", "ADJACENT_JOKERS"),
        LayOffFault::JokersPlace { card, joker } => {
            error.with("fault", "JOKERS_PLACE").with("card", card).with("joker", joker)
        }
        LayOffFault::WrongBinding(card, face) => {
            error.with("fault", "WRONG_BINDING").with("card", card).with("face", face)
        }
    }
}

impl From<RulesetFault> for ApiError {
    fn from(fault: RulesetFault) -> Self {
        let error = |reason| Self::new(reason, fault.to_string());
        let (error, field) = match &fault {
            RulesetFault::OutOfRange { option, value, least, most } => (
                error(Reason::RulesetOutOfRange)
                    .with("option", option)
                    .with("value", value)
                    .with("least", least)
                    .with("most", most),
                format!("overrides.{option}"),
            ),
            RulesetFault::SeatsOutOfRange { seats, least, most } => (
                error(Reason::RulesetOutOfRange)
                    .with("option", "seats")
                    .with("value", seats)
                    .with("least", least)
                    .with("most", most),
                "seats".to_owned(),
            ),
            RulesetFault::PackTooSmall { seats, needed, pack } => (
                error(Reason::RulesetPackTooSmall)
                    .with("seats", seats)
                    .with("needed", needed)
                    .with("pack", pack),
                "overrides".to_owned(),
            ),
            RulesetFault::Inconsistent(one, other) => (
                error(Reason::RulesetInconsistent).with("one", one).with("other", other),
                "overrides".to_owned(),
            ),
        };
        error.at(field, fault.to_string())
    }
}
