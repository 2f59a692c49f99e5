//! Every refusal has a text for players in the language that they ask for, whoever refuses and over whichever way.

use futures::StreamExt;
use http::uri::PathAndQuery;
use prost::Message;
use remik::proto::v1::{
    CreateGuestRequest, DrawRequest, DrawSource, GetGameRequest, WatchGameRequest,
    game_service_client::GameServiceClient,
};
use reqwest::{Method, RequestBuilder, header};
use tonic::{
    Code, Request,
    metadata::AsciiMetadataValue,
    transport::{Channel, Endpoint},
};

use crate::{
    client::{Failure, Refused, Via, fresh_id, rest::refusal},
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, TestDatabase, fresh},
};

const NO_GAME: &str = "01912345-0000-7000-8000-000000000000";

/// Nothing of this depends on the database.
async fn start() -> (Service, TestDatabase) {
    let database = fresh(Backend::Sqlite).await;
    (Service::start(&database.url).await, database)
}

fn channel(service: &Service) -> Channel {
    Endpoint::from_shared(service.url.clone()).unwrap().connect_lazy()
}

fn asking<T>(message: T, token: &str, language: &str) -> Request<T> {
    let mut request = Request::new(message);
    let value = |text: String| text.parse::<AsciiMetadataValue>().unwrap();
    request.metadata_mut().insert("authorization", value(format!("Bearer {token}")));
    request.metadata_mut().insert("accept-language", value(language.to_owned()));
    request
}

/// The text of a refusal and its language.
#[track_caller]
fn text(refused: &Refused) -> (&str, &str) {
    let (locale, text) = refused.text.as_deref().unwrap();
    (locale, text)
}

async fn refused_by_rest(request: RequestBuilder) -> Refused {
    refusal(request.send().await.unwrap()).await.refused()
}

#[tokio::test]
async fn players_are_told_in_their_language() {
    let (service, _database) = start().await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    get_ready(&party).await;
    let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat;
    let waiting = &party.players[1 - turn as usize];
    let english = format!("It isn't your turn: seat {} is playing.", turn + 1);
    let polish = format!("To nie Twoja kolej: teraz gra miejsce {}.", turn + 1);
    let http = reqwest::Client::new();
    let mut games = GameServiceClient::new(channel(&service));
    for (asked, expected) in [
        ("pl", ("pl", &polish)),
        ("pl-PL,pl;q=0.9,en-US;q=0.8", ("pl", &polish)),
        ("en;q=0.5, pl;q=0.6", ("pl", &polish)),
        ("en", ("en", &english)),
        ("de, *", ("en", &english)),
        ("de", ("en", &english)),
        ("no language at all", ("en", &english)),
    ] {
        let draw = DrawRequest {
            game_id: party.game.clone(),
            request_id: fresh_id().to_string(),
            known_version: 0,
            source: DrawSource::Stock.into(),
        };
        let status = games.draw(asking(draw, &waiting.token, asked)).await.unwrap_err();
        let by_grpc = Failure::from(status).refused();
        let body = format!("{{\"requestId\":\"{}\",\"source\":\"DRAW_SOURCE_STOCK\"}}", fresh_id());
        let request = http.post(format!("{}/v1/games/{}:draw", service.url, party.game));
        let request = request.bearer_auth(&waiting.token).header(header::ACCEPT_LANGUAGE, asked);
        let by_rest =
            refused_by_rest(request.header(header::CONTENT_TYPE, "application/json").body(body)).await;
        assert_eq!(by_grpc, by_rest, "{asked}");
        assert_eq!(text(&by_rest), (expected.0, expected.1.as_str()), "{asked}");
        assert_eq!(by_rest.metadata["turn"], turn.to_string());
    }
    // Nothing asked for.
    let order = crate::client::Order::new(&party.game, 0, crate::client::Command::Undo);
    for via in [Via::Grpc, Via::Rest] {
        let refused = waiting.at(&service.url, via).send(&order).await.unwrap_err().refused();
        assert_eq!(text(&refused), ("en", english.as_str()));
    }
}

/// A refusal that comes at the end of a stream, behind messages.
#[tokio::test]
async fn streams_end_with_a_text() {
    let (mut service, _database) = start().await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let token = &party.players[0].token;
    let asked = WatchGameRequest {
        game_id: party.game.clone(),
        after_version: Some(0),
        ..WatchGameRequest::default()
    };
    let mut games = GameServiceClient::new(channel(&service));
    let mut by_grpc = games.watch_game(asking(asked, token, "pl")).await.unwrap().into_inner();
    let http = reqwest::Client::new();
    let watch = |accept: &'static str| {
        let request = http.get(format!("{}/v1/games/{}:watch?afterVersion=0", service.url, party.game));
        let request = request.bearer_auth(token).header(header::ACCEPT_LANGUAGE, "pl");
        request.header(header::ACCEPT, accept).send()
    };
    let (events, lines) = (watch("text/event-stream").await.unwrap(), watch("*/*").await.unwrap());
    assert_eq!((events.status(), lines.status()), (reqwest::StatusCode::OK, reqwest::StatusCode::OK));
    assert!(by_grpc.next().await.unwrap().is_ok());
    service.ask_to_stop();
    let expected = "Serwer jest właśnie wyłączany. Spróbuj jeszcze raz.";
    let ended = loop {
        if let Err(status) = by_grpc.next().await.unwrap() {
            break Failure::from(status).refused();
        }
    };
    assert_eq!((ended.reason.as_str(), text(&ended)), ("DRAINING", ("pl", expected)));
    for body in [events.text().await.unwrap(), lines.text().await.unwrap()] {
        let last = body.trim_end().lines().last().unwrap();
        assert!(last.contains(expected) && last.contains("\"locale\":\"pl\""), "{last}");
    }
    assert!(service.ended(std::time::Duration::from_secs(30)).await.success());
}

#[tokio::test]
async fn what_rest_refuses_itself_has_a_text() {
    let (service, _database) = start().await;
    let http = reqwest::Client::new();
    let guests = "/v1/guests";
    let large = format!("{{\"displayName\":\"{}\"}}", "x".repeat(70_000));
    for (method, path, kind, body, status, polish) in [
        (Method::GET, "/v1/canasta", "application/json", "", 404, "Pod tym adresem nic nie ma."),
        (Method::DELETE, guests, "application/json", "", 405, "Ten adres nie przyjmuje takiej metody HTTP."),
        (Method::POST, guests, "application/json", "{", 400, "Zapytanie jest nieprawidłowe."),
        (Method::POST, guests, "application/json", "{\"name\":1}", 400, "Zapytanie jest nieprawidłowe."),
        (Method::POST, guests, "text/plain", "{}", 415, "Treść zapytania musi być w formacie JSON."),
        (Method::POST, guests, "application/json", &large, 413, "Zapytanie jest za duże."),
        (Method::POST, guests, "application/json", "{}", 400, "Podaj nazwę gracza."),
    ] {
        let request = http.request(method.clone(), format!("{}{path}", service.url));
        let request = request.header(header::ACCEPT_LANGUAGE, "pl").header(header::CONTENT_TYPE, kind);
        let response = request.body(body.to_owned()).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{method} {path}");
        assert_eq!(text(&refusal(response).await.refused()), ("pl", polish));
    }
}

#[tokio::test]
async fn what_tonic_refuses_itself_has_a_text() {
    let (service, _database) = start().await;
    let mut grpc = tonic::client::Grpc::new(channel(&service));
    let large = CreateGuestRequest { display_name: "x".repeat(70_000) };
    for (path, message, code, reason, polish) in [
        (
            "/remik.v1.GameService/Cheat",
            CreateGuestRequest::default(),
            Code::Unimplemented,
            "NO_SUCH_METHOD",
            "Nie ma takiej metody.",
        ),
        (
            "/remik.v1.CheatService/Cheat",
            CreateGuestRequest::default(),
            Code::Unimplemented,
            "NO_SUCH_METHOD",
            "Nie ma takiej metody.",
        ),
        (
            "/remik.v1.PlayerService/CreateGuest",
            large,
            Code::InvalidArgument,
            "BODY_TOO_LARGE",
            "Zapytanie jest za duże.",
        ),
    ] {
        grpc.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<CreateGuestRequest, ()>::default();
        let request = asking(message, "", "pl");
        let outcome = grpc.unary(request, PathAndQuery::from_static(path), codec).await;
        let refused = Failure::from(outcome.unwrap_err()).refused();
        assert_eq!((refused.code, refused.reason.as_str()), (code, reason), "{path}");
        assert_eq!(text(&refused), ("pl", polish), "{path}");
    }
    // A call without its message, by a client that goes on over the same connection.
    let http = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let url = format!("{}/remik.v1.PlayerService/CreateGuest", service.url);
    for body in [&b""[..], b"\x02\0\0\0\0", b"\0\0\0\0\x09ab"] {
        let request =
            http.post(&url).header(header::CONTENT_TYPE, "application/grpc").header("te", "trailers");
        let response =
            request.header(header::ACCEPT_LANGUAGE, "pl").body(body.to_vec()).send().await.unwrap();
        let status = tonic::Status::from_header_map(response.headers()).unwrap();
        let refused = Failure::from(status).refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "MALFORMED_REQUEST"));
        assert_eq!(text(&refused), ("pl", "Zapytanie jest nieprawidłowe."));
    }
    assert_eq!(service.stderr(), "");
}

/// gRPC-Web has the status in its body where there is a message before it, else in its headers.
#[tokio::test]
async fn grpc_web_has_the_text() {
    let (service, _database) = start().await;
    let asked = GetGameRequest { game_id: NO_GAME.to_owned(), ..GetGameRequest::default() }.encode_to_vec();
    let mut body = vec![0];
    body.extend(u32::try_from(asked.len()).unwrap().to_be_bytes());
    body.extend(asked);
    let request = reqwest::Client::new().post(format!("{}/remik.v1.GameService/GetGame", service.url));
    let request =
        request.header(header::CONTENT_TYPE, "application/grpc-web+proto").header("x-grpc-web", "1");
    let response = request.header(header::ACCEPT_LANGUAGE, "pl").body(body).send().await.unwrap();
    let status = tonic::Status::from_header_map(response.headers()).unwrap();
    let refused = Failure::from(status).refused();
    assert_eq!(
        (refused.reason.as_str(), text(&refused)),
        ("UNAUTHENTICATED", ("pl", "Zaloguj się ponownie."))
    );
}
