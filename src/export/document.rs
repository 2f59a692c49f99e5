//! The document.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use remik_rules::chance::Millis;
use remik_rules::ruleset::Aces;
use remik_rules::seat::Seat;
use serde::Deserialize;

use super::chain::{self, Link};
use super::key::{PublicKey, SigningKey};
use crate::codec::log::{self, DecodeError};
use crate::codec::{json, wire};
use crate::record::{Record, RecordedMove};
use crate::store::GameId;

/// The version of the document.
const VERSION: u32 = 1;

/// An exported game that was read and found to be as it was signed. Whether its moves follow the rules is for
/// [`Record::judge`] to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The game.
    pub record: Record,
    /// Whose signature it carries. That it is a key that one trusts is for the reader to know.
    pub key: PublicKey,
    signature: [u8; 64],
}

/// Why a text isn't a document as it was signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportFault {
    /// It isn't JSON of this shape.
    #[error("line {line}, column {column}: {problem}")]
    Shape {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the reader says.
        problem: String,
    },
    /// A newer program's document.
    #[error("version {0} of the document is not known here")]
    Version(u32),
    /// A part of the head or the foot can't be read.
    #[error("{0} can't be read")]
    Part(&'static str),
    /// A move's events can't be decoded.
    #[error("move {number}: {fault}")]
    Events {
        /// The move, from 1.
        number: u32,
        /// Why.
        fault: DecodeError,
    },
    /// A move's hash isn't that of what stands there.
    #[error("move {0}: its hash isn't that of what stands there, or of what stands before it")]
    Chain(u32),
    /// The signature isn't that of the last hash by the key.
    #[error("the signature isn't that of this game by this key")]
    Signature,
    /// What is written for readers isn't what the stored events say, or isn't written as this program writes it.
    #[error("line {line}, column {column}: not as it was exported")]
    Changed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    remik_export: u32,
    game: String,
    preset: String,
    moves: Vec<WrittenMove>,
    public_key: String,
    signature: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenMove {
    number: u32,
    seat: Option<u8>,
    made_at: i64,
    format: i16,
    events: String,
    hash: String,
    #[serde(rename = "move")]
    _shown: serde::de::IgnoredAny,
}

/// Signs a finished game.
pub fn export(record: Record, key: &SigningKey) -> Document {
    let signature = key.sign(&head(&record));
    Document { record, key: key.public(), signature }
}

/// Reads a document and checks that it is as it was signed: chain, signature, and every byte of the text.
///
/// # Errors
/// The first place where it isn't.
pub fn parse(text: &str) -> Result<Document, ExportFault> {
    let written: Written = serde_json::from_str(text).map_err(|error| ExportFault::Shape {
        line: error.line(),
        column: error.column(),
        problem: error.to_string(),
    })?;
    if written.remik_export != VERSION {
        return Err(ExportFault::Version(written.remik_export));
    }
    let game: GameId = written.game.parse().map_err(|_| ExportFault::Part("game"))?;
    let preset = written.preset.parse().map_err(|_| ExportFault::Part("preset"))?;
    let mut at = chain::begin(game, &written.preset);
    let mut moves = Vec::with_capacity(written.moves.len());
    for (number, mv) in (1..).zip(written.moves) {
        let events = BASE64_STANDARD.decode(&mv.events).map_err(|_| ExportFault::Chain(number))?;
        let seat = mv.seat.map(|seat| Seat::new(seat).ok_or(ExportFault::Chain(number))).transpose()?;
        let mut read = RecordedMove { seat, made_at: Millis(mv.made_at), events: Vec::new() };
        at = chain::link(at, mv.number, &read, mv.format, &events);
        if mv.number != number || hex::encode(at) != mv.hash {
            return Err(ExportFault::Chain(number));
        }
        read.events =
            log::decode_move(mv.format, &events).map_err(|fault| ExportFault::Events { number, fault })?;
        moves.push(read);
    }
    let key: PublicKey = written.public_key.parse().map_err(|_| ExportFault::Part("publicKey"))?;
    let signature: Option<[u8; 64]> =
        BASE64_STANDARD.decode(&written.signature).ok().and_then(|bytes| bytes.try_into().ok());
    let signature = signature.ok_or(ExportFault::Part("signature"))?;
    if !key.has_signed(&at, &signature) {
        return Err(ExportFault::Signature);
    }
    let document = Document { record: Record { game, preset, moves }, key, signature };
    match first_difference(text, &document.to_string()) {
        None => Ok(document),
        Some((line, column)) => Err(ExportFault::Changed { line, column }),
    }
}

impl std::fmt::Display for Document {
    /// The text, one line a move, always the same for the same game.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Record { game, preset, moves } = &self.record;
        writeln!(f, "{{\"remikExport\":{VERSION},\"game\":\"{game}\",\"preset\":\"{preset}\",\"moves\":[")?;
        let aces = self.record.aces();
        let mut at = chain::begin(*game, preset.name());
        for (number, mv) in (1u32..).zip(moves) {
            let events = mv.stored();
            at = chain::link(at, number, mv, log::FORMAT, &events);
            let separator = if number as usize == moves.len() { "" } else { "," };
            let seat = mv.seat.map(|seat| format!("\"seat\":{seat},")).unwrap_or_default();
            writeln!(
                f,
                "{{\"number\":{number},{seat}\"madeAt\":{},\"format\":{},\"events\":\"{}\",\"hash\":\"{}\",\"move\":{}}}{separator}",
                mv.made_at.0,
                log::FORMAT,
                BASE64_STANDARD.encode(&events),
                hex::encode(at),
                shown(number, mv, aces),
            )?;
        }
        let signature = BASE64_STANDARD.encode(self.signature);
        writeln!(f, "],\"publicKey\":\"{}\",\"signature\":\"{signature}\"}}", self.key)
    }
}

/// The last link of a game's chain.
fn head(record: &Record) -> Link {
    let begin = chain::begin(record.game, record.preset.name());
    (1..)
        .zip(&record.moves)
        .fold(begin, |at, (number, mv)| chain::link(at, number, mv, log::FORMAT, &mv.stored()))
}

/// A move for who reads the document without knowing what is stored: as the API tells it, all cards open.
fn shown(number: u32, mv: &RecordedMove, aces: Aces) -> String {
    let events: Vec<_> = mv.events.iter().map(|event| event.revealed()).collect();
    json::encode("remik.v1.GameMove", &wire::game_move(number, mv.made_at, mv.seat, aces, &events))
}

/// Where two texts first differ, as line and column from 1.
fn first_difference(one: &str, other: &str) -> Option<(usize, usize)> {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    if same == one.len() && same == other.len() {
        return None;
    }
    let before = &one.as_bytes()[..same];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = same - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) + 1;
    Some((line, column))
}
