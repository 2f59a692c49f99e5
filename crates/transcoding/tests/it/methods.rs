//! HTTP methods.

use crate::server::Server;

#[tokio::test]
async fn another_method_is_told_which_ones_there_are() {
    let server = Server::start().await;
    let cases = [
        ("DELETE", "/v1/books/a", "GET, HEAD, OPTIONS, PATCH"),
        ("PUT", "/v1/books", "GET, HEAD, OPTIONS, POST"),
        ("GET", "/v1/books/a:lend", "OPTIONS, POST"),
        ("POST", "/v1/counters/a:watch", "GET, OPTIONS"),
        // A stream has no head without its body.
        ("HEAD", "/v1/counters/a:watch", "GET, OPTIONS"),
        ("BREW", "/v1/tags", "OPTIONS, PUT"),
    ];
    for (method, path, allow) in cases {
        let answer = server.send(server.request(method, path)).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{method} {path}");
        if method != "HEAD" {
            assert_eq!(answer.reason(), "METHOD_NOT_ALLOWED");
        }
    }
}

#[tokio::test]
async fn options_lists_the_methods() {
    let server = Server::start().await;
    let answer = server.send(server.request("OPTIONS", "/v1/books")).await;
    assert_eq!((answer.status, answer.header("allow")), (204, Some("GET, HEAD, OPTIONS, POST")));
    assert_eq!(answer.text, "");
    assert_eq!(server.send(server.request("OPTIONS", "/nothing")).await.status, 404);
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let server = Server::start().await;
    for path in ["/v1/books/a", "/v1/books?min_pages=x", "/nothing"] {
        let (get, head) = (server.get(path).await, server.send(server.request("HEAD", path)).await);
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.text, "", "{path}");
        for name in ["content-type", "content-length", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn a_custom_pattern_takes_every_method() {
    let server = Server::start().await;
    for method in ["GET", "POST", "DELETE", "BREW"] {
        let answer = server.send(server.request(method, "/v1/any/a:raw")).await;
        assert_eq!(answer.json()["path"], "a", "{method}");
    }
}
