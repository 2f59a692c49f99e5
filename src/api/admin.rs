//! `remik.v1.AdminService`.

use remik_rules::event::Viewer;
use remik_rules::legal::legal_moves;
use remik_rules::seat::PlayerId;
use remik_rules::suggest::opening_exists;
use tonic::{Request, Response};

use super::{Api, Reply, refuse};
use crate::administration::{Administration, Order};
use crate::audit::Administrator;
use crate::authorization::Method;
use crate::codec::summary::Detail;
use crate::codec::wire::{self, AdminOrder, AuditSearch, GameSearch, PlayerSearch};
use crate::error::ApiError;
use crate::proto::v1::admin_service_server::AdminService;
use crate::proto::v1::*;
use crate::store::{AuditFilter, FoundGame, GameFilter, GameId, Millis, PlayerFilter};

/// The service of administrators.
#[derive(Clone)]
pub struct Admin {
    api: Api,
    administration: Administration,
}

impl Admin {
    /// The service over what all services share.
    pub fn new(api: Api) -> Self {
        let administration = Administration::new(api.tables.clone(), api.identity.clone());
        Self { api, administration }
    }

    async fn find_games(&self, request: Request<FindGamesRequest>) -> Result<FindGamesResponse, ApiError> {
        self.api.authorized(request.metadata(), Method::FindGames).await?;
        let search = GameSearch::try_from(request.into_inner())?;
        let filter = GameFilter {
            game: search.game.map(GameId),
            player: search.player,
            preset: search.preset.map(|preset| preset.to_string()),
            statuses: search.states.iter().map(|state| *state as i16).collect(),
            public: search.public,
            made_from: Millis(search.made_from.0),
            made_before: Millis(search.made_before.0),
            idle_since: search.idle_since.map(|at| Millis(at.0)),
        };
        let store = self.administration.store();
        let found = store.find_games(&filter, GameId(search.below), search.page_size + 1).await?;
        let (found, next_page_token) = page(found, search.page_size, |game| game.summary.game.to_string());
        Ok(FindGamesResponse { games: self.games(&found).await?, next_page_token })
    }

    async fn games(&self, found: &[FoundGame]) -> Result<Vec<AdminGame>, ApiError> {
        let read = |found: &FoundGame| Ok((found.summary.clone(), Detail::decode(&found.summary.detail)?));
        let read = found.iter().map(read).collect::<Result<Vec<_>, ApiError>>()?;
        let summaries = self.api.summaries(&read).await?;
        let now = self.administration.now();
        let told = found.iter().zip(summaries).zip(&read);
        Ok(told.map(|((found, told), (_, detail))| wire::admin_game(found, told, detail.over, now)).collect())
    }

    async fn inspect(&self, request: Request<InspectGameRequest>) -> Result<InspectGameResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::InspectGame).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let (seat, reason) = (wire::seat_to_see(asked.seat)?, wire::reason(&asked.reason)?);
        let table = self.administration.inspect(&by, game, seat, reason).await?;
        let opened = table.open_table(asked.at_version).await;
        let (version, then) = opened.map_err(|error| ApiError::of_look(error, "at_version"))?;
        let view = then.view(seat.map_or(Viewer::Public, Viewer::Seat));
        let moves = seat.map(|seat| {
            wire::legal_moves(seat, &legal_moves(&then, seat), then.hand(seat), opening_exists(&then, seat))
        });
        let view = Some(self.api.game_view(&table, version, &view).await?);
        Ok(InspectGameResponse { view, moves })
    }

    async fn inspect_moves(
        &self,
        request: Request<InspectMovesRequest>,
    ) -> Result<InspectMovesResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::InspectMoves).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let (seat, reason) = (wire::seat_to_see(asked.seat)?, wire::reason(&asked.reason)?);
        let size = wire::page_size(asked.page_size)?;
        let table = self.administration.inspect(&by, game, seat, reason).await?;
        let moves = table.all_moves_after(asked.after_version, size).await;
        let moves = moves.map_err(|error| ApiError::of_look(error, "after_version"))?;
        let viewer = seat.map_or(Viewer::Public, Viewer::Seat);
        let aces = table.with_table(|table, _| table.rules().aces);
        let moves = moves.iter().map(|played| {
            let events: Vec<_> = played.events.iter().map(|event| event.observed_by(viewer)).collect();
            wire::game_move(played.number, played.made_at, played.seat, aces, &events)
        });
        Ok(InspectMovesResponse { moves: moves.collect(), version: table.version() })
    }

    /// Ends or voids a game: the move that did it, and the table after it.
    async fn stop(
        &self,
        by: Administrator,
        order: AdminOrder,
        void: bool,
    ) -> Result<(u32, GameView), ApiError> {
        let AdminOrder { subject, request_id, reason } = order;
        let order = Order { by, reason, request_id };
        let (table, played) = self.administration.stop(order, GameId(subject), void).await?;
        // Nothing comes behind it.
        let view = table.with_table(|table, _| table.view(Viewer::Public));
        Ok((played.number, self.api.game_view(&table, played.number, &view).await?))
    }

    async fn end(&self, request: Request<EndGameRequest>) -> Result<EndGameResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::EndGame).await?;
        let asked = request.get_ref();
        let order = AdminOrder::read("game_id", &asked.game_id, &asked.request_id, &asked.reason)?;
        let (version, view) = self.stop(by, order, false).await?;
        Ok(EndGameResponse { version, view: Some(view) })
    }

    async fn void(&self, request: Request<VoidGameRequest>) -> Result<VoidGameResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::VoidGame).await?;
        let asked = request.get_ref();
        let order = AdminOrder::read("game_id", &asked.game_id, &asked.request_id, &asked.reason)?;
        let (version, view) = self.stop(by, order, true).await?;
        Ok(VoidGameResponse { version, view: Some(view) })
    }

    async fn find_players(
        &self,
        request: Request<FindPlayersRequest>,
    ) -> Result<FindPlayersResponse, ApiError> {
        self.api.authorized(request.metadata(), Method::FindPlayers).await?;
        let search = PlayerSearch::try_from(request.into_inner())?;
        let filter = PlayerFilter {
            player: search.player,
            external_id: search.external_id,
            name_prefix: search.name_prefix,
            banned: search.banned,
            now: self.administration.now(),
        };
        let store = self.administration.store();
        let found = store.find_players(&filter, search.below, search.page_size + 1).await?;
        let (found, next_page_token) = page(found, search.page_size, |found| found.player.id.to_string());
        Ok(FindPlayersResponse { players: found.iter().map(wire::admin_player).collect(), next_page_token })
    }

    async fn ban(&self, request: Request<BanPlayerRequest>) -> Result<BanPlayerResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::BanPlayer).await?;
        let asked = request.into_inner();
        let order = AdminOrder::read("player_id", &asked.player_id, &asked.request_id, &asked.reason)?;
        let (order, player) = self.on_player(by, order).await?;
        let until = wire::ban_end(asked.until, self.administration.now())?;
        let games_left = self.administration.ban(order, player, until).await?;
        Ok(BanPlayerResponse { player: Some(self.player(player).await?), games_left })
    }

    async fn lift(&self, request: Request<LiftBanRequest>) -> Result<LiftBanResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::LiftBan).await?;
        let asked = request.get_ref();
        let order = AdminOrder::read("player_id", &asked.player_id, &asked.request_id, &asked.reason)?;
        let (order, player) = self.on_player(by, order).await?;
        self.administration.lift_ban(&order, player).await?;
        Ok(LiftBanResponse { player: Some(self.player(player).await?) })
    }

    async fn sign_out(
        &self,
        request: Request<SignOutPlayerRequest>,
    ) -> Result<SignOutPlayerResponse, ApiError> {
        let by = self.api.administrator(request.metadata(), Method::SignOutPlayer).await?;
        let asked = request.get_ref();
        let order = AdminOrder::read("player_id", &asked.player_id, &asked.request_id, &asked.reason)?;
        let (order, player) = self.on_player(by, order).await?;
        self.administration.sign_out(&order, player).await?;
        Ok(SignOutPlayerResponse { player: Some(self.player(player).await?) })
    }

    /// An order on a player who is there.
    async fn on_player(&self, by: Administrator, order: AdminOrder) -> Result<(Order, PlayerId), ApiError> {
        let player = PlayerId(order.subject.as_u128());
        self.player(player).await?;
        Ok((Order { by, reason: order.reason, request_id: order.request_id }, player))
    }

    async fn player(&self, player: PlayerId) -> Result<AdminPlayer, ApiError> {
        let found = self.administration.player(player).await?;
        Ok(wire::admin_player(&found.ok_or_else(ApiError::player_not_found)?))
    }

    async fn audit(
        &self,
        request: Request<ListAuditEntriesRequest>,
    ) -> Result<ListAuditEntriesResponse, ApiError> {
        self.api.authorized(request.metadata(), Method::ListAuditEntries).await?;
        let search = AuditSearch::try_from(request.into_inner())?;
        let filter = AuditFilter {
            act: search.act.map(|act| act as i16),
            subject: search.subject,
            key: search.key,
            from: Millis(search.from.0),
            before: Millis(search.before.0),
        };
        let found = self.administration.store().audit(&filter, search.below, search.page_size + 1).await?;
        let (found, next_page_token) = page(found, search.page_size, |entry| entry.act.id.to_string());
        let entries = found.iter().map(wire::audit_entry).collect();
        Ok(ListAuditEntriesResponse { entries, next_page_token })
    }
}

/// A page of what was found, one more than fits if there is more, and where the next page begins.
fn page<T>(mut found: Vec<T>, size: u32, end: impl Fn(&T) -> String) -> (Vec<T>, String) {
    let more = found.len() > size as usize;
    found.truncate(size as usize);
    let next = found.last().filter(|_| more).map(end);
    (found, next.unwrap_or_default())
}

#[tonic::async_trait]
impl AdminService for Admin {
    async fn find_games(&self, request: Request<FindGamesRequest>) -> Reply<FindGamesResponse> {
        Self::find_games(self, request).await.map(Response::new).map_err(refuse)
    }

    async fn inspect_game(&self, request: Request<InspectGameRequest>) -> Reply<InspectGameResponse> {
        self.inspect(request).await.map(Response::new).map_err(refuse)
    }

    async fn inspect_moves(&self, request: Request<InspectMovesRequest>) -> Reply<InspectMovesResponse> {
        Self::inspect_moves(self, request).await.map(Response::new).map_err(refuse)
    }

    async fn end_game(&self, request: Request<EndGameRequest>) -> Reply<EndGameResponse> {
        self.end(request).await.map(Response::new).map_err(refuse)
    }

    async fn void_game(&self, request: Request<VoidGameRequest>) -> Reply<VoidGameResponse> {
        self.void(request).await.map(Response::new).map_err(refuse)
    }

    async fn find_players(&self, request: Request<FindPlayersRequest>) -> Reply<FindPlayersResponse> {
        Self::find_players(self, request).await.map(Response::new).map_err(refuse)
    }

    async fn ban_player(&self, request: Request<BanPlayerRequest>) -> Reply<BanPlayerResponse> {
        self.ban(request).await.map(Response::new).map_err(refuse)
    }

    async fn lift_ban(&self, request: Request<LiftBanRequest>) -> Reply<LiftBanResponse> {
        self.lift(request).await.map(Response::new).map_err(refuse)
    }

    async fn sign_out_player(&self, request: Request<SignOutPlayerRequest>) -> Reply<SignOutPlayerResponse> {
        self.sign_out(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_audit_entries(
        &self,
        request: Request<ListAuditEntriesRequest>,
    ) -> Reply<ListAuditEntriesResponse> {
        self.audit(request).await.map(Response::new).map_err(refuse)
    }
}
