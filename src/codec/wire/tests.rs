//! Tests of what is sent and received, each half in its own file.

mod advice;
mod requests;
mod rulesets;
mod sent;

use remik_rules::card::Card;
use remik_rules::seat::Seat;

const GAME: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn card(code: &str) -> Card {
    code.parse().unwrap()
}

fn strings(codes: &str) -> Vec<String> {
    codes.split_whitespace().map(str::to_owned).collect()
}
