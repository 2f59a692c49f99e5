//! Telling a repeated command from a new one.

use remik_rules::command::Command;
use remik_rules::seat::PlayerId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::codec::settings::{Admission, Settings};
use crate::store::GameId;

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

/// What is said of a table, as part of a command.
pub(super) fn settings(settings: &Settings) -> Vec<u8> {
    let Settings { title, language, admission } = settings;
    let admission = match admission {
        Admission::Anyone => "anyone".to_owned(),
        Admission::Rated { least, most } => format!("rated {least} {most}"),
        Admission::Invited => "invited".to_owned(),
    };
    // A title has no line breaks.
    format!(" settings {language} {admission}\n{title}").into_bytes()
}

/// The request of a bot's move: the same from every instance, so that a move which comes twice is one.
pub(super) fn of_bot(game: GameId, number: u32, command: &Command) -> (Uuid, i64) {
    let digest = Sha256::new()
        .chain_update(b"bot")
        .chain_update(game.0.as_bytes())
        .chain_update(number.to_be_bytes())
        .finalize();
    let mut first = [0; 16];
    first.copy_from_slice(&digest[..16]);
    let id = uuid::Builder::from_custom_bytes(first).into_uuid();
    (id, fingerprint(PlayerId(0), command.to_string()))
}
