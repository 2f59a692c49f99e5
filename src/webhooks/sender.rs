//! One attempt at a delivery.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use super::WebhookSettings;
use super::target::{self, Guard, UrlFault};
use crate::config::Networks;
use crate::proto::v1::WebhookFailure;

/// How much of an answer is read, so that the connection can be used again.
const MOST_BYTES: usize = 16 * 1024;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// Posts to webhooks.
pub(super) struct Sender {
    secure: Client,
    open: Client,
    allowed: Networks,
}

/// What a receiver has said to a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    /// Why the attempt failed; `None` if it hasn't.
    pub(super) failure: Option<WebhookFailure>,
    /// The status of the answer; 0 if there was none.
    pub(super) status: u16,
}

impl Said {
    const fn nothing(failure: WebhookFailure) -> Self {
        Self { failure: Some(failure), status: 0 }
    }
}

impl Sender {
    /// # Errors
    /// The HTTP client can't be set up.
    pub(super) fn new(settings: &WebhookSettings) -> reqwest::Result<Self> {
        // It is there already if somebody else has been here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = |secure| {
            Client::builder()
                .user_agent(concat!("remik/", env!("CARGO_PKG_VERSION")))
                .timeout(settings.timeout)
                .connect_timeout(CONNECT.min(settings.timeout))
                // What was looked at is all that is called: no other place that an answer names, and no proxy that
                // the environment names.
                .redirect(Policy::none())
                .no_proxy()
                .dns_resolver(Guard::new(settings.allowed.clone(), secure))
                .https_only(secure)
                .build()
        };
        Ok(Self { secure: client(true)?, open: client(false)?, allowed: settings.allowed.clone() })
    }

    /// Posts a body, within the timeout.
    pub(super) async fn post(&self, url: &str, headers: &[(&'static str, String)], body: String) -> Said {
        // What is allowed may have been configured otherwise since the webhook was made.
        let url: Url = match target::read(url, &self.allowed) {
            Ok(url) => url,
            Err(UrlFault::Unknown | UrlFault::Malformed) => {
                return Said::nothing(WebhookFailure::Unreachable);
            }
            Err(_) => return Said::nothing(WebhookFailure::AddressRefused),
        };
        let client = if target::is_secure(&url) { &self.secure } else { &self.open };
        let mut request = client.post(url).header("content-type", "application/json").body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        match request.send().await {
            Ok(response) => {
                let status = response.status();
                read_some(response).await;
                let failure = (!status.is_success()).then_some(WebhookFailure::Status);
                Said { failure, status: status.as_u16() }
            }
            Err(error) if target::is_refusal(&error) => Said::nothing(WebhookFailure::AddressRefused),
            Err(error) if error.is_timeout() => Said::nothing(WebhookFailure::TimedOut),
            Err(error) if error.is_connect() => Said::nothing(WebhookFailure::Unreachable),
            Err(_) => Said::nothing(WebhookFailure::BrokenOff),
        }
    }
}

/// The status says all; what else is answered is read only as far as it is short, and nothing is kept.
async fn read_some(mut response: reqwest::Response) {
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read > MOST_BYTES {
            return;
        }
    }
}
