//! Tickets: a browser's `EventSource` can't send headers, so it names one in the URL. URLs end up in logs and
//! histories, so a ticket is good for a minute and for the stream of one game only.
//!
//! A ticket isn't stored. It says for whom and what it is, and is signed by HMAC-SHA256 with a key that all instances
//! share.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use remik_rules::seat::PlayerId;
use sha2::Sha256;
use uuid::Uuid;

use super::pass::Origin;
use super::secret::{Kind, Secret, hex, unhex};
use super::{AuthError, Backend, Identity, Pass, Principal, Scope, Scopes, after};
use crate::store::{GameId, Millis};

/// How long a ticket opens a stream.
const GOOD_FOR: Duration = Duration::from_secs(60);

/// How long the bytes are that are signed, and the signature.
const SIGNED: usize = 16 + 16 + 8 + 1 + 16;
const SIGNATURE: usize = 32;

/// A ticket and its end.
#[derive(Debug)]
pub struct Ticket {
    /// What the URL says.
    pub secret: Secret,
    /// Until when it opens a stream.
    pub expires_at: Millis,
}

impl Identity {
    /// A ticket by which the holder of a pass may watch a game as a player. The stream ends as it would with the pass.
    pub fn ticket(&self, pass: &Pass, player: PlayerId, game: GameId) -> Ticket {
        let expires_at = after(self.now(), GOOD_FOR);
        let mut bytes = signed(pass, player, game, expires_at);
        let signature = self.signer(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&signature);
        Ticket { secret: Secret::with_body(Kind::Ticket, &hex(&bytes)), expires_at }
    }

    /// The pass that a ticket for a game was made with.
    ///
    /// # Errors
    /// The ticket isn't for this game, is forged or has expired, or what it was made with counts no more.
    pub async fn redeem(&self, ticket: &str, game: GameId) -> Result<Pass, AuthError> {
        let bytes = Kind::Ticket.body(ticket).and_then(unhex).ok_or(AuthError::Unknown)?;
        let (bytes, signature) = bytes.split_at_checked(SIGNED).ok_or(AuthError::Unknown)?;
        // In a time that doesn't depend on where they differ.
        self.signer(bytes).verify_slice(signature).map_err(|_| AuthError::Unknown)?;
        let (ticket_game, pass, expires_at) = read(bytes).ok_or(AuthError::Unknown)?;
        if ticket_game != game {
            return Err(AuthError::Unknown);
        }
        if expires_at <= self.now() {
            return Err(AuthError::Expired);
        }
        self.recheck(&pass).await?;
        Ok(pass)
    }

    fn signer(&self, bytes: &[u8]) -> Hmac<Sha256> {
        // HMAC takes keys of any length.
        let mut signer =
            Hmac::<Sha256>::new_from_slice(&self.ticket_key).expect("HMAC takes keys of any length");
        signer.update(b"remik ticket 1");
        signer.update(bytes);
        signer
    }
}

fn signed(pass: &Pass, player: PlayerId, game: GameId, expires_at: Millis) -> Vec<u8> {
    let (kind, origin) = match pass.origin {
        Origin::Session(id) => (0, *id.as_bytes()),
        Origin::Account(issued_at) => (1, i128::from(issued_at.0).to_be_bytes()),
        Origin::Key(id) => (2, *id.as_bytes()),
        Origin::Console => (3, [0; 16]),
    };
    let mut bytes = Vec::with_capacity(SIGNED + SIGNATURE);
    bytes.extend_from_slice(game.0.as_bytes());
    bytes.extend_from_slice(&player.0.to_be_bytes());
    bytes.extend_from_slice(&expires_at.0.to_be_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(&origin);
    bytes
}

fn read(mut bytes: &[u8]) -> Option<(GameId, Pass, Millis)> {
    let game = GameId(Uuid::from_bytes(take(&mut bytes)?));
    let player = PlayerId(u128::from_be_bytes(take(&mut bytes)?));
    let expires_at = Millis(i64::from_be_bytes(take(&mut bytes)?));
    let [kind] = take(&mut bytes)?;
    let id: [u8; 16] = take(&mut bytes)?;
    // All that a backend's ticket needs, whatever else its key is for.
    let scopes: Scopes = [Scope::Games].into_iter().collect();
    let key = Uuid::from_bytes(id);
    let backend = |key| Principal::Backend(Backend { key, scopes, player: Some(player) });
    let (principal, origin) = match kind {
        0 => (Principal::Player(player), Origin::Session(key)),
        1 => {
            let issued_at = i64::try_from(i128::from_be_bytes(id)).ok()?;
            (Principal::Player(player), Origin::Account(Millis(issued_at)))
        }
        2 => (backend(key), Origin::Key(key)),
        3 => (backend(Uuid::nil()), Origin::Console),
        _ => return None,
    };
    Some((game, Pass { principal, origin }, expires_at))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_says_what_it_was_made_of() {
        let (player, game, at) = (PlayerId(5), GameId(Uuid::from_u128(6)), Millis(7));
        let id = Uuid::from_u128(8);
        let scopes: Scopes = [Scope::Games].into_iter().collect();
        let backend = |key| Principal::Backend(Backend { key, scopes, player: Some(player) });
        for (principal, origin) in [
            (Principal::Player(player), Origin::Session(id)),
            (Principal::Player(player), Origin::Account(Millis(1_700_000_000_000))),
            (backend(id), Origin::Key(id)),
            (backend(Uuid::nil()), Origin::Console),
        ] {
            let pass = Pass { principal, origin };
            let bytes = signed(&pass, player, game, at);
            assert_eq!(bytes.len(), SIGNED);
            assert_eq!(read(&bytes), Some((game, pass, at)));
            assert_eq!(read(&bytes[..SIGNED - 1]), None);
        }
    }
}
