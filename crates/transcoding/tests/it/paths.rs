//! Path templates, by the rules of `google/api/http.proto`.

use crate::server::Server;

#[tokio::test]
async fn a_single_segment_is_decoded_fully() {
    let server = Server::start().await;
    let cases = [
        ("/v1/books/abc", "abc"),
        ("/v1/books/a%20b", "a b"),
        ("/v1/books/a%2Fb%2fc", "a/b/c"),
        ("/v1/books/%C5%82%C3%B3d%C5%BA", "łódź"),
        ("/v1/books/a%3Alend", "a:lend"),
        ("/v1/books/a+b", "a+b"),
        ("/v1/books/%2525", "%25"),
        ("/v1/books/-._~!$&'()*,;=@", "-._~!$&'()*,;=@"),
        ("/v1/b%6Foks/literals-are-decoded-too", "literals-are-decoded-too"),
        ("/v1/books/*", "*"),
        ("/v1/books/%7Bbook_id%7D", "{book_id}"),
    ];
    for (path, id) in cases {
        let answer = server.get(path).await;
        assert_eq!(answer.json()["request"]["bookId"], id, "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn several_segments_keep_their_slashes_apart() {
    let server = Server::start().await;
    let cases = [
        ("/v1/shelves/a/books/b", "shelves/a/books/b"),
        ("/v1/shelves/a%2Fx/books/b%2f%20y", "shelves/a%2Fx/books/b%2f y"),
    ];
    for (path, name) in cases {
        assert_eq!(server.get(path).await.json()["request"]["name"], name, "{path}");
    }
    let cases = [
        ("/v1/files/a", "a"),
        ("/v1/files/a/b/c.txt", "a/b/c.txt"),
        ("/v1/files/a%2Fb/c%20d", "a%2Fb/c d"),
        ("/v1/files", ""),
        ("/v1/files/", ""),
        ("/v1/files/a/", "a/"),
        ("/v1/files/a:b/c", "a:b/c"),
        ("/v1/any/a/b:raw", "a/b"),
        ("/v1/any:raw", ""),
        ("/v1/any/a/b:r%61w", "a/b"),
    ];
    for (path, name) in cases {
        let answer = server.get(path).await;
        assert_eq!(answer.json()["path"], name, "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_no_template_matches_is_not_found() {
    let server = Server::start().await;
    let paths = [
        "/",
        "/v1",
        "/v2/books/a",
        "/v1/books/",
        "/v1//a",
        "//v1/books/a",
        "/v1/books/a/",
        "/v1/books/a/b",
        "/v1/shelves/a/books",
        "/v1/shelves//books/b",
        "/v1/books/a:unknown",
        "/v1/books/a:",
        "/v1/books/:lend",
        "/v1/books/a%3Alend/x",
        "/v1/files/a:raw",
        "/v1/any/a/b",
        "/V1/books/a",
        "/v1%2Fbooks/a",
        "/v1/books/a:%zz",
    ];
    for path in paths {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.text);
        assert_eq!(answer.reason(), "NO_SUCH_ROUTE", "{path}");
        let json = answer.json();
        assert_eq!(json["error"]["status"], "NOT_FOUND");
        assert_eq!(json["error"]["code"], 404);
        assert_eq!(json["error"]["details"][0]["domain"], "testing");
    }
}

#[tokio::test]
async fn a_malformed_capture_names_its_variable() {
    let server = Server::start().await;
    for path in ["/v1/books/%zz", "/v1/books/a%4", "/v1/books/%ff", "/v1/books/%"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, answer.reason().as_str()), (400, "MALFORMED_REQUEST"), "{path}");
        assert_eq!(answer.violations()[0].0, "book_id", "{path}");
    }
    let answer = server.json("POST", "/v1/failures/many", "{}").await;
    assert_eq!(
        answer.violations(),
        [("code".to_owned(), "expected a 32-bit integer, not `many`".to_owned())]
    );
}
