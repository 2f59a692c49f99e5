//! Messages of a `Play` stream.

use uuid::Uuid;

use super::command::MoveRequest;
use super::fault::{Fault, Problem};
use super::field::uuid;
use crate::proto::v1;
use crate::proto::v1::play_request::Kind;

/// What a client sends on a stream of games.
#[derive(Debug)]
pub enum PlayMessage {
    /// A command.
    Command(PlayCommand),
    /// It wants to follow a game.
    Subscribe(v1::Subscribe),
    /// It wants to follow a game no more.
    Unsubscribe(v1::Unsubscribe),
}

/// A command on a stream of games.
#[derive(Debug)]
pub struct PlayCommand {
    /// The command's id, as it was sent: its first 64 characters.
    pub request_id: String,
    /// The game's id, likewise.
    pub game_id: String,
    /// The game, if the id is one: also of a command that can't be read, which is answered in its turn.
    pub game: Option<Uuid>,
    /// The command, or what is wrong with it.
    pub asked: Result<MoveRequest, Fault>,
    /// The answer is to have a view.
    pub wants_view: bool,
}

/// The most characters of an id that are sent back: more than any id has, and little enough to be kept by the hundred.
const LONGEST_ID: usize = 64;

fn beginning(id: &str) -> String {
    id.chars().take(LONGEST_ID).collect()
}

impl From<v1::PlayRequest> for PlayMessage {
    fn from(message: v1::PlayRequest) -> Self {
        /// Every command's request has the same first two fields.
        macro_rules! command {
            ($request:expr) => {{
                let request = $request;
                Self::Command(PlayCommand {
                    request_id: beginning(&request.request_id),
                    game_id: beginning(&request.game_id),
                    game: uuid("game_id", &request.game_id).ok(),
                    asked: MoveRequest::try_from(request),
                    wants_view: !message.omit_view,
                })
            }};
        }
        match message.kind {
            Some(Kind::Join(request)) => command!(request),
            Some(Kind::Leave(request)) => command!(request),
            Some(Kind::Ready(request)) => command!(request),
            Some(Kind::Draw(request)) => command!(request),
            Some(Kind::Meld(request)) => command!(request),
            Some(Kind::LayOff(request)) => command!(request),
            Some(Kind::SwapJoker(request)) => command!(request),
            Some(Kind::Discard(request)) => command!(request),
            Some(Kind::Undo(request)) => command!(request),
            Some(Kind::AddBot(request)) => command!(request),
            Some(Kind::RemoveBot(request)) => command!(request),
            Some(Kind::Resume(request)) => command!(request),
            Some(Kind::Subscribe(subscribe)) => Self::Subscribe(subscribe),
            Some(Kind::Unsubscribe(unsubscribe)) => Self::Unsubscribe(unsubscribe),
            // A kind that this build doesn't know, or none.
            None => Self::Command(PlayCommand {
                request_id: String::new(),
                game_id: String::new(),
                game: None,
                asked: Err(Problem::Missing.at("kind")),
                wants_view: false,
            }),
        }
    }
}
