//! Calls of the service, by REST: through whatever stands in front of it.

use std::fmt::Display;
use std::time::Duration;

use prost::Message;
use reqwest::{RequestBuilder, Url};
use serde_json::Value as Json;

use crate::codec::json::{self, JsonError};
use crate::proto::v1;

/// How long a call may take: a ban leaves many games.
const PATIENCE: Duration = Duration::from_secs(60);

/// The largest page of a list.
const PAGE: usize = 100;

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The service can't be reached, or its answer broke off.
    #[error("can't reach the service")]
    Unreachable(#[source] reqwest::Error),
    /// The service's address has no path that could be added to.
    #[error("{0} is no service's address")]
    Address(Url),
    /// The service refuses.
    #[error("{}{message}", reason.as_ref().map(|reason| format!("{reason}: ")).unwrap_or_default())]
    Refused {
        /// The reason's name, if the service gave one.
        reason: Option<String>,
        /// What it says.
        message: String,
    },
    /// The answer isn't what this version of the program knows.
    #[error("the service's answer can't be read")]
    Answer(#[from] JsonError),
}

/// Fields of a request, in a URL.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Vec<(&'static str, String)>);

impl Fields {
    /// Adds a field that is given.
    pub(super) fn add(&mut self, name: &'static str, value: Option<&impl Display>) -> &mut Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }
}

/// A message of the API that is told.
pub(super) trait Told: Message + Default {
    /// Its full name.
    const NAME: &'static str;
}

macro_rules! told {
    ($($message:ident)+) => { $(
        impl Told for v1::$message {
            const NAME: &'static str = concat!("remik.v1.", stringify!($message));
        }
    )+ };
}

told! {
    FindGamesResponse AdminGame InspectGameResponse InspectMovesResponse GameMove EndGameResponse VoidGameResponse
    FindPlayersResponse AdminPlayer BanPlayerResponse LiftBanResponse SignOutPlayerResponse RevokeKeyResponse
    ListAuditEntriesResponse AuditEntry
}

/// A page of a list.
pub(super) trait Page: Told {
    /// A line of it.
    type Item;

    /// Its lines, and where the next page begins; empty after the last.
    fn split(self) -> (Vec<Self::Item>, String);
}

macro_rules! pages {
    ($($page:ident: $items:ident of $item:ident;)+) => { $(
        impl Page for v1::$page {
            type Item = v1::$item;

            fn split(self) -> (Vec<v1::$item>, String) {
                (self.$items, self.next_page_token)
            }
        }
    )+ };
}

pages! {
    FindGamesResponse: games of AdminGame;
    FindPlayersResponse: players of AdminPlayer;
    ListAuditEntriesResponse: entries of AuditEntry;
}

/// A service, and a key for it.
pub(super) struct Client {
    http: reqwest::Client,
    server: Url,
    key: String,
}

impl Client {
    pub(super) fn new(server: Url, key: String) -> Result<Self, ClientError> {
        // It is there already if somebody else has been here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().timeout(PATIENCE).build().map_err(ClientError::Unreachable)?;
        Ok(Self { http, server, key })
    }

    fn url(&self, path: &str, fields: &Fields) -> Result<Url, ClientError> {
        let mut url = self.server.clone();
        let wrong = || ClientError::Address(self.server.clone());
        url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().push("v1").extend(path.split('/'));
        if !fields.0.is_empty() {
            url.query_pairs_mut().extend_pairs(&fields.0);
        }
        Ok(url)
    }

    pub(super) async fn get<M: Told>(&self, path: &str, fields: &Fields) -> Result<M, ClientError> {
        self.send(self.http.get(self.url(path, fields)?)).await
    }

    pub(super) async fn post<M: Told>(&self, path: &str, body: Json) -> Result<M, ClientError> {
        self.send(self.http.post(self.url(path, &Fields::default())?).json(&body)).await
    }

    /// The lines of a list, at most `limit` of them.
    pub(super) async fn pages<P: Page>(
        &self,
        path: &str,
        fields: Fields,
        limit: usize,
    ) -> Result<Vec<P::Item>, ClientError> {
        let (mut items, mut token) = (Vec::new(), String::new());
        while items.len() < limit {
            let mut asked = fields.clone();
            asked.add("pageSize", Some(&PAGE.min(limit - items.len()))).add("pageToken", Some(&token));
            let (more, next) = self.get::<P>(path, &asked).await?.split();
            items.extend(more);
            token = next;
            if token.is_empty() {
                break;
            }
        }
        Ok(items)
    }

    async fn send<M: Told>(&self, request: RequestBuilder) -> Result<M, ClientError> {
        let response = request.bearer_auth(&self.key).send().await;
        let response = response.map_err(|error| ClientError::Unreachable(error.without_url()))?;
        let status = response.status();
        let text = response.text().await.map_err(|error| ClientError::Unreachable(error.without_url()))?;
        if status.is_success() { Ok(json::decode(M::NAME, &text)?) } else { Err(refusal(status, &text)) }
    }
}

/// What a refusal's body tells.
fn refusal(status: reqwest::StatusCode, text: &str) -> ClientError {
    let body: Json = serde_json::from_str(text).unwrap_or_default();
    let error = if body["error"].is_object() { &body["error"] } else { &body };
    let details = error["details"].as_array().into_iter().flatten();
    let reason = details.filter_map(|detail| detail["reason"].as_str()).next().map(str::to_owned);
    let message = error["message"].as_str().map_or_else(|| status.to_string(), str::to_owned);
    ClientError::Refused { reason, message }
}
