//! `remik.v1.MatchmakingService`.

use std::pin::Pin;
use std::sync::Arc;

use futures::Stream;
use remik_rules::seat::PlayerId;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::attend::watch;
use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire;
use crate::error::ApiError;
use crate::identity::{Denied, Pass, Principal, Scope};
use crate::matchmaking::{Caller, Matchmaking, NewTicket, TicketQuery, Waiting};
use crate::proto::v1::matchmaking_service_server::MatchmakingService;
use crate::proto::v1::*;

/// The service that finds others to play with.
#[derive(Clone)]
pub struct MatchmakingApi {
    pub(super) api: Api,
    pub(super) matchmaking: Arc<Matchmaking>,
}

/// For whom a pass acts in matchmaking.
pub(super) fn caller(pass: &Pass) -> Caller {
    match pass.principal {
        Principal::Player(player) => Caller::Player(player),
        Principal::Backend(backend) => Caller::Backend(backend.key),
    }
}

impl MatchmakingApi {
    /// Over what finds them.
    pub fn new(api: Api, matchmaking: Arc<Matchmaking>) -> Self {
        Self { api, matchmaking }
    }

    async fn create(&self, request: Request<CreateTicketRequest>) -> Result<CreateTicketResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::CreateTicket).await?;
        let asked = wire::NewTicket::try_from(request.into_inner())?;
        let players = match pass.principal {
            // Others join his party themselves.
            Principal::Player(own) if asked.players.iter().any(|player| *player != own) => {
                return Err(Denied::ScopeMissing(Scope::Matchmaking).into());
            }
            Principal::Player(own) => vec![own],
            Principal::Backend(backend) if asked.players.is_empty() => {
                vec![backend.player.ok_or(Denied::PlayerRequired)?]
            }
            Principal::Backend(_) => asked.players,
        };
        self.api.check_players(&players).await?;
        let new = NewTicket {
            caller: caller(&pass),
            request_id: asked.request_id,
            party_size: asked.party_size.max(players.len().try_into().unwrap_or(u8::MAX)),
            players,
            wish: asked.wish,
            ends_with_stream: asked.ends_with_stream,
        };
        let made = self.matchmaking.create(&new).await?;
        Ok(CreateTicketResponse { ticket: Some(self.ticket(&made).await?) })
    }

    async fn join(&self, request: Request<JoinTicketRequest>) -> Result<JoinTicketResponse, ApiError> {
        let player = self.api.caller(request.metadata(), Method::JoinTicket).await?;
        let code = wire::invite_code("party_code", &request.get_ref().party_code)?;
        let joined = self.matchmaking.join(player, &code).await?;
        Ok(JoinTicketResponse { ticket: Some(self.ticket(&joined).await?) })
    }

    async fn show(&self, request: Request<GetTicketRequest>) -> Result<GetTicketResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::GetTicket).await?;
        let id = wire::uuid("ticket_id", &request.get_ref().ticket_id)?;
        let shown = self.matchmaking.ticket(caller(&pass), id).await?;
        Ok(GetTicketResponse { ticket: Some(self.ticket(&shown).await?) })
    }

    async fn list(&self, request: Request<ListTicketsRequest>) -> Result<ListTicketsResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::ListTickets).await?;
        let asked = wire::TicketQuery::try_from(request.into_inner())?;
        let player = match pass.principal {
            Principal::Player(own) if asked.player.is_some_and(|player| player != own) => {
                return Err(Denied::ScopeMissing(Scope::Matchmaking).into());
            }
            Principal::Player(own) => Some(own),
            Principal::Backend(_) => asked.player,
        };
        let (open_only, after, size) = (asked.open_only, asked.after, asked.page_size);
        let (found, next) = self.matchmaking.list(TicketQuery { player, open_only, after, size }).await?;
        let mut tickets = Vec::with_capacity(found.len());
        for waiting in &found {
            tickets.push(self.ticket(waiting).await?);
        }
        Ok(ListTicketsResponse {
            tickets,
            next_page_token: next.map(|id| id.to_string()).unwrap_or_default(),
        })
    }

    async fn cancel(&self, request: Request<CancelTicketRequest>) -> Result<CancelTicketResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::CancelTicket).await?;
        let id = wire::uuid("ticket_id", &request.get_ref().ticket_id)?;
        let cancelled = self.matchmaking.cancel(caller(&pass), id).await?;
        Ok(CancelTicketResponse { ticket: Some(self.ticket(&cancelled).await?) })
    }

    async fn watch(
        &self,
        metadata: &MetadataMap,
        asked: WatchTicketRequest,
    ) -> Result<TicketStream, ApiError> {
        Ok(Box::pin(watch(self.clone(), metadata, asked).await?))
    }

    /// A ticket with the names of its players.
    pub(super) async fn ticket(&self, waiting: &Waiting) -> Result<Ticket, ApiError> {
        let players: Vec<PlayerId> = waiting.players.clone();
        let names = self.api.identity.names(&players).await?;
        Ok(wire::ticket(waiting, &names, self.matchmaking.window(waiting)))
    }
}

type TicketStream = Pin<Box<dyn Stream<Item = Result<WatchTicketResponse, Status>> + Send>>;

#[tonic::async_trait]
impl MatchmakingService for MatchmakingApi {
    type WatchTicketStream = TicketStream;

    async fn create_ticket(&self, request: Request<CreateTicketRequest>) -> Reply<CreateTicketResponse> {
        self.create(request).await.map(Response::new).map_err(refuse)
    }

    async fn join_ticket(&self, request: Request<JoinTicketRequest>) -> Reply<JoinTicketResponse> {
        self.join(request).await.map(Response::new).map_err(refuse)
    }

    async fn get_ticket(&self, request: Request<GetTicketRequest>) -> Reply<GetTicketResponse> {
        self.show(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_tickets(&self, request: Request<ListTicketsRequest>) -> Reply<ListTicketsResponse> {
        self.list(request).await.map(Response::new).map_err(refuse)
    }

    async fn watch_ticket(&self, request: Request<WatchTicketRequest>) -> Reply<Self::WatchTicketStream> {
        let (metadata, _, asked) = request.into_parts();
        self.watch(&metadata, asked).await.map(Response::new).map_err(refuse)
    }

    async fn cancel_ticket(&self, request: Request<CancelTicketRequest>) -> Reply<CancelTicketResponse> {
        self.cancel(request).await.map(Response::new).map_err(refuse)
    }
}
