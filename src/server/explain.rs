//! Calls that tonic refuses before the service has seen them, explained like all others.

use axum::response::Response;
use tonic::Status;

use crate::error::ApiError;

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
