//! Answers with a whole body, and their headers.

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use crate::entity_tag::EntityTag;

/// What a request says of copies of the answer that its client has.
pub(crate) struct Asked {
    /// The headers with the tags that it knows, for a GET or HEAD.
    known: Option<HeaderMap>,
}

impl Asked {
    pub(crate) fn new(parts: &Parts) -> Self {
        let get = parts.method == Method::GET || parts.method == Method::HEAD;
        let tags = || {
            let values = parts.headers.get_all(header::IF_NONE_MATCH).iter();
            values.map(|value| (header::IF_NONE_MATCH, value.clone())).collect()
        };
        Self { known: get.then(tags) }
    }

    /// The answer with this JSON; 304 if the client has it and the service's metadata allows to keep it.
    pub(crate) fn answered(&self, body: Bytes, metadata: &HeaderMap) -> Response {
        let keep = metadata.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
        let Some(known) = self.known.as_ref().filter(|_| keep.is_some_and(|keep| !keep.contains("no-store")))
        else {
            return json(StatusCode::OK, body);
        };
        let tag = EntityTag::of(&body);
        let mut response = if tag.is_known(known) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            json(StatusCode::OK, body)
        };
        response.headers_mut().insert(header::ETAG, tag.value().clone());
        response
    }
}

/// An answer of JSON. Caches keep none of them unless the service says otherwise.
pub(crate) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The answer to OPTIONS.
pub(crate) fn options(methods: &[Method]) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    set_allow(&mut response, methods);
    response
}

/// The answer to HEAD: what GET would have answered, without its body.
pub(crate) fn without_body(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    if let Some(length) = http_body::Body::size_hint(&body).exact() {
        head.headers.insert(header::CONTENT_LENGTH, length.into());
    }
    Response::from_parts(head, Body::empty())
}

pub(crate) fn set_allow(response: &mut Response, methods: &[Method]) {
    let list = methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
    // Methods are tokens, so this always is a header value.
    if let Ok(value) = HeaderValue::from_str(&list) {
        response.headers_mut().insert(header::ALLOW, value);
    }
}

/// Copies the headers on a list, in place of those that are there.
pub(crate) fn copy_headers(from: &HeaderMap, to: &mut HeaderMap, list: &[HeaderName]) {
    for name in list {
        let mut values = from.get_all(name).iter();
        if let Some(first) = values.next() {
            to.insert(name.clone(), first.clone());
        }
        for more in values {
            to.append(name.clone(), more.clone());
        }
    }
}
