//! The stream of games: commands in, answers and moves out.
//!
//! All of it is driven by the client's reading: a stream whose output isn't taken reads no command and no move, so
//! nothing piles up. A command that was begun goes to its end all the same.

mod lanes;
mod subscriptions;

use futures::stream::{Stream, unfold};
use remik_rules::seat::PlayerId;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status, Streaming};

use super::holder::HEARTBEAT;
use super::{Api, refuse};
use crate::authorization::Method;
use crate::codec::wire::PlayMessage;
use crate::error::{ApiError, Language};
use crate::identity::{Denied, Pass, Revocations};
use crate::limits::Slot;
use crate::proto::v1::play_response::Kind;
use crate::proto::v1::{Heartbeat, PlayRequest, PlayResponse};
use lanes::Lanes;
use subscriptions::Subscriptions;

/// How many commands of a stream are taken in before they are answered.
const MOST_COMMANDS: usize = 256;

/// Plays any number of games for a caller.
pub(super) async fn play(
    api: &Api,
    request: Request<Streaming<PlayRequest>>,
) -> Result<impl Stream<Item = Result<PlayResponse, Status>> + Send + use<>, ApiError> {
    let (metadata, _, input) = request.into_parts();
    // From before the credentials are looked at: nothing is missed in between.
    let revocations = api.identity.revocations();
    let pass = api.authorized(&metadata, Method::Play).await?;
    let caller = pass.principal.player().ok_or(Denied::PlayerRequired)?;
    let slot = api.limits.stream_of(caller)?;
    let mut beat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let player = Player { api: api.clone(), id: caller, language: Language::of(metadata.as_ref()) };
    let state = Playing {
        pass,
        revocations,
        input: Input::Open(Box::new(input)),
        lanes: Lanes::new(player.clone()),
        subscriptions: Subscriptions::new(player),
        beat,
        stop: api.stop.clone(),
        api: api.clone(),
        _slot: slot,
    };
    Ok(unfold(Some(state), |state| async move {
        let mut state = state?;
        match state.next().await {
            Ok(Some(kind)) => Some((Ok(PlayResponse { kind: Some(kind) }), Some(state))),
            Ok(None) => None,
            Err(status) => Some((Err(status), None)),
        }
    }))
}

/// Whose stream it is.
#[derive(Clone)]
struct Player {
    api: Api,
    id: PlayerId,
    /// The language of the texts in refusals.
    language: Language,
}

struct Playing {
    api: Api,
    pass: Pass,
    revocations: Revocations,
    input: Input,
    lanes: Lanes,
    subscriptions: Subscriptions,
    beat: Interval,
    stop: CancellationToken,
    _slot: Slot,
}

/// The client's side.
enum Input {
    Open(Box<Streaming<PlayRequest>>),
    /// No more is read; how the stream ends when all is answered.
    Closed(Result<(), Status>),
}

impl Playing {
    /// What is sent next; `None` at the end.
    async fn next(&mut self) -> Result<Option<Kind>, Status> {
        loop {
            let input = match &mut self.input {
                Input::Closed(end) if self.lanes.is_empty() => return end.clone().map(|()| None),
                Input::Closed(_) => None,
                Input::Open(input) => Some(input),
            };
            let is_open = input.is_some();
            let read = async {
                match input {
                    Some(input) => input.message().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(answer) = self.lanes.next() => return Ok(Some(Kind::Answer(answer))),
                Some(kind) = self.subscriptions.next() => return Ok(Some(kind)),
                message = read, if self.lanes.len() < MOST_COMMANDS => match message {
                    Ok(Some(message)) => {
                        if let Some(kind) = self.take_in(message.into()) {
                            return Ok(Some(kind));
                        }
                    }
                    Ok(None) => self.close(Ok(())),
                    Err(status) => self.close(Err(status)),
                },
                () = self.stop.cancelled(), if is_open => {
                    self.lanes.refuse_waiting();
                    self.close(Err(refuse(ApiError::draining())));
                }
                () = self.revocations.of(&self.pass) => {
                    self.api.identity.recheck(&self.pass).await.map_err(refuse)?;
                }
                _ = self.beat.tick() => return Ok(Some(Kind::Heartbeat(Heartbeat {}))),
            }
        }
    }

    /// What can be answered at once is returned.
    fn take_in(&mut self, message: PlayMessage) -> Option<Kind> {
        match message {
            PlayMessage::Command(command) => self.lanes.take_in(command).map(Kind::Answer),
            PlayMessage::Subscribe(asked) => self.subscriptions.add(asked).map(Kind::SubscriptionEnded),
            PlayMessage::Unsubscribe(asked) => {
                Some(Kind::SubscriptionEnded(self.subscriptions.remove(&asked.game_id)))
            }
        }
    }

    fn close(&mut self, end: Result<(), Status>) {
        self.input = Input::Closed(end);
        self.subscriptions.clear();
    }
}
