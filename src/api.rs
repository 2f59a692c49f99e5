//! The gRPC services: thin, one file each. They know who calls, ask the tables, and encode the answer.

mod games;
mod play;
mod players;
mod rulesets;
mod watch;

use std::error::Error;
use std::sync::Arc;

use prost::Message;
use remik_rules::seat::PlayerId;
use remik_rules::view::View;
use tokio_util::sync::CancellationToken;
use tonic::metadata::MetadataMap;
use tonic::{Response, Status};

use crate::codec::wire::{self, GameContext, MoveRequest, Names};
use crate::error::{ApiError, Language, localized};
use crate::identity::Identity;
use crate::limits::Limits;
use crate::proto::{rpc, v1};
use crate::store::GameId;
use crate::tables::{Answer, LiveTable, RequestKey, Tables};

pub use games::Games;
pub use players::Players;
pub use rulesets::Rulesets;

/// What all services share.
#[derive(Clone)]
pub struct Api {
    tables: Arc<Tables>,
    identity: Arc<Identity>,
    limits: Arc<Limits>,
    /// Cancelled when the service stops: streams end, so that their clients go on elsewhere.
    stop: CancellationToken,
}

/// The answer of a call.
type Reply<T> = Result<Response<T>, Status>;

impl Api {
    /// Services over tables and players.
    pub fn new(
        tables: Arc<Tables>,
        identity: Arc<Identity>,
        limits: Arc<Limits>,
        stop: CancellationToken,
    ) -> Self {
        Self { tables, identity, limits, stop }
    }

    /// Who calls, if he doesn't do so too often.
    async fn caller(&self, metadata: &MetadataMap) -> Result<PlayerId, ApiError> {
        let caller = self.authenticate(metadata).await?;
        self.limits.admit(caller)?;
        Ok(caller)
    }

    /// Whose token it is.
    async fn authenticate(&self, metadata: &MetadataMap) -> Result<PlayerId, ApiError> {
        let header = metadata.get("authorization").and_then(|value| value.to_str().ok());
        let token = header.and_then(bearer).ok_or_else(ApiError::unauthenticated)?;
        self.identity.authenticate(token).await?.ok_or_else(ApiError::unauthenticated)
    }

    /// A game that the caller may know of. Of a private one nobody learns who has no seat.
    async fn visible(&self, game: GameId, caller: PlayerId) -> Result<Arc<LiveTable>, ApiError> {
        let table = self.tables.get(game).await?;
        if !table.may_be_seen_by(caller) {
            table.refresh().await?;
        }
        if table.may_be_seen_by(caller) { Ok(table) } else { Err(ApiError::game_not_found()) }
    }

    /// A view with all that a table itself doesn't know.
    async fn game_view(
        &self,
        table: &LiveTable,
        version: u32,
        view: &View,
    ) -> Result<v1::GameView, ApiError> {
        let players: Vec<PlayerId> = view.seats.iter().filter_map(|seat| seat.player).collect();
        let names: Names = self.identity.names(&players).await?;
        let meta = table.meta();
        Ok(wire::game_view(
            view,
            &GameContext {
                game: meta.game.0,
                version,
                public: meta.public,
                invite_code: meta.invite_code.as_deref().unwrap_or_default(),
                preset: meta.preset,
                names: &names,
                now: self.tables.clock().now(),
            },
        ))
    }

    /// Carries out a move, whatever its kind and whichever way it has come.
    async fn carry_out(
        &self,
        caller: PlayerId,
        asked: MoveRequest,
        invited: bool,
        wants_view: bool,
    ) -> Result<MoveAnswer, ApiError> {
        let table = self.tables.get(GameId(asked.game)).await?;
        let key = RequestKey { id: asked.request_id, known_version: asked.known_version };
        let answer = table.play(caller, asked.command, key, invited).await?;
        self.answer(&table, &answer, wants_view).await
    }

    /// The three parts that the answer to every move has.
    async fn answer(
        &self,
        table: &LiveTable,
        answer: &Answer,
        wants_view: bool,
    ) -> Result<MoveAnswer, ApiError> {
        let played = &answer.played;
        let events: Vec<_> = played.events.iter().map(|event| event.observed_by(answer.viewer)).collect();
        let aces = answer.view.rules.aces;
        let view = match wants_view {
            true => Some(self.game_view(table, played.number, &answer.view).await?),
            false => None,
        };
        Ok(MoveAnswer {
            version: played.number,
            made: wire::game_move(played.number, played.made_at, played.seat, aces, &events),
            view,
        })
    }
}

/// What the answer to every move consists of.
struct MoveAnswer {
    version: u32,
    made: v1::GameMove,
    /// If it was asked for.
    view: Option<v1::GameView>,
}

/// The token of an `authorization` header.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A failure as the client is told; a fault of the service is logged here, once, with its causes.
fn refuse(error: impl Into<ApiError>) -> Status {
    let error = error.into();
    if error.reason().is_ours() {
        let mut causes = String::new();
        let mut cause = error.source();
        while let Some(inner) = cause {
            causes.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        tracing::error!(reason = error.reason().name(), "{error}{causes}");
    }
    Status::from(error)
}

/// A refusal as a message inside of others, with the same details as at the end of a call.
fn refusal_message(error: ApiError, language: Language) -> rpc::Status {
    let status = refuse(error);
    let status = localized(language, &status).unwrap_or(status);
    // The details of a status are its own message, whole.
    let whole = rpc::Status::decode(status.details()).ok().filter(|_| !status.details().is_empty());
    whole.unwrap_or_else(|| rpc::Status {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}
