//! Requests that are moves.

use std::time::Duration;

use remik_rules::command::{Command, End, Source};
use remik_rules::meld::Named;
use remik_rules::seat::{PlayerId, Seat};
use uuid::Uuid;

use super::fault::{Fault, Problem};
use super::field::{card, choice, client_seed, meld_id, named, seat, uuid};
use crate::proto::v1;

/// The most melds that a command may lay.
pub const MOST_MELDS: usize = 14;
/// The most cards that a command may name.
pub const MOST_CARDS: usize = 32;

/// Seconds in which everybody has to be ready: the least, the most, and if the request doesn't say.
const READY_SECONDS: (u32, u32, u32) = (10, 300, 30);

/// Lengths of an invite code without its hyphens.
const INVITE_CODE: std::ops::RangeInclusive<usize> = 4..=16;

pair! {
    Source => v1::DrawSource { Stock, Discard }
    End => v1::RunEnd { Low, High }
}

/// A command of a player for a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRequest {
    /// The game.
    pub game: Uuid,
    /// The client's own id of the command: sent again with it, it isn't carried out again.
    pub request_id: Uuid,
    /// The last move that the client has seen; 0 where that doesn't matter.
    pub known_version: u32,
    /// What it wants done.
    pub command: Command,
}

/// A wish for a seat at a table that is known by its invite code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinByCode {
    /// The code in capitals and digits, without hyphens and spaces.
    pub invite_code: String,
    /// The client's own id of the command.
    pub request_id: Uuid,
    /// The seat wanted, the first free one if `None`.
    pub seat: Option<Seat>,
}

/// Reads the fields that every move command has, and gives it its own.
macro_rules! read {
    ($($request:ident: |$r:ident| $command:expr;)+) => { $(
        impl TryFrom<v1::$request> for MoveRequest {
            type Error = Fault;

            fn try_from($r: v1::$request) -> Result<Self, Fault> {
                Ok(Self {
                    game: uuid("game_id", &$r.game_id)?,
                    request_id: uuid("request_id", &$r.request_id)?,
                    known_version: $r.known_version,
                    command: $command,
                })
            }
        }
    )+ };
}

read! {
    LeaveGameRequest: |r| Command::Leave;
    ReadyRequest: |r| Command::Ready { client_seed: client_seed("client_seed", &r.client_seed)? };
    DrawRequest: |r| Command::Draw(required_choice::<v1::DrawSource, _>("source", r.source)?);
    MeldRequest: |r| Command::Meld(melds(&r.melds)?);
    LayOffRequest: |r| Command::LayOff {
        meld: meld_id("meld_id", &r.meld_id)?,
        cards: named_cards("cards", &r.cards, 0)?,
        end: end(r.end)?,
    };
    SwapJokerRequest: |r| Command::SwapJoker {
        meld: meld_id("meld_id", &r.meld_id)?,
        card: card("card", &r.card)?,
        joker: if r.joker.is_empty() { None } else { Some(card("joker", &r.joker)?) },
    };
    AddBotRequest: |r| Command::AddBot {
        seat: r.seat.map(|number| seat("seat", number)).transpose()?,
        strength: required_choice::<v1::BotStrength, _>("strength", r.strength)?,
    };
    RemoveBotRequest: |r| Command::RemoveBot {
        seat: seat("seat", r.seat.ok_or_else(|| Problem::Missing.at("seat"))?)?,
    };
    ResumeSeatRequest: |_r| Command::Resume;
    HandOverHostRequest: |r| Command::HandOver { player: player("player_id", &r.player_id)? };
    RemovePlayerRequest: |r| Command::Remove { player: player("player_id", &r.player_id)? };
    AskReadyRequest: |r| Command::AskReady { within: seconds("seconds", r.seconds, READY_SECONDS)? };
    ChangeTableRequest: |r| Command::ChangeSettings;
    DeclineSeatRequest: |r| Command::Decline;
    DiscardRequest: |r| Command::Discard(card("card", &r.card)?);
    UndoRequest: |r| Command::Undo;
}

impl TryFrom<v1::JoinGameRequest> for MoveRequest {
    type Error = Fault;

    fn try_from(r: v1::JoinGameRequest) -> Result<Self, Fault> {
        Ok(Self {
            game: uuid("game_id", &r.game_id)?,
            request_id: uuid("request_id", &r.request_id)?,
            known_version: 0,
            command: Command::Join { seat: r.seat.map(|number| seat("seat", number)).transpose()? },
        })
    }
}

impl TryFrom<v1::JoinGameByCodeRequest> for JoinByCode {
    type Error = Fault;

    fn try_from(r: v1::JoinGameByCodeRequest) -> Result<Self, Fault> {
        Ok(Self {
            invite_code: invite_code("invite_code", &r.invite_code)?,
            request_id: uuid("request_id", &r.request_id)?,
            seat: r.seat.map(|number| seat("seat", number)).transpose()?,
        })
    }
}

/// An invite code in capitals and digits, without hyphens and spaces.
///
/// # Errors
/// The text is empty or none.
pub fn invite_code(field: &str, text: &str) -> Result<String, Fault> {
    if text.is_empty() {
        return Err(Problem::Missing.at(field));
    }
    let code: String = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if INVITE_CODE.contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphanumeric()) {
        Ok(code.to_ascii_uppercase())
    } else {
        Err(Problem::malformed(text, "an invite code").at(field))
    }
}

/// A number of seconds within a range, with its value for 0.
pub(super) fn seconds(
    field: &str,
    value: u32,
    (least, most, usual): (u32, u32, u32),
) -> Result<Duration, Fault> {
    match value {
        0 => Ok(Duration::from_secs(usual.into())),
        value if (least..=most).contains(&value) => Ok(Duration::from_secs(value.into())),
        value => Err(Problem::OutOfRange { value, least, most }.at(field)),
    }
}

pub(super) fn player(field: &str, text: &str) -> Result<PlayerId, Fault> {
    uuid(field, text).map(|id| PlayerId(id.as_u128()))
}

/// An enum that must be given.
pub(super) fn required_choice<P, R>(field: &str, value: i32) -> Result<R, Fault>
where
    P: TryFrom<i32>,
    Option<R>: From<P>,
{
    if value == 0 { Err(Problem::Missing.at(field)) } else { choice::<P, R>(field, value) }
}

fn end(value: i32) -> Result<Option<End>, Fault> {
    if value == 0 { Ok(None) } else { choice::<v1::RunEnd, _>("end", value).map(Some) }
}

fn melds(melds: &[v1::NewMeld]) -> Result<Vec<Vec<Named>>, Fault> {
    if melds.is_empty() {
        return Err(Problem::Missing.at("melds"));
    }
    if melds.len() > MOST_MELDS {
        let length = melds.len();
        return Err(Problem::BadLength { length, of: "melds", least: 1, most: MOST_MELDS }.at("melds"));
    }
    let mut before = 0;
    let mut read = Vec::with_capacity(melds.len());
    for (index, meld) in melds.iter().enumerate() {
        read.push(named_cards(&format!("melds[{index}].cards"), &meld.cards, before)?);
        before += meld.cards.len();
    }
    Ok(read)
}

/// Cards as a command names them, where so many were named in it before.
fn named_cards(field: &str, cards: &[String], before: usize) -> Result<Vec<Named>, Fault> {
    if cards.is_empty() {
        return Err(Problem::Missing.at(field));
    }
    let length = before + cards.len();
    if length > MOST_CARDS {
        return Err(Problem::BadLength { length, of: "cards", least: 1, most: MOST_CARDS }.at(field));
    }
    cards.iter().enumerate().map(|(index, text)| named(&format!("{field}[{index}]"), text)).collect()
}
