//! The integrator's own users, who come with his tokens (JWT, RFC 7519).

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::keys::KeySet;
use super::{AuthError, SetupError};
use crate::codec::wire;
use crate::config::Config;
use crate::store::Millis;

/// The least length of a shared secret, in bytes (RFC 7518, 3.2).
const LEAST_SECRET: usize = 32;

/// The longest token that is looked at, in bytes.
const LONGEST_TOKEN: usize = 8 * 1024;

/// How the integrator's tokens are judged.
pub(super) struct Accounts {
    secret: Option<DecodingKey>,
    pub(super) keys: Option<KeySet>,
    validation: Validation,
    id_claim: String,
    name_claim: String,
    locale_claim: String,
}

/// What a token says of its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    /// The account's id at the integrator.
    pub(super) id: String,
    /// The name, as the integrator writes it.
    pub(super) name: Option<String>,
    /// A language tag.
    pub(super) locale: Option<String>,
    /// When the token was issued, if it says so.
    pub(super) issued_at: Option<Millis>,
    /// When it ends, leeway included.
    pub(super) expires_at: Millis,
}

impl Accounts {
    /// As configured; `None` if the integrator's tokens aren't to be taken.
    pub(super) async fn open(config: &Config) -> Result<Option<Self>, SetupError> {
        let secret = match (&config.jwt_secret, &config.jwt_secret_file) {
            (Some(_), Some(_)) => {
                return Err(SetupError::Both { one: "jwt_secret", other: "jwt_secret_file" });
            }
            (Some(secret), None) => Some(secret.reveal().as_bytes().to_vec()),
            (None, Some(path)) => {
                let read = std::fs::read(path);
                let secret = read.map_err(|source| SetupError::File { path: path.clone(), source })?;
                // An editor ends the last line.
                Some(secret.trim_ascii_end().to_vec())
            }
            (None, None) => None,
        };
        let keys = match (&config.jwt_jwks_file, &config.jwt_jwks_url) {
            (Some(_), Some(_)) => {
                return Err(SetupError::Both { one: "jwt_jwks_file", other: "jwt_jwks_url" });
            }
            (Some(path), None) => Some(KeySet::of_file(path.clone()).await?),
            (None, Some(url)) => Some(KeySet::of_url(url).await?),
            (None, None) => None,
        };
        if keys.is_some() && config.jwt_issuer.is_none() && config.jwt_audience.is_none() {
            return Err(SetupError::Unbound);
        }
        let secret = match secret {
            Some(secret) if secret.len() < LEAST_SECRET => {
                return Err(SetupError::ShortSecret(secret.len()));
            }
            // It is long enough to be a key.
            Some(secret) => DecodingKey::from_secret(&secret).ok(),
            None => None,
        };
        if secret.is_none() && keys.is_none() {
            return Ok(None);
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = config.jwt_leeway_seconds;
        validation.validate_nbf = true;
        let mut required = vec!["exp"];
        // What is demanded has to be there: the library judges only claims that are.
        if let Some(issuer) = &config.jwt_issuer {
            validation.set_issuer(&[issuer]);
            required.push("iss");
        }
        match &config.jwt_audience {
            Some(audience) => {
                validation.set_audience(&[audience]);
                required.push("aud");
            }
            None => validation.validate_aud = false,
        }
        validation.set_required_spec_claims(&required);
        Ok(Some(Self {
            secret,
            keys,
            validation,
            id_claim: config.jwt_id_claim.clone(),
            name_claim: config.jwt_name_claim.clone(),
            locale_claim: config.jwt_locale_claim.clone(),
        }))
    }

    /// What a token says, if it counts. That it has expired is told only of a token that was good.
    pub(super) async fn verify(&self, token: &str) -> Result<Account, AuthError> {
        if token.len() > LONGEST_TOKEN {
            return Err(AuthError::Unknown);
        }
        // `none` isn't an algorithm to the library.
        let header = decode_header(token).map_err(|_| AuthError::Unknown)?;
        let candidates = self.candidates(header.alg, header.kid.as_deref()).await?;
        let mut validation = self.validation.clone();
        // The algorithm is the key's: `candidates` has found none by another.
        validation.algorithms = vec![header.alg];
        for key in candidates {
            match decode::<Map<String, Value>>(token, &key, &validation) {
                Ok(token) => return self.account(&token.claims).ok_or(AuthError::Unknown),
                Err(error) if matches!(error.kind(), ErrorKind::ExpiredSignature) => {
                    return Err(AuthError::Expired);
                }
                Err(_) => {}
            }
        }
        Err(AuthError::Unknown)
    }

    async fn candidates(
        &self,
        algorithm: Algorithm,
        id: Option<&str>,
    ) -> Result<Vec<DecodingKey>, AuthError> {
        match (algorithm, &self.secret, &self.keys) {
            (Algorithm::HS256, Some(secret), _) => Ok(vec![secret.clone()]),
            (Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA, _, Some(keys)) => {
                let candidates = keys.candidates(algorithm, id).await;
                if candidates.is_empty() && !keys.is_ready() {
                    Err(AuthError::NoKeys)
                } else {
                    Ok(candidates)
                }
            }
            _ => Err(AuthError::Unknown),
        }
    }

    fn account(&self, claims: &Map<String, Value>) -> Option<Account> {
        let text = |claim: &str| claims.get(claim).and_then(Value::as_str).filter(|text| !text.is_empty());
        let id = match claims.get(&self.id_claim)? {
            Value::String(id) => id.clone(),
            Value::Number(id) if id.is_i64() || id.is_u64() => id.to_string(),
            _ => return None,
        };
        if !wire::is_account_id(&id) {
            return None;
        }
        // Not every issuer writes whole seconds.
        let seconds = |claim: &str| claims.get(claim).and_then(Value::as_f64);
        let expires_at = seconds("exp")? + self.validation.leeway as f64;
        Some(Account {
            id,
            name: text(&self.name_claim).map(str::to_owned),
            locale: text(&self.locale_claim).filter(|locale| wire::is_locale(locale)).map(str::to_owned),
            // What is too large for the type is as good as its largest.
            issued_at: seconds("iat").map(|iat| Millis((iat * 1000.0) as i64)),
            expires_at: Millis((expires_at * 1000.0) as i64),
        })
    }
}
