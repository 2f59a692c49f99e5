//! Request bodies and whole answers: canonical proto3 JSON.

use serde_json::{Value as Json, json};

use crate::server::Server;

/// Sends a book and gives back what the service saw of it, and all that was said.
async fn echo(server: &Server, book: &str) -> (Json, crate::server::Answer) {
    let answer = server.json("POST", "/v1/books", format!(r#"{{"book":{book}}}"#)).await;
    let json: Json = serde_json::from_str(&answer.text).unwrap();
    (json["book"].clone(), answer)
}

#[tokio::test]
async fn every_kind_of_field_is_read_and_written() {
    let server = Server::start().await;
    // What is sent, the field looked at, and what comes back.
    let cases: Vec<(&str, &str, Json)> = vec![
        (r#"{"name":"a \" \u0142 \ud83c\udccf"}"#, "name", json!("a \" ł 🃏")),
        (r#"{"pages":-5}"#, "pages", json!(-5)),
        (r#"{"pages":"-5"}"#, "pages", json!(-5)),
        (r#"{"pages":5.0}"#, "pages", json!(5)),
        (r#"{"pages":1e2}"#, "pages", json!(100)),
        (r#"{"pages":null}"#, "pages", json!(0)),
        (r#"{"cover":"+/8="}"#, "cover", json!("+/8=")),
        (r#"{"cover":"-_8"}"#, "cover", json!("+/8=")),
        (r#"{"binding":"BINDING_SOFT"}"#, "binding", json!("BINDING_SOFT")),
        (r#"{"binding":2}"#, "binding", json!("BINDING_SOFT")),
        (r#"{"binding":99}"#, "binding", json!(99)),
        (r#"{"names":{"pl":"x","":"y"}}"#, "names", json!({"pl": "x", "": "y"})),
        (
            r#"{"sequels":{"-3":{"pages":1}}}"#,
            "sequels",
            json!({"-3": {
                "name": "", "pages": 1, "cover": "", "binding": "BINDING_UNSPECIFIED", "names": {}, "sequels": {},
                "authors": [], "serialNumber": "0", "weight": 0.0, "height": 0.0, "nothing": null,
                "balance": "0", "copies": 0,
            }}),
        ),
        (
            r#"{"authors":[{"full_name":"A","teacher":{"fullName":"B"}},{}]}"#,
            "authors",
            json!([{"fullName": "A", "teacher": {"fullName": "B"}}, {"fullName": ""}]),
        ),
        (r#"{"printed_at":"2020-01-02T03:04:05.678Z"}"#, "printedAt", json!("2020-01-02T03:04:05.678Z")),
        (r#"{"printedAt":"2020-01-02T03:04:05-02:00"}"#, "printedAt", json!("2020-01-02T05:04:05Z")),
        (r#"{"readingTime":"-1.5s"}"#, "readingTime", json!("-1.500s")),
        (r#"{"price":"9223372036854775807"}"#, "price", json!("9223372036854775807")),
        (r#"{"price":12}"#, "price", json!("12")),
        (r#"{"price":null}"#, "price", Json::Null),
        (r#"{"note":""}"#, "note", json!("")),
        (r#"{"extra":{"a":[1,null,{"b":"c"}]}}"#, "extra", json!({"a": [1.0, null, {"b": "c"}]})),
        (r#"{"anything":[true,"x"]}"#, "anything", json!([true, "x"])),
        (r#"{"mask":"name,printedAt"}"#, "mask", json!("name,printedAt")),
        (r#"{"shelf":""}"#, "shelf", json!("")),
        (r#"{"shelf":"s","reader":null}"#, "shelf", json!("s")),
        (r#"{"reader":{}}"#, "reader", json!({"fullName": ""})),
        (r#"{"signed":false}"#, "signed", json!(false)),
        (r#"{"serialNumber":18446744073709551615}"#, "serialNumber", json!("18446744073709551615")),
        (r#"{"weight":1.25}"#, "weight", json!(1.25)),
        (r#"{"weight":"Infinity"}"#, "weight", json!("Infinity")),
        (r#"{"height":"-Infinity"}"#, "height", json!("-Infinity")),
        (r#"{"height":16777216}"#, "height", json!(16_777_216.0)),
        (r#"{"nothing":null}"#, "nothing", Json::Null),
        (r#"{"balance":"-9223372036854775808"}"#, "balance", json!("-9223372036854775808")),
        (r#"{"list":[1,[2]]}"#, "list", json!([1.0, [2.0]])),
        (r#"{"rare":true}"#, "rare", json!(true)),
    ];
    for (book, field, expected) in cases {
        let (got, answer) = echo(&server, book).await;
        assert_eq!(answer.status, 200, "{book}: {}", answer.text);
        assert_eq!(got[field], expected, "{book}: {}", answer.text);
    }
    // `null` is a value of `Value`, so it is there.
    assert!(echo(&server, r#"{"anything":null}"#).await.1.text.contains(r#""anything":null"#));
    // An optional field that isn't given isn't there, a plain one is.
    let (got, _) = echo(&server, "{}").await;
    assert!(got.get("signed").is_none() && got.get("note").is_none() && got.get("shelf").is_none());
    assert_eq!(got["weight"], json!(0.0));
}

#[tokio::test]
async fn faulty_json_is_refused_with_its_path() {
    let server = Server::start().await;
    let cases = [
        (r#"{"title":1}"#, "book.title", "there is no such field"),
        (r#"{"authors":[{},{"nickname":"x"}]}"#, "book.authors[1].nickname", "there is no such field"),
        (r#"{"sequels":{"1":{"pages":"x"}}}"#, "book.sequels[1].pages", "expected a 32-bit integer"),
        (r#"{"sequels":{"x":{}}}"#, "book.sequels[x]", "expected a 32-bit integer"),
        (r#"{"sequels":{"1":{},"1":{}}}"#, "book.sequels[1]", "given more than once"),
        (r#"{"names":{"a":null}}"#, "book.names[a]", "expected a string"),
        (r#"{"names":[]}"#, "book.names", "expected an object"),
        (r#"{"authors":{}}"#, "book.authors", "expected a list"),
        (r#"{"authors":[null]}"#, "book.authors[0]", "expected an object"),
        (r#"{"pages":1,"pages":2}"#, "book.pages", "given more than once"),
        (r#"{"printed_at":null,"printedAt":null}"#, "book.printedAt", "given more than once"),
        (r#"{"shelf":"a","reader":{}}"#, "book.reader", "another field of `place` is given too"),
        (r#"{"pages":true}"#, "book.pages", "expected a 32-bit integer"),
        (r#"{"pages":1.5}"#, "book.pages", "expected a 32-bit integer"),
        (r#"{"pages":2147483648}"#, "book.pages", "expected a 32-bit integer"),
        (r#"{"pages":"0x10"}"#, "book.pages", "expected a 32-bit integer"),
        (r#"{"pages":" 1"}"#, "book.pages", "expected a 32-bit integer"),
        (r#"{"copies":-1}"#, "book.copies", "expected a 32-bit integer of 0 or more"),
        (
            r#"{"serialNumber":18446744073709551616}"#,
            "book.serialNumber",
            "expected a 64-bit integer of 0 or more",
        ),
        (r#"{"serialNumber":1e300}"#, "book.serialNumber", "expected a 64-bit integer of 0 or more"),
        (r#"{"height":1e300}"#, "book.height", "expected a 32-bit number"),
        (r#"{"weight":"inf"}"#, "book.weight", "expected a number"),
        (r#"{"signed":"true"}"#, "book.signed", "expected true or false"),
        (r#"{"name":1}"#, "book.name", "expected a string"),
        (r#"{"cover":"%"}"#, "book.cover", "expected base64"),
        (r#"{"binding":"BINDING_LEATHER"}"#, "book.binding", "expected the name or number of an enum value"),
        (r#"{"binding":1.5}"#, "book.binding", "expected the name or number of an enum value"),
        (r#"{"printedAt":"yesterday"}"#, "book.printedAt", ""),
        (r#"{"printedAt":"10000-01-01T00:00:00Z"}"#, "book.printedAt", ""),
        (r#"{"readingTime":"5"}"#, "book.readingTime", ""),
        (r#"{"price":"x"}"#, "book.price", ""),
        (r#"{"extra":[]}"#, "book.extra", ""),
        (r#"{"nothing":1}"#, "book.nothing", ""),
        (r#"[]"#, "book", "expected an object"),
        (r#""x""#, "book", "expected an object"),
    ];
    for (book, field, description) in cases {
        let (_, answer) = echo(&server, book).await;
        assert_eq!((answer.status, answer.reason().as_str()), (400, "MALFORMED_REQUEST"), "{book}");
        let violations = answer.violations();
        assert_eq!(violations[0].0, field, "{book}: {violations:?}");
        assert!(violations[0].1.contains(description), "{book}: {violations:?}");
    }
}

#[tokio::test]
async fn what_is_not_json_is_refused_as_a_whole() {
    let server = Server::start().await;
    let deep = |n: usize| format!(r#"{{"book":{{"extra":{{"a":{}{}}}}}}}"#, "[".repeat(n), "]".repeat(n));
    let bodies: Vec<Vec<u8>> = vec![
        b"[]".to_vec(),
        b"null".to_vec(),
        b"1".to_vec(),
        b"{".to_vec(),
        b"{} {}".to_vec(),
        b"{}x".to_vec(),
        b"nonsense".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        deep(30).into(),
        deep(400).into(),
        b"[".repeat(900),
    ];
    for body in bodies {
        let text = String::from_utf8_lossy(&body).into_owned();
        let answer = server.json("POST", "/v1/books", body).await;
        assert_eq!((answer.status, answer.reason().as_str()), (400, "MALFORMED_REQUEST"), "{text}");
        assert_eq!(answer.violations()[0].0, "body", "{text}");
    }
    // The deepest that is read, and that the service can read too.
    assert_eq!(server.json("POST", "/v1/books", deep(29)).await.status, 200);
    let strings = [r#"{"book":{"name":"\ud800"}}"#.as_bytes(), b"{\"book\":{\"name\":\"\xff\"}}"];
    for body in strings {
        let answer = server.json("POST", "/v1/books", body).await;
        assert_eq!((answer.status, answer.violations()[0].0.as_str()), (400, "book.name"));
    }
}

#[tokio::test]
async fn an_empty_body_is_an_empty_message() {
    let server = Server::start().await;
    let answer = server.send(server.request("POST", "/v1/books/a:lend")).await;
    assert_eq!(answer.json()["request"], json!({"bookId": "a", "reader": ""}));
    let answer = server.send(server.request("PUT", "/v1/tags")).await;
    assert_eq!(answer.text, "[]");
}

#[tokio::test]
async fn path_and_body_must_agree() {
    let server = Server::start().await;
    for (body, status) in [
        (r#"{"reader":"r","days":0}"#, 200),
        (r#"{"reader":"r","days":0,"bookId":"a"}"#, 200),
        (r#"{"reader":"r","days":0,"book_id":"b"}"#, 400),
    ] {
        let answer = server.json("POST", "/v1/books/a:lend", body).await;
        assert_eq!(answer.status, status, "{body}");
        if status == 200 {
            assert_eq!(answer.json()["request"], json!({"bookId": "a", "reader": "r", "days": 0}));
        } else {
            assert_eq!(answer.violations()[0].0, "book_id");
        }
    }
}

#[tokio::test]
async fn one_field_as_the_body() {
    let server = Server::start().await;
    let answer = server.json("PATCH", "/v1/books/a%2Fb?mask=pages,name", r#"{"pages":7}"#).await;
    let book = answer.json();
    assert_eq!(
        (&book["name"], &book["pages"], &book["mask"]),
        (&json!("a/b"), &json!(7), &json!("pages,name"))
    );
    for (body, field) in [
        (r#"{"page":7}"#, "book.page"),
        (r#"{"authors":[{"x":1}]}"#, "book.authors[0].x"),
        ("[]", "book"),
        (r#"{"name":"c"}"#, "book.name"),
    ] {
        let answer = server.json("PATCH", "/v1/books/a", body).await;
        assert_eq!((answer.status, answer.violations()[0].0.as_str()), (400, field), "{body}");
    }

    let answer = server.json("PUT", "/v1/tags", r#"["b","a"]"#).await;
    assert_eq!(answer.text, r#"["a","b"]"#);
    assert_eq!(server.json("PUT", "/v1/tags", "null").await.text, "[]");
    assert_eq!(server.json("PUT", "/v1/tags", r#"["b",1]"#).await.violations()[0].0, "tags[1]");
}

#[tokio::test]
async fn a_method_without_body_refuses_one() {
    let server = Server::start().await;
    let answer = server.json("GET", "/v1/books", "{}").await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.violations(), [("body".to_owned(), "this method takes no body".to_owned())]);
}

#[tokio::test]
async fn only_json_is_read() {
    let server = Server::start().await;
    let send = async |content_type: Option<&str>, encoding: Option<&str>| {
        let mut request = server.request("POST", "/v1/books").body("{}");
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        server.send(request).await
    };
    for content_type in ["application/json", "application/json; charset=utf-8", "application/x+json"] {
        assert_eq!(send(Some(content_type), None).await.status, 200, "{content_type}");
    }
    for content_type in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("ż")] {
        let answer = send(content_type, None).await;
        assert_eq!(
            (answer.status, answer.reason().as_str()),
            (415, "UNSUPPORTED_MEDIA_TYPE"),
            "{content_type:?}"
        );
        assert_eq!(answer.header("accept"), Some("application/json"));
    }
    assert_eq!(send(Some("application/json"), Some("gzip")).await.status, 415);
    assert_eq!(send(Some("application/json"), Some("identity")).await.status, 200);
}

#[tokio::test]
async fn a_large_body_is_refused_however_it_comes() {
    let server = Server::start().await;
    let fits = format!(r#"{{"requestId":"{}"}}"#, "x".repeat(1000 - 16));
    assert_eq!(fits.len(), 1000);
    assert_eq!(server.json("POST", "/v1/books", fits.clone()).await.status, 200);
    let large = fits + " ";
    let chunks: Vec<_> = large.as_bytes().chunks(100).map(|c| Ok::<_, std::io::Error>(c.to_vec())).collect();
    let chunked = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    for answer in
        [server.json("POST", "/v1/books", large).await, server.json("POST", "/v1/books", chunked).await]
    {
        assert_eq!((answer.status, answer.reason().as_str()), (413, "BODY_TOO_LARGE"));
        assert_eq!(answer.header("connection"), Some("close"));
    }
}
