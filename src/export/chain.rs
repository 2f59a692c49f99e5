//! The chain of hashes over a game's moves.

use sha2::{Digest, Sha256};

use crate::record::RecordedMove;
use crate::store::GameId;

const LABEL: &[u8] = b"remik.chain.v1";

/// The seat byte of a move that is the clock's.
const CLOCK: u8 = 255;

/// A link: the hash over everything up to it.
pub(super) type Link = [u8; 32];

/// The link before the first move: which game it is.
pub(super) fn begin(game: GameId, preset: &str) -> Link {
    let mut hash = Sha256::new();
    hash.update(LABEL);
    hash.update(game.0.as_bytes());
    hash.update((preset.len() as u32).to_be_bytes());
    hash.update(preset);
    hash.finalize().into()
}

/// The link of a move after the one before it.
pub(super) fn link(before: Link, number: u32, mv: &RecordedMove, format: i16, events: &[u8]) -> Link {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(number.to_be_bytes());
    hash.update([mv.seat.map_or(CLOCK, |seat| seat.number())]);
    hash.update(mv.made_at.0.to_be_bytes());
    hash.update(format.to_be_bytes());
    hash.update((events.len() as u32).to_be_bytes());
    hash.update(events);
    hash.finalize().into()
}
