//! What people look at: the start page, the API's documentation, and the OpenAPI document that it is drawn from.

use std::borrow::Cow;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prost_reflect::DescriptorPool;
use remik_transcoding::EntityTag;
use rust_embed::RustEmbed;

use super::document;

/// The pages' files.
#[derive(RustEmbed)]
#[folder = "web/"]
struct Web;

/// Nothing of a page comes from anywhere but the service, and no other page may frame it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// A file that stays the same as long as the service runs.
#[derive(Debug, Clone)]
pub(super) struct Fixed {
    kind: HeaderValue,
    tag: EntityTag,
    bytes: Bytes,
}

impl Fixed {
    fn new(kind: HeaderValue, bytes: Bytes) -> Self {
        Self { kind, tag: EntityTag::of(&bytes), bytes }
    }

    fn embedded(path: &str) -> Option<Self> {
        let file = Web::get(path)?;
        let bytes = match file.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        let kind = match file.metadata.mimetype() {
            text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
            other => other.to_owned(),
        };
        Some(Self::new(HeaderValue::try_from(kind).ok()?, bytes))
    }

    /// The file, or that the client's copy of it is still good.
    pub(super) async fn serve(self, request: Request) -> Response {
        let mut response = if self.tag.is_known(request.headers()) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = Response::new(Body::from(self.bytes));
            response.headers_mut().insert(header::CONTENT_TYPE, self.kind);
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.tag.value().clone());
        // It may be kept, but another version of the service may have another one.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

/// The OpenAPI document of the API.
pub(super) fn document(pool: &DescriptorPool) -> Fixed {
    let document = document::document(pool).to_string();
    Fixed::new(HeaderValue::from_static("application/json"), document.into())
}

/// The pages.
pub(super) fn router() -> Router {
    let page = |path: &'static str| get(move |request| async move { embedded(path, request).await });
    Router::new()
        .route("/", page("index.html"))
        .route("/style.css", page("style.css"))
        .route("/docs", page("docs/index.html"))
        .route("/docs/{file}", get(documentation))
}

/// A file of the documentation.
async fn documentation(Path(file): Path<String>, request: Request) -> Response {
    // A slash that was percent-encoded would lead elsewhere.
    if file.contains('/') {
        StatusCode::NOT_FOUND.into_response()
    } else {
        embedded(&format!("docs/{file}"), request).await
    }
}

async fn embedded(path: &str, request: Request) -> Response {
    match Fixed::embedded(path) {
        Some(file) => file.serve(request).await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
