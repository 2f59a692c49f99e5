//! Secrets of the service's own making, as texts: told once, and stored as hashes.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::store::Millis;

/// What a secret is for. Each kind has its own beginning, so that one is recognised where it was leaked, and is never
/// taken for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A player's token for calls.
    Player,
    /// A player's token for new tokens.
    Refresh,
    /// A backend's API key.
    Key,
    /// A ticket for one stream.
    Ticket,
    /// What a webhook's deliveries are signed with.
    Webhook,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Player, Self::Refresh, Self::Key, Self::Ticket, Self::Webhook];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Player => "remik_player_",
            Self::Refresh => "remik_refresh_",
            Self::Key => "remik_key_",
            Self::Ticket => "remik_ticket_",
            Self::Webhook => "remik_webhook_",
        }
    }

    /// What a text says that it is; `None` if it isn't of the service's making.
    pub(super) fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))
    }

    /// What stands behind the beginning.
    pub(super) fn body(self, text: &str) -> Option<&str> {
        text.strip_prefix(self.prefix())
    }
}

/// A secret. It can't be printed by accident.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// 256 random bits.
    pub(super) fn generate(kind: Kind) -> Self {
        Self(format!("{}{}", kind.prefix(), hex(&random())))
    }

    /// A secret to sign a webhook's deliveries with.
    pub fn of_webhook() -> Self {
        Self::generate(Kind::Webhook)
    }

    /// A secret that has to be stored as it is.
    pub fn stored(secret: &str) -> Self {
        Self(secret.to_owned())
    }

    /// 256 random bits, and before them when the token ends: an expired token says so itself, also when nothing of it
    /// is stored any more. Who writes another time has another token, which is nobody's.
    pub(super) fn generate_until(kind: Kind, expires_at: Millis) -> Self {
        Self(format!("{}{:012x}{}", kind.prefix(), expires_at.0, hex(&random())))
    }

    /// Of a kind, with a body made elsewhere.
    pub(super) fn with_body(kind: Kind, body: &str) -> Self {
        Self(format!("{}{body}", kind.prefix()))
    }

    /// The secret as text, for its owner only.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// When a text made by [`Secret::generate_until`] says that it ends.
pub(super) fn end_of(kind: Kind, text: &str) -> Option<Millis> {
    let time = kind.body(text)?.get(..12)?;
    i64::from_str_radix(time, 16).ok().map(Millis)
}

/// What is stored of a secret. A plain hash does: of 256 random bits none can be found by trying, so neither salt nor
/// slowness would add anything.
pub(super) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    rand::fill(&mut bytes);
    bytes
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of pairs of hexadecimal digits.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    pairs.iter().map(|&[high, low]| u8::try_from(digit(high)? << 4 | digit(low)?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_are_recognised_and_are_not_printed() {
        let (one, other) = (Secret::generate(Kind::Key), Secret::generate(Kind::Key));
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(Kind::of(one.reveal()), Some(Kind::Key));
        assert_eq!(Kind::Key.body(one.reveal()).unwrap().len(), 64);
        assert_eq!(Kind::of("eyJhbGciOiJub25lIn0.e30."), None);
        assert_eq!(format!("{one:?}"), "Secret");
    }

    #[test]
    fn a_token_says_when_it_ends() {
        let token = Secret::generate_until(Kind::Player, Millis(1_800_000_000_123));
        assert_eq!(end_of(Kind::Player, token.reveal()), Some(Millis(1_800_000_000_123)));
        for text in ["remik_player_", "remik_player_ąęóąęó", "remik_player_zzzzzzzzzzzz", "remik_key_0123"]
        {
            assert_eq!(end_of(Kind::Player, text), None, "{text}");
        }
    }
}
