//! `remik.v1.ReplayService`.

use std::sync::Arc;

use remik_rules::seat::PlayerId;
use tonic::{Request, Response};

use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire::{self, Fault, GameContext, Moment, Names, ReplaySearch};
use crate::error::ApiError;
use crate::notation;
use crate::proto::v1::replay_service_server::ReplayService;
use crate::proto::v1::{self, *};
use crate::replays::{Access, Asker, Deal, Position, Replay, Replays};
use crate::store::{self, GameId};

/// The service of games seen again.
#[derive(Clone)]
pub struct ReplayApi {
    api: Api,
    replays: Arc<Replays>,
}

impl ReplayApi {
    /// The service over the games of a store.
    pub const fn new(api: Api, replays: Arc<Replays>) -> Self {
        Self { api, replays }
    }

    async fn show(&self, request: Request<GetReplayRequest>) -> Result<GetReplayResponse, ApiError> {
        let player = self.api.anyone(request.metadata(), Method::GetReplay).await?;
        let asked = request.into_inner();
        let replay = self.replay(&asked.game_id, player, &asked.share_code).await?;
        Ok(GetReplayResponse { replay: Some(told(&replay)) })
    }

    async fn replay(
        &self,
        game: &str,
        player: Option<PlayerId>,
        share_code: &str,
    ) -> Result<Replay, ApiError> {
        let game = GameId(wire::uuid("game_id", game)?);
        Ok(self.replays.replay(game, Asker { player, share_code }).await?)
    }

    async fn positions(
        &self,
        request: Request<ListReplayPositionsRequest>,
    ) -> Result<ListReplayPositionsResponse, ApiError> {
        let player = self.api.anyone(request.metadata(), Method::ListReplayPositions).await?;
        let asked = request.into_inner();
        let size = wire::page_size(asked.page_size)?;
        let replay = self.replay(&asked.game_id, player, &asked.share_code).await?;
        let show = replay.show();
        if asked.after_version > show.last() {
            return Err(ApiError::version_ahead("after_version", asked.after_version, show.last()));
        }
        let first = asked.after_version + 1;
        let positions = show.positions(first..=asked.after_version.saturating_add(size));
        let players: Vec<PlayerId> = positions
            .last()
            .map(|last| last.view.seats.iter().filter_map(|seat| seat.player).collect())
            .unwrap_or_default();
        // The players of a game from elsewhere are others'.
        let names = match &replay.meta {
            Some(_) => self.api.identity.names(&players).await?,
            None => Names::new(),
        };
        let meta = replay.meta.as_ref();
        let aces = replay.record.aces();
        let encode = |position: &Position| {
            let context = GameContext {
                game: replay.record.game.0,
                version: position.number,
                public: meta.is_some_and(|meta| meta.public),
                spectators: meta.map(|meta| meta.spectators),
                settings: None,
                invite_code: "",
                preset: replay.record.preset,
                names: &names,
                now: position.made_at,
            };
            let Position { seat, events, view, hands, .. } = position;
            wire::replay_position(&Moment { seat: *seat, events, view, hands }, aces, &context)
        };
        Ok(ListReplayPositionsResponse {
            positions: positions.iter().map(encode).collect(),
            last_version: show.last(),
        })
    }

    async fn search(
        &self,
        request: Request<SearchReplaysRequest>,
    ) -> Result<SearchReplaysResponse, ApiError> {
        let player = self.api.anyone(request.metadata(), Method::SearchReplays).await?;
        let asked = ReplaySearch::read(request.into_inner(), player)?;
        let token = match asked.page_token.as_str() {
            "" => None,
            token => Some(token.parse()?),
        };
        let found = self.replays.search(player, &asked, token).await?;
        Ok(SearchReplaysResponse {
            games: self.api.summaries(&found.games).await?,
            next_page_token: found.next.map(|token| token.to_string()).unwrap_or_default(),
        })
    }

    async fn set_access(
        &self,
        request: Request<SetReplayAccessRequest>,
    ) -> Result<SetReplayAccessResponse, ApiError> {
        let player = self.api.caller(request.metadata(), Method::SetReplayAccess).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let access = wire::replay_access(asked.access)?.map(|access| match access {
            ReplayAccess::Public => Access::Public,
            ReplayAccess::Link => Access::Link,
            ReplayAccess::Players | ReplayAccess::Unspecified => Access::Players,
        });
        let (access, share_code) =
            self.replays.set_access(game, player, access, asked.renew_share_code).await?;
        Ok(SetReplayAccessResponse {
            access: access_told(access).into(),
            share_code: share_code.unwrap_or_default(),
        })
    }

    async fn export(&self, request: Request<ExportReplayRequest>) -> Result<ExportReplayResponse, ApiError> {
        let player = self.api.anyone(request.metadata(), Method::ExportReplay).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let asker = Asker { player, share_code: &asked.share_code };
        let document = self.replays.export(game, asker).await?;
        // A game that a former version of the rules let through has no words here.
        let notation = notation::write(&document.record).unwrap_or_default();
        Ok(ExportReplayResponse { document: document.to_string(), notation })
    }

    async fn import(&self, request: Request<ImportReplayRequest>) -> Result<ImportReplayResponse, ApiError> {
        let player = self.api.caller(request.metadata(), Method::ImportReplay).await?;
        let document = request.into_inner().document;
        if document.is_empty() {
            return Err(Fault::missing("document").into());
        }
        let (game, already_here) = self.replays.import(document, player).await?;
        let asker = Asker { player: Some(player), share_code: "" };
        let replay = match self.replays.replay(game, asker).await {
            Ok(replay) => Some(told(&replay)),
            // It is here, and another's: nothing more is told of it.
            Err(_) if already_here => None,
            Err(error) => return Err(error.into()),
        };
        Ok(ImportReplayResponse { replay, already_here })
    }
}

/// What there is to see of a game.
fn told(replay: &Replay) -> v1::Replay {
    let show = replay.show();
    let state = show.end().map_or(GameState::Unspecified, |end| wire::state(&end.view.stage));
    let deal = |Deal { number, first, end }: &Deal| {
        wire::replay_deal(*number, *first, end.as_ref().map(|(last, ended)| (*last, ended)))
    };
    let made_at = replay.record.moves.first().map(|mv| wire::stored_time(store::Millis(mv.made_at.0)));
    v1::Replay {
        game_id: replay.id.to_string(),
        preset: replay.record.preset.to_string(),
        state: state.into(),
        last_version: show.last(),
        created_at: made_at,
        deals: show.deals().iter().map(deal).collect(),
        access: access_told(replay.access).into(),
        share_code: replay.share_code.clone().unwrap_or_default(),
        open: replay.open,
        imported: replay.imported.is_some(),
        signed_by: replay.imported.as_ref().map(|document| document.key.to_string()).unwrap_or_default(),
        sandbox: replay.sandbox,
    }
}

const fn access_told(access: Access) -> ReplayAccess {
    match access {
        Access::Players => ReplayAccess::Players,
        Access::Link => ReplayAccess::Link,
        Access::Public => ReplayAccess::Public,
    }
}

#[tonic::async_trait]
impl ReplayService for ReplayApi {
    async fn get_replay(&self, request: Request<GetReplayRequest>) -> Reply<GetReplayResponse> {
        self.show(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_replay_positions(
        &self,
        request: Request<ListReplayPositionsRequest>,
    ) -> Reply<ListReplayPositionsResponse> {
        self.positions(request).await.map(Response::new).map_err(refuse)
    }

    async fn search_replays(&self, request: Request<SearchReplaysRequest>) -> Reply<SearchReplaysResponse> {
        self.search(request).await.map(Response::new).map_err(refuse)
    }

    async fn set_replay_access(
        &self,
        request: Request<SetReplayAccessRequest>,
    ) -> Reply<SetReplayAccessResponse> {
        self.set_access(request).await.map(Response::new).map_err(refuse)
    }

    async fn export_replay(&self, request: Request<ExportReplayRequest>) -> Reply<ExportReplayResponse> {
        self.export(request).await.map(Response::new).map_err(refuse)
    }

    async fn import_replay(&self, request: Request<ImportReplayRequest>) -> Reply<ImportReplayResponse> {
        self.import(request).await.map(Response::new).map_err(refuse)
    }

    async fn get_signing_key(&self, _: Request<GetSigningKeyRequest>) -> Reply<GetSigningKeyResponse> {
        Ok(Response::new(GetSigningKeyResponse { public_key: self.replays.public_key().to_string() }))
    }
}
