//! The stream of a watched game.

use futures::stream::{Stream, unfold};
use remik_rules::seat::PlayerId;
use tokio::time::timeout;
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::holder::{HEARTBEAT, Holder};
use super::{Api, refuse};
use crate::authorization::Method;
use crate::codec::wire;
use crate::error::ApiError;
use crate::identity::Denied;
use crate::proto::v1::watch_game_response::Item;
use crate::proto::v1::{CaughtUp, GameMove, GameView, Heartbeat, WatchGameRequest, WatchGameResponse};
use crate::store::GameId;
use crate::tables::{Seen, Watcher};

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
    let slot = api.limits.stream_of(caller)?;
    let watching = Watching::open(api, caller, game?, &asked.invite_code, asked.after_version).await?;
    let holder = Holder::new(api, pass, revocations, slot);
    Ok(unfold(Some((holder, watching)), |state| async move {
        let (mut holder, mut watching) = state?;
        match holder.wait_for(timeout(HEARTBEAT, watching.next())).await {
            Ok(Ok(Ok(item))) => Some((Ok(item), Some((holder, watching)))),
            Ok(Err(_elapsed)) => {
                let item = watching.item(Item::Heartbeat(Heartbeat {}));
                Some((Ok(item), Some((holder, watching))))
            }
            Ok(Ok(Err(error))) | Err(error) => Some((Err(refuse(error)), None)),
        }
    }))
}

/// A game that somebody follows, by whichever stream.
pub(super) struct Watching {
    watcher: Watcher,
    /// What is sent first to a client that has nothing.
    snapshot: Option<Box<GameView>>,
    caught_up: bool,
}

impl Watching {
    /// Begins after a move that the client has, or with a snapshot.
    pub(super) async fn open(
        api: &Api,
        caller: PlayerId,
        game: GameId,
        invite_code: &str,
        after_version: Option<u32>,
    ) -> Result<Self, ApiError> {
        let who = api.onlooker(game, caller, invite_code).await?;
        let table = api.visible(game, who).await?;
        let looked = table.look(who, after_version.unwrap_or(0)).await;
        let glimpse = looked.map_err(|error| ApiError::of_look(error, "after_version"))?;
        let (after, snapshot) = match after_version {
            Some(after) => (after, None),
            None => {
                let view = api.glimpse(&table, &glimpse).await?;
                (glimpse.version, Some(Box::new(view)))
            }
        };
        Ok(Self { watcher: Watcher::new(table, who, after), snapshot, caught_up: false })
    }

    /// The next item, when there is one. Nothing is lost if the future is dropped before it is ready.
    pub(super) async fn next(&mut self) -> Result<WatchGameResponse, ApiError> {
        if let Some(view) = self.snapshot.take() {
            return Ok(self.item(Item::Snapshot(*view)));
        }
        loop {
            if let Some(seen) = self.watcher.ready().await? {
                return Ok(self.item(Item::Move(self.encode(&seen))));
            }
            if !self.caught_up {
                self.caught_up = true;
                return Ok(self.item(Item::CaughtUp(CaughtUp {})));
            }
            self.watcher.changed().await;
        }
    }

    fn item(&self, item: Item) -> WatchGameResponse {
        WatchGameResponse { version: self.watcher.at(), item: Some(item) }
    }

    fn encode(&self, seen: &Seen) -> GameMove {
        let played = &seen.played;
        let aces = self.watcher.table().with_table(|table, _| table.rules().aces);
        wire::game_move(played.number, played.made_at, played.seat, aces, &seen.events)
    }
}
