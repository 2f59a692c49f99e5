//! Answers with a whole body, and their headers.

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

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
