//! The stream of the lobby.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::stream::{Stream, unfold};
use tokio::time::timeout;
use tonic::{Request, Status};

use crate::api::holder::{HEARTBEAT, Holder};
use crate::api::{Api, refuse};
use crate::authorization::Method;
use crate::codec::wire::{Fault, TableFilter};
use crate::error::ApiError;
use crate::identity::Denied;
use crate::lobby::{Lobby, LobbyItem, LobbyWatcher};
use crate::proto::v1::watch_lobby_response::Item;
use crate::proto::v1::*;
use crate::store::Cursor;

/// What the filter finds, then what changes in it; or the changes alone, behind a position that isn't too long ago.
pub(super) async fn watch(
    api: &Api,
    lobby: &Arc<Lobby>,
    request: Request<WatchLobbyRequest>,
) -> Result<impl Stream<Item = Result<WatchLobbyResponse, Status>> + Send + use<>, ApiError> {
    // From before the credentials are looked at: nothing is missed in between.
    let revocations = api.identity.revocations();
    let pass = api.authorized(request.metadata(), Method::WatchLobby).await?;
    let caller = pass.principal.player().ok_or(Denied::PlayerRequired)?;
    let asked = request.get_ref();
    let filter = TableFilter::try_from(asked)?;
    let after: Option<Cursor> = match asked.after_position.as_str() {
        "" => None,
        text => {
            let fault = |_| Fault::malformed("after_position", text, "a position of this stream");
            Some(text.parse().map_err(fault)?)
        }
    };
    let slot = api.limits.stream_of(caller)?;
    let watcher = lobby.watch(filter, after);
    let holder = Holder::new(api, pass, revocations, slot);
    let state = Watching { api: api.clone(), holder, watcher, tables: VecDeque::new() };
    Ok(unfold(Some(state), |state| async move {
        let mut state = state?;
        match state.next().await {
            Ok(item) => Some((Ok(item), Some(state))),
            Err(error) => Some((Err(refuse(error)), None)),
        }
    }))
}

struct Watching {
    api: Api,
    holder: Holder,
    watcher: LobbyWatcher,
    /// Tables that are told one by one. The position of each but the last is that from before them, so that a stream that
    /// breaks in between is told all of them again.
    tables: VecDeque<WatchLobbyResponse>,
}

impl Watching {
    async fn next(&mut self) -> Result<WatchLobbyResponse, ApiError> {
        loop {
            if let Some(item) = self.tables.pop_front() {
                return Ok(item);
            }
            let before = self.position();
            match self.holder.wait_for(timeout(HEARTBEAT, self.watcher.next())).await? {
                Ok(item) => self.encode(before, item?).await?,
                Err(_elapsed) => self.tell(Item::Heartbeat(LobbyHeartbeat {})),
            }
        }
    }

    async fn encode(&mut self, before: String, item: LobbyItem) -> Result<(), ApiError> {
        match item {
            LobbyItem::Restart => self.tell(Item::Restart(Restart {})),
            LobbyItem::Removed(game) => {
                self.tell(Item::Removed(RemovedTable { game_id: game.0.to_string() }));
            }
            LobbyItem::CaughtUp => self.tell(Item::CaughtUp(LobbyCaughtUp {})),
            LobbyItem::Tables(lines) => {
                let lines: Vec<_> = lines.iter().map(|line| (**line).clone()).collect();
                for table in self.api.summaries(&lines).await? {
                    let item = Some(Item::Table(table));
                    self.tables.push_back(WatchLobbyResponse { position: before.clone(), item });
                }
                if let Some(last) = self.tables.back_mut() {
                    last.position = self.watcher.at().map(|at| at.to_string()).unwrap_or_default();
                }
            }
        }
        Ok(())
    }

    fn tell(&mut self, item: Item) {
        self.tables.push_back(WatchLobbyResponse { position: self.position(), item: Some(item) });
    }

    fn position(&self) -> String {
        self.watcher.at().map(|at| at.to_string()).unwrap_or_default()
    }
}
