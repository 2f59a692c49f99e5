//! The answers of refused requests.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value as Json, json};

use super::describe;

/// A reason for which requests are refused, as the document tells it.
#[derive(Debug, Clone)]
pub struct ErrorReason {
    /// The `reason` of the answer's `google.rpc.ErrorInfo`.
    pub reason: String,
    /// The HTTP status of the answer.
    pub status: StatusCode,
    /// What it means, in CommonMark.
    pub description: String,
    /// The answer tells when to try again.
    pub retry: bool,
    /// For which methods it is.
    pub scope: Scope,
}

/// Which methods may answer with a reason, besides those that list it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// None but those that list it in `remik.transcoding.v1.error_reasons`.
    Listed,
    /// All.
    All,
    /// All that need credentials.
    WithCredentials,
    /// All that take a body.
    WithBody,
}

/// The responses of an operation by HTTP status, for these reasons.
pub(super) fn responses<'r>(reasons: impl Iterator<Item = &'r ErrorReason>) -> BTreeMap<String, Json> {
    let mut by_status: BTreeMap<StatusCode, Vec<&ErrorReason>> = BTreeMap::new();
    for reason in reasons {
        by_status.entry(reason.status).or_default().push(reason);
    }
    by_status
        .into_iter()
        .map(|(status, reasons)| (status.as_str().to_owned(), response(status, &reasons)))
        .collect()
}

fn response(status: StatusCode, reasons: &[&ErrorReason]) -> Json {
    let line =
        |reason: &&ErrorReason| format!("* `{}`: {}", reason.reason, reason.description.replace('\n', " "));
    let mut response = json!({
        "content": {"application/json": {"schema": super::schema::error_reference()}},
        "x-error-reasons": reasons.iter().map(|reason| reason.reason.as_str()).collect::<Vec<_>>(),
    });
    describe(&mut response, &reasons.iter().map(line).collect::<Vec<_>>().join("\n"));
    if status == StatusCode::UNAUTHORIZED {
        let header = json!({"description": "The scheme of the credentials.", "schema": {"type": "string"}});
        response["headers"]["WWW-Authenticate"] = header;
    }
    if reasons.iter().any(|reason| reason.retry) {
        let schema = json!({"type": "integer", "minimum": 1});
        response["headers"]["Retry-After"] =
            json!({"description": "After how many seconds to try again.", "schema": schema});
    }
    response
}
