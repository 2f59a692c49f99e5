//! Server streams.

use std::time::Duration;

use futures::StreamExt as _;
use remik_transcoding::Options;
use serde_json::{Value as Json, json};

use crate::server::{Answer, Server};

/// One server-sent event.
#[derive(Debug, PartialEq)]
struct Event {
    id: Option<String>,
    event: Option<String>,
    data: Json,
}

fn events(text: &str) -> Vec<Event> {
    assert!(text.is_empty() || text.ends_with("\n\n"), "{text:?}");
    text.split("\n\n")
        .filter(|block| !block.is_empty() && !block.starts_with(':'))
        .map(|block| {
            let field = |name: &str| {
                let mut values = block.lines().filter_map(|l| l.strip_prefix(name)?.strip_prefix(": "));
                let value = values.next().map(str::to_owned);
                assert_eq!(values.next(), None, "{block}");
                value
            };
            let data = serde_json::from_str(&field("data").unwrap()).unwrap();
            Event { id: field("id"), event: field("event"), data }
        })
        .collect()
}

fn event(id: Option<&str>, event: &str, data: Json) -> Event {
    Event { id: id.map(str::to_owned), event: Some(event.to_owned()), data }
}

async fn watch(server: &Server, query: &str, last_event_id: Option<&str>) -> Answer {
    let path = format!("/v1/counters/c:watch?{query}");
    let mut request = server.request("GET", &path).header("accept", "text/event-stream");
    if let Some(id) = last_event_id {
        request = request.header("last-event-id", id);
    }
    server.send(request).await
}

#[tokio::test]
async fn events_have_id_name_and_data() {
    let server = Server::start().await;
    let answer = watch(&server, "after=1&until=3", None).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    assert_eq!(
        events(&answer.text),
        [
            event(Some("2"), "counted", json!({"number": "2", "counted": {"text": "c at\n2"}})),
            event(Some("3"), "counted", json!({"number": "3", "counted": {"text": "c at\n3"}})),
            // It has no number, so a client goes on from 3.
            event(None, "caughtUp", json!({"number": "0", "caughtUp": {}})),
            event(None, "status", json!({"code": 0, "message": "", "details": []})),
        ]
    );
}

#[tokio::test]
async fn a_stream_that_fails_says_so() {
    let server = Server::start().await;
    let answer = watch(&server, "until=1&code=14", None).await;
    assert_eq!(answer.status, 200);
    let events = events(&answer.text);
    let last = event(None, "status", json!({"code": 14, "message": "told to end", "details": []}));
    assert_eq!(events.last(), Some(&last));
    assert!(events.iter().all(|e| e.event.as_deref() != Some("error")));
}

#[tokio::test]
async fn a_reconnecting_client_goes_on_where_it_was() {
    let server = Server::start().await;
    let ids = async |query: &str, id: Option<&str>| {
        let answer = watch(&server, query, id).await;
        events(&answer.text).into_iter().filter_map(|e| e.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids("until=4", None).await, "1 2 3 4");
    assert_eq!(ids("until=4", Some("2")).await, "3 4");
    assert_eq!(ids("until=4", Some("")).await, "1 2 3 4");
    // The header is newer than the URL.
    assert_eq!(ids("after=1&until=4", Some("3")).await, "4");
    let answer = watch(&server, "until=4", Some("x")).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.violations()[0].0, "Last-Event-ID");
}

#[tokio::test]
async fn others_get_lines() {
    let server = Server::start().await;
    for accept in [None, Some("application/json"), Some("*/*"), Some("application/x-ndjson")] {
        let mut request = server.request("GET", "/v1/counters/c:watch?until=2");
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        let answer = server.send(request).await;
        assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
        let lines: Vec<Json> = answer.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[1], json!({"number": "2", "counted": {"text": "c at\n2"}}));
        assert_eq!(lines.len(), 3);
    }
    let answer = server.get("/v1/counters/c:watch?until=1&code=10").await;
    let last: Json = serde_json::from_str(answer.text.lines().last().unwrap()).unwrap();
    let error = json!({"code": 409, "status": "ABORTED", "message": "told to end", "details": []});
    assert_eq!(last, json!({"error": error}));
}

#[tokio::test]
async fn a_refused_call_has_an_error_status() {
    let server = Server::start().await;
    for accept in ["text/event-stream", "*/*"] {
        // By the call itself, and by the stream before its first message.
        for (query, status, name) in
            [("refuse=true", 404, "NOT_FOUND"), ("code=9", 400, "FAILED_PRECONDITION")]
        {
            let request = server.request("GET", &format!("/v1/counters/c:watch?{query}"));
            let answer = server.send(request.header("accept", accept)).await;
            assert_eq!(answer.status, status, "{accept} {query}");
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert_eq!(answer.json()["error"]["status"], name);
        }
    }
}

#[tokio::test]
async fn an_empty_stream_is_no_error() {
    let server = Server::start().await;
    let answer = watch(&server, "", None).await;
    assert_eq!(
        events(&answer.text),
        [event(None, "status", json!({"code": 0, "message": "", "details": []}))]
    );
    let answer = server.get("/v1/counters/c:watch").await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
}

#[tokio::test]
async fn messages_are_not_held_back_and_silence_is_filled() {
    let mut options = Options::new("testing");
    options.keep_alive = Duration::from_millis(20);
    options.first_message_wait = Duration::from_millis(20);
    let server = Server::with(options).await;
    for (query, expected) in [
        ("until=1&linger=true", "id: 1\nevent: counted\ndata: "),
        // Nothing comes at first; the answer begins all the same.
        ("linger=true", ":\n\n"),
    ] {
        let request = server.request("GET", &format!("/v1/counters/c:watch?{query}"));
        let response = request.header("accept", "text/event-stream").send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        let (mut chunks, mut text) = (response.bytes_stream(), String::new());
        // Bounded by the client's time limit.
        while text.matches("\n:\n").count() < 2 {
            text += std::str::from_utf8(&chunks.next().await.unwrap().unwrap()).unwrap();
        }
        assert!(text.starts_with(expected), "{text:?}");
    }
}
