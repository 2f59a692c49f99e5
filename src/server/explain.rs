//! Calls that tonic refuses before the service has seen them, and calls in which the service panics: explained like
//! all others.

use std::any::Any;

use axum::response::Response;
use tonic::Status;

use crate::error::{ApiError, Reason};

/// Puts a refusal of the service's own in the place of one of tonic's.
pub(super) async fn explain(response: Response) -> Response {
    let headers = response.headers();
    if headers.contains_key("grpc-status-details-bin") {
        return response;
    }
    match Status::from_header_map(headers).as_ref().and_then(ApiError::of_tonic) {
        Some(error) => Status::from(error).into_http(),
        None => response,
    }
}

/// The answer to a call in which the service panicked. The panic's own hook has written where.
pub(super) fn panicked(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a call panicked");
    Status::from(ApiError::new(Reason::Internal, "a fault of the service")).into_http()
}
