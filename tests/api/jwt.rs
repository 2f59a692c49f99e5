//! The integrator: his keys, the tokens that he signs, and a server of his for the public keys.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value as Json, json};

pub(crate) const ISSUER: &str = "https://accounts.example.com";
pub(crate) const AUDIENCE: &str = "remik";
pub(crate) const RSA_ONE: &[u8] = include_bytes!("pem/rsa_one.pem");
pub(crate) const RSA_TWO: &[u8] = include_bytes!("pem/rsa_two.pem");

/// A key that signs.
pub(crate) struct Signer {
    key: EncodingKey,
    algorithm: Algorithm,
    id: Option<String>,
}

impl Signer {
    pub(crate) fn secret(secret: &[u8]) -> Self {
        Self { key: EncodingKey::from_secret(secret).unwrap(), algorithm: Algorithm::HS256, id: None }
    }

    pub(crate) fn rsa(pem: &[u8], id: &str) -> Self {
        let key = EncodingKey::from_rsa_pem(pem).unwrap();
        Self { key, algorithm: Algorithm::RS256, id: Some(id.to_owned()) }
    }

    pub(crate) fn p256(id: &str) -> Self {
        let key = EncodingKey::from_ec_pem(include_bytes!("pem/p256.pem")).unwrap();
        Self { key, algorithm: Algorithm::ES256, id: Some(id.to_owned()) }
    }

    pub(crate) fn ed25519(id: &str) -> Self {
        let key = EncodingKey::from_ed_pem(include_bytes!("pem/ed25519.pem")).unwrap();
        Self { key, algorithm: Algorithm::EdDSA, id: Some(id.to_owned()) }
    }

    /// The same key under another name.
    pub(crate) fn named(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    pub(crate) fn sign(&self, claims: &Json) -> String {
        let header = Header { kid: self.id.clone(), ..Header::new(self.algorithm) };
        encode(&header, claims, &self.key).unwrap()
    }

    /// The public half.
    pub(crate) fn jwk(&self) -> Json {
        let mut jwk = Jwk::from_encoding_key(&self.key, self.algorithm).unwrap();
        jwk.common.key_id = self.id.clone();
        serde_json::to_value(jwk).unwrap()
    }
}

/// What a good token says, valid for an hour.
pub(crate) fn claims(account: &str) -> Json {
    json!({
        "sub": account, "iss": ISSUER, "aud": AUDIENCE, "iat": now() - 10, "exp": now() + 3600, "name": "Ala",
    })
}

/// The same with one claim changed; null takes it away.
pub(crate) fn with(mut claims: Json, name: &str, value: Json) -> Json {
    match value {
        Json::Null => drop(claims.as_object_mut().unwrap().remove(name)),
        value => claims[name] = value,
    }
    claims
}

pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64
}

pub(crate) fn jwks(signers: &[&Signer]) -> Json {
    json!({"keys": signers.iter().map(|signer| signer.jwk()).collect::<Vec<_>>()})
}

/// A server of public keys.
pub(crate) struct KeyServer {
    pub(crate) url: String,
    shown: Arc<Mutex<Shown>>,
}

struct Shown {
    status: StatusCode,
    body: String,
    fetches: usize,
}

impl KeyServer {
    pub(crate) async fn start(keys: &Json) -> Self {
        let shown = Shown { status: StatusCode::OK, body: keys.to_string(), fetches: 0 };
        let shown = Arc::new(Mutex::new(shown));
        let answer = |State(shown): State<Arc<Mutex<Shown>>>| async move {
            let mut shown = shown.lock().unwrap();
            shown.fetches += 1;
            (shown.status, shown.body.clone())
        };
        let router = axum::Router::new().route("/keys", get(answer)).with_state(Arc::clone(&shown));
        let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shown }
    }

    pub(crate) fn show(&self, status: u16, body: &str) {
        let mut shown = self.shown.lock().unwrap();
        (shown.status, shown.body) = (StatusCode::from_u16(status).unwrap(), body.to_owned());
    }

    pub(crate) fn fetches(&self) -> usize {
        self.shown.lock().unwrap().fetches
    }
}
