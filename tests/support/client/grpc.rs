//! Over gRPC, with the generated client.

use remik::proto::v1::{
    self, game_service_client::GameServiceClient, player_service_client::PlayerServiceClient,
};
use tonic::{
    Request,
    transport::{Channel, Endpoint},
};

use super::{Answer, Command, Failure, Order, Watch};

#[derive(Debug, Clone)]
pub(crate) struct Grpc {
    channel: Channel,
    token: String,
}

impl Grpc {
    pub(super) fn new(url: &str, token: &str) -> Self {
        let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
        Self { channel, token: token.to_owned() }
    }

    fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel.clone())
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if !self.token.is_empty() {
            let value = format!("Bearer {}", self.token).parse().unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        request
    }

    pub(super) async fn guest(
        &self,
        asked: v1::CreateGuestRequest,
    ) -> Result<v1::CreateGuestResponse, Failure> {
        let mut players = PlayerServiceClient::new(self.channel.clone());
        Ok(players.create_guest(self.request(asked)).await?.into_inner())
    }

    pub(super) async fn create(
        &self,
        asked: v1::CreateGameRequest,
    ) -> Result<v1::CreateGameResponse, Failure> {
        Ok(self.games().create_game(self.request(asked)).await?.into_inner())
    }

    pub(super) async fn look(&self, asked: v1::GetGameRequest) -> Result<v1::GameView, Failure> {
        Ok(self.games().get_game(self.request(asked)).await?.into_inner().view.unwrap())
    }

    pub(super) async fn legal_moves(
        &self,
        game: &str,
        at_least_version: u32,
    ) -> Result<v1::GetLegalMovesResponse, Failure> {
        let asked = v1::GetLegalMovesRequest { game_id: game.to_owned(), at_least_version };
        Ok(self.games().get_legal_moves(self.request(asked)).await?.into_inner())
    }

    pub(super) async fn watch(&self, asked: v1::WatchGameRequest) -> Result<Watch, Failure> {
        let stream = self.games().watch_game(self.request(asked)).await?.into_inner();
        Ok(Watch::Grpc(Box::new(stream)))
    }

    pub(super) async fn send(&self, order: &Order) -> Result<Answer, Failure> {
        let (game_id, request_id) = (order.game.clone(), order.request_id.to_string());
        let known_version = order.known_version;
        macro_rules! send {
            ($method:ident, $request:ident { $($field:ident $(: $value:expr)?),* }) => {{
                let asked = v1::$request { request_id, $($field $(: $value)?),* };
                let answer = self.games().$method(self.request(asked)).await?.into_inner();
                Ok(Answer {
                    version: answer.version,
                    made: answer.r#move.unwrap(),
                    view: answer.view.unwrap(),
                })
            }};
        }
        match order.command.clone() {
            Command::Join(seat) => send!(join_game, JoinGameRequest { game_id, seat }),
            Command::JoinByCode(invite_code) => {
                send!(join_game_by_code, JoinGameByCodeRequest { invite_code, seat: None })
            }
            Command::Leave => send!(leave_game, LeaveGameRequest { game_id, known_version }),
            Command::AddBot(strength) => {
                let strength = strength.into();
                send!(add_bot, AddBotRequest { game_id, known_version, strength, seat: None })
            }
            Command::RemoveBot(seat) => {
                send!(remove_bot, RemoveBotRequest { game_id, known_version, seat: Some(seat) })
            }
            Command::Ready(client_seed) => {
                send!(ready, ReadyRequest { game_id, known_version, client_seed })
            }
            Command::Draw(source) => {
                send!(draw, DrawRequest { game_id, known_version, source: source.into() })
            }
            Command::Meld(melds) => {
                let melds = melds.into_iter().map(|cards| v1::NewMeld { cards }).collect();
                send!(meld, MeldRequest { game_id, known_version, melds })
            }
            Command::LayOff { meld: meld_id, cards, end } => {
                send!(lay_off, LayOffRequest { game_id, known_version, meld_id, cards, end: end.into() })
            }
            Command::SwapJoker { meld: meld_id, card, joker } => {
                send!(swap_joker, SwapJokerRequest { game_id, known_version, meld_id, card, joker })
            }
            Command::Discard(card) => send!(discard, DiscardRequest { game_id, known_version, card }),
            Command::Undo => send!(undo, UndoRequest { game_id, known_version }),
        }
    }
}
