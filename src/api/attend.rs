//! The stream of a watched ticket.

use std::time::Duration;

use futures::stream::{Stream, unfold};
use tokio::time::timeout;
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::holder::Holder;
use super::matchmaking::{MatchmakingApi, caller};
use super::refuse;
use crate::authorization::Method;
use crate::codec::wire;
use crate::error::ApiError;
use crate::matchmaking::{Attending, Waiting};
use crate::proto::v1::watch_ticket_response::Item;
use crate::proto::v1::{CaughtUp, WatchTicketRequest, WatchTicketResponse};
use crate::store::TicketState;

/// How often it is told that a ticket still waits.
const PROGRESS: Duration = Duration::from_secs(5);

/// The ticket as it is, unless the client has it, then each change as it happens; ends with the ticket.
pub(super) async fn watch(
    service: MatchmakingApi,
    metadata: &MetadataMap,
    asked: WatchTicketRequest,
) -> Result<impl Stream<Item = Result<WatchTicketResponse, Status>> + Send + use<>, ApiError> {
    // From before the credentials are looked at: nothing is missed in between.
    let revocations = service.api.identity.revocations();
    let pass = service.api.authorized(metadata, Method::WatchTicket).await?;
    let slot = service.api.stream_of(&pass.principal)?;
    let id = wire::uuid("ticket_id", &asked.ticket_id)?;
    let (attending, waiting) = service.matchmaking.attend(caller(&pass), id).await?;
    let at = asked.after_version.unwrap_or(0);
    let last = waiting.row.version.unsigned_abs();
    if at > last {
        return Err(ApiError::version_ahead("after_version", at, last));
    }
    let holder = Holder::new(&service.api, pass, revocations, slot);
    let state = Watching { service, holder, attending, waiting, at, caught_up: false };
    Ok(unfold(Some(state), |state| async move {
        let mut state = state?;
        match state.next().await {
            Ok(Some(item)) => Some((Ok(item), Some(state))),
            Ok(None) => None,
            Err(error) => Some((Err(refuse(error)), None)),
        }
    }))
}

/// A ticket that is watched by a stream of its own.
struct Watching {
    service: MatchmakingApi,
    holder: Holder,
    attending: Attending,
    /// The ticket as it was last looked at.
    waiting: Waiting,
    /// The last version that was sent.
    at: u32,
    caught_up: bool,
}

impl Watching {
    async fn next(&mut self) -> Result<Option<WatchTicketResponse>, ApiError> {
        loop {
            let row = &self.waiting.row;
            // What is claimed is told of when its game is there.
            if row.version.unsigned_abs() > self.at && (self.at == 0 || row.state != TicketState::Claimed) {
                self.at = row.version.unsigned_abs();
                let ticket = self.service.ticket(&self.waiting).await?;
                return Ok(Some(self.item(Item::Ticket(ticket))));
            }
            if !self.caught_up {
                self.caught_up = true;
                return Ok(Some(self.item(Item::CaughtUp(CaughtUp {}))));
            }
            if row.state >= TicketState::Matched {
                return Ok(None);
            }
            match self.holder.wait_for(timeout(PROGRESS, self.attending.changed())).await? {
                Ok(()) => self.look().await?,
                Err(_elapsed) => return Ok(Some(self.progress())),
            }
        }
    }

    /// Looks at the ticket again. Whoever has left its party sees it no more.
    async fn look(&mut self) -> Result<(), ApiError> {
        let id = self.waiting.row.ticket_id;
        self.waiting = self.service.matchmaking.ticket(caller(self.holder.pass()), id).await?;
        Ok(())
    }

    fn progress(&self) -> WatchTicketResponse {
        let matchmaking = &self.service.matchmaking;
        let waited = matchmaking.waited(&self.waiting);
        self.item(Item::Progress(wire::ticket_progress(waited, matchmaking.window(&self.waiting))))
    }

    fn item(&self, item: Item) -> WatchTicketResponse {
        WatchTicketResponse { version: self.at, item: Some(item) }
    }
}
