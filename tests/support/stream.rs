//! A stream of games.

use futures::StreamExt;
use remik::proto::v1::{
    self, NewMeld, PlayRequest, PlayResponse, Subscribe, Unsubscribe, game_service_client::GameServiceClient,
    play_answer::Outcome, play_request, play_response::Kind,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Status, Streaming,
    transport::{Channel, Endpoint},
};

use crate::client::{Answer, Client, Command, Failure, Order};

/// A client's end of a stream of games.
pub(crate) struct Play {
    pub(crate) sender: mpsc::Sender<PlayRequest>,
    responses: Streaming<PlayResponse>,
}

/// An answer on the stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) request_id: String,
    pub(crate) game: String,
    pub(crate) outcome: Result<v1::Played, Failure>,
}

impl Client {
    /// Opens a stream of games.
    pub(crate) async fn play(&self, url: &str) -> Result<Play, Failure> {
        self.play_by(Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy()).await
    }

    /// The same over a channel.
    pub(crate) async fn play_by(&self, channel: Channel) -> Result<Play, Failure> {
        self.play_with(channel, "en").await
    }

    /// A stream of somebody who speaks a language.
    pub(crate) async fn play_in(&self, language: &str, url: &str) -> Result<Play, Failure> {
        self.play_with(Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy(), language).await
    }

    async fn play_with(&self, channel: Channel, language: &str) -> Result<Play, Failure> {
        let (sender, receiver) = mpsc::channel(1);
        let mut request = Request::new(ReceiverStream::new(receiver));
        let bearer = format!("Bearer {}", self.token).parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
        request.metadata_mut().insert("accept-language", language.parse().unwrap());
        let responses = GameServiceClient::new(channel).play(request).await?.into_inner();
        Ok(Play { sender, responses })
    }
}

impl Play {
    pub(crate) async fn send(&self, kind: play_request::Kind) {
        self.sender.send(PlayRequest { kind: Some(kind), omit_view: false }).await.unwrap();
    }

    pub(crate) async fn order(&self, order: &Order) {
        self.send(order.in_stream()).await;
    }

    pub(crate) async fn subscribe(&self, game: &str, after_version: Option<u32>) {
        let game_id = game.to_owned();
        self.send(play_request::Kind::Subscribe(Subscribe { game_id, after_version, ..Default::default() }))
            .await;
    }

    pub(crate) async fn unsubscribe(&self, game: &str) {
        self.send(play_request::Kind::Unsubscribe(Unsubscribe { game_id: game.to_owned() })).await;
    }

    /// The next message that isn't a heartbeat; `None` at a good end.
    pub(crate) async fn next(&mut self) -> Result<Option<Kind>, Failure> {
        loop {
            match self.responses.next().await.transpose()? {
                None => return Ok(None),
                Some(PlayResponse { kind: Some(Kind::Heartbeat(_)) }) => {}
                Some(PlayResponse { kind }) => return Ok(Some(kind.unwrap())),
            }
        }
    }

    /// The next answer, on a stream that follows no game.
    pub(crate) async fn answer(&mut self) -> Told {
        match self.next().await.unwrap().expect("the stream goes on") {
            Kind::Answer(answer) => answer.into(),
            other => panic!("{other:?}"),
        }
    }
}

impl From<v1::PlayAnswer> for Told {
    fn from(answer: v1::PlayAnswer) -> Self {
        let outcome = match answer.outcome.unwrap() {
            Outcome::Played(played) => Ok(played),
            Outcome::Refusal(status) => Err(failure(&status)),
        };
        Self { request_id: answer.request_id, game: answer.game_id, outcome }
    }
}

/// What a status inside of a message says.
pub(crate) fn failure(status: &remik::proto::rpc::Status) -> Failure {
    let details = prost::Message::encode_to_vec(status).into();
    Status::with_details(status.code.into(), status.message.clone(), details).into()
}

impl Told {
    /// The answer of a command that was carried out.
    pub(crate) fn into_answer(self) -> Result<Answer, Failure> {
        let played = self.outcome?;
        Ok(Answer { version: played.version, made: played.r#move.unwrap(), view: played.view.unwrap() })
    }
}

impl Order {
    /// The command as a message of a stream.
    pub(crate) fn in_stream(&self) -> play_request::Kind {
        let (game_id, request_id) = (self.game.clone(), self.request_id.to_string());
        let known_version = self.known_version;
        macro_rules! message {
            ($kind:ident, $request:ident { $($field:ident $(: $value:expr)?),* }) => {
                play_request::Kind::$kind(v1::$request { game_id, request_id, $($field $(: $value)?),* })
            };
        }
        match self.command.clone() {
            Command::Join(seat) => message!(Join, JoinGameRequest { seat }),
            Command::JoinByCode(_) => panic!("a code isn't sent on a stream"),
            Command::Leave => message!(Leave, LeaveGameRequest { known_version }),
            Command::AddBot(strength) => {
                message!(AddBot, AddBotRequest { known_version, strength: strength.into(), seat: None })
            }
            Command::RemoveBot(seat) => {
                message!(RemoveBot, RemoveBotRequest { known_version, seat: Some(seat) })
            }
            Command::Ready(client_seed) => message!(Ready, ReadyRequest { known_version, client_seed }),
            Command::Draw(source) => message!(Draw, DrawRequest { known_version, source: source.into() }),
            Command::Meld(melds) => {
                let melds = melds.into_iter().map(|cards| NewMeld { cards }).collect();
                message!(Meld, MeldRequest { known_version, melds })
            }
            Command::LayOff { meld: meld_id, cards, end } => {
                message!(LayOff, LayOffRequest { known_version, meld_id, cards, end: end.into() })
            }
            Command::SwapJoker { meld: meld_id, card, joker } => {
                message!(SwapJoker, SwapJokerRequest { known_version, meld_id, card, joker })
            }
            Command::Discard(card) => message!(Discard, DiscardRequest { known_version, card }),
            Command::Undo => message!(Undo, UndoRequest { known_version }),
        }
    }
}
