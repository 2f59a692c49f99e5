//! What is stored: moves with all their cards and secrets, as `remik.log.v1`.
//!
//! A stored move is read for ever. Bytes that are no move give a [`DecodeError`], never a panic.

mod deal;
mod event;
mod field;
mod ruleset;
mod sandbox;

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};
use remik_rules::event::{Event, Full};

use crate::proto::log as proto;

pub(super) use field::{choice, narrow, player};
pub(super) use ruleset::{decode_end, encode_end};

/// The format in which moves are written.
pub const FORMAT: i16 = 1;

/// Why stored bytes can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Written in a format that this build doesn't know: by a newer one.
    #[error("format {0} is not known here")]
    UnknownFormat(i16),
    /// No protobuf, or one cut short.
    #[error("no valid protobuf: {0}")]
    Protobuf(#[from] prost::DecodeError),
    /// An event without a kind that this build knows: an empty one, or a newer build's.
    #[error("an event of an unknown kind")]
    UnknownEvent,
    /// A field that must be there isn't.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A number means nothing in its field.
    #[error("{field} can't be {value}")]
    Meaningless {
        /// The field, as `Message.field`.
        field: &'static str,
        /// What it holds.
        value: i64,
    },
    /// A field has too few or too many bytes or items.
    #[error("{field} can't have length {length}")]
    BadLength {
        /// The field, as `Message.field`.
        field: &'static str,
        /// Its length.
        length: usize,
    },
}

/// The events of one move as they are stored, in [`FORMAT`].
///
/// What follows from other parts of an event isn't written twice: a stock's count is that of its cards.
pub fn encode_move(events: &[Event<Full>]) -> Bytes {
    proto::Move { events: events.iter().map(event::encode).collect() }.encode_to_vec().into()
}

/// The events of a stored move.
///
/// # Errors
/// Why the bytes aren't a move of this format.
pub fn decode_move(format: i16, bytes: &[u8]) -> Result<Vec<Event<Full>>, DecodeError> {
    if format != FORMAT {
        return Err(DecodeError::UnknownFormat(format));
    }
    proto::Move::decode(bytes)?.events.into_iter().map(event::decode).collect()
}

/// The number of [`Event::GameEnded`] among the kinds of events.
const GAME_ENDED: u32 = 20;

/// Whether a game ends in a stored move: told by the kinds of its events alone, which is quick.
///
/// # Errors
/// Why the bytes aren't a move of this format.
pub fn ends_game(format: i16, mut bytes: &[u8]) -> Result<bool, DecodeError> {
    if format != FORMAT {
        return Err(DecodeError::UnknownFormat(format));
    }
    while !bytes.is_empty() {
        let key = decode_key(&mut bytes)?;
        // A move has nothing but events.
        let length =
            if key == (1, WireType::LengthDelimited) { decode_varint(&mut bytes)? } else { u64::MAX };
        let event = usize::try_from(length).ok().and_then(|length| bytes.split_at_checked(length));
        let Some((mut event, rest)) = event else { return Err(DecodeError::UnknownEvent) };
        if decode_key(&mut event)?.0 == GAME_ENDED {
            return Ok(true);
        }
        bytes = rest;
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
