//! `remik.v1.GameService`.

use std::pin::Pin;

use futures::Stream;
use remik_rules::command::Command;
use remik_rules::legal::legal_moves;
use remik_rules::seat::PlayerId;
use remik_rules::suggest::opening_exists;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::watch::watch;
use super::{Api, MoveAnswer, Reply, refuse};
use crate::codec::summary::Detail;
use crate::codec::wire::{self, JoinByCode, MoveRequest, Query, SummaryContext};
use crate::error::{ApiError, Reason};
use crate::proto::v1::game_service_server::GameService;
use crate::proto::v1::*;
use crate::store::{GameId, ListFilter, Page, Summary};
use crate::tables::{Glimpse, LiveTable, NewBot, NewGame, RequestKey};

/// The service of games.
#[derive(Clone)]
pub struct Games(pub Api);

impl Games {
    /// Carries out a move, whatever its kind.
    async fn play<R>(&self, request: Request<R>) -> Result<MoveAnswer, ApiError>
    where
        MoveRequest: TryFrom<R, Error = wire::Fault>,
    {
        let caller = self.0.caller(request.metadata()).await?;
        let asked = MoveRequest::try_from(request.into_inner())?;
        let key = RequestKey { id: asked.request_id, known_version: asked.known_version };
        self.play_as(caller, GameId(asked.game), asked.command, key, false).await
    }

    async fn play_as(
        &self,
        caller: PlayerId,
        game: GameId,
        command: Command,
        key: RequestKey,
        invited: bool,
    ) -> Result<MoveAnswer, ApiError> {
        let table = self.0.tables.get(game).await?;
        let answer = table.play(caller, command, key, invited).await?;
        self.0.answer(&table, &answer).await
    }

    /// Opens a table, and says how its last move so far is numbered.
    async fn create<R>(&self, request: Request<R>) -> Result<(u32, GameView), ApiError>
    where
        wire::NewGame: TryFrom<R, Error = wire::Fault>,
    {
        let by = self.0.caller(request.metadata()).await?;
        let asked = wire::NewGame::try_from(request.into_inner())?;
        let bot = |bot: wire::NewBot| NewBot { strength: bot.strength, seat: bot.seat };
        let new = NewGame {
            by,
            preset: asked.preset,
            rules: asked.rules,
            seats: asked.seats,
            public: asked.public,
            bots: asked.bots.into_iter().map(bot).collect(),
            start: asked.start,
            request_id: asked.request_id,
        };
        let (table, answer) = self.0.tables.create(new).await?;
        let version = answer.played.number;
        let view = self.0.game_view(&table, version, &answer.view).await?;
        Ok((version, view))
    }

    async fn join_by_code(&self, request: Request<JoinGameByCodeRequest>) -> Result<MoveAnswer, ApiError> {
        let caller = self.0.caller(request.metadata()).await?;
        let asked = JoinByCode::try_from(request.into_inner())?;
        let invited = self.0.tables.store().by_invite(&asked.invite_code).await?;
        let game =
            invited.ok_or_else(|| ApiError::new(Reason::InviteNotFound, "no game has this invite code"))?;
        let key = RequestKey { id: asked.request_id, known_version: 0 };
        self.play_as(caller, game.game, Command::Join { seat: asked.seat }, key, true).await
    }

    async fn show(&self, metadata: &MetadataMap, asked: GetGameRequest) -> Result<GetGameResponse, ApiError> {
        let caller = self.0.caller(metadata).await?;
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let table = self.0.visible(game, caller).await?;
        let glimpse = look(&table, caller, asked.at_least_version).await?;
        let view = self.0.game_view(&table, glimpse.version, &glimpse.view).await?;
        Ok(GetGameResponse { view: Some(view) })
    }

    async fn list(&self, request: Request<ListGamesRequest>) -> Result<ListGamesResponse, ApiError> {
        let caller = self.0.caller(request.metadata()).await?;
        let query = Query::try_from(request.into_inner())?;
        let filter = ListFilter {
            viewer: Some(uuid::Uuid::from_u128(caller.0)),
            mine_only: query.mine,
            statuses: query.states.iter().map(|state| *state as i16).collect(),
            preset: query.preset.map(|preset| preset.to_string()),
        };
        let token = match query.page_token.as_str() {
            "" => None,
            token => Some(token.parse()?),
        };
        let page = Page { size: query.page_size, token };
        let (games, next) = self.0.tables.store().list(&filter, page).await?;
        let details =
            games.iter().map(|summary| Detail::decode(&summary.detail)).collect::<Result<Vec<_>, _>>()?;
        let players: Vec<PlayerId> =
            details.iter().flat_map(|d| d.seats.iter().filter_map(|seat| seat.player)).collect();
        let names = self.0.identity.names(&players).await?;
        let line = |(summary, detail): (&Summary, &Detail)| {
            wire::game_summary(
                detail,
                &SummaryContext {
                    game: summary.game.0,
                    version: summary.version,
                    state: GameState::try_from(i32::from(summary.status)).unwrap_or_default(),
                    public: summary.public,
                    preset: &summary.preset,
                    made_at: remik_rules::chance::Millis(summary.made_at.0),
                    changed_at: remik_rules::chance::Millis(summary.changed_at.0),
                    names: &names,
                },
            )
        };
        Ok(ListGamesResponse {
            games: games.iter().zip(&details).map(line).collect(),
            next_page_token: next.map(|token| token.to_string()).unwrap_or_default(),
        })
    }

    async fn legal_moves(
        &self,
        request: Request<GetLegalMovesRequest>,
    ) -> Result<GetLegalMovesResponse, ApiError> {
        let caller = self.0.caller(request.metadata()).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let table = self.0.visible(game, caller).await?;
        look(&table, caller, asked.at_least_version).await?;
        if table.seat_of(caller).is_none() {
            table.refresh().await?;
        }
        let seat = table.seat_of(caller).ok_or(remik_rules::refusal::Refusal::NotSeated)?;
        Ok(table.with_table(|table, version| GetLegalMovesResponse {
            version,
            moves: Some(wire::legal_moves(
                seat,
                &legal_moves(table, seat),
                table.hand(seat),
                opening_exists(table, seat),
            )),
        }))
    }

    async fn suggest(&self, request: Request<SuggestMeldsRequest>) -> Result<SuggestMeldsResponse, ApiError> {
        let caller = self.0.caller(request.metadata()).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let table = self.0.visible(game, caller).await?;
        let advice = table.advice(caller, asked.at_least_version).await;
        let (version, advice) = advice.map_err(|error| ApiError::of_look(error, "at_least_version"))?;
        Ok(SuggestMeldsResponse { version, suggestions: Some(wire::suggestions(&advice)) })
    }
}

async fn look(table: &LiveTable, caller: PlayerId, at_least: u32) -> Result<Glimpse, ApiError> {
    table.look(caller, at_least).await.map_err(|error| ApiError::of_look(error, "at_least_version"))
}

/// Answers a call with the three parts of a move. The methods are written as `async_trait` would write them,
/// since it doesn't see what a macro makes.
macro_rules! moves {
    ($($name:ident: $request:ident => $response:ident;)+) => { $(
        fn $name<'me, 'call>(
            &'me self,
            request: Request<$request>,
        ) -> Pin<Box<dyn Future<Output = Reply<$response>> + Send + 'call>>
        where
            'me: 'call,
            Self: 'call,
        {
            Box::pin(async move {
                let MoveAnswer { version, made, view } = self.play(request).await.map_err(refuse)?;
                Ok(Response::new($response { version, r#move: Some(made), view: Some(view) }))
            })
        }
    )+ };
}

#[tonic::async_trait]
impl GameService for Games {
    type WatchGameStream = Pin<Box<dyn Stream<Item = Result<WatchGameResponse, Status>> + Send>>;

    async fn create_game(&self, request: Request<CreateGameRequest>) -> Reply<CreateGameResponse> {
        let (version, view) = self.create(request).await.map_err(refuse)?;
        Ok(Response::new(CreateGameResponse { version, view: Some(view) }))
    }

    async fn create_practice_game(
        &self,
        request: Request<CreatePracticeGameRequest>,
    ) -> Reply<CreatePracticeGameResponse> {
        let (version, view) = self.create(request).await.map_err(refuse)?;
        Ok(Response::new(CreatePracticeGameResponse { version, view: Some(view) }))
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Reply<GetGameResponse> {
        let (metadata, _, asked) = request.into_parts();
        self.show(&metadata, asked).await.map(Response::new).map_err(refuse)
    }

    async fn list_games(&self, request: Request<ListGamesRequest>) -> Reply<ListGamesResponse> {
        self.list(request).await.map(Response::new).map_err(refuse)
    }

    async fn join_game_by_code(
        &self,
        request: Request<JoinGameByCodeRequest>,
    ) -> Reply<JoinGameByCodeResponse> {
        let MoveAnswer { version, made, view } = self.join_by_code(request).await.map_err(refuse)?;
        Ok(Response::new(JoinGameByCodeResponse { version, r#move: Some(made), view: Some(view) }))
    }

    async fn get_legal_moves(&self, request: Request<GetLegalMovesRequest>) -> Reply<GetLegalMovesResponse> {
        self.legal_moves(request).await.map(Response::new).map_err(refuse)
    }

    async fn suggest_melds(&self, request: Request<SuggestMeldsRequest>) -> Reply<SuggestMeldsResponse> {
        self.suggest(request).await.map(Response::new).map_err(refuse)
    }

    async fn watch_game(&self, request: Request<WatchGameRequest>) -> Reply<Self::WatchGameStream> {
        let (metadata, _, asked) = request.into_parts();
        let stream = watch(&self.0, &metadata, asked).await.map_err(refuse)?;
        Ok(Response::new(Box::pin(stream)))
    }

    moves! {
        join_game: JoinGameRequest => JoinGameResponse;
        add_bot: AddBotRequest => AddBotResponse;
        remove_bot: RemoveBotRequest => RemoveBotResponse;
        resume_seat: ResumeSeatRequest => ResumeSeatResponse;
        leave_game: LeaveGameRequest => LeaveGameResponse;
        ready: ReadyRequest => ReadyResponse;
        draw: DrawRequest => DrawResponse;
        meld: MeldRequest => MeldResponse;
        lay_off: LayOffRequest => LayOffResponse;
        swap_joker: SwapJokerRequest => SwapJokerResponse;
        discard: DiscardRequest => DiscardResponse;
        undo: UndoRequest => UndoResponse;
    }
}
