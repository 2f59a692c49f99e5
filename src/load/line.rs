//! How a player's commands reach the service.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use prost::Message;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_types::StatusExt;

use super::arrivals::Arrivals;
use super::{Target, Via};
use crate::codec::json;
use crate::proto::v1::game_service_client::GameServiceClient;
use crate::proto::v1::play_answer::Outcome;
use crate::proto::v1::play_request::Kind;
use crate::proto::v1::watch_game_response::Item;
use crate::proto::v1::{PlayRequest, PlayResponse, Played, Subscribe, WatchGameRequest, play_response};

/// Why a command wasn't carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct Trouble {
    /// The reason that the service gave, or the gRPC code where it gave none.
    pub reason: String,
    /// What was said.
    pub message: String,
    /// Whether it isn't known what became of the command, or it was only too early: the same is sent once more.
    pub again: bool,
}

impl From<Status> for Trouble {
    fn from(status: Status) -> Self {
        let again = matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled);
        let info = status.get_details_error_info();
        let reason = info.map_or_else(|| format!("{:?}", status.code()), |info| info.reason);
        Self { reason, message: status.message().to_owned(), again }
    }
}

impl Trouble {
    fn broken(error: &dyn std::fmt::Display) -> Self {
        Self { reason: "CONNECTION".to_owned(), message: error.to_string(), again: true }
    }
}

/// A player's way to the service.
pub(super) enum Line {
    Calls,
    Rest { http: reqwest::Client, target: Target },
    Play(Stream),
}

impl Line {
    pub(super) fn new(via: Via, http: &reqwest::Client, target: &Target) -> Self {
        match via {
            Via::Calls => Self::Calls,
            Via::Rest => Self::Rest { http: http.clone(), target: target.clone() },
            Via::Play => Self::Play(Stream::default()),
        }
    }
}

/// Somebody who can ask.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) games: GameServiceClient<Channel>,
    pub(super) bearer: MetadataValue<Ascii>,
}

impl Caller {
    pub(super) fn ask<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.bearer.clone());
        request
    }

    /// Sends a command as a call of its own.
    pub(super) async fn call(&self, command: Kind) -> Result<Played, Trouble> {
        macro_rules! call {
            ($($kind:ident: $method:ident),+) => {
                match command {
                    $(Kind::$kind(request) => {
                        let answer = self.games.clone().$method(self.ask(request)).await?.into_inner();
                        Ok(Played { version: answer.version, r#move: answer.r#move, view: answer.view })
                    })+
                    _ => Err(Status::internal("not a command of a game that runs").into()),
                }
            };
        }
        call!(Ready: ready, Draw: draw, Meld: meld, LayOff: lay_off, SwapJoker: swap_joker, Discard: discard, Undo: undo)
    }

    /// Sends a command over REST.
    pub(super) async fn post(
        &self,
        http: &reqwest::Client,
        target: &Target,
        command: &Kind,
    ) -> Result<Played, Trouble> {
        macro_rules! written {
            ($($kind:ident: $verb:literal, $name:literal);+) => {
                match command {
                    $(Kind::$kind(request) => {
                        ($verb, request.game_id.as_str(), json::encode(concat!("remik.v1.", $name), request))
                    })+
                    _ => return Err(Status::internal("not a command of a game that runs").into()),
                }
            };
        }
        let (verb, game, body) = written!(Ready: "ready", "ReadyRequest"; Draw: "draw", "DrawRequest";
            Meld: "meld", "MeldRequest"; LayOff: "layOff", "LayOffRequest";
            SwapJoker: "swapJoker", "SwapJokerRequest"; Discard: "discard", "DiscardRequest";
            Undo: "undo", "UndoRequest");
        let request = http.post(target.url(&format!("/v1/games/{game}:{verb}")));
        let request = request.header("authorization", self.bearer.as_bytes());
        let request = request.header("content-type", "application/json").body(body);
        let answer = request.send().await.map_err(|error| Trouble::broken(&error))?;
        let (status, text) = (answer.status(), answer.text().await.map_err(|error| Trouble::broken(&error))?);
        if status.is_success() {
            return json::decode("remik.v1.Played", &text).map_err(|error| Trouble::broken(&error));
        }
        let refusal: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let details = refusal["error"]["details"].as_array();
        let reason = details.and_then(|details| details.iter().find_map(|detail| detail["reason"].as_str()));
        Err(Trouble {
            reason: reason.map_or_else(|| status.as_u16().to_string(), str::to_owned),
            message: refusal["error"]["message"].as_str().unwrap_or(&text).to_owned(),
            again: status.as_u16() == 503,
        })
    }

    /// Follows a game on a stream of its own, to its end.
    pub(super) async fn watch(
        &self,
        game_id: String,
        after: u32,
        arrivals: Arc<Arrivals>,
    ) -> Result<(), Trouble> {
        let asked = WatchGameRequest { game_id, after_version: Some(after), ..Default::default() };
        let mut items = self.games.clone().watch_game(self.ask(asked)).await?.into_inner();
        tokio::spawn(async move {
            while let Some(Ok(item)) = items.next().await {
                if let Some(Item::Move(_)) = item.item {
                    arrivals.seen(item.version);
                }
            }
        });
        Ok(())
    }
}

/// A stream of games, over which one command at a time is under way.
#[derive(Default)]
pub(super) struct Stream {
    sender: Option<mpsc::Sender<PlayRequest>>,
    waiting: Arc<Mutex<Option<Waiting>>>,
}

struct Waiting {
    request_id: String,
    told: oneshot::Sender<Result<Played, Trouble>>,
}

impl Stream {
    /// Opens the stream and follows a game on it, unless it is open.
    pub(super) async fn open(&mut self, caller: &Caller, arrivals: &Arc<Arrivals>) -> Result<(), Trouble> {
        if self.sender.as_ref().is_some_and(|sender| !sender.is_closed()) {
            return Ok(());
        }
        let (sender, receiver) = mpsc::channel(4);
        let request = caller.ask(ReceiverStream::new(receiver));
        let responses = caller.games.clone().play(request).await?.into_inner();
        tokio::spawn(read(responses, Arc::clone(&self.waiting), Arc::clone(arrivals)));
        self.sender = Some(sender);
        Ok(())
    }

    /// Follows a game from behind a move.
    pub(super) async fn subscribe(&self, game_id: String, after: u32) -> Result<(), Trouble> {
        let subscribe = Subscribe { game_id, after_version: Some(after), ..Default::default() };
        self.write(Kind::Subscribe(subscribe)).await
    }

    /// Sends a command and waits for its answer.
    pub(super) async fn send(&self, request_id: String, command: Kind) -> Result<Played, Trouble> {
        let (told, answer) = oneshot::channel();
        *waiting(&self.waiting) = Some(Waiting { request_id, told });
        self.write(command).await?;
        answer.await.unwrap_or_else(|_| Err(Trouble::broken(&"the stream has ended")))
    }

    async fn write(&self, kind: Kind) -> Result<(), Trouble> {
        let gone = || Trouble::broken(&"the stream has ended");
        let sender = self.sender.as_ref().ok_or_else(gone)?;
        sender.send(PlayRequest { kind: Some(kind), omit_view: false }).await.map_err(|_| gone())
    }
}

/// Hands on what the service sends, to the end of the stream. Whoever waits then is told so.
async fn read(
    mut responses: Streaming<PlayResponse>,
    slot: Arc<Mutex<Option<Waiting>>>,
    arrivals: Arc<Arrivals>,
) {
    while let Some(Ok(response)) = responses.next().await {
        match response.kind {
            Some(play_response::Kind::Answer(answer)) => {
                let waits = waiting(&slot).take_if(|waits| waits.request_id == answer.request_id);
                if let (Some(waits), Some(outcome)) = (waits, answer.outcome) {
                    // Nobody waits any more if the time is up.
                    let _ = waits.told.send(match outcome {
                        Outcome::Played(played) => Ok(played),
                        Outcome::Refusal(status) => {
                            let details = status.encode_to_vec().into();
                            Err(Status::with_details(status.code.into(), status.message, details).into())
                        }
                    });
                }
            }
            Some(play_response::Kind::Item(item)) => {
                if let Some((Some(Item::Move(_)), version)) = item.item.map(|item| (item.item, item.version))
                {
                    arrivals.seen(version);
                }
            }
            _ => {}
        }
    }
    waiting(&slot).take();
}

fn waiting(slot: &Mutex<Option<Waiting>>) -> MutexGuard<'_, Option<Waiting>> {
    // No code panics while it holds the lock.
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
