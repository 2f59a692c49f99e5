//! `remik.v1.PlayerService`.

use remik_rules::seat::PlayerId;
use tonic::{Request, Response};

use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire;
use crate::error::{ApiError, Reason};
use crate::identity::Denied;
use crate::proto::v1::player_service_server::PlayerService;
use crate::proto::v1::{
    CreateGuestRequest, CreateGuestResponse, GetPlayerRequest, GetPlayerResponse, Player,
};

/// The service of players.
#[derive(Clone)]
pub struct Players(pub Api);

impl Players {
    async fn create(&self, asked: CreateGuestRequest) -> Result<CreateGuestResponse, ApiError> {
        let name = wire::display_name("display_name", &asked.display_name)?;
        let now = self.0.tables.clock().now();
        let (player, token) = self.0.identity.create_guest(name, now).await?;
        let player = Player { player_id: player.id.to_string(), display_name: player.name, guest: true };
        Ok(CreateGuestResponse { player: Some(player), token: token.reveal().to_owned() })
    }

    async fn get(&self, request: Request<GetPlayerRequest>) -> Result<GetPlayerResponse, ApiError> {
        let principal = self.0.authorized(request.metadata(), Method::GetPlayer).await?;
        let id = match request.get_ref().player_id.as_str() {
            "me" => principal.player().ok_or(Denied::PlayerRequired)?,
            text => PlayerId(wire::uuid("player_id", text)?.as_u128()),
        };
        let names = self.0.identity.names(&[id]).await?;
        let name =
            names.get(&id).ok_or_else(|| ApiError::new(Reason::PlayerNotFound, "there is no such player"))?;
        let player_id = uuid::Uuid::from_u128(id.0).to_string();
        Ok(GetPlayerResponse { player: Some(Player { player_id, display_name: name.clone(), guest: true }) })
    }
}

#[tonic::async_trait]
impl PlayerService for Players {
    async fn create_guest(&self, request: Request<CreateGuestRequest>) -> Reply<CreateGuestResponse> {
        self.create(request.into_inner()).await.map(Response::new).map_err(refuse)
    }

    async fn get_player(&self, request: Request<GetPlayerRequest>) -> Reply<GetPlayerResponse> {
        self.get(request).await.map(Response::new).map_err(refuse)
    }
}
