//! How a receiver knows that it was this service.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The header with the time and the signatures.
pub(super) const HEADER: &str = "remik-signature";

/// The header's value: `t=SECONDS,v1=HEX`, with one `v1` for each secret. What is signed is `SECONDS.BODY`, by
/// HMAC-SHA256 with the text of the secret as its key.
pub(super) fn header<'a>(secrets: impl IntoIterator<Item = &'a str>, seconds: i64, body: &str) -> String {
    let sign = |secret: &str| {
        // HMAC takes keys of any length.
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
        let mac = mac.chain_update(seconds.to_string()).chain_update(".").chain_update(body);
        Some(format!(",v1={}", hex::encode(mac.finalize().into_bytes())))
    };
    let signatures: String = secrets.into_iter().filter_map(sign).collect();
    format!("t={seconds}{signatures}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By `printf '1800000000.{"a":1}' | openssl dgst -sha256 -hmac remik_webhook_test`.
    #[test]
    fn it_is_what_others_make_too() {
        let signature = "e74f8cfd2ffdc2180ae09fbfc6cd7725c4f207ed2e779d7a5b8080bb1394b003";
        assert_eq!(
            header(["remik_webhook_test"], 1_800_000_000, "{\"a\":1}"),
            format!("t=1800000000,v1={signature}")
        );
        let both = header(["remik_webhook_test", "old"], 1_800_000_000, "{\"a\":1}");
        assert!(
            both.starts_with(&format!("t=1800000000,v1={signature},v1=")) && both.len() == 13 + 2 * 68 - 1
        );
    }
}
