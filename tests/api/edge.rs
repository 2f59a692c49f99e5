//! What lies around the calls: other origins, compression, broken frames, pages.

use std::io::Read;

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use remik::proto::{rpc, v1::CreateGuestRequest};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::json;
use tonic::Code;

use crate::{
    client::{Client, Via},
    service::Service,
    support::database::{Backend, TestDatabase, fresh},
};

/// Nothing of this depends on the database.
async fn start(more: &[&str]) -> (Service, TestDatabase) {
    let database = fresh(Backend::Sqlite).await;
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
    program.args(Service::arguments(&database.url)).args(more);
    (Service::start_by(program).await, database)
}

fn request(service: &Service, method: Method, path: &str) -> RequestBuilder {
    reqwest::Client::new().request(method, format!("{}{path}", service.url))
}

fn text<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

/// What a browser asks before a call from a page elsewhere.
fn preflight(service: &Service, method: &str, path: &str, origin: &str) -> RequestBuilder {
    request(service, Method::OPTIONS, path)
        .header("origin", origin)
        .header("access-control-request-method", method)
        .header("access-control-request-headers", "authorization,content-type,x-grpc-web")
}

const OURS: &str = "https://play.example";

#[tokio::test]
async fn pages_of_allowed_origins_may_call() {
    let (service, _database) = start(&["--cors-origins", "https://play.example,http://localhost:5173"]).await;
    let game = "/v1/games/01912345-0000-7000-8000-000000000000";
    for (method, path) in [
        ("POST", "/v1/games".to_owned()),
        ("GET", format!("{game}:watch")),
        ("POST", "/remik.v1.GameService/GetGame".to_owned()),
    ] {
        let allowed = preflight(&service, method, &path, OURS).send().await.unwrap();
        assert_eq!(allowed.status(), 200, "{path}");
        assert_eq!(text(&allowed, "access-control-allow-origin"), Some(OURS));
        assert_eq!(text(&allowed, "access-control-allow-methods"), Some(method));
        let headers = text(&allowed, "access-control-allow-headers").unwrap();
        assert_eq!(headers, "authorization,content-type,x-grpc-web");
        assert!(text(&allowed, "access-control-max-age").is_some());
        let refused = preflight(&service, method, &path, "https://evil.example").send().await.unwrap();
        assert_eq!(text(&refused, "access-control-allow-origin"), None, "{path}");
    }
    let refused = request(&service, Method::GET, game).header("origin", OURS).send().await.unwrap();
    assert_eq!(refused.status(), 401, "a refusal can be read as well");
    assert_eq!(text(&refused, "access-control-allow-origin"), Some(OURS));
    let exposed = text(&refused, "access-control-expose-headers").unwrap();
    for name in ["grpc-status", "grpc-message", "grpc-status-details-bin", "retry-after"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    // What isn't a browser's question is still told the methods.
    let options =
        request(&service, Method::OPTIONS, "/v1/games").header("origin", OURS).send().await.unwrap();
    assert_eq!((options.status().as_u16(), text(&options, "allow")), (204, Some("GET, HEAD, OPTIONS, POST")));
}

#[tokio::test]
async fn other_pages_may_call_only_if_it_is_configured() {
    let (service, _database) = start(&[]).await;
    let told = preflight(&service, "POST", "/v1/games", OURS).send().await.unwrap();
    assert_eq!((told.status().as_u16(), text(&told, "allow")), (204, Some("GET, HEAD, OPTIONS, POST")));
    assert_eq!(text(&told, "access-control-allow-origin"), None);
    let (service, _database) = start(&["--cors-origins", "*"]).await;
    let told = preflight(&service, "POST", "/v1/games", OURS).send().await.unwrap();
    assert_eq!(text(&told, "access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn large_answers_are_compressed_and_streams_never() {
    let (service, _database) = start(&[]).await;
    let get = |path: &str| request(&service, Method::GET, path).header("accept-encoding", "gzip");
    let plain = request(&service, Method::GET, "/v1/rulesets").send().await.unwrap();
    assert_eq!(text(&plain, "content-encoding"), None);
    let plain = plain.bytes().await.unwrap();
    let packed = get("/v1/rulesets").send().await.unwrap();
    assert_eq!(text(&packed, "content-encoding"), Some("gzip"));
    let packed = packed.bytes().await.unwrap();
    assert!(packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());
    assert_eq!(unpack(&packed), plain);
    assert_eq!(text(&get("/healthz").send().await.unwrap(), "content-encoding"), None, "too small");

    let client = Client::guest(&service.url, Via::Rest, "Ala").await.unwrap();
    let asked = json!({"requestId": uuid::Uuid::new_v4().to_string()});
    let made = request(&service, Method::POST, "/v1/games").bearer_auth(&client.token).json(&asked);
    let made: serde_json::Value = made.send().await.unwrap().json().await.unwrap();
    let path = format!("/v1/games/{}:watch", made["view"]["gameId"].as_str().unwrap());
    for (accept, kind) in [("text/event-stream", "text/event-stream"), ("*/*", "application/x-ndjson")] {
        let watch = get(&path).bearer_auth(&client.token).header("accept", accept).send().await.unwrap();
        assert_eq!((watch.status().as_u16(), text(&watch, "content-type")), (200, Some(kind)));
        assert_eq!(text(&watch, "content-encoding"), None, "{accept}");
    }
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut plain).unwrap();
    plain
}

/// A frame of gRPC.
fn frame(flag: u8, length: usize, message: &[u8]) -> Bytes {
    let mut frame = BytesMut::new();
    frame.put_u8(flag);
    frame.put_u32(length as u32);
    frame.put(message);
    frame.freeze()
}

#[tokio::test]
async fn broken_frames_are_the_callers_fault() {
    let (service, _database) = start(&[]).await;
    let guest = CreateGuestRequest { display_name: "Ala".to_owned() }.encode_to_vec();
    let http2 = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut bomb, &vec![0; 10 << 20]).unwrap();
    let bomb = bomb.finish().unwrap();
    let malformed = (Code::InvalidArgument, "MALFORMED_REQUEST");
    let too_large = (Code::InvalidArgument, "BODY_TOO_LARGE");
    let cases = [
        ("nothing", Bytes::new(), malformed),
        ("a part of the prefix", Bytes::from_static(b"\0\0\0"), malformed),
        ("a message cut off", frame(0, 100, &guest), malformed),
        ("an unknown flag", frame(7, guest.len(), &guest), malformed),
        ("compressed with nothing", frame(1, guest.len(), &guest), malformed),
        ("too large", frame(0, 1 << 20, &[0; 1 << 20]), too_large),
        ("too large by its own word", frame(0, u32::MAX as usize, &guest), too_large),
    ];
    let packed = [
        ("no gzip", frame(1, guest.len(), &guest), malformed),
        ("large when unpacked", frame(1, bomb.len(), &bomb), too_large),
    ];
    let cases = cases.map(|case| (None, case)).into_iter().chain(packed.map(|case| (Some("gzip"), case)));
    for (encoding, (what, body, (code, reason))) in cases {
        for kind in ["application/grpc", "application/grpc-web+proto"] {
            let mut request = http2.post(format!("{}/remik.v1.PlayerService/CreateGuest", service.url));
            request = request.header("content-type", kind).header("te", "trailers").body(body.clone());
            if let Some(encoding) = encoding {
                request = request.header("grpc-encoding", encoding);
            }
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 200);
            let status = tonic::Status::from_header_map(response.headers()).unwrap();
            let whole = rpc::Status::decode(status.details()).unwrap();
            let told = rpc::ErrorInfo::decode(&*whole.details[0].value).unwrap().reason;
            assert_eq!((status.code(), told.as_str()), (code, reason), "{what}: {status:?}");
        }
    }
    assert_eq!(service.stderr(), "");
}

/// gRPC compresses in both directions for who asks for it.
#[tokio::test]
async fn grpc_is_compressed_if_the_client_wants_it() {
    use remik::proto::v1::{ListRulesetsRequest, ruleset_service_client::RulesetServiceClient};
    use tonic::codec::CompressionEncoding::Gzip;
    let (service, _database) = start(&[]).await;
    let client = RulesetServiceClient::connect(service.url.clone()).await.unwrap();
    for packed in [false, true] {
        let mut client = client.clone();
        if packed {
            client = client.accept_compressed(Gzip).send_compressed(Gzip);
        }
        let answer = client.list_rulesets(ListRulesetsRequest {}).await.unwrap();
        let encoding = answer.metadata().get("grpc-encoding").map(|value| value.to_str().unwrap());
        assert_eq!(encoding, packed.then_some("gzip"));
        assert!(!answer.into_inner().presets.is_empty());
    }
}

/// The documentation draws itself from what the service serves, and from nothing else.
#[tokio::test]
async fn the_documentation_needs_no_other_server() {
    let (service, _database) = start(&[]).await;
    let page = request(&service, Method::GET, "/docs").send().await.unwrap();
    assert_eq!(text(&page, "content-type"), Some("text/html; charset=utf-8"));
    let policy = text(&page, "content-security-policy").unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert!(!policy.contains("http") && !policy.contains("unsafe"), "{policy}");
    let mut unread = vec![("/docs".to_owned(), page.text().await.unwrap())];
    let mut read = Vec::new();
    while let Some((path, source)) = unread.pop() {
        assert!(!source.contains("://"), "{path} refers to another server");
        read.push(path);
        // What it refers to: addresses in quotes with the ending of a file.
        for name in source.split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
            let path = format!("/docs/{}", name.trim_start_matches("./").trim_start_matches("docs/"));
            if read.contains(&path) || unread.iter().any(|(other, _)| *other == path) {
                continue;
            }
            let file = request(&service, Method::GET, &path).send().await.unwrap();
            assert_eq!(file.status(), 200, "{path}");
            unread.push((path, file.text().await.unwrap()));
        }
    }
    assert_eq!(read.len(), 6, "{read:?}");
    assert_eq!(request(&service, Method::GET, "/docs/none.js").send().await.unwrap().status(), 404);
    assert_eq!(request(&service, Method::GET, "/docs/..%2findex.html").send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn what_a_client_has_already_is_not_sent_again() {
    let (service, _database) = start(&[]).await;
    for path in ["/openapi.json", "/docs", "/v1/rulesets"] {
        let first = request(&service, Method::GET, path).send().await.unwrap();
        let tag = text(&first, "etag").unwrap_or_else(|| panic!("{path}")).to_owned();
        assert!(!first.bytes().await.unwrap().is_empty());
        let again = request(&service, Method::GET, path).header("if-none-match", &tag).send().await.unwrap();
        assert_eq!((again.status().as_u16(), text(&again, "etag")), (304, Some(tag.as_str())), "{path}");
        assert!(again.bytes().await.unwrap().is_empty());
        let other =
            request(&service, Method::GET, path).header("if-none-match", "\"other\"").send().await.unwrap();
        assert_eq!(other.status(), 200, "{path}");
    }
    let head = request(&service, Method::HEAD, "/openapi.json").send().await.unwrap();
    assert_eq!((head.status().as_u16(), text(&head, "content-type")), (200, Some("application/json")));
}
