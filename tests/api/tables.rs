//! Tables that wait for their first deal, as the tests of the lobby see them.

use remik::proto::v1::lobby_service_client::LobbyServiceClient;
use remik::proto::v1::{GameView, WatchLobbyRequest, WatchLobbyResponse, watch_lobby_response::Item};
use serde_json::{Value as Json, json};
use tokio::time::timeout;
use tonic::{Request, Streaming, transport::Endpoint};

use crate::{
    call::{Credentials, call},
    client::{Client, Failure, Via, fresh_id, from_json, rest::refusal},
    clocks::BOUND,
};

/// Asks something of the lobby's service.
pub(crate) async fn ask(
    url: &str,
    via: Via,
    who: &Client,
    method: &str,
    request: &Json,
) -> Result<Json, Failure> {
    call(url, via, &format!("remik.v1.LobbyService/{method}"), request, &Credentials::token(&who.token)).await
}

/// A command at a table, as the lobby's service takes them.
pub(crate) fn command(game: &str, more: &Json) -> Json {
    let mut command = json!({"gameId": game, "requestId": fresh_id().to_string()});
    command.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    command
}

/// Somebody opens a table.
pub(crate) async fn open(url: &str, host: &Client, request: Json) -> GameView {
    let mut asked = json!({"requestId": fresh_id().to_string(), "seats": 2});
    asked.as_object_mut().unwrap().extend(request.as_object().unwrap().clone());
    let credentials = Credentials::token(&host.token);
    let made = call(url, Via::Grpc, "remik.v1.GameService/CreateGame", &asked, &credentials).await.unwrap();
    from_json("GameView", &made["view"].to_string())
}

/// Somebody sits down at a table that he knows by its id.
pub(crate) async fn sit(url: &str, via: Via, who: &Client, game: &str) -> Result<Json, Failure> {
    let credentials = Credentials::token(&who.token);
    call(url, via, "remik.v1.GameService/JoinGame", &command(game, &json!({})), &credentials).await
}

/// The stream of the lobby.
pub(crate) enum Watched {
    Grpc(Box<Streaming<WatchLobbyResponse>>),
    Rest { response: reqwest::Response, text: String },
}

impl Watched {
    pub(crate) async fn open(
        url: &str,
        via: Via,
        who: &Client,
        asked: WatchLobbyRequest,
    ) -> Result<Self, Failure> {
        match via {
            Via::Grpc => {
                let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
                let mut request = Request::new(asked);
                let bearer = format!("Bearer {}", who.token).parse().unwrap();
                request.metadata_mut().insert("authorization", bearer);
                let stream = LobbyServiceClient::new(channel).watch_lobby(request).await?.into_inner();
                Ok(Self::Grpc(Box::new(stream)))
            }
            Via::Rest => {
                let languages = asked.languages.iter().map(|tag| format!("languages={tag}"));
                let free = format!("freeSeats={}", asked.free_seats);
                let query = languages.chain([free]).collect::<Vec<_>>().join("&");
                let mut request = reqwest::Client::new()
                    .get(format!("{url}/v1/tables:watch?{query}"))
                    .header("accept", "text/event-stream")
                    .bearer_auth(&who.token);
                if !asked.after_position.is_empty() {
                    request = request.header("last-event-id", &asked.after_position);
                }
                let response = request.send().await.unwrap();
                if !response.status().is_success() {
                    return Err(refusal(response).await);
                }
                Ok(Self::Rest { response, text: String::new() })
            }
        }
    }

    /// The next item but for heartbeats, in time.
    pub(crate) async fn next(&mut self) -> (String, Item) {
        loop {
            let item = timeout(BOUND, self.any()).await.expect("an item in time");
            match item.item.unwrap() {
                Item::Heartbeat(_) => {}
                other => return (item.position, other),
            }
        }
    }

    async fn any(&mut self) -> WatchLobbyResponse {
        match self {
            Self::Grpc(stream) => stream.message().await.unwrap().expect("the stream goes on"),
            Self::Rest { response, text } => loop {
                if let Some((event, rest)) = text.split_once("\n\n") {
                    let (event, rest) = (event.to_owned(), rest.to_owned());
                    *text = rest;
                    let field = |name: &str| {
                        event
                            .lines()
                            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                            .map(str::trim)
                    };
                    let Some(data) = field("data") else { continue };
                    let item: WatchLobbyResponse = from_json("WatchLobbyResponse", data);
                    assert_eq!(field("id").unwrap_or_default(), item.position);
                    return item;
                }
                let chunk = response.chunk().await.unwrap().expect("the stream goes on");
                text.push_str(std::str::from_utf8(&chunk).unwrap());
            },
        }
    }

    /// What comes before the stream has caught up: whether it began anew, the tables and what is gone; and the position.
    pub(crate) async fn caught_up(&mut self) -> (bool, Vec<String>, Vec<String>, String) {
        let (mut anew, mut tables, mut gone) = (false, Vec::new(), Vec::new());
        loop {
            match self.next().await {
                (_, Item::Restart(_)) => {
                    (tables, gone) = (Vec::new(), Vec::new());
                    anew = true;
                }
                (_, Item::Table(table)) => tables.push(table.game_id),
                (_, Item::Removed(table)) => gone.push(table.game_id),
                (position, Item::CaughtUp(_)) => return (anew, tables, gone, position),
                (_, Item::Heartbeat(_)) => {}
            }
        }
    }
}
