//! `remik.v1.StandingsService`.

use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use tonic::{Request, Response};
use uuid::Uuid;

use super::named;
use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire::{self, Fault};
use crate::error::ApiError;
use crate::identity::{Denied, Principal, Scope};
use crate::proto::v1::standings_service_server::StandingsService;
use crate::proto::v1::*;
use crate::ratings::family;
use crate::standings::{LeaderboardAsk, leaderboard};
use crate::store::{self, Board, Figure, GameId};
use crate::tables::Onlooker;

/// The service of what finished games come to.
#[derive(Clone)]
pub struct Standings(pub Api);

impl Standings {
    async fn ratings(&self, request: Request<GetRatingsRequest>) -> Result<GetRatingsResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::GetRatings).await?;
        let player = self.player(&request.get_ref().player_id, &pass.principal).await?;
        let ratings = self.store().ratings(player).await?;
        Ok(GetRatingsResponse { ratings: ratings.iter().map(wire::player_rating).collect() })
    }

    async fn changes(
        &self,
        request: Request<ListRatingChangesRequest>,
    ) -> Result<ListRatingChangesResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::ListRatingChanges).await?;
        let asked = request.into_inner();
        let size = wire::page_size(asked.page_size)?;
        let preset = wire::optional_preset(&asked.preset)?.unwrap_or_default();
        let before = match asked.page_token.as_str() {
            "" => i32::MAX,
            token => token.parse().map_err(|_| Fault::malformed("page_token", token, "a page token"))?,
        };
        let player = self.player(&asked.player_id, &pass.principal).await?;
        let mut changes = self.store().rating_changes(player, family(preset), before, size + 1).await?;
        let more = changes.len() > size as usize;
        changes.truncate(size as usize);
        let next = changes.last().filter(|_| more).map(|change| change.number.to_string());
        let own = pass.principal.player().is_some_and(|own| own.0 == player.as_u128());
        let with_game = own || pass.principal.has(Scope::Players);
        Ok(ListRatingChangesResponse {
            changes: changes.iter().map(|change| wire::rating_change(change, with_game)).collect(),
            next_page_token: next.unwrap_or_default(),
        })
    }

    async fn of_game(
        &self,
        request: Request<GetGameRatingsRequest>,
    ) -> Result<GetGameRatingsResponse, ApiError> {
        let caller = self.0.caller(request.metadata(), Method::GetGameRatings).await?;
        let game = GameId(wire::uuid("game_id", &request.get_ref().game_id)?);
        let table = self.0.visible(game, caller).await?;
        // This copy may not know of the end yet.
        if table.with_table(|table, _| !table.is_over()) {
            table.refresh().await?;
        }
        let edge = table.admitted_edge(Onlooker::from(caller))?;
        let sees_the_end = table.with_table(|table, version| table.is_over() && edge == version);
        let counted = if sees_the_end { self.store().counted_as(game).await? } else { None };
        let changes = match counted {
            Some(_) => self.store().rating_changes_of(game).await?,
            None => Vec::new(),
        };
        Ok(GetGameRatingsResponse {
            counting: wire::game_counting(counted).into(),
            changes: changes.iter().map(|change| wire::rating_change(change, true)).collect(),
        })
    }

    async fn statistics(
        &self,
        request: Request<GetStatisticsRequest>,
    ) -> Result<GetStatisticsResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::GetStatistics).await?;
        let asked = request.into_inner();
        let preset = wire::optional_preset(&asked.preset)?.map_or("", Preset::name);
        let period = wire::period(&asked.period, self.now())?.to_string();
        let player = self.player(&asked.player_id, &pass.principal).await?;
        let statistics = self.store().statistics(player, preset, &period).await?;
        Ok(GetStatisticsResponse { statistics: statistics.iter().map(wire::statistics).collect(), period })
    }

    async fn leaders(
        &self,
        request: Request<ListLeaderboardRequest>,
    ) -> Result<ListLeaderboardResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::ListLeaderboard).await?;
        let asked = request.into_inner();
        let by = wire::figure(asked.order)?;
        let preset = wire::optional_preset(&asked.preset)?;
        let period = wire::period(&asked.period, self.now())?.to_string();
        let (preset, period) = match by {
            Figure::Rating => (family(preset.unwrap_or_default()), String::new()),
            _ => (preset.map_or("", Preset::name), period),
        };
        let ask = LeaderboardAsk {
            board: Board { by, preset, period: &period },
            size: wire::page_size(asked.page_size)?,
            behind: match asked.page_token.as_str() {
                "" => None,
                token => Some(token.parse()?),
            },
            around: match asked.around_player_id.as_str() {
                "" => None,
                "me" => Some(uuid(pass.principal.player().ok_or(Denied::PlayerRequired)?)),
                id => Some(wire::uuid("around_player_id", id)?),
            },
        };
        let page = leaderboard(self.store(), ask).await?;
        let players: Vec<_> = page.leaders.iter().map(|leader| PlayerId(leader.player.as_u128())).collect();
        let names = self.0.identity.names(&players).await?;
        Ok(ListLeaderboardResponse {
            leaders: page.leaders.iter().map(|leader| wire::leader(leader, &names)).collect(),
            next_page_token: page.next.map(|place| place.to_string()).unwrap_or_default(),
            period,
        })
    }

    /// The player that a request names, if there is such a one.
    async fn player(&self, id: &str, caller: &Principal) -> Result<Uuid, ApiError> {
        let player = named(id, caller)?;
        self.0.identity.player(player).await?.ok_or_else(ApiError::player_not_found)?;
        Ok(uuid(player))
    }

    fn store(&self) -> &store::Store {
        self.0.tables.store()
    }

    fn now(&self) -> store::Millis {
        store::Millis(self.0.tables.clock().now().0)
    }
}

const fn uuid(player: PlayerId) -> Uuid {
    Uuid::from_u128(player.0)
}

#[tonic::async_trait]
impl StandingsService for Standings {
    async fn get_ratings(&self, request: Request<GetRatingsRequest>) -> Reply<GetRatingsResponse> {
        self.ratings(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_rating_changes(
        &self,
        request: Request<ListRatingChangesRequest>,
    ) -> Reply<ListRatingChangesResponse> {
        self.changes(request).await.map(Response::new).map_err(refuse)
    }

    async fn get_game_ratings(
        &self,
        request: Request<GetGameRatingsRequest>,
    ) -> Reply<GetGameRatingsResponse> {
        self.of_game(request).await.map(Response::new).map_err(refuse)
    }

    async fn get_statistics(&self, request: Request<GetStatisticsRequest>) -> Reply<GetStatisticsResponse> {
        self.statistics(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_leaderboard(
        &self,
        request: Request<ListLeaderboardRequest>,
    ) -> Reply<ListLeaderboardResponse> {
        self.leaders(request).await.map(Response::new).map_err(refuse)
    }
}
