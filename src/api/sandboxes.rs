//! `remik.v1.SandboxService`.

use tonic::{Request, Response};

use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::summary::Spectators;
use crate::codec::wire::NewSandbox;
use crate::error::ApiError;
use crate::identity::{Denied, Principal};
use crate::proto::v1::sandbox_service_server::SandboxService;
use crate::proto::v1::{CreateSandboxGameRequest, CreateSandboxGameResponse};
use crate::tables::NewGame;

/// The service of games whose decks are chosen.
#[derive(Clone)]
pub struct Sandboxes(pub Api);

impl Sandboxes {
    async fn create(
        &self,
        request: Request<CreateSandboxGameRequest>,
    ) -> Result<CreateSandboxGameResponse, ApiError> {
        let principal = self.0.authorized(request.metadata(), Method::CreateSandboxGame).await?.principal;
        let asked = NewSandbox::try_from(request.into_inner())?;
        self.0.check_players(&asked.players).await?;
        let (by, others) = match asked.players.split_first() {
            Some((first, others)) => (*first, others.to_vec()),
            None => (principal.player().ok_or(Denied::PlayerRequired)?, Vec::new()),
        };
        let new = NewGame {
            principal: match principal {
                Principal::Player(player) => uuid::Uuid::from_u128(player.0),
                Principal::Backend(backend) => backend.key,
            },
            others,
            public: false,
            spectators: Spectators::Nobody,
            sandbox: Some(asked.arrangement),
            ..NewGame::public(by, asked.preset, asked.rules, asked.seats, asked.request_id)
        };
        let (table, answer) = self.0.tables.create(new).await?;
        let version = answer.played.number;
        let view = self.0.game_view(&table, version, &answer.view).await?;
        Ok(CreateSandboxGameResponse { version, view: Some(view) })
    }
}

#[tonic::async_trait]
impl SandboxService for Sandboxes {
    async fn create_sandbox_game(
        &self,
        request: Request<CreateSandboxGameRequest>,
    ) -> Reply<CreateSandboxGameResponse> {
        self.create(request).await.map(Response::new).map_err(refuse)
    }
}
