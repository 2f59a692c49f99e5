//! gRPC statuses as HTTP statuses and JSON.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::StatusCode;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::{Value as Json, json};
use tonic::{Code, Status};

/// The HTTP status of a gRPC code, by the table in `google/rpc/code.proto`.
pub fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        // "Client closed request": not registered, but what the table says.
        Code::Cancelled => StatusCode::from_u16(499).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Unknown | Code::Internal | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The name of a gRPC code in `google/rpc/code.proto`, such as `NOT_FOUND`.
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

/// An error answer: `{"error": {"code", "status", "message", "details"}}`.
pub(crate) fn error_json(http: StatusCode, code: Code, message: &str, details: Vec<Json>) -> Json {
    json!({"error": {
        "code": http.as_u16(),
        "status": code_name(code),
        "message": message,
        "details": details,
    }})
}

/// Writes the typed details of statuses.
#[derive(Debug)]
pub(crate) struct Details {
    /// `google.protobuf.Any`, with whose pool the types of details are looked up.
    any: Option<MessageDescriptor>,
}

impl Details {
    pub(crate) fn new(pool: &DescriptorPool) -> Self {
        Self { any: pool.get_message_by_name("google.protobuf.Any") }
    }

    /// The details of a status, each with its `@type`. One whose type isn't in the pool has its bytes as
    /// base64 in `value`.
    pub(crate) fn of(&self, status: &Status) -> Vec<Json> {
        let Ok(whole) = tonic_types::pb::Status::decode(status.details()) else { return Vec::new() };
        whole
            .details
            .iter()
            .map(|any| {
                let typed = self.any.as_ref().and_then(|descriptor| {
                    let mut message = DynamicMessage::new(descriptor.clone());
                    message.transcode_from(any).ok()?;
                    serde_json::to_value(&message).ok()
                });
                typed.unwrap_or_else(
                    || json!({"@type": any.type_url, "value": BASE64_STANDARD.encode(&any.value)}),
                )
            })
            .collect()
    }

    /// `google.rpc.Status` as JSON, for the end of an event stream.
    pub(crate) fn status_json(&self, status: &Status) -> Json {
        json!({"code": status.code() as i32, "message": status.message(), "details": self.of(status)})
    }
}
