//! Sandbox games that can't be.

use remik_rules::sandbox::{ArrangementProblem, MOST_DEALS, Place, SandboxFault};

use super::{ApiError, Reason};

impl From<SandboxFault> for ApiError {
    fn from(fault: SandboxFault) -> Self {
        let error = || Self::new(Reason::SandboxImpossible, fault.to_string());
        let (error, field) = match &fault {
            SandboxFault::Ruleset(fault) => return fault.clone().into(),
            SandboxFault::Dealer { seat, .. } => (error().with("seat", seat), "first_dealer_seat".to_owned()),
            SandboxFault::TooManyDeals(count) => {
                (error().with("count", count).with("most", MOST_DEALS), "deals".to_owned())
            }
            SandboxFault::Deal { deal, place, problem } => {
                (with_problem(error(), *problem), format!("deals[{deal}].{}", field(*place)))
            }
        };
        error.at(field, fault.to_string())
    }
}

fn field(place: Place) -> String {
    match place {
        Place::Hand(hand) => format!("hands[{hand}]"),
        Place::HandCard(hand, card) => format!("hands[{hand}].cards[{card}]"),
        Place::Upcard => "upcard".to_owned(),
        Place::Stock => "stock".to_owned(),
        Place::StockCard(card) => format!("stock[{card}]"),
    }
}

fn with_problem(error: ApiError, problem: ArrangementProblem) -> ApiError {
    match problem {
        ArrangementProblem::NotInPack(card) | ArrangementProblem::Twice(card) => error.with("card", card),
        ArrangementProblem::NoSuchSeat { seat, .. } | ArrangementProblem::SeatTwice(seat) => {
            error.with("seat", seat)
        }
        ArrangementProblem::TooMany { count, most } => error.with("count", count).with("most", most),
        ArrangementProblem::NoUpcard => error,
    }
}
