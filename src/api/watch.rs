//! The stream of a watched game.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{Stream, unfold};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::{Api, refuse};
use crate::authorization::Method;
use crate::codec::wire;
use crate::error::{ApiError, Reason};
use crate::identity::{Denied, Identity, Pass, Revocations};
use crate::proto::v1::watch_game_response::Item;
use crate::proto::v1::{CaughtUp, GameView, Heartbeat, WatchGameRequest, WatchGameResponse};
use crate::store::GameId;
use crate::tables::{Seen, Watcher};

/// How long a stream is silent at most.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Everything after the move that the client has, then each move as it is made; a client that has nothing
/// begins with a snapshot.
pub(super) async fn watch(
    api: &Api,
    metadata: &MetadataMap,
    asked: WatchGameRequest,
) -> Result<impl Stream<Item = Result<WatchGameResponse, Status>> + Send + use<>, ApiError> {
    // From before the credentials are looked at: nothing is missed in between.
    let revocations = api.identity.revocations();
    let game = wire::uuid("game_id", &asked.game_id).map(GameId);
    let pass = match (asked.ticket.as_str(), &game) {
        ("", _) | (_, Err(_)) => api.authorized(metadata, Method::WatchGame).await?,
        (ticket, Ok(game)) => api.identity.redeem(ticket, *game).await?,
    };
    let caller = pass.principal.player().ok_or(Denied::PlayerRequired)?;
    let game = game?;
    let who = api.onlooker(game, caller, &asked.invite_code).await?;
    let table = api.visible(game, who).await?;
    let looked = table.look(who, asked.after_version.unwrap_or(0)).await;
    let glimpse = looked.map_err(|error| ApiError::of_look(error, "after_version"))?;
    let (after, snapshot) = match asked.after_version {
        Some(after) => (after, None),
        None => (glimpse.version, Some(api.glimpse(&table, &glimpse).await?)),
    };
    let watcher = Watcher::new(table, who, after);
    let identity = Arc::clone(&api.identity);
    let stop = api.stop.clone();
    let state = Watching { watcher, snapshot, caught_up: false, pass, revocations, identity, stop };
    Ok(unfold(Some(state), |state| async move {
        let mut state = state?;
        match state.next().await {
            Ok(item) => Some((Ok(item), Some(state))),
            Err(error) => Some((Err(refuse(error)), None)),
        }
    }))
}

struct Watching {
    watcher: Watcher,
    /// What is sent first to a client that has nothing.
    snapshot: Option<GameView>,
    caught_up: bool,
    pass: Pass,
    revocations: Revocations,
    identity: Arc<Identity>,
    stop: CancellationToken,
}

impl Watching {
    async fn next(&mut self) -> Result<WatchGameResponse, ApiError> {
        if let Some(view) = self.snapshot.take() {
            return Ok(self.item(Item::Snapshot(view)));
        }
        loop {
            if let Some(seen) = self.watcher.ready().await? {
                return Ok(self.item(Item::Move(self.encode(&seen))));
            }
            if !self.caught_up {
                self.caught_up = true;
                return Ok(self.item(Item::CaughtUp(CaughtUp {})));
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    return Err(ApiError::new(Reason::Draining, "the service is being stopped"));
                }
                () = self.revocations.of(&self.pass) => self.identity.recheck(&self.pass).await?,
                changed = tokio::time::timeout(HEARTBEAT, self.watcher.changed()) => {
                    if changed.is_err() {
                        return Ok(self.item(Item::Heartbeat(Heartbeat {})));
                    }
                }
            }
        }
    }

    fn item(&self, item: Item) -> WatchGameResponse {
        WatchGameResponse { version: self.watcher.at(), item: Some(item) }
    }

    fn encode(&self, seen: &Seen) -> crate::proto::v1::GameMove {
        let played = &seen.played;
        let aces = self.watcher.table().with_table(|table, _| table.rules().aces);
        wire::game_move(played.number, played.made_at, played.seat, aces, &seen.events)
    }
}
