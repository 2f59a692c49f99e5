//! Failures as `google.rpc.Status`.

use prost::Message;
use prost_types::Any;
use tonic::Status;

use super::{ApiError, DOMAIN, Violation};
use crate::proto::rpc::{BadRequest, ErrorInfo, RetryInfo, bad_request};

impl From<&ApiError> for Status {
    fn from(error: &ApiError) -> Self {
        let code = error.reason.code();
        let status = crate::proto::rpc::Status {
            code: code.into(),
            message: error.message.clone(),
            details: details(error),
        };
        Self::with_details(code, status.message.clone(), status.encode_to_vec().into())
    }
}

impl From<ApiError> for Status {
    /// The cause stays on the status as its source; it isn't sent.
    fn from(mut error: ApiError) -> Self {
        let mut status = Self::from(&error);
        if let Some(cause) = error.cause.take() {
            status.set_source(cause);
        }
        status
    }
}

fn details(error: &ApiError) -> Vec<Any> {
    let info = ErrorInfo {
        reason: error.reason.name().to_owned(),
        domain: DOMAIN.to_owned(),
        metadata: error.metadata.clone(),
    };
    let mut details = vec![any("ErrorInfo", &info)];
    if !error.violations.is_empty() {
        let violation = |violation: &Violation| bad_request::FieldViolation {
            field: violation.field.clone(),
            description: violation.description.clone(),
            ..Default::default()
        };
        let field_violations = error.violations.iter().map(violation).collect();
        details.push(any("BadRequest", &BadRequest { field_violations }));
    }
    if let Some(delay) = error.retry_after {
        // A delay too long for the type is as good as its longest.
        let retry_delay = delay.try_into().unwrap_or(prost_types::Duration { seconds: i64::MAX, nanos: 0 });
        details.push(any("RetryInfo", &RetryInfo { retry_delay: Some(retry_delay) }));
    }
    details
}

pub(super) fn any(name: &str, detail: &impl Message) -> Any {
    Any { type_url: format!("type.googleapis.com/google.rpc.{name}"), value: detail.encode_to_vec() }
}
