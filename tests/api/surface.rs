//! What is there besides the calls of players, all on one port.

use std::collections::BTreeSet;

use bytes::{Buf, BufMut, Bytes};
use futures::{StreamExt, stream};
use http::uri::PathAndQuery;
use prost::Message;
use remik::authorization::SERVICES;
use remik::proto::v1::{CreateGuestRequest, CreateGuestResponse};
use reqwest::{Method, header};
use serde_json::Value as Json;
use tonic::{
    Code, Request,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use crate::{
    client::rest::refusal,
    service::Service,
    support::database::{Backend, TestDatabase, fresh},
};

/// Nothing of this depends on the database.
async fn start() -> (Service, TestDatabase) {
    let database = fresh(Backend::Sqlite).await;
    (Service::start(&database.url).await, database)
}

fn channel(service: &Service) -> Channel {
    Endpoint::from_shared(service.url.clone()).unwrap().connect_lazy()
}

#[tokio::test]
async fn reflection_lists_the_services() {
    let (service, _database) = start().await;
    let asked = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(channel(&service));
    let mut answers = client.server_reflection_info(stream::iter([asked])).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(list) = answer else { panic!("{answer:?}") };
    let names: BTreeSet<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    for name in [SERVICES, &["grpc.health.v1.Health"]].concat() {
        assert!(names.contains(name), "{names:?}");
    }
    assert!(names.iter().all(|name| !name.contains("log")), "what is stored isn't published");
}

#[tokio::test]
async fn health_is_told() {
    let (service, _database) = start().await;
    let mut client = HealthClient::new(channel(&service));
    for name in [&[""], SERVICES].concat() {
        let asked = HealthCheckRequest { service: name.to_owned() };
        assert_eq!(client.check(asked).await.unwrap().into_inner().status(), ServingStatus::Serving);
    }
    let response = reqwest::get(format!("{}/healthz", service.url)).await.unwrap();
    assert_eq!((response.status().as_u16(), response.text().await.unwrap().as_str()), (200, "ok"));
}

/// A call by gRPC-Web: the message of the answer, and the text of its trailers.
async fn web_call(service: &Service, method: &str, message: &[u8]) -> (Option<Bytes>, String) {
    let mut body = Vec::new();
    body.put_u8(0);
    body.put_u32(message.len() as u32);
    body.extend(message);
    let request = reqwest::Client::new().post(format!("{}/{method}", service.url)).header("x-grpc-web", "1");
    let request = request.header(header::CONTENT_TYPE, "application/grpc-web+proto").body(body);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/grpc-web+proto");
    let mut trailers: String = response
        .headers()
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("grpc-"))
        .map(|(name, value)| format!("{name}:{}\r\n", value.to_str().unwrap()))
        .collect();
    let mut rest = response.bytes().await.unwrap();
    let mut message = None;
    while rest.has_remaining() {
        let (kind, length) = (rest.get_u8(), rest.get_u32());
        let frame = rest.split_to(length as usize);
        match kind {
            0 => assert_eq!(message.replace(frame), None),
            0x80 => trailers.push_str(std::str::from_utf8(&frame).unwrap()),
            _ => panic!("a frame of kind {kind}"),
        }
    }
    (message, trailers)
}

#[tokio::test]
async fn grpc_web_is_spoken() {
    let (service, _database) = start().await;
    let create = "remik.v1.PlayerService/CreateGuest";
    let name = |name: &str| CreateGuestRequest { display_name: name.to_owned() }.encode_to_vec();
    let (made, trailers) = web_call(&service, create, &name("Ala")).await;
    assert!(trailers.contains("grpc-status:0"), "{trailers}");
    let player = CreateGuestResponse::decode(made.unwrap()).unwrap().player.unwrap();
    assert_eq!((player.display_name.as_str(), player.guest), ("Ala", true));
    let (made, trailers) = web_call(&service, create, &name("")).await;
    assert!(made.is_none() && trailers.contains("grpc-status:3"), "{trailers}");
}

/// What can't be a call of the API, however it comes, has a status and does no harm.
#[tokio::test]
async fn broken_calls_are_refused_in_grpc() {
    let (service, _database) = start().await;
    let create = "remik.v1.PlayerService/CreateGuest";
    let large = CreateGuestRequest { display_name: "x".repeat(1 << 20) }.encode_to_vec();
    for (method, message, status) in [
        ("remik.v1.PlayerService/Cheat", &b""[..], Some("12")),
        // A text that isn't UTF-8, a text cut short, a field of another type.
        (create, b"\x0a\x02\xff\xfe", Some("3")),
        (create, b"\x0a\x09Ala", Some("3")),
        (create, b"\x08\x07", Some("3")),
        (create, &large, None),
    ] {
        let (made, trailers) = web_call(&service, method, message).await;
        assert_eq!(made, None, "{method} {message:?}");
        let refused = match status {
            Some(status) => trailers.contains(&format!("grpc-status:{status}")),
            None => trailers.contains("grpc-status:") && !trailers.contains("grpc-status:0"),
        };
        assert!(refused, "{method} {trailers}");
    }
    let mut grpc = tonic::client::Grpc::new(channel(&service));
    for path in ["/remik.v1.GameService/Cheat", "/remik.v1.CheatService/Cheat"] {
        grpc.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let outcome = grpc.unary(Request::new(()), PathAndQuery::from_static(path), codec).await;
        assert_eq!(outcome.unwrap_err().code(), Code::Unimplemented, "{path}");
    }
    assert_eq!(service.stderr(), "");
}

#[tokio::test]
async fn the_document_names_every_path() {
    let (service, _database) = start().await;
    let response = reqwest::get(format!("{}/openapi.json", service.url)).await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let document: Json = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document["info"]["title"], "remik");
    let verbs = [
        "join",
        "leave",
        "ready",
        "draw",
        "meld",
        "layOff",
        "swapJoker",
        "discard",
        "undo",
        "addBot",
        "removeBot",
        "resume",
    ];
    let mut expected: BTreeSet<(String, &str)> =
        verbs.iter().map(|verb| (format!("/v1/games/{{game_id}}:{verb}"), "post")).collect();
    expected.extend(
        [
            ("/v1/games", "post"),
            ("/v1/games", "get"),
            ("/v1/games:joinByCode", "post"),
            ("/v1/games:practice", "post"),
            ("/v1/games/{game_id}", "get"),
            ("/v1/games/{game_id}/legalMoves", "get"),
            ("/v1/games/{game_id}:watch", "get"),
            ("/v1/guests", "post"),
            ("/v1/players/{player_id}", "get"),
        ]
        .map(|(path, method)| (path.to_owned(), method)),
    );
    let paths = document["paths"].as_object().unwrap();
    let found: BTreeSet<(String, &str)> = paths
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().keys().map(|method| (path.clone(), method.as_str()))
        })
        .collect();
    assert!(found.is_superset(&expected), "{:?}", expected.difference(&found));
}

#[tokio::test]
async fn the_page_is_served() {
    let (service, _database) = start().await;
    let page = reqwest::get(&service.url).await.unwrap();
    assert!(page.headers()[header::CONTENT_TYPE].to_str().unwrap().starts_with("text/html"));
    assert!(page.text().await.unwrap().contains("<html"));
    let style = reqwest::get(format!("{}/style.css", service.url)).await.unwrap();
    assert!(style.headers()[header::CONTENT_TYPE].to_str().unwrap().starts_with("text/css"));
}

#[tokio::test]
async fn what_is_not_there_is_refused() {
    let (service, _database) = start().await;
    let http = reqwest::Client::new();
    let game = "01912345-0000-7000-8000-000000000000";
    for (method, path, status, reason, allow) in [
        (Method::GET, "/v1/canasta".to_owned(), 404, "NO_SUCH_ROUTE", None),
        (Method::GET, "/index.php".to_owned(), 404, "NO_SUCH_ROUTE", None),
        (Method::POST, format!("/v1/games/{game}:cheat"), 404, "NO_SUCH_ROUTE", None),
        (Method::GET, format!("/v1/games/{game}:draw"), 405, "METHOD_NOT_ALLOWED", Some("OPTIONS, POST")),
        (Method::DELETE, "/v1/games".to_owned(), 405, "METHOD_NOT_ALLOWED", Some("GET, HEAD, OPTIONS, POST")),
        (Method::POST, format!("/v1/games/{game}"), 405, "METHOD_NOT_ALLOWED", Some("GET, HEAD, OPTIONS")),
    ] {
        let response = http.request(method.clone(), format!("{}{path}", service.url)).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{method} {path}");
        let allowed = response.headers().get(header::ALLOW).map(|allow| allow.to_str().unwrap());
        assert_eq!(allowed, allow, "{method} {path}");
        assert_eq!(refusal(response).await.refused().reason, reason, "{method} {path}");
    }
}
