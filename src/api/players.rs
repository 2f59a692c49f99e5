//! `remik.v1.PlayerService`.

use remik_rules::seat::PlayerId;
use tonic::{Request, Response};

use super::{Api, Reply, named, own_or_any, refuse};
use crate::authorization::Method;
use crate::codec::wire;
use crate::error::ApiError;
use crate::identity::Scope;
use crate::proto::v1::player_service_server::PlayerService;
use crate::proto::v1::*;
use crate::store;

/// The service of players.
#[derive(Clone)]
pub struct Players(pub Api);

impl Players {
    async fn create_guest(&self, asked: CreateGuestRequest) -> Result<CreateGuestResponse, ApiError> {
        let name = wire::display_name("display_name", &asked.display_name)?;
        let (player, signed_in) = self.0.identity.create_guest(name).await?;
        Ok(CreateGuestResponse {
            player: Some(wire::player(&player, true)),
            token: signed_in.access.token.reveal().to_owned(),
            expires_at: Some(wire::stored_time(signed_in.access.expires_at)),
            refresh_token: signed_in.refresh.token.reveal().to_owned(),
            refresh_expires_at: Some(wire::stored_time(signed_in.refresh.expires_at)),
        })
    }

    async fn create(&self, request: Request<CreatePlayerRequest>) -> Result<CreatePlayerResponse, ApiError> {
        self.0.authorized(request.metadata(), Method::CreatePlayer).await?;
        let asked = wire::NewPlayer::try_from(request.into_inner())?;
        let now = store::Millis(self.0.tables.clock().now().0);
        let met = self.0.identity.meet(&asked.external_id, Some(asked.name), asked.locale, now);
        let (player, created) = met.await?;
        Ok(CreatePlayerResponse { player: Some(wire::player(&player, true)), created })
    }

    async fn get(&self, request: Request<GetPlayerRequest>) -> Result<GetPlayerResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::GetPlayer).await?;
        let player = named(&request.get_ref().player_id, &pass.principal)?;
        let in_full = pass.principal.has(Scope::Players) || pass.principal.player() == Some(player);
        let player = self.player(player).await?;
        Ok(GetPlayerResponse { player: Some(wire::player(&player, in_full)) })
    }

    async fn link(&self, request: Request<LinkAccountRequest>) -> Result<LinkAccountResponse, ApiError> {
        let caller = self.0.caller(request.metadata(), Method::LinkAccount).await?;
        let token = wire::given("account_token", &request.get_ref().account_token)?;
        let player = self.0.identity.link(caller, token).await?;
        Ok(LinkAccountResponse { player: Some(wire::player(&player, true)) })
    }

    async fn issue(&self, request: Request<IssueTokenRequest>) -> Result<IssueTokenResponse, ApiError> {
        self.0.authorized(request.metadata(), Method::IssueToken).await?;
        let player = PlayerId(wire::uuid("player_id", &request.get_ref().player_id)?.as_u128());
        if self.player(player).await?.is_erased() {
            return Err(ApiError::player_erased());
        }
        let signed_in = self.0.identity.sign_in(player).await?;
        Ok(IssueTokenResponse {
            token: signed_in.access.token.reveal().to_owned(),
            expires_at: Some(wire::stored_time(signed_in.access.expires_at)),
            refresh_token: signed_in.refresh.token.reveal().to_owned(),
            refresh_expires_at: Some(wire::stored_time(signed_in.refresh.expires_at)),
        })
    }

    async fn refresh(&self, asked: RefreshTokenRequest) -> Result<RefreshTokenResponse, ApiError> {
        let token = wire::given("refresh_token", &asked.refresh_token)?;
        let (access, refresh_expires_at) = self.0.identity.refresh(token).await?;
        Ok(RefreshTokenResponse {
            token: access.token.reveal().to_owned(),
            expires_at: Some(wire::stored_time(access.expires_at)),
            refresh_expires_at: Some(wire::stored_time(refresh_expires_at)),
        })
    }

    async fn revoke(&self, asked: RevokeTokenRequest) -> Result<RevokeTokenResponse, ApiError> {
        let token = wire::given("token", &asked.token)?;
        self.0.identity.sign_out(token).await?;
        Ok(RevokeTokenResponse {})
    }

    async fn revoke_all(
        &self,
        request: Request<RevokePlayerTokensRequest>,
    ) -> Result<RevokePlayerTokensResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::RevokePlayerTokens).await?;
        let player = own_or_any(&request.get_ref().player_id, &pass.principal)?;
        if self.0.identity.sign_out_everywhere(player).await? {
            Ok(RevokePlayerTokensResponse {})
        } else {
            Err(ApiError::player_not_found())
        }
    }

    async fn player(&self, player: PlayerId) -> Result<store::Player, ApiError> {
        self.0.identity.player(player).await?.ok_or_else(ApiError::player_not_found)
    }
}

#[tonic::async_trait]
impl PlayerService for Players {
    async fn create_guest(&self, request: Request<CreateGuestRequest>) -> Reply<CreateGuestResponse> {
        Self::create_guest(self, request.into_inner()).await.map(Response::new).map_err(refuse)
    }

    async fn create_player(&self, request: Request<CreatePlayerRequest>) -> Reply<CreatePlayerResponse> {
        self.create(request).await.map(Response::new).map_err(refuse)
    }

    async fn get_player(&self, request: Request<GetPlayerRequest>) -> Reply<GetPlayerResponse> {
        self.get(request).await.map(Response::new).map_err(refuse)
    }

    async fn link_account(&self, request: Request<LinkAccountRequest>) -> Reply<LinkAccountResponse> {
        self.link(request).await.map(Response::new).map_err(refuse)
    }

    async fn issue_token(&self, request: Request<IssueTokenRequest>) -> Reply<IssueTokenResponse> {
        self.issue(request).await.map(Response::new).map_err(refuse)
    }

    async fn refresh_token(&self, request: Request<RefreshTokenRequest>) -> Reply<RefreshTokenResponse> {
        self.refresh(request.into_inner()).await.map(Response::new).map_err(refuse)
    }

    async fn revoke_token(&self, request: Request<RevokeTokenRequest>) -> Reply<RevokeTokenResponse> {
        self.revoke(request.into_inner()).await.map(Response::new).map_err(refuse)
    }

    async fn revoke_player_tokens(
        &self,
        request: Request<RevokePlayerTokensRequest>,
    ) -> Reply<RevokePlayerTokensResponse> {
        self.revoke_all(request).await.map(Response::new).map_err(refuse)
    }
}
