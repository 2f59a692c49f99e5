//! What in a case isn't understood.

use remik_rules::card::UnknownCard;
use remik_rules::preset::UnknownPreset;
use remik_rules::ruleset::RulesetFault;
use remik_rules::seat::Seat;
use remik_rules::situation::SituationFault;

/// Why a case can't be judged.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unclear {
    #[error(transparent)]
    Card(#[from] UnknownCard),
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    #[error("the seats are A to F, not {0:?}")]
    Seat(String),
    #[error("{0} is neither a list of cards nor how many there are")]
    Holding(String),
    #[error("the situation: {0}")]
    Scene(#[source] serde_json::Error),
    #[error("the rules of the situation: {0}")]
    Rules(#[source] serde_json::Error),
    #[error("the rules: {0}")]
    RulesFault(#[from] RulesetFault),
    #[error("the situation can't be: {0}")]
    Situation(#[from] SituationFault),
    #[error("no such action: {0:?}")]
    Action(String),
    #[error("no meld is called {0:?}")]
    Meld(String),
    #[error("the cards of {0} on the table are no meld")]
    NoMeld(String),
    #[error("seat {} has no meld of its own", letter(*.0))]
    NoOwnMeld(Seat),
    #[error("the hand has no joker")]
    NoJokerInHand,
    #[error("the pack has no cards left to fill a hand with")]
    PackEmpty,
    #[error("no hand of {0} points can be made from the cards that are left")]
    NoSuchHand(i32),
    #[error("{0} was taken from the pile but isn't in the hand")]
    TakenNotInHand(remik_rules::card::Card),
    #[error("action {number} was refused: {refusal}")]
    EarlierAction { number: usize, refusal: String },
    #[error("the hand has {0} cards by these rules")]
    HandSize(usize),
    #[error("the turn can't be passed along: {0}")]
    Passing(String),
    #[error("the first deal can't be dealt like that")]
    Deal,
    #[error("the situation says too little: {0}")]
    TooLittle(&'static str),
    #[error("no such expectation: {0}")]
    Expectation(String),
}

/// The letter of a seat: A for the first.
pub(super) fn letter(seat: Seat) -> char {
    char::from(b'A' + seat.number())
}

/// The seat of a letter.
pub(super) fn seat(letter: &str) -> Result<Seat, Unclear> {
    let seat = match letter.as_bytes() {
        [byte @ b'A'..=b'F'] => Seat::new(byte - b'A'),
        _ => None,
    };
    seat.ok_or_else(|| Unclear::Seat(letter.chars().take(16).collect()))
}
