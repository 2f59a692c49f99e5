//! Commands as a player means them.

use remik::proto::v1::{BotStrength, DrawSource, RunEnd};
use uuid::Uuid;

/// What a player wants done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    Join(Option<u32>),
    /// A seat at the table of an invite code; the order's game doesn't matter.
    JoinByCode(String),
    Leave,
    AddBot(BotStrength),
    RemoveBot(u32),
    /// With a seed in hexadecimal digits.
    Ready(String),
    Draw(DrawSource),
    Meld(Vec<Vec<String>>),
    LayOff {
        meld: String,
        cards: Vec<String>,
        end: RunEnd,
    },
    SwapJoker {
        meld: String,
        card: String,
        joker: String,
    },
    Discard(String),
    Undo,
}

/// A command to be sent, as often as it takes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Order {
    pub(crate) game: String,
    pub(crate) request_id: Uuid,
    pub(crate) known_version: u32,
    pub(crate) command: Command,
}

impl Order {
    /// A new command for a game, from somebody who has seen a move.
    pub(crate) fn new(game: &str, known_version: u32, command: Command) -> Self {
        Self { game: game.to_owned(), request_id: super::fresh_id(), known_version, command }
    }
}
