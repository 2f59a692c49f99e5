//! What every answer passes on its way out: compression, and what browsers are told of other origins.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, Method, header};
use tower::ServiceExt;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};

use crate::config::Origins;

/// Smaller answers, in bytes, gain nothing from compression.
const SMALL: u64 = 1024;

/// How long a browser may remember what it was told; the longest that browsers keep to.
const REMEMBERED: Duration = Duration::from_secs(7200);

/// The answers' headers that pages of other origins may read besides those that they always may.
const EXPOSED: [HeaderName; 8] = [
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
    HeaderName::from_static("x-request-id"),
    header::RETRY_AFTER,
    header::ALLOW,
    header::ETAG,
    header::WWW_AUTHENTICATE,
];

/// Answers by gzip to clients that take it; streams, whose items would be held back, and gRPC, which has a
/// compression of its own, stay as they are.
pub(super) fn compressed(router: Router) -> Router {
    let predicate = SizeAbove::new(SMALL)
        .and(NotForContentType::GRPC)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new("application/x-ndjson"));
    router.layer(CompressionLayer::new().compress_when(predicate))
}

/// Lets pages of these origins call. Every header is allowed: the service takes no cookies, so a page can send
/// nothing in its visitor's name that it doesn't know itself.
pub(super) fn shared(router: Router, origins: &Origins) -> Router {
    if origins.is_empty() {
        return router;
    }
    let allowed =
        if origins.is_any() { AllowOrigin::any() } else { AllowOrigin::list(origins.header_values()) };
    let cors = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(EXPOSED)
        .max_age(REMEMBERED);
    let shared = router.clone().layer(cors);
    // The layer would answer every OPTIONS, also one that asks which methods there are.
    Router::new().fallback(move |request: Request| {
        let asks = request.method() == Method::OPTIONS
            && !request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let router = if asks { router.clone() } else { shared.clone() };
        router.oneshot(request)
    })
}
