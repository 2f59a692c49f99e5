//! The commands of a stream: each game's in their order, different games' at once.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use uuid::Uuid;

use super::Player;
use crate::api::{MoveAnswer, refusal_message};
use crate::codec::wire::PlayCommand;
use crate::error::ApiError;
use crate::proto::v1::play_answer::Outcome;
use crate::proto::v1::{PlayAnswer, Played};

/// A command on its way, and the game whose next one may begin after it.
type Running = Pin<Box<dyn Future<Output = (Uuid, PlayAnswer)> + Send>>;

pub(super) struct Lanes {
    player: Player,
    /// At most one command of each game.
    running: FuturesUnordered<Running>,
    /// The commands behind it, for each game that has one running.
    waiting: HashMap<Uuid, VecDeque<PlayCommand>>,
    /// Commands whose turn was over before they were begun.
    refused: VecDeque<PlayAnswer>,
    /// How many commands aren't answered yet.
    open: usize,
}

impl Lanes {
    pub(super) fn new(player: Player) -> Self {
        let (running, waiting, refused) = Default::default();
        Self { player, running, waiting, refused, open: 0 }
    }

    /// How many commands aren't answered yet.
    pub(super) fn len(&self) -> usize {
        self.open
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Takes a command in; one that names no game is answered at once.
    pub(super) fn take_in(&mut self, command: PlayCommand) -> Option<PlayAnswer> {
        let Some(game) = command.game else {
            let fault = command.asked.err().map_or_else(ApiError::game_not_found, ApiError::from);
            return Some(self.player.refusal(command.request_id, command.game_id, fault));
        };
        self.open += 1;
        match self.waiting.get_mut(&game) {
            Some(lane) => lane.push_back(command),
            None => {
                self.waiting.insert(game, VecDeque::new());
                self.begin(game, command);
            }
        }
        None
    }

    fn begin(&mut self, game: Uuid, command: PlayCommand) {
        let player = self.player.clone();
        self.running.push(Box::pin(async move { (game, player.carry_out(command).await) }));
    }

    /// The next answer; `None` if there is nothing to wait for.
    pub(super) async fn next(&mut self) -> Option<PlayAnswer> {
        let answer = match self.refused.pop_front() {
            Some(answer) => answer,
            None => {
                let (game, answer) = self.running.next().await?;
                match self.waiting.get_mut(&game).and_then(VecDeque::pop_front) {
                    Some(next) => self.begin(game, next),
                    None => drop(self.waiting.remove(&game)),
                }
                answer
            }
        };
        self.open -= 1;
        Some(answer)
    }

    /// Begins no more commands, since the service stops.
    pub(super) fn refuse_waiting(&mut self) {
        for command in self.waiting.values_mut().flat_map(std::mem::take) {
            let refusal = self.player.refusal(command.request_id, command.game_id, ApiError::draining());
            self.refused.push_back(refusal);
        }
    }
}

impl Player {
    async fn carry_out(&self, command: PlayCommand) -> PlayAnswer {
        let PlayCommand { request_id, game_id, game: _, asked, wants_view } = command;
        let played = async {
            let asked = asked?;
            self.api.limits.admit(self.id)?;
            let _work = self.api.limits.begin_work()?;
            self.api.limits.in_time(None, self.api.carry_out(self.id, asked, false, wants_view)).await?
        };
        match played.await {
            Ok(MoveAnswer { version, made, view }) => {
                let played = Played { version, r#move: Some(made), view };
                PlayAnswer { request_id, game_id, outcome: Some(Outcome::Played(played)) }
            }
            Err(error) => self.refusal(request_id, game_id, error),
        }
    }

    fn refusal(&self, request_id: String, game_id: String, error: ApiError) -> PlayAnswer {
        let status = refusal_message(error, self.language);
        PlayAnswer { request_id, game_id, outcome: Some(Outcome::Refusal(status)) }
    }
}
