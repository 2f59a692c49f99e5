//! Over REST, as any HTTP program would do it.

use prost::Message;
use remik::proto::v1;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value as Json, json};
use tonic::Code;

use super::{Answer, Command, Failure, Order, Refused, Watch, documented, from_json, sse::Events, to_json};

#[derive(Debug, Clone)]
pub(crate) struct Rest {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Rest {
    pub(super) fn new(url: &str, token: &str) -> Self {
        Self { http: reqwest::Client::new(), url: url.to_owned(), token: token.to_owned() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        if self.token.is_empty() { request } else { request.bearer_auth(&self.token) }
    }

    async fn post<M: Message + Default>(&self, path: &str, body: &Json, name: &str) -> Result<M, Failure> {
        let outcome = answer(self.request(Method::POST, path).json(body), name).await;
        self.documented(Method::POST, path, outcome).await
    }

    async fn get<M: Message + Default>(&self, path: &str, name: &str) -> Result<M, Failure> {
        let outcome = answer(self.request(Method::GET, path), name).await;
        self.documented(Method::GET, path, outcome).await
    }

    /// The outcome of a call; what it is refused for has to be in the service's document.
    async fn documented<T>(
        &self,
        method: Method,
        path: &str,
        outcome: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if let Err(failure) = &outcome {
            documented::check(&self.url, &method, path, failure).await;
        }
        outcome
    }

    pub(super) async fn guest(
        &self,
        asked: v1::CreateGuestRequest,
    ) -> Result<v1::CreateGuestResponse, Failure> {
        self.post("/v1/guests", &to_json("CreateGuestRequest", &asked), "CreateGuestResponse").await
    }

    pub(super) async fn create(
        &self,
        asked: v1::CreateGameRequest,
    ) -> Result<v1::CreateGameResponse, Failure> {
        self.post("/v1/games", &to_json("CreateGameRequest", &asked), "CreateGameResponse").await
    }

    pub(super) async fn look(&self, asked: v1::GetGameRequest) -> Result<v1::GameView, Failure> {
        let v1::GetGameRequest { game_id, at_least_version, invite_code } = asked;
        let path = format!("/v1/games/{game_id}?atLeastVersion={at_least_version}&inviteCode={invite_code}");
        let shown: v1::GetGameResponse = self.get(&path, "GetGameResponse").await?;
        Ok(shown.view.unwrap())
    }

    pub(super) async fn legal_moves(
        &self,
        game: &str,
        at_least: u32,
    ) -> Result<v1::GetLegalMovesResponse, Failure> {
        let path = format!("/v1/games/{game}/legalMoves?atLeastVersion={at_least}");
        self.get(&path, "GetLegalMovesResponse").await
    }

    pub(super) async fn watch(&self, asked: v1::WatchGameRequest) -> Result<Watch, Failure> {
        let path = format!("/v1/games/{}:watch?inviteCode={}", asked.game_id, asked.invite_code);
        let mut request = self.request(Method::GET, &path).header("accept", "text/event-stream");
        if let Some(after) = asked.after_version {
            request = request.header("last-event-id", after.to_string());
        }
        let response = request.send().await.map_err(lost)?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Ok(Watch::Rest(Box::new(Events::new(response))))
    }

    pub(super) async fn send(&self, order: &Order) -> Result<Answer, Failure> {
        let (verb, body) = order.in_rest();
        let path = match order.command {
            Command::JoinByCode(_) => format!("/v1/games:{verb}"),
            _ => format!("/v1/games/{}:{verb}", order.game),
        };
        // The answers to all commands have the same fields.
        let answer: v1::DrawResponse = self.post(&path, &body, "DrawResponse").await?;
        Ok(Answer { version: answer.version, made: answer.r#move.unwrap(), view: answer.view.unwrap() })
    }
}

async fn answer<M: Message + Default>(request: RequestBuilder, name: &str) -> Result<M, Failure> {
    let response = request.send().await.map_err(lost)?;
    if !response.status().is_success() {
        return Err(refusal(response).await);
    }
    let text = response.text().await.map_err(lost)?;
    Ok(from_json(name, &text))
}

/// What an answer with an error status says.
pub(crate) async fn refusal(response: Response) -> Failure {
    let http = response.status().as_u16();
    let text = match response.text().await {
        Ok(text) => text,
        Err(error) => return lost(error),
    };
    let json: Json = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{http} with {text:?}"));
    let error = &json["error"];
    assert_eq!(error["code"], http);
    Failure::Refused(Refused::from_json(code(error["status"].as_str().unwrap()), error))
}

fn code(name: &str) -> Code {
    let codes = (0..=16).map(Code::from_i32);
    // `NOT_FOUND` for `NotFound`.
    let same = |code: &Code| format!("{code:?}").eq_ignore_ascii_case(&name.replace('_', ""));
    codes.into_iter().find(same).unwrap_or_else(|| panic!("no code {name}"))
}

fn lost(error: reqwest::Error) -> Failure {
    Failure::Lost(format!("{error:?}"))
}

impl Order {
    /// The command's verb in paths, and its body.
    pub(crate) fn in_rest(&self) -> (&'static str, Json) {
        let (verb, mut body) = match &self.command {
            Command::Join(seat) => ("join", json!({"seat": seat})),
            Command::JoinByCode(code) => ("joinByCode", json!({"inviteCode": code})),
            Command::Leave => ("leave", json!({})),
            Command::AddBot(strength) => ("addBot", json!({"strength": strength.as_str_name()})),
            Command::RemoveBot(seat) => ("removeBot", json!({"seat": seat})),
            Command::Ready(seed) => ("ready", json!({"clientSeed": seed})),
            Command::Draw(source) => ("draw", json!({"source": source.as_str_name()})),
            Command::Meld(melds) => {
                let melds: Vec<Json> = melds.iter().map(|cards| json!({"cards": cards})).collect();
                ("meld", json!({"melds": melds}))
            }
            Command::LayOff { meld, cards, end } => {
                ("layOff", json!({"meldId": meld, "cards": cards, "end": end.as_str_name()}))
            }
            Command::SwapJoker { meld, card, joker } => {
                ("swapJoker", json!({"meldId": meld, "card": card, "joker": joker}))
            }
            Command::Discard(card) => ("discard", json!({"card": card})),
            Command::Undo => ("undo", json!({})),
        };
        body["requestId"] = self.request_id.to_string().into();
        if !matches!(self.command, Command::Join(_) | Command::JoinByCode(_)) {
            body["knownVersion"] = self.known_version.into();
        }
        (verb, body)
    }
}
