//! The texts in English.

use super::{Metadata, Reason, is_joker, told};

pub(super) fn template(reason: Reason, metadata: &Metadata) -> &'static str {
    match reason {
        Reason::Unspecified => "Something went wrong.",

        Reason::GameOver => "This game is over.",
        Reason::NotSeated => "Only somebody who sits at this table may do that.",
        Reason::OutOfGame => "Seat {seat} plays no more in this game.",
        Reason::ClockOnly => "Only the game's clock does that.",
        Reason::AdminOnly => "Only an administrator does that.",
        Reason::AlreadyStarted => "The game has begun: nobody can sit down any more.",
        Reason::AlreadySeated => "You already sit at this table, on seat {seat}.",
        Reason::TableFull => {
            "There is no free seat: this table has {seats|seat|seats}, and every one is taken."
        }
        Reason::SeatTaken => "Seat {seat} is taken.",
        Reason::NoSuchSeat => "There is no seat {seat}: this table has {seats|seat|seats}.",
        Reason::AlreadyReady => "You (seat {seat}) are marked as ready already.",
        Reason::DealRunning => "That can only be done between deals.",
        Reason::NoDealRunning => "That can only be done during a deal.",
        Reason::NotYourTurn => "It isn't your turn: seat {turn} is playing.",
        Reason::DrawFirst => "Draw a card first.",
        Reason::AlreadyDrawn => "A card has already been drawn in this turn.",
        Reason::PileEmpty => "The discard pile is empty.",
        Reason::NoCards => "No card is chosen.",
        Reason::CardNamedTwice if is_joker(metadata, "card") => "The same joker is chosen twice.",
        Reason::CardNamedTwice => "The same {card} is chosen twice.",
        Reason::CardNotInHand if is_joker(metadata, "card") => "You don't have this joker in your hand.",
        Reason::CardNotInHand => "You don't have this card in your hand: {card}.",
        Reason::NotAMeld => no_meld(told(metadata, "fault")),
        Reason::OneMeldPerTurn => "At this table only one meld may be laid in a turn.",
        Reason::OpeningBelowMinimum if told(metadata, "pureRunMissing") == "true" => {
            "The opening is worth {have} of {need|point|points}, and has no pure run (without a joker)."
        }
        Reason::OpeningBelowMinimum => "The opening is worth {have} of {need|point|points}.",
        Reason::OpeningWithoutPureRun => {
            "The opening has enough points ({have}), but no pure run (without a joker)."
        }
        Reason::OpenFirst => "Lay a meld of your own in this deal first.",
        Reason::WholeHandAtOnce => {
            "In this deal everything is laid at once: at most {most|card|cards} may be left, not {left}."
        }
        Reason::NoSuchMeld => "There is no such meld on the table.",
        Reason::DoesNotFit => no_fit(told(metadata, "fault")),
        Reason::NoCardLeftToDiscard => "You must keep at least one card to discard.",
        Reason::NoJokerSwap => "Jokers are not swapped at this table.",
        Reason::NoSuchJoker => "This meld has no such joker.",
        Reason::NotTheJokersPlace if is_joker(metadata, "card") => "A joker isn't swapped for a joker.",
        Reason::NotTheJokersPlace => "No joker of this meld stands for {card}.",
        Reason::JokerPending => "Lay the joker that you have swapped first.",
        Reason::JokerHasNoPlace => "After this the swapped joker could no longer be laid in this turn.",
        Reason::JokerMustBeMelded => "At this table a swapped joker must go into a new meld.",
        Reason::TakenDiscard if is_joker(metadata, "card") => {
            "No joker can be discarded in this turn: one has been taken from the pile in it."
        }
        Reason::TakenDiscard => {
            "{card} can't be discarded in this turn: such a card has been taken from the pile in it."
        }
        Reason::NotHost => "Only the host (seat {host}) may do that.",
        Reason::RemovedFromTable => "The host has removed you from this table.",
        Reason::NoOtherPlayer => "No such other player sits at the table.",
        Reason::SeatsFree => {
            "Everybody can be asked to be ready once no seat is free: {free|seat is|seats are} left."
        }
        Reason::ReadyAsked => "Everybody has been asked to be ready.",
        Reason::SeatKept => "Seat {seat} is kept for another player.",
        Reason::NoSeatKept => "No seat is kept for you at this table.",
        Reason::RematchMade => "The next game with the same people is there already.",
        Reason::RatingOutOfRange => "This table admits ratings from {least} to {most}; yours is {points}.",
        Reason::InvitationNeeded => "Only who is invited may sit at this table.",
        Reason::KeptApart => "You can't sit with the people at this table.",
        Reason::TooManyInvitations => "A table has at most {most|invitation|invitations}.",
        Reason::NoBot => "No bot plays seat {seat}.",
        Reason::BotPlays => "A bot plays seat {seat}.",
        Reason::NothingToUndo => "There is nothing to take back.",
        Reason::TooManyUndos => "Plays can be taken back at most {most|time|times} in a turn.",
        Reason::NoClock => "This table plays without a clock.",
        Reason::NotTimeYet => "The time isn't up yet.",

        Reason::RulesetOutOfRange => "“{option}” is {value}, but must be from {least} to {most}.",
        Reason::RulesetPackTooSmall => {
            "The pack is too small: {seats|player needs|players need} {needed|card|cards}, and it has {pack}."
        }
        Reason::RulesetInconsistent => "These rules don't go together: {one}; {other}.",

        Reason::MissingField if told(metadata, "field") == "display_name" => "Enter a name.",
        Reason::MissingField => "The request lacks the field {field}.",
        Reason::MalformedField => match told(metadata, "field") {
            "display_name" => "The name has characters that aren't allowed.",
            "invite_code" => "This is no invite code: “{value}”.",
            _ if metadata.contains_key("value") => "The field {field} can't be “{value}”.",
            _ => "The field {field} has no valid value.",
        },
        Reason::FieldOutOfRange if told(metadata, "field") == "display_name" => {
            "A name may have {least} to {most|character|characters}, not {length}."
        }
        Reason::FieldOutOfRange if metadata.contains_key("length") => {
            "The length of the field {field} is {length}, but must be from {least} to {most}."
        }
        Reason::FieldOutOfRange if metadata.contains_key("least") => {
            "The field {field} is {value}, but must be from {least} to {most}."
        }
        Reason::FieldOutOfRange => "The field {field} can't be {value}.",
        Reason::UnknownPreset => "No kind of game is called “{value}”.",
        Reason::RequestIdReused => "This request id was used for another command.",
        Reason::VersionAhead => "This game has {version|move|moves}, not {named}.",
        Reason::MalformedRequest => "The request is malformed.",
        Reason::BodyTooLarge => "The request is too large.",
        Reason::UnsupportedMediaType => "The request's body must be JSON.",
        Reason::NoSuchRoute => "There is nothing at this address.",
        Reason::MethodNotAllowed => "This address doesn't take this HTTP method.",
        Reason::NoSuchMethod => "There is no such method.",

        Reason::GameNotFound => "There is no such game, or you may not see it.",
        Reason::InviteNotFound => "No table can be joined with this invite code.",
        Reason::PlayerNotFound => "There is no such player.",
        Reason::Unauthenticated => "Please sign in again.",
        Reason::PermissionDenied => "You may not do that.",
        Reason::TokenExpired => "Your sign-in has expired. Please sign in again.",
        Reason::ScopeMissing => "The program has no permission for this: `{scope}`.",
        Reason::PlayerRequired => "The program doesn't say for which player this is.",
        Reason::AccountTaken => "This account belongs to another player already.",
        Reason::AlreadyLinked => "You have another account already.",
        Reason::AccountTokenInvalid => "The account couldn't be confirmed. Please sign in to it again.",
        Reason::AccountsNotConfigured => "Accounts can't be used here.",
        Reason::IdentityUnavailable => "Your sign-in can't be checked just now. Try again in a moment.",
        Reason::KeyNotFound => "There is no such key.",
        Reason::NoSpectators => "The game has begun, and this table allows no spectators.",
        Reason::SandboxImpossible if metadata.contains_key("card") => {
            "The chosen cards can't be dealt like that: look at {card}."
        }
        Reason::SandboxImpossible => "The chosen cards can't be dealt like that.",
        Reason::GameNotOver => "The game isn't over yet.",
        Reason::ReplayClosed => "The cards of this game aren't open to you.",
        Reason::NotOpener => "Only who opened the table may do that.",
        Reason::NotOnLeaderboard => "The player isn't on this leaderboard.",
        Reason::DocumentChanged => "This isn't a game as it was exported: the file was changed.",
        Reason::GameUntrue => "This game isn't true: something is wrong with move {move}.",
        Reason::TicketNotFound => "There is no such search for a game.",
        Reason::AlreadyQueued => "This player is looking for a game already.",
        Reason::TicketClosed => match told(metadata, "state") {
            "MATCHED" => "A game has been found already.",
            "EXPIRED" => "The search has ended: nobody was found in time.",
            _ => "This search for a game is over.",
        },
        Reason::PartyNotFound => "No party can be joined with this code.",
        Reason::PartyFull => "The party is complete: it has {size|player|players}.",
        Reason::PartyApart => "These players don't want to sit together.",
        Reason::TooManyTickets => {
            "The program may look for at most {most|game|games} at once. Try again in a moment."
        }

        Reason::PlayerBanned if metadata.contains_key("until") => "You are banned until {until}.",
        Reason::PlayerBanned => "You are banned.",

        Reason::ChatOff => "Chat is switched off here.",
        Reason::PhrasesOnly => "Only quick phrases can be said here.",
        Reason::ChatClosed => "This game ended a while ago: nothing more can be said at it.",
        Reason::MessageNotFound => "There is no such message.",
        Reason::TooManyMessages => "Not so fast. You can write again in a moment.",
        Reason::ChatPositionAhead => "This chat has {position|message|messages}, not {named}.",
        Reason::NotYourself => "You can't do that to yourself.",
        Reason::PlayerListFull => "Your list is full: it has room for {most|player|players}.",
        Reason::ConfirmationWrong => "To delete everything, confirm it with the player's own id.",
        Reason::PlayerErased => "This player has been deleted.",
        Reason::WebhookNotFound => "There is no such webhook.",
        Reason::WebhookUrlRefused => "Events can't be sent to this address ({why}).",
        Reason::TooManyWebhooks => "There can't be more than {most|webhook|webhooks}.",
        Reason::CursorOutdated => "This place in the feed isn't known any more. Begin anew.",

        Reason::VersionConflict => "Somebody was faster. Look at the table and try again.",
        Reason::RateLimited => "Too many requests in a short time. Try again in a moment.",
        Reason::TooManyStreams => "You have as many open connections as you may. Close one of them.",
        Reason::Overloaded => "The server is overloaded. Try again in a moment.",
        Reason::Draining => "The server is being stopped. Try again.",
        Reason::StorageUnavailable => "The server can't store the game just now. Try again in a moment.",
        Reason::TimedOut => "That took too long. Try again.",
        Reason::LogUnreadable => "The record of this game can't be read.",
        Reason::Internal => "A fault of the server.",
    }
}

fn no_meld(fault: &str) -> &'static str {
    match fault {
        "TOO_SHORT" => "{cards} is no meld: a meld has at least 3 cards, not {have}.",
        "TOO_LONG" => "{cards} is no meld: a run has at most 13 cards, not {have}.",
        "TOO_MANY_JOKERS" => {
            "{cards} is no meld: there can't be more jokers than natural cards, and here \
             {#jokers|is|are} {jokers|joker|jokers} with {naturals|natural card|natural cards}."
        }
        "MIXED" => "{cards} is no meld: the cards are neither of one suit nor of one rank.",
        "FACE_TWICE" => "{cards} is no meld: it would have {face} twice.",
        "GROUP_TOO_LARGE" => "{cards} is no meld: a group has at most 4 cards, not {have}.",
        "NOT_CONSECUTIVE" => "{cards} is no meld: the cards of the suit are not consecutive.",
        "ADJACENT_JOKERS" => "{cards} is no meld: two jokers would lie side by side.",
        "WRONG_BINDING" => "{cards} is no meld: {card} can't stand for {face} in it.",
        _ => "{cards} is no meld.",
    }
}

fn no_fit(fault: &str) -> &'static str {
    match fault {
        "OTHER_SUIT" => "{cards} can't be laid off here: {card} isn't of the run's suit.",
        "OTHER_RANK" => "{cards} can't be laid off here: {card} isn't of the group's rank.",
        "FACE_TWICE" => "{cards} can't be laid off here: the meld would have {face} twice.",
        "GROUP_FULL" => "{cards} can't be laid off here: a group has at most 4 cards.",
        "NOT_NEXT" => "{cards} can't be laid off here: {card} doesn't continue the run at this end.",
        "RUN_FULL" => "{cards} can't be laid off here: a run has at most 13 cards.",
        "TOO_MANY_JOKERS" => {
            "{cards} can't be laid off here: there can't be more jokers than natural cards, and there \
             would be {jokers|joker|jokers} with {naturals|natural card|natural cards}."
        }
        "ADJACENT_JOKERS" => "{cards} can't be laid off here: two jokers would lie side by side.",
        "JOKERS_PLACE" => "A joker lies in the place of {card}: swap it instead of laying off.",
        "WRONG_BINDING" => "{cards} can't be laid off here: {card} can't stand for {face} there.",
        _ => "{cards} can't be laid off here.",
    }
}
