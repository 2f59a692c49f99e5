//! Which of several matching templates takes a request.

use std::convert::Infallible;

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt as _;
use remik_transcoding::{Options, Transcoder};
use serde_json::Value as Json;

use crate::config::{compile, rules};

/// Answers every call with the path that it was called by.
async fn tell(call: Request<tonic::body::Body>) -> Result<http::Response<tonic::body::Body>, Infallible> {
    Ok(tonic::Status::not_found(call.uri().path()).into_http())
}

#[tokio::test]
async fn the_most_specific_template_wins() {
    let pool = compile(&rules(&[
        r#"get: "/a/{id}""#,
        r#"get: "/a/b""#,
        r#"get: "/a/{id=**}""#,
        r#"post: "/a/{id}" body: "*""#,
        r#"get: "/a/{id}:v""#,
        r#"get: "/*/b/{id}""#,
        r#"get: "/a/{id}/c""#,
        r#"custom { kind: "*" path: "/a/b" }"#,
        r#"get: "/a/{id}/{other_id}""#,
    ]));
    let transcoder = Transcoder::new(pool, tower::service_fn(tell), Options::new("t")).unwrap();
    let cases = [
        ("GET", "/a/x", "A"),
        ("GET", "/a/b", "B"),
        ("HEAD", "/a/b", "B"),
        ("GET", "/a", "C"),
        ("GET", "/a/x/y/z", "C"),
        ("POST", "/a/x", "D"),
        // The method is for all methods, but the less specific template names this one.
        ("POST", "/a/b", "D"),
        ("DELETE", "/a/b", "H"),
        ("GET", "/a/x:v", "E"),
        ("GET", "/a/b:v", "E"),
        ("GET", "/x/b/c", "F"),
        // Segments count from the left: `a` wins over `*` before `b` is looked at.
        ("GET", "/a/b/c", "G"),
        ("GET", "/a/b/d", "I"),
    ];
    for (method, path, name) in cases {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        let answer = transcoder.clone().handle(request).await;
        assert_eq!(answer.status(), 404, "{method} {path}");
        if method != "HEAD" {
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            let json: Json = serde_json::from_slice(&body).unwrap();
            assert_eq!(json["error"]["message"], format!("/t.S/{name}"), "{method} {path}");
        }
    }
}
