//! What the comments of `google/api/http.proto` publish: every example and every rule there, as cases.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request};
use http_body_util::{BodyExt as _, Full};
use prost_reflect::{DescriptorPool, DynamicMessage};
use remik_transcoding::{Options, Transcoder};
use serde_json::{Value as Json, json};
use tower::service_fn;

use crate::config::{compile_file, faults};

/// What a request becomes.
enum Becomes {
    /// A call of this method with this message.
    Call(&'static str, Json),
    /// A refusal with this HTTP status.
    Status(u16),
}
use Becomes::{Call, Status};

/// A rule, a service `t.S` that is annotated as it says, and requests: method, path, body.
struct Case {
    rule: &'static str,
    methods: &'static str,
    messages: &'static str,
    requests: Vec<(&'static str, &'static str, &'static str, Becomes)>,
}

fn pool(methods: &str, messages: &str) -> DescriptorPool {
    compile_file(format!(
        "syntax = \"proto3\"; package t; import \"google/api/annotations.proto\"; {messages} \
         service S {{ {methods} }}"
    ))
}

/// Sends a request to a service that answers with what it was called with. What it was called with, and the
/// answer.
async fn send(
    pool: &DescriptorPool,
    (method, path, body): (&str, &str, &str),
) -> (Option<(String, Json)>, u16, String) {
    let called = Arc::new(Mutex::new(None));
    let told = Arc::clone(&called);
    let echo = service_fn(move |call: Request<tonic::body::Body>| {
        let told = Arc::clone(&told);
        async move {
            let method = call.uri().path().strip_prefix("/t.S/").unwrap().to_owned();
            let frame = call.into_body().collect().await.unwrap().to_bytes();
            *told.lock().unwrap() = Some((method, frame.slice(5..)));
            let ok = HeaderMap::from_iter([(
                http::HeaderName::from_static("grpc-status"),
                HeaderValue::from_static("0"),
            )]);
            Ok::<_, Infallible>(http::Response::new(Full::new(frame).with_trailers(async { Some(Ok(ok)) })))
        }
    });
    let transcoder = Transcoder::new(pool.clone(), echo, Options::new("t")).unwrap();
    let mut request = Request::builder().method(method).uri(path);
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    let answer = transcoder.handle(request.body(Body::from(body.to_owned())).unwrap()).await;
    let (head, body) = answer.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    let called = called.lock().unwrap().take();
    let called = called.map(|(method, message): (String, Bytes)| {
        let service = pool.get_service_by_name("t.S").unwrap();
        let input = service.methods().find(|m| m.name() == method).unwrap().input();
        let message = DynamicMessage::decode(input, message).unwrap();
        (method, serde_json::to_value(&message).unwrap())
    });
    (called, head.status.as_u16(), text)
}

const MESSAGE: &str = "message Message { string text = 1; }";

/// The requests of the comments, in their order, then those that the rules are about.
fn cases() -> Vec<Case> {
    let sub = "message GetMessageRequest { message SubMessage { string subfield = 1; } string message_id = 1;
         int64 revision = 2; SubMessage sub = 3; }";
    let any = "message In { string a = 1; string b = 2; repeated string list = 3; Inner inner = 4; \
         repeated Inner inners = 5; } message Inner { string a = 1; string b = 2; int32 c = 3; }";
    vec![
        Case {
            rule: "example: a variable of two segments",
            methods: r#"rpc GetMessage(GetMessageRequest) returns (Message) {
                option (google.api.http) = { get: "/v1/{name=messages/*}" }; }"#,
            messages: "message GetMessageRequest { string name = 1; } message Message { string text = 1; }",
            requests: vec![(
                "GET",
                "/v1/messages/123456",
                "",
                Call("GetMessage", json!({"name": "messages/123456"})),
            )],
        },
        Case {
            rule: "example: fields outside the path become query parameters",
            methods: r#"rpc GetMessage(GetMessageRequest) returns (Message) {
                option (google.api.http) = { get: "/v1/messages/{message_id}" }; }"#,
            messages: sub,
            requests: vec![(
                "GET",
                "/v1/messages/123456?revision=2&sub.subfield=foo",
                "",
                Call(
                    "GetMessage",
                    json!({"messageId": "123456", "revision": "2", "sub": {"subfield": "foo"}}),
                ),
            )],
        },
        Case {
            rule: "a repeated field is a repeated parameter, a message's fields are parameters each, a repeated \
                message can't be one",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = { get: "/v1/a" }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1/a?list=A&list=B", "", Call("A", json!({"list": ["A", "B"]}))),
                (
                    "GET",
                    "/v1/a?inner.a=A&inner.b=B&inner.c=3",
                    "",
                    Call("A", json!({"inner": {"a": "A", "b": "B", "c": 3}})),
                ),
                ("GET", "/v1/a?inners.a=A", "", Status(400)),
                ("GET", "/v1/a?inners=A", "", Status(400)),
            ],
        },
        Case {
            rule: "example: a field in the body",
            methods: r#"rpc UpdateMessage(UpdateMessageRequest) returns (Message) {
                option (google.api.http) = { patch: "/v1/messages/{message_id}" body: "message" }; }"#,
            messages: "message UpdateMessageRequest { string message_id = 1; Message message = 2; }",
            requests: vec![(
                "PATCH",
                "/v1/messages/123456",
                r#"{ "text": "Hi!" }"#,
                Call("UpdateMessage", json!({"messageId": "123456", "message": {"text": "Hi!"}})),
            )],
        },
        Case {
            rule: "example: everything else in the body, and then no query parameters (rule 2)",
            methods: r#"rpc UpdateMessage(Whole) returns (Whole) {
                option (google.api.http) = { patch: "/v1/messages/{message_id}" body: "*" }; }"#,
            messages: "message Whole { string message_id = 1; string text = 2; }",
            requests: vec![
                (
                    "PATCH",
                    "/v1/messages/123456",
                    r#"{ "text": "Hi!" }"#,
                    Call("UpdateMessage", json!({"messageId": "123456", "text": "Hi!"})),
                ),
                ("PATCH", "/v1/messages/123456?text=Hi", "", Status(400)),
            ],
        },
        Case {
            rule: "example: additional bindings",
            methods: r#"rpc GetMessage(GetMessageRequest) returns (Message) { option (google.api.http) = {
                get: "/v1/messages/{message_id}"
                additional_bindings { get: "/v1/users/{user_id}/messages/{message_id}" } }; }"#,
            messages: "message GetMessageRequest { string message_id = 1; string user_id = 2; }",
            requests: vec![
                ("GET", "/v1/messages/123456", "", Call("GetMessage", json!({"messageId": "123456"}))),
                (
                    "GET",
                    "/v1/users/me/messages/123456",
                    "",
                    Call("GetMessage", json!({"userId": "me", "messageId": "123456"})),
                ),
            ],
        },
        Case {
            rule: "rule 1: leaf fields are in the path, in the body, or in the query by their paths",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = {
                post: "/v1/{inner.a}/{a}" body: "list" }; }"#,
            messages: any,
            requests: vec![
                (
                    "POST",
                    "/v1/x/y?inner.b=z&b=w&inner.c=4",
                    r#"["l"]"#,
                    Call(
                        "A",
                        json!({"a": "y", "b": "w", "list": ["l"], "inner": {"a": "x", "b": "z", "c": 4}}),
                    ),
                ),
                ("POST", "/v1/x/y?a=z", "", Status(400)),
                ("POST", "/v1/x/y?list=z", "", Status(400)),
            ],
        },
        Case {
            rule: "rule 3: without `body` there is no body",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = { post: "/v1/{a}" }; }"#,
            messages: any,
            requests: vec![
                ("POST", "/v1/x?b=y", "", Call("A", json!({"a": "x", "b": "y"}))),
                ("POST", "/v1/x", r#"{"b": "y"}"#, Status(400)),
            ],
        },
        Case {
            rule: "`*` matches a single segment; `{var}` is `{var=*}`",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = {
                get: "/v1/{a}/x" additional_bindings { get: "/v2/{a=*}/x" } }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1/one/x", "", Call("A", json!({"a": "one"}))),
                ("GET", "/v2/one/x", "", Call("A", json!({"a": "one"}))),
                ("GET", "/v1/x", "", Status(404)),
                ("GET", "/v2//x", "", Status(404)),
                ("GET", "/v1/one/two/x", "", Status(404)),
                ("GET", "/v2/one/two/x", "", Status(404)),
            ],
        },
        Case {
            rule: "`**` matches zero or more segments, at the end but for the verb",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = { get: "/v1/{a=**}:go" }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1/:go", "", Call("A", json!({}))),
                ("GET", "/v1:go", "", Call("A", json!({}))),
                ("GET", "/v1/one:go", "", Call("A", json!({"a": "one"}))),
                ("GET", "/v1/one/two/three:go", "", Call("A", json!({"a": "one/two/three"}))),
                ("GET", "/v1/one/two", "", Status(404)),
            ],
        },
        Case {
            rule: "reserved characters of a literal are percent-encoded before the matching",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = { get: "/v1/a%20b%3Ac/{a}" }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1/a%20b%3Ac/x", "", Call("A", json!({"a": "x"}))),
                ("GET", "/v1/a%20b:c/x", "", Call("A", json!({"a": "x"}))),
                ("GET", "/v1/a%2520b%253Ac/x", "", Status(404)),
            ],
        },
        Case {
            rule: "a variable of one segment is decoded entirely",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = { get: "/v1/{a}" }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1/%41%20%2F%2f%3A%3F%23%C5%82-_.~", "", Call("A", json!({"a": "A //:?#ł-_.~"}))),
                ("GET", "/v1/a%2", "", Status(400)),
            ],
        },
        Case {
            rule: "a variable of several segments is decoded but for `%2F` and `%2f`",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = {
                get: "/v1/{a=foo/*}" additional_bindings { get: "/v2/{a=**}" } }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1/foo/%41%2F%2f%3F", "", Call("A", json!({"a": "foo/A%2F%2f?"}))),
                ("GET", "/v2/%41%2F/%2f%C5%82", "", Call("A", json!({"a": "A%2F/%2fł"}))),
            ],
        },
        Case {
            rule: "example of the service configuration: a field of a message in the path",
            methods: r#"rpc GetMessage(GetMessageRequest) returns (Message) {
                option (google.api.http) = { get: "/v1/messages/{message_id}/{sub.subfield}" }; }"#,
            messages: sub,
            requests: vec![(
                "GET",
                "/v1/messages/123456/foo",
                "",
                Call("GetMessage", json!({"messageId": "123456", "sub": {"subfield": "foo"}})),
            )],
        },
        Case {
            rule: "a path variable doesn't capture the leading slash",
            methods: r#"rpc A(In) returns (In) { option (google.api.http) = { get: "/{a=**}" }; }"#,
            messages: any,
            requests: vec![("GET", "/one/two", "", Call("A", json!({"a": "one/two"})))],
        },
        Case {
            rule: "each HTTP method has its pattern; a custom one has any other, or `*` for all",
            methods: r#"
                rpc Get(In) returns (In) { option (google.api.http) = { get: "/v1" }; }
                rpc Put(In) returns (In) { option (google.api.http) = { put: "/v1" }; }
                rpc Post(In) returns (In) { option (google.api.http) = { post: "/v1" }; }
                rpc Delete(In) returns (In) { option (google.api.http) = { delete: "/v1" }; }
                rpc Patch(In) returns (In) { option (google.api.http) = { patch: "/v1" }; }
                rpc Head(In) returns (In) { option (google.api.http) = { custom { kind: "HEAD" path: "/v1" } }; }
                rpc Any(In) returns (In) { option (google.api.http) = { custom { kind: "*" path: "/v2" } }; }"#,
            messages: any,
            requests: vec![
                ("GET", "/v1", "", Call("Get", json!({}))),
                ("PUT", "/v1", "", Call("Put", json!({}))),
                ("POST", "/v1", "", Call("Post", json!({}))),
                ("DELETE", "/v1", "", Call("Delete", json!({}))),
                ("PATCH", "/v1", "", Call("Patch", json!({}))),
                ("HEAD", "/v1", "", Call("Head", json!({}))),
                ("TRACE", "/v1", "", Status(405)),
                ("TRACE", "/v2", "", Call("Any", json!({}))),
            ],
        },
    ]
}

#[tokio::test]
async fn requests_become_what_the_comments_say() {
    for Case { rule, methods, messages, requests } in cases() {
        let messages = match messages {
            whole if whole.contains("message Message ") || !methods.contains("(Message)") => whole.to_owned(),
            part => format!("{part} {MESSAGE}"),
        };
        let pool = pool(methods, &messages);
        for (method, path, body, becomes) in requests {
            let (called, status, text) = send(&pool, (method, path, body)).await;
            match becomes {
                Call(rpc, message) => {
                    assert_eq!(called, Some((rpc.to_owned(), message)), "{rule}: {method} {path} {text}");
                    assert_eq!(status, 200, "{rule}: {method} {path} {text}");
                }
                Status(expected) => assert_eq!((called, status), (None, expected), "{rule}: {method} {path}"),
            }
        }
    }
}

/// `response_body` names the field that is answered; without it that is the whole message. Lists may be bodies.
#[tokio::test]
async fn answers_are_what_the_comments_say() {
    let messages = "message In { string a = 1; repeated int32 numbers = 2; }";
    let cases = [
        (r#"post: "/v1" body: "*""#, r#"{"a":"x"}"#, json!({"a": "x", "numbers": []})),
        (r#"post: "/v1" body: "*" response_body: "a""#, r#"{"a":"x"}"#, json!("x")),
        (r#"post: "/v1" body: "numbers" response_body: "numbers""#, "[1, 2]", json!([1, 2])),
    ];
    for (rule, body, expected) in cases {
        let methods = format!("rpc A(In) returns (In) {{ option (google.api.http) = {{ {rule} }}; }}");
        let (_, status, text) = send(&pool(&methods, messages), ("POST", "/v1", body)).await;
        assert_eq!((status, serde_json::from_str::<Json>(&text).unwrap()), (200, expected), "{rule}");
    }
}

/// What the comments forbid comes up when the service starts.
#[test]
fn annotations_against_the_rules_are_faults() {
    let messages =
        "message In { string a = 1; repeated string list = 2; map<string, string> map = 3; In in = 4; }";
    let cases = [
        ("a variable contains no variable", r#"get: "/v1/{a={in.a}}""#),
        ("`**` comes last", r#"get: "/v1/{a=**}/b""#),
        ("a path variable is no repeated field", r#"get: "/v1/{list}""#),
        ("a path variable is no map", r#"get: "/v1/{map}""#),
        ("a path variable has a primitive type", r#"get: "/v1/{in}""#),
        ("a path variable has no leading slash", r#"get: "/v1{a=/b}""#),
        ("the body is a field of the request itself", r#"post: "/v1" body: "in.a""#),
        ("the body of the answer is a field of it itself", r#"get: "/v1" response_body: "in.a""#),
        (
            "bindings aren't nested",
            r#"get: "/v1" additional_bindings { get: "/v2" additional_bindings { get: "/v3" } }"#,
        ),
    ];
    for (rule, annotation) in cases {
        let methods = format!("rpc A(In) returns (In) {{ option (google.api.http) = {{ {annotation} }}; }}");
        assert_eq!(faults(pool(&methods, messages)).len(), 1, "{rule}");
    }
}
