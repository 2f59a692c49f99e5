//! The table of reasons, continued: what the metadata of each holds.

use super::Reason;

/// A key of the metadata that goes with a reason. `rule` goes with every reason that has a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value is, and so how it is told to players.
    pub kind: Kind,
    /// What it means, for developers.
    pub meaning: &'static str,
    /// A value, as in `docs/errors.md`.
    pub example: &'static str,
    /// Whether it is there always: some come with some faults only.
    pub always: bool,
}

/// What the value of a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number that is told as it is.
    Number,
    /// A number from 0 that is told from 1: a seat, a place in a list.
    Index,
    /// A card's code, or a face.
    Card,
    /// Codes of cards with spaces between.
    Cards,
    /// The name of an option of the rules, as in `RulesetOverrides`.
    Option,
    /// A phrase about the rules, in English.
    Phrase,
    /// Anything else: a field's path, a part of the request, a fault's name.
    Word,
}

const fn key(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Key {
    Key { name, kind, meaning, example, always: true }
}

impl Key {
    const fn sometimes(self) -> Self {
        Self { always: false, ..self }
    }
}

const SEAT: Key = key("seat", Kind::Index, "the seat, from 0", "1");
const SEATS: Key = key("seats", Kind::Number, "how many seats the table has", "4");
const CARD: Key = key("card", Kind::Card, "the card", "7H");
const CARDS: Key = key("cards", Kind::Cards, "the cards, in the order of the command", "TH X1 KH2");
const FACE: Key = key("face", Kind::Card, "the rank and suit at fault", "8H");
const JOKER: Key = key("joker", Kind::Card, "the joker", "X1");
const JOKERS: Key = key("jokers", Kind::Number, "how many jokers it would have", "2");
const NATURALS: Key = key("naturals", Kind::Number, "how many natural cards it would have", "1");
const MELD: Key = key("meld", Kind::Word, "the meld on the table", "m3");
const FIELD: Key = key("field", Kind::Word, "the field's path in the request", "melds[0].cards[2]");
const VALUE: Key = key("value", Kind::Word, "what the field has", "ZZ");
const LEAST: Key = key("least", Kind::Number, "the least that is allowed", "2");
const MOST: Key = key("most", Kind::Number, "the most that is allowed", "6");

/// A list of keys that are made by calls, which the compiler keeps for ever only if told so.
macro_rules! keys {
    ($($key:expr),* $(,)?) => { const { &[$($key),*] } };
}

impl Reason {
    /// The keys of its metadata. A new reason needs its arm here, where it has any, and its texts in
    /// `texts/pl.rs` and `texts/en.rs`; then `DOCS=write cargo test -p remik --lib error` renews `docs/errors.md`.
    pub const fn keys(self) -> &'static [Key] {
        match self {
            Self::OutOfGame
            | Self::AlreadySeated
            | Self::SeatTaken
            | Self::AlreadyReady
            | Self::NoBot
            | Self::BotPlays
            | Self::SeatKept => keys![SEAT],
            Self::NotHost => keys![key("host", Kind::Index, "the host's seat, from 0", "0")],
            Self::TableFull => keys![SEATS],
            Self::NoSuchSeat => keys![SEAT, SEATS],
            Self::ScopeMissing => keys![key("scope", Kind::Word, "the scope that is missing", "players")],
            Self::AlreadyQueued => keys![
                key("player", Kind::Word, "the player", "019b4a3c-7d1e-7c3a-9f10-2b6de1c0a001"),
                key("ticket", Kind::Word, "his open ticket", "019b4a3c-7d1e-7c3a-9f10-2b6de1c0a002")
                    .sometimes(),
            ],
            Self::TicketClosed => {
                keys![key("state", Kind::Word, "`MATCHED`, `CANCELLED` or `EXPIRED`", "MATCHED")]
            }
            Self::PartyFull => keys![key("size", Kind::Number, "how many the party is", "2")],
            Self::TooManyTickets => keys![MOST],
            Self::AccountTokenInvalid => {
                keys![key("fault", Kind::Word, "`EXPIRED` if that is what is wrong", "EXPIRED").sometimes()]
            }
            Self::NotYourTurn => keys![key("turn", Kind::Index, "the seat whose turn it is, from 0", "2")],
            Self::CardNamedTwice | Self::CardNotInHand => keys![CARD],
            Self::NotAMeld => keys![
                key("meld", Kind::Index, "the place of the meld in the command, from 0", "0"),
                CARDS,
                key(
                    "fault",
                    Kind::Word,
                    "`TOO_SHORT`, `TOO_LONG`, `TOO_MANY_JOKERS`, `MIXED`, `FACE_TWICE`, `GROUP_TOO_LARGE`, \
                     `NOT_CONSECUTIVE`, `ADJACENT_JOKERS` or `WRONG_BINDING`",
                    "TOO_MANY_JOKERS",
                ),
                key("have", Kind::Number, "how many cards it has (too short, too long, too large)", "2")
                    .sometimes(),
                JOKERS.sometimes(),
                NATURALS.sometimes(),
                FACE.sometimes(),
                key("card", Kind::Card, "the card with the wrong binding", "X1").sometimes(),
            ],
            Self::OpeningBelowMinimum => keys![
                key("have", Kind::Number, "what the melds are worth", "47"),
                key("need", Kind::Number, "what they must be worth", "51"),
                key("pureRunMissing", Kind::Word, "`true` if a pure run is missing as well", "false"),
            ],
            Self::OpeningWithoutPureRun => {
                keys![key("have", Kind::Number, "what the melds are worth, which is enough", "90")]
            }
            Self::WholeHandAtOnce => keys![
                key("left", Kind::Number, "how many cards would be left", "3"),
                key("most", Kind::Number, "how many may be left", "1"),
            ],
            Self::NoSuchMeld => keys![MELD],
            Self::DoesNotFit => keys![
                MELD,
                key("cards", Kind::Cards, "the cards, in the order of the command", "JS"),
                key(
                    "fault",
                    Kind::Word,
                    "`OTHER_SUIT`, `OTHER_RANK`, `FACE_TWICE`, `GROUP_FULL`, `NOT_NEXT`, `RUN_FULL`, \
                     `TOO_MANY_JOKERS`, `ADJACENT_JOKERS`, `JOKERS_PLACE` (swap the joker instead) or \
                     `WRONG_BINDING`",
                    "OTHER_SUIT",
                ),
                key("card", Kind::Card, "the card at fault", "JS").sometimes(),
                FACE.sometimes(),
                JOKERS.sometimes(),
                NATURALS.sometimes(),
                key("joker", Kind::Card, "the joker in the card's place", "X2").sometimes(),
            ],
            Self::NoSuchJoker => keys![key("joker", Kind::Card, "the card named as the joker", "X4"), MELD],
            Self::NotTheJokersPlace => keys![CARD, MELD],
            Self::JokerPending | Self::JokerHasNoPlace | Self::JokerMustBeMelded => keys![JOKER],
            Self::TakenDiscard => keys![
                key("card", Kind::Card, "the card that was to be discarded", "QH2"),
                key("taken", Kind::Card, "the card of the same face that was taken from the pile", "QH"),
            ],
            Self::TooManyUndos => keys![key("most", Kind::Number, "how many undos a turn has", "8")],
            Self::SeatsFree => keys![key("free", Kind::Number, "how many seats are free", "2")],
            Self::RematchMade => {
                keys![key("game", Kind::Word, "the other game's id", "01976b2e-0000-7000-8000-000000000000",)]
            }
            Self::RatingOutOfRange => keys![
                key("points", Kind::Number, "the caller's points", "1480"),
                key("least", Kind::Number, "the least that is allowed", "1600"),
                key("most", Kind::Number, "the most that is allowed", "2000"),
            ],
            Self::TooManyInvitations => {
                keys![key("most", Kind::Number, "how many a table may have", "50")]
            }
            Self::NotTimeYet | Self::ReadyAsked => keys![key(
                "deadlineMillis",
                Kind::Number,
                "when it will be, in milliseconds since 1970",
                "1767225600000",
            )],
            Self::RulesetOutOfRange => keys![
                key("option", Kind::Option, "the option, as in `RulesetOverrides`, or `seats`", "jokers"),
                key("value", Kind::Number, "what it was set to", "8"),
                key("least", Kind::Number, "the least that is allowed", "0"),
                MOST,
            ],
            Self::RulesetPackTooSmall => keys![
                key("seats", Kind::Number, "how many seats are dealt in", "6"),
                key("needed", Kind::Number, "the cards needed, with an upcard and two cards of stock", "81"),
                key("pack", Kind::Number, "the cards of the pack", "52"),
            ],
            Self::RulesetInconsistent => keys![
                key("one", Kind::Phrase, "what one option asks for", "a time bank"),
                key("other", Kind::Phrase, "what the other asks for", "turns without a clock"),
            ],
            Self::MissingField => keys![FIELD],
            Self::MalformedField => keys![FIELD, VALUE.sometimes()],
            Self::FieldOutOfRange => keys![
                key("field", Kind::Word, "the field's path in the request", "seats"),
                key("value", Kind::Word, "the number that it has", "9").sometimes(),
                key("length", Kind::Number, "how long it is", "64").sometimes(),
                LEAST.sometimes(),
                MOST.sometimes(),
            ],
            Self::UnknownPreset => keys![
                key("field", Kind::Word, "the field's path in the request", "preset"),
                key("value", Kind::Word, "the name asked for", "canasta"),
            ],
            Self::VersionAhead => keys![
                key("version", Kind::Number, "the game's last move", "12"),
                key("named", Kind::Number, "the move that the request names", "40"),
            ],
            Self::DocumentChanged => keys![
                key("line", Kind::Number, "the line of the document, from 1", "7").sometimes(),
                key("column", Kind::Number, "the column, from 1", "12").sometimes(),
                key("move", Kind::Number, "the first move that isn't as it was signed", "5").sometimes(),
            ],
            Self::GameUntrue => keys![
                key("move", Kind::Number, "the first move that is wrong", "17"),
                key(
                    "why",
                    Kind::Word,
                    "what is wrong with it",
                    "the rules refuse `discard QH`: QH is not in the hand"
                ),
            ],
            Self::SandboxImpossible => keys![
                CARD.sometimes(),
                SEAT.sometimes(),
                key("count", Kind::Number, "how many there are, where there are too many", "8").sometimes(),
                key("most", Kind::Number, "how many there can be", "7").sometimes(),
            ],
            Self::PlayerBanned => keys![
                key("until", Kind::Word, "when the ban ends, where it does", "2026-12-24T18:00:00Z")
                    .sometimes()
            ],
            Self::TooManyStreams | Self::PlayerListFull => keys![MOST],
            Self::ChatPositionAhead => keys![
                key("position", Kind::Number, "the last position that the caller may know of", "12"),
                key("named", Kind::Number, "the position that was named", "40"),
            ],
            Self::TooManyWebhooks => keys![key("most", Kind::Number, "how many it may have", "20")],
            Self::WebhookUrlRefused => keys![key(
                "why",
                Kind::Word,
                "`MALFORMED`, `SCHEME` (not https), `CREDENTIALS` (in the URL), `UNKNOWN_HOST` or `ADDRESS` (a private one)",
                "ADDRESS"
            )],
            Self::TimedOut => {
                keys![key("mostMillis", Kind::Number, "how many milliseconds it could take", "10000")]
            }
            Self::Unspecified
            | Self::GameOver
            | Self::NotSeated
            | Self::ClockOnly
            | Self::AdminOnly
            | Self::AlreadyStarted
            | Self::DealRunning
            | Self::NoDealRunning
            | Self::DrawFirst
            | Self::AlreadyDrawn
            | Self::PileEmpty
            | Self::NoCards
            | Self::OneMeldPerTurn
            | Self::OpenFirst
            | Self::NoCardLeftToDiscard
            | Self::NoJokerSwap
            | Self::NothingToUndo
            | Self::NoClock
            | Self::RequestIdReused
            | Self::MalformedRequest
            | Self::BodyTooLarge
            | Self::UnsupportedMediaType
            | Self::NoSuchRoute
            | Self::MethodNotAllowed
            | Self::NoSuchMethod
            | Self::GameNotFound
            | Self::InviteNotFound
            | Self::PlayerNotFound
            | Self::Unauthenticated
            | Self::PermissionDenied
            | Self::TokenExpired
            | Self::PlayerRequired
            | Self::AccountTaken
            | Self::AlreadyLinked
            | Self::AccountsNotConfigured
            | Self::IdentityUnavailable
            | Self::KeyNotFound
            | Self::TicketNotFound
            | Self::PartyNotFound
            | Self::PartyApart
            | Self::NotOnLeaderboard
            | Self::NoSpectators
            | Self::GameNotOver
            | Self::ReplayClosed
            | Self::NotOpener
            | Self::RemovedFromTable
            | Self::NoOtherPlayer
            | Self::NoSeatKept
            | Self::InvitationNeeded
            | Self::KeptApart
            | Self::ChatOff
            | Self::PhrasesOnly
            | Self::ChatClosed
            | Self::MessageNotFound
            | Self::TooManyMessages
            | Self::NotYourself
            | Self::ConfirmationWrong
            | Self::PlayerErased
            | Self::CursorOutdated
            | Self::WebhookNotFound
            | Self::VersionConflict
            | Self::RateLimited
            | Self::Overloaded
            | Self::Draining
            | Self::StorageUnavailable
            | Self::LogUnreadable
            | Self::Internal => &[],
        }
    }
}
