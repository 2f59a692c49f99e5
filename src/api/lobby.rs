//! `remik.v1.LobbyService`.

mod watch;

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;

use futures::Stream;
use remik_rules::chance::Millis;
use remik_rules::seat::PlayerId;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Api, MoveAnswer, Reply, refuse};
use crate::authorization::Method;
use crate::codec::summary::Detail;
use crate::codec::wire::{self, Fault, Invitees, MoveRequest, TableFilter};
use crate::error::{ApiError, Reason};
use crate::lobby::Lobby;
use crate::proto::v1::lobby_service_server::LobbyService;
use crate::proto::v1::*;
use crate::store::{self, GameId};
use crate::tables::RequestKey;
use watch::watch;

/// The service of the lobby.
#[derive(Clone)]
pub struct LobbyApi {
    api: Api,
    lobby: Arc<Lobby>,
}

impl LobbyApi {
    /// The service of a lobby.
    pub fn new(api: Api, lobby: Arc<Lobby>) -> Self {
        Self { api, lobby }
    }

    async fn list(&self, request: Request<ListTablesRequest>) -> Result<ListTablesResponse, ApiError> {
        self.api.caller(request.metadata(), Method::ListTables).await?;
        let asked = request.get_ref();
        let filter = TableFilter::try_from(asked)?;
        let size = wire::page_size(asked.page_size)?;
        let token = match asked.page_token.as_str() {
            "" => None,
            token => Some(token.parse()?),
        };
        let (tables, next) = self.lobby.page(&filter, size as usize, token).await?;
        Ok(ListTablesResponse {
            tables: self.api.summaries(&tables).await?,
            next_page_token: next.map(|token| token.to_string()).unwrap_or_default(),
        })
    }

    /// Carries out a move, whatever its kind.
    async fn carry_out<R>(&self, method: Method, request: Request<R>) -> Result<MoveAnswer, ApiError>
    where
        MoveRequest: TryFrom<R, Error = Fault>,
    {
        let caller = self.api.caller(request.metadata(), method).await?;
        let asked = MoveRequest::try_from(request.into_inner())?;
        self.api.carry_out(caller, asked, false, true).await
    }

    async fn change(&self, request: Request<ChangeTableRequest>) -> Result<MoveAnswer, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::ChangeTable).await?;
        let mut asked = request.into_inner();
        let settings = asked.settings.take().ok_or_else(|| Fault::missing("settings"))?;
        let settings = wire::settings_of("settings", settings)?;
        let MoveRequest { game, request_id, known_version, .. } = MoveRequest::try_from(asked)?;
        let table = self.api.tables.get(GameId(game)).await?;
        let answer = table.change(caller, settings, RequestKey { id: request_id, known_version }).await?;
        self.api.answer(&table, &answer, true).await
    }

    async fn invite(&self, request: Request<InvitePlayersRequest>) -> Result<(), ApiError> {
        let caller = self.api.caller(request.metadata(), Method::InvitePlayers).await?;
        let Invitees { game, players } = Invitees::try_from(request.into_inner())?;
        let table = self.api.visible(GameId(game), caller).await?;
        let players: BTreeSet<Uuid> = players.iter().map(|player| Uuid::from_u128(player.0)).collect();
        let players: Vec<Uuid> = players.into_iter().collect();
        if self.api.tables.store().players(&players).await?.len() < players.len() {
            return Err(ApiError::new(Reason::PlayerNotFound, "one of the players doesn't exist"));
        }
        Ok(table.invite(caller, &players).await?)
    }

    async fn withdraw(&self, request: Request<WithdrawInvitationRequest>) -> Result<(), ApiError> {
        let caller = self.api.caller(request.metadata(), Method::WithdrawInvitation).await?;
        let Invitees { game, players } = Invitees::try_from(request.into_inner())?;
        let table = self.api.visible(GameId(game), caller).await?;
        for player in players {
            table.withdraw_invitation(caller, Uuid::from_u128(player.0)).await?;
        }
        Ok(())
    }

    async fn invitations(
        &self,
        request: Request<ListInvitationsRequest>,
    ) -> Result<ListInvitationsResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::ListInvitations).await?;
        let asked = request.get_ref();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let (size, after) = wire::invitation_page(asked.page_size, &asked.page_token)?;
        let table = self.api.visible(game, caller).await?;
        let after = after.map(|(at, id)| (store::Millis(at), id));
        let mut found = table.invitations(caller, after, size + 1).await?;
        let more = found.len() > size as usize;
        found.truncate(size as usize);
        let players: Vec<PlayerId> = found.iter().map(|one| PlayerId(one.player_id.as_u128())).collect();
        let names = self.api.identity.names(&players).await?;
        let next = found.last().filter(|_| more);
        Ok(ListInvitationsResponse {
            next_page_token: next
                .map_or_else(String::new, |last| wire::invitation_token(last.made_at.0, last.player_id)),
            invitations: (players.iter().zip(&found))
                .map(|(player, one)| wire::invitation(*player, Millis(one.made_at.0), &names))
                .collect(),
        })
    }

    async fn own_invitations(
        &self,
        request: Request<ListOwnInvitationsRequest>,
    ) -> Result<ListOwnInvitationsResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::ListOwnInvitations).await?;
        let asked = request.get_ref();
        let (size, after) = wire::invitation_page(asked.page_size, &asked.page_token)?;
        let after = after.map(|(at, id)| (store::Millis(at), id));
        let store = self.api.tables.store();
        // The numbers of the API's states never change.
        let (player, status) = (Uuid::from_u128(caller.0), GameState::Waiting as i16);
        let mut found = store.invitations_of(player, status, after, size + 1).await?;
        let more = found.len() > size as usize;
        found.truncate(size as usize);
        let next = found.last().filter(|_| more);
        let next = next.map(|last| wire::invitation_token(last.made_at.0, last.game_id.0));
        let mut lines = Vec::with_capacity(found.len());
        for invitation in found {
            // No game goes away.
            let Some(summary) = store.summary(invitation.game_id).await? else { continue };
            let detail = Detail::decode(&summary.detail)?;
            lines.push((invitation, (summary, detail)));
        }
        let (found, tables): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
        let hosts: Vec<PlayerId> = found.iter().map(|one| PlayerId(one.invited_by.as_u128())).collect();
        let names = self.api.identity.names(&hosts).await?;
        let tables = self.api.summaries(&tables).await?;
        let line = |((table, host), one): ((GameSummary, &PlayerId), &store::Invitation)| {
            wire::own_invitation(table, *host, Millis(one.made_at.0), &names)
        };
        Ok(ListOwnInvitationsResponse {
            invitations: tables.into_iter().zip(&hosts).zip(&found).map(line).collect(),
            next_page_token: next.unwrap_or_default(),
        })
    }

    async fn next_game(&self, request: Request<RematchRequest>) -> Result<RematchResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::Rematch).await?;
        let (game, keep) = wire::rematch(request.get_ref())?;
        let old = self.api.tables.get(GameId(game)).await?;
        if old.seat_of(caller).is_none() {
            // A stranger learns as much of the game as anywhere.
            self.api.visible(GameId(game), caller).await?;
        }
        let table = self.api.tables.rematch(&old, caller, keep).await?;
        let glimpse = table.look(caller, 0).await?;
        Ok(RematchResponse { view: Some(self.api.glimpse(&table, &glimpse).await?) })
    }
}

/// Answers a call with the three parts of a move.
fn three_parts<R>(
    answer: Result<MoveAnswer, ApiError>,
    make: impl FnOnce(u32, Option<GameMove>, Option<GameView>) -> R,
) -> Reply<R> {
    let MoveAnswer { version, made, view } = answer.map_err(refuse)?;
    Ok(Response::new(make(version, Some(made), view)))
}

#[tonic::async_trait]
impl LobbyService for LobbyApi {
    type WatchLobbyStream = Pin<Box<dyn Stream<Item = Result<WatchLobbyResponse, Status>> + Send>>;

    async fn list_tables(&self, request: Request<ListTablesRequest>) -> Reply<ListTablesResponse> {
        self.list(request).await.map(Response::new).map_err(refuse)
    }

    async fn watch_lobby(&self, request: Request<WatchLobbyRequest>) -> Reply<Self::WatchLobbyStream> {
        let stream = watch(&self.api, &self.lobby, request).await.map_err(refuse)?;
        Ok(Response::new(Box::pin(stream)))
    }

    async fn change_table(&self, request: Request<ChangeTableRequest>) -> Reply<ChangeTableResponse> {
        three_parts(self.change(request).await, |version, r#move, view| ChangeTableResponse {
            version,
            r#move,
            view,
        })
    }

    async fn hand_over_host(&self, request: Request<HandOverHostRequest>) -> Reply<HandOverHostResponse> {
        let answer = self.carry_out(Method::HandOverHost, request).await;
        three_parts(answer, |version, r#move, view| HandOverHostResponse { version, r#move, view })
    }

    async fn remove_player(&self, request: Request<RemovePlayerRequest>) -> Reply<RemovePlayerResponse> {
        let answer = self.carry_out(Method::RemovePlayer, request).await;
        three_parts(answer, |version, r#move, view| RemovePlayerResponse { version, r#move, view })
    }

    async fn ask_ready(&self, request: Request<AskReadyRequest>) -> Reply<AskReadyResponse> {
        let answer = self.carry_out(Method::AskReady, request).await;
        three_parts(answer, |version, r#move, view| AskReadyResponse { version, r#move, view })
    }

    async fn decline_seat(&self, request: Request<DeclineSeatRequest>) -> Reply<DeclineSeatResponse> {
        let answer = self.carry_out(Method::DeclineSeat, request).await;
        three_parts(answer, |version, r#move, view| DeclineSeatResponse { version, r#move, view })
    }

    async fn invite_players(&self, request: Request<InvitePlayersRequest>) -> Reply<InvitePlayersResponse> {
        self.invite(request).await.map_err(refuse)?;
        Ok(Response::new(InvitePlayersResponse {}))
    }

    async fn withdraw_invitation(
        &self,
        request: Request<WithdrawInvitationRequest>,
    ) -> Reply<WithdrawInvitationResponse> {
        self.withdraw(request).await.map_err(refuse)?;
        Ok(Response::new(WithdrawInvitationResponse {}))
    }

    async fn list_invitations(
        &self,
        request: Request<ListInvitationsRequest>,
    ) -> Reply<ListInvitationsResponse> {
        self.invitations(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_own_invitations(
        &self,
        request: Request<ListOwnInvitationsRequest>,
    ) -> Reply<ListOwnInvitationsResponse> {
        self.own_invitations(request).await.map(Response::new).map_err(refuse)
    }

    async fn rematch(&self, request: Request<RematchRequest>) -> Reply<RematchResponse> {
        self.next_game(request).await.map(Response::new).map_err(refuse)
    }
}
