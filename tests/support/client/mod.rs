//! A player's program: the same verbs over gRPC, or over REST and server-sent events.

mod failure;
mod grpc;
mod order;
pub(crate) mod rest;
mod sse;

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage};
use remik::proto::{DESCRIPTORS, v1};
use uuid::Uuid;

use grpc::Grpc;
use rest::Rest;

pub(crate) use failure::{Failure, Refused};
pub(crate) use order::{Command, Order};

/// Which way a client goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Via {
    Grpc,
    Rest,
}

/// What a client talks through.
#[derive(Debug, Clone)]
enum Transport {
    Grpc(Grpc),
    Rest(Rest),
}

/// Somebody who talks to one instance, with or without a token.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    transport: Transport,
    /// The player's id; empty for somebody without a token.
    pub(crate) id: String,
    pub(crate) token: String,
}

/// What every command is answered with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) version: u32,
    pub(crate) made: v1::GameMove,
    pub(crate) view: v1::GameView,
}

/// A stream of a game.
pub(crate) enum Watch {
    Grpc(Box<tonic::Streaming<v1::WatchGameResponse>>),
    Rest(Box<sse::Events>),
}

impl Client {
    /// A client without a token.
    pub(crate) fn nobody(url: &str, via: Via) -> Self {
        Self { transport: Transport::new(url, via, ""), id: String::new(), token: String::new() }
    }

    /// A new guest.
    pub(crate) async fn guest(url: &str, via: Via, name: &str) -> Result<Self, Failure> {
        let nobody = Self::nobody(url, via);
        let asked = v1::CreateGuestRequest { display_name: name.to_owned() };
        let made = match &nobody.transport {
            Transport::Grpc(grpc) => grpc.guest(asked).await?,
            Transport::Rest(rest) => rest.guest(asked).await?,
        };
        let player = made.player.unwrap();
        assert_eq!((player.display_name.as_str(), player.guest), (name, true));
        Ok(Self { transport: Transport::new(url, via, &made.token), id: player.player_id, token: made.token })
    }

    /// The same player at another instance, or by another way.
    pub(crate) fn at(&self, url: &str, via: Via) -> Self {
        let transport = Transport::new(url, via, &self.token);
        Self { transport, id: self.id.clone(), token: self.token.clone() }
    }

    /// Opens a table.
    pub(crate) async fn create(
        &self,
        request: v1::CreateGameRequest,
    ) -> Result<v1::CreateGameResponse, Failure> {
        match &self.transport {
            Transport::Grpc(grpc) => grpc.create(request).await,
            Transport::Rest(rest) => rest.create(request).await,
        }
    }

    /// Gives a command.
    pub(crate) async fn send(&self, order: &Order) -> Result<Answer, Failure> {
        match &self.transport {
            Transport::Grpc(grpc) => grpc.send(order).await,
            Transport::Rest(rest) => rest.send(order).await,
        }
    }

    /// Looks at a game as it is.
    pub(crate) async fn look(&self, game: &str) -> Result<v1::GameView, Failure> {
        self.look_by(game, 0, "").await
    }

    /// Looks at a game with at least the moves up to a number, with its invite code or none.
    pub(crate) async fn look_by(
        &self,
        game: &str,
        at_least_version: u32,
        invite_code: &str,
    ) -> Result<v1::GameView, Failure> {
        let (game_id, invite_code) = (game.to_owned(), invite_code.to_owned());
        let asked = v1::GetGameRequest { game_id, at_least_version, invite_code };
        match &self.transport {
            Transport::Grpc(grpc) => grpc.look(asked).await,
            Transport::Rest(rest) => rest.look(asked).await,
        }
    }

    /// Asks for the steps that may be taken after a move that was seen.
    pub(crate) async fn legal_moves(
        &self,
        game: &str,
        at_least: u32,
    ) -> Result<v1::GetLegalMovesResponse, Failure> {
        match &self.transport {
            Transport::Grpc(grpc) => grpc.legal_moves(game, at_least).await,
            Transport::Rest(rest) => rest.legal_moves(game, at_least).await,
        }
    }

    /// Watches a game from behind a move on, or from a snapshot.
    pub(crate) async fn watch(&self, game: &str, after: Option<u32>) -> Result<Watch, Failure> {
        self.watch_by(game, after, "").await
    }

    /// Watches a game with its invite code, or with none.
    pub(crate) async fn watch_by(
        &self,
        game: &str,
        after_version: Option<u32>,
        invite_code: &str,
    ) -> Result<Watch, Failure> {
        let (game_id, invite_code) = (game.to_owned(), invite_code.to_owned());
        let asked = v1::WatchGameRequest { game_id, after_version, invite_code, ..Default::default() };
        match &self.transport {
            Transport::Grpc(grpc) => grpc.watch(asked).await,
            Transport::Rest(rest) => rest.watch(asked).await,
        }
    }
}

impl Transport {
    fn new(url: &str, via: Via, token: &str) -> Self {
        match via {
            Via::Grpc => Self::Grpc(Grpc::new(url, token)),
            Via::Rest => Self::Rest(Rest::new(url, token)),
        }
    }
}

impl Watch {
    /// The next item; `None` at a good end.
    pub(crate) async fn next(&mut self) -> Result<Option<v1::WatchGameResponse>, Failure> {
        match self {
            Self::Grpc(stream) => stream.message().await.map_err(Failure::from),
            Self::Rest(events) => events.next().await,
        }
    }
}

impl Answer {
    /// The answer without the only part that differs when it is given once more.
    pub(crate) fn timeless(mut self) -> Self {
        self.view.server_time = None;
        self
    }
}

/// A new request id.
pub(crate) fn fresh_id() -> Uuid {
    Uuid::new_v4()
}

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap());

/// A message of the API from canonical JSON, read by another program than the one that wrote it.
pub(crate) fn from_json<M: Message + Default>(name: &str, json: &str) -> M {
    let descriptor = POOL.get_message_by_name(&format!("remik.v1.{name}")).unwrap();
    let mut reader = serde_json::Deserializer::from_str(json);
    let message = DynamicMessage::deserialize(descriptor, &mut reader)
        .unwrap_or_else(|error| panic!("no {name}: {error}\n{json}"));
    message.transcode_to().unwrap()
}

/// A message of the API as canonical JSON.
pub(crate) fn to_json<M: Message>(name: &str, message: &M) -> serde_json::Value {
    let mut dynamic = DynamicMessage::new(POOL.get_message_by_name(&format!("remik.v1.{name}")).unwrap());
    dynamic.transcode_from(message).unwrap();
    debug_assert_eq!(dynamic.descriptor().name(), name);
    serde_json::to_value(dynamic).unwrap()
}
