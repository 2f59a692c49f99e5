//! Requests that aren't answered with a message.

use std::fmt;

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde_json::{Value as Json, json};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    answer,
    options::Options,
    status::{self, Details},
    violation::Violation,
};

/// Why the transcoder refuses a request itself, without calling the service: the `reason` of the
/// `google.rpc.ErrorInfo` in its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// `NO_SUCH_ROUTE`: no method has this path. NOT_FOUND, 404.
    NoSuchRoute,
    /// `METHOD_NOT_ALLOWED`: the path doesn't take this HTTP method; `Allow` lists those it takes.
    /// UNIMPLEMENTED, 405.
    MethodNotAllowed,
    /// `BODY_TOO_LARGE`: the body is larger than [`Options::max_body_bytes`]. INVALID_ARGUMENT, 413.
    BodyTooLarge,
    /// `UNSUPPORTED_MEDIA_TYPE`: the body isn't declared as plain JSON. INVALID_ARGUMENT, 415.
    UnsupportedMediaType,
    /// `MALFORMED_REQUEST`: the path, query, headers or body can't be read as the method's request; a
    /// `google.rpc.BadRequest` says which field. INVALID_ARGUMENT, 400.
    MalformedRequest,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 5] = [
        Self::NoSuchRoute,
        Self::MethodNotAllowed,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::MalformedRequest,
    ];

    /// The reason as it is sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoSuchRoute => "NO_SUCH_ROUTE",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::BodyTooLarge => "BODY_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::MalformedRequest => "MALFORMED_REQUEST",
        }
    }

    /// The gRPC code that is sent with it.
    pub fn code(self) -> Code {
        match self {
            Self::NoSuchRoute => Code::NotFound,
            Self::MethodNotAllowed => Code::Unimplemented,
            Self::BodyTooLarge | Self::UnsupportedMediaType | Self::MalformedRequest => Code::InvalidArgument,
        }
    }

    /// The HTTP status that is sent with it.
    pub fn http_status(self) -> StatusCode {
        match self {
            Self::NoSuchRoute => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::MalformedRequest => StatusCode::BAD_REQUEST,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A request that gets no message.
#[derive(Debug)]
pub(crate) enum Refusal {
    NoSuchRoute,
    OtherMethods(Vec<Method>),
    BodyTooLarge,
    NotJson,
    Malformed(Vec<Violation>),
    /// The service's own refusal.
    Status(Box<Status>),
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(status))
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::Malformed(vec![violation])
    }
}

impl Refusal {
    /// The answer to send.
    pub(crate) fn into_response(self, asked: &HeaderMap, options: &Options, details: &Details) -> Response {
        let own = |reason, message: &str, detail| own(reason, message, detail, asked, options);
        match self {
            Self::Status(status) => from_status(&status, options, details),
            Self::NoSuchRoute => own(Reason::NoSuchRoute, "there is nothing at this path", None),
            Self::OtherMethods(methods) => {
                let message = "this path doesn't take this method";
                let mut response = own(Reason::MethodNotAllowed, message, None);
                answer::set_allow(&mut response, &methods);
                response
            }
            Self::BodyTooLarge => {
                let message = format!("the body is larger than {} bytes", options.max_body_bytes);
                let mut response = own(Reason::BodyTooLarge, &message, None);
                // The rest of the body isn't read, so no other request can follow on an HTTP/1 connection: a
                // client that isn't told so would send its next one into the closing connection.
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                response
            }
            Self::NotJson => {
                let message =
                    "the body has to be JSON: UTF-8, not compressed, `content-type: application/json`";
                let mut response = own(Reason::UnsupportedMediaType, message, None);
                response.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("application/json"));
                response
            }
            Self::Malformed(violations) => {
                let message = match violations.as_slice() {
                    [one] => format!("{}: {}", one.field, one.description),
                    _ => "the request is malformed".to_owned(),
                };
                let fields: Vec<Json> = violations
                    .iter()
                    .map(|v| json!({"field": v.field, "description": v.description}))
                    .collect();
                let bad_request =
                    json!({"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": fields});
                own(Reason::MalformedRequest, &message, Some(bad_request))
            }
        }
    }
}

fn own(
    reason: Reason,
    message: &str,
    detail: Option<Json>,
    asked: &HeaderMap,
    options: &Options,
) -> Response {
    let info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason.as_str(),
        "domain": options.error_domain,
    });
    let localized = options.localize.and_then(|localize| localize(reason, asked)).map(|text| {
        json!({
            "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
            "locale": text.locale,
            "message": text.message,
        })
    });
    let details = std::iter::once(info).chain(detail).chain(localized).collect();
    let http = reason.http_status();
    answer::json(http, status::error_json(http, reason.code(), message, details).to_string())
}

fn from_status(grpc: &Status, options: &Options, details: &Details) -> Response {
    let http = status::http_status(grpc.code());
    let body = status::error_json(http, grpc.code(), grpc.message(), details.of(grpc)).to_string();
    let mut response: Response<Body> = answer::json(http, body);
    answer::copy_headers(grpc.metadata().as_ref(), response.headers_mut(), &options.answer_headers);
    if http == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(delay) = grpc.get_details_retry_info().and_then(|info| info.retry_delay) {
        // The header has whole seconds, and 0 would invite a loop.
        let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
        response.headers_mut().insert(header::RETRY_AFTER, seconds.max(1).into());
    }
    response
}
