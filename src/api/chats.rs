//! `remik.v1.ChatService`.

mod watch;

use std::pin::Pin;
use std::sync::Arc;

use futures::Stream;
use remik_rules::seat::PlayerId;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::chat::Chats;
use crate::codec::wire::{self, Fault, NewMessage};
use crate::error::ApiError;
use crate::proto::v1::chat_service_server::ChatService;
use crate::proto::v1::*;
use crate::store::{ChatLine, GameId};
use crate::tables::TableError;

/// The service of what is said at tables.
#[derive(Clone)]
pub struct ChatApi {
    api: Api,
    chats: Arc<Chats>,
}

impl ChatApi {
    /// The service over the chats of an instance.
    pub const fn new(api: Api, chats: Arc<Chats>) -> Self {
        Self { api, chats }
    }

    async fn send(&self, request: Request<SendMessageRequest>) -> Result<SendMessageResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::SendMessage).await?;
        let said = NewMessage::try_from(request.into_inner())?;
        let table = self.api.visible(said.game, caller).await?;
        let line = self.chats.say(&table, caller, said.request_id, said.content).await?;
        Ok(SendMessageResponse { message: Some(message(&self.api, &line).await?) })
    }

    async fn list(
        &self,
        metadata: &MetadataMap,
        asked: ListMessagesRequest,
    ) -> Result<ListMessagesResponse, ApiError> {
        let caller = self.api.caller(metadata, Method::ListMessages).await?;
        let size = wire::page_size(asked.page_size)?;
        let before = wire::chat_page_token(&asked.page_token)?;
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let who = self.api.onlooker(game, caller, &asked.invite_code).await?;
        let table = self.api.visible(game, who).await?;
        let page = self.chats.page(&table, who, before, size).await?;
        let players: Vec<PlayerId> = page.lines.iter().map(author).collect();
        let names = self.api.identity.names(&players).await?;
        let next = page.lines.last().filter(|_| page.more).map(|last| last.number.to_string());
        Ok(ListMessagesResponse {
            messages: page.lines.iter().map(|line| wire::chat_message(line, &names)).collect(),
            next_page_token: next.unwrap_or_default(),
            position: page.last,
            mode: wire::chat_mode(self.chats.mode(game).await?).into(),
        })
    }

    async fn delete(
        &self,
        request: Request<DeleteMessageRequest>,
    ) -> Result<DeleteMessageResponse, ApiError> {
        self.api.authorized(request.metadata(), Method::DeleteMessage).await?;
        let asked = request.get_ref();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        if asked.position == 0 {
            return Err(Fault::missing("position").into());
        }
        self.chats.remove(game, asked.position).await?;
        Ok(DeleteMessageResponse {})
    }

    async fn set_mode(&self, request: Request<SetChatModeRequest>) -> Result<SetChatModeResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::SetChatMode).await?;
        let asked = request.get_ref();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let mode = wire::wanted_chat_mode(asked.mode)?;
        let table = self.api.tables.get(game).await?;
        if table.admit(caller).is_err() {
            table.refresh().await?;
        }
        if let Err(error @ TableError::NotFound) = table.admit(caller) {
            return Err(error.into());
        }
        let mode = self.chats.set_mode(&table, caller, mode).await?;
        Ok(SetChatModeResponse { mode: wire::chat_mode(mode).into() })
    }
}

fn author(line: &ChatLine) -> PlayerId {
    PlayerId(line.player_id.as_u128())
}

/// A line with its author's name.
async fn message(api: &Api, line: &ChatLine) -> Result<ChatMessage, ApiError> {
    let names = api.identity.names(&[author(line)]).await?;
    Ok(wire::chat_message(line, &names))
}

#[tonic::async_trait]
impl ChatService for ChatApi {
    type WatchChatStream = Pin<Box<dyn Stream<Item = Result<WatchChatResponse, Status>> + Send>>;

    async fn send_message(&self, request: Request<SendMessageRequest>) -> Reply<SendMessageResponse> {
        self.send(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_messages(&self, request: Request<ListMessagesRequest>) -> Reply<ListMessagesResponse> {
        let (metadata, _, asked) = request.into_parts();
        self.list(&metadata, asked).await.map(Response::new).map_err(refuse)
    }

    async fn watch_chat(&self, request: Request<WatchChatRequest>) -> Reply<Self::WatchChatStream> {
        let (metadata, _, asked) = request.into_parts();
        let stream = watch::watch(&self.api, &self.chats, &metadata, asked).await.map_err(refuse)?;
        Ok(Response::new(Box::pin(stream)))
    }

    async fn delete_message(&self, request: Request<DeleteMessageRequest>) -> Reply<DeleteMessageResponse> {
        self.delete(request).await.map(Response::new).map_err(refuse)
    }

    async fn set_chat_mode(&self, request: Request<SetChatModeRequest>) -> Reply<SetChatModeResponse> {
        self.set_mode(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_quick_phrases(
        &self,
        _: Request<ListQuickPhrasesRequest>,
    ) -> Reply<ListQuickPhrasesResponse> {
        Ok(Response::new(wire::quick_phrases()))
    }
}
