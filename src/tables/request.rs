//! Telling a repeated command from a new one.

use remik_rules::command::Command;
use remik_rules::seat::PlayerId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// What a client gives with a command so that it can be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKey {
    /// The client's id for the command.
    pub id: Uuid,
    /// The last move that the client has seen: a repeat is looked for behind it.
    pub known_version: u32,
}

/// A digest of who asks for what. Stored with the move, so its form never changes: the first eight bytes of
/// the SHA-256 of the player's id and the command.
pub(super) fn fingerprint(player: PlayerId, command: impl AsRef<[u8]>) -> i64 {
    let digest = Sha256::new().chain_update(player.0.to_be_bytes()).chain_update(command).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// The fingerprint of a command at a table.
pub(super) fn of_command(player: PlayerId, command: &Command) -> i64 {
    fingerprint(player, command.to_string())
}
