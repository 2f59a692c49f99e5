//! Who administers the service, and what is kept of what he does.

use uuid::Uuid;

use crate::store::{Act, Millis};

/// What administrators do. The numbers are those of the API, and are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Sees a table, or its moves.
    InspectGame = 1,
    /// Ends a game.
    EndGame = 2,
    /// Voids a game.
    VoidGame = 3,
    /// Bans a player.
    BanPlayer = 4,
    /// Lifts a player's ban.
    LiftBan = 5,
    /// Signs a player out everywhere.
    SignOutPlayer = 6,
    /// Makes an API key.
    CreateKey = 7,
    /// Revokes an API key.
    RevokeKey = 8,
}

/// Somebody who administers the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Administrator {
    /// The API key by which he does it; `None` for the command line.
    pub key: Option<Uuid>,
    /// What it is called.
    pub name: String,
}

impl Administrator {
    /// Whoever may run `remik key` beside the service.
    pub fn of_command_line() -> Self {
        Self { key: None, name: "cli".to_owned() }
    }

    /// An act of his, as it is kept. What isn't said of it is nothing.
    pub fn act(&self, deed: Deed, subject: Uuid, now: Millis) -> Act {
        Act {
            id: Uuid::now_v7(),
            made_at: now,
            key_id: self.key,
            key_name: self.name.clone(),
            act: deed as i16,
            subject,
            seat: None,
            reason: String::new(),
            until: None,
            request_id: None,
        }
    }
}

/// Whether two acts under the same request id are the same command.
pub fn is_same(one: &Act, other: &Act) -> bool {
    (one.act, one.subject, one.seat, &one.reason, one.until)
        == (other.act, other.subject, other.seat, &other.reason, other.until)
}
