//! Single fields of what is stored.

use remik_rules::card::Card;
use remik_rules::chance::ClientSeed;
use remik_rules::command::MeldId;
use remik_rules::seat::{PlayerId, Seat};

use super::DecodeError;

pub(super) fn byte(card: Card) -> u32 {
    card.to_byte().into()
}

pub(super) fn bytes(cards: &[Card]) -> Vec<u8> {
    cards.iter().map(|card| card.to_byte()).collect()
}

pub(super) fn number(seat: Seat) -> Option<u32> {
    Some(seat.number().into())
}

pub(super) fn required<T>(field: &'static str, value: Option<T>) -> Result<T, DecodeError> {
    value.ok_or(DecodeError::Missing(field))
}

/// A number in the narrower type in which the rules hold it.
pub(in crate::codec) fn narrow<T: TryFrom<u32>>(field: &'static str, value: u32) -> Result<T, DecodeError> {
    T::try_from(value).map_err(|_| DecodeError::Meaningless { field, value: value.into() })
}

/// A variant of a rules enum from its generated counterpart.
pub(in crate::codec) fn choice<P, R>(field: &'static str, value: i32) -> Result<R, DecodeError>
where
    P: TryFrom<i32>,
    Option<R>: From<P>,
{
    P::try_from(value)
        .ok()
        .and_then(Option::from)
        .ok_or(DecodeError::Meaningless { field, value: value.into() })
}

fn seat_number(field: &'static str, value: u32) -> Result<Seat, DecodeError> {
    Seat::new(narrow(field, value)?).ok_or(DecodeError::Meaningless { field, value: value.into() })
}

pub(super) fn seat(field: &'static str, value: Option<u32>) -> Result<Seat, DecodeError> {
    seat_number(field, required(field, value)?)
}

pub(super) fn seats(field: &'static str, values: Vec<u32>) -> Result<Vec<Seat>, DecodeError> {
    values.into_iter().map(|value| seat_number(field, value)).collect()
}

pub(super) fn card_of(field: &'static str, value: u32) -> Result<Card, DecodeError> {
    Card::from_byte(narrow(field, value)?).ok_or(DecodeError::Meaningless { field, value: value.into() })
}

pub(super) fn card(field: &'static str, value: Option<u32>) -> Result<Card, DecodeError> {
    card_of(field, required(field, value)?)
}

/// Cards of one byte each. No list of cards is longer than a pack could be, and none is collected into less room
/// than `most`.
pub(super) fn cards<C: FromIterator<Card>>(
    field: &'static str,
    bytes: &[u8],
    most: usize,
) -> Result<C, DecodeError> {
    if bytes.len() > most {
        return Err(DecodeError::BadLength { field, length: bytes.len() });
    }
    bytes.iter().map(|&byte| card_of(field, byte.into())).collect()
}

pub(super) fn meld_id(field: &'static str, value: Option<u32>) -> Result<MeldId, DecodeError> {
    narrow(field, required(field, value)?).map(MeldId)
}

pub(super) fn thirty_two(field: &'static str, bytes: &[u8]) -> Result<[u8; 32], DecodeError> {
    bytes.try_into().map_err(|_| DecodeError::BadLength { field, length: bytes.len() })
}

pub(super) fn client_seed(field: &'static str, bytes: Vec<u8>) -> Result<ClientSeed, DecodeError> {
    let length = bytes.len();
    ClientSeed::new(bytes).ok_or(DecodeError::BadLength { field, length })
}

pub(in crate::codec) fn player(field: &'static str, bytes: &[u8]) -> Result<PlayerId, DecodeError> {
    let id = bytes.try_into().map_err(|_| DecodeError::BadLength { field, length: bytes.len() })?;
    Ok(PlayerId(u128::from_be_bytes(id)))
}
