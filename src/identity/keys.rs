//! The integrator's public keys, as a JWKS (RFC 7517) from a file or a URL. They are read again now and then, and at
//! once when a token names a key that isn't known; while that fails, the keys that are known stay.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use reqwest::Url;
use tokio::time::Instant;

use super::SetupError;

/// How long a fetch may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The largest document that is read, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// How often unknown keys may have the document read again: whoever can write a token can name one.
const UNKNOWN: Duration = Duration::from_secs(10);

/// The least size of an RSA modulus, in bytes (RFC 7518, 3.3).
const LEAST_RSA: usize = 256;

/// Where the keys come from.
enum Source {
    File(PathBuf),
    Url(reqwest::Client, Url),
}

/// A key that verifies signatures of one algorithm.
pub(super) struct VerifyingKey {
    id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

/// The keys.
pub(super) struct KeySet {
    source: Source,
    keys: RwLock<Option<Arc<Vec<VerifyingKey>>>>,
    /// When an unknown key last had them read. Held while they are, so that those who wait read once.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

/// Why the keys weren't read.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("can't read the file")]
    File(#[from] std::io::Error),
    // The library's own text has the URL, which may hold a secret.
    #[error("can't fetch it")]
    Fetch(#[source] reqwest::Error),
    #[error("it is larger than 256 KiB")]
    TooLarge,
    #[error("it is no JWKS")]
    Format(#[from] serde_json::Error),
    #[error("it has no key of a kind that can be used: RSA (RS256), P-256 (ES256), Ed25519 (EdDSA)")]
    Empty,
}

/// The document's outer form. Each key is read by itself: one of a kind that isn't known does no harm.
#[derive(serde::Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

impl KeySet {
    /// The keys of a file, which has to be good.
    pub(super) async fn of_file(path: PathBuf) -> Result<Self, SetupError> {
        let set = Self::new(Source::File(path.clone()));
        match set.read().await {
            Ok(()) => Ok(set),
            Err(error) => Err(SetupError::Keys { path, source: Arc::new(error) }),
        }
    }

    /// The keys of a URL. If they can't be fetched now, that is tried again.
    pub(super) async fn of_url(url: &str) -> Result<Self, SetupError> {
        let url = Url::parse(url).map_err(|_| SetupError::Url)?;
        if !(url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url)) {
            return Err(SetupError::Url);
        }
        // It is there already if somebody else has been here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            // To be sure that what was allowed above is all that is fetched.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(SetupError::Client)?;
        let set = Self::new(Source::Url(client, url));
        set.refresh().await;
        Ok(set)
    }

    fn new(source: Source) -> Self {
        Self { source, keys: RwLock::new(None), asked: tokio::sync::Mutex::new(None) }
    }

    /// Whether any keys have been read so far.
    pub(super) fn is_ready(&self) -> bool {
        self.known().is_some()
    }

    /// The keys that may have signed a token whose header names an algorithm, and perhaps a key.
    pub(super) async fn candidates(&self, algorithm: Algorithm, id: Option<&str>) -> Vec<DecodingKey> {
        let found = self.find(algorithm, id);
        if !found.is_empty() {
            return found;
        }
        let mut asked = self.asked.lock().await;
        // Whoever had the lock before may have read them.
        let found = self.find(algorithm, id);
        if !found.is_empty() || asked.is_some_and(|at| at.elapsed() < UNKNOWN) {
            return found;
        }
        *asked = Some(Instant::now());
        self.refresh().await;
        self.find(algorithm, id)
    }

    fn find(&self, algorithm: Algorithm, id: Option<&str>) -> Vec<DecodingKey> {
        let known = self.known();
        let keys = known.iter().flat_map(|keys| keys.iter());
        keys.filter(|key| key.algorithm == algorithm && (id.is_none() || key.id.as_deref() == id))
            .map(|key| key.key.clone())
            .collect()
    }

    fn known(&self) -> Option<Arc<Vec<VerifyingKey>>> {
        // No code panics while it holds the lock.
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the keys again; what is known stays if that fails.
    pub(super) async fn refresh(&self) {
        if let Err(error) = self.read().await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "the integrator's keys can't be read; those that are known stay");
        }
    }

    async fn read(&self) -> Result<(), ReadError> {
        let document = match &self.source {
            Source::File(path) => tokio::fs::read(path).await?,
            Source::Url(client, url) => fetch(client, url).await?,
        };
        let keys: Vec<VerifyingKey> =
            serde_json::from_slice::<Document>(&document)?.keys.into_iter().filter_map(usable).collect();
        if keys.is_empty() {
            return Err(ReadError::Empty);
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(keys));
        Ok(())
    }
}

async fn fetch(client: &reqwest::Client, url: &Url) -> Result<Vec<u8>, ReadError> {
    let failed = |error: reqwest::Error| ReadError::Fetch(error.without_url());
    let response = client.get(url.clone()).header("accept", "application/json").send().await;
    let mut response = response.and_then(reqwest::Response::error_for_status).map_err(failed)?;
    let mut document = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if document.len() + chunk.len() > MOST_BYTES {
            return Err(ReadError::TooLarge);
        }
        document.extend_from_slice(&chunk);
    }
    Ok(document)
}

fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A key with the one algorithm that it is for: what a token's header says never makes it verify by another. A shared
/// secret in a public document is no secret, so it isn't used.
fn usable(key: serde_json::Value) -> Option<VerifyingKey> {
    let jwk: Jwk = serde_json::from_value(key).ok()?;
    if jwk.common.public_key_use.as_ref().is_some_and(|used| *used != PublicKeyUse::Signature) {
        return None;
    }
    let (algorithm, named) = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
            (Algorithm::ES256, KeyAlgorithm::ES256)
        }
        AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
        }
        _ => return None,
    };
    if jwk.common.key_algorithm.is_some_and(|other| other != named) {
        return None;
    }
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    let sound = match (key.kind(), algorithm) {
        (DecodingKeyKind::RsaModulusExponent { n, .. }, Algorithm::RS256) => n.len() >= LEAST_RSA,
        // Uncompressed, with its mark before it.
        (DecodingKeyKind::SecretOrDer(point), Algorithm::ES256) => point.len() == 65,
        (DecodingKeyKind::SecretOrDer(point), Algorithm::EdDSA) => point.len() == 32,
        _ => false,
    };
    sound.then_some(VerifyingKey { id: jwk.common.key_id, algorithm, key })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    #[test]
    fn only_sound_public_keys_are_used() {
        let ed = json!({"kty": "OKP", "crv": "Ed25519", "x": X, "kid": "a"});
        let key = usable(ed.clone()).unwrap();
        assert_eq!((key.id.as_deref(), key.algorithm), (Some("a"), Algorithm::EdDSA));
        let with = |name: &str, value: serde_json::Value| {
            let mut key = ed.clone();
            key[name] = value;
            usable(key)
        };
        assert!(with("alg", json!("EdDSA")).is_some() && with("use", json!("sig")).is_some());
        for (name, value) in [
            ("use", json!("enc")),
            ("alg", json!("RS256")),
            ("alg", json!("HS256")),
            ("alg", json!("none")),
            ("crv", json!("X25519")),
            ("crv", json!("Ed448")),
            ("x", json!("AAAA")),
            ("x", json!("?")),
            ("kty", json!("oct")),
        ] {
            assert!(with(name, value.clone()).is_none(), "{name} {value}");
        }
        for key in [
            json!({"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldC0", "alg": "HS256"}),
            json!({"kty": "RSA", "n": "AQAB", "e": "AQAB"}),
            json!({"kty": "EC", "crv": "P-256", "x": "AQAB", "y": "AQAB"}),
            json!({"kty": "EC", "crv": "P-384", "x": X, "y": X}),
            json!({}),
            json!(7),
        ] {
            assert!(usable(key.clone()).is_none(), "{key}");
        }
    }

    #[tokio::test]
    async fn keys_are_fetched_in_safety_only() {
        for url in [
            "http://example.com/keys",
            "ftp://localhost/keys",
            "file:///keys",
            "http://127.0.0.1.example.com/",
            "keys",
        ] {
            assert!(matches!(KeySet::of_url(url).await, Err(SetupError::Url)), "{url}");
        }
        // Nothing listens there; the keys may come later.
        assert!(!KeySet::of_url("http://[::1]:9/keys").await.unwrap().is_ready());
    }
}
