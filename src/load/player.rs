use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tonic::transport::Channel;
use uuid::Uuid;

use super::arrivals::Arrivals;
use super::line::{Caller, Line, Trouble};
use super::step::Step;
use super::tally::Tally;
use crate::proto::v1::game_service_client::GameServiceClient;
use crate::proto::v1::player_service_client::PlayerServiceClient;
use crate::proto::v1::{
    CreateGuestRequest, GameView, GetGameRequest, GetLegalMovesRequest, LegalMoves, Played,
};

/// How long a command that can be sent once more waits for that.
const AGAIN: Duration = Duration::from_millis(50);

/// How often it is sent once more at most.
const TIMES: usize = 200;

/// Somebody who sits at a table.
pub(super) struct Player {
    pub(super) caller: Caller,
    line: Line,
    arrivals: Arc<Arrivals>,
    streams: bool,
}

impl Player {
    /// A new guest.
    pub(super) async fn guest(
        channel: Channel,
        name: String,
        line: Line,
        arrivals: Arc<Arrivals>,
        streams: bool,
    ) -> Result<Self, Trouble> {
        let asked = CreateGuestRequest { display_name: name };
        let made = PlayerServiceClient::new(channel.clone()).create_guest(asked).await?.into_inner();
        let unreadable = |_| Trouble {
            reason: "TOKEN".to_owned(),
            message: "the guest's token can't be sent in a header".to_owned(),
            again: false,
        };
        let bearer = format!("Bearer {}", made.token).parse().map_err(unreadable)?;
        Ok(Self {
            caller: Caller { games: GameServiceClient::new(channel), bearer },
            line,
            arrivals,
            streams,
        })
    }

    /// Whether the player is told of every move.
    pub(super) fn has_stream(&self) -> bool {
        self.streams
    }

    /// Follows a game from behind a move, if players have streams.
    pub(super) async fn follow(&mut self, game: &str, after: u32) -> Result<(), Trouble> {
        if let Line::Play(stream) = &mut self.line {
            stream.open(&self.caller, &self.arrivals).await?;
            if self.streams {
                stream.subscribe(game.to_owned(), after).await?;
            }
        } else if self.streams {
            self.caller.watch(game.to_owned(), after, Arc::clone(&self.arrivals)).await?;
        }
        Ok(())
    }

    /// Sends a command until it is answered or refused: the same one as often as it takes.
    pub(super) async fn send(
        &mut self,
        game: &str,
        known_version: u32,
        step: &Step,
        tally: &Tally,
    ) -> Result<Played, Trouble> {
        let request_id = Uuid::new_v4().to_string();
        let command = step.request(game, request_id.clone(), known_version);
        let mut times = 0;
        loop {
            let sent = match &self.line {
                Line::Calls => self.caller.call(command.clone()).await,
                Line::Rest { http, target } => self.caller.post(http, target, &command).await,
                Line::Play(stream) => stream.send(request_id.clone(), command.clone()).await,
            };
            match sent {
                Err(trouble) if trouble.again && times < TIMES => {
                    times += 1;
                    tally.trouble(&trouble.reason);
                    tally.repeated();
                    sleep(AGAIN).await;
                    if matches!(self.line, Line::Play(_)) {
                        // If the stream doesn't open the command fails once more.
                        let _ = self.follow(game, known_version).await;
                    }
                }
                done => return done,
            }
        }
    }

    /// The game as it is for the player.
    pub(super) async fn look(&self, game: &str) -> Result<GameView, Trouble> {
        let asked = GetGameRequest { game_id: game.to_owned(), ..Default::default() };
        let view = self.caller.games.clone().get_game(self.caller.ask(asked)).await?.into_inner().view;
        Ok(view.unwrap_or_default())
    }

    /// What the player may do.
    pub(super) async fn legal_moves(
        &self,
        game: &str,
        at_least_version: u32,
        tally: &Tally,
    ) -> Result<LegalMoves, Trouble> {
        let asked = GetLegalMovesRequest { game_id: game.to_owned(), at_least_version };
        let began = Instant::now();
        let answer = self.caller.games.clone().get_legal_moves(self.caller.ask(asked)).await?.into_inner();
        tally.asked(began.elapsed());
        Ok(answer.moves.unwrap_or_default())
    }
}
