//! The table of reasons: for each its gRPC code, its rule, and whether trying again can help. Its meaning is told
//! where it is declared, in `remik/v1/error.proto`; `key.rs` has the keys of its metadata, `texts` what players are
//! told. `docs/errors.md` is made of all this.
//!
//! A new reason is declared in the proto; the compiler then asks for its row, its keys and its texts.

use std::time::Duration;

use http::StatusCode;
use tonic::Code;

use super::Reason;

const SOON: Duration = Duration::from_millis(100);
const LATER: Duration = Duration::from_secs(1);

/// A row of the table.
struct Row {
    code: Code,
    rule: Option<u8>,
    retry_after: Option<Duration>,
}

impl Reason {
    /// The name in `google.rpc.ErrorInfo`, such as `OPENING_BELOW_MINIMUM`.
    pub fn name(self) -> &'static str {
        let name = self.as_str_name();
        name.strip_prefix("ERROR_REASON_").unwrap_or(name)
    }

    /// The reason of a name in `google.rpc.ErrorInfo`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::from_str_name(&format!("ERROR_REASON_{name}"))
    }

    /// The gRPC code that goes with it.
    pub const fn code(self) -> Code {
        self.row().code
    }

    /// The HTTP status that REST answers with.
    pub fn http_status(self) -> StatusCode {
        let transcoders = remik_transcoding::Reason::ALL.into_iter().find(|own| own.as_str() == self.name());
        transcoders.map_or_else(|| remik_transcoding::http_status(self.code()), |own| own.http_status())
    }

    /// The rule that stands against the command, by its number in RULES; `None` where it is no rule of play.
    pub const fn rule(self) -> Option<u8> {
        self.row().rule
    }

    /// After which time the same call may succeed; `None` where only another call can.
    pub const fn retry_after(self) -> Option<Duration> {
        self.row().retry_after
    }

    /// Whether the fault is the service's: then its cause belongs in the service's log. Being stopped is none.
    pub const fn is_ours(self) -> bool {
        !matches!(self, Self::Draining)
            && matches!(self.row().code, Code::Internal | Code::DataLoss | Code::Unavailable | Code::Unknown)
    }

    const fn row(self) -> Row {
        const fn row(code: Code, rule: Option<u8>, retry_after: Option<Duration>) -> Row {
            Row { code, rule, retry_after }
        }
        match self {
            Self::Unspecified => row(Code::Unknown, None, None),

            Self::GameOver
            | Self::OutOfGame
            | Self::AlreadyStarted
            | Self::AlreadySeated
            | Self::TableFull
            | Self::SeatTaken
            | Self::NoDealRunning
            | Self::NotYourTurn
            | Self::DrawFirst
            | Self::AlreadyDrawn
            | Self::PileEmpty
            | Self::CardNotInHand
            | Self::OneMeldPerTurn
            | Self::NoSuchMeld => row(Code::FailedPrecondition, None, None),
            Self::NotAMeld => row(Code::FailedPrecondition, Some(2), None),
            Self::OpeningBelowMinimum | Self::OpeningWithoutPureRun | Self::OpenFirst => {
                row(Code::FailedPrecondition, Some(3), None)
            }
            Self::DoesNotFit => row(Code::FailedPrecondition, Some(4), None),
            Self::NoJokerSwap
            | Self::NoSuchJoker
            | Self::NotTheJokersPlace
            | Self::JokerPending
            | Self::JokerHasNoPlace
            | Self::JokerMustBeMelded => row(Code::FailedPrecondition, Some(5), None),
            Self::NoCardLeftToDiscard => row(Code::FailedPrecondition, Some(6), None),
            Self::TakenDiscard => row(Code::FailedPrecondition, Some(7), None),
            Self::WholeHandAtOnce => row(Code::FailedPrecondition, Some(14), None),
            Self::NoClock | Self::NotTimeYet => row(Code::FailedPrecondition, Some(15), None),
            Self::NoBot | Self::BotPlays => row(Code::FailedPrecondition, Some(15), None),
            Self::AlreadyReady | Self::DealRunning => row(Code::FailedPrecondition, Some(17), None),
            Self::NothingToUndo | Self::TooManyUndos => row(Code::FailedPrecondition, Some(18), None),

            Self::NotSeated
            | Self::ClockOnly
            | Self::AdminOnly
            | Self::PlayerBanned
            | Self::PermissionDenied
            | Self::NotHost
            | Self::ScopeMissing
            | Self::ReplayClosed
            | Self::NotOpener
            | Self::NoSpectators => row(Code::PermissionDenied, None, None),

            Self::NoSuchSeat
            | Self::NoCards
            | Self::CardNamedTwice
            | Self::RulesetOutOfRange
            | Self::RulesetPackTooSmall
            | Self::RulesetInconsistent
            | Self::MissingField
            | Self::MalformedField
            | Self::FieldOutOfRange
            | Self::UnknownPreset
            | Self::RequestIdReused
            | Self::VersionAhead
            | Self::PlayerRequired
            | Self::AccountTokenInvalid
            | Self::SandboxImpossible
            | Self::DocumentChanged
            | Self::GameUntrue
            | Self::WebhookUrlRefused
            | Self::MalformedRequest
            | Self::BodyTooLarge
            | Self::UnsupportedMediaType => row(Code::InvalidArgument, None, None),

            Self::GameNotFound
            | Self::InviteNotFound
            | Self::PlayerNotFound
            | Self::KeyNotFound
            | Self::TicketNotFound
            | Self::PartyNotFound
            | Self::NotOnLeaderboard
            | Self::WebhookNotFound
            | Self::NoSuchRoute => row(Code::NotFound, None, None),
            Self::AccountTaken => row(Code::AlreadyExists, None, None),
            Self::RemovedFromTable | Self::RatingOutOfRange | Self::InvitationNeeded | Self::KeptApart => {
                row(Code::PermissionDenied, None, None)
            }
            Self::NoOtherPlayer
            | Self::SeatsFree
            | Self::ReadyAsked
            | Self::SeatKept
            | Self::NoSeatKept
            | Self::RematchMade
            | Self::TooManyInvitations => row(Code::FailedPrecondition, None, None),
            Self::AlreadyLinked
            | Self::AccountsNotConfigured
            | Self::GameNotOver
            | Self::CursorOutdated
            | Self::TooManyWebhooks
            | Self::AlreadyQueued
            | Self::TicketClosed
            | Self::PartyFull
            | Self::PartyApart => row(Code::FailedPrecondition, None, None),
            Self::ChatOff
            | Self::PhrasesOnly
            | Self::ChatClosed
            | Self::PlayerListFull
            | Self::PlayerErased => row(Code::FailedPrecondition, None, None),
            Self::ChatPositionAhead | Self::NotYourself | Self::ConfirmationWrong => {
                row(Code::InvalidArgument, None, None)
            }
            Self::MessageNotFound => row(Code::NotFound, None, None),
            Self::TooManyMessages => row(Code::ResourceExhausted, None, Some(LATER)),
            Self::MethodNotAllowed | Self::NoSuchMethod => row(Code::Unimplemented, None, None),
            Self::Unauthenticated | Self::TokenExpired => row(Code::Unauthenticated, None, None),

            Self::VersionConflict => row(Code::Aborted, None, Some(SOON)),
            Self::RateLimited | Self::TooManyStreams | Self::TooManyTickets => {
                row(Code::ResourceExhausted, None, Some(LATER))
            }
            Self::Overloaded | Self::StorageUnavailable | Self::IdentityUnavailable => {
                row(Code::Unavailable, None, Some(LATER))
            }
            Self::Draining => row(Code::Unavailable, None, Some(SOON)),
            Self::TimedOut => row(Code::DeadlineExceeded, None, Some(LATER)),
            Self::LogUnreadable => row(Code::DataLoss, None, None),
            Self::Internal => row(Code::Internal, None, None),
        }
    }
}
