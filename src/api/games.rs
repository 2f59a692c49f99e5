//! `remik.v1.GameService`.

use std::pin::Pin;

use futures::Stream;
use remik_rules::command::Command;
use remik_rules::legal::legal_moves;
use remik_rules::suggest::opening_exists;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status, Streaming};

use super::play::play;
use super::watch::watch;
use super::{Api, MoveAnswer, Reply, refuse};
use crate::authorization::Method;
use crate::codec::summary::Detail;
use crate::codec::wire::{self, JoinByCode, MoveRequest, Query};
use crate::error::{ApiError, Reason};
use crate::identity::Denied;
use crate::proto::v1::game_service_server::GameService;
use crate::proto::v1::*;
use crate::store::{GameId, Summary};
use crate::tables::{Glimpse, Listing, LiveTable, NewBot, NewGame, Onlooker};

/// The service of games.
#[derive(Clone)]
pub struct Games(pub Api);

impl Games {
    /// Carries out a move, whatever its kind.
    async fn carry_out<R>(&self, method: Method, request: Request<R>) -> Result<MoveAnswer, ApiError>
    where
        MoveRequest: TryFrom<R, Error = wire::Fault>,
    {
        let caller = self.0.caller(request.metadata(), method).await?;
        let asked = MoveRequest::try_from(request.into_inner())?;
        self.0.carry_out(caller, asked, false, true).await
    }

    /// Opens a table, and says how its last move so far is numbered.
    async fn create<R>(&self, method: Method, request: Request<R>) -> Result<(u32, GameView), ApiError>
    where
        wire::NewGame: TryFrom<R, Error = wire::Fault>,
    {
        let by = self.0.caller(request.metadata(), method).await?;
        let asked = wire::NewGame::try_from(request.into_inner())?;
        let bot = |bot: wire::NewBot| NewBot { strength: bot.strength, seat: bot.seat };
        let new = NewGame {
            public: asked.public,
            spectators: asked.spectators,
            bots: asked.bots.into_iter().map(bot).collect(),
            start: asked.start,
            settings: asked.settings,
            ..NewGame::public(by, asked.preset, asked.rules, asked.seats, asked.request_id)
        };
        let (table, answer) = self.0.tables.create(new).await?;
        let version = answer.played.number;
        let view = self.0.game_view(&table, version, &answer.view).await?;
        Ok((version, view))
    }

    async fn join_by_code(&self, request: Request<JoinGameByCodeRequest>) -> Result<MoveAnswer, ApiError> {
        let caller = self.0.caller(request.metadata(), Method::JoinGameByCode).await?;
        let asked = JoinByCode::try_from(request.into_inner())?;
        let game = self.invited(&asked.invite_code).await?;
        let join = MoveRequest {
            game: game.0,
            request_id: asked.request_id,
            known_version: 0,
            command: Command::Join { seat: asked.seat },
        };
        self.0.carry_out(caller, join, true, true).await
    }

    async fn show(&self, metadata: &MetadataMap, asked: GetGameRequest) -> Result<GetGameResponse, ApiError> {
        let caller = self.0.caller(metadata, Method::GetGame).await?;
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let who = self.0.onlooker(game, caller, &asked.invite_code).await?;
        let table = self.0.visible(game, who).await?;
        let glimpse = look(&table, who, asked.at_least_version).await?;
        Ok(GetGameResponse { view: Some(self.0.glimpse(&table, &glimpse).await?) })
    }

    async fn show_invited(
        &self,
        request: Request<GetGameByCodeRequest>,
    ) -> Result<GetGameByCodeResponse, ApiError> {
        let player = self.0.caller(request.metadata(), Method::GetGameByCode).await?;
        let game = self.invited(&wire::invite_code("invite_code", &request.get_ref().invite_code)?).await?;
        let who = Onlooker { player, invited: true };
        let table = self.0.visible(game, who).await?;
        let glimpse = look(&table, who, 0).await?;
        Ok(GetGameByCodeResponse { view: Some(self.0.glimpse(&table, &glimpse).await?) })
    }

    /// The game that an invite code leads to.
    async fn invited(&self, code: &str) -> Result<GameId, ApiError> {
        let found = self.0.tables.store().by_invite(code).await?;
        let found =
            found.ok_or_else(|| ApiError::new(Reason::InviteNotFound, "no game has this invite code"))?;
        Ok(found.game)
    }

    async fn list(&self, request: Request<ListGamesRequest>) -> Result<ListGamesResponse, ApiError> {
        let caller = self.0.caller(request.metadata(), Method::ListGames).await?;
        let query = Query::try_from(request.into_inner())?;
        let listing = Listing {
            mine_only: query.mine,
            statuses: query.states.iter().map(|state| *state as i16).collect(),
            preset: query.preset.map(|preset| preset.to_string()),
            size: query.page_size,
            token: match query.page_token.as_str() {
                "" => None,
                token => Some(token.parse()?),
            },
        };
        let (games, next) = self.0.tables.list(caller, listing).await?;
        let games = games.into_iter().map(|summary| Ok((summary.clone(), Detail::decode(&summary.detail)?)));
        let games: Vec<(Summary, Detail)> = games.collect::<Result<_, ApiError>>()?;
        Ok(ListGamesResponse {
            games: self.0.summaries(&games).await?,
            next_page_token: next.map(|token| token.to_string()).unwrap_or_default(),
        })
    }

    async fn legal_moves(
        &self,
        request: Request<GetLegalMovesRequest>,
    ) -> Result<GetLegalMovesResponse, ApiError> {
        let caller = self.0.caller(request.metadata(), Method::GetLegalMoves).await?;
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
        let caller = self.0.caller(request.metadata(), Method::SuggestMelds).await?;
        let asked = request.into_inner();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let table = self.0.visible(game, caller).await?;
        let advice = table.advice(caller, asked.at_least_version).await;
        let (version, advice) = advice.map_err(|error| ApiError::of_look(error, "at_least_version"))?;
        Ok(SuggestMeldsResponse { version, suggestions: Some(wire::suggestions(&advice)) })
    }

    async fn ticket(
        &self,
        request: Request<CreateWatchTicketRequest>,
    ) -> Result<CreateWatchTicketResponse, ApiError> {
        let pass = self.0.authorized(request.metadata(), Method::CreateWatchTicket).await?;
        let caller = pass.principal.player().ok_or(Denied::PlayerRequired)?;
        let asked = request.get_ref();
        let game = GameId(wire::uuid("game_id", &asked.game_id)?);
        let who = self.0.onlooker(game, caller, &asked.invite_code).await?;
        self.0.visible(game, who).await?;
        let ticket = self.0.identity.ticket(&pass, caller, game);
        let expires_at = Some(wire::stored_time(ticket.expires_at));
        Ok(CreateWatchTicketResponse { ticket: ticket.secret.reveal().to_owned(), expires_at })
    }
}

async fn look(table: &LiveTable, who: impl Into<Onlooker>, at_least: u32) -> Result<Glimpse, ApiError> {
    table.look(who, at_least).await.map_err(|error| ApiError::of_look(error, "at_least_version"))
}

/// Answers a call with the three parts of a move. The methods are written as `async_trait` would write them,
/// since it doesn't see what a macro makes.
macro_rules! moves {
    ($($name:ident: $method:ident($request:ident) => $response:ident;)+) => { $(
        fn $name<'me, 'call>(
            &'me self,
            request: Request<$request>,
        ) -> Pin<Box<dyn Future<Output = Reply<$response>> + Send + 'call>>
        where
            'me: 'call,
            Self: 'call,
        {
            Box::pin(async move {
                let MoveAnswer { version, made, view } = self.carry_out(Method::$method, request).await.map_err(refuse)?;
                Ok(Response::new($response { version, r#move: Some(made), view }))
            })
        }
    )+ };
}

#[tonic::async_trait]
impl GameService for Games {
    type WatchGameStream = Pin<Box<dyn Stream<Item = Result<WatchGameResponse, Status>> + Send>>;
    type PlayStream = Pin<Box<dyn Stream<Item = Result<PlayResponse, Status>> + Send>>;

    async fn create_game(&self, request: Request<CreateGameRequest>) -> Reply<CreateGameResponse> {
        let (version, view) = self.create(Method::CreateGame, request).await.map_err(refuse)?;
        Ok(Response::new(CreateGameResponse { version, view: Some(view) }))
    }

    async fn create_practice_game(
        &self,
        request: Request<CreatePracticeGameRequest>,
    ) -> Reply<CreatePracticeGameResponse> {
        let (version, view) = self.create(Method::CreatePracticeGame, request).await.map_err(refuse)?;
        Ok(Response::new(CreatePracticeGameResponse { version, view: Some(view) }))
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Reply<GetGameResponse> {
        let (metadata, _, asked) = request.into_parts();
        self.show(&metadata, asked).await.map(Response::new).map_err(refuse)
    }

    async fn get_game_by_code(&self, request: Request<GetGameByCodeRequest>) -> Reply<GetGameByCodeResponse> {
        self.show_invited(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_games(&self, request: Request<ListGamesRequest>) -> Reply<ListGamesResponse> {
        self.list(request).await.map(Response::new).map_err(refuse)
    }

    async fn join_game_by_code(
        &self,
        request: Request<JoinGameByCodeRequest>,
    ) -> Reply<JoinGameByCodeResponse> {
        let MoveAnswer { version, made, view } = self.join_by_code(request).await.map_err(refuse)?;
        Ok(Response::new(JoinGameByCodeResponse { version, r#move: Some(made), view }))
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

    async fn create_watch_ticket(
        &self,
        request: Request<CreateWatchTicketRequest>,
    ) -> Reply<CreateWatchTicketResponse> {
        self.ticket(request).await.map(Response::new).map_err(refuse)
    }

    async fn play(&self, request: Request<Streaming<PlayRequest>>) -> Reply<Self::PlayStream> {
        let stream = play(&self.0, request).await.map_err(refuse)?;
        Ok(Response::new(Box::pin(stream)))
    }

    moves! {
        join_game: JoinGame(JoinGameRequest) => JoinGameResponse;
        add_bot: AddBot(AddBotRequest) => AddBotResponse;
        remove_bot: RemoveBot(RemoveBotRequest) => RemoveBotResponse;
        resume_seat: ResumeSeat(ResumeSeatRequest) => ResumeSeatResponse;
        leave_game: LeaveGame(LeaveGameRequest) => LeaveGameResponse;
        ready: Ready(ReadyRequest) => ReadyResponse;
        draw: Draw(DrawRequest) => DrawResponse;
        meld: Meld(MeldRequest) => MeldResponse;
        lay_off: LayOff(LayOffRequest) => LayOffResponse;
        swap_joker: SwapJoker(SwapJokerRequest) => SwapJokerResponse;
        discard: Discard(DiscardRequest) => DiscardResponse;
        undo: Undo(UndoRequest) => UndoResponse;
    }
}
