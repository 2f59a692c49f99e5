//! Settings of a transcoder.

use std::time::Duration;

use http::{HeaderMap, HeaderName, header};

use crate::refusal::Reason;

/// Settings of a [`Transcoder`](crate::Transcoder).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The `domain` of the `google.rpc.ErrorInfo` in refusals that the transcoder makes itself.
    pub error_domain: String,
    /// The largest request body that is read, in bytes. Default: 64 KiB.
    pub max_body_bytes: usize,
    /// Methods that read larger bodies, by their full names (`package.Service/Method`), with the most bytes.
    /// Default: none.
    pub larger_bodies: Vec<(String, usize)>,
    /// How long an event stream stays silent before a comment is sent, so that proxies keep it open.
    /// Default: 15 s.
    pub keep_alive: Duration,
    /// How long the answer to a streaming call waits for its first message. A call that is refused within
    /// this time is answered with an error status; later, the error ends a stream that began with 200.
    /// Default: 500 ms.
    pub first_message_wait: Duration,
    /// The request headers that are handed to the gRPC service as metadata.
    pub request_headers: Vec<HeaderName>,
    /// The metadata of an answer or error that is handed to the client as headers.
    pub answer_headers: Vec<HeaderName>,
    /// What users are told of a refusal that the transcoder makes itself, from the headers of the request: a
    /// `google.rpc.LocalizedMessage` in the answer. Default: none.
    pub localize: Option<fn(Reason, &HeaderMap) -> Option<Localized>>,
}

/// A text for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Localized {
    /// Its language, such as `pl`.
    pub locale: &'static str,
    /// The text.
    pub message: String,
}

impl Options {
    /// The defaults, with the domain of the transcoder's own errors.
    pub fn new(error_domain: impl Into<String>) -> Self {
        Self {
            error_domain: error_domain.into(),
            max_body_bytes: 64 * 1024,
            larger_bodies: Vec::new(),
            keep_alive: Duration::from_secs(15),
            first_message_wait: Duration::from_millis(500),
            request_headers: vec![
                header::AUTHORIZATION,
                header::ACCEPT_LANGUAGE,
                header::USER_AGENT,
                header::FORWARDED,
                HeaderName::from_static("x-forwarded-for"),
                HeaderName::from_static("x-forwarded-proto"),
                HeaderName::from_static("x-request-id"),
                HeaderName::from_static("traceparent"),
                HeaderName::from_static("tracestate"),
            ],
            answer_headers: vec![
                header::CACHE_CONTROL,
                header::CONTENT_LANGUAGE,
                header::RETRY_AFTER,
                HeaderName::from_static("x-request-id"),
            ],
            localize: None,
        }
    }
}
