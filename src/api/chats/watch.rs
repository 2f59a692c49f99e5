//! The stream of a watched chat.

use std::sync::Arc;

use futures::stream::{Stream, unfold};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::message;
use crate::api::holder::{HEARTBEAT, Holder};
use crate::api::{Api, refuse};
use crate::authorization::Method;
use crate::chat::{ChatWatcher, Chats};
use crate::codec::wire;
use crate::error::ApiError;
use crate::identity::Denied;
use crate::proto::v1::watch_chat_response::Item;
use crate::proto::v1::{CaughtUp, Heartbeat, MessagesRemoved, WatchChatRequest, WatchChatResponse};
use crate::store::{ChatLine, GameId};

/// Everything behind the position that the client has, then each line as it comes.
pub(super) async fn watch(
    api: &Api,
    chats: &Arc<Chats>,
    metadata: &MetadataMap,
    asked: WatchChatRequest,
) -> Result<impl Stream<Item = Result<WatchChatResponse, Status>> + Send + use<>, ApiError> {
    // From before the credentials are looked at: nothing is missed in between.
    let revocations = api.identity.revocations();
    let game = wire::uuid("game_id", &asked.game_id).map(GameId);
    let pass = match (asked.ticket.as_str(), &game) {
        ("", _) | (_, Err(_)) => api.authorized(metadata, Method::WatchChat).await?,
        (ticket, Ok(game)) => api.identity.redeem(ticket, *game).await?,
    };
    let caller = pass.principal.player().ok_or(Denied::PlayerRequired)?;
    let slot = api.limits.stream_of(caller)?;
    let game = game?;
    let who = api.onlooker(game, caller, &asked.invite_code).await?;
    let table = api.visible(game, who).await?;
    let watcher = ChatWatcher::open(chats, table, who, asked.after_position).await?;
    let holder = Holder::new(api, pass, revocations, slot);
    let watching = Watching { api: api.clone(), watcher, line: None, caught_up: false };
    Ok(unfold(Some((holder, watching)), |state| async move {
        let (mut holder, mut watching) = state?;
        match holder.wait_for(tokio::time::timeout(HEARTBEAT, watching.next())).await {
            Ok(Ok(Ok(item))) => Some((Ok(item), Some((holder, watching)))),
            Ok(Err(_elapsed)) => {
                let item = watching.item(Item::Heartbeat(Heartbeat {}));
                Some((Ok(item), Some((holder, watching))))
            }
            Ok(Ok(Err(error))) | Err(error) => Some((Err(refuse(error)), None)),
        }
    }))
}

/// A chat that somebody follows.
struct Watching {
    api: Api,
    watcher: ChatWatcher,
    /// What has come and isn't told yet.
    line: Option<ChatLine>,
    caught_up: bool,
}

impl Watching {
    /// The next item, when there is one. Nothing is lost if the future is dropped before it is ready.
    async fn next(&mut self) -> Result<WatchChatResponse, ApiError> {
        loop {
            if self.line.is_none() {
                self.line = self.watcher.ready().await?;
            }
            if let Some(line) = &self.line {
                let item = match line.removes {
                    None => Item::Message(message(&self.api, line).await?),
                    Some(number) => Item::Removed(MessagesRemoved {
                        player_id: line.player_id.to_string(),
                        position: number.unsigned_abs(),
                    }),
                };
                self.line = None;
                return Ok(self.item(item));
            }
            if !self.caught_up {
                self.caught_up = true;
                return Ok(self.item(Item::CaughtUp(CaughtUp {})));
            }
            self.watcher.changed().await;
        }
    }

    fn item(&self, item: Item) -> WatchChatResponse {
        // A line that isn't told yet isn't the client's.
        let position = self.line.as_ref().map_or(self.watcher.at(), |line| line.number.unsigned_abs() - 1);
        WatchChatResponse { position, item: Some(item) }
    }
}
