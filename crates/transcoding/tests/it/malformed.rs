//! No request, however malformed, is answered with a server error.

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::server::Server;

/// JSON texts: well-formed ones of odd values, and broken ones.
fn json_text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just("null".to_owned()),
        Just("1e999".to_owned()),
        Just("-0".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        Just("99999999999999999999999".to_owned()),
        "[0-9.eE+-]{1,12}",
        "\"[0-9TZ:.+-]{0,30}\"",
        "\"[0-9s.-]{0,25}\"",
        "\"[A-Za-z0-9+/=_-]{0,9}\"",
        "\"\\PC{0,8}\"",
        "\\PC{0,8}",
    ];
    let names = prop::sample::select(vec![
        "book",
        "name",
        "pages",
        "cover",
        "binding",
        "names",
        "sequels",
        "authors",
        "printedAt",
        "readingTime",
        "price",
        "note",
        "extra",
        "anything",
        "mask",
        "shelf",
        "reader",
        "signed",
        "serialNumber",
        "weight",
        "height",
        "nothing",
        "balance",
        "copies",
        "list",
        "rare",
        "teacher",
        "1",
        "@type",
        "value",
        "x",
    ]);
    odd.prop_recursive(6, 40, 5, move |inner| {
        let entry = (names.clone(), inner.clone()).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        prop_oneof![
            3 => prop::collection::vec(entry, 0..5).prop_map(|e| format!("{{{}}}", e.join(","))),
            1 => prop::collection::vec(inner, 0..5).prop_map(|e| format!("[{}]", e.join(","))),
        ]
    })
}

fn each<S: Strategy>(strategy: S, cases: usize, mut check: impl FnMut(S::Value)) {
    let mut runner = TestRunner::deterministic();
    for _ in 0..cases {
        check(strategy.new_tree(&mut runner).unwrap().current());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies() {
    let server = Server::with(remik_transcoding::Options::new("testing")).await;
    let mut bodies = Vec::new();
    each(json_text(), 3000, |text| bodies.push(text));
    let mut accepted = 0;
    for text in bodies {
        let body = format!("{{\"book\":{text}}}");
        let answer = server.json("POST", "/v1/books", body.clone()).await;
        assert!(matches!(answer.status, 200 | 400), "{body}: {} {}", answer.status, answer.text);
        accepted += usize::from(answer.status == 200);
    }
    assert!(accepted > 50, "the cases should not all be refused: {accepted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn queries() {
    let server = Server::start().await;
    let names = prop::sample::select(vec![
        "title",
        "minPages",
        "tags",
        "bindings",
        "author",
        "author.teacher",
        "since",
        "lent",
        "token",
        "available",
        "by_field",
        "random",
        "labels",
        "weight",
        "serial",
        "mask",
        "reading_time",
        "authors",
        "extra",
        "",
        ".",
        "%",
    ]);
    let value = prop_oneof!["[0-9TZ:.+-]{0,30}", "[0-9s.eE-]{0,25}", "[!-~&&[^#]]{0,12}"];
    let query = prop::collection::vec((names, value), 0..4)
        .prop_map(|pairs| pairs.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join("&"));
    let mut queries = Vec::new();
    each(query, 2000, |query| queries.push(query));
    for query in queries {
        let answer = server.get(&format!("/v1/books?{query}")).await;
        assert!(matches!(answer.status, 200 | 400), "{query}: {} {}", answer.status, answer.text);
    }
}

/// Request lines and headers that no client library would send.
#[tokio::test]
async fn raw_requests() {
    let server = Server::start().await;
    let cases: [(&str, &[u16]); 9] = [
        ("GET * HTTP/1.1\r\nhost: x\r\n", &[404]),
        ("OPTIONS * HTTP/1.1\r\nhost: x\r\n", &[404]),
        ("GET http://other.example/v1/books/a HTTP/1.1\r\nhost: x\r\n", &[200]),
        ("GET /v1/books/a%00b HTTP/1.1\r\nhost: x\r\n", &[200]),
        ("GET /v1/../v1/books/a HTTP/1.1\r\nhost: x\r\n", &[404]),
        (
            "GET /v1/books/a HTTP/1.1\r\nhost: x\r\naccept-language: \u{017c}\r\nx-forwarded-for: \u{017c}\r\n",
            &[200],
        ),
        (
            "POST /v1/books HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\ncontent-type: application/json\r\n",
            &[413],
        ),
        (
            "POST /v1/books HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\nzz\r\n",
            &[400],
        ),
        ("GET /v1/counters/c:watch HTTP/1.1\r\nhost: x\r\nlast-event-id: \u{017c}\r\n", &[400]),
    ];
    for (request, statuses) in cases {
        let mut socket = tokio::net::TcpStream::connect(server.address).await.unwrap();
        socket.write_all(format!("{request}connection: close\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        assert!(statuses.contains(&status), "{request}: {answer}");
    }
}
