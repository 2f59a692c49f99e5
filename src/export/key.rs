//! The key with which a service signs what it exports.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signature, Signer, VerifyingKey};

/// What every signed message begins with.
const LABEL: &[u8] = b"remik.export.v1";

/// The service's secret key (Ed25519).
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The key by which everybody can check a signature; as text it is base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// A text that is no public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public key is 32 bytes in base64")]
pub struct NoPublicKey;

impl SigningKey {
    /// A new key from the operating system's randomness.
    pub fn generate() -> Self {
        let mut secret = [0; 32];
        rand::fill(&mut secret);
        Self::from_secret(&secret)
    }

    /// The key of a secret.
    pub fn from_secret(secret: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(secret))
    }

    /// Its secret, for the store alone.
    pub fn secret(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The key by which its signatures are checked.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(super) fn sign(&self, head: &[u8; 32]) -> [u8; 64] {
        self.0.sign(&message(head)).to_bytes()
    }
}

impl PublicKey {
    /// Whether the signature of a head is that of this key.
    pub(super) fn has_signed(self, head: &[u8; 32], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(&message(head), &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_STANDARD.encode(self.0.as_bytes()))
    }
}

impl FromStr for PublicKey {
    type Err = NoPublicKey;

    fn from_str(text: &str) -> Result<Self, NoPublicKey> {
        let bytes: [u8; 32] =
            BASE64_STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok()).ok_or(NoPublicKey)?;
        VerifyingKey::from_bytes(&bytes).map(Self).map_err(|_| NoPublicKey)
    }
}

fn message(head: &[u8; 32]) -> Vec<u8> {
    [LABEL, head].concat()
}
