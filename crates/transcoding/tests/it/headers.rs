//! Headers that travel in either direction.

use std::collections::BTreeSet;

use remik_transcoding::Options;

use crate::server::Server;

#[tokio::test]
async fn listed_request_headers_become_metadata() {
    let server = Server::start().await;
    let request = server
        .request("GET", "/v1/books/a")
        .header("authorization", "Bearer x")
        .header("accept-language", "pl")
        .header("x-forwarded-for", "192.0.2.1")
        .header("cookie", "secret")
        .header("x-other", "no")
        .header("grpc-timeout", "5S")
        .header("grpc-encoding", "gzip")
        .header("content-type", "text/plain")
        .header("te", "gzip");
    let answer = server.send(request).await;
    let metadata = answer.json()["metadata"].clone();
    let names: BTreeSet<&str> = metadata.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["accept-language", "authorization", "content-type", "grpc-timeout", "te", "x-forwarded-for"];
    assert_eq!(names.into_iter().filter(|n| *n != "user-agent").collect::<Vec<_>>(), expected);
    assert_eq!(metadata["authorization"], "Bearer x");
    assert_eq!(metadata["content-type"], "application/grpc");
    assert_eq!(metadata["te"], "trailers");
}

#[tokio::test]
async fn the_lists_can_be_changed() {
    let mut options = Options::new("testing");
    options.request_headers.push("x-other".parse().unwrap());
    options.answer_headers.push("x-internal".parse().unwrap());
    let server = Server::with(options).await;
    let answer = server.send(server.request("GET", "/v1/books/a").header("x-other", "yes")).await;
    assert_eq!(answer.json()["metadata"]["x-other"], "yes");
    assert_eq!(answer.header("x-internal"), Some("secret"));
}

#[tokio::test]
async fn listed_metadata_becomes_answer_headers() {
    let server = Server::start().await;
    let answer = server.get("/v1/books/a").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-request-id"), Some("from the service"));
    assert_eq!(answer.header("x-internal"), None);
    assert_eq!(answer.header("grpc-status"), None);

    let answer = server.json("POST", "/v1/failures/5", "{}").await;
    assert_eq!(answer.header("retry-after"), Some("99"));
    assert_eq!(answer.header("x-internal"), None);
}
