//! Refusals of the service.

use remik_transcoding::{Localized, Options, Reason, code_name, http_status};
use serde_json::json;
use tonic::Code;

use crate::server::Server;

#[tokio::test]
async fn each_code_has_its_http_status() {
    let server = Server::start().await;
    let cases = [
        (1, "CANCELLED", 499),
        (2, "UNKNOWN", 500),
        (3, "INVALID_ARGUMENT", 400),
        (4, "DEADLINE_EXCEEDED", 504),
        (5, "NOT_FOUND", 404),
        (6, "ALREADY_EXISTS", 409),
        (7, "PERMISSION_DENIED", 403),
        (8, "RESOURCE_EXHAUSTED", 429),
        (9, "FAILED_PRECONDITION", 400),
        (10, "ABORTED", 409),
        (11, "OUT_OF_RANGE", 400),
        (12, "UNIMPLEMENTED", 501),
        (13, "INTERNAL", 500),
        (14, "UNAVAILABLE", 503),
        (15, "DATA_LOSS", 500),
        (16, "UNAUTHENTICATED", 401),
    ];
    for (code, name, http) in cases {
        let answer = server.json("POST", &format!("/v1/failures/{code}"), r#"{"message":"ż%"}"#).await;
        assert_eq!(answer.status, http, "{name}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("www-authenticate"), (code == 16).then_some("Bearer"), "{name}");
        let error = answer.json()["error"].clone();
        assert_eq!(error["code"], http);
        assert_eq!(error["status"], name);
        assert_eq!(error["message"], "ż%");
        assert_eq!(
            (code_name(Code::from_i32(code)), http_status(Code::from_i32(code)).as_u16()),
            (name, http)
        );
    }
}

#[tokio::test]
async fn details_are_typed() {
    let server = Server::start().await;
    let answer = server.json("POST", "/v1/failures/8", r#"{"retryAfterMs":1200}"#).await;
    let details = answer.json()["error"]["details"].clone();
    let by_type = |name: &str| {
        let url = format!("type.googleapis.com/google.rpc.{name}");
        details.as_array().unwrap().iter().find(|d| d["@type"] == url).cloned().unwrap()
    };
    assert_eq!(by_type("ErrorInfo")["metadata"], json!({"why": "a test"}));
    assert_eq!(by_type("BadRequest")["fieldViolations"][0]["field"], "code");
    assert_eq!(by_type("RetryInfo")["retryDelay"], "1.200s");
    // Rounded up; and it wins over the metadata of that name.
    assert_eq!(answer.header("retry-after"), Some("2"));
}

#[tokio::test]
async fn a_detail_of_an_unknown_type_is_kept() {
    let server = Server::start().await;
    let answer = server.json("POST", "/v1/failures/5", r#"{"unknownDetail":true}"#).await;
    let details = answer.json()["error"]["details"].clone();
    assert_eq!(details, json!([{"@type": "example.com/not.Known", "value": "CAE="}]));
}

#[tokio::test]
async fn an_answer_without_json_form_is_the_services_fault() {
    let server = Server::start().await;
    let answer = server.json("POST", "/v1/failures/0", "{}").await;
    assert_eq!((answer.status, &answer.json()["error"]["status"]), (500, &json!("INTERNAL")));
}

#[test]
fn own_reasons_fit_their_codes() {
    for reason in Reason::ALL {
        assert!(reason.http_status().is_client_error(), "{reason}");
        assert_ne!(reason.code(), Code::Ok, "{reason}");
        assert!(reason.as_str().chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{reason}");
    }
}

/// A text for users goes with the transcoder's own refusals, chosen by the request's headers; the service's are its
/// own affair.
#[tokio::test]
async fn own_refusals_are_localized() {
    let mut options = Options::new("testing");
    options.localize = Some(|reason, headers| {
        let locale = headers.get("accept-language").filter(|language| *language == "pl").map(|_| "pl")?;
        Some(Localized { locale, message: format!("po polsku: {reason}") })
    });
    let server = Server::with(options).await;
    let localized = async |method: &str, path: &str, language: &str| {
        let request = server.request(method, path).header("accept-language", language);
        let details = server.send(request).await.json()["error"]["details"].clone();
        let text = |detail: &serde_json::Value| {
            detail["@type"].as_str().unwrap().ends_with("google.rpc.LocalizedMessage")
        };
        details.as_array().unwrap().iter().find(|detail| text(detail)).cloned()
    };
    let expected = |reason: Reason| {
        json!({
            "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
            "locale": "pl",
            "message": format!("po polsku: {reason}"),
        })
    };
    let polish = localized("GET", "/v1/nothing", "pl").await;
    assert_eq!(polish, Some(expected(Reason::NoSuchRoute)));
    let polish = localized("PUT", "/v1/books/a", "pl").await;
    assert_eq!(polish, Some(expected(Reason::MethodNotAllowed)));
    assert_eq!(localized("GET", "/v1/nothing", "en").await, None);
    assert_eq!(localized("POST", "/v1/failures/5", "pl").await, None);
}
